/* The completion model of C-QoS against the block device, and the task that a policy looks ahead
 * to, in real runs. */
#include "run_case.h"

#include <math.h>

/* Two applications on 12 and 4 of 16 SMs; the solo durations are known. */
static const char *const json =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"cqos\", \"duration_s\": 0.5, "
    "\"fidelity\": \"block\", \"defaults\": {\"role\": \"batch\", \"copy_memory\": \"pinned\"}, "
    "\"apps\": ["
    "{\"name\": \"a\", \"synthetic\": {\"kernels\": 4, \"blocks\": 1000, \"threads\": 256, "
    "\"bytes_in\": 16000000, \"bytes_out\": 4000000, \"dram_fraction\": 0.1, \"unit_fraction\": "
    "0.5, \"duration_ms\": 1.5}},"
    "{\"name\": \"b\", \"synthetic\": {\"kernels\": 3, \"blocks\": 90, \"threads\": 512, "
    "\"bytes_in\": 0, \"bytes_out\": 0, \"dram_fraction\": 0.1, \"unit_fraction\": 0.5, "
    "\"duration_ms\": 0.8}}]}";

static const int64_t split[] = {12, 4};

struct expectation {
    double completion_ps;
    int32_t next_kind; /* -1: nothing follows */
};

static struct {
    uint64_t kernels, copies, last;
    double worst_kernel, worst_copy;
} seen;

static bool give_sms(struct ct_context *context) {
    return context->host->repartition(context, split, 2, CT_MOVE_DRAIN);
}

static void issue_all(struct ct_context *context, uint32_t why) {
    for (const struct ct_task *task = context->host->ready_next(context, NULL); task;
         task = context->host->ready_next(context, task))
        assert_true(context->host->issue(context, task, NULL));
}

static void predict(struct ct_context *context, const struct ct_task *task) {
    struct expectation *own = task->scratch;
    int64_t nothing[] = {0, 0};
    double ps;
    assert_true(context->host->predict_completion(context, task, split, &own->completion_ps));
    assert_true(context->host->predict_completion(context, task, nothing, &ps) ==
                (task->kind != CT_TASK_KERNEL));
    const struct ct_task *next = context->host->upcoming(context, task);
    own->next_kind = next ? next->kind : -1;
    if (!next)
        return;
    assert_true(next->job == task->job && next->stream == task->stream);
    assert_int_equal(next->index, task->index + 1);
    assert_true(context->host->predict_completion(context, next, split, &ps) && ps > 0);
    assert_false(context->host->issue(context, next, NULL));
}

/* Compares a task that ended with its expectation. Application a has a copy, four kernels and a
 * copy, b three kernels. */
static void compare(struct ct_context *context, const struct ct_task *task) {
    const struct expectation *own = task->scratch;
    bool copies = task->client->index == 0;
    double error = fabs(own->completion_ps / (double)task->measured_ps - 1);
    if (task->kind == CT_TASK_KERNEL)
        seen.worst_kernel = fmax(seen.worst_kernel, error);
    else
        seen.worst_copy = fmax(seen.worst_copy, error);
    seen.kernels += task->kind == CT_TASK_KERNEL;
    seen.copies += task->kind == CT_TASK_COPY;
    seen.last += own->next_kind < 0;
    if (task->index + 1 == task->job->tasks)
        assert_int_equal(own->next_kind, -1);
    else
        assert_int_equal(own->next_kind,
                         copies && task->index == 4 ? CT_TASK_COPY : CT_TASK_KERNEL);
}

static const struct ct_policy policy = {.abi = CT_POLICY_ABI,
                                        .size = sizeof policy,
                                        .name = "fixed",
                                        .needs = CT_NEED_PARTITION,
                                        .features = CT_PREDICTS,
                                        .sharing = CT_SHARING_PARTITION,
                                        .task_size = sizeof(struct expectation),
                                        .init = give_sms,
                                        .task_ready = predict,
                                        .task_done = compare,
                                        .decide = issue_all};

/*
 * 12 blocks of 256 threads to an SM of 3072, 6 of 512. a: 1000 blocks are 6 waves on all SMs, 7 on
 * 12; b: 90 are one wave on all, 4 on 4. The device places the same blocks, and its kernels are
 * bound by computing, so that Eq. 4 is exact; a is alone on the link, so that Eq. 7 is, too.
 */
TEST(equal_blocks_end_when_predicted) {
    struct run_case_params params = {.policy = &policy, .seed = 1};
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    CLOSED_BY(run_case_close) struct run_case c;
    run_case_open(&c, json, NULL);
    run_case_run(&c, &params, &result);
    assert_true(seen.kernels > 200 && seen.copies > 50 && seen.last > 50);
    assert_true(seen.worst_kernel < 1e-6 && seen.worst_copy < 1e-6);
}

/* One kernel of 960 blocks on 5 of 20 SMs, 12 to an SM; memory holds it back. */
static const char *const bound_json =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": {\"base\": \"cqos\", \"sms\": 20}, "
    "\"duration_s\": 0.02, \"fidelity\": \"block\", \"apps\": [{\"name\": \"a\", \"role\": "
    "\"batch\", "
    "\"synthetic\": {\"kernels\": 2, \"blocks\": 960, \"threads\": 256, \"bytes_in\": 0, "
    "\"bytes_out\": 0, \"dram_fraction\": 0.75, \"unit_fraction\": 0.3, \"duration_ms\": 2}}]}";

static uint64_t bound_kernels;

static bool give_five(struct ct_context *context) {
    const int64_t five[] = {5};
    return context->host->repartition(context, five, 1, CT_MOVE_DRAIN);
}

static void predict_bound(struct ct_context *context, const struct ct_task *task) {
    static const struct {
        int64_t sms;
        double ms;
    } cases[] = {{20, 2}, {10, 2}, {5, 2.4}, {1, 12}};
    double ps;
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        assert_true(context->host->predict_completion(context, task, &cases[i].sms, &ps));
        assert_true(fabs(ps / 1e9 - cases[i].ms) < 1e-6);
    }
}

static void measure_bound(struct ct_context *context, const struct ct_task *task) {
    assert_true(fabs((double)task->measured_ps / 1e9 - 2.4) < 0.001);
    bound_kernels++;
}

static const struct ct_policy bound_policy = {.abi = CT_POLICY_ABI,
                                              .size = sizeof bound_policy,
                                              .name = "bound",
                                              .needs = CT_NEED_PARTITION,
                                              .features = CT_PREDICTS,
                                              .sharing = CT_SHARING_PARTITION,
                                              .profile_step_pct = 10,
                                              .init = give_five,
                                              .task_ready = predict_bound,
                                              .task_done = measure_bound,
                                              .decide = issue_all};

/*
 * Alone 4 waves in 2 ms, of which computing takes 0.3: without memory's limit a wave lasts 0.15 ms,
 * as the run on two SMs shows, 40 waves in 6 ms. Eq. 4 on 5 SMs: 16 waves, 2.4 ms, where memory
 * supplies all; on 10, 8 waves at 0.6 of what they ask: 2 ms, as on all.
 */
TEST(memory_limits_the_wave_once) {
    struct run_case_params params = {.policy = &bound_policy, .seed = 1};
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    CLOSED_BY(run_case_close) struct run_case c;
    run_case_open(&c, bound_json, NULL);
    run_case_run(&c, &params, &result);
    assert_true(bound_kernels > 4);
}
