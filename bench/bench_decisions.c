/*
 * What one decision costs the host itself, not simulated: nanoseconds per call of `decide` that
 * issues something (Baymax, Laius, priority), and per end of an epoch (HSM), in whole simulations
 * with the real host and trained predictors, by number of applications. A quarter are services with
 * open arrivals, the others closed batch applications. Prints a table; see README.md.
 */
#include "base/ct_option_value.h"
#include "models/predict/predict_bank.h"
#include "policies/policies.h"
#include "run/profiling.h"
#include "run/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { APPS_MOST = 16, CLOCK_TRIES = 100000 };

static struct {
    const struct ct_policy *inner;
    struct ct_host host; /* as the real one, but for the counters */
    const struct ct_host *real;
    struct ct_device_info device;
    uint64_t issued;
    double clock_ns;      /* what reading the clock twice costs */
    CT_VEC(double) calls; /* ns */
} timed;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double part_of(double part) {
    qsort(timed.calls.items, timed.calls.count, sizeof(double), by_size);
    return timed.calls.items[(size_t)(part * (double)(timed.calls.count - 1))];
}

/* ---- the policy, with a clock ---- */

/* A memory-bound kernel: made-up kernels have no instructions, and HSM shall have numbers. */
static void count_something(struct ct_context *context, const struct ct_client *client,
                            struct ct_counters *counters) {
    const struct ct_device_info *device = &timed.device;
    double seconds = (double)context->host->now(context) / (double)CT_PS_PER_S;
    double part = 0.02 + 0.002 * client->index;
    *counters = (struct ct_counters){
        .instructions = part * (double)device->sms * 128 * device->clock_hz * seconds,
        .memory_accesses = part * device->dram_bytes_per_s / 128 * seconds,
        .row_hits = 0.5 * part * device->dram_bytes_per_s / 128 * seconds,
        .busy_ps = seconds * (double)CT_PS_PER_S};
}

static bool count_issue(struct ct_context *context, const struct ct_task *task,
                        const struct ct_grant *grant) {
    timed.issued++;
    return timed.real->issue(context, task, grant);
}

static void enter(struct ct_context *context) {
    timed.real = context->host;
    timed.real->device(context, &timed.device);
    timed.host = *timed.real;
    timed.host.counters = count_something;
    timed.host.issue = count_issue;
    timed.issued = 0;
    context->host = &timed.host;
}

static void keep(double took_ns) {
    if (!ct_vec_push(&timed.calls, took_ns - timed.clock_ns))
        exit(EXIT_FAILURE);
}

/* Calls that issue nothing, most of them with nothing to decide about, would flatter. */
static void timed_decide(struct ct_context *context, uint32_t why) {
    enter(context);
    double begin = now_ns();
    timed.inner->decide(context, why);
    double took = now_ns() - begin;
    if (timed.issued > 0 && !timed.inner->timer)
        keep(took);
    context->host = timed.real;
}

static void timed_timer(struct ct_context *context, uint64_t id) {
    enter(context);
    double begin = now_ns();
    timed.inner->timer(context, id);
    keep(now_ns() - begin);
    context->host = timed.real;
}

/* HSM decides at the end of an epoch, its timer. */
static struct ct_policy with_clock(const struct ct_policy *policy) {
    struct ct_policy outer = *policy;
    timed.inner = policy;
    outer.decide = timed_decide;
    if (policy->timer)
        outer.timer = timed_timer;
    return outer;
}

static void calibrate_clock(void) {
    timed.calls.count = 0;
    timed.clock_ns = 0;
    for (int i = 0; i < CLOCK_TRIES; i++) {
        double begin = now_ns();
        keep(now_ns() - begin);
    }
    timed.clock_ns = part_of(0.5);
}

/* ---- the workload ---- */

