/* C-QoS: Algorithms 1 and 2, its periods, and what it is compared with, computed by hand. */
#include "cqos_case.h"
#include "policy_case.h"

/* 16 SMs and one copy engine of 16 GB/s: C-QoS Table 2, but for 2048 threads. */
static const struct ct_device_info info = {.sms = 16,
                                           .threads_per_sm = 2048,
                                           .blocks_per_sm = 16,
                                           .registers_per_sm = 65536,
                                           .smem_per_sm_bytes = 98304,
                                           .clock_hz = 1e9,
                                           .dram_bytes_per_s = 473e9,
                                           .pcie_bytes_per_s = 16e9,
                                           .pcie_pageable_bytes_per_s = 16e9,
                                           .pcie_pinned_bytes_per_s = 16e9,
                                           .copy_engines = 1};

static struct cqos_search search;

/* ---- the search ---- */

static double half(struct ct_context *context) {
    return 0.5;
}

static void start_search(bool look_ahead) {
    search.weights = over_cost;
    search.epsilon = 0.1;
    search.look_ahead = look_ahead;
    search.drawn = false;
    search.profiles = 100;
    search.uniform = half;
}

/* The mean and the best of all ways in which B and idle SMs give `changed` SMs to A. */
static double try_group(int changed, double *best) {
    int idle = 16 - (int)scene.apps[1].sms - (int)scene.apps[0].sms, count = 0;
    double sum = 0;
    *best = -INFINITY;
    for (int taken = 0; taken <= changed; taken++) {
        if (taken > scene.apps[1].sms || changed - taken > idle)
            continue;
        struct cqos_partition partition = {
            .taker = 0,
            .sms = {(int16_t)(scene.apps[0].sms + changed), (int16_t)(scene.apps[1].sms - taken)}};
        struct cqos_decision decision = {&partition, CQOS_NOBODY, 0, false};
        double value = cqos_value(&scene, &over_cost, &decision);
        sum += value;
        count++;
        *best = fmax(*best, value);
    }
    return count > 0 ? sum / count : -INFINITY;
}

/* All ways to give the taker so many SMs, the class `class` first (0: idle ones, then each app), as
 * their values are worked out one by one. */
struct one_by_one {
    const struct cqos_weights *weights;
    struct cqos_partition partition, best_partition;
    double sum, best;
    int count;
};

static void try_ways(struct one_by_one *all, uint32_t class, int64_t wanted) {
    if (class > scene.count) {
        struct cqos_decision decision = {&all->partition, CQOS_NOBODY, 0, false};
        double value = wanted == 0 ? cqos_value(&scene, all->weights, &decision) : 0;
        if (wanted == 0 && (all->count == 0 || cqos_rounded(value) > cqos_rounded(all->best))) {
            all->best = value;
            all->best_partition = all->partition;
        }
        all->sum += value;
        all->count += wanted == 0;
        return;
    }
    bool taker = class > 0 && class - 1 == all->partition.taker;
    int64_t there = class == 0 ? cqos_idle_sms(&scene) : taker ? 0 : scene.apps[class - 1].sms;
    for (int64_t taken = there < wanted ? there : wanted; taken >= 0; taken--) {
        if (class > 0 && !taker)
            all->partition.sms[class - 1] = (int16_t)(there - taken);
        try_ways(all, class + 1, wanted - taken);
    }
}

static void check_best_groups(const struct cqos_weights *weights, uint32_t taker) {
    struct one_by_one groups[17];
    int64_t most = 16 - scene.apps[taker].sms;
    search.weights = *weights;
    search.partition_count = 0;
    cqos_ways_begin(&scene, weights);
    cqos_ways_add(&scene, &search, taker, CQOS_REACH_ALL);
    for (int64_t changed = 1; changed <= most; changed++) {
        groups[changed] =
            (struct one_by_one){.weights = weights, .partition = cqos_partition_now(&scene)};
        groups[changed].partition.taker = taker;
        groups[changed].partition.sms[taker] = (int16_t)(scene.apps[taker].sms + changed);
        try_ways(&groups[changed], 0, changed);
    }
    assert_int_equal(search.partition_count, most < 4 ? most : 4);
    for (uint32_t n = 0; n < search.partition_count; n++) {
        int64_t first = 0;
        for (int64_t changed = 1; changed <= most; changed++)
            if (groups[changed].count > 0 &&
                (first == 0 || cqos_rounded(groups[changed].sum / groups[changed].count) >
                                   cqos_rounded(groups[first].sum / groups[first].count)))
                first = changed;
        assert_memory_equal(&search.partitions[n], &groups[first].best_partition,
                            sizeof search.partitions[n]);
        groups[first].count = 0;
    }
}

