/*
 * Laius: quotas, allocations and lags worked out by hand from Eq. 3 to 6 of the paper (ICS'19), the
 * knapsack against brute force, and what must hold whenever it issues. Times in milliseconds,
 * quotas in tenths of the device.
 */
#include "policies/laius_allocate.h"
#include "policy_case.h"

#include <string.h>

#define GB 1e9
#define BW (288 * GB) /* of the fake device */

/* ---- a host whose predictions follow the share ---- */

/* A kernel that gains from `useful` tenths of the device, no more; IPC and bandwidth per tenth. */
struct facts {
    double useful, ipc, bandwidth;
};

static struct facts facts_of[FAKE_TASKS];
static struct ct_grant granted[FAKE_TASKS];
static bool (*plain_issue)(struct ct_context *, const struct ct_task *, const struct ct_grant *);

static bool predict_task(struct ct_context *context, const struct ct_task *task, int64_t share,
                         struct ct_prediction *prediction) {
    const struct facts *facts = &facts_of[task->number];
    const struct fake_task *own =
        (const struct fake_task *)((const char *)task - offsetof(struct fake_task, task));
    double tenths = fmin((double)share / 100, facts->useful);
    *prediction = (struct ct_prediction){own->predicted_ps * fmin(10, facts->useful) / tenths,
                                         facts->bandwidth * tenths, facts->ipc * tenths};
    return !isnan(own->predicted_ps);
}

/* A query is as fast as it has SMs. */
static bool predict_job(struct ct_context *context, const struct ct_job *job, int64_t share,
                        struct ct_prediction *prediction) {
    const struct fake_job *own =
        (const struct fake_job *)((const char *)job - offsetof(struct fake_job, job));
    *prediction = (struct ct_prediction){own->predicted_ps * 1000 / (double)share, NAN, NAN};
    return !isnan(own->predicted_ps);
}

static bool issue(struct ct_context *context, const struct ct_task *task,
                  const struct ct_grant *grant) {
    bool accepted = plain_issue(context, task, grant);
    if (accepted)
        granted[task->number] = *grant;
    return accepted;
}

/* Those before it in its stream, of which this host's pool holds all. */
static uint32_t tasks_ahead(struct ct_context *context, const struct ct_task *task) {
    const struct fake_host *fake =
        (const struct fake_host *)((const char *)context - offsetof(struct fake_host, context));
    uint32_t ahead = 0;
    for (uint64_t i = 0; i < task->number; i++)
        ahead += fake->tasks[i].task.client == task->client &&
                 fake->tasks[i].task.stream == task->stream && !fake->tasks[i].ended;
    return ahead;
}

static struct fake_host *open_laius(const struct ct_policy *policy, const char *set) {
    struct fake_host *fake = fake_open(policy, set);
    assert_non_null(fake);
    memset(granted, 0, sizeof granted);
    for (size_t i = 0; i < FAKE_TASKS; i++)
        facts_of[i] = (struct facts){10, 1, 0};
    plain_issue = fake->host.issue;
    fake->host.issue = issue;
    fake->host.tasks_ahead = tasks_ahead;
    fake->host.predict_task = predict_task;
    fake->host.predict_job = predict_job;
    return fake;
}

/* A batch kernel of an instance of its own. Its facts come after task_ready, which values it, so
 * they are set before. */
static struct fake_task *batch_kernel(struct fake_host *fake, double useful, double ipc,
                                      double bandwidth_gb) {
    facts_of[fake->task_count] = (struct facts){useful, ipc, bandwidth_gb * GB};
    return kernel(fake, batch(fake), 5);
}

/* The share of an issued task in tenths; 0: not issued. */
static int64_t tenths(const struct fake_task *task) {
    return task->issued ? granted[task->task.number].share / 100 : 0;
}

/* ---- Eq. 3 ---- */

/* The quota of a query with T_tgt = 110 and T_p = 20 on the whole device, 200 / tenths on a part,
 * and 4 % more through the pool, whose copy of 5 took `copy_ms`. */
static int64_t quota_after_copy(const char *set, double copy_ms) {
    struct fake_host *fake = open_laius(&policy_laius, set);
    struct fake_job *q = query(fake, 110, 20);
    struct fake_task *in = fake_copy(fake, q, CT_COPY_IN, false, 1 << 20, 5e9);
    fake_decide(fake, 0);
    at(fake, copy_ms);
    fake_done(fake, in);
    struct fake_task *k = kernel(fake, q, 20);
    fake_decide(fake, 0);
    int64_t quota = tenths(k);
    close_sound(fake);
    return quota;
}

