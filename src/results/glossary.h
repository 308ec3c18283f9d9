/*
 * The words at the heads of columns, and what they mean. The numbers of a report have theirs in
 * report_fields.h; here are those of all other tables, and one list of both for the pages.
 */
#ifndef GLOSSARY_H
#define GLOSSARY_H

#include "format/json_writer.h"
#include "results/report_fields.h"

struct glossary_word {
    const char *key; /* in JSON and CSV; NULL ends a list */
    const char *unit;
    const char *meaning; /* in words, without a full stop; NULL: that of the report's number */
    const char *column;  /* in the tables of the text; NULL: in none */
};

/* The words of some tables. One with a meaning of its own is called "NAME.KEY". */
struct glossary_table {
    const char *name; /* NULL ends a list */
    const char
        *commands; /* that print them, in Markdown; NULL: pages and files alone, which stand last */
    const struct report_level *levels; /* whose numbers are columns too; NULL: none */
    const struct glossary_word *words;
};
extern const struct glossary_table glossary_tables[];

/* glossary.txt: the words of each, and of the columns of `export`. */
extern const struct glossary_word glossary_check[], glossary_run[], glossary_system[],
    glossary_compare[], glossary_sweep[], glossary_plan[], glossary_advise[], glossary_cluster[],
    glossary_explain[], glossary_jobs[], glossary_tasks[], glossary_decisions[], glossary_page[],
    glossary_identity[], glossary_runs[], glossary_notes[], glossary_points[];

/* Every word as a member of an object: "p99_over_qos" or "plan.guess", of which its unit ("" of
 * none) and its meaning. */
void glossary_write(struct json_writer *json);

/* What a number of a report means; NULL: there is none of this key. */
const char *glossary_meaning(const char *key);

#endif
