/*
 * Baymax on random mixes: the headroom of every query is worked out here a second time, from what
 * the policy was told and what it issued, by Eq. 3 and 4 of the paper (ASPLOS'16) alone.
 */
#include "policy_mix.h"
#include "policy_spy.h"

#include "run/profiling.h"

#ifdef COTENANT_SMALL
enum { CASES = 30 };
#else
enum { CASES = 120 };
#endif

enum { QUERIES_MOST = 512 };

/* ---- Headroom a second time ---- */

struct query {
    const struct ct_job *job;
    uint64_t number;            /* 1, 2, 3 ... in the order of launch */
    bool launched, undisturbed; /* undisturbed: came to an idle device, and is the only query */
    int64_t target, self, launch_ps, issued, done; /* sums of predictions of its kernels */
    int64_t headroom, at_launch, batch;            /* batch: issued since the launch */
    int64_t copying; /* pinned batch copies of these that are under way */
};

struct told {
    int64_t predicted;
    bool issued;
    uint64_t launched; /* queries before its issue */
};

static struct {
    struct query queries[QUERIES_MOST + 1]; /* unfinished; launched ones in the order of launch */
    size_t count;
    CT_VEC(struct told) tasks; /* by number */
    int64_t queued, least_target, copies[2], copies_most;
    bool refill, manages, oracle;
    uint32_t under_way; /* tasks issued and not ended */
    uint64_t number, copying, held, looked;
    uint64_t met, waited, launches, several, kernels, equal, pinned, held_by_nobody;
} world;

static bool is_service(const struct ct_client *client) {
    return client->role == CT_SERVICE;
}

static bool is_kernel(const struct ct_task *task) {
    return task->kind != CT_TASK_COPY || task->direction == CT_COPY_DEVICE;
}

static struct query *query_of(const struct ct_job *job) {
    for (size_t i = 0; i < world.count; i++)
        if (world.queries[i].job == job)
            return &world.queries[i];
    return NULL;
}

static struct told *told_of(const struct ct_task *task) {
    while (world.tasks.count <= task->number)
        assert_true(ct_vec_push(&world.tasks, (struct told){0}));
    return &world.tasks.items[task->number];
}

static void see_client(struct ct_context *context, const struct ct_client *client) {
    struct ct_device_info device;
    context->host->device(context, &device);
    world.copies_most = (int64_t)(device.pcie_bytes_per_s / device.pcie_pageable_bytes_per_s) - 1;
    world.copies_most = world.copies_most < 1 ? 1 : world.copies_most;
    if (is_service(client) && client->qos_ps < world.least_target)
        world.least_target = client->qos_ps;
}

static void see_job(struct ct_context *context, const struct ct_job *job) {
    struct ct_prediction prediction = {0};
    if (!is_service(job->client))
        return;
    assert_true(world.count < QUERIES_MOST);
    struct query *q = &world.queries[world.count++];
    *q = (struct query){.job = job, .target = job->client->qos_ps};
    q->undisturbed = world.count == 1 && world.under_way == 0;
    for (size_t i = 0; i + 1 < world.count; i++)
        world.queries[i].undisturbed = false;
    assert_true((spy.watch->predict_job ? spy.watch->predict_job : context->host->predict_job)(
        context, job, 1000, &prediction));
    q->self = (int64_t)(prediction.duration_ps + 0.5);
}

static int64_t positive(int64_t value) {
    return value > 0 ? value : 0;
}

/* Sum of t_i: of the queries launched before this one, less their completed kernels. */
static int64_t remaining_before(const struct query *query) {
    int64_t sum = 0;
    for (const struct query *q = world.queries; q < query; q++)
        sum += q->launched ? positive(q->self - q->done) : 0;
    return sum;
}

/* Eq. 3. Launched queries stand before the others, in the order of their launch. */
static void launch(struct ct_context *context, const struct ct_job *job) {
    struct query q = *query_of(job);
    size_t from = (size_t)(query_of(job) - world.queries), to = 0;
    while (world.queries[to].launched)
        to++;
    memmove(&world.queries[to + 1], &world.queries[to], (from - to) * sizeof q);
    q.launched = true;
    q.number = ++world.number;
    q.launch_ps = context->host->now(context);
    world.queries[to] = q;
    world.queries[to].headroom = world.queries[to].at_launch =
        q.target - world.queued - q.self - remaining_before(&world.queries[to]);
    world.launches++;
    world.several += to > 0;
}

static void see_ready(struct ct_context *context, const struct ct_task *task) {
    struct ct_prediction prediction = {0};
    assert_true(context->host->predict_task(context, task, 1000, &prediction));
    told_of(task)->predicted = (int64_t)(prediction.duration_ps + 0.5);
}

/* A query is active from its first task, a copy or a kernel. */
static void see_launch(struct ct_context *context, const struct ct_task *task) {
    if (is_service(task->client) && !query_of(task->job)->launched)
        launch(context, task->job);
}