/* 2 tenths take 104: left are 110 less what the copy lost. 3 take 69.3. */
TEST(just_enough_eq3) {
    assert_int_equal(quota_after_copy(NULL, 5), 2);
    assert_int_equal(quota_after_copy(NULL, 11), 2);               /* 104 left, equality */
    assert_int_equal(quota_after_copy(NULL, 12), 3);               /* 103 */
    assert_int_equal(quota_after_copy(NULL, 3), 2);                /* faster is not credited */
    assert_int_equal(quota_after_copy("pool_cost_pct=0", 15), 2);  /* 100 left of 100 */
    assert_int_equal(quota_after_copy("margin=0.1", 5), 3);        /* 99 left */
    assert_int_equal(quota_after_copy("quota_step_pct=25", 5), 2); /* 250 per mille: 83.2 */
    assert_int_equal(quota_after_copy("quota_step_pct=50", 5), 5);
    assert_int_equal(quota_after_copy(NULL, 90), 9); /* 25 left: 9 tenths take 23.1 */
}

/* A query that waited 45 of 110 for its turn has 65 left: 4 tenths (52). One that waited 100 can no
 * longer meet its target: all. A query without a target, or unknown to the models, gets all as
 * well. */
TEST(waiting_counts_and_what_cannot_fit_gets_all) {
    static const struct {
        double wait, self;
        int64_t target, quota;
    } cases[] = {{45, 20, 110, 4}, {100, 20, 110, 10}, {0, 20, 0, 10}, {0, NAN, 110, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_laius(&policy_laius, NULL);
        struct fake_job *q = query(fake, cases[i].target, cases[i].self);
        at(fake, cases[i].wait);
        struct fake_task *k = kernel(fake, q, 1);
        fake_decide(fake, 0);
        assert_int_equal(tenths(k), cases[i].quota);
        assert_true(fake_reported(fake, "queries_without_enough") == (i == 1));
        assert_true(fake_reported(fake, "unknown_queries") == (i == 3));
    }
}

/* ---- N_free ---- */

/*
 * Idle: a batch kernel gets all 10. Queries of 4 and 8 come: their kernels pass, and the sum is
 * above the device. The batch kernel that runs keeps its 10. When it ends, N_free = 10 - 4 - 8 < 0:
 * nothing. The second query ends: 6 for the next batch kernel. The first ends too: 10 - 6.
 */
POLICY_TEST(batch_gets_what_queries_leave, open_laius(&policy_laius, "pool_cost_pct=0")) {
    struct fake_task *b1 = batch_kernel(fake, 10, 1, 0);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b1), 10);
    struct fake_job *q1 = query(fake, 100, 40), *q2 = query(fake, 100, 80);
    struct fake_task *k1 = kernel(fake, q1, 1), *k2 = kernel(fake, q2, 1);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k1), 4);
    assert_int_equal(tenths(k2), 8);
    struct fake_task *b2 = batch_kernel(fake, 10, 1, 0);
    fake_done(fake, b1);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b2), 0);
    assert_true(fake_noted(fake, b2, "held_free_per_mille") == 0);
    fake_done(fake, k2);
    fake_end(fake, q2);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b2), 6);
    fake_done(fake, k1);
    fake_end(fake, q1);
    struct fake_task *b3 = batch_kernel(fake, 10, 1, 0);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b3), 4);
}

/* `idle_cap` keeps room for queries while none is active: 7 of 10, one tenth at least. In a run
 * without a service, what batch throughput is measured against, there is no query to come: all. */
