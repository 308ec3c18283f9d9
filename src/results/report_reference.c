/* The numbers of a report as a page of the documentation. */
#include "results/compare_stats.h"
#include "results/glossary.h"
#include "results/report_fields.h"

/* report_reference.txt: what stands between the tables. */
extern const char report_reference_top[], report_reference_slowest[], report_reference_sharing[],
    report_reference_batches[], report_reference_glossary[];

static void write_fields(FILE *out, const struct report_field *field) {
    fputs("\n\n| key | unit | meaning |\n|---|---|---|\n", out);
    for (; field->path; field++)
        fprintf(out, "| `%s` | %s | %s |\n", field->path, field->unit ? field->unit : "",
                field->meaning);
}

static void write_blame(FILE *out) {
    fputs(report_reference_slowest, out);
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        fprintf(out, "| `%s` | %s |\n", ct_blame_key(part), ct_blame_words[part].part);
    fputs(report_reference_sharing, out);
}

static void write_word(FILE *out, const char *column, const char *key, const char *meaning,
                       const char *unit) {
    bool has_unit = unit && *unit;
    fprintf(out, "| `%s` | `%s` | %s%s%s%s |\n", column, key, meaning, has_unit ? " (" : "",
            has_unit ? unit : "", has_unit ? ")" : "");
}

/* What a table of the text calls its numbers. */
static void write_columns(FILE *out, const struct report_field *fields) {
    for (const struct report_field *field = fields; field->path; field++)
        if (field->text.table)
            write_word(out, field->text.title, field->path, field->meaning, field->unit);
}

static void write_glossary(FILE *out) {
    fputs(report_reference_glossary, out);
    for (const struct glossary_table *table = glossary_tables; table->commands; table++) {
        fprintf(out, "\n### %s\n\n| column | key | meaning |\n|---|---|---|\n", table->commands);
        for (const struct report_level *level = table->levels; level && level->fields; level++)
            write_columns(out, level->fields);
        for (const struct glossary_word *word = table->words; word->key; word++)
            if (word->column)
                write_word(out, word->column, word->key,
                           word->meaning ? word->meaning : glossary_meaning(word->key), word->unit);
    }
}

static void write_measures(FILE *out) {
    fputs("\n## What policies are compared by\n\n| measure | of | better |\n|---|---|---|\n", out);
    for (const struct compare_measure *measure = compare_measures; measure->name; measure++)
        fprintf(out, "| `%s` | %s | %s |\n", measure->name,
                measure->per_app ? "an application" : "the system",
                measure->larger_is_better ? "more" : "less");
}

void report_reference_markdown(FILE *out) {
    fputs(report_reference_top, out);
    fputs("\n## A report", out);
    write_fields(out, report_head->fields);
    fputs("\n## An application: `apps`", out);
    write_fields(out, report_of_app->fields);
    write_blame(out);
    fputs(report_reference_batches, out);
    for (const struct report_level *level = report_sections; level->fields; level++) {
        fprintf(out, "\n## `%s`", level->name);
        write_fields(out, level->fields);
    }
    fputs("\n## A difference: `differences` of `compare`", out);
    write_fields(out, report_of_difference->fields);
    write_measures(out);
    write_glossary(out);
}
