/* A verb that the host rejects is in the log with whom it was about. */
#include "run_case.h"

static struct {
    struct sim_decision issue; /* the last accepted one */
    uint32_t issues, shares;
} rejected;

/* Issues each task twice, and gives its application no threads at all. */
static void decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
    (void)why;
    for (const struct ct_task *task; (task = host->ready_next(context, NULL)) != NULL;) {
        assert_true(host->issue(context, task, NULL));
        assert_false(host->issue(context, task, NULL));
        assert_false(host->set_share(context, task->client, 0));
    }
}

static const struct ct_policy clumsy = {.abi = CT_POLICY_ABI,
                                        .size = sizeof(struct ct_policy),
                                        .name = "clumsy",
                                        .summary = "everything twice",
                                        .source = "",
                                        .sharing = CT_SHARING_MPS,
                                        .decide = decide};

static void see_decision(void *context, const struct sim_decision *d) {
    const struct sim_decision *issue = &rejected.issue;
    (void)context;
    if (d->outcome == CT_DONE) {
        assert_int_equal(d->verb, CT_VERB_ISSUE);
        rejected.issue = *d;
        return;
    }
    assert_true(d->app >= 0 && d->app == issue->app && d->instance == issue->instance);
    if (d->verb == CT_VERB_ISSUE) {
        assert_true(d->job >= 0 && d->job == issue->job);
        assert_true(d->task >= 0 && d->task == issue->task);
        rejected.issues++;
    } else {
        assert_int_equal(d->verb, CT_VERB_SET_SHARE);
        assert_true(d->job == -1 && d->task == -1);
        rejected.shares++;
    }
}

static void rejected_verbs_name_whom(void **unused) {
    static const char workload[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.1, "
        "\"warmup_s\": 0, \"defaults\": {\"arrivals\": {\"process\": \"once\"}}, \"apps\": ["
        "{\"name\": \"a\", \"synthetic\": {\"kernels\": 2, \"duration_ms\": 2}}, "
        "{\"name\": \"b\", \"synthetic\": {\"kernels\": 3, \"duration_ms\": 2}}]}";
    struct run_case c;
    struct sim_result result;
    struct sim_observer observer = {.decided = see_decision};
    (void)unused;
    run_case_open(&c, workload, NULL);
    struct sim_params params = {.setup = &c.setup,
                                .policy = &clumsy,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = CT_PS_PER_S / 10,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, &c.diags) != CT_OK)
        run_case_fail(&c, "clumsy");
    assert_int_equal(rejected.issues, 5);
    assert_int_equal(rejected.shares, 5);
    assert_int_equal(result.rejected_verbs, 10);
    sim_result_free(&result);
    run_case_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_verbs_name_whom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
