/*
 * Laius and the policies that partition on random mixes, and what the order and the names of
 * applications may not change. Quotas, lags and bandwidth are worked out here a second time, by
 * Eq. 3, 4 and 6 of Laius (ICS'19).
 */
#include "policy_gossip.h"
#include "policy_mix.h"
#include "policy_spy.h"
#include "scenario/models/device/device_sms.h"

#include "run/profiling.h"
#include "run/run.h"

#ifdef COTENANT_SMALL
enum { PART = 16 };
#else
enum { PART = 1 };
#endif

enum {
    LAIUS_CASES = 48 / PART,
    PARTITION_CASES = 16 / PART,
    CQOS_CASES = PART > 1 ? 4 : 24,
    POOL_CASES = PART > 1 ? 2 : 8,
    ORDER_CASES = PART > 1 ? 1 : 6
};

enum { PARTS = 10, QUERIES_MOST = 512 };

static bool is_service(const struct ct_client *client) {
    return client->role == CT_SERVICE;
}

static bool is_kernel(const struct ct_task *task) {
    return task->kind == CT_TASK_KERNEL;
}

static bool is_host_copy(const struct ct_task *task) {
    return task->kind == CT_TASK_COPY && task->direction != CT_COPY_DEVICE;
}

/* ---- Laius ---- */

struct query {
    const struct ct_job *job;
    int64_t original, quota; /* 0: its first kernel is still to come */
    int64_t held;            /* at least, since it was received; 0: it was not */
    int32_t under_way;       /* of its kernels */
    double late_ps, measured_ps, total_ps[PARTS + 1], done_ps[PARTS + 1];
};

struct told {
    int64_t share, delay_ps;
    double bandwidth;
};

static struct {
    struct query queries[QUERIES_MOST];
    size_t count;
    CT_VEC(struct told) tasks; /* by number */
    double bandwidth, bandwidth_most;
    int64_t batch_parts;
    bool fresh_kernel, fresh_move, limited, compensates;
    uint64_t queries_decided, reserved, part_of_device, raised, rolled_back, batch_kernels,
        nearly_full;
} laius;

static struct query *query_of(const struct ct_job *job) {
    for (size_t i = 0; i < laius.count; i++)
        if (laius.queries[i].job == job)
            return &laius.queries[i];
    return NULL;
}

static struct told *told_of(const struct ct_task *task) {
    while (laius.tasks.count <= task->number)
        assert_true(ct_vec_push(&laius.tasks, (struct told){0}));
    return &laius.tasks.items[task->number];
}

static double duration_at(struct ct_context *context, const struct ct_task *task, int64_t parts) {
    struct ct_prediction prediction;
    assert_true(context->host->predict_task(context, task, 1000 * parts / PARTS, &prediction));
    return prediction.duration_ps;
}

static void see_job(struct ct_context *context, const struct ct_job *job) {
    struct ct_prediction prediction;
    if (!is_service(job->client))
        return;
    assert_true(laius.count < QUERIES_MOST);
    struct query *q = &laius.queries[laius.count++];
    *q = (struct query){.job = job};
    for (int64_t parts = 1; parts <= PARTS; parts++) {
        assert_true(context->host->predict_job(context, job, 1000 * parts / PARTS, &prediction));
        q->total_ps[parts] = prediction.duration_ps;
    }
}

static void see_job_end(struct ct_context *context, const struct ct_job *job) {
    struct query *q = query_of(job);
    if (q)
        *q = laius.queries[--laius.count];
}

/* What 4 % of is the hand-over to a process of another quota (section 8.5): kernels, from this one
 * on. */
static double kernels_at(struct ct_context *context, const struct ct_task *task, int64_t parts) {
    double sum = 0;
    for (; task; task = context->host->upcoming(context, task))
        sum += is_kernel(task) ? duration_at(context, task, parts) : 0;
    return sum;
}

/* Eq. 3, when the first kernel may start. */
static int64_t just_enough(struct ct_context *context, const struct query *q,
                           const struct ct_task *first) {
    double left = (double)(q->job->client->qos_ps) -
                  (double)(q->job->first_ready_ps - q->job->arrival_ps) - q->late_ps;
    for (int64_t parts = 1; parts < PARTS; parts++)
        if (q->total_ps[parts] + 0.04 * kernels_at(context, first, parts) <= left)
            return parts;
    return PARTS;
}

