/* The numbers of a report as a page of the documentation. */
#include "results/compare_stats.h"
#include "results/glossary.h"
#include "results/report_fields.h"

static void write_fields(FILE *out, const struct report_field *field) {
    fputs("\n\n| key | unit | meaning |\n|---|---|---|\n", out);
    for (; field->path; field++)
        fprintf(out, "| `%s` | %s | %s |\n", field->path, field->unit ? field->unit : "",
                field->meaning);
}

static void write_blame(FILE *out) {
    fputs("\n### Where the slowest jobs spend their time\n\n"
          "`blame_ms_p99` has the mean over the slowest 1 % of an application's jobs in all "
          "replications together, in ms, by part; `delayed_by` what each\nother application "
          "cost them. The parts add up to the latency, or of a job that had not ended to its age. "
          "`sharing` is of those of them that have ended.\nTable `job` of a store has the parts "
          "of each job in ps (`KEY_ps`), and `explain` says them in these words.\n\n"
          "| key | part |\n|---|---|\n",
          out);
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        fprintf(out, "| `%s` | %s |\n", ct_blame_key(part), ct_blame_words[part].part);
    fputs("\n### What sharing cost them\n\n"
          "`sharing_ms_p99` has, for the same jobs, what they would have taken alone with the same "
          "arrivals (`alone`), and their latency minus that\nby part (`cause`) and by application "
          "(`by`; of nobody's doing: \"\"), in ms. In CSV: `sharing_ms_p99_KEY`, "
          "`sharing_by_APP`; in a store tables\n`sharing`, `job` (`alone_ps`, `solo_ps`, "
          "`sharing_KEY_ps`) and `job_sharing`. It is left out where it is unknown: behind a "
          "server. [What it means](explain.md#what-sharing-cost).\n",
          out);
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
    fputs("\n## Glossary\n\n"
          "What the columns of the tables mean, by the commands that print them. On a page each "
          "heading leads to the same words.\n",
          out);
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
    fputs(
        "# The numbers of a report\n\n"
        "Printed by `cotenant list measures`. A key is the place in JSON; CSV and the tables of a "
        "store have underscores for its dots, and of an\ninterval two columns, `_low` and "
        "`_high`. What is not known is null in JSON, empty in CSV, `-` in the text. Formulas and "
        "sources:\n[model-reference.md](model-reference.md), \"What is measured\".\n",
        out);
    fputs("\n## A report", out);
    write_fields(out, report_head->fields);
    fputs("\n## An application: `apps`", out);
    write_fields(out, report_of_app->fields);
    write_blame(out);
    fputs("\n`batch_sizes` of an application with a server has how many batches there were of each "
          "size, in CSV as `batch_size_SIZE`, in a store in the\ntable `batch_size`. In table "
          "`job` a batch is a row, `requests` are those in it, and its times are those of the "
          "oldest.\n",
          out);
    for (const struct report_level *level = report_sections; level->fields; level++) {
        fprintf(out, "\n## `%s`", level->name);
        write_fields(out, level->fields);
    }
    fputs("\n## A difference: `differences` of `compare`", out);
    write_fields(out, report_of_difference->fields);
    write_measures(out);
    write_glossary(out);
}
