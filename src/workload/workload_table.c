#include "workload/workload_reader.h"

#include "base/ct_option_value.h"
#include "base/ct_text.h"

#include <string.h>

const json_t *workload_object_enter(struct workload_reader *reader, const json_t *object,
                                    const char *key, size_t *length) {
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_object(member))
        workload_mistake(reader, key, "'%s' is not an object", key);
    if (!json_is_object(member))
        return NULL;
    *length = json_place_enter(&reader->place, key);
    return member;
}

void workload_member_read(struct workload_reader *reader, const json_t *object, const char *key,
                          const struct workload_key *keys, void *target) {
    size_t length;
    const json_t *member = workload_object_enter(reader, object, key, &length);
    if (!member)
        return;
    workload_table_read(reader, member, keys, target, false);
    json_place_leave(&reader->place, length);
}

/* ct_option_set works on tables: this is one of a single option. */
static void set_option(struct workload_reader *reader, const struct ct_option *option,
                       const char *text, void *target, const char *where) {
    const struct ct_option table[] = {*option, {0}};
    json_place_fail(&reader->place, ct_option_set(table, option->name, text, target,
                                                  reader->place.arena, where, reader->place.diags));
}

static void read_scalar(struct workload_reader *reader, const json_t *value,
                        const struct ct_option *option, void *target) {
    const char *text = json_place_scalar(value, option->kind, reader->place.arena);
    if (!text)
        json_place_no_memory(&reader->place);
    else if (option->kind == CT_OPTION_STRING && !json_is_string(value))
        workload_mistake(reader, option->name, "'%s' of '%s' is not a text in quotes", text,
                         option->name);
    else
        set_option(reader, option, text, target, json_place_member(&reader->place, option->name));
}

/* A draw given as an object: its mean has the range and the unit of the key. */
static void read_draw_object(struct workload_reader *reader, const json_t *value,
                             const struct ct_option *option, struct workload_draw *draw) {
    struct workload_key keys[4];
    memcpy(keys, workload_draw_keys, sizeof keys);
    for (struct workload_key *k = keys; k->option.name; k++) {
        if (strcmp(k->option.name, "mean") != 0)
            continue;
        k->option.least = option->least;
        k->option.most = option->most;
        k->option.unit = option->unit;
    }
    size_t length = json_place_enter(&reader->place, option->name);
    size_t errors = reader->place.diags->errors;
    workload_table_read(reader, value, keys, draw, false);
    workload_table_kind(reader, value, keys, draw->kind, workload_distributions[draw->kind]);
    if (errors == reader->place.diags->errors && draw->kind == WORKLOAD_HYPEREXPONENTIAL &&
        draw->cv < 1)
        workload_mistake(reader, "cv",
                         "'%g' of 'cv' is below 1, the least of a hyperexponential distribution",
                         draw->cv);
    if (errors == reader->place.diags->errors && draw->kind != WORKLOAD_FIXED && draw->mean <= 0)
        workload_mistake(reader, "mean", "'0' of 'mean' leaves nothing to draw");
    json_place_leave(&reader->place, length);
}

static void read_draw(struct workload_reader *reader, const json_t *value,
                      const struct ct_option *option, void *target) {
    struct workload_draw *draw = (struct workload_draw *)((char *)target + option->offset);
    *draw = (struct workload_draw){.kind = WORKLOAD_FIXED};
    if (json_is_object(value)) {
        read_draw_object(reader, value, option, draw);
        return;
    }
    struct ct_option mean = *option;
    mean.offset = offsetof(struct workload_draw, mean);
    read_scalar(reader, value, &mean, draw);
}

/* Zeros are no numbers of a list: nothing is copied. */
static void read_counts(struct workload_reader *reader, const json_t *value,
                        const struct ct_option *option, void *target) {
    struct workload_array *counts = (struct workload_array *)((char *)target + option->offset);
    size_t items = json_is_array(value) ? json_array_size(value) : 1;
    struct ct_option element = *option;
    element.offset = 0;
    *counts = (struct workload_array){
        .numbers = json_place_take(&reader->place, items, sizeof *counts->numbers)};
    for (size_t i = 0; counts->numbers && i < items; i++) {
        int64_t *next = &counts->numbers[counts->count];
        *next = 0;
        read_scalar(reader, json_is_array(value) ? json_array_get(value, i) : value, &element,
                    next);
        counts->count += *next != 0;
    }
}

/* Elements in the kind and range of the option. */
static void read_array(struct workload_reader *reader, const json_t *value,
                       const struct ct_option *option, void *target) {
    struct workload_array *array = (struct workload_array *)((char *)target + option->offset);
    struct ct_option element = *option;
    size_t count = json_array_size(value), index;
    json_t *item;
    element.offset = 0;
    if (count == 0) {
        workload_mistake(reader, option->name, "'%s' is not an array of %s", option->name,
                         option->kind == CT_OPTION_INT ? "whole numbers" : "names");
        return;
    }
    array->numbers = json_place_take(&reader->place, count, sizeof *array->numbers);
    array->texts = json_place_take(&reader->place, count, sizeof *array->texts);
    if (!array->numbers || !array->texts)
        return;
    json_array_foreach(value, index, item) {
        read_scalar(reader, item, &element,
                    option->kind == CT_OPTION_INT ? (void *)&array->numbers[index]
                                                  : (void *)&array->texts[index]);
    }
    array->count = count;
}