/* What a query that was just received holds at least: Eq. 3 without the hand-over. */
static int64_t held_from_receipt(struct ct_context *context, const struct query *q) {
    int64_t waited = context->host->now(context) - q->job->arrival_ps, parts = 1;
    while (parts < PARTS && q->total_ps[parts] > (double)(q->job->client->qos_ps - waited))
        parts++;
    return parts;
}

/* Eq. 6, T_now at the original quota, as the t_i, for kernels that are not issued yet. */
static int64_t quota_for(const struct query *q, double lag) {
    if (q->job->kernels_left == 0)
        return q->under_way > 0 ? q->quota : q->original;
    for (int64_t parts = q->original; parts < PARTS; parts++) {
        double saved = q->done_ps[q->original] - q->done_ps[parts];
        if (q->total_ps[q->original] - q->total_ps[parts] - saved >= lag)
            return parts;
    }
    return PARTS;
}

static void follow_kernel(struct ct_context *context, const struct ct_task *task, struct query *q) {
    q->under_way--;
    for (int64_t parts = 1; parts <= PARTS; parts++)
        q->done_ps[parts] += duration_at(context, task, parts);
    q->measured_ps += (double)(task->ended_ps - task->issued_ps - told_of(task)->delay_ps);
    double predicted = q->done_ps[q->original], lag = q->measured_ps - predicted;
    int64_t quota = lag > 1e-6 * predicted && laius.compensates ? quota_for(q, lag) : q->original;
    laius.raised += quota > q->quota;
    laius.rolled_back += quota < q->quota;
    q->quota = quota;
}

static void see_done(struct ct_context *context, const struct ct_task *task) {
    struct query *q = query_of(task->job);
    if (!is_host_copy(task))
        laius.bandwidth -= told_of(task)->bandwidth;
    if (is_kernel(task) && !q)
        laius.batch_parts -= told_of(task)->share * PARTS / 1000;
    if (q && q->quota && is_kernel(task))
        follow_kernel(context, task, q);
    if (q && !q->quota && is_host_copy(task)) {
        double late = (double)(task->ended_ps - task->ready_ps) - duration_at(context, task, PARTS);
        q->late_ps += late > 0 ? late : 0;
    }
}

static void see_query_kernel(struct ct_context *context, struct query *q,
                             const struct ct_task *task, int64_t share) {
    if (!q->quota) {
        q->quota = q->original = just_enough(context, q, task);
        laius.queries_decided++;
        laius.part_of_device += q->quota < PARTS;
    }
    q->under_way++;
    assert_int_equal(share, q->quota * 1000 / PARTS);
}

static void see_issue(struct ct_context *context, const struct ct_task *task,
                      const struct ct_grant *grant) {
    struct told *told = told_of(task);
    struct query *q = query_of(task->job);
    struct ct_prediction prediction;
    *told = (struct told){grant->share, grant->delay_ps, 0};
    if (is_host_copy(task))
        return;
    assert_true(context->host->predict_task(context, task, grant->share, &prediction));
    if (prediction.bandwidth_bytes_per_s > 0)
        told->bandwidth = fmin(floor(prediction.bandwidth_bytes_per_s), laius.bandwidth_most);
    laius.bandwidth += told->bandwidth;
    if (q && is_kernel(task))
        see_query_kernel(context, q, task, grant->share);
    if (!q && is_kernel(task))
        laius.batch_parts += grant->share * PARTS / 1000;
    laius.fresh_kernel |= !q && is_kernel(task);
    laius.fresh_move |= !q && !is_kernel(task);
}

/* The quota of one query, from its receipt on (section 4.2). */
static int64_t quota_now(struct ct_context *context, struct query *q) {
    if (!q->held && q->job->active)
        q->held = held_from_receipt(context, q);
    laius.reserved += !q->quota && q->held;
    return q->quota ? q->quota : q->held;
}

