/*
 * The JSON Schema that ships for editors says what the reader says: a small validator (the words
 * that our schema uses, JSON Schema draft 7) against the reader, on the shipped workloads and on
 * one wrong document after another.
 */
#include "cmocka_complete.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

FREER(json_decref, json_t)

static bool valid(const json_t *schema, const json_t *value);

static bool is_type(const char *type, const json_t *value) {
    if (strcmp(type, "object") == 0)
        return json_is_object(value);
    if (strcmp(type, "array") == 0)
        return json_is_array(value);
    if (strcmp(type, "string") == 0)
        return json_is_string(value);
    if (strcmp(type, "boolean") == 0)
        return json_is_boolean(value);
    if (strcmp(type, "integer") == 0)
        return json_is_number(value) &&
               json_number_value(value) == nearbyint(json_number_value(value));
    assert_string_equal(type, "number");
    return json_is_number(value);
}

static bool type_fits(const json_t *type, const json_t *value) {
    size_t index;
    json_t *one;
    if (!type || json_is_string(type))
        return !type || is_type(json_string_value(type), value);
    json_array_foreach((json_t *)type, index, one) {
        if (is_type(json_string_value(one), value))
            return true;
    }
    return false;
}

static bool number_fits(const json_t *schema, const json_t *value) {
    const json_t *least = json_object_get(schema, "minimum"),
                 *most = json_object_get(schema, "maximum");
    double number = json_number_value(value);
    return !json_is_number(value) || ((!least || number >= json_number_value(least)) &&
                                      (!most || number <= json_number_value(most)));
}

static bool is_one_of(const json_t *list, const json_t *value) {
    size_t index;
    json_t *one;
    json_array_foreach((json_t *)list, index, one) {
        if (json_equal(one, value))
            return true;
    }
    return !list;
}

static bool any_fits(const json_t *schemas, const json_t *value) {
    size_t index;
    json_t *one;
    json_array_foreach((json_t *)schemas, index, one) {
        if (valid(one, value))
            return true;
    }
    return !schemas;
}

static bool object_fits(const json_t *schema, const json_t *value) {
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const char *key;
    size_t index;
    json_t *member, *needed;
    if (!json_is_object(value))
        return true;
    json_array_foreach(json_object_get(schema, "required"), index, needed) {
        if (!json_object_get(value, json_string_value(needed)))
            return false;
    }
    json_object_foreach((json_t *)value, key, member) {
        const json_t *own = json_object_get(properties, key);
        if (own ? !valid(own, member) : json_is_false(others) || (others && !valid(others, member)))
            return false;
    }
    return true;
}

static bool array_fits(const json_t *schema, const json_t *value) {
    const json_t *items = json_object_get(schema, "items"),
                 *least = json_object_get(schema, "minItems");
    size_t index;
    json_t *one;
    if (json_is_array(value) && least &&
        (json_int_t)json_array_size(value) < json_integer_value(least))
        return false;
    json_array_foreach((json_t *)value, index, one) {
        if (items && !valid(items, one))
            return false;
    }
    return true;
}

static bool valid(const json_t *schema, const json_t *value) {
    return type_fits(json_object_get(schema, "type"), value) && number_fits(schema, value) &&
           is_one_of(json_object_get(schema, "enum"), value) &&
           any_fits(json_object_get(schema, "anyOf"), value) && object_fits(schema, value) &&
           array_fits(schema, value);
}

static json_t *load_schema(void) {
    json_t *schema =
        json_load_file(COTENANT_SOURCE_DIR "/docs/schema/workload.schema.json", 0, NULL);
    assert_non_null(schema);
    return schema;
}

static bool reader_accepts(const char *path) {
    struct workload workload;
    struct ct_diags diags = {0};
    int status = workload_read(&(struct workload_source){.path = path}, &workload, &diags);
    workload_free(&workload);
    ct_diags_free(&diags);
    return status == CT_OK;
}

TEST(shipped_workloads_fit) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    FREED_BY(json_decref) json_t *schema = load_schema();
    setenv("COTENANT_SHARE", COTENANT_SOURCE_DIR, 1);
    assert_int_equal(share_list(&arena, "workloads", ".json", &names, &count), CT_OK);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const char *path = share_find(&arena, NULL, "workloads", names[i], NULL);
        FREED_BY(json_decref) json_t *document = path ? json_load_file(path, 0, NULL) : NULL;
        if (!document || !valid(schema, document) || !reader_accepts(path))
            fail_msg("workload '%s' does not fit", names[i]);
    }
    unsetenv("COTENANT_SHARE");
}