TEST(idle_cap) {
    static const struct {
        const char *set;
        bool service;
        int64_t tenths;
    } cases[] = {{"idle_cap=75", true, 7}, {"idle_cap=4", true, 1}, {"idle_cap=4", false, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_laius(&policy_laius, cases[i].set);
        if (cases[i].service)
            fake_join(fake, "service", CT_SERVICE, 100 * MS);
        struct fake_task *b = batch_kernel(fake, 10, 1, 0), *next = batch_kernel(fake, 10, 1, 0);
        fake_decide(fake, 0);
        assert_int_equal(tenths(b) + tenths(next), cases[i].tenths);
    }
}

/* Kernels of one stream: the quota of the second binds when the first has ended, and only one of
 * them competes. */
POLICY_TEST(one_task_of_a_stream_at_a_time, open_laius(&policy_laius, NULL)) {
    struct fake_job *job = batch(fake), *q = query(fake, 100, 40);
    struct fake_task *b1 = kernel(fake, job, 5), *b2 = kernel(fake, job, 5);
    struct fake_task *k1 = kernel(fake, q, 5), *k2 = kernel(fake, q, 5);
    fake_decide(fake, 0);
    assert_true(b1->issued && !b2->issued && k1->issued && !k2->issued);
    fake_done(fake, k1);
    fake_done(fake, b1);
    fake_decide(fake, 0);
    assert_true(b2->issued && k2->issued);
}

/* ---- Eq. 4 and 5 ---- */

/*
 * A is worth 2 per tenth up to 6, B 1.5 per tenth up to 10; with all 10 free the best is A 6, B
 * 4: 18. It asks for 6 x 44 + 4 x 10 = 304 GB/s of 288 and is rejected; A 5, B 5 is worth 17.5 at
 * 270.
 */
TEST(knapsack_within_bandwidth_eq4) {
    static const struct ct_policy *const policies[] = {&policy_laius, &policy_laius_nb};
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_laius(policies[i], NULL);
        struct fake_task *a = batch_kernel(fake, 6, 2, 44), *b = batch_kernel(fake, 10, 1.5, 10);
        fake_decide(fake, 0);
        assert_int_equal(tenths(a), i ? 6 : 5);
        assert_int_equal(tenths(b), i ? 4 : 5);
        assert_true(i || fake_noted(fake, NULL, "rejected_value") == 18);
        assert_true(i || fake_noted(fake, NULL, "rejected_bytes_per_s") == 304 * GB);
        assert_true(fake_reported(fake, "allocations_invalidated") == !i);
    }
}

/* With 80 % of the peak, 230 GB/s: A 4, B 6 asks for 236 (17), A 3, B 7 for 202: 16.5. */
POLICY_TEST(bandwidth_pct, open_laius(&policy_laius, "bandwidth_pct=80")) {
    struct fake_task *a = batch_kernel(fake, 6, 2, 44), *b = batch_kernel(fake, 10, 1.5, 10);
    fake_decide(fake, 0);
    assert_int_equal(tenths(a), 3);
    assert_int_equal(tenths(b), 7);
}

/*
 * A query of 2 tenths whose kernel asks for 30 GB/s: 8 free, 258 GB/s. A 6, B 2 (15, 284) is
 * rejected, A 5, B 3 (14.5, 250) holds. Its next kernel asks for 100: what was issued stays, and C
 * must fit 0 free quotas. When A ends, 5 are free and 158 GB/s: of C, 3 per tenth at 40, 3 (120)
 * and not 4 (160).
 */
POLICY_TEST(bandwidth_of_the_current_task, open_laius(&policy_laius, "pool_cost_pct=0")) {
    struct fake_job *q = query(fake, 100, 20);
    facts_of[0].bandwidth = 15 * GB; /* k1 at 2 tenths */
    facts_of[1].bandwidth = 50 * GB; /* k2 */
    struct fake_task *k1 = kernel(fake, q, 5), *k2 = kernel(fake, q, 5);
    struct fake_task *a = batch_kernel(fake, 6, 2, 44), *b = batch_kernel(fake, 10, 1.5, 10);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k1), 2);
    assert_int_equal(tenths(a), 5);
    assert_int_equal(tenths(b), 3);
    fake_done(fake, k1);
    struct fake_task *c = batch_kernel(fake, 10, 3, 40);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k2), 2);
    assert_int_equal(tenths(c), 0);
    fake_done(fake, a);
    fake_decide(fake, 0);
    assert_int_equal(tenths(c), 3); /* 100 + 30 + 120 */
    assert_true(fake_noted(fake, NULL, "rejected_limit_bytes_per_s") == 158 * GB);
}

/*
 * By IPC, A is worth 2 per tenth up to 8 and B 1 up to 6: A 8, B 2. By IPC over solo IPC, A gains
 * 1/8 per tenth and B 1/6: B 6, A 4. The IPC of B unknown, both count by speed.
 */
TEST(values) {
    static const struct {
        const char *set;
        double ipc_of_b;
        int64_t a, b;
    } cases[] = {{NULL, 1, 8, 2}, {"value=relative", 1, 4, 6}, {NULL, NAN, 4, 6}};
    for (size_t i = 0; i < 3; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_laius(&policy_laius, cases[i].set);
        struct fake_task *a = batch_kernel(fake, 8, 2, 0);
        struct fake_task *b = batch_kernel(fake, 6, cases[i].ipc_of_b, 0);
        fake_decide(fake, 0);
        assert_int_equal(tenths(a), cases[i].a);
        assert_int_equal(tenths(b), cases[i].b);
        assert_true(fake_reported(fake, "allocations_by_relative_speed") == (i > 0));
    }
}