/* Eq. 4, whenever batch work was issued. */
static void see_decision(struct ct_context *context) {
    int64_t queries = 0;
    for (size_t i = 0; i < laius.count; i++)
        queries += quota_now(context, &laius.queries[i]);
    if (laius.limited && (laius.fresh_kernel || laius.fresh_move))
        assert_true(laius.bandwidth <= laius.bandwidth_most);
    if (laius.fresh_kernel) {
        assert_true(laius.batch_parts <= PARTS - queries);
        laius.batch_kernels++;
        laius.nearly_full += laius.bandwidth > 0.8 * laius.bandwidth_most;
    }
    laius.fresh_kernel = laius.fresh_move = false;
}

static const struct spy_watch laius_watch = {.job_begin = see_job,
                                             .job_end = see_job_end,
                                             .task_done = see_done,
                                             .issued = see_issue,
                                             .decided = see_decision};

static void run_laius(uint64_t n, const struct ct_policy *policy) {
    struct mix_kind kind = {.block = n % 2};
    struct ct_policy spied = spy_on(policy, &laius_watch);
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result r;
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    struct mix mix;
    mix_make(&mix, 900 + n / 2, &kind);
    run_case_open(&c, mix.json, NULL);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    laius.count = 0;
    laius.bandwidth = 0;
    laius.batch_parts = 0;
    laius.bandwidth_most = c.setup.gpu.dram_gb_s * 1e9;
    laius.limited = policy != &policy_laius_nb;
    laius.compensates = policy != &policy_laius_nc;
    ct_vec_free(&laius.tasks);
    run_case_run(&c,
                 &(struct run_case_params){
                     .policy = &spied, .seed = n, .trained = bank, .estimates = n / 2 % 2 == 0},
                 &r);
}

TEST(laius_keeps_its_constraints) {
    static const struct ct_policy *const variants[] = {&policy_laius, &policy_laius_nb,
                                                       &policy_laius_nc};
    for (uint64_t n = 0; n < LAIUS_CASES; n++)
        run_laius(n, variants[n % 3]);
    ct_vec_free(&laius.tasks);
    assert_true(laius.reserved > 1000 / PART);
    assert_true(laius.queries_decided > 1000 / PART && laius.part_of_device > 300 / PART);
    assert_true(laius.raised > 100 / PART && laius.rolled_back > 10 / PART);
    assert_true(laius.batch_kernels > 1000 / PART && laius.nearly_full > 30 / PART);
}

/* ---- Partitions ---- */

static struct {
    uint32_t clients;
    uint64_t partitions, uneven;
    bool spares; /* the policy may leave SMs idle: C-QoS' family takes them from the idle pool */
} parted;

static void see_client(struct ct_context *context, const struct ct_client *client) {
    parted.clients = client->index + 1;
}

static void see_partition(struct ct_context *context, const int64_t *sms, uint32_t clients) {
    int64_t sum = 0, least = INT64_MAX, most = 0;
    struct ct_device_info device;
    context->host->device(context, &device);
    assert_true(clients >= parted.clients);
    for (uint32_t i = 0; i < clients; i++) {
        assert_true(sms[i] >= 0);
        sum += sms[i];
        if (sms[i] > 0)
            least = sms[i] < least ? sms[i] : least;
        most = sms[i] > most ? sms[i] : most;
    }
    assert_true(sum == device.sms || (parted.spares && sum < device.sms));
    parted.partitions++;
    parted.uneven += most - least > 1;
}

static const struct spy_watch partition_watch = {
    .client_join = see_client, .repartitioned = see_partition, .counters = gossip_counters};

static void run_parted(uint64_t n, const struct ct_policy *policy) {
    struct mix_kind kind = {.block = n % 2, .no_copies = true};
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result r;
    struct mix mix;
    struct ct_policy spied = spy_on(policy, &partition_watch);
    parted.clients = 0;
    gossip = (struct gossip){0};
    mix_make(&mix, 1300 + n / 2, &kind);
    run_case_open(&c, mix.json, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = &spied, .seed = n}, &r);
}

TEST(partitions_sum_to_the_sms) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t p = 0; p < count; p++) {
        parted.partitions = parted.uneven = 0;
        parted.spares = strncmp(all[p]->source, "C-QoS", 5) == 0;
        for (uint64_t n = 0; n < PARTITION_CASES && all[p]->sharing == CT_SHARING_PARTITION; n++)
            if (spy_runs_on_any(all[p]))
                run_parted(n, all[p]);
        bool moves = strncmp(all[p]->name, "hsm-", 4) == 0;
        assert_true(!moves || (parted.partitions > 1000 / PART && parted.uneven > 300 / PART));
    }
}