/*
 * Up to four apps, with and without SMs and kernels, late, nearly late or early, with and without
 * copies on a busy link: whoever takes SMs, the partitions listed are those of the groups that are
 * found by trying all ways one by one, those equal that differ by the rounding of their sums. Many
 * a kernel waits beside idle SMs, which it has at once where a way leaves it some.
 */
TEST(listed_are_the_best_of_the_best_groups) {
    static const struct cqos_weights cases[] = {
        {.qos = 10, .use = 1},
        {.qos = 10, .use = 0},
        {.qos = 1, .use = 1, .per_cost = true},
        {.qos = 10, .use = 1, .change = CQOS_CHANGE_PRINTED, .every_victim = true},
        {.qos = 10, .use = 1, .change = CQOS_CHANGE_ABSOLUTE}};
    uint32_t draw = 1;
    int beside_idle = 0;
    for (int round = 0; round < 2000; round++) {
        int64_t left = 16;
        start_scene();
        start_search(false);
        search.profiles = 10000;
        memset(search.partitions, 0, sizeof search.partitions[0] * 4);
        uint32_t drawn[4][8], apps = 2 + (uint32_t)round % 3;
        for (uint32_t i = 0; i < apps * 8; i++)
            drawn[i / 8][i % 8] = (draw = draw * 1664525 + 1013904223) >> 16;
        for (uint32_t i = 0; i < apps; i++) {
            const uint32_t *own = drawn[i];
            int64_t sms = own[0] % 3 > 0 ? own[1] % (left + 1) : 0;
            struct cqos_app *app = add_app(sms, 20 + own[2] % 100);
            left -= sms;
            app->elapsed_ps = own[3] % 40;
            app->rest_ps = own[4] % 2 ? own[4] % 30 : 0;
            app->tasks = 1 + own[5] % 3;
            if (sms > 0 || own[6] % 4 > 0)
                app->kernel = kernel_of((1 + own[6] % 4) / 4.0);
            app->kernel.block_ps = 1 + own[6] % 3;
            app->copy_follows = own[7] % 3 == 0;
            app->before_copy_ps = own[7] % 5;
            if (own[7] % 3 == 1)
                app->copies[0] =
                    (struct cqos_copy){.there = true, .left_ps = 1 + own[7] % 20, .bandwidth = 0.5};
        }
        scene.busy_ps[0] = drawn[0][7] % 2 ? drawn[1][7] % 30 : 0;
        beside_idle += cqos_kernel_waits(&scene) && apps > 2;
        for (uint32_t taker = 0; taker < apps; taker++)
            if (scene.apps[taker].kernel.there)
                check_best_groups(&cases[round / 3 % 5], taker);
    }
    assert_true(beside_idle > 200);
}

/* Against all possibilities, worked out one by one: the best of the four groups with the highest
 * mean, or holding all. B's kernel has all the SMs that it needs, so only A's takes any. */
