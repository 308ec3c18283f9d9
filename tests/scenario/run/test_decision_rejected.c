/* A verb that the host rejects is in the log with whom it was about, and as an entry of its own. */
#include "run_case.h"

static struct {
    struct sim_decision issue; /* the last accepted one */
    uint32_t issues, shares;
} rejected;

/* Issues each task twice, and gives its application no threads at all. */
static void decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
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

/* Runs two applications of 5 kernels together. */
static void run_logged(const struct ct_policy *policy,
                       void (*decided)(void *context, const struct sim_decision *d),
                       struct sim_result *result) {
    static const char workload[] =
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.1, "
        "\"warmup_s\": 0, \"defaults\": {\"arrivals\": {\"process\": \"once\"}}, \"apps\": ["
        "{\"name\": \"a\", \"synthetic\": {\"kernels\": 2, \"duration_ms\": 2}}, "
        "{\"name\": \"b\", \"synthetic\": {\"kernels\": 3, \"duration_ms\": 2}}]}";
    struct run_case c;
    struct sim_observer observer = {.decided = decided};
    run_case_open(&c, workload, NULL);
    struct sim_params params = {.setup = &c.setup,
                                .policy = policy,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = CT_PS_PER_S / 10,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, result, &c.diags) != CT_OK)
        run_case_fail(&c, policy->name);
    run_case_close(&c);
}

TEST(rejected_verbs_name_whom) {
    CLOSED_BY(sim_result_free) struct sim_result result;
    run_logged(&clumsy, see_decision, &result);
    assert_int_equal(rejected.issues, 5);
    assert_int_equal(rejected.shares, 5);
    assert_int_equal(result.rejected_verbs, 10);
}

/* ---- What is said before an issue ---- */

static const struct ct_reason reasons[] = {{"held", "for {held}", CT_VERB_HOLD}, {0}};

/* Each task: an issue that is refused, one that is accepted after a note, a note afterwards. In
 * task_ready: a note, a hold whose number comes first, one whose comes last, one without. */
static void hasty_decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task; (task = host->ready_next(context, NULL)) != NULL;) {
        assert_false(host->issue(context, task, &(struct ct_grant){.share = 0}));
        assert_true(host->issue(context, task, NULL));
        host->note(context, task, "after", 3);
    }
}

static void hasty_ready(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    host->note(context, task, "before", 1);
    host->hold(context, task, 0);
    host->note(context, task, "other", 4);
    host->hold(context, task, 0);
    host->note(context, task, "held", 2);
    host->hold(context, task, 0);
    host->note(context, task, "more", 5);
    host->note(context, task, "most", 6);
    host->note(context, task, "held", 7);
}

static const struct ct_policy hasty = {.abi = CT_POLICY_ABI,
                                       .size = sizeof(struct ct_policy),
                                       .name = "hasty",
                                       .sharing = CT_SHARING_MPS,
                                       .task_ready = hasty_ready,
                                       .decide = hasty_decide,
                                       .reasons = reasons};

static uint32_t entries[CT_VERBS][CT_OUTCOMES];

static void expect_note(const struct sim_decision *d, size_t at, const char *key, double value) {
    assert_true(at < d->note_count);
    assert_string_equal(d->notes[at].key, key);
    assert_true(d->notes[at].value == value || (isnan(value) && isnan(d->notes[at].value)));
}

static void see_entry(void *context, const struct sim_decision *d) {
    entries[d->verb][d->outcome]++;
    if (d->verb == CT_VERB_NOTE)
        expect_note(d, 0, "before", 1);
    if (d->verb == CT_VERB_ISSUE && d->outcome == CT_DONE)
        expect_note(d, 0, "after", 3);
    if (d->verb == CT_VERB_HOLD && d->note_count == 1)
        expect_note(d, 0, "held", 2);
    if (d->verb == CT_VERB_HOLD && d->note_count == 2) {
        expect_note(d, 0, "held", NAN);
        expect_note(d, 1, "other", 4);
    }
    if (d->verb == CT_VERB_HOLD && d->note_count > 2) {
        assert_int_equal(d->note_count, 3);
        expect_note(d, 0, "held", 7);
        expect_note(d, 2, "most", 6);
    }
}

TEST(every_entry_is_its_own) {
    CLOSED_BY(sim_result_free) struct sim_result result;
    run_logged(&hasty, see_entry, &result);
    assert_int_equal(entries[CT_VERB_NOTE][CT_DONE], 5);
    assert_int_equal(entries[CT_VERB_HOLD][CT_DONE], 15);
    assert_int_equal(entries[CT_VERB_ISSUE][CT_REJECTED], 5);
    assert_int_equal(entries[CT_VERB_ISSUE][CT_DONE], 5);
    assert_int_equal(result.decisions, 10); /* issues, refused or not */
}