/* A copy inside the device that does not fit beside what runs waits; alone it goes, whatever it
 * asks. */
POLICY_TEST(moves_need_bandwidth, open_laius(&policy_laius, NULL)) {
    struct fake_task *a = batch_kernel(fake, 10, 1, 20);
    fake_decide(fake, 0);
    facts_of[fake->task_count] = (struct facts){10, 1, 10 * GB};
    struct fake_task *move = fake_copy(fake, batch(fake), CT_COPY_DEVICE, false, 1 << 20, 1e9);
    fake_decide(fake, 0);
    assert_false(move->issued); /* 200 + 100 */
    assert_true(fake_noted(fake, move, "held_bandwidth_bytes_per_s") == 88 * GB);
    fake_done(fake, a);
    fake_decide(fake, 0);
    assert_true(move->issued);
}

/* ---- Eq. 6 ---- */

/*
 * T_p = 40 solo, 400 / tenths on a part; T_tgt = 100: quota 4. Kernels take 10 solo, 25 at 4.
 * k1 takes 45: lag 20. Eq. 6: 100 - 400/x - (25 - 100/x) >= 20, so 300/x <= 55: x = 6.
 */
static struct fake_task *lagging(struct fake_host **fake, struct fake_job **q,
                                 const struct ct_policy *policy, const char *set) {
    *fake = open_laius(policy, set);
    *q = query(*fake, 100, 40);
    struct fake_task *k1 = kernel(*fake, *q, 10), *k2 = kernel(*fake, *q, 10);
    fake_decide(*fake, 0);
    assert_int_equal(tenths(k1), 4);
    at(*fake, 45);
    fake_done(*fake, k1);
    fake_decide(*fake, 0);
    return k2;
}

/* k2 is issued at 6. It takes 5: lag 45 + 5 - 50 = 0, and k3 is back at 4. */
TEST(lag_raises_and_rolls_back_eq6) {
    FREED_BY(close_sound) struct fake_host *fake;
    struct fake_job *q;
    struct fake_task *k2 = lagging(&fake, &q, &policy_laius, "pool_cost_pct=0");
    assert_int_equal(tenths(k2), 6);
    struct fake_task *b = batch_kernel(fake, 10, 1, 0), *k3 = kernel(fake, q, 10);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b), 4); /* N_free follows the new quota */
    at(fake, 50);
    fake_done(fake, k2);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k3), 4);
    assert_true(fake_reported(fake, "quotas_raised") == 1);
    assert_true(fake_reported(fake, "quotas_rolled_back") == 1);
}

/*
 * k2 takes 17: lag 12. From the quota of the moment, T_now = 66.7: 66.7 - 400/x - (50 - 200/x) >=
 * 12 has x > 40: all. From the original one, 100 - 400/x - (50 - 200/x) >= 12: x >= 200/38, 6
 * again.
 */
TEST(lag_from_the_current_or_original_quota) {
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake;
        struct fake_job *q;
        const char *set =
            i ? "pool_cost_pct=0 lag_from=original" : "pool_cost_pct=0 lag_from=current";
        struct fake_task *k2 = lagging(&fake, &q, &policy_laius, set), *k3 = kernel(fake, q, 10);
        at(fake, 62);
        fake_done(fake, k2);
        fake_decide(fake, 0);
        assert_int_equal(tenths(k3), i ? 6 : 10);
    }
}

/*
 * The query above, but k1 is thought to take 50 solo, 125 at 4: more than the query. It takes 130:
 * lag 5. One tenth would satisfy Eq. 6, 100 - 400 - (125 - 500) = 75, but a query that lags gets no
 * less than it had. At x = 5 to 10 the left side is 5 - 10 and less: none, so all.
 */
POLICY_TEST(a_lag_never_lowers_the_quota, open_laius(&policy_laius, "pool_cost_pct=0")) {
    struct fake_job *q = query(fake, 100, 40);
    struct fake_task *k1 = kernel(fake, q, 50), *k2 = kernel(fake, q, 10);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k1), 4);
    at(fake, 130);
    fake_done(fake, k1);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k2), 10);
}