TEST(search_finds_the_best_of_four_groups) {
    for (int target = 10; target <= 60; target += 5) {
        start_scene();
        add_app(2, target)->kernel = kernel_of(1);
        add_app(9, 60 - 0.5 * target)->kernel = kernel_of(0.7);
        scene.apps[1].kernel.need = 9;
        struct cqos_partition now = cqos_partition_now(&scene);
        struct cqos_decision hold = {&now, CQOS_NOBODY, 0, false};
        double best = cqos_value(&scene, &over_cost, &hold), means[17], bests[17];
        for (int changed = 1; changed <= 14; changed++)
            means[changed] = try_group(changed, &bests[changed]);
        for (int n = 0; n < 4; n++) {
            int first = 1;
            for (int changed = 2; changed <= 14; changed++)
                first = means[changed] > means[first] ? changed : first;
            best = fmax(best, bests[first]);
            means[first] = -INFINITY;
        }
        start_search(false);
        assert_true(cqos_search(&scene, &search, 0, CQOS_REACH_ALL));
        assert_int_equal(search.candidates, 5);
        assert_near(search.value, best);
        assert_int_equal(search.random, false);
    }
}

/* More than `profiles` ways: that many are drawn, and none takes SMs that are not there. */
TEST(large_groups_are_drawn) {
    start_scene();
    add_app(0, 50)->kernel = kernel_of(1);
    for (int i = 0; i < 5; i++)
        add_app(3, 50)->kernel = kernel_of(1);
    start_search(true);
    assert_true(cqos_search(&scene, &search, 0, CQOS_REACH_ALL));
    for (uint32_t p = 0; p < search.partition_count; p++) {
        int sum = 0;
        for (uint32_t i = 0; i < scene.count; i++) {
            assert_in_range(search.partitions[p].sms[i], 0, 16);
            sum += search.partitions[p].sms[i];
        }
        assert_in_range(sum, 15, 16);
    }
}

/* ---- the run ---- */

static double uniforms[8];
static uint32_t uniform_count, uniform_at;

static double scripted(struct ct_context *context) {
    return uniform_at < uniform_count ? uniforms[uniform_at++] : 0.5;
}

/* Eq. 4 of kernels with many waves: solo x 16 / SMs. */
static bool predict_completion(struct ct_context *context, const struct ct_task *task,
                               const int64_t *allocation, double *time_ps) {
    const struct fake_task *own = (const struct fake_task *)task;
    int64_t sms = allocation[task->client->index];
    *time_ps = own->predicted_ps;
    if (task->kind == CT_TASK_KERNEL)
        *time_ps = sms > 0 ? own->predicted_ps * 16.0 / (double)sms : NAN;
    return !isnan(*time_ps);
}

static int32_t last_move;

static bool repartition(struct ct_context *context, const int64_t *sms, uint32_t clients,
                        int32_t move) {
    struct fake_host *fake =
        (struct fake_host *)((char *)context - offsetof(struct fake_host, context));
    int64_t sum = 0;
    for (uint32_t i = 0; i < clients; i++) {
        fake->partition[i] = sms[i];
        sum += sms[i];
    }
    assert_in_range(sum, 0, 16);
    fake->partitions++;
    last_move = move;
    return true;
}

static struct fake_host *open_cqos(const struct ct_policy *policy, const char *set) {
    struct fake_host *fake = fake_open_on(policy, set, &info);
    assert_non_null(fake);
    fake->host.predict_completion = predict_completion;
    fake->host.repartition = repartition;
    uniform_count = uniform_at = 0;
    return fake;
}

/* An application with this target, whose job begins now. */
static struct fake_job *open_app(struct fake_host *fake, int64_t target_ps) {
    return fake_begin(fake, fake_join(fake, "app", CT_BATCH, target_ps), NAN, false);
}

static struct fake_task *start_kernel(struct fake_host *fake, struct fake_job *job, int64_t ps) {
    struct fake_task *task = fake_kernel(fake, job, (double)ps);
    task->task.grid[0] = 160;
    return task;
}

/* 4 ms at 16 GB/s. */
static struct fake_task *start_copy(struct fake_host *fake, struct fake_job *job) {
    return fake_copy(fake, job, CT_COPY_IN, true, 64000000, 4.0 * MS);
}

static void finish(struct fake_host *fake, struct fake_task *task, int64_t at_ps) {
    fake_start(fake, task);
    fake_advance(fake, at_ps);
    fake_done(fake, task);
}

