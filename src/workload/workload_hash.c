/* Hashes by content: what the tables of keys write, and traces field by field; padding, pointers
 * and paths play no part. */
#include "workload/workload_write.h"

#include <stdlib.h>

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

/* ---- Keys: the text of all that play a part. ---- */

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
