#include "workload/workload_write.h"

#include "workload/workload_keys.h"

#include <stdlib.h>

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
    case CT_OPTION_BY_APP:
        json_writer_string(json, option->name, *(const char *const *)member);
        break;
    case CT_OPTION_CHOICE:
        json_writer_string(json, option->name, option->choices[*(const int32_t *)member]);
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

/* One number is written as such, none as 0. */
static void write_counts(struct json_writer *json, const struct ct_option *option,
                         const struct workload_array *counts) {
    if (counts->count < 2)
        json_writer_integer(json, option->name, counts->count ? counts->numbers[0] : 0);
    else
        write_array(json, option, counts);
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
            write_counts(json, &k->option, member);
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

static void write_steps(struct json_writer *json, const char *key, const struct workload_key *keys,
                        const struct workload_steps *steps, enum workload_form form) {
    write_list(json, key, keys, steps->items, steps->count, sizeof *steps->items, form);
}

static void write_continuous(struct json_writer *json, const struct workload_continuous *continuous,
                             enum workload_form form) {
    json_writer_begin_object(json, "continuous");
    write_table(json, workload_continuous_keys, continuous, 0, form);
    write_steps(json, "prefill", workload_prefill_keys, &continuous->prefill, form);
    write_steps(json, "decode", workload_decode_keys, &continuous->decode, form);
    json_writer_end_object(json);
}

static void write_batches(struct json_writer *json, const struct workload_server *server,
                          enum workload_form form) {
    write_table(json, workload_server_keys, server, 0, form);
    write_list(json, "levels", workload_level_keys, server->levels, server->level_count,
               sizeof *server->levels, form);
    write_steps(json, "batches", workload_batch_keys, &server->batches, form);
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

/* ---- Identities: hashes of what the tables of keys write, and of traces field by field; padding,
 * pointers and paths play no part ---- */

static void add_number(struct ct_hash *hash, double number) {
    if (isnan(number))
        ct_hash_string(hash, "unknown"); /* NANs differ in bits that mean nothing */
    else
        ct_hash_double(hash, number);
}

static void add_integers(struct ct_hash *hash, const int64_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        ct_hash_u64(hash, (uint64_t)numbers[i]);
}
#define ADD_INTEGERS(hash, ...)                                                                    \
    add_integers((hash), (const int64_t[]){__VA_ARGS__},                                           \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void add_numbers(struct ct_hash *hash, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        add_number(hash, numbers[i]);
}
#define ADD_NUMBERS(hash, ...)                                                                     \
    add_numbers((hash), (const double[]){__VA_ARGS__},                                             \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void add_kernel(struct ct_hash *hash, const struct trace_kernel *k) {
    const struct trace_metrics *m = &k->metrics;
    ct_hash_string(hash, k->name);
    ADD_INTEGERS(hash, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
                 k->registers_per_thread, k->static_smem_bytes, k->dynamic_smem_bytes,
                 k->communication, k->demand_provenance, k->geometry_provenance, k->curve_count);
    ADD_NUMBERS(hash, m->dram_bytes_per_s, m->dram_fraction, m->dram_read_share, m->row_hit_rate,
                m->l2_fraction, m->issue_slot_fraction, m->unit_fraction, m->fp32_fraction,
                m->fp64_fraction, m->sm_activity, m->achieved_occupancy, m->instructions,
                k->flops_per_s);
    for (uint32_t i = 0; i < k->curve_count; i++) {
        ADD_INTEGERS(hash, k->curve[i].share);
        ADD_NUMBERS(hash, k->curve[i].factor);
    }
}

static void add_task(struct ct_hash *hash, const struct trace_task *t) {
    ADD_INTEGERS(hash, t->kind, t->direction, t->memory, t->flags, t->kernel, t->stream,
                 t->waited_for, t->library_call, t->first_dependency, t->dependency_count,
                 (int64_t)t->bytes, t->duration_ps, t->start_ps, t->launch_begin_ps,
                 t->launch_end_ps, t->host_gap_ps);
}

static struct ct_hash trace_content(const struct trace_app *app) {
    struct ct_hash all = ct_hash_start(), *hash = &all;
    ct_hash_string(hash, app->gpu);
    ADD_INTEGERS(hash, app->resolution_ps, app->stream_count, app->launches_recorded,
                 (int64_t)app->kernels.count, (int64_t)app->tasks.count, (int64_t)app->jobs.count,
                 (int64_t)app->dependencies.count);
    for (size_t i = 0; i < app->kernels.count; i++)
        add_kernel(hash, &app->kernels.items[i]);
    for (size_t i = 0; i < app->tasks.count; i++)
        add_task(hash, &app->tasks.items[i]);
    for (size_t i = 0; i < app->jobs.count; i++) {
        const struct trace_job *job = &app->jobs.items[i];
        ct_hash_string(hash, job->name);
        ADD_INTEGERS(hash, job->first_task, job->task_count, (int64_t)job->input_bytes,
                     job->recorded_ps);
    }
    for (size_t i = 0; i < app->dependencies.count; i++)
        ct_hash_u64(hash, app->dependencies.items[i]);
    for (size_t i = 0; i < app->tasks.count; i++)
        if (app->tasks.items[i].lag_ps != 0)
            ADD_INTEGERS(hash, (int64_t)i, app->tasks.items[i].lag_ps);
    for (size_t i = 0; i < app->library_calls.count; i++)
        ct_hash_string(hash, app->library_calls.items[i]);
    return all;
}

static bool is_known(struct ct_hash hash) {
    return hash.high || hash.low;
}

/* Each once: traces are long. */
void workload_hash_traces(struct workload *w) {
    for (size_t a = 0; a < w->apps.count; a++)
        for (size_t t = 0; t < w->traces.apps.count; t++) {
            struct trace_app *trace = w->traces.apps.items[t];
            if (trace == w->apps.items[a].trace && !is_known(trace->content))
                trace->content = trace_content(trace);
        }
}

/* Adds as JSON the keys of an application, or (NULL) those of the whole file. False: memory ran
 * out.
 */
static bool add_keys(struct ct_hash *hash, const struct workload *workload,
                     const struct workload_app *app) {
    struct json_text text;
    if (!json_text_open(&text))
        return false;
    json_writer_begin_object(&text.writer, NULL);
    if (app)
        workload_write_app(&text.writer, app, WORKLOAD_IDENTITY);
    else
        workload_write_run(&text.writer, workload, WORKLOAD_IDENTITY);
    json_writer_end_object(&text.writer);
    char *written = json_text_close(&text);
    bool known = written != NULL;
    if (known)
        ct_hash_string(hash, written);
    free(written);
    return known;
}

bool workload_hash_app(struct ct_hash *hash, const struct workload_app *app) {
    const struct workload_arrivals *arrivals = &app->arrivals;
    ADD_INTEGERS(hash, (int64_t)arrivals->stamp_count, arrivals->span_ps, arrivals->replayed);
    add_integers(hash, arrivals->stamps, arrivals->stamp_count);
    if (arrivals->prompts)
        add_integers(hash, arrivals->prompts, arrivals->stamp_count);
    if (arrivals->outputs)
        add_integers(hash, arrivals->outputs, arrivals->stamp_count);
    ct_hash_u64(hash, app->trace != NULL);
    if (app->trace)
        ct_hash_add(hash, is_known(app->trace->content) ? app->trace->content
                                                        : trace_content(app->trace));
    return add_keys(hash, NULL, app);
}

static void add_settings(struct ct_hash *hash, const struct workload_settings *settings) {
    ct_hash_u64(hash, settings->count);
    for (size_t i = 0; i < settings->count; i++) {
        ct_hash_string(hash, settings->items[i].key);
        ct_hash_string(hash, settings->items[i].value);
    }
}

bool workload_hash_run(struct ct_hash *hash, const struct workload *workload) {
    return add_keys(hash, workload, NULL);
}

bool workload_hash(struct ct_hash *hash, const struct workload *w) {
    bool hashed = true;
    ct_hash_string(hash, w->gpu);
    add_settings(hash, &w->gpu_settings);
    ct_hash_string(hash, w->policy);
    add_settings(hash, &w->policy_settings);
    ct_hash_u64(hash, w->apps.count);
    for (size_t a = 0; a < w->apps.count && hashed; a++)
        hashed = workload_hash_app(hash, &w->apps.items[a]);
    return hashed && workload_hash_run(hash, w);
}