/*
 * 160 blocks of 256 threads, eight to an SM: 1 ms alone, 16 / c ms on c SMs, target 2 ms. Over the
 * cost eight SMs are just enough: C = 64 x 0.3125 / 16 / 4 = 0.3125, value (10 + 0.3125 + 0.5) /
 * 0.3125 = 34.6; nine 33.8, sixteen 25, and one, too late, (0.0390625 + 0.9375) / 0.0390625 = 25.
 * The numerator, the default, is largest with all: 10 x 1.5 + 0.625, and 10 x 1.5 after the kernel.
 */
TEST(alone_the_value_decides_how_many_sms) {
    static const struct {
        const char *set;
        int sms;
        double value;
    } cases[] = {{"epsilon=0 value=per-cost change=absolute", 8, 34.6}, {"epsilon=0", 16, 30.625}};
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_cqos(&policy_cqos, cases[i].set);
        struct fake_task *task = start_kernel(fake, open_app(fake, 2 * MS), 1 * MS);
        fake_decide(fake, 0);
        assert_int_equal(fake->partition[0], cases[i].sms);
        assert_int_equal(last_move, CT_MOVE_DRAIN);
        assert_true(task->issued);
        assert_near(fake_noted(fake, NULL, "value"), cases[i].value);
        assert_true(fake_noted(fake, NULL, "candidates") == 4); /* nothing runs: holding is none */
    }
}

/* Each of the five events begins one period; two at one instant begin one. What is no event, such
 * as the start of a task, begins none. */
POLICY_TEST(five_events_begin_periods, open_cqos(&policy_cqos, NULL)) {
    struct fake_job *job = open_app(fake, 100 * MS);
    struct fake_task *copy = start_copy(fake, job);
    fake_decide(fake, 0);
    assert_true(copy->issued && fake_reported(fake, "periods") == 1);
    fake_start(fake, copy);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "periods") == 1);
    fake_advance(fake, 4 * MS);
    fake_done(fake, copy);
    struct fake_task *kernel = start_kernel(fake, job, MS);
    struct fake_job *other = open_app(fake, 100 * MS);
    fake_memset(fake, other, MS);
    fake_decide(fake, 0);
    assert_true(kernel->issued && fake_reported(fake, "periods") == 2);
    assert_true(fake_reported(fake, "triggers_arrival") == 2);
    assert_true(fake_reported(fake, "triggers_copy_in") == 1);
    finish(fake, kernel, 6 * MS);
    struct fake_task *out = fake_copy(fake, job, CT_COPY_OUT, true, 64000000, 4.0 * MS);
    fake_decide(fake, 0);
    assert_true(out->issued && fake_reported(fake, "triggers_kernel") == 1);
    finish(fake, out, 10 * MS);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "triggers_copy_out") == 1);
    fake_end(fake, job);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "triggers_termination") == 1);
    assert_true(fake_reported(fake, "periods") == 5);
    fake_end(fake, other);
}

/* An application arrives with the first task that it submits, not with a job that waits for an
 * earlier one of its own. Memsets pass and end between periods; a kernel behind one begins one. */
POLICY_TEST(what_is_no_event_begins_no_period, open_cqos(&policy_cqos, NULL)) {
    struct fake_job *job = open_app(fake, 0);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "periods") == 0);
    struct fake_task *first = fake_memset(fake, job, MS);
    fake_decide(fake, 0);
    assert_true(first->issued && fake_reported(fake, "periods") == 1);
    fake_begin(fake, job->client, NAN, true);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "periods") == 1);
    finish(fake, first, 1 * MS);
    struct fake_task *second = fake_memset(fake, job, MS);
    fake_decide(fake, 0);
    assert_true(second->issued && fake_reported(fake, "periods") == 1);
    finish(fake, second, 2 * MS);
    struct fake_task *kernel = start_kernel(fake, job, MS);
    fake_decide(fake, 0);
    assert_true(kernel->issued && fake_reported(fake, "periods") == 2);
    assert_true(fake_reported(fake, "triggers_arrival") == 1);
    assert_true(fake_reported(fake, "targets_by_default") == 1); /* applications, not jobs */
}

