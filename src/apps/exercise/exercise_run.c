/* Runs of the simulator that answer an exercise. */
#include "apps/exercise/exercise_build.h"

#include "base/ct_option_value.h"
#include "policies/policies.h"
#include "run/profiling.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <string.h>

/* Where messages about a drawn workload come from. */
#define WHERE "exercise"

/*
 * The time of the problem begins here. Arrivals are deterministic: the second job of an application
 * would come when twice that time has passed, after the end of the run.
 */
#define ORIGIN_MS 1000

const char *exercise_head(struct exercise_problem *p, int64_t sms, const char *gpu,
                          const char *policy, const char *fidelity) {
    const char *quote = *policy == '{' ? "" : "\"";
    return exercise_text(p,
                         "{\"schema\": \"cotenant.workload/1\", \"name\": \"exercise-%s\",\n"
                         " \"gpu\": {\"base\": \"hsm-hbm\", \"sms\": %" PRId64 "%s},\n"
                         " \"policy\": %s%s%s, \"fidelity\": \"%s\", \"predictor\": \"oracle\",\n"
                         " \"decision_cost\": \"none\", \"duration_s\": 1.9, \"apps\": [\n",
                         p->exercise->name, sms, gpu, quote, policy, quote, fidelity);
}

const char *exercise_app(struct exercise_problem *p, const char *name, double at_ms,
                         const char *more, int64_t blocks, double duration_ms, const char *kernel) {
    return exercise_text(
        p,
        "  {\"name\": \"%s\",\n"
        "   \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": %.17g}%s,\n"
        "   \"synthetic\": {\"blocks\": %" PRId64
        ", \"duration_ms\": %.12g, \"compute_fraction\": 1%s}}",
        name, 1e3 / (ORIGIN_MS + at_ms), more, blocks, duration_ms, kernel);
}

double exercise_ms(ct_time_ps time) {
    return ct_time_ms(time - ORIGIN_MS * CT_PS_PER_MS);
}

int exercise_run_open(struct exercise_run *run, struct exercise_problem *p, const char *json,
                      struct ct_diags *diags) {
    *run = (struct exercise_run){
        .problem = p, .recorder = {.parts = RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS}};
    if (p->failed)
        return ct_out_of_memory(diags);
    int status = workload_read_text(WHERE, json, NULL, 0, &run->workload, diags);
    return status == CT_OK ? setup_make(&run->workload, &run->setup, diags) : status;
}

/* What the workload says of its policy's options, beside their defaults. */
static int read_options(struct exercise_run *run, const struct ct_policy *policy, void *options,
                        struct ct_diags *diags) {
    int status = CT_OK;
    if (policy->options)
        ct_options_default(policy->options, options);
    for (size_t i = 0; i < run->workload.policy_settings.count && status == CT_OK; i++) {
        const struct workload_setting *s = &run->workload.policy_settings.items[i];
        status = ct_option_set(policy->options, s->key, s->value, options, &run->problem->arena,
                               s->where, diags);
    }
    return status;
}

int exercise_run_go(struct exercise_run *run, uint32_t only_app, struct ct_diags *diags) {
    const struct workload *w = &run->workload;
    const struct ct_policy *policy = policies_find(only_app == SIM_ALL_APPS ? w->policy : "mps");
    void *options = ct_arena_alloc(&run->problem->arena, policy->options_size + 1);
    struct sim_observer observer = recorder_observer(&run->recorder);
    if (!options)
        return ct_out_of_memory(diags);
    int status = only_app == SIM_ALL_APPS ? read_options(run, policy, options, diags) : CT_OK;
    struct sim_params params = {.setup = &run->setup,
                                .policy = policy,
                                .policy_options = options,
                                .seed = run->problem->seed,
                                .only_app = only_app,
                                .warmup_ps = ct_time_round(w->warmup_s * (double)CT_PS_PER_S),
                                .duration_ps = ct_time_round(w->duration_s * (double)CT_PS_PER_S),
                                .decision_cost = w->decision_cost,
                                .blame = true,
                                .oracle = true,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    /* Durations of whole queries are measured by profiling runs, oracle or not. */
    if (status == CT_OK && policy->features & CT_PREDICTS)
        status = profiling_train(&run->setup, policy, run->problem->seed, &params.predictor, diags);
    if (status == CT_OK)
        status = sim_run(&params, &run->result, diags);
    if (status == CT_OK && run->recorder.failed)
        status = ct_out_of_memory(diags);
    predict_bank_free(params.predictor);
    return status;
}

int exercise_simulate(struct exercise_run *run, struct exercise_problem *p, const char *json,
                      struct ct_diags *diags) {
    p->workload = json;
    int status = exercise_run_open(run, p, json, diags);
    return status == CT_OK ? exercise_run_go(run, SIM_ALL_APPS, diags) : status;
}

void exercise_run_close(struct exercise_run *run) {
    recorder_free(&run->recorder);
    sim_result_free(&run->result);
    setup_free(&run->setup);
    workload_free(&run->workload);
}

const struct result_task *exercise_task(const struct exercise_run *run, uint32_t app, uint64_t job,
                                        uint32_t index) {
    for (size_t i = 0; i < run->recorder.tasks.count; i++) {
        const struct result_task *t = &run->recorder.tasks.items[i];
        if (t->app == app && t->instance == 0 && t->job == job && t->index == index)
            return t;
    }
    return NULL;
}

const struct result_job *exercise_job(const struct exercise_run *run, uint32_t app, uint64_t job) {
    for (size_t i = 0; i < run->recorder.jobs.count; i++) {
        const struct result_job *j = &run->recorder.jobs.items[i];
        if (j->app == app && j->instance == 0 && j->number == job)
            return j;
    }
    return NULL;
}

double exercise_end_ms(const struct exercise_run *run, uint32_t app, uint64_t job, uint32_t index) {
    const struct result_task *task = exercise_task(run, app, job, index);
    return task ? exercise_ms(task->ended_ps) : NAN;
}

double exercise_noted(const struct exercise_run *run, uint32_t app, const char *key, size_t n) {
    for (size_t i = 0; i < run->recorder.decisions.count; i++) {
        const struct result_decision *d = &run->recorder.decisions.items[i];
        for (size_t k = 0; k < d->note_count && d->app == (int64_t)app; k++)
            if (strcmp(d->notes[k].key, key) == 0 && n-- == 0)
                return d->notes[k].value;
    }
    return NAN;
}

double exercise_reported(const struct exercise_run *run, const char *key) {
    for (size_t i = 0; i < run->result.counters.count; i++)
        if (strcmp(run->result.counters.items[i].key, key) == 0)
            return run->result.counters.items[i].value;
    return NAN;
}

static void add_spans(struct exercise_problem *p, const char *lane, const struct result_task *t) {
    double queued = exercise_ms(t->queued_ps), started = exercise_ms(t->started_ps);
    bool kernel = t->kind == TRACE_KERNEL;
    if (queued < started && kernel)
        exercise_span(p, "ms", lane, "waits", queued, started);
    exercise_span(p, "ms", lane, kernel ? "kernel" : "copy", started, exercise_ms(t->ended_ps));
}

void exercise_spans_of_run(struct exercise_run *run) {
    for (uint32_t app = 0; app < run->setup.app_count; app++) {
        const char *name = exercise_text(run->problem, "%s", run->workload.apps.items[app].name);
        for (size_t i = 0; i < run->recorder.tasks.count; i++)
            if (run->recorder.tasks.items[i].app == app)
                add_spans(run->problem, name, &run->recorder.tasks.items[i]);
    }
}
