/*
 * Jobs that repeat each other are not simulated (run/repeats.c), and nobody can tell: every
 * application of these workloads alone, and the batch work alone under a policy that caps it,
 * beside the same run with an observer, for whom each task is simulated.
 */
#include "run_case.h"

#include <math.h>

#define SHIPPED "\"trace\": \"" COTENANT_SOURCE_DIR "/traces/"
#define ARRIVALS "\"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": "

/* Recorded services and closed loops: with a queue and idle, with copies once and each time, with
 * two kinds of jobs, with clients that think; a warm-up that cuts a job. */
static const char *const workloads[] = {
    "{\"gpu\": \"h100\", \"duration_s\": 4, \"warmup_s\": 0.5, \"apps\": ["
    "{\"name\": \"vit\", \"role\": \"service\", \"qos_ms\": 30, " SHIPPED
    "h100-inference.db#vit\", " ARRIVALS "90}},"
    "{\"name\": \"qwen\", " SHIPPED "h100-inference.db#qwen05b\"}]}",
    "{\"gpu\": \"k40\", \"duration_s\": 8, \"warmup_s\": 0.37, \"apps\": ["
    "{\"name\": \"dig\", \"role\": \"service\", \"qos_ms\": 90, \"iterations\": 2, " SHIPPED
    "tonic-k40.db#dig\", " ARRIVALS "12}},"
    "{\"name\": \"imc\", \"copies\": \"once\", \"arrivals\": {\"process\": \"closed\", "
    "\"clients\": 3, "
    "\"think_ms\": 1}, " SHIPPED "tonic-k40.db#imc\"}]}",
    "{\"gpu\": \"gtx1080ti\", \"duration_s\": 9, \"warmup_s\": 1, \"apps\": ["
    "{\"name\": \"b\", \"size\": 1.5, \"copies\": \"once\", " SHIPPED
    "gtx1080ti.db#cudasdk_BlackScholes\"}]}",
    "{\"gpu\": \"rtx2080ti\", \"duration_s\": 2, \"warmup_s\": 0.1, \"apps\": ["
    "{\"name\": \"f\", \"arrivals\": {\"process\": \"closed\", \"think_ms\": 0.7}, \"synthetic\": "
    "{\"kernels\": 3, \"blocks\": 900, \"threads\": 128, \"dram_fraction\": 0.8, \"duration_ms\": "
    "0.31, "
    "\"bytes_in\": 10000, \"bytes_out\": [5000, 70000]}},"
    "{\"name\": \"once\", \"arrivals\": {\"process\": \"once\"}, \"synthetic\": {\"duration_ms\": "
    "700}}]}",
};

static bool count_question(void *context, double part) {
    *(uint64_t *)context += 1;
    return false;
}

/* `questions`: one for each SIM_QUESTION_EVERY events that were simulated. */
static struct sim_result run_one(struct run_case *c, struct sim_params params, bool watched,
                                 uint64_t *questions) {
    const struct sim_observer nobody = {0};
    struct sim_result result;
    char options[1024] = {0};
    *questions = 0;
    ct_options_default(params.policy->options, options);
    params.setup = &c->setup;
    params.policy_options = options;
    params.seed = 5;
    params.warmup_ps = ct_time_round(c->workload.warmup_s * (double)CT_PS_PER_S);
    params.duration_ps = ct_time_round(c->workload.duration_s * (double)CT_PS_PER_S);
    params.observer = watched ? &nobody : NULL;
    params.interrupted = count_question;
    params.interrupt_context = questions;
    params.dump_at_ps = CT_TIME_NEVER;
    if (sim_run(&params, &result, &c->diags) != CT_OK)
        run_case_fail(c, params.policy->name);
    return result;
}

static void same_numbers(const double *a, size_t a_count, const double *b, size_t b_count) {
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        assert_true(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
}

static void same_app(const struct sim_app_result *a, const struct sim_app_result *b) {
    assert_int_equal(a->jobs, b->jobs);
    assert_int_equal(a->late, b->late);
    assert_int_equal(a->good, b->good);
    assert_int_equal(a->unfinished, b->unfinished);
    assert_int_equal(a->jobs_ended, b->jobs_ended);
    same_numbers(a->latency_ps.items, a->latency_ps.count, b->latency_ps.items,
                 b->latency_ps.count);
    same_numbers(a->service_ps.items, a->service_ps.count, b->service_ps.items,
                 b->service_ps.count);
    same_numbers(&a->work_ps, 1, &b->work_ps, 1);
    same_numbers(a->instance_sojourn_ps.items, a->instance_sojourn_ps.count,
                 b->instance_sojourn_ps.items, b->instance_sojourn_ps.count);
    same_numbers(&a->backlog, 1, &b->backlog, 1);
    same_numbers(a->first_run_ps.items, a->first_run_ps.count, b->first_run_ps.items,
                 b->first_run_ps.count);
}

static void same_but_for_rounding(double a, double b) {
    assert_float_equal(a, b, 1e-9 * fabs(b));
}

/* Runs it with and without an observer; adds the questions of both. */
static void compare(struct run_case *c, struct sim_params params, uint64_t asked[2]) {
    uint64_t questions, every_task;
    struct sim_result r = run_one(c, params, false, &questions),
                      full = run_one(c, params, true, &every_task);
    for (uint32_t a = 0; a < full.app_count; a++)
        same_app(&r.apps[a], &full.apps[a]);
    assert_int_equal(r.events, full.events);
    assert_int_equal(r.kernels, full.kernels);
    assert_int_equal(r.ended_ps, full.ended_ps);
    assert_null(r.broken_law);
    assert_true(r.littles_law_ok && r.utilisation_law_ok);
    same_but_for_rounding(r.sm_utilisation, full.sm_utilisation);
    same_but_for_rounding(r.dram_utilisation, full.dram_utilisation);
    same_but_for_rounding(r.pcie_utilisation[0], full.pcie_utilisation[0]);
    same_but_for_rounding(r.pcie_utilisation[1], full.pcie_utilisation[1]);
    same_but_for_rounding(r.batch_busy_fraction, full.batch_busy_fraction);
    asked[0] += questions;
    asked[1] += every_task;
    sim_result_free(&r);
    sim_result_free(&full);
}

TEST(what_is_not_simulated_is_as_if) {
    uint64_t asked[2] = {0};
    for (size_t w = 0; w < CT_COUNT_OF(workloads); w++) {
        CLOSED_BY(run_case_close) struct run_case c;
        run_case_open(&c, workloads[w], NULL);
        for (uint32_t a = 0; a < c.setup.app_count; a++)
            compare(&c, (struct sim_params){.policy = &policy_mps, .only_app = a}, asked);
        compare(&c,
                (struct sim_params){
                    .policy = &policy_mps_priority, .only_app = SIM_ALL_APPS, .batch_only = true},
                asked);
    }
    assert_true(asked[0] == 0 && asked[1] > 20); /* few, and more than a million events */
}