/*
 * Algorithm 1: two copies of 4 ms, targets 10 and 5 ms, one engine. As printed an application that
 * uses nothing has no value, so that the one with more headroom goes first: A, 10 x 1.3 + 1 = 14,
 * not B, 10 x 1.1 + 1 = 12. Without the cost both count: B first, 11 + 11 (A ends at 8 of 10 ms),
 * not A first, 13 (B is too late). The other follows when the link is idle.
 */
TEST(the_link_goes_to_the_better_order) {
    static const char *const values[] = {"epsilon=0 value=per-cost change=absolute look_ahead=none",
                                         "epsilon=0 look_ahead=none"};
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_cqos(&policy_cqos, values[i]);
        struct fake_task *copies[] = {start_copy(fake, open_app(fake, 10 * MS)),
                                      start_copy(fake, open_app(fake, 5 * MS))};
        fake_decide(fake, 0);
        assert_true(copies[i]->issued && !copies[1 - i]->issued);
        assert_near(fake_noted(fake, copies[i], "value"), i == 0 ? 14 : 22);
        fake_decide(fake, CT_WHY_TASK_READY);
        assert_false(copies[1 - i]->issued);
        finish(fake, copies[i], 4 * MS);
        fake_decide(fake, 0);
        assert_true(copies[1 - i]->issued);
    }
}

/*
 * Copies of 4 ms, targets 10 (A) and 20 ms (B). At once B is worth more: 10 x 1.4 + 1 = 15 against
 * 14. But a kernel of 1 ms follows A's copy, and would get the 16 idle SMs: latency 5 of 10 ms, Q =
 * 1.25, C = 128 x 0.3125 / 16 / 4 = 0.625, all SMs change: (12.5 + 0.625) / 0.625 = 21 more.
 */
TEST(looking_ahead_prefers_the_copy_with_a_kernel) {
    struct fake_task after = {.predicted_ps = (double)MS};
    for (int ahead = 0; ahead < 2; ahead++) {
        FREED_BY(close_sound)
        struct fake_host *fake =
            open_cqos(&policy_cqos, ahead ? "epsilon=0 value=per-cost change=absolute"
                                          : "epsilon=0 value=per-cost change=absolute "
                                            "look_ahead=none");
        struct fake_task *a = start_copy(fake, open_app(fake, 10 * MS));
        struct fake_task *b = start_copy(fake, open_app(fake, 20 * MS));
        after.task = (struct ct_task){.client = a->task.client,
                                      .job = a->task.job,
                                      .kind = CT_TASK_KERNEL,
                                      .function = "kernel",
                                      .grid = {160, 1, 1},
                                      .block = {256, 1, 1},
                                      .registers_per_thread = 32};
        a->upcoming = &after.task;
        fake_decide(fake, 0);
        assert_true(a->issued == (ahead == 1) && b->issued == (ahead == 0));
        assert_near(fake_noted(fake, ahead ? a : b, "value"), ahead ? 35 : 15);
    }
}

/* One in ten decisions is drawn among all: 0.05 < 0.1, then 0.99 of two is the second, worth less.
 * The next draw, 0.1, is not below. */
POLICY_TEST(one_in_ten_decisions_is_random, open_cqos(&policy_cqos, NULL)) {
    static const double draws[] = {0.05, 0.99, 0.1};
    ((struct cqos_state *)fake->context.state)->search.uniform = scripted;
    for (uniform_count = 0; uniform_count < 3; uniform_count++)
        uniforms[uniform_count] = draws[uniform_count];
    uniform_at = 0;
    struct fake_task *a = start_copy(fake, open_app(fake, 10 * MS));
    struct fake_task *b = start_copy(fake, open_app(fake, 5 * MS));
    fake_decide(fake, 0);
    assert_true(b->issued && !a->issued);
    assert_true(fake_noted(fake, b, "random") == 1 && fake_noted(fake, b, "candidates") == 2);
    finish(fake, b, 4 * MS);
    fake_decide(fake, 0);
    assert_true(a->issued && fake_noted(fake, a, "random") == 0);
    assert_true(fake_reported(fake, "random_decisions") == 1);
}

