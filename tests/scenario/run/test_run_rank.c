/* A policy with a rank and no `decide`: all are issued at once, those of an instant in its order.
 */
#include "run_case.h"

/* Two applications whose jobs come together, each of one kernel that fills the GPU. */
static const char *const pair =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.1, \"apps\": ["
    "{\"name\": \"first\", \"copies\": \"none\", \"synthetic\": {\"kernels\": 1, \"blocks\": 2720, "
    "\"duration_ms\": 1}, \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 50}},"
    "{\"name\": \"second\", \"copies\": \"none\", \"synthetic\": {\"kernels\": 1, \"blocks\": "
    "2720, "
    "\"duration_ms\": 1}, \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 50}}]}";

static int64_t last_client_first(struct ct_context *context, const struct ct_task *task) {
    return -(int64_t)task->client->index;
}

static void count(struct ct_context *context, const struct ct_task *task) {
    ++*(uint64_t *)context->state;
}

/* When the kernels of the first jobs begin under a policy. */
static void first_starts(const struct ct_policy *policy, ct_time_ps starts[2]) {
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result r;
    run_case_open(&c, pair, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = policy, .seed = 1}, &r);
    for (uint32_t app = 0; app < 2; app++) {
        const struct run_case_task *task = run_case_task_of(&r, app, 0, 0);
        assert_true(task->issued_ps == task->ready_ps);
        starts[app] = task->started_ps;
    }
}

TEST(those_of_one_instant_go_in_the_order_of_rank) {
    struct ct_policy ranked = policy_mps;
    ct_time_ps starts[2];
    first_starts(&policy_mps, starts);
    assert_true(starts[0] < starts[1]);
    ranked.rank = last_client_first;
    first_starts(&ranked, starts);
    assert_true(starts[1] < starts[0]);
}

TEST(who_hears_of_ready_tasks_orders_them_too) {
    struct ct_policy ranked = policy_mps;
    ct_time_ps starts[2];
    ranked.rank = last_client_first;
    ranked.task_ready = count;
    ranked.state_size = sizeof(uint64_t);
    first_starts(&ranked, starts);
    assert_true(starts[1] < starts[0]);
}
