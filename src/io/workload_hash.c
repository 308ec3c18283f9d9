/* Hashes by content, field by field: padding, pointers and paths play no part. */
#include "workload_reader.h"

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

static void add_draw(struct ct_hash *hash, const struct workload_draw *draw) {
    ADD_INTEGERS(hash, draw->kind);
    ADD_NUMBERS(hash, draw->mean, draw->cv);
}

static void add_kernel(struct ct_hash *hash, const struct trace_kernel *k) {
    const struct trace_metrics *m = &k->metrics;
    ct_hash_string(hash, k->name);
    ADD_INTEGERS(hash, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
                 k->registers_per_thread, k->static_smem_bytes, k->dynamic_smem_bytes,
                 k->communication, k->demand_provenance, k->geometry_provenance, k->curve_count);
    ADD_NUMBERS(hash, m->dram_bytes_per_s, m->dram_fraction, m->dram_read_share, m->row_hit_rate,
                m->l2_fraction, m->issue_slot_fraction, m->unit_fraction, m->fp32_fraction,
                m->fp64_fraction, m->sm_activity, m->achieved_occupancy, m->instructions);
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

static void add_trace(struct ct_hash *hash, const struct trace_app *app) {
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
}

static void add_synthetic(struct ct_hash *hash, const struct workload_synthetic *s) {
    ADD_INTEGERS(hash, s->kernels, s->blocks, s->threads, s->registers_per_thread, s->smem_bytes,
                 s->bytes_in, s->bytes_out);
    ADD_NUMBERS(hash, s->dram_fraction, s->unit_fraction, s->row_hit_rate, s->compute_fraction,
                s->instructions);
    add_draw(hash, &s->duration_ms);
}

static void add_arrivals(struct ct_hash *hash, const struct workload_arrivals *a) {
    ADD_INTEGERS(hash, a->process, a->clients, a->start, a->think_given, (int64_t)a->stamp_count,
                 a->span_ps);
    ADD_NUMBERS(hash, a->rate_per_s, a->cv, a->burst_rate_per_s, a->burst_s, a->quiet_s,
                a->period_s, a->amplitude);
    add_draw(hash, &a->think_ms);
    add_integers(hash, a->stamps, a->stamp_count);
}

static void add_app(struct ct_hash *hash, const struct workload_app *app) {
    ct_hash_string(hash, app->name);
    ADD_INTEGERS(hash, app->role, app->instances, app->priority, app->workers, app->iterations,
                 app->copies, app->copy_memory, app->waits, app->stop_first_run,
                 (int64_t)app->job_count);
    ADD_NUMBERS(hash, app->qos_ms, app->np_target, app->duration_scale);
    add_draw(hash, &app->size);
    for (size_t i = 0; i < app->job_count; i++) {
        ADD_INTEGERS(hash, app->jobs[i].index);
        ADD_NUMBERS(hash, app->jobs[i].weight);
    }
    add_arrivals(hash, &app->arrivals);
    ct_hash_u64(hash, app->trace != NULL);
    if (app->trace)
        add_trace(hash, app->trace);
    else
        add_synthetic(hash, &app->synthetic);
}

static void add_settings(struct ct_hash *hash, const struct workload_settings *settings) {
    ct_hash_u64(hash, settings->count);
    for (size_t i = 0; i < settings->count; i++) {
        ct_hash_string(hash, settings->items[i].key);
        ct_hash_string(hash, settings->items[i].value);
    }
}

static void add_hash(struct ct_hash *hash, struct ct_hash part) {
    ADD_INTEGERS(hash, (int64_t)part.high, (int64_t)part.low);
}

/* Each application once: traces are long. */
static struct ct_hash load_hash(struct workload *w) {
    struct ct_hash hash = ct_hash_start();
    ADD_NUMBERS(&hash, w->duration_s, w->warmup_s);
    ADD_INTEGERS(&hash, w->seed, w->hw_queues, w->decision_cost, w->predictor, w->fidelity);
    if (w->warmup_by != WORKLOAD_WARMUP_TIME)
        ADD_INTEGERS(&hash, w->warmup_by);
    for (size_t i = 0; i < w->apps.count; i++) {
        struct workload_app *app = &w->apps.items[i];
        app->hash = ct_hash_start();
        add_app(&app->hash, app);
        add_hash(&hash, app->hash);
    }
    return hash;
}

void workload_hash(struct workload *w) {
    struct ct_hash hash = ct_hash_start();
    w->load_hash = load_hash(w);
    ct_hash_string(&hash, w->gpu);
    add_settings(&hash, &w->gpu_settings);
    ct_hash_string(&hash, w->policy);
    add_settings(&hash, &w->policy_settings);
    add_hash(&hash, w->load_hash);
    w->hash = hash;
}
