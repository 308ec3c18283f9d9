/* A repartition whose decision takes long is applied as it was decided, whatever was decided in the
 * meantime: each at its own time. */
#include "run_case.h"

#define MS CT_PS_PER_MS

enum { FIRST, SECOND, LOOK };

static struct {
    double held_ps; /* SMs times time of the first application, at the last look */
    double sms[8];  /* mean between two looks */
    size_t looks;
} seen;

static void split(struct ct_context *context, int64_t sms) {
    const int64_t sms_of_client[] = {sms, 80 - sms};
    assert_true(context->host->repartition(context, sms_of_client, 2, CT_MOVE_AUTO));
}

static bool init(struct ct_context *context) {
    const struct ct_host *host = context->host;
    split(context, 40);
    for (int64_t ms = 29; ms <= 39; ms += 2)
        assert_true(host->timer(context, ms * MS, LOOK));
    return host->timer(context, 20 * MS, FIRST) && host->timer(context, 25 * MS, SECOND);
}

static void look(struct ct_context *context) {
    struct ct_counters counters;
    context->host->counters(context, context->host->client(context, 0), &counters);
    seen.sms[seen.looks++] = (counters.sm_ps - seen.held_ps) / (double)(2 * MS);
    seen.held_ps = counters.sm_ps;
}

static void timer(struct ct_context *context, uint64_t id) {
    if (id == LOOK) {
        look(context);
        return;
    }
    assert_true(context->host->charge(context, 10 * MS));
    split(context, id == FIRST ? 10 : 70);
}

static const struct ct_policy policy = {.abi = CT_POLICY_ABI,
                                        .size = sizeof(struct ct_policy),
                                        .name = "slow",
                                        .needs = CT_NEED_PARTITION,
                                        .sharing = CT_SHARING_PARTITION,
                                        .init = init,
                                        .timer = timer};

/* Decided at 20 and 25 ms, applied at 30 and 35; kernels of 0.2 ms. */
TEST(each_at_its_own_time) {
    static const char json[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"v100\", \"duration_s\": 0.04, "
        "\"decision_cost\": \"serial\", \"defaults\": {\"arrivals\": {\"process\": \"closed\", "
        "\"start\": \"at-once\"}, \"synthetic\": {\"kernels\": 1000, \"blocks\": 6400, "
        "\"duration_ms\": 0.2}}, \"apps\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";
    static const double sms[] = {10, 10, 70, 70}; /* from 31, 33, 35, 37 ms on */
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    run_case_open(&c, json, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = &policy, .seed = 1}, &result);
    assert_int_equal(seen.looks, 6);
    for (size_t i = 0; i < CT_COUNT_OF(sms); i++)
        if (fabs(seen.sms[i + 2] - sms[i]) > 5)
            fail_msg("look %d: %.1f SMs", (int)i, seen.sms[i + 2]);
}
