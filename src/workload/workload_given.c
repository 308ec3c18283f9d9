#include "workload/workload_given.h"

#include "workload/workload_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct given_list {
    struct workload_given *given;
    struct ct_arena *arena;
    bool lost; /* memory ran out */
};

static bool is_plain(const char *name) {
    for (const struct workload_table *t = workload_tables; t->title; t++)
        for (const struct workload_key *k = t->keys; k->option.name; k++)
            if (k->plain && strcmp(k->option.name, name) == 0)
                return true;
    return false;
}

/* `path` NULL: memory ran out. */
static void add(struct given_list *list, const char *path, size_t assignment) {
    struct workload_given_key given = {path, assignment};
    list->lost |= !path || !ct_vec_push(list->given, given);
}

/* The members of an object of the file, "" or at `place`; those of its objects "arrivals" and
 * "synthetic", too. */
static void list_members(struct given_list *list, const json_t *object, const char *place) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        bool nested = strcmp(key, "arrivals") == 0 || strcmp(key, "synthetic") == 0;
        const char *path = ct_arena_format(list->arena, "%s%s%s", place, *place ? "." : "", key);
        if (nested && path)
            list_members(list, value, path);
        else if (nested || !is_plain(key))
            add(list, path, WORKLOAD_OF_FILE);
    }
}

static void list_file(struct given_list *list, const json_t *root) {
    static const char *const objects[] = {"gpu", "policy", "defaults"};
    size_t index;
    json_t *app;
    list_members(list, root, "");
    for (size_t i = 0; i < CT_COUNT_OF(objects); i++)
        list_members(list, json_object_get(root, objects[i]), objects[i]);
    json_array_foreach(json_object_get(root, "apps"), index, app) {
        const char *name = json_string_value(json_object_get(app, "name"));
        const char *place = name ? ct_arena_format(list->arena, "apps.%s", name) : NULL;
        list->lost |= name && !place;
        if (place)
            list_members(list, app, place);
    }
}

static void list_assignments(struct given_list *list, const char *const *assignments,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *path =
            ct_arena_strndup(list->arena, assignments[i], strcspn(assignments[i], "="));
        const char *dot = path ? strrchr(path, '.') : NULL;
        if (!path || !is_plain(dot ? dot + 1 : path))
            add(list, path, i);
    }
}

int workload_given_read(const struct workload_source *source, struct ct_arena *arena,
                        struct workload_given *given, struct ct_diags *diags) {
    int status;
    struct given_list list = {given, arena, false};
    *given = (struct workload_given){0};
    json_t *root = json_place_load(source->path, source->text, &status, diags);
    if (!root)
        return status;
    list_file(&list, root);
    list_assignments(&list, source->assignments, source->assignment_count);
    json_decref(root);
    return list.lost ? ct_out_of_memory(diags) : CT_OK;
}

static void remove_path(json_t *root, const char *path) {
    char text[400], *step = text;
    snprintf(text, sizeof text, "%s", path);
    json_t *object = root;
    size_t index;
    for (char *dot; object && (dot = strchr(step, '.')) != NULL; step = dot + 1) {
        *dot = '\0';
        object = json_is_array(object) ? json_place_find(object, "name", step, &index)
                                       : json_object_get(object, step);
    }
    json_object_del(object, step);
}

/* A document as JSON text, to be freed. NULL: memory ran out, which jansson may answer with a text
 * that lacks characters. */
static char *dump(const json_t *root) {
    char *text = json_dumps(root, 0);
    json_t *again = text ? json_place_parse(text, 0) : NULL;
    bool whole = again && json_equal(again, root);
    json_decref(again);
    if (whole)
        return text;
    free(text);
    return NULL;
}

int workload_given_without(const struct workload_source *source,
                           const struct workload_given_key *key, struct workload *workload,
                           struct ct_diags *diags) {
    int status;
    json_t *root = json_place_load(source->path, source->text, &status, diags);
    const char **kept = calloc(source->assignment_count + 1, sizeof *kept);
    struct workload_source without = *source;
    without.assignments = kept;
    without.assignment_count = 0;
    *workload = (struct workload){0};
    for (size_t i = 0; kept && i < source->assignment_count; i++)
        if (i != key->assignment)
            kept[without.assignment_count++] = source->assignments[i];
    if (root && key->assignment == WORKLOAD_OF_FILE)
        remove_path(root, key->path);
    char *document = root ? dump(root) : NULL;
    without.text = document;
    if (root && document && kept)
        status = workload_read(&without, workload, diags);
    else if (root)
        status = ct_out_of_memory(diags);
    json_decref(root);
    free(document);
    free(kept);
    return status;
}
