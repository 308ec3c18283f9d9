/*
 * A workload file written by a test, run under a policy, with every job and task that ended.
 * Recorded applications are made in memory and put into a store beside the file, "t.db".
 */
#ifndef RUN_CASE_H
#define RUN_CASE_H

#include "base/ct_option_value.h"
#include "cmocka_complete.h"
#include "models/predict/predict_bank.h"
#include "policies/policies.h"
#include "run/sim.h"
#include "trace/trace_store.h"
#include "workload/setup.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FREER(predict_bank_free, struct predict_bank)

/* How many of so many random workloads are tried: half, or with COTENANT_CASES=all each. */
static inline uint64_t run_case_some(uint64_t cases) {
    const char *wish = getenv("COTENANT_CASES");
    return wish && strcmp(wish, "all") == 0 ? cases : (cases + 1) / 2;
}

struct run_case {
    char folder[64];
    struct workload workload;
    struct setup setup;
    struct ct_diags diags;
};

struct run_case_job {
    uint32_t app, instance;
    uint64_t number;
    ct_time_ps arrival_ps, end_ps, blame_ps[CT_BLAME_COUNT];
    double delayed_by_ps[16];
    ct_time_ps alone_ps, costs_ps[CT_BLAME_COUNT + 17]; /* as in struct sim_job_record */
};

struct run_case_task {
    uint32_t app, instance;
    uint64_t job;
    uint32_t index, stream;
    int32_t kind;
    ct_time_ps launched_ps, ready_ps, issued_ps, queued_ps, head_ps, started_ps, ended_ps;
    double work_ps;
};

/* One run and what was seen of it. */
struct run_case_result {
    struct sim_result result;
    uint32_t apps;
    CT_VEC(struct run_case_job) jobs;
    CT_VEC(struct run_case_task) tasks;
};

struct run_case_params {
    const struct ct_policy *policy;
    uint64_t seed;
    bool blame, alone; /* alone: `only_app`, in private mode */
    uint32_t only_app;
    bool blame_services;
    bool estimates;                     /* of tasks too: by default their predictions are true */
    const struct predict_bank *trained; /* NULL: no predictions of jobs */
};

/* An application as recorded on an RTX 2080 Ti, with its launches, that holds nothing yet. */
static inline struct trace_app *run_case_app(struct trace_set *set, const char *name,
                                             uint32_t streams) {
    struct trace_app *app = trace_set_add(set, name);
    assert_non_null(app);
    app->gpu = "rtx2080ti";
    app->source = app->licence = "made by a test";
    app->stream_count = streams;
    app->launches_recorded = true;
    return app;
}

static inline void run_case_fail(struct run_case *c, const char *what) {
    for (size_t i = 0; i < c->diags.count; i++)
        print_message("%s: %s\n", c->diags.items[i].where, c->diags.items[i].text);
    fail_msg("%s", what);
}

static inline void run_case_path(const struct run_case *c, const char *file, char *path,
                                 size_t size) {
    snprintf(path, size, "%s/%s", c->folder, file);
}