/* Eq. 4, right after a kernel of a query was issued; T_q holds it already. */
static void refill(struct ct_context *context, struct query *q) {
    int64_t used = context->host->now(context) - q->launch_ps;
    q->headroom = (q->target - used) - world.queued - positive(q->self - q->issued) -
                  remaining_before(q) - q->copying;
    world.copying += q->copying > 0;
}

static void see_service_kernel(struct ct_context *context, const struct ct_task *task, int64_t t) {
    struct query *own = query_of(task->job);
    own->issued += t;
    for (struct query *q = world.queries; q < own; q++)
        q->headroom -= t;
    if (world.refill)
        refill(context, own);
}

/* What is taken from everybody must fit everybody. */
static void take(int64_t t) {
    for (struct query *q = world.queries; q->launched; q++) {
        assert_true(t <= q->headroom);
        world.equal += t == q->headroom;
        q->headroom -= t;
        q->batch += t;
    }
    world.held_by_nobody += !world.queries[0].launched;
}

static void see_batch_copy(const struct ct_task *task, int64_t t) {
    assert_true(++world.copies[task->direction] <= world.copies_most || !world.manages);
    if (task->pinned && world.manages) {
        world.pinned++;
        take(t);
        for (struct query *q = world.queries; q->launched; q++)
            q->copying += t;
    }
}

/* A pinned copy that has ended: of the queries that were there when it was issued. */
static void end_pinned(const struct ct_task *task, const struct told *told) {
    if (!task->pinned || !world.manages)
        return;
    for (struct query *q = world.queries; q->launched; q++)
        q->copying -= q->number <= told->launched ? told->predicted : 0;
}

static void see_issue(struct ct_context *context, const struct ct_task *task,
                      const struct ct_grant *grant) {
    struct told *told = told_of(task);
    told->issued = true;
    told->launched = world.number;
    world.under_way++;
    if (is_kernel(task)) {
        assert_true(world.queued <= world.least_target);
        world.queued += told->predicted;
    }
    if (is_service(task->client)) {
        if (is_kernel(task))
            see_service_kernel(context, task, told->predicted);
    } else if (is_kernel(task)) {
        world.kernels++;
        take(told->predicted);
    } else
        see_batch_copy(task, told->predicted);
}

static void see_done(struct ct_context *context, const struct ct_task *task) {
    int64_t t = told_of(task)->predicted;
    assert_true(told_of(task)->issued);
    world.under_way--;
    if (is_kernel(task))
        world.queued -= t;
    else if (!is_service(task->client)) {
        world.copies[task->direction]--;
        end_pinned(task, told_of(task));
    }
    if (is_service(task->client) && is_kernel(task))
        query_of(task->job)->done += t;
}

/* What ends for certain in time, when kernels run one after the other and predictions are true:
 * T_self + T_other <= T_tgt (section 5.2.2). A picosecond per task is rounding. */
static void check_target(struct ct_context *context, const struct query *q) {
    int64_t latency = context->host->now(context) - q->job->arrival_ps;
    if (!q->undisturbed || q->launch_ps != q->job->arrival_ps || q->self > q->target)
        return;
    assert_true(latency <= q->target + 1000);
    world.met++;
    world.waited += latency > q->self + 1000;
}

/* Section 5.2.2: without refill, what was launched during a query is within its first headroom. */
static void see_end(struct ct_context *context, const struct ct_job *job) {
    struct query *q = query_of(job);
    if (!q)
        return;
    if (!world.refill)
        assert_true(q->batch <= positive(q->at_launch));
    if (world.oracle)
        check_target(context, q);
    memmove(q, q + 1, (size_t)(&world.queries[--world.count] - q) * sizeof *q);
    world.queries[world.count] = (struct query){0};
}

/* Whether the rules hold what stays in the pool: sections 5.2.1 and 5.2.2, Eq. 5 and section 6.2.
 */
static bool is_held(struct ct_context *context, const struct ct_task *task) {
    int64_t headroom = INT64_MAX, t = told_of(task)->predicted;
    for (const struct query *q = world.queries; q->launched; q++)
        headroom = q->headroom < headroom ? q->headroom : headroom;
    if (is_kernel(task))
        return (world.under_way > 0 && world.queued > world.least_target) ||
               (!is_service(task->client) && t > headroom);
    return !is_service(task->client) && world.manages &&
           (context->host->tasks_ahead(context, task) > 0 ||
            world.copies[task->direction] >= world.copies_most || (task->pinned && t > headroom));
}

static void see_decision(struct ct_context *context) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task)) {
        assert_true(is_held(context, task));
        world.held++;
    }
    world.looked++;
}

/* The policy's own numbers, where it notes them. */
static void see_note(struct ct_context *context, const struct ct_task *task, const char *key,
                     double value) {
    if (strcmp(key, "headroom_first_ps") == 0)
        assert_true((double)query_of(task->job)->at_launch == value);
    if (strcmp(key, "headroom_refill_ps") == 0)
        assert_true((double)query_of(task->job)->headroom == value);
    if (strcmp(key, "issue_tq_ps") == 0)
        assert_true((double)world.queued == value);
}