static struct workload_app make_app(int index, bool service, char *name) {
    struct workload_app app = {.name = name,
                               .role = service ? CT_SERVICE : CT_BATCH,
                               .qos_ms = service ? 20 : 0,
                               .instances = 1,
                               .workers = 1,
                               .iterations = 1,
                               .duration_scale = 1,
                               .size = {.mean = 1}};
    app.synthetic = (struct workload_synthetic){.kernels = 10,
                                                .blocks = 100 + 300 * index,
                                                .threads = 256,
                                                .registers_per_thread = 32,
                                                .duration_ms = {.mean = 0.1 + 0.02 * index},
                                                .dram_fraction = 0.05 * (index % 10),
                                                .unit_fraction = NAN,
                                                .row_hit_rate = NAN,
                                                .compute_fraction = NAN,
                                                .instructions = NAN};
    app.arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED, .clients = 1};
    if (service)
        app.arrivals = (struct workload_arrivals){.process = WORKLOAD_POISSON, .rate_per_s = 30};
    return app;
}

static void make_workload(int apps, struct workload *workload) {
    static char names[APPS_MOST][16];
    int services = apps / 4 > 0 ? apps / 4 : 1;
    *workload = (struct workload){.name = "decisions", .gpu = "h100", .duration_s = 2};
    for (int i = 0; i < apps; i++) {
        snprintf(names[i], sizeof names[i], "app%d", i);
        if (!ct_vec_push(&workload->apps, make_app(i, i < services, names[i])))
            exit(EXIT_FAILURE);
    }
}

static void give_up(const struct ct_diags *diags) {
    fprintf(stderr, "bench_decisions: %s\n", diags->count ? diags->items[0].text : "no memory");
    exit(EXIT_FAILURE);
}

static void run(const struct setup *setup, const struct ct_policy *policy, struct ct_diags *diags) {
    struct predict_bank *bank;
    struct sim_result result;
    union {
        double align;
        char bytes[1024];
    } options = {0};
    struct ct_policy outer = with_clock(policy);
    if (policy->options && policy->options_size <= sizeof options.bytes)
        ct_options_default(policy->options, options.bytes);
    if (profiling_train(setup, policy, 1, NULL, NULL, &bank, diags) != CT_OK)
        give_up(diags);
    struct sim_params params = {.setup = setup,
                                .policy = &outer,
                                .policy_options = options.bytes,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = 2 * CT_PS_PER_S,
                                .decision_cost = WORKLOAD_COST_NONE,
                                .predictor = bank,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, diags) != CT_OK)
        give_up(diags);
    sim_result_free(&result);
    predict_bank_free(bank);
}

/* The mean without the slowest thousandth, which other work on the machine interrupted. */
static double trimmed_mean(void) {
    size_t count = timed.calls.count - timed.calls.count / 1000;
    double sum = 0;
    part_of(0.5);
    for (size_t i = 0; i < count; i++)
        sum += timed.calls.items[i];
    return sum / (double)count;
}

static void measure(const struct ct_policy *policy, int apps) {
    struct workload workload;
    struct setup setup;
    struct ct_diags diags = {0};
    make_workload(apps, &workload);
    if (setup_make(&workload, &setup, &diags) != CT_OK)
        give_up(&diags);
    calibrate_clock();
    timed.calls.count = 0;
    run(&setup, policy, &diags);
    printf("| `%s` | %d | %zu | %.0f | %.0f | %.0f | %.0f |\n", policy->name, apps,
           timed.calls.count, part_of(0.5), trimmed_mean(), part_of(0.99), part_of(0.999));
    fflush(stdout);
    setup_free(&setup);
    ct_vec_free(&workload.apps);
    ct_diags_free(&diags);
}

int main(void) {
    static const struct ct_policy *const policies[] = {
        &policy_priority, &policy_baymax, &policy_baymax_plus, &policy_laius, &policy_hsm_fair};
    printf("| policy | applications | calls | median ns | mean ns | 99 %% ns | 99.9 %% ns |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t p = 0; p < CT_COUNT_OF(policies); p++)
        for (int apps = 2; apps <= APPS_MOST; apps *= 2)
            measure(policies[p], apps);
    ct_vec_free(&timed.calls);
    return 0;
}