/* ---- C-QoS ---- */

/* The five resources of its Eq. 1: blocks, threads, registers and shared memory of each SM, and the
 * host link, whose engines take one copy at a time. */
static struct {
    struct ct_device_info device;
    int64_t sms_of[64];
    uint32_t copies[2];
    uint64_t kernels, moved, full_sms;
} held;

static void hold_client(struct ct_context *context, const struct ct_client *client) {
    context->host->device(context, &held.device);
    held.sms_of[client->index] = 0;
}

static void hold_partition(struct ct_context *context, const int64_t *sms, uint32_t clients) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < clients; i++)
        sum += held.sms_of[i] = sms[i];
    assert_true(sum <= held.device.sms);
    held.moved++;
}

static void hold_issue(struct ct_context *context, const struct ct_task *task,
                       const struct ct_grant *grant) {
    if (is_host_copy(task))
        assert_int_equal(++held.copies[task->direction], 1);
    if (is_kernel(task)) {
        assert_true(held.sms_of[task->client->index] > 0);
        held.kernels++;
    }
}

static void hold_done(struct ct_context *context, const struct ct_task *task) {
    if (is_host_copy(task))
        held.copies[task->direction]--;
}

static void hold_sms(struct ct_context *context) {
    const struct run *run = ((const struct run_context *)context)->run;
    for (uint32_t i = 0; i < (uint32_t)held.device.sms; i++) {
        const struct block_sm *sm = device_sm(run->device, i);
        if (!sm) /* fluid */
            return;
        assert_true(sm->resident <= held.device.blocks_per_sm);
        assert_true(sm->threads >= 0 && sm->registers >= 0 && sm->smem_bytes >= 0);
        held.full_sms += sm->threads < 256;
    }
}

static const struct spy_watch hold_watch = {.client_join = hold_client,
                                            .task_done = hold_done,
                                            .decided = hold_sms,
                                            .issued = hold_issue,
                                            .repartitioned = hold_partition};

TEST(cqos_exceeds_no_resource) {
    struct ct_policy spied = spy_on(&policy_cqos, &hold_watch);
    for (uint64_t n = 0; n < CQOS_CASES; n++) {
        struct mix_kind kind = {.block = n % 2};
        CLOSED_BY(run_case_close) struct run_case c;
        CLOSED_BY(run_case_result_free) struct run_case_result r;
        FREED_BY(predict_bank_free) struct predict_bank *bank;
        struct mix mix;
        mix_make(&mix, 1500 + n / 2, &kind);
        run_case_open(&c, mix.json, NULL);
        if (profiling_train(&c.setup, &policy_cqos, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
            run_case_fail(&c, "profiling failed");
        memset(&held.copies, 0, sizeof held.copies);
        run_case_run(&c,
                     &(struct run_case_params){
                         .policy = &spied, .seed = n, .trained = bank, .estimates = n / 2 % 2 == 0},
                     &r);
        assert_int_equal(r.result.rejected_verbs, 0);
    }
    assert_true(held.kernels > 1000 / PART && held.moved > 300 / PART &&
                held.full_sms > 1000 / PART);
}

/* ---- Who passes first, and what never stands idle ---- */

enum { ON_SMS, ON_LINK, ELSEWHERE, ENGINES };

static int engine_of(const struct ct_task *task) {
    return is_kernel(task) ? ON_SMS : is_host_copy(task) ? ON_LINK : ELSEWHERE;
}

static struct {
    uint32_t waiting[ENGINES]; /* of services, launched and not issued */
    uint64_t busy[ENGINES];    /* tasks issued and not ended */
    bool first;                /* user-facing tasks pass first: Baymax 2.2 and 5.2.3 */
    bool holds[ENGINES]; /* all are services, and the headroom of one holds another's task while it
                            has the other engine; or C-QoS' dlist leaves the link idle */
    uint64_t batch[ENGINES];
} pool;

static void pool_launch(struct ct_context *context, const struct ct_task *task) {
    pool.waiting[engine_of(task)] += is_service(task->client);
}

static void pool_issue(struct ct_context *context, const struct ct_task *task,
                       const struct ct_grant *grant) {
    int engine = engine_of(task);
    pool.busy[engine]++;
    if (is_service(task->client)) {
        pool.waiting[engine]--;
        return;
    }
    assert_true(!pool.first || engine == ELSEWHERE || pool.waiting[engine] == 0);
    pool.batch[engine]++;
}

/* On an idle device no rule of a paper holds a user-facing task, nor a batch task without a query
 * that could suffer; where SMs alone or the link alone is idle, none holds a user-facing task that
 * is next in its stream. */
static void pool_decided(struct ct_context *context) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context);
    uint64_t queries = 0, busy = 0;
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = host->client(context, i);
        queries += is_service(client) && host->job_next(context, client, NULL);
    }
    for (int engine = 0; engine < ENGINES; engine++)
        busy += pool.busy[engine];
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task)) {
        int engine = engine_of(task);
        bool next = host->tasks_ahead(context, task) == 0;
        assert_true(busy > 0 || (!is_service(task->client) && queries > 0));
        assert_true(!is_service(task->client) || !next || pool.busy[engine] > 0 ||
                    pool.holds[engine]);
    }
}

