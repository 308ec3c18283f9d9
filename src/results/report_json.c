#include "results/report_json.h"

#include "format/json_place.h"
#include "results/report_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_field(struct json_writer *json, const char *key, const struct report_field *field,
                        const void *record) {
    struct value value = report_field_value(field, record, 0);
    if (field->kind == REPORT_FIELD_INTERVAL)
        json_writer_array(json, key, value, report_field_double(field, record, 1));
    else
        json_writer_members(json, key, value);
}

/* Neighbours whose paths share the part before the dot become one nested object. */
static void write_fields(struct json_writer *json, const struct report_field *fields,
                         const void *record) {
    const char *group = NULL;
    size_t length = 0;
    for (const struct report_field *field = fields; field->path; field++) {
        if (report_field_is_left_out(fields, field, record))
            continue;
        const char *dot = strchr(field->path, '.');
        bool same = group && dot && (size_t)(dot - field->path) == length &&
                    strncmp(group, field->path, length) == 0;
        if (group && !same)
            json_writer_end_object(json);
        if (dot && !same) {
            char name[REPORT_FIELD_NAME];
            length = (size_t)(dot - field->path);
            snprintf(name, sizeof name, "%.*s", (int)length, field->path);
            json_writer_begin_object(json, name);
        }
        group = dot ? field->path : NULL;
        write_field(json, dot ? dot + 1 : field->path, field, record);
    }
    if (group)
        json_writer_end_object(json);
}

static void write_causes(struct json_writer *json, const char *key, const double *ms) {
    json_writer_begin_object(json, key);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        json_writer_double(json, ct_blame_key(cause), ms[cause]);
    json_writer_end_object(json);
}

static void write_delays(struct json_writer *json, const char *key, const struct report_delay *by,
                         size_t count) {
    json_writer_begin_object(json, key);
    for (size_t i = 0; i < count; i++)
        json_writer_double(json, by[i].app ? by[i].app : "", by[i].ms);
    json_writer_end_object(json);
}

static void write_sharing(struct json_writer *json, const struct report_sharing *sharing) {
    if (isnan(sharing->alone_ms)) {
        json_writer_null(json, "sharing_ms_p99");
        return;
    }
    json_writer_begin_object(json, "sharing_ms_p99");
    json_writer_double(json, REPORT_ALONE, sharing->alone_ms);
    write_causes(json, "cause", sharing->cause_ms);
    write_delays(json, "by", sharing->by, sharing->by_count);
    json_writer_end_object(json);
}

static void write_app(struct json_writer *json, const struct report_app *app) {
    json_writer_begin_object(json, NULL);
    write_fields(json, report_of_app->fields, app);
    write_causes(json, "blame_ms_p99", app->blame_ms_p99);
    write_delays(json, "delayed_by", app->delayed_by, app->delayed_by_count);
    write_sharing(json, &app->sharing);
    if (report_has_server(app)) {
        json_writer_begin_object(json, "batch_sizes");
        for (size_t i = 0; i < app->batches_count; i++) {
            char size[24];
            snprintf(size, sizeof size, "%" PRId64, app->batches[i].size);
            json_writer_integer(json, size, app->batches[i].count);
        }
        json_writer_end_object(json);
    }
    json_writer_end_object(json);
}

static void write_lists(struct json_writer *json, const struct report *report) {
    json_writer_begin_object(json, "device");
    for (size_t i = 0; i < report->device_count; i++)
        json_writer_string(json, report->device[i].key, report->device[i].value);
    json_writer_end_object(json);
    json_writer_begin_object(json, "policy_counters");
    for (size_t i = 0; i < report->policy_counter_count; i++)
        json_writer_double(json, report->policy_counters[i].key, report->policy_counters[i].value);
    json_writer_end_object(json);
    json_writer_strings(json, "notices", report->notices, report->notice_count);
}

static void write_point(struct json_writer *json, const struct report_point *point) {
    json_writer_integer(json, "point", (int64_t)point->number);
    json_writer_begin_object(json, "values");
    for (size_t i = 0; i < point->value_count; i++) {
        const struct report_setting *value = &point->values[i];
        char *end;
        double number = strtod(value->value, &end);
        if (end > value->value && !*end)
            json_writer_double(json, value->key, number);
        else
            json_writer_string(json, value->key, value->value);
    }
    json_writer_end_object(json);
}

/* The text may come from a store that somebody has changed. */
static void write_config(struct json_writer *json, const char *config) {
    json_t *value = config ? json_place_parse(config, 0) : NULL;
    json_writer_json(json, "config", value ? config : NULL);
    json_decref(value);
}

void report_json_report(struct json_writer *json, const struct report *report,
                        const struct report_point *point) {
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "schema", REPORT_SCHEMA);
    if (point)
        write_point(json, point);
    write_fields(json, report_head->fields, report);
    json_writer_begin_array(json, "apps");
    for (size_t i = 0; i < report->app_count; i++)
        write_app(json, &report->apps[i]);
    json_writer_end_array(json);
    for (const struct report_level *level = report_sections; level->fields; level++) {
        json_writer_begin_object(json, level->name);
        write_fields(json, level->fields, report);
        json_writer_end_object(json);
    }
    write_lists(json, report);
    if (!point && !json->in_page) /* a page has it once, and shown as a text */
        write_config(json, report->config);
    json_writer_end_object(json);
}

int report_write_json(const struct report *reports, size_t count, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    if (count == 1) {
        report_json_report(&json, reports, NULL);
    } else {
        json_writer_begin_array(&json, NULL);
        for (size_t i = 0; i < count; i++)
            report_json_report(&json, &reports[i], NULL);
        json_writer_end_array(&json);
    }
    return ferror(out) ? CT_DATA : CT_OK;
}

void report_json_difference(struct json_writer *json, const struct report_difference *d,
                            const struct report_point *point) {
    json_writer_begin_object(json, NULL);
    if (point)
        json_writer_integer(json, "point", (int64_t)point->number);
    write_fields(json, report_of_difference->fields, d);
    json_writer_end_object(json);
}

int report_write_comparison_json(const struct report_comparison *comparison, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "schema", REPORT_COMPARISON_SCHEMA);
    json_writer_begin_array(&json, "reports");
    for (size_t i = 0; i < comparison->report_count; i++)
        report_json_report(&json, &comparison->reports[i], NULL);
    json_writer_end_array(&json);
    json_writer_begin_array(&json, "comparisons");
    for (size_t i = 0; i < comparison->difference_count; i++)
        report_json_difference(&json, &comparison->differences[i], NULL);
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    return ferror(out) ? CT_DATA : CT_OK;
}
