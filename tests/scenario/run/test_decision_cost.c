/*
 * What decisions cost in simulated time, by hand (policies reference, "Decision cost"). Two
 * applications, both there at 0, with kernels of their own geometry. Baymax takes 0.05 ms for a
 * prediction (section 4.3), Laius 0.47 ms for a query's (section 5.3). Times in microseconds.
 */
#include "run_case.h"

#include "models/predict/predict_bank.h"
#include "run/profiling.h"

enum { APPS = 2, KERNELS = 2 };

static struct {
    ct_time_ps ready_ps[APPS][KERNELS], started_ps[APPS][KERNELS];
    uint32_t seen;
} times;

static void see_task(void *context, const struct sim_task_record *task) {
    times.ready_ps[task->app][task->index] = task->ready_ps;
    times.started_ps[task->app][task->index] = task->started_ps;
    times.seen++;
}

static void run_at(const struct ct_policy *policy, int32_t cost) {
    static const char workload[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.1, "
        "\"warmup_s\": 0, \"defaults\": {\"role\": \"service\", \"qos_ms\": 90, \"arrivals\": "
        "{\"process\": \"once\"}}, \"apps\": ["
        "{\"name\": \"a\", \"synthetic\": {\"kernels\": 2, \"blocks\": 34, \"threads\": 256, "
        "\"duration_ms\": 2}}, "
        "{\"name\": \"b\", \"synthetic\": {\"kernels\": 2, \"blocks\": 68, \"threads\": 256, "
        "\"duration_ms\": 2}}]}";
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    struct sim_result result;
    union {
        double align;
        char bytes[1024];
    } options = {0};
    struct sim_observer observer = {.task_ended = see_task};
    run_case_open(&c, workload, NULL);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    assert_true(policy->options_size <= sizeof options.bytes);
    if (policy->options)
        ct_options_default(policy->options, options.bytes);
    struct sim_params params = {.setup = &c.setup,
                                .policy = policy,
                                .policy_options = options.bytes,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = CT_PS_PER_S / 10,
                                .decision_cost = cost,
                                .predictor = bank,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    times.seen = 0;
    if (sim_run(&params, &result, &c.diags) != CT_OK)
        run_case_fail(&c, policy->name);
    assert_int_equal(times.seen, APPS * KERNELS);
    sim_result_free(&result);
}

static void expect_ready(uint32_t app, uint32_t kernel, int64_t us) {
    assert_int_equal(times.ready_ps[app][kernel], us * CT_PS_PER_US);
}

/* Overlapped is the default: both are predicted at once, beside each other; a task is not ready
 * before. The second kernel has the features of the first, and is not asked about again. */
TEST(predictions_overlap) {
    static const int32_t same[] = {WORKLOAD_COST_DEFAULT, WORKLOAD_COST_OVERLAPPED};
    for (int i = 0; i < 2; i++) {
        run_at(&policy_baymax, same[i]);
        expect_ready(0, 0, 50);
        expect_ready(1, 0, 50);
        expect_ready(0, 1, 50);
        expect_ready(1, 1, 50);
    }
}

/* One after the other on one thread; the device meanwhile runs the first kernel of `a`. */
TEST(predictions_in_series) {
    run_at(&policy_baymax, WORKLOAD_COST_SERIAL);
    expect_ready(0, 0, 50);
    expect_ready(1, 0, 100);
    expect_ready(0, 1, 50);
    expect_ready(1, 1, 100);
    assert_int_equal(times.started_ps[0][0], 50 * CT_PS_PER_US);
    assert_int_equal(times.started_ps[1][0], 100 * CT_PS_PER_US);
}

TEST(predictions_for_nothing) {
    run_at(&policy_baymax, WORKLOAD_COST_NONE);
    for (uint32_t app = 0; app < APPS; app++)
        expect_ready(app, 0, 0);
    run_at(&policy_laius, WORKLOAD_COST_NONE);
    for (uint32_t app = 0; app < APPS; app++)
        expect_ready(app, 0, 0);
}

/* Once per query, from its arrival on; its tasks are looked up. */
TEST(queries_are_predicted_once) {
    run_at(&policy_laius, WORKLOAD_COST_OVERLAPPED);
    expect_ready(0, 0, 470);
    expect_ready(1, 0, 470);
    run_at(&policy_laius, WORKLOAD_COST_SERIAL);
    expect_ready(0, 0, 470);
    expect_ready(1, 0, 940);
}

/* Policies that predict nothing pay nothing. */
TEST(others_pay_nothing) {
    run_at(&policy_priority, WORKLOAD_COST_SERIAL);
    for (uint32_t app = 0; app < APPS; app++)
        expect_ready(app, 0, 0);
}