/* A charged decision stays in force: what happens while the next one is worked out is one trigger.
 */
POLICY_TEST(triggers_during_a_decision_are_one, open_cqos(&policy_cqos, "cost_ms=8 epsilon=0")) {
    struct fake_task *a = start_copy(fake, open_app(fake, 100 * MS));
    fake_decide(fake, 0);
    assert_true(a->issued && fake->charged_ps == (uint64_t)(8 * MS));
    finish(fake, a, 4 * MS);
    fake_decide(fake, 0);
    struct fake_task *b = start_copy(fake, open_app(fake, 100 * MS));
    fake_decide(fake, 0);
    assert_true(!b->issued && fake_reported(fake, "periods") == 1);
    fake_advance(fake, 8 * MS);
    fake_decide(fake, 0);
    assert_true(b->issued && fake_reported(fake, "periods") == 2);
}

/* A kernel behind another of its stream is not ready; when that has ended, it is, and the SMs are
 * idle. */
POLICY_TEST(kernels_wait_for_sms, open_cqos(&policy_cqos, "epsilon=0")) {
    struct fake_job *job = open_app(fake, 2 * MS);
    struct fake_task *first = start_kernel(fake, job, MS);
    fake_decide(fake, 0);
    struct fake_task *second = start_kernel(fake, job, MS);
    second->ahead = 1;
    fake_decide(fake, 0);
    assert_true(first->issued && !second->issued);
    finish(fake, first, 2 * MS);
    second->ahead = 0;
    fake_decide(fake, 0);
    assert_true(second->issued);
}

/*
 * Eq. 6: a preempted kernel is restored as soon as the preempting one is finished. A's kernel holds
 * all SMs; B has 6.05 ms for 1 ms and a block of 5 ms that drains, so that it needs all 16. When it
 * ends A has them back before anything is decided: of the entries the first, drawn at random, is to
 * hold, although C, which was there before A, has a kernel ready.
 */
POLICY_TEST(victims_are_restored, open_cqos(&policy_cqos, "epsilon=0.1")) {
    struct cqos_state *cqos = fake->context.state;
    struct fake_job *c = open_app(fake, 1000 * MS);
    struct fake_task *a = start_kernel(fake, open_app(fake, 1000 * MS), 10 * MS);
    cqos->search.uniform = half;
    fake_decide(fake, 0);
    fake_start(fake, a);
    fake_advance(fake, 1 * MS);
    struct fake_task *b = start_kernel(fake, open_app(fake, 605 * MS / 100), 1 * MS);
    fake_decide(fake, 0);
    assert_int_equal(fake->partition[1], 0);
    assert_int_equal(fake->partition[2], 16);
    finish(fake, b, 7 * MS);
    start_kernel(fake, c, 1 * MS);
    cqos->search.uniform = scripted;
    uniforms[0] = uniforms[1] = 0;
    uniform_count = 2;
    fake_decide(fake, 0);
    assert_int_equal(fake->partition[0], 0);
    assert_int_equal(fake->partition[1], 16);
}

static struct fake_task *start_before_copy(struct fake_host *fake, struct fake_job *job,
                                           struct fake_task *copy) {
    struct fake_task *kernel = start_kernel(fake, job, 2 * MS);
    copy->predicted_ps = 0.5 * MS;
    copy->task = (struct ct_task){.client = kernel->task.client,
                                  .job = kernel->task.job,
                                  .kind = CT_TASK_COPY,
                                  .direction = CT_COPY_OUT,
                                  .bytes = 8000000,
                                  .function = ""};
    kernel->upcoming = &copy->task;
    return kernel;
}

/*
 * B has 3 ms for a kernel of 2, on all SMs, and a copy of 0.5: while the kernel runs the link is
 * kept free, by the entry that changes no SM, as A's copy of 4 ms would have it until 4.5. B's next
 * job would have it so again, but no copy is passed over twice.
 */
