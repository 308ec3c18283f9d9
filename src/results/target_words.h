/* A target of an application in a row of a table, whose the words are then, or in a sentence. */
#ifndef TARGET_WORDS_H
#define TARGET_WORDS_H

#include "format/doc_writer.h"
#include "results/report.h"

/* Whose it is: "chat", or "chat TTFT". */
const char *target_words_name(struct table *table, const struct report_app *app,
                              const struct report_target *target);

/* A p99, or its ratio to the target, with its marks: "1.32!" violates the target, ">9.81!" is a
 * lower bound besides. */
const char *target_words_p99(struct table *table, const struct report_target *target,
                             const char *number);

/* How many requests were dropped, here or at a stage before, where they are so many that no target
 * is kept; NULL: they are not. */
const char *target_words_dropped(struct doc *doc, const struct report_app *app);

#endif