static const struct spy_watch watch = {.client_join = see_client,
                                       .job_begin = see_job,
                                       .job_end = see_end,
                                       .task_launch = see_launch,
                                       .task_ready = see_ready,
                                       .task_done = see_done,
                                       .issued = see_issue,
                                       .decided = see_decision,
                                       .noted = see_note};

/* All but the counts. */
static void forget_world(const struct ct_policy *policy) {
    ct_vec_free(&world.tasks);
    memset(world.queries, 0, sizeof world.queries);
    world.count = world.under_way = 0;
    world.number = 0;
    world.queued = world.copies[0] = world.copies[1] = 0;
    world.least_target = INT64_MAX;
    world.refill = policy != &policy_baymax_nc;
    world.manages = policy != &policy_baymax_np;
    world.oracle = false;
}

/* ---- The tests ---- */

static const struct ct_policy *const variants[] = {&policy_baymax, &policy_baymax_nc,
                                                   &policy_baymax_np};

static void train(struct run_case *c, const struct ct_policy *policy, struct predict_bank **bank) {
    if (profiling_train(&c->setup, policy, 1, NULL, NULL, bank, &c->diags) != CT_OK)
        run_case_fail(c, "profiling failed");
}

/* Every second case with the truth about tasks, the others with predictors that learn. */
TEST(nothing_is_issued_beyond_a_headroom) {
    for (uint64_t n = 0; n < 2 * CASES; n++) {
        const struct ct_policy *policy = variants[n % 3];
        struct mix_kind kind = {.block = n % 2, .waits = n / 4 % 2};
        struct ct_policy spied = spy_on(policy, &watch);
        CLOSED_BY(run_case_close) struct run_case c;
        CLOSED_BY(run_case_result_free) struct run_case_result r;
        FREED_BY(predict_bank_free) struct predict_bank *bank;
        struct mix mix;
        mix_make(&mix, 100 + n / 2, &kind);
        if (getenv("COTENANT_TEST_VERBOSE"))
            print_message("mix %" PRIu64 " under %s\n", n, policy->name);
        run_case_open(&c, mix.json, NULL);
        train(&c, policy, &bank);
        forget_world(policy);
        run_case_run(&c,
                     &(struct run_case_params){
                         .policy = &spied, .seed = n, .trained = bank, .estimates = n / 2 % 2 == 0},
                     &r);
    }
    /* The mixes do try it. */
    assert_true(world.several > 8 * CASES && world.kernels > 8 * CASES &&
                world.pinned > CASES * 5 / 6);
    assert_true(world.launches > world.several && world.held_by_nobody > CASES * 5 / 6);
    assert_true(world.copying > CASES / 10 && world.held > CASES && world.looked > world.held / 8);
}

/* Sum of solo durations of a job's kernels, which draw the same under any policy. */
static struct run_case_result alone[MIX_APPS];

static bool predict_truth(struct ct_context *context, const struct ct_job *job, int64_t share,
                          struct ct_prediction *prediction) {
    const struct run_case_result *r = &alone[job->client->index];
    double sum = 0;
    for (size_t i = 0; i < r->tasks.count; i++)
        sum += r->tasks.items[i].job == job->number ? r->tasks.items[i].work_ps : 0;
    prediction->duration_ps = sum;
    return true;
}

static void run_alone(struct run_case *c, const struct mix *mix, uint64_t seed) {
    struct run_case_params params = {.policy = &policy_mps, .seed = seed, .alone = true};
    for (params.only_app = 0; params.only_app < mix->count; params.only_app++)
        run_case_run(c, &params, &alone[params.only_app]);
}

/* Exclusive use of the device, true predictions, no refill. Services stand first in a mix, with one
 * instance each. */
TEST(undisturbed_queries_meet_their_targets) {
    struct spy_watch knowing = watch;
    knowing.predict_job = predict_truth;
    for (uint64_t n = 0; n < 2 * CASES; n++) {
        struct mix_kind kind = {.no_ties = true, .no_copies = true, .block = n % 2};
        struct ct_policy spied = spy_on(&policy_baymax_nc, &knowing);
        CLOSED_BY(run_case_close) struct run_case c;
        CLOSED_BY(run_case_result_free) struct run_case_result r;
        struct mix mix;
        spied.sharing = CT_SHARING_EXCLUSIVE;
        mix_make(&mix, 500 + n / 2, &kind);
        run_case_open(&c, mix.json, NULL);
        run_alone(&c, &mix, n);
        forget_world(&policy_baymax_nc);
        world.oracle = true;
        run_case_run(&c, &(struct run_case_params){.policy = &spied, .seed = n}, &r);
        for (uint32_t a = 0; a < mix.count; a++)
            run_case_result_free(&alone[a]);
    }
    assert_true(world.met > CASES * 5 / 2 && world.waited > CASES / 5);
}
