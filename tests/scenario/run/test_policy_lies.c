/* Policies that lie: each untruth is refused and told with its reason, or ends the run as a policy
 * fault; none harms the run's own memory (for the sanitizers) or keeps it from its end. */
#include "run_case.h"

static const char workload[] =
    "{\"gpu\": \"v100\", \"duration_s\": 0.05, \"warmup_s\": 0, \"apps\": ["
    "{\"name\": \"a\", \"synthetic\": {\"kernels\": 2, \"duration_ms\": 1}}, "
    "{\"name\": \"b\", \"synthetic\": {\"kernels\": 3, \"duration_ms\": 2}}]}";

/* What decide tells, once a run with the first task that is ready. */
typedef void tell(struct ct_context *context, const struct ct_task *task);

static struct {
    tell *tell;
    bool told, issues;
    const struct ct_task *first;
} lie;

static void decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
    const struct ct_task *task = host->ready_next(context, NULL), *next;
    if (lie.tell && task && !lie.told) {
        lie.told = true;
        lie.first = task;
        lie.tell(context, task);
    }
    for (task = host->ready_next(context, NULL); task && lie.issues; task = next) {
        next = host->ready_next(context, task);
        host->issue(context, task, NULL);
    }
}

static void untimely_print(struct ct_context *context) {
    context->host->print(context, NULL, 1);
    context->host->print(context, "ratio", NAN);
}

static struct ct_policy liar = {.abi = CT_POLICY_ABI,
                                .size = sizeof(struct ct_policy),
                                .name = "liar",
                                .sharing = CT_SHARING_MPS,
                                .decide = decide,
                                .report = untimely_print};

/* Runs `policy`; the status must be this, the verbs rejected in `report` left out, and every text
 * told in words. */
static void run(const struct ct_policy *policy, tell *what, int status, uint64_t rejected,
                const char *const *says) {
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(sim_result_free) struct sim_result result;
    lie.tell = what;
    lie.told = false;
    lie.issues = true;
    run_case_open(&c, workload, NULL);
    struct sim_params params = {.setup = &c.setup,
                                .policy = policy,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = 50 * CT_PS_PER_MS,
                                .oracle = true,
                                .dump_at_ps = CT_TIME_NEVER};
    int is = sim_run(&params, &result, &c.diags);
    if (is != status)
        run_case_fail(&c, "another status");
    for (; *says; says++) {
        bool said = false;
        for (size_t i = 0; i < c.diags.count; i++)
            said |= strstr(c.diags.items[i].text, *says) != NULL;
        if (!said)
            run_case_fail(&c, *says);
    }
    if (status == CT_OK && policy->report)
        assert_int_equal(result.rejected_verbs, rejected);
}

#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- Tasks, clients and jobs that are none ---- */

static void issue_twice(struct ct_context *context, const struct ct_task *task) {
    assert_true(context->host->issue(context, task, NULL));
    assert_false(context->host->issue(context, task, NULL));
}

static void use_unknown_tasks(struct ct_context *context, const struct ct_task *task) {
    static const struct ct_task own;
    const struct ct_host *host = context->host;
    FREED_BY(free)
    struct ct_task *copy = malloc(sizeof *copy); /* so that a step beyond it is seen */
    struct ct_prediction prediction;
    double time_ps;
    assert_non_null(copy);
    *copy = *task;
    assert_false(host->issue(context, NULL, NULL));
    assert_false(host->issue(context, &own, NULL));
    assert_false(host->issue(context, copy, NULL));
    assert_false(host->issue(context, (const struct ct_task *)((const char *)task + 16), NULL));
    assert_false(host->preempt(context, copy));
    assert_false(host->feedback(context, copy));
    assert_false(host->feedback_call(context, copy));
    assert_false(host->predict_task(context, copy, 1000, &prediction));
    assert_true(isnan(prediction.duration_ps));
    assert_false(host->predict_call(context, copy, 1000, &prediction));
    assert_false(host->predict_completion(context, copy, NULL, &time_ps));
    assert_null(host->upcoming(context, copy));
    assert_int_equal(host->tasks_ahead(context, copy), 0);
    assert_null(host->ready_next(context, copy));
    host->note(context, copy, "x", 1);
}