POLICY_TEST(no_copy_is_passed_over_twice, open_cqos(&policy_cqos, "epsilon=0 idle_link=any")) {
    static struct fake_task behind;
    struct fake_job *b = open_app(fake, 3 * MS);
    struct fake_task *kernel = start_before_copy(fake, b, &behind);
    fake_decide(fake, 0);
    fake_start(fake, kernel);
    fake_advance(fake, MS / 2);
    struct fake_task *a = start_copy(fake, open_app(fake, 100 * MS));
    fake_decide(fake, 0);
    assert_false(a->issued);
    finish(fake, kernel, 2 * MS);
    struct fake_task *out = fake_copy(fake, b, CT_COPY_OUT, true, 8000000, 0.5 * MS);
    fake_decide(fake, 0);
    assert_true(out->issued && !a->issued);
    finish(fake, out, 5 * MS / 2);
    fake_end(fake, b);
    start_before_copy(fake, fake_begin(fake, b->client, NAN, false), &behind);
    fake_decide(fake, 0);
    assert_true(a->issued);
}

/* ---- what it is compared with ---- */

/* Dominant shares per SM 0.25 and 0.5: of 12 idle SMs eight and four make both shares 2 / 12. */
TEST(idle_sms_go_by_dominant_share) {
    start_scene();
    scene.device.sms = 12;
    for (int i = 0; i < 2; i++) {
        struct cqos_app *app = add_app(0, 0);
        app->kernel = kernel_of(1);
        app->kernel.need = 12;
        app->kernel.blocks_per_sm = i == 0 ? 2.5 : 5;
    }
    struct cqos_partition partition = cqos_partition_now(&scene);
    cqos_spart_period(&scene, &partition);
    assert_int_equal(partition.sms[0], 8);
    assert_int_equal(partition.sms[1], 4);
    /* A third kernel that needs one SM gets one. */
    add_app(0, 0)->kernel = kernel_of(1);
    scene.apps[2].kernel.need = 1;
    partition = cqos_partition_now(&scene);
    cqos_spart_period(&scene, &partition);
    assert_int_equal(partition.sms[2], 1);
    assert_int_equal(partition.sms[0] + partition.sms[1], 11);
}

/* 8 and 8: both end after 20. A's target is 100, B's 15: one SM goes from A to B, and none where
 * both are late or both in time. A kernel without an SM gets one from whoever has slack. */