/*
 * The query above with kernels on two streams, k2 beside k1; k3 follows k1 at 6. When k2 ends at
 * 46, 21 late, and nothing is left to issue, no quota could make its lag good: k3 keeps the 6 that
 * it was issued with. It ends at 65, the lag is 36, and the copy out that is left needs no SMs:
 * beside it batch has all but the original 4.
 */
TEST(no_quota_is_raised_for_nothing) {
    FREED_BY(close_sound) struct fake_host *fake = open_laius(&policy_laius, "pool_cost_pct=0");
    struct fake_job *q = query(fake, 100, 40);
    struct fake_task *k1 = kernel(fake, q, 10), *k2 = kernel(fake, q, 10);
    struct fake_task *k3 = kernel(fake, q, 10);
    k2->task.stream = 1;
    fake_decide(fake, 0);
    assert_true(tenths(k1) == 4 && tenths(k2) == 4 && !k3->issued);
    fake_start(fake, k1);
    fake_start(fake, k2);
    at(fake, 45);
    fake_done(fake, k1);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k3), 6);
    fake_start(fake, k3);
    at(fake, 46);
    fake_done(fake, k2);
    struct fake_task *b1 = batch_kernel(fake, 10, 1, 0);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b1), 4);
    fake_done(fake, b1);
    at(fake, 65);
    fake_done(fake, k3);
    fake_copy(fake, q, CT_COPY_OUT, false, 1 << 20, 5e9);
    struct fake_task *b2 = batch_kernel(fake, 10, 1, 0);
    fake_decide(fake, 0);
    assert_int_equal(tenths(b2), 6);
    assert_true(fake_reported(fake, "quotas_raised") == 1);
    assert_true(fake_reported(fake, "quotas_rolled_back") == 1);
}

TEST(no_compensation_in_nc) {
    FREED_BY(close_sound) struct fake_host *fake;
    struct fake_job *q;
    assert_int_equal(tenths(lagging(&fake, &q, &policy_laius_nc, "pool_cost_pct=0")), 4);
}

/* A kernel on a part of the device is handed to another process for 4 % of its time: 10 solo, 20 at
 * five tenths, 0.8. It is no lag. With all SMs it runs where it is. */
POLICY_TEST(pool_cost, open_laius(&policy_laius, NULL)) {
    struct fake_job *q = query(fake, 42, 20);
    struct fake_task *k1 = kernel(fake, q, 10), *k2 = kernel(fake, q, 10);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k1), 5); /* 40 + 4 % = 41.6 */
    assert_true(granted[k1->task.number].delay_ps == 800000000);
    at(fake, 20.8);
    fake_done(fake, k1);
    fake_decide(fake, 0);
    assert_int_equal(tenths(k2), 5);
    assert_true(fake_reported(fake, "quotas_raised") == 0);
    fake_done(fake, k2);
    fake_end(fake, q);
    struct fake_task *b = batch_kernel(fake, 10, 1, 0);
    fake_decide(fake, 0);
    assert_true(tenths(b) == 10 && granted[b->task.number].delay_ps == 0);
}

/* ---- PCIe ---- */

/* Baymax Eq. 5 on this host: two batch copies per direction, and any number of a service's. */
POLICY_TEST(two_batch_copies_per_direction, open_laius(&policy_laius, NULL)) {
    struct fake_task *in[3], *own[3];
    for (int i = 0; i < 3; i++) {
        in[i] = fake_copy(fake, batch(fake), CT_COPY_IN, i == 1, 1 << 20, 1e9);
        own[i] = fake_copy(fake, query(fake, 100, 1), CT_COPY_IN, false, 1 << 20, 1e9);
    }
    struct fake_task *out = fake_copy(fake, batch(fake), CT_COPY_OUT, false, 1 << 20, 1e9);
    fake_decide(fake, 0);
    assert_true(own[0]->issued && own[1]->issued && own[2]->issued && out->issued);
    assert_true(in[0]->issued && in[1]->issued && !in[2]->issued);
    assert_true(fake_noted(fake, in[2], "held_copies") == 2);
    fake_done(fake, in[1]);
    fake_decide(fake, 0);
    assert_true(in[2]->issued);
}

/* ---- the knapsack against brute force ---- */

static uint32_t draw(uint64_t *random, uint32_t bound) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % bound);
}

static struct laius_item items[LAIUS_TASKS_MOST];

static void take_items(struct laius_knapsack *k) {
    for (int32_t i = 0; i < LAIUS_TASKS_MOST; i++)
        k->items[i] = &items[i];
    k->same_bandwidth = 0;
}

