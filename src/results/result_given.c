#include "results/result_given.h"

#include "format/json_place.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key, struct ct_arena *arena) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? ct_arena_strdup(arena, text) : NULL;
}

static bool read_settings(const json_t *array, struct ct_arena *arena, struct result_given *given) {
    const char **settings = ct_arena_array(arena, json_array_size(array) + 1, sizeof *settings);
    bool read = settings != NULL;
    for (size_t i = 0; read && i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        settings[i] = text ? ct_arena_strdup(arena, text) : NULL;
        read = settings[i] != NULL;
    }
    given->settings = settings;
    given->setting_count = json_array_size(array);
    return read;
}

/* From the text of a configuration (may be NULL). */
static bool parse(const char *text, struct ct_arena *arena, struct result_given *given) {
    *given = (struct result_given){0};
    json_t *config = text ? json_place_parse(text, 0) : NULL;
    const json_t *object = json_object_get(config, "given");
    given->workload = text_of(object, "workload", arena);
    given->policy = text_of(object, "policy", arena);
    given->own = json_is_true(json_object_get(object, "own"));
    given->fidelity = text_of(object, "fidelity", arena);
    given->inputs = text_of(object, "inputs", arena);
    bool read = given->workload && given->inputs &&
                read_settings(json_object_get(object, "set"), arena, given);
    json_decref(config);
    return read;
}

bool result_given_read(const struct result_run *run, struct ct_arena *arena,
                       struct result_given *given) {
    return parse(run->report.config, arena, given);
}

const char *result_given_setting(const struct report *report, struct ct_arena *arena) {
    json_t *config = report->config ? json_place_parse(report->config, 0) : NULL;
    if (!config)
        return ct_arena_format(arena, "%s on %s", report->workload ? report->workload : "",
                               report->gpu ? report->gpu : "");
    json_object_del(config, "policy");
    json_object_del(config, "given");
    char *text = json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS);
    const char *setting = text ? ct_arena_strdup(arena, text) : NULL;
    free(text);
    json_decref(config);
    return setting;
}

const char *result_given_plain(const char *setting, struct ct_arena *arena) {
    size_t key = strcspn(setting, "="), length = strlen(setting);
    const char *value = setting + key + (setting[key] == '=');
    bool quoted = length > key + 3 && *value == '"' && setting[length - 1] == '"';
    if (!quoted || strcspn(value + 1, "\"\\ ,") != strlen(value) - 2)
        return setting;
    return ct_arena_format(arena, "%.*s=%.*s", (int)key, setting, (int)strlen(value) - 2,
                           value + 1);
}

const char *result_given_line(const struct result_given *given, struct ct_arena *arena) {
    const char *line = "";
    for (size_t i = 0; i < given->setting_count && line; i++) {
        const char *plain = result_given_plain(given->settings[i], arena);
        line = plain ? ct_arena_format(arena, "%s%s%s", line, *line ? ", " : "", plain) : NULL;
    }
    return line;
}

void result_given_write(struct doc *doc, const struct report *report) {
    struct result_given given;
    parse(report->config, &doc->arena, &given);
    const char *line = result_given_line(&given, &doc->arena);
    doc->failed |= !line;
    if (line && *line)
        doc_text(doc, "set: %s", line);
}
