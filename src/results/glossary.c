#include "results/glossary.h"

#include <stdio.h>
#include <string.h>

const struct glossary_table glossary_tables[] = {
    {"app", "`run`, `report`: applications", report_of_app, glossary_run},
    {"system", "`run`, `report`: the system", report_sections, glossary_system},
    {"compare", "`compare`, and `report` of a comparison", NULL, glossary_compare},
    {"check", "`check`", NULL, glossary_check},
    {"sweep", "`sweep`", NULL, glossary_sweep},
    {"plan", "`plan`", NULL, glossary_plan},
    {"advise", "`advise`", NULL, glossary_advise},
    {"cluster", "`cluster`", NULL, glossary_cluster},
    {"explain", "`explain` with `--decisions` or `--what-if`", NULL, glossary_explain},
    {"job", NULL, NULL, glossary_jobs},
    {"task", NULL, NULL, glossary_tasks},
    {"decision", NULL, NULL, glossary_decisions},
    {"page", NULL, NULL, glossary_page},
    {NULL, NULL, NULL, NULL},
};

static const struct report_level *const levels[] = {report_head, report_of_app, report_sections,
                                                    report_of_difference};

const char *glossary_meaning(const char *key) {
    for (size_t i = 0; i < CT_COUNT_OF(levels); i++)
        for (const struct report_level *level = levels[i]; level->fields; level++)
            for (const struct report_field *field = level->fields; field->path; field++)
                if (strcmp(field->path, key) == 0)
                    return field->meaning;
    return NULL;
}

void glossary_write(struct json_writer *json) {
    for (size_t i = 0; i < CT_COUNT_OF(levels); i++)
        for (const struct report_level *level = levels[i]; level->fields; level++)
            for (const struct report_field *field = level->fields; field->path; field++)
                json_writer_array(json, field->path, field->unit ? field->unit : "",
                                  field->meaning);
    for (const struct glossary_table *table = glossary_tables; table->name; table++)
        for (const struct glossary_word *word = table->words; word->key; word++) {
            char name[REPORT_FIELD_NAME];
            snprintf(name, sizeof name, "%s.%s", table->name, word->key);
            if (word->meaning)
                json_writer_array(json, name, word->unit, word->meaning);
        }
}