struct brute {
    const struct laius_knapsack *k;
    struct laius_allocation now, best, free_best;
    bool any;
};

static bool better(const struct laius_allocation *a, const struct laius_allocation *b) {
    return a->value > b->value || (a->value == b->value && a->bandwidth < b->bandwidth);
}

/* Every allocation of at most `left` quotas to the items from i on. */
static void try_all(struct brute *brute, int32_t i, int32_t left) {
    const struct laius_knapsack *k = brute->k;
    if (i == k->count) {
        if (!brute->any || better(&brute->now, &brute->free_best))
            brute->free_best = brute->now;
        if (brute->now.bandwidth <= k->bandwidth_limit && better(&brute->now, &brute->best))
            brute->best = brute->now;
        brute->any = true;
        return;
    }
    for (int32_t quota = 0; quota <= left; quota++) {
        struct laius_allocation before = brute->now;
        brute->now.quota[i] = quota;
        brute->now.value += items[i].value[quota];
        brute->now.bandwidth += items[i].bandwidth[quota];
        try_all(brute, i + 1, left - quota);
        brute->now = before;
    }
}

/* Values rise, fall or stay; some items are twins of others; bandwidth is often the bottleneck. */
static void make_problem(struct laius_knapsack *k, uint64_t *random) {
    memset(k, 0x5a, sizeof *k);
    take_items(k);
    k->count = (int32_t)draw(random, 6);
    k->capacity = (int32_t)draw(random, 11);
    k->bandwidth_limit = draw(random, 30);
    for (int32_t i = 0; i < k->count; i++) {
        if (i > 0 && draw(random, 3) == 0) {
            items[i] = items[draw(random, (uint32_t)i)];
            continue;
        }
        uint32_t span = 1 + draw(random, 8), hunger = 1 + draw(random, 9);
        memset(&items[i], 0, sizeof items[i]);
        for (int32_t quota = 1; quota <= LAIUS_PARTS_MOST; quota++) {
            items[i].value[quota] =
                items[i].value[quota - 1] + draw(random, span) - (draw(random, 9) == 0);
            if (items[i].value[quota] < 0)
                items[i].value[quota] = 0;
            items[i].bandwidth[quota] = items[i].bandwidth[quota - 1] + draw(random, hunger);
        }
    }
}

static void check_answer(const struct laius_knapsack *k) {
    int64_t value = 0, bandwidth = 0, quotas = 0;
    for (int32_t i = 0; i < k->count; i++) {
        value += items[i].value[k->best.quota[i]];
        bandwidth += items[i].bandwidth[k->best.quota[i]];
        quotas += k->best.quota[i];
    }
    assert_true(value == k->best.value && bandwidth == k->best.bandwidth);
    assert_true(quotas <= k->capacity && bandwidth <= k->bandwidth_limit);
}

TEST(knapsack_by_brute_force) {
    static struct laius_knapsack k;
    uint64_t random = 11;
    uint32_t invalidated = 0;
    for (int round = 0; round < 3000; round++) {
        make_problem(&k, &random);
        laius_allocate(&k);
        struct brute brute = {.k = &k};
        try_all(&brute, 0, k.capacity);
        check_answer(&k);
        assert_true(k.best.value == brute.best.value && k.best.bandwidth == brute.best.bandwidth);
        assert_true(k.first.value == brute.free_best.value &&
                    k.first.bandwidth == brute.free_best.bandwidth);
        assert_false(k.cut_short);
        assert_true((k.first.bandwidth > k.bandwidth_limit) == (k.rejected > 0));
        invalidated += k.rejected > 0;
    }
    assert_true(invalidated > 300 && invalidated < 2700); /* both ways were tried */
}

/* Equal value and bandwidth: the older task gets more, and no quota that is worth nothing. */
TEST(ties_of_the_knapsack) {
    static struct laius_knapsack k;
    take_items(&k);
    memset(items, 0, sizeof items);
    k.count = 3;
    k.capacity = 3;
    k.bandwidth_limit = 9;
    for (int32_t i = 0; i < 3; i++)
        for (int32_t quota = 0; quota <= 3; quota++)
            items[i].value[quota] = quota > 1 ? 2 : quota;
    laius_allocate(&k);
    assert_int_equal(k.best.value, 3);
    assert_int_equal(k.best.quota[0], 2);
    assert_int_equal(k.best.quota[1], 1);
    assert_int_equal(k.best.quota[2], 0);
    k.count = 1;
    laius_allocate(&k);
    assert_int_equal(k.best.quota[0], 2);
}

