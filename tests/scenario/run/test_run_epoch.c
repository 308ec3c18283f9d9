/*
 * A policy with epochs of its own tells the device, which then chooses between draining an SM and
 * switching it by the blocks of that epoch (HSM, ASPLOS'20, section 4.2).
 */
#include "run_case.h"

#define US CT_PS_PER_US

enum { BEGIN = 1, MOVE };

/* Whether the run that starts next begins an epoch, and when its SMs had moved. */
static bool begins;
static int64_t moved_ps;

static bool epoch_init(struct ct_context *context) {
    const struct ct_host *host = context->host;
    return host->timer(context, 1000 * US, BEGIN) && host->timer(context, 1100 * US, MOVE);
}

static void epoch_join(struct ct_context *context, const struct ct_client *client) {
    const int64_t even[] = {14, 14};
    context->host->repartition(context, even, 2, CT_MOVE_AUTO);
}

static void epoch_decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task))
        host->issue(context, task, NULL);
}

static void epoch_timer(struct ct_context *context, uint64_t id) {
    const int64_t other[] = {19, 9};
    if (id == MOVE)
        context->host->repartition(context, other, 2, CT_MOVE_AUTO);
    else if (begins)
        context->host->begin_epoch(context);
}

static void epoch_moved(struct ct_context *context) {
    moved_ps = context->host->now(context);
}

static const struct ct_policy policy = {.abi = CT_POLICY_ABI,
                                        .size = sizeof(struct ct_policy),
                                        .name = "epochs",
                                        .needs = CT_NEED_PARTITION,
                                        .sharing = CT_SHARING_PARTITION,
                                        .init = epoch_init,
                                        .client_join = epoch_join,
                                        .decide = epoch_decide,
                                        .timer = epoch_timer,
                                        .repartition_done = epoch_moved};

static int64_t moved_at(bool begin) {
    static const char json[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"gtx1080ti\", \"duration_s\": 0.01,"
        " \"fidelity\": \"block\", \"defaults\": {\"copies\": \"none\","
        " \"trace\": \"gtx1080ti.db#cudasdk_binomialOptions\", \"iterations\": 1,"
        " \"stop\": \"first-run\"}, \"apps\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";
    struct run_case c;
    struct run_case_result r;
    begins = begin;
    moved_ps = -1;
    run_case_open(&c, json, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = &policy, .seed = 1}, &r);
    run_case_result_free(&r);
    run_case_close(&c);
    return moved_ps;
}

/*
 * 16 blocks of 0.4465 ms on each SM: two sets have ended by 1.1 ms, more than an SM can hold, so
 * that it drains to the end of the third, 1.3396 ms. Since 1 ms none has ended: a switch, which
 * copies at most 256 KB of registers and 96 KB of shared memory over 484/28 GB/s, 21 us.
 */
TEST(blocks_of_the_epoch_decide) {
    int64_t drained = moved_at(false), switched = moved_at(true);
    assert_true(drained > 1339 * US && drained < 1341 * US);
    assert_true(switched > 1100 * US && switched <= 1121 * US);
}