static void use_unknown_clients(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    FREED_BY(free) struct ct_client *client = malloc(sizeof *client);
    FREED_BY(free) struct ct_job *job = malloc(sizeof *job);
    struct ct_counters counters = {0};
    struct ct_prediction prediction;
    double progress;
    assert_true(client && job);
    *client = *task->client;
    *job = *task->job;
    assert_false(host->set_share(context, client, 500));
    assert_false(host->set_share(context, NULL, 500));
    assert_false(host->set_mem_weight(context, client, 1));
    assert_false(host->set_slice(context, client, 0));
    host->counters(context, client, &counters);
    assert_null(host->job_next(context, client, NULL));
    assert_null(host->job_next(context, task->client, job));
    assert_false(host->predict_job(context, job, 1000, &prediction));
    assert_false(host->predict_progress(context, client, &counters, &counters, 4, &progress));
}

TEST(unknown_objects_are_refused) {
    run(&liar, issue_twice, CT_OK, 2, SAYS("issue rejected in decide: the task is not ready"));
    run(&liar, use_unknown_tasks, CT_OK, 15,
        SAYS("issue rejected in decide: that is no task of this run"));
    run(&liar, use_unknown_clients, CT_OK, 9,
        SAYS("set_share rejected in decide: that is no client of this run",
             "job_next rejected in decide: that is no job of this run"));
}

/* ---- Holds: of what is ready, for a reason of the policy's ---- */

static const struct ct_reason liars_reasons[] = {{"held", "because of {held}", CT_VERB_HOLD}, {0}};

static void hold_what_is_gone(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    struct ct_task copy = *task;
    assert_true(host->hold(context, task, 0) && host->hold(context, task, 0));
    assert_false(host->hold(context, task, 1));
    assert_false(host->hold(context, task, UINT32_MAX));
    assert_false(host->hold(context, &copy, 0));
    assert_false(host->hold(context, NULL, 0));
    assert_true(host->issue(context, task, NULL));
    assert_false(host->hold(context, task, 0));
}

static void hold_for_nothing(struct ct_context *context, const struct ct_task *task) {
    assert_false(context->host->hold(context, task, 0));
}

TEST(holds_are_of_ready_tasks) {
    struct ct_policy reasonable = liar;
    reasonable.reasons = liars_reasons;
    run(&reasonable, hold_what_is_gone, CT_OK, 6,
        SAYS("hold rejected in decide: the task is not ready",
             "hold rejected in decide: that is no task of this run",
             "hold rejected in decide: the policy's table has no such reason"));
    run(&liar, hold_for_nothing, CT_OK, 2, SAYS("the policy's table has no such reason"));
}

/* ---- Numbers that cannot be ---- */

static void give_wrong_quotas(struct ct_context *context, const struct ct_task *task) {
    static const int64_t shares[] = {0, -5, 1001, INT64_MIN, INT64_MAX, INT64_C(4294967296) + 500};
    const struct ct_host *host = context->host;
    struct ct_prediction prediction;
    for (size_t i = 0; i < CT_COUNT_OF(shares); i++) {
        assert_false(host->set_share(context, task->client, shares[i]));
        assert_false(host->issue(context, task, &(struct ct_grant){.share = shares[i]}));
    }
    assert_false(host->predict_task(context, task, INT64_C(4294967296) + 500, &prediction));
    assert_false(host->predict_job(context, task->job, -1, &prediction));
}