/* Values and bandwidths that rounding alone tells apart: two like kernels gain as much from each
 * quota, but for the last digit, and ask as much; the seventh quota adds only rounding. */
TEST(rounding_does_not_decide) {
    static struct laius_knapsack k;
    const int64_t unit = 1000000000000;
    take_items(&k);
    k.count = 2;
    k.capacity = 10;
    k.bandwidth_limit = 1000000000;
    k.same_bandwidth = 1000;
    for (int64_t sign = -1; sign <= 1; sign++) {
        memset(items, 0, sizeof items);
        for (int32_t quota = 1; quota <= 10; quota++)
            for (int32_t i = 0; i < 2; i++) {
                items[i].value[quota] = (quota < 6 ? quota : 6) * unit + sign * (quota % 2) * 9;
                items[i].bandwidth[quota] = quota * 1000000 + sign * (quota % 2) * 9;
            }
        laius_allocate(&k);
        assert_int_equal(k.best.quota[0], 6);
        assert_int_equal(k.best.quota[1], 4);
    }
    items[0].bandwidth[6] += 2000; /* more than rounding: 5 and 5 ask for less */
    items[1].bandwidth[6] += 2000;
    laius_allocate(&k);
    assert_int_equal(k.best.quota[0], 5);
    assert_int_equal(k.best.quota[1], 5);
    items[0].value[6] += 20 * unit / 1000000; /* so is this */
    items[1].value[6] += 20 * unit / 1000000;
    laius_allocate(&k);
    assert_int_equal(k.best.quota[0], 6);
    assert_int_equal(k.best.quota[1], 4);
}

/* The search ends with as many tasks as fit, all unlike, and a limit that binds. */
TEST(large_problems_end) {
    static struct laius_knapsack k;
    uint64_t random = 3;
    for (int round = 0; round < 20; round++) {
        memset(&k, 0, sizeof k);
        memset(items, 0, sizeof items);
        take_items(&k);
        k.count = LAIUS_TASKS_MOST;
        k.capacity = LAIUS_PARTS_MOST;
        k.bandwidth_limit = 400;
        for (int32_t i = 0; i < k.count; i++)
            for (int32_t quota = 1; quota <= k.capacity; quota++) {
                items[i].value[quota] = items[i].value[quota - 1] + 1 + draw(&random, 900);
                items[i].bandwidth[quota] = items[i].bandwidth[quota - 1] + draw(&random, 60);
            }
        laius_allocate(&k);
        check_answer(&k);
    }
}

/* ---- what must hold whenever it issues ---- */

struct load {
    double bandwidth;
    int64_t batch; /* tenths */
};

static double bandwidth_now(const struct fake_task *task) {
    const struct facts *facts = &facts_of[task->task.number];
    double part = fmin((double)granted[task->task.number].share / 100, facts->useful);
    return fmin(BW, part * facts->bandwidth);
}

/* What the issued and unfinished kernels ask for now; `fresh`: a batch kernel among them is not one
 * of the first `since` that were issued. */
static struct load load_of(const struct fake_host *fake, uint64_t since, bool *fresh) {
    struct load load = {0};
    *fresh = false;
    for (uint32_t i = 0; i < fake->task_count; i++) {
        const struct fake_task *task = &fake->tasks[i];
        if (!task->issued || task->ended || task->task.kind != CT_TASK_KERNEL)
            continue;
        load.bandwidth += bandwidth_now(task);
        if (task->task.client->role != CT_BATCH)
            continue;
        load.batch += tenths(task);
        *fresh |= task->issue_order > since;
    }
    return load;
}

struct random_run {
    struct fake_host *fake;
    uint64_t random;
    struct fake_job *open[64]; /* by client */
    int64_t query_tenths[64];  /* of an active query, as it noted */
};

static void random_task(struct random_run *run) {
    uint32_t i = draw(&run->random, run->fake->client_count);
    struct ct_client *client = &run->fake->clients[i];
    if (!run->open[i])
        run->open[i] = fake_begin(run->fake, client, (5 + draw(&run->random, 60)) * 1e9, false);
    facts_of[run->fake->task_count] = (struct facts){
        1 + draw(&run->random, 10), 1 + draw(&run->random, 5), draw(&run->random, 60) * GB};
    kernel(run->fake, run->open[i], 1 + draw(&run->random, 9));
}

