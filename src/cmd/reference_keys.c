/* The keys of a workload file, as a page and as a JSON Schema. */
#include "base/ct_quantity.h"
#include "base/ct_text.h"
#include "cmd/reference.h"
#include "format/json_writer.h"
#include "workload/workload_keys.h"

#include <stdlib.h>
#include <string.h>

/* ---- the page ---- */

static void print_range(FILE *out, const struct workload_key *key) {
    const struct ct_option *o = &key->option;
    static const char *const forms[] = {[WORKLOAD_OBJECT] = "object",
                                        [WORKLOAD_LIST] = "array of objects",
                                        [WORKLOAD_CHOICES] = "array of names or objects",
                                        [WORKLOAD_ARRAY] = "array",
                                        [WORKLOAD_NAMED] = "name or object"};
    if (forms[key->shape]) {
        fputs(forms[key->shape], out);
    } else if (o->kind == CT_OPTION_CHOICE) {
        for (size_t i = 0; o->choices[i]; i++)
            fprintf(out, "%s`%s`", i ? ", " : "", o->choices[i]);
    } else if (o->kind == CT_OPTION_STRING) {
        fputs("text", out);
    } else if (o->kind == CT_OPTION_BOOL) {
        fputs("`true`, `false`", out);
    } else {
        char least[40], most[40];
        ct_text_double(least, sizeof least, o->least);
        ct_text_double(most, sizeof most, o->most);
        fprintf(out, "%s to %s%s%s", least, most, o->kind == CT_OPTION_INT ? ", whole" : "",
                key->shape == WORKLOAD_DRAW     ? ", or a distribution"
                : key->shape == WORKLOAD_COUNTS ? ", or an array"
                                                : "");
    }
}

static void print_kinds(FILE *out, uint32_t kinds, const char *const *names) {
    bool first = true;
    for (size_t i = 0; names[i]; i++) {
        if (!(kinds & WORKLOAD_KIND(i)))
            continue;
        fprintf(out, "%s`%s`", first ? "" : ", ", names[i]);
        first = false;
    }
}

static void print_default(FILE *out, const struct workload_key *key,
                          const char *const *kind_names) {
    const struct ct_option *o = &key->option;
    if (key->needed) {
        fputs("needed", out);
        return;
    }
    if (key->needed_by) {
        fputs("needed by ", out);
        print_kinds(out, key->needed_by, kind_names);
        fputs(key->absent ? "; " : "", out);
    }
    if (o->standard)
        fprintf(out, "`%s`", o->standard);
    else if (key->absent)
        fputs(key->absent, out);
}

static void print_key(FILE *out, const struct workload_key *key, const char *const *kind_names) {
    fprintf(out, "| `%s` | %s", key->option.name, key->option.help);
    if (key->used_by) {
        fputs(" (", out);
        print_kinds(out, key->used_by, kind_names);
        fputs(")", out);
    }
    fprintf(out, " | %s | ", *key->option.unit ? key->option.unit : "-");
    print_range(out, key);
    fputs(" | ", out);
    print_default(out, key, kind_names);
    fputs(" |\n", out);
}

static void print_tables(FILE *out) {
    for (const struct workload_table *t = workload_tables; t->title; t++) {
        const char *const *kinds =
            t->keys == workload_draw_keys ? workload_distributions : workload_processes;
        fprintf(out,
                "\n## %s\n\n%s\n\n| key | what | unit | range | default |\n|---|---|---|---|---|\n",
                t->title, t->about);
        for (const struct workload_key *k = t->keys; k->option.name; k++)
            print_key(out, k, kinds);
    }
}

void reference_keys_markdown(FILE *out) {
    static const struct reference_part parts[] = {{"tables", .print = print_tables}, {0}};
    reference_fill(out, &reference_template_keys, parts);
}

/* ---- the schema ---- */

static void schema_key(struct json_writer *json, const struct workload_key *key);

/* The members of an object that a table describes. `open`: others, which are scalars, may stand
 * beside them. */
static void schema_object(struct json_writer *json, const struct workload_key *keys, bool needs,
                          bool open) {
    json_writer_string(json, "type", "object");
    json_writer_begin_object(json, "properties");
    for (const struct workload_key *k = keys; k->option.name; k++) {
        json_writer_begin_object(json, k->option.name);
        schema_key(json, k);
        json_writer_end_object(json);
    }
    json_writer_end_object(json);
    json_writer_begin_array(json, "required");
    for (const struct workload_key *k = keys; needs && k->option.name; k++)
        if (k->needed)
            json_writer_string(json, NULL, k->option.name);
    json_writer_end_array(json);
    if (!open) {
        json_writer_bool(json, "additionalProperties", false);
        return;
    }
    json_writer_begin_object(json, "additionalProperties");
    json_writer_array(json, "type", "number", "string", "boolean");
    json_writer_end_object(json);
}