#define APP(more)                                                                                  \
    "{\"gpu\": \"h100\", \"apps\": [{\"name\": \"a\", \"synthetic\": {\"duration_ms\": 1}" more    \
    "}]}"
#define TOP(more)                                                                                  \
    "{\"gpu\": \"h100\"" more                                                                      \
    ", \"apps\": [{\"name\": \"a\", \"synthetic\": {\"duration_ms\": 1}}]}"
#define OPEN(more) APP(", \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 1" more "}")

static const struct {
    const char *text;
    bool good;
} documents[] = {
    {APP(""), true},
    {APP(", \"instances\": 1024"), true},
    {APP(", \"instances\": 1025"), false},
    {APP(", \"instances\": 1.5"), false},
    {APP(", \"instances\": \"2\""), false},
    {APP(", \"role\": \"batch\""), true},
    {APP(", \"role\": \"btach\""), false},
    {APP(", \"nothing\": 1"), false},
    {APP(", \"size\": 2"), true},
    {APP(", \"size\": 0"), false},
    {APP(", \"size\": {\"dist\": \"lognormal\", \"mean\": 2, \"cv\": 1}"), true},
    {APP(", \"size\": {\"dist\": \"lognormal\", \"cv\": 1}"), false},
    {APP(", \"size\": {\"dist\": \"normal\", \"mean\": 1}"), false},
    {APP(", \"size\": {\"mean\": 1, \"median\": 1}"), false},
    {APP(", \"qos_ms\": -1"), false},
    {APP(", \"stop\": \"first-run\""), true},
    {APP(", \"arrivals\": {}"), false},
    {APP(", \"arrivals\": \"closed\""), false},
    {APP(", \"jobs\": []"), false},
    {OPEN(""), true},
    {OPEN(", \"burst\": 1"), false},
    {TOP(", \"seed\": 7"), true},
    {TOP(", \"seed\": -7"), false},
    {TOP(", \"policy\": \"mps\""), true},
    {TOP(", \"policy\": {\"name\": \"mps\", \"any\": 1}"), true},
    {TOP(", \"policy\": {\"name\": \"mps\", \"any\": [1]}"), false},
    {TOP(", \"policy\": 7"), false},
    {TOP(", \"defaults\": {\"priority\": 2}"), true},
    {TOP(", \"defaults\": {\"priorty\": 2}"), false},
    {TOP(", \"defaults\": []"), false},
    {TOP(", \"fidelity\": \"exact\""), false},
    {"{\"gpu\": {\"base\": \"h100\", \"sms\": 4}, \"apps\": [{\"name\": \"a\", \"synthetic\": "
     "{\"duration_ms\": 1}}]}",
     true},
    {"{\"gpu\": {\"sms\": 4}, \"apps\": [{\"name\": \"a\", \"synthetic\": {\"duration_ms\": 1}}]}",
     false},
    {"{\"apps\": [{\"name\": \"a\", \"synthetic\": {\"duration_ms\": 1}}]}", false},
    {"{\"gpu\": \"h100\"}", false},
    {"{\"gpu\": \"h100\", \"apps\": []}", false},
    {"{\"gpu\": \"h100\", \"apps\": [{\"name\": \"a\", \"synthetic\": {}}]}", false},
    {"{\"gpu\": \"h100\", \"apps\": [3]}", false},
};

TEST(schema_and_reader_agree) {
    char path[] = "/tmp/cotenant_schema_XXXXXX";
    int number = mkstemp(path);
    assert_true(number >= 0);
    close(number);
    FREED_BY(json_decref) json_t *schema = load_schema();
    for (size_t i = 0; i < CT_COUNT_OF(documents); i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(documents[i].text, file);
        fclose(file);
        FREED_BY(json_decref) json_t *document = json_loads(documents[i].text, 0, NULL);
        assert_non_null(document);
        if (valid(schema, document) != documents[i].good)
            fail_msg("the schema errs on %s", documents[i].text);
        if (reader_accepts(path) != documents[i].good)
            fail_msg("the reader errs on %s", documents[i].text);
    }
    unlink(path);
}