static bool has_tasks(const struct fake_host *fake, const struct fake_job *job) {
    for (uint32_t i = 0; i < fake->task_count; i++)
        if (fake->tasks[i].task.job == &job->job && !fake->tasks[i].ended)
            return true;
    return false;
}

static void random_end(struct random_run *run) {
    struct fake_host *fake = run->fake;
    for (uint32_t i = 0; i < fake->task_count; i++) {
        struct fake_task *task = &fake->tasks[i];
        if (!task->issued || task->ended || draw(&run->random, 3) != 0)
            continue;
        fake_done(fake, task);
        if (tenths(task) > 0 && task->task.client->role == CT_SERVICE) {
            double noted = fake_noted(fake, task, "quota_per_mille"); /* raised or rolled back */
            if (!isnan(noted))
                run->query_tenths[task->task.client->index] = (int64_t)noted / 100;
        }
    }
    for (uint32_t c = 0; c < fake->client_count; c++)
        if (run->open[c] && draw(&run->random, 4) == 0 && !has_tasks(fake, run->open[c])) {
            fake_end(fake, run->open[c]);
            run->open[c] = NULL;
            run->query_tenths[c] = 0;
        }
}

/* Decides, and returns the tenths that queries hold. */
static int64_t decide_and_follow(struct random_run *run) {
    struct fake_host *fake = run->fake;
    uint64_t since = fake->issues;
    int64_t queries = 0;
    fake_decide(fake, 0);
    for (uint32_t i = 0; i < fake->task_count; i++) {
        double noted = fake->tasks[i].issue_order > since
                           ? fake_noted(fake, &fake->tasks[i], "quota_per_mille")
                           : NAN;
        if (!isnan(noted))
            run->query_tenths[fake->tasks[i].task.client->index] = (int64_t)noted / 100;
    }
    for (uint32_t c = 0; c < fake->client_count; c++)
        queries += run->query_tenths[c];
    return queries;
}

/* The two constraints of Eq. 4 on the batch kernels that a decision issued. */
static bool decide_and_check(struct random_run *run) {
    uint64_t since = run->fake->issues;
    bool fresh;
    int64_t queries = decide_and_follow(run);
    struct load load = load_of(run->fake, since, &fresh);
    if (!fresh)
        return false;
    assert_true(load.bandwidth <= BW + 1);
    assert_true(load.batch + queries <= 10);
    return true;
}

/* Without the bandwidth limit every quota is worth something to a kernel that has none: while one
 * waits whose stream is free, no quota is. */
static bool decide_and_find_no_idle_quota(struct random_run *run) {
    struct fake_host *fake = run->fake;
    bool unheard, waits = false;
    int64_t queries = decide_and_follow(run);
    for (uint32_t i = 0; i < fake->task_count; i++) {
        const struct fake_task *task = &fake->tasks[i];
        bool busy = false;
        for (uint32_t k = 0; k < fake->task_count; k++)
            busy |= fake->tasks[k].task.client == task->task.client && fake->tasks[k].issued &&
                    !fake->tasks[k].ended;
        assert_true(!task->pooled || task->task.client->role == CT_BATCH || busy);
        waits |= task->pooled && !busy;
    }
    if (waits)
        assert_true(load_of(fake, fake->issues, &unheard).batch + queries >= 10);
    return waits;
}

/* Random tasks of two services and three batch applications; how often `step_holds` was true. */
static uint32_t run_random(const struct ct_policy *policy,
                           bool (*step_holds)(struct random_run *)) {
    uint32_t checked = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct random_run run = {.fake = open_laius(policy, NULL), .random = seed};
        for (int i = 0; i < 5; i++)
            fake_join(run.fake, "app", i < 2 ? CT_SERVICE : CT_BATCH, i < 2 ? 150 * MS : 0);
        for (int step = 0; step < 300; step++) {
            random_task(&run);
            fake_advance(run.fake, run.fake->now_ps + draw(&run.random, 8) * MS);
            random_end(&run);
            checked += step_holds(&run);
        }
        assert_true(fake_reported(run.fake, "quotas_raised") > 0);
        close_sound(run.fake);
    }
    return checked;
}

TEST(constraints_hold_at_each_issue) {
    assert_true(run_random(&policy_laius, decide_and_check) > 200);
}

TEST(no_quota_idles_beside_a_ready_kernel) {
    assert_true(run_random(&policy_laius_nb, decide_and_find_no_idle_quota) > 200);
}