static void pool_done(struct ct_context *context, const struct ct_task *task) {
    pool.busy[engine_of(task)]--;
}

static const struct spy_watch pool_watch = {.task_launch = pool_launch,
                                            .task_done = pool_done,
                                            .issued = pool_issue,
                                            .decided = pool_decided};

static void run_pooled(uint64_t n, const struct ct_policy *policy) {
    struct mix_kind kind = {
        .block = n % 2, .waits = n / 2 % 2, .more = "\"decision_cost\": \"none\""};
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result r;
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    struct mix mix;
    struct ct_policy spied = spy_on(policy, &pool_watch);
    mix_make(&mix, 2100 + n / 2, &kind);
    run_case_open(&c, mix.json, NULL);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    memset(pool.waiting, 0, sizeof pool.waiting);
    memset(pool.busy, 0, sizeof pool.busy);
    pool.holds[ON_SMS] =
        policy == &policy_os_sched || policy == &policy_combined || policy == &policy_coop;
    pool.holds[ON_LINK] = pool.holds[ON_SMS] || policy == &policy_cqos;
    pool.first = strncmp(policy->name, "baymax", 6) == 0 || policy == &policy_priority;
    run_case_run(
        &c,
        &(struct run_case_params){.policy = &spied, .seed = n, .trained = bank, .estimates = true},
        &r);
}

TEST(nobody_overtakes_and_nothing_idles) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t p = 0; p < count; p++) {
        memset(pool.batch, 0, sizeof pool.batch);
        for (uint64_t n = 0; n < POOL_CASES && all[p]->decide; n++)
            if (spy_runs_on_any(all[p]))
                run_pooled(n, all[p]);
        if (all[p]->decide && spy_runs_on_any(all[p]))
            assert_true(pool.batch[ON_SMS] > 30 / PART && pool.batch[ON_LINK] > 0);
    }
}

/* Kernels on the device, by client. */
static uint32_t on_device[64];
static uint64_t waited, gone_on;

static void see_handed_over(struct ct_context *context, const struct ct_task *task,
                            const struct ct_grant *grant) {
    assert_int_equal(context->host->tasks_ahead(context, task), 0);
    on_device[task->client->index] += is_kernel(task);
    gone_on += is_kernel(task);
}

static void see_ended(struct ct_context *context, const struct ct_task *task) {
    on_device[task->client->index] -= is_kernel(task);
}

static void see_joined(struct ct_context *context, const struct ct_client *client) {
    hold_client(context, client);
    on_device[client->index] = 0;
}

static bool kernel_is_ready(struct ct_context *context) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task))
        if (is_kernel(task) && host->tasks_ahead(context, task) == 0)
            return true;
    return false;
}

/* Where a kernel waits that could begin, every SM belongs to somebody who has one on the device. */
static void see_no_idle_sm(struct ct_context *context) {
    int64_t busy = 0;
    if (!kernel_is_ready(context))
        return;
    for (size_t i = 0; i < CT_COUNT_OF(on_device); i++)
        busy += on_device[i] > 0 ? held.sms_of[i] : 0;
    assert_int_equal(busy, held.device.sms);
    waited++;
}