static void give_wrong_times(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    assert_false(host->issue(context, task, &(struct ct_grant){.share = 1000, .delay_ps = -1}));
    assert_false(host->issue(context, task, &(struct ct_grant){.share = 1000, .reserved = 1}));
    assert_false(host->charge(context, -1));
    assert_false(host->timer(context, host->now(context) - 1, 0));
    assert_false(host->timer(context, INT64_MIN, 0));
}

/* Accepted, and never to come: the sums must not overflow. */
static void give_endless_times(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    assert_true(host->timer(context, INT64_MAX, 0));
    assert_true(
        host->issue(context, task, &(struct ct_grant){.share = 1000, .delay_ps = INT64_MAX}));
    assert_true(host->charge(context, INT64_MAX));
    assert_true(host->charge(context, INT64_MAX));
}

static void give_no_numbers(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    host->note(context, task, "x", NAN); /* a note may be unknown */
    host->note(context, task, NULL, 1);
    host->print(context, "x", NAN);
}

TEST(wrong_numbers_are_refused) {
    run(&liar, give_wrong_quotas, CT_OK, 13,
        SAYS("rejected in decide: the share is not from 1 to"));
    run(&liar, give_wrong_times, CT_OK, 6,
        SAYS("issue rejected in decide: the time is negative",
             "issue rejected in decide: a reserved member of the grant is not 0",
             "timer rejected in decide: the time has passed"));
    run(&liar, give_endless_times, CT_OK, 1, SAYS("print rejected in report: the key is NULL"));
    run(&liar, give_no_numbers, CT_OK, 3,
        SAYS("note rejected in decide: the key is NULL",
             "print rejected in decide: only in report and dump"));
}

/* ---- Partitions ---- */

static void repartition_shared(struct ct_context *context, const struct ct_task *task) {
    static const int64_t halves[] = {40, 40};
    assert_false(context->host->repartition(context, halves, 2, CT_MOVE_AUTO));
}

static void repartition_wrongly(struct ct_context *context, const struct ct_task *task) {
    static const int64_t sums[][2] = {{41, 40}, {-1, 40}, {INT64_MAX, INT64_MAX}, {81, 0}};
    static const int64_t halves[] = {40, 40};
    const struct ct_host *host = context->host;
    for (size_t i = 0; i < CT_COUNT_OF(sums); i++)
        assert_false(host->repartition(context, sums[i], 2, CT_MOVE_AUTO));
    assert_false(host->repartition(context, NULL, 2, CT_MOVE_AUTO));
    assert_false(host->repartition(context, halves, 1, CT_MOVE_AUTO));
    assert_false(host->repartition(context, halves, 2, 77));
    assert_false(host->repartition(context, halves, 2, CT_MOVE_SWITCH));
}

TEST(wrong_partitions_are_refused) {
    struct ct_policy parted = liar;
    parted.sharing = CT_SHARING_PARTITION;
    run(&liar, repartition_shared, CT_OK, 2, SAYS("sharing is not CT_SHARING_PARTITION"));
    run(&parted, repartition_wrongly, CT_OK, 9,
        SAYS("repartition rejected in decide: not one number of SMs per client",
             "repartition rejected in decide: the move is none of enum ct_move"));
}

/* ---- What the policy has not said that it needs, or cannot have under its sharing ---- */

static void cap(struct ct_context *context, const struct ct_task *task) {
    assert_false(context->host->set_share(context, task->client, 500));
    assert_int_equal(task->client->cap, 1000);
}

static void slice(struct ct_context *context, const struct ct_task *task) {
    assert_false(context->host->set_slice(context, task->client, 0));
}

static void predict(struct ct_context *context, const struct ct_task *task) {
    const struct ct_host *host = context->host;
    struct ct_prediction prediction;
    double time_ps;
    assert_false(host->predict_task(context, task, 1000, &prediction));
    assert_true(isnan(prediction.duration_ps));
    assert_false(host->predict_call(context, task, 1000, &prediction));
    assert_false(host->predict_job(context, task->job, 1000, &prediction));
    assert_false(host->predict_completion(context, task, NULL, &time_ps));
}

