#include "workload/workload_write.h"

#include "base/ct_option_value.h"
#include "workload/workload_keys.h"

/* A key that was not given and has no default has a value out of its range. */
static bool is_absent(const struct ct_option *option, const void *member) {
    if (option->kind == CT_OPTION_STRING)
        return *(const char *const *)member == NULL;
    if (option->standard || (option->kind != CT_OPTION_DOUBLE && option->kind != CT_OPTION_INT))
        return false;
    double number = option->kind == CT_OPTION_DOUBLE ? *(const double *)member
                                                     : (double)*(const int64_t *)member;
    return !(number >= option->least && number <= option->most);
}

/* A draw that was not given, where none has to be. */
static bool is_no_draw(const struct workload_key *key, const struct workload_draw *draw) {
    return !key->needed && !key->option.standard && workload_draw_is(draw, 0);
}

static void write_scalar(struct json_writer *json, const struct ct_option *option,
                         const void *object) {
    const void *member = (const char *)object + option->offset;
    char text[64];
    switch (option->kind) {
    case CT_OPTION_DOUBLE:
        json_writer_double(json, option->name, *(const double *)member);
        break;
    case CT_OPTION_INT:
        json_writer_integer(json, option->name, *(const int64_t *)member);
        break;
    case CT_OPTION_BOOL:
        json_writer_bool(json, option->name, *(const bool *)member);
        break;
    case CT_OPTION_STRING:
    case CT_OPTION_FILE:
        json_writer_string(json, option->name, *(const char *const *)member);
        break;
    case CT_OPTION_CHOICE:
        ct_option_print(option, object, text, sizeof text);
        json_writer_string(json, option->name, text);
        break;
    }
}

void workload_write_options(struct json_writer *json, const struct ct_option *table,
                            const void *object) {
    for (; table && table->name; table++)
        write_scalar(json, table, object);
}

/* The scalars and draws of a table, if this kind (arrival process, distribution) reads them. */
static void write_table(struct json_writer *json, const struct workload_key *keys,
                        const void *object, int kind, enum workload_form form);

static void write_object(struct json_writer *json, const char *key, const struct workload_key *keys,
                         const void *object, int kind, enum workload_form form) {
    json_writer_begin_object(json, key);
    write_table(json, keys, object, kind, form);
    json_writer_end_object(json);
}

/* A number that is always the same is written as such. */
static void write_draw(struct json_writer *json, const char *key, const struct workload_draw *draw,
                       enum workload_form form) {
    if (draw->kind == WORKLOAD_FIXED)
        json_writer_double(json, key, draw->mean);
    else
        write_object(json, key, workload_draw_keys, draw, draw->kind, form);
}

/* One number is written as such, none as 0. */
static void write_counts(struct json_writer *json, const char *key,
                         const struct workload_counts *counts) {
    if (counts->count < 2) {
        json_writer_integer(json, key, counts->count ? counts->values[0] : 0);
        return;
    }
    json_writer_begin_array(json, key);
    for (size_t i = 0; i < counts->count; i++)
        json_writer_integer(json, NULL, counts->values[i]);
    json_writer_end_array(json);
}

static void write_array(struct json_writer *json, const struct ct_option *option,
                        const struct workload_array *array) {
    if (!array->count)
        return;
    json_writer_begin_array(json, option->name);
    for (size_t i = 0; i < array->count; i++)
        if (option->kind == CT_OPTION_INT)
            json_writer_integer(json, NULL, array->numbers[i]);
        else
            json_writer_string(json, NULL, array->texts[i]);
    json_writer_end_array(json);
}

static void write_table(struct json_writer *json, const struct workload_key *keys,
                        const void *object, int kind, enum workload_form form) {
    for (const struct workload_key *k = keys; k->option.name; k++) {
        const void *member = (const char *)object + k->option.offset;
        if ((k->label && form == WORKLOAD_IDENTITY) ||
            (k->used_by && !(k->used_by & WORKLOAD_KIND(kind))))
            continue;
        if (k->shape == WORKLOAD_DRAW && !is_no_draw(k, member))
            write_draw(json, k->option.name, member, form);
        else if (k->shape == WORKLOAD_COUNTS)
            write_counts(json, k->option.name, member);
        else if (k->shape == WORKLOAD_ARRAY)
            write_array(json, &k->option, member);
        else if (k->shape == WORKLOAD_SCALAR &&
                 (form == WORKLOAD_IDENTITY || !is_absent(&k->option, member)))
            write_scalar(json, &k->option, object);
    }
}

void workload_write_run(struct json_writer *json, const struct workload *workload,
                        enum workload_form form) {
    write_table(json, workload_keys, workload, 0, form);
    if (workload->host.cores)
        write_object(json, "host", workload_host_keys, &workload->host, 0, form);
}

/* An array of objects of one table, of `count` records of `size` bytes; nothing where there is
 * none.
 */
static void write_list(struct json_writer *json, const char *key, const struct workload_key *keys,
                       const void *records, size_t count, size_t size, enum workload_form form) {
    if (!count)
        return;
    json_writer_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        write_object(json, NULL, keys, (const char *)records + i * size, 0, form);
    json_writer_end_array(json);
}

static void write_continuous(struct json_writer *json, const struct workload_continuous *continuous,
                             enum workload_form form) {
    const struct workload_steps *prefill = &continuous->prefill, *decode = &continuous->decode;
    json_writer_begin_object(json, "continuous");
    write_table(json, workload_continuous_keys, continuous, 0, form);
    write_list(json, "prefill", workload_prefill_keys, prefill->items, prefill->count,
               sizeof *prefill->items, form);
    write_list(json, "decode", workload_decode_keys, decode->items, decode->count,
               sizeof *decode->items, form);
    json_writer_end_object(json);
}

static void write_batches(struct json_writer *json, const struct workload_server *server,
                          enum workload_form form) {
    write_table(json, workload_server_keys, server, 0, form);
    write_list(json, "levels", workload_level_keys, server->levels, server->level_count,
               sizeof *server->levels, form);
    write_list(json, "batches", workload_batch_keys, server->batches, server->batch_count,
               sizeof *server->batches, form);
}

/* Beside `continuous` no key is allowed that says how batches are formed. */
static void write_server(struct json_writer *json, const struct workload_server *server,
                         enum workload_form form) {
    json_writer_begin_object(json, "server");
    if (!server->continuous)
        write_batches(json, server, form);
    else if (server->max_requests)
        json_writer_integer(json, "max_requests", server->max_requests);
    if (server->continuous)
        write_continuous(json, server->continuous, form);
    json_writer_end_object(json);
}

void workload_write_app(struct json_writer *json, const struct workload_app *app,
                        enum workload_form form) {
    write_table(json, workload_app_keys, app, 0, form);
    if (!app->trace)
        write_object(json, "synthetic", workload_synthetic_keys, &app->synthetic, 0, form);
    write_list(json, "jobs", workload_job_keys, app->jobs, app->job_count, sizeof *app->jobs, form);
    write_list(json, "kernels", workload_kernels_keys, app->kernels, app->kernels_count,
               sizeof *app->kernels, form);
    write_object(json, "arrivals", workload_arrivals_keys, &app->arrivals, app->arrivals.process,
                 form);
    if (app->server)
        write_server(json, app->server, form);
}