static const struct spy_watch filled_watch = {.client_join = see_joined,
                                              .task_done = see_ended,
                                              .issued = see_handed_over,
                                              .decided = see_no_idle_sm,
                                              .repartitioned = hold_partition},
                              ready_watch = {.client_join = see_joined,
                                             .task_done = see_ended,
                                             .issued = see_handed_over};

/* None of the five systems hands over what is not ready, and where nothing but SMs is waited for,
 * none is idle. */
TEST(cqos_issues_what_is_ready) {
    static const struct ct_policy *const policies[] = {
        &policy_cqos, &policy_spart_qos, &policy_os_sched, &policy_combined, &policy_coop};
    for (uint64_t n = 0; n < CQOS_CASES; n++) {
        size_t p = n % CT_COUNT_OF(policies);
        struct ct_policy spied = spy_on(policies[p], p < 2 ? &filled_watch : &ready_watch);
        struct mix_kind kind = {.block = n % 2, .more = "\"decision_cost\": \"none\""};
        CLOSED_BY(run_case_close) struct run_case c;
        CLOSED_BY(run_case_result_free) struct run_case_result r;
        struct mix mix;
        mix_make(&mix, 1600 + n, &kind);
        memset(on_device, 0, sizeof on_device);
        run_case_open(&c, mix.json, NULL);
        run_case_run(&c, &(struct run_case_params){.policy = &spied, .seed = n}, &r);
        assert_int_equal(r.result.rejected_verbs, 0);
    }
    assert_true(waited > 100 / PART && gone_on > 1000 / PART);
}

/* ---- Order and names ---- */

/* Another name for whoever looks; random streams keep the old one. */
static void rename_client(struct ct_context *context, const struct ct_client *client) {
    static const char *const names[] = {"zeta", "eta", "omega", "alpha", "beta"};
    ((struct ct_client *)(uintptr_t)client)->name = names[client->index];
}

static const struct spy_watch renaming = {.client_join = rename_client}, idle_watch = {0};

static void run_ordered(const struct mix *mix, uint64_t n, const struct ct_policy *policy,
                        const struct spy_watch *how, struct run_case_result *r) {
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    struct ct_policy spied = spy_on(policy, how);
    run_case_open(&c, mix->json, NULL);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    run_case_run(
        &c,
        &(struct run_case_params){.policy = &spied, .seed = n, .trained = bank, .estimates = true},
        r);
}

static void same_latencies(const struct ct_policy *policy, uint64_t n,
                           const struct run_case_result *a, const struct run_case_result *b) {
    for (uint32_t app = 0; app < a->apps; app++) {
        const struct sim_app_result *x = &a->result.apps[app],
                                    *y = &b->result.apps[a->apps - 1 - app];
        assert_int_equal(x->latency_ps.count, y->latency_ps.count);
        for (size_t i = 0; i < x->latency_ps.count; i++)
            if (x->latency_ps.items[i] != y->latency_ps.items[i] &&
                !(isnan(x->latency_ps.items[i]) && isnan(y->latency_ps.items[i])))
                fail_msg("mix %d, %s: application %u, job %d differs", (int)n, policy->name, app,
                         (int)i);
    }
}

/* Among three, the order says by rule who gets which SM of those that become free. */
static bool needs_a_pair(const struct ct_policy *policy, bool block) {
    return policy->sharing == CT_SHARING_PARTITION && block;
}

/* Nor has it anything else to decide here: HSM's one service, SMs that any number of applications
 * divides. */
TEST(order_and_names_are_no_matter) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t p = 0; p < count; p++)
        for (uint64_t n = 0; n < ORDER_CASES; n++) {
            struct mix_kind kind = {.no_ties = true, .alike = true, .block = n % 2};
            struct run_case_result a, b;
            struct mix mix;
            kind.pair = needs_a_pair(all[p], kind.block);
            if (!spy_runs_on_any(all[p]))
                continue;
            mix_make(&mix, 1700 + n / 2, &kind);
            run_ordered(&mix, n, all[p], &idle_watch, &a);
            mix_join(&mix, true);
            run_ordered(&mix, n, all[p], &renaming, &b);
            same_latencies(all[p], n, &a, &b);
            run_case_result_free(&a);
            run_case_result_free(&b);
        }
}