TEST(what_is_not_named_is_refused) {
    struct ct_policy parted = liar;
    parted.sharing = CT_SHARING_PARTITION;
    run(&parted, cap, CT_OK, 2,
        SAYS(
            "set_share rejected in decide: under CT_SHARING_PARTITION only a client with a slice"));
    run(&liar, slice, CT_OK, 2,
        SAYS("set_slice rejected in decide: the policy's needs do not name CT_NEED_SLICES"));
    run(&liar, predict, CT_OK, 5,
        SAYS("predict_task rejected in decide: the policy's features do not name CT_PREDICTS"));
}

/* Slices under MPS would be accepted and change nothing. */
TEST(slices_go_with_partitions) {
    const struct gpu gpu = {.name = "g", .mig = "1g:10:1"};
    struct ct_diags diags = {0};
    struct ct_policy sliced = liar;
    sliced.needs = CT_NEED_SLICES;
    assert_int_equal(sim_check_needs(&sliced, NULL, &gpu, &diags), CT_USAGE);
    assert_non_null(strstr(diags.items[0].text, "CT_SHARING_PARTITION alone"));
    sliced.sharing = CT_SHARING_PARTITION;
    assert_int_equal(sim_check_needs(&sliced, NULL, &gpu, &diags), CT_OK);
    ct_diags_free(&diags);
}

/* ---- Turns without end ---- */

static void stand_still(struct ct_context *context, uint64_t id) {
    assert_true(context->host->timer(context, context->host->now(context), id));
}

static void creep(struct ct_context *context, uint64_t id) {
    assert_true(context->host->timer(context, context->host->now(context) + 1, id));
}

static void begin_turns(struct ct_context *context, const struct ct_task *task) {
    lie.issues = false;
    assert_true(context->host->timer(context, context->host->now(context), 0));
}

static void flood(struct ct_context *context, const struct ct_task *task) {
    int64_t later = context->host->now(context) + CT_PS_PER_S;
    uint64_t id = 0;
    while (context->host->timer(context, later, id))
        assert_true(++id <= 1000000);
}

static void swap(struct ct_context *context) {
    static const int64_t parts[2][2] = {{30, 50}, {50, 30}};
    static unsigned turn;
    assert_true(context->host->repartition(context, parts[++turn % 2], 2, CT_MOVE_DRAIN));
}

static void begin_swaps(struct ct_context *context, const struct ct_task *task) {
    lie.issues = false;
    swap(context);
}

TEST(turns_without_end_are_a_fault) {
    static const char *const says[] = {"policy fault in timer at 0.000743301 s",
                                       "a million timers or repartitions in a row", NULL};
    struct ct_policy turning = liar;
    turning.timer = stand_still;
    run(&turning, begin_turns, CT_POLICY_FAULT, 0, says);
    turning.timer = creep;
    run(&turning, begin_turns, CT_POLICY_FAULT, 0, SAYS("a million timers"));
    run(&liar, flood, CT_POLICY_FAULT, 0, SAYS("it waits for a million timers"));
    turning.timer = NULL;
    turning.sharing = CT_SHARING_PARTITION;
    turning.repartition_done = swap;
    run(&turning, begin_swaps, CT_POLICY_FAULT, 0,
        SAYS("policy fault in repartition_done", "a million timers or repartitions"));
}

/* ---- Tasks that are gone ---- */

static void issue_the_first_again(struct ct_context *context, const struct ct_task *task) {
    if (task == lie.first)
        context->host->issue(context, task, NULL);
}

static void remember(struct ct_context *context, const struct ct_task *task) {
    lie.first = task;
}

TEST(an_ended_task_is_refused) {
    struct ct_policy late = liar;
    late.report = NULL;
    late.task_done = issue_the_first_again;
    run(&late, remember, CT_OK, 0, SAYS("issue rejected in task_done: the task is not ready"));
}