static inline void run_case_open(struct run_case *c, const char *json,
                                 const struct trace_set *traces) {
    char path[128];
    *c = (struct run_case){.folder = "/tmp/cotenant-case-XXXXXX"};
    assert_non_null(mkdtemp(c->folder));
    run_case_path(c, "t.db", path, sizeof path);
    if (traces && trace_store_write(path, traces, &c->diags) != CT_OK)
        run_case_fail(c, "the trace store was not written");
    run_case_path(c, "w.json", path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(json, file);
    fclose(file);
    if (workload_read(&(struct workload_source){.path = path}, &c->workload, &c->diags) != CT_OK ||
        setup_make(&c->workload, &c->setup, &c->diags) != CT_OK) {
        print_message("%s\n", json);
        run_case_fail(c, "the workload was refused");
    }
}

static inline void run_case_close(struct run_case *c) {
    char path[128];
    setup_free(&c->setup);
    workload_free(&c->workload);
    ct_diags_free(&c->diags);
    run_case_path(c, "w.json", path, sizeof path);
    remove(path);
    run_case_path(c, "t.db", path, sizeof path);
    remove(path);
    rmdir(c->folder);
}

static inline void run_case_keep_job(void *context, const struct sim_job_record *job) {
    struct run_case_result *r = context;
    struct run_case_job kept = {.app = job->app,
                                .instance = job->instance,
                                .number = job->number,
                                .arrival_ps = job->arrival_ps,
                                .end_ps = job->end_ps,
                                .alone_ps = job->alone_ps};
    memcpy(kept.blame_ps, job->blame_ps, sizeof kept.blame_ps);
    for (uint32_t a = 0; job->delayed_by_ps && a < r->apps; a++)
        kept.delayed_by_ps[a] = job->delayed_by_ps[a];
    if (job->alone_ps >= 0)
        memcpy(kept.costs_ps, job->costs_ps,
               (CT_BLAME_COUNT + r->apps + 1) * sizeof *kept.costs_ps);
    assert_true(ct_vec_push(&r->jobs, kept));
}

static inline void run_case_keep_task(void *context, const struct sim_task_record *t) {
    struct run_case_result *r = context;
    struct run_case_task kept = {t->app,       t->instance,  t->job,         t->index,
                                 t->stream,    t->kind,      t->launched_ps, t->ready_ps,
                                 t->issued_ps, t->queued_ps, t->head_ps,     t->started_ps,
                                 t->ended_ps,  t->work_ps};
    assert_true(ct_vec_push(&r->tasks, kept));
}

static inline void run_case_run(struct run_case *c, const struct run_case_params *p,
                                struct run_case_result *r) {
    const struct workload *w = &c->workload;
    union {
        double align;
        char bytes[1024];
    } options = {0};
    *r = (struct run_case_result){.apps = c->setup.app_count};
    struct sim_observer observer = {
        .context = r, .job_ended = run_case_keep_job, .task_ended = run_case_keep_task};
    assert_true(p->policy->options_size <= sizeof options.bytes);
    if (p->policy->options)
        ct_options_default(p->policy->options, options.bytes);
    struct predict_bank *bank = p->trained ? predict_bank_copy(p->trained) : NULL;
    struct sim_params params = {.setup = &c->setup,
                                .policy = p->policy,
                                .policy_options = options.bytes,
                                .seed = p->seed,
                                .only_app = p->alone ? p->only_app : SIM_ALL_APPS,
                                .warmup_ps = ct_time_round(w->warmup_s * (double)CT_PS_PER_S),
                                .duration_ps = ct_time_round(w->duration_s * (double)CT_PS_PER_S),
                                .blame = p->blame,
                                .blame_services = p->blame_services,
                                .decision_cost = w->decision_cost,
                                .predictor = bank,
                                .oracle = !p->estimates,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &r->result, &c->diags) != CT_OK)
        run_case_fail(c, p->policy->name);
    predict_bank_free(bank);
}

static inline void run_case_result_free(struct run_case_result *r) {
    sim_result_free(&r->result);
    ct_vec_free(&r->jobs);
    ct_vec_free(&r->tasks);
}

/* A task of the first instance of an application. */
static inline const struct run_case_task *
run_case_task_of(const struct run_case_result *r, uint32_t app, uint64_t job, uint32_t index) {
    for (size_t i = 0; i < r->tasks.count; i++) {
        const struct run_case_task *t = &r->tasks.items[i];
        if (t->app == app && t->instance == 0 && t->job == job && t->index == index)
            return t;
    }
    fail_msg("task %u of job %u of application %u did not end", index, (unsigned)job, app);
    return NULL;
}

static inline const struct run_case_job *run_case_job_of(const struct run_case_result *r,
                                                         uint32_t app, uint64_t number) {
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct run_case_job *j = &r->jobs.items[i];
        if (j->app == app && j->instance == 0 && j->number == number)
            return j;
    }
    fail_msg("job %u of application %u did not end", (unsigned)number, app);
    return NULL;
}

#endif