static void set_default(struct workload_reader *reader, const struct workload_key *key,
                        void *target) {
    struct ct_option option = key->option;
    double *number = (void *)((char *)target + option.offset);
    if (key->unknown)
        *number = NAN;
    if (!option.standard)
        return;
    if (key->shape == WORKLOAD_DRAW) {
        struct workload_draw *draw = (struct workload_draw *)((char *)target + option.offset);
        *draw = (struct workload_draw){.kind = WORKLOAD_FIXED};
        option.offset += offsetof(struct workload_draw, mean);
    }
    set_option(reader, &option, option.standard, target, "");
}

static void unknown_key(struct workload_reader *reader, const struct workload_key *keys,
                        const char *name) {
    const char *names[64];
    char hint[CT_HINT_BYTES];
    size_t count = 0;
    for (; keys->option.name && count < CT_COUNT_OF(names); keys++)
        names[count++] = keys->option.name;
    workload_mistake(reader, name, "unknown key '%s'%s", name,
                     ct_text_hint(hint, name, names, count));
}

void workload_table_read(struct workload_reader *reader, const json_t *object,
                         const struct workload_key *keys, void *target, bool open) {
    const char *name;
    json_t *value;
    for (const struct workload_key *k = keys; k->option.name; k++)
        if (k->shape == WORKLOAD_SCALAR || k->shape == WORKLOAD_DRAW)
            set_default(reader, k, target);
    json_object_foreach((json_t *)object, name, value) {
        const struct workload_key *k = workload_key_find(keys, name, strlen(name));
        if (!k && !open)
            unknown_key(reader, keys, name);
        else if (k && k->shape == WORKLOAD_DRAW)
            read_draw(reader, value, &k->option, target);
        else if (k && k->shape == WORKLOAD_COUNTS)
            read_counts(reader, value, &k->option, target);
        else if (k && k->shape == WORKLOAD_ARRAY)
            read_array(reader, value, &k->option, target);
        else if (k && k->shape == WORKLOAD_SCALAR)
            read_scalar(reader, value, &k->option, target);
    }
    for (const struct workload_key *k = keys; k->option.name; k++)
        if (k->needed && !json_object_get(object, k->option.name))
            workload_mistake(reader, NULL, "key '%s' is missing", k->option.name);
}

void workload_table_kind(struct workload_reader *reader, const json_t *object,
                         const struct workload_key *keys, int kind, const char *kind_name) {
    for (const struct workload_key *k = keys; k->option.name; k++) {
        bool given = json_object_get(object, k->option.name) != NULL;
        if (given && k->used_by && !(k->used_by & WORKLOAD_KIND(kind)))
            ct_warning(reader->place.diags, json_place_member(&reader->place, k->option.name),
                       "'%s' changes nothing: '%s' does not read it", k->option.name, kind_name);
        if (!given && (k->needed_by & WORKLOAD_KIND(kind)))
            workload_mistake(reader, NULL, "key '%s' is missing: '%s' needs it", k->option.name,
                             kind_name);
    }
}

/* ---- Settings: scalar members of an object as text that an option table resolves later ---- */

const char *workload_setting_find(const struct workload_settings *settings, const char *key) {
    for (size_t i = settings->count; i > 0; i--)
        if (strcmp(settings->items[i - 1].key, key) == 0)
            return settings->items[i - 1].value;
    return NULL;
}

static void append(struct json_place *place, struct workload_settings *settings, const char *key,
                   const char *value, const char *where) {
    struct workload_setting setting = {.key = ct_arena_strdup(place->arena, key),
                                       .value = value,
                                       .where = ct_arena_strdup(place->arena, where),
                                       .assigned = strncmp(where, "--set ", 6) == 0};
    if (!setting.key || !value || !setting.where || !ct_vec_push(settings, setting))
        json_place_no_memory(place);
}

void settings_collect(struct json_place *place, const json_t *object, const char *const *skip,
                      size_t skipped, struct workload_settings *settings) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        enum ct_option_kind kind = json_is_string(value) ? CT_OPTION_STRING : CT_OPTION_INT;
        if (ct_text_index(name, skip, skipped) < skipped)
            continue;
        if (json_is_object(value) || json_is_array(value) || json_is_null(value))
            json_place_error(place, name, "'%s' is neither a number nor a text nor true or false",
                             name);
        else
            append(place, settings, name, json_place_scalar(value, kind, place->arena),
                   json_place_member(place, name));
    }
}

/* The keys whose numbers are assumed, one setting "assumed" each. */
static void collect_assumed(struct json_place *place, const json_t *root,
                            struct workload_settings *settings) {
    const json_t *list = json_object_get(root, "assumed");
    size_t index;
    json_t *value;
    bool good = !list || json_is_array(list);
    json_array_foreach((json_t *)list, index, value) {
        good = good && json_is_string(value);
        if (good)
            append(place, settings, "assumed",
                   ct_arena_strdup(place->arena, json_string_value(value)),
                   json_place_member(place, "assumed"));
    }
    if (!good)
        json_place_error(place, "assumed", "'assumed' is not an array of keys");
}

static void read_settings(struct json_place *place, const json_t *root, void *settings) {
    static const char *const skip[] = {"also", "sources", "assumed"};
    settings_collect(place, root, skip, CT_COUNT_OF(skip), settings);
    collect_assumed(place, root, settings);
}

int settings_read(const char *path, struct ct_arena *arena, struct workload_settings *settings,
                  struct ct_diags *diags) {
    return json_place_read(path, read_settings, settings, arena, diags);
}

static void read_sources(struct json_place *place, const json_t *root, void *sources) {
    const json_t *object = json_object_get(root, "sources");
    json_place_enter(place, "sources");
    if (json_is_object(object))
        settings_collect(place, object, NULL, 0, sources);
}

int settings_read_sources(const char *path, struct ct_arena *arena,
                          struct workload_settings *sources, struct ct_diags *diags) {
    return json_place_read(path, read_sources, sources, arena, diags);
}
