#include "results/result_given.h"

#include "format/json_place.h"

#include <stdlib.h>

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

bool result_given_read(const struct result_run *run, struct ct_arena *arena,
                       struct result_given *given) {
    *given = (struct result_given){0};
    json_t *config = run->report.config ? json_place_parse(run->report.config, 0) : NULL;
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
