/* A target of an application in a row of a table. Words are the table's. */
#ifndef TARGET_WORDS_H
#define TARGET_WORDS_H

#include "format/table.h"
#include "results/report.h"

/* Whose it is: "chat", or "chat TTFT". */
const char *target_words_name(struct table *table, const struct report_app *app,
                              const struct report_target *target);

/* A p99, or its ratio to the target, with its marks: "1.32!" violates the target, ">9.81!" is a
 * lower bound besides. */
const char *target_words_p99(struct table *table, const struct report_app *app,
                             const struct report_target *target, const char *number);

#endif
