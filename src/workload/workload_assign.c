#include "workload/workload_reader.h"

#include "base/ct_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 200, MOST_STEPS = 8 };

/* An assignment taken apart: "apps.bfs.size.mean=2". */
struct assignment {
    const char *whole;
    char where[LONGEST_PATH + 8]; /* "--set apps.bfs.size.mean" */
    char text[LONGEST_PATH + 1];  /* the steps, each ended */
    const char *steps[MOST_STEPS];
    size_t step_count;
    const char *value;
};

/* A mistake of the assignment, or of memory that ran out; NULL. */
static json_t *reject(struct workload_reader *reader, const struct assignment *a, const char *what,
                      const char *subject) {
    if (errno == ENOMEM) /* jansson does not tell why it made nothing */
        json_place_no_memory(&reader->place);
    else
        json_place_fail(&reader->place,
                        ct_usage_error(reader->place.diags, a->where, "'%s' %s", subject, what));
    return NULL;
}

static bool split(struct workload_reader *reader, const char *whole, struct assignment *a) {
    const char *equals = strchr(whole, '=');
    size_t length = equals ? (size_t)(equals - whole) : 0;
    *a = (struct assignment){.whole = whole, .where = "--set"};
    json_t *text = json_pack("s", whole); /* JSON holds nothing but UTF-8 */
    json_decref(text);
    if (!text)
        return reject(reader, a, "is not UTF-8", "the assignment");
    if (!equals || length == 0 || length > LONGEST_PATH)
        return reject(reader, a, "is not KEY=VALUE", whole);
    snprintf(a->where, sizeof a->where, "--set %.*s", (int)length, whole);
    memcpy(a->text, whole, length);
    a->value = equals + 1;
    for (char *step = a->text; step;) {
        char *dot = strchr(step, '.');
        if (dot)
            *dot++ = '\0';
        if (!*step || a->step_count == MOST_STEPS)
            return reject(reader, a, "has an empty step or too many of them", whole);
        a->steps[a->step_count++] = step;
        step = dot;
    }
    return true;
}

/* The value of an assignment: JSON if it is JSON, else a text. NULL: memory ran out. */
static json_t *parse_value(const char *text) {
    json_t *value = json_place_parse(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES);
    return value || errno == ENOMEM ? value : json_pack("s", text);
}

/* Where a short form stands (a preset's name, a mean), the object that it is short for. */
static json_t *widen(const char *key, json_t *short_form) {
    const char *member = strcmp(key, "gpu") == 0      ? "base"
                         : strcmp(key, "policy") == 0 ? "name"
                         : json_is_number(short_form) ? "mean"
                                                      : NULL;
    if (!short_form)
        return json_object();
    return member ? json_pack("{s:O}", member, short_form) : NULL;
}

/* The object at a step, which is entered, made where there is none: what is wrong with it is then
 * the assignment's mistake. NULL after an error. */
static json_t *descend(struct workload_reader *reader, const struct assignment *a, json_t *parent,
                       const char *key) {
    json_t *child = json_object_get(parent, key);
    if (!child)
        json_place_alias(&reader->place, key, a->where);
    json_place_enter(&reader->place, key);
    if (json_is_object(child))
        return child;
    json_t *wide = widen(key, child);
    if (!wide)
        reject(reader, a, "holds no keys", key);
    else if (json_object_set_new(parent, key, wide) != 0)
        json_place_no_memory(&reader->place);
    return json_object_get(parent, key) == wide ? wide : NULL;
}

/* The element of the list `kernels` of an application with this pattern, which is entered, made
 * where there is none. NULL after an error. */
static json_t *find_kernels(struct workload_reader *reader, const struct assignment *a, json_t *app,
                            const char *pattern) {
    json_t *list = json_object_get(app, "kernels"), *said;
    size_t index;
    if (list && !json_is_array(list))
        return reject(reader, a, "is not an array", "kernels");
    if (!list && json_object_set_new(app, "kernels", list = json_array()) != 0)
        list = NULL;
    said = json_place_find(list, "match", pattern, &index);
    json_place_enter(&reader->place, "kernels");
    json_place_enter_index(&reader->place, said ? index : json_array_size(list));
    if (said)
        return said;
    said = json_pack("{s:s}", "match", pattern);
    json_place_alias(&reader->place, "match", a->where);
    if (json_array_append_new(list, said) == 0)
        return said;
    json_place_no_memory(&reader->place);
    return NULL;
}

static json_t *find_app(struct workload_reader *reader, const struct assignment *a, json_t *root,
                        const char *name) {
    const char *names[256];
    size_t index, count = 0;
    json_t *apps = json_object_get(root, "apps"),
           *app = json_place_find(apps, "name", name, &index);
    if (app) {
        json_place_enter_index(&reader->place, index);
        return app;
    }
    json_array_foreach(apps, index, app) {
        const char *known = json_string_value(json_object_get(app, "name"));
        if (known && count < CT_COUNT_OF(names))
            names[count++] = known;
    }
    char hint[CT_HINT_BYTES];
    ct_error(reader->place.diags, a->where, "no application is called '%s'%s", name,
             ct_text_hint_or_all(hint, name, names, count));
    json_place_fail(&reader->place, CT_USAGE);
    return NULL;
}

static bool is_top_level(const struct workload_reader *reader, const char *key) {
    return workload_key_find(workload_keys, key, strlen(key)) ||
           workload_key_find(reader->also, key, strlen(key));
}

/* The object in which the last step is set, the place entered; NULL after an error. */
static json_t *walk(struct workload_reader *reader, const struct assignment *a, json_t *root) {
    size_t step = 0;
    json_t *object = root;
    if (a->step_count == 1 &&
        !is_top_level(reader, a->steps[0])) /* bare: an option of the policy */
        return descend(reader, a, root, "policy");
    if (strcmp(a->steps[0], "apps") == 0) {
        if (a->step_count < 3)
            return reject(reader, a, "lacks a key: apps.NAME.KEY=VALUE", a->whole);
        json_place_enter(&reader->place, "apps");
        object = find_app(reader, a, root, a->steps[1]);
        step = 2;
    } else if (strcmp(a->steps[0], "defaults") == 0 && a->step_count < 2)
        return reject(reader, a, "lacks a key: defaults.KEY=VALUE", a->whole);
    else if (!is_top_level(reader, a->steps[0]))
        return reject(reader, a, "is none of apps, defaults, gpu, policy", a->steps[0]);
    for (; object && step + 1 < a->step_count; step++)
        if (strcmp(a->steps[step], "kernels") == 0 && step + 2 < a->step_count)
            object = find_kernels(reader, a, object, a->steps[++step]);
        else
            object = descend(reader, a, object, a->steps[step]);
    return object;
}

void workload_assign(struct workload_reader *reader, json_t *root, const char *assignment,
                     bool defaults) {
    struct assignment a;
    errno = 0;
    if ((strncmp(assignment, "defaults.", 9) == 0) != defaults || !split(reader, assignment, &a))
        return;
    json_t *object = walk(reader, &a, root);
    const char *key = a.steps[a.step_count - 1];
    if (object && json_object_set_new(object, key, parse_value(a.value)) != 0)
        json_place_no_memory(&reader->place);
    if (object)
        json_place_alias(&reader->place, key, a.where);
    json_place_leave(&reader->place, 0);
}