static void schema_standard(struct json_writer *json, const struct ct_option *o) {
    if (o->kind == CT_OPTION_INT)
        json_writer_integer(json, "default", strtoll(o->standard, NULL, 10));
    else if (o->kind == CT_OPTION_DOUBLE)
        json_writer_double(json, "default", strtod(o->standard, NULL));
    else
        json_writer_string(json, "default", o->standard);
}

/* A number, or a text that says its unit; false where there is none to say. */
static bool schema_quantity(struct json_writer *json, const struct ct_option *o, const char *type) {
    char names[80], pattern[128];
    ct_quantity_names(o->unit, names, sizeof names);
    if (!*names || (o->kind == CT_OPTION_INT && !*o->unit))
        return false;
    snprintf(pattern, sizeof pattern, "^[-+.0-9eE]+ *(%s)$", names);
    json_writer_array(json, "type", type, "string");
    json_writer_string(json, "pattern", pattern);
    return true;
}

static void schema_scalar(struct json_writer *json, const struct ct_option *o) {
    static const char *const types[] = {
        [CT_OPTION_BOOL] = "boolean",  [CT_OPTION_INT] = "integer",   [CT_OPTION_DOUBLE] = "number",
        [CT_OPTION_CHOICE] = "string", [CT_OPTION_STRING] = "string", [CT_OPTION_FILE] = "string",
        [CT_OPTION_BY_APP] = "string"};
    bool number = o->kind == CT_OPTION_INT || o->kind == CT_OPTION_DOUBLE;
    if (!number || !schema_quantity(json, o, types[o->kind]))
        json_writer_string(json, "type", types[o->kind]);
    if (number)
        json_writer_members(json, "minimum", o->least, "maximum", o->most);
    if (o->kind == CT_OPTION_CHOICE) {
        size_t count = 0;
        while (o->choices[count])
            count++;
        json_writer_strings(json, "enum", o->choices, count);
    }
}

/* A short form (a name, a number), or a long one: what is written until the end. */
static void begin_either(struct json_writer *json, const struct ct_option *brief) {
    json_writer_begin_array(json, "anyOf");
    json_writer_begin_object(json, NULL);
    schema_scalar(json, brief);
    json_writer_end_object(json);
    json_writer_begin_object(json, NULL);
}

static void end_either(struct json_writer *json) {
    json_writer_end_object(json);
    json_writer_end_array(json);
}

static void schema_either(struct json_writer *json, const struct ct_option *brief,
                          const struct workload_key *members, bool open) {
    begin_either(json, brief);
    schema_object(json, members, true, open);
    end_either(json);
}

static void schema_list(struct json_writer *json, const struct workload_key *key) {
    json_writer_members(json, "type", "array", "minItems", 1);
    json_writer_begin_object(json, "items");
    if (key->shape == WORKLOAD_LIST)
        /* What an application needs may come from `defaults`. */
        schema_object(json, key->members, key->members != workload_app_keys, false);
    else if (key->shape == WORKLOAD_ARRAY)
        schema_scalar(json, &key->option);
    else
        schema_either(json, &key->option, key->members, false);
    json_writer_end_object(json);
}

static void schema_counts(struct json_writer *json, const struct ct_option *o) {
    begin_either(json, o);
    json_writer_string(json, "type", "array");
    json_writer_begin_object(json, "items");
    schema_scalar(json, o);
    json_writer_end_object(json);
    end_either(json);
}

static void schema_key(struct json_writer *json, const struct workload_key *key) {
    const struct ct_option *o = &key->option;
    char text[256];
    snprintf(text, sizeof text, "%s%s%s%s", o->help, *o->unit ? " [" : "", o->unit,
             *o->unit ? "]" : "");
    json_writer_string(json, "description", text);
    if (o->standard)
        schema_standard(json, o);
    if (key->shape == WORKLOAD_LIST || key->shape == WORKLOAD_CHOICES ||
        key->shape == WORKLOAD_ARRAY)
        schema_list(json, key);
    else if (key->shape == WORKLOAD_DRAW)
        schema_either(json, o, workload_draw_keys, false);
    else if (key->shape == WORKLOAD_COUNTS)
        schema_counts(json, o);
    else if (key->shape == WORKLOAD_NAMED)
        schema_either(json, o, key->members, true);
    else if (key->shape == WORKLOAD_OBJECT)
        schema_object(json, key->members, key->members != workload_app_keys, false);
    else
        schema_scalar(json, o);
}

void reference_keys_schema(FILE *out) {
    struct json_writer json = json_writer_start(out, 1);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "$schema", "http://json-schema.org/draft-07/schema#", "title",
                        "Workload file of cotenant");
    schema_object(&json, workload_keys, true, false);
    json_writer_end_object(&json);
}
