/* What was profiled with all SMs alone is known for all SMs alone, but for copies, which hold none;
 * what was profiled at parts of them is known for all parts. */
#include "run_case.h"

#include "run/profiling.h"

static struct {
    bool parts; /* the policy has profiling runs at parts of the SMs */
    uint64_t kernels, copies;
} seen;

static void expect(bool known, const struct ct_prediction *prediction, bool wanted) {
    assert_int_equal(known, wanted);
    assert_int_equal(isnan(prediction->duration_ps), !wanted);
}

static void ask(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    bool kernel = task->kind == CT_TASK_KERNEL;
    struct ct_prediction all, part;
    expect(host->predict_task(context, task, 1000, &all), &all, true);
    expect(host->predict_task(context, task, 250, &part), &part, seen.parts || !kernel);
    if (kernel && seen.parts)
        assert_true(part.duration_ps > 3.9 * all.duration_ps);
    if (!kernel)
        assert_true(part.duration_ps == all.duration_ps);
    expect(host->predict_job(context, task->job, 1000, &all), &all, true);
    expect(host->predict_job(context, task->job, 250, &part), &part, seen.parts);
    seen.kernels += kernel;
    seen.copies += !kernel;
}

static const struct ct_policy asks = {.abi = CT_POLICY_ABI,
                                      .size = sizeof(struct ct_policy),
                                      .name = "asks",
                                      .features = CT_PREDICTS,
                                      .sharing = CT_SHARING_MPS,
                                      .task_ready = ask};

static void run_with(int32_t step_pct) {
    static const char json[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"v100\", \"duration_s\": 0.05, \"apps\": "
        "[{\"name\": \"a\", \"arrivals\": {\"process\": \"closed\", \"start\": \"at-once\"}, "
        "\"synthetic\": {\"kernels\": 2, \"blocks\": 640, \"bytes_in\": 1000000, \"duration_ms\": "
        "1}}]}";
    struct ct_policy policy = asks;
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    policy.profile_step_pct = step_pct;
    seen.parts = step_pct == 25;
    seen.kernels = seen.copies = 0;
    run_case_open(&c, json, NULL);
    if (profiling_train(&c.setup, &policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    run_case_run(
        &c,
        &(struct run_case_params){.policy = &policy, .seed = 1, .estimates = true, .trained = bank},
        &result);
    assert_true(seen.kernels > 10 && seen.copies > 5);
}

TEST(all_alone) {
    run_with(0);
    run_with(60); /* parts of the SMs that are no equal ones: none */
}

TEST(parts) {
    run_with(25);
}