TEST(one_sm_moves_a_period) {
    static const struct {
        double targets[2];
        int sms[2], after[2];
    } cases[] = {{{100, 15}, {8, 8}, {7, 9}},
                 {{15, 15}, {8, 8}, {8, 8}},
                 {{100, 25}, {8, 8}, {8, 8}},
                 {{9, 100}, {16, 0}, {15, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start_scene();
        for (int k = 0; k < 2; k++)
            add_app(cases[i].sms[k], cases[i].targets[k])->kernel = kernel_of(1);
        struct cqos_partition partition = cqos_partition_now(&scene);
        cqos_spart_period(&scene, &partition);
        for (int k = 0; k < 2; k++)
            assert_int_equal(partition.sms[k], cases[i].after[k]);
    }
}

/* A copy counts 1. A kernel that fills half of the device 0.5: copies dominate; two that fill it:
 * they do not; with equal sums the level of the operating system decides. */
TEST(coop_weighs_copies_against_kernels) {
    start_scene();
    struct cqos_app *a = add_app(0, 0), *b = add_app(0, 0);
    a->copies[0] = (struct cqos_copy){.there = true, .bandwidth = 1};
    b->kernel = kernel_of(1);
    b->kernel.need = 8;
    assert_true(cqos_transfers_dominate(&scene));
    b->kernel.need = 16;
    assert_true(cqos_transfers_dominate(&scene));
    a->kernel = kernel_of(1);
    assert_false(cqos_transfers_dominate(&scene));
}

/* A: target 10 ms, alone 6 ms, so its headroom is 4 ms. B's kernel of 5 ms would break it and
 * waits, that of C, 3 ms, passes, and lowers it to 1 ms; A's own is never held. When A has ended, B
 * passes. */
POLICY_TEST(headroom_of_the_urgent_holds_others, fake_open_on(&policy_os_sched, NULL, &info)) {
    struct fake_job *a = fake_begin(fake, fake_join(fake, "a", CT_BATCH, 10 * MS), 6.0 * MS, false);
    struct fake_task *b = start_kernel(fake, open_app(fake, 100 * MS), 5 * MS);
    struct fake_task *c = start_kernel(fake, open_app(fake, 100 * MS), 3 * MS);
    fake_decide(fake, 0);
    assert_true(!b->issued && c->issued);
    assert_near(fake_noted(fake, b, "held_headroom_ps"), 4.0 * MS);
    struct fake_task *own = start_kernel(fake, a, 6 * MS);
    fake_decide(fake, 0);
    assert_true(own->issued && !b->issued);
    finish(fake, own, 6 * MS);
    fake_end(fake, a);
    fake_decide(fake, 0);
    assert_true(b->issued);
}

/* The copy engine belongs to one kernel in a period (section VI-A): the second copy waits in the
 * pool, though its headroom is ample, and goes when the first has ended. */
POLICY_TEST(os_sched_gives_the_link_to_one, fake_open_on(&policy_os_sched, NULL, &info)) {
    struct fake_task *first = start_copy(fake, open_app(fake, 100 * MS));
    struct fake_task *second = start_copy(fake, open_app(fake, 100 * MS));
    fake_decide(fake, 0);
    assert_true(first->issued && !second->issued);
    finish(fake, first, 4 * MS);
    fake_decide(fake, 0);
    assert_true(second->issued);
}

/* An application whose target is lost holds nobody. */
POLICY_TEST(lost_targets_hold_nobody, fake_open_on(&policy_os_sched, NULL, &info)) {
    fake_begin(fake, fake_join(fake, "a", CT_BATCH, 5 * MS), 6.0 * MS, false);
    struct fake_task *b = start_kernel(fake, open_app(fake, 100 * MS), 5 * MS);
    fake_decide(fake, 0);
    assert_true(b->issued);
}

/* combined: the gate holds B's kernel, so that Spart gives all SMs to A's. Under spart-qos alone
 * they share. */
TEST(combined_gates_and_partitions) {
    const struct ct_policy *policies[] = {&policy_combined, &policy_spart_qos};
    for (int i = 0; i < 2; i++) {
        FREED_BY(close_sound) struct fake_host *fake = open_cqos(policies[i], NULL);
        struct fake_job *a =
            fake_begin(fake, fake_join(fake, "a", CT_BATCH, 30 * MS), 6.0 * MS, false);
        struct fake_task *own = start_kernel(fake, a, 6 * MS);
        struct fake_task *b = start_kernel(fake, open_app(fake, 1000 * MS), 40 * MS);
        fake_decide(fake, 0);
        assert_true(own->issued && b->issued == (i == 1));
        assert_int_equal(fake->partition[0], i == 0 ? 16 : 8);
        assert_int_equal(fake->partition[1], i == 0 ? 0 : 8);
    }
}

/* coop: with copies on the link alone the first kernel takes what is left over, all 16 SMs; with a
 * second kernel beside one copy the device's level shares them. */
POLICY_TEST(coop_takes_either_level, open_cqos(&policy_coop, NULL)) {
    struct fake_task *copy = start_copy(fake, open_app(fake, 100 * MS));
    struct fake_task *first = start_kernel(fake, open_app(fake, 100 * MS), 6 * MS);
    fake_decide(fake, 0);
    assert_true(copy->issued && first->issued);
    assert_int_equal(fake->partition[1], 16);
    assert_true(fake_reported(fake, "os_level_periods") == 1);
    fake_advance(fake, 1 * MS);
    struct fake_task *second = start_kernel(fake, open_app(fake, 100 * MS), 6 * MS);
    fake_decide(fake, 0);
    assert_true(fake_reported(fake, "os_level_periods") == 1);
    assert_int_equal(fake->partition[1], 15);
    assert_int_equal(fake->partition[2], 1);
    assert_true(second->issued);
}
