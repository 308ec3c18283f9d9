/* The baselines: caps, gates and partitions computed by hand. */
#include "policy_case.h"

/* `services` services and then `batch` batch instances under a policy; checks the caps of both
 * kinds. */
static void expect_caps(const struct ct_policy *policy, const char *set, uint32_t services,
                        uint32_t batch, int64_t service_cap, int64_t batch_cap) {
    FREED_BY(close_sound) struct fake_host *fake = fake_open(policy, set);
    assert_non_null(fake);
    for (uint32_t i = 0; i < services + batch; i++)
        fake_join(fake, "app", i < services ? CT_SERVICE : CT_BATCH, 0);
    for (uint32_t i = 0; i < services + batch; i++)
        assert_int_equal(fake->clients[i].cap, i < services ? service_cap : batch_cap);
}

/* Laius section 3.3: 200 % / n each, and 100 % is the most that an instance can have. */
TEST(mps_even_splits_200_percent) {
    expect_caps(&policy_mps_even, NULL, 1, 0, 1000, 0);
    expect_caps(&policy_mps_even, NULL, 1, 1, 1000, 1000);
    expect_caps(&policy_mps_even, NULL, 1, 2, 667, 667); /* 66.67 % */
    expect_caps(&policy_mps_even, NULL, 1, 3, 500, 500);
    expect_caps(&policy_mps_even, NULL, 0, 11, 0, 182); /* 18.18 % */
    expect_caps(&policy_mps_even, "total_pct=100", 1, 3, 250, 250);
}

/* Laius section 3.3: services whole, batch instances split 100 %; with one of each it equals
 * mps-even. */
TEST(mps_priority_splits_100_percent_of_batch) {
    expect_caps(&policy_mps_priority, NULL, 1, 1, 1000, 1000);
    expect_caps(&policy_mps_priority, NULL, 1, 3, 1000, 333);
    expect_caps(&policy_mps_priority, NULL, 2, 4, 1000, 250);
    expect_caps(&policy_mps_priority, NULL, 2, 0, 1000, 0);
}

POLICY_TEST(caps_stay_when_one_leaves, fake_open(&policy_mps_even, NULL)) {
    for (int i = 0; i < 4; i++)
        fake_join(fake, "app", CT_BATCH, 0);
    fake_leave(fake, &fake->clients[3]);
    fake_decide(fake, 0);
    assert_int_equal(fake->clients[0].cap, 500);
}

/* Under fifo, timeslice and mps every ready task passes at once; what differs is how the device
 * shares. */
TEST(plain_policies_pass_everything) {
    static const struct {
        const struct ct_policy *policy;
        int32_t sharing;
    } plain[] = {{&policy_fifo, CT_SHARING_EXCLUSIVE},
                 {&policy_timeslice, CT_SHARING_TIMESLICE},
                 {&policy_mps, CT_SHARING_MPS}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        FREED_BY(close_sound) struct fake_host *fake = fake_open(plain[i].policy, NULL);
        struct ct_client *service = fake_join(fake, "service", CT_SERVICE, 10 * MS);
        struct ct_client *batch = fake_join(fake, "batch", CT_BATCH, 0);
        struct fake_task *first = fake_kernel(fake, fake_begin(fake, batch, 0, false), 0);
        struct fake_task *second = fake_kernel(fake, fake_begin(fake, service, 0, false), 0);
        fake_decide(fake, 0);
        assert_int_equal(plain[i].policy->sharing, plain[i].sharing);
        assert_int_equal(first->issue_order, 1);
        assert_int_equal(second->issue_order, 2);
    }
}

/*
 * One batch kernel ahead. b1 goes, b2 waits behind it; s1 goes at once although b1 runs; b1 ends,
 * but s1 is issued, so b2 still waits; s1 ends and b2 goes. Copies and services pass throughout.
 */
POLICY_TEST(priority_gates_batch_kernels, fake_open(&policy_priority, NULL)) {
    struct fake_job *service = fake_begin(fake, fake_join(fake, "s", CT_SERVICE, 0), 0, false);
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "b", CT_BATCH, 0), 0, false);
    struct fake_task *b1 = fake_kernel(fake, batch, 0), *b2 = fake_kernel(fake, batch, 0);
    struct fake_task *copy = fake_copy(fake, batch, CT_COPY_IN, false, 1024, 0);
    fake_decide(fake, 0);
    assert_true(b1->issued && !b2->issued && copy->issued);
    assert_true(fake_noted(fake, b2, "held_batch_kernels") == 1);

    fake_advance(fake, 1 * MS);
    struct fake_task *s1 = fake_kernel(fake, service, 0);
    fake_decide(fake, 0);
    assert_true(s1->issued && !b2->issued);

    fake_advance(fake, 2 * MS);
    fake_done(fake, b1);
    fake_decide(fake, 0);
    assert_false(b2->issued);

    fake_advance(fake, 3 * MS);
    fake_done(fake, s1);
    fake_decide(fake, 0);
    assert_int_equal(b2->issued_at_ps, 3 * MS);
}

/* A ready service kernel closes the gate in the very instant in which both are ready. */
POLICY_TEST(priority_prefers_the_service_of_one_instant, fake_open(&policy_priority, "ahead=8")) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "b", CT_BATCH, 0), 0, false);
    struct fake_job *service = fake_begin(fake, fake_join(fake, "s", CT_SERVICE, 0), 0, false);
    struct fake_task *b1 = fake_kernel(fake, batch, 0), *s1 = fake_kernel(fake, service, 0);
    fake_decide(fake, 0);
    assert_true(s1->issued && !b1->issued);
    assert_true(fake_noted(fake, b1, "held_service_kernels") == 1);
    fake_done(fake, s1);
    fake_decide(fake, 0);
    assert_true(b1->issued);
}

POLICY_TEST(priority_ahead_counts_unfinished_kernels, fake_open(&policy_priority, "ahead=3")) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "b", CT_BATCH, 0), 0, false);
    struct fake_task *tasks[5];
    for (int i = 0; i < 5; i++)
        tasks[i] = i == 1 ? fake_memset(fake, batch, 0) : fake_kernel(fake, batch, 0);
    fake_decide(fake, 0);
    assert_true(tasks[2]->issued && !tasks[3]->issued);
    fake_done(fake, tasks[1]);
    fake_decide(fake, 0);
    assert_true(tasks[3]->issued && !tasks[4]->issued);
}

/* Among ready services the larger priority goes first; a batch instance never goes before a
 * service. */
POLICY_TEST(priority_orders_by_urgency, fake_open(&policy_priority, NULL)) {
    static const int32_t priorities[] = {1, 5, 3}, roles[] = {CT_SERVICE, CT_SERVICE, CT_BATCH};
    static const uint64_t order[] = {2, 1, 0}; /* 0: held */
    struct fake_task *tasks[3];
    for (int i = 0; i < 3; i++) {
        struct ct_client *client = fake_join(fake, "app", roles[i], 0);
        client->priority = i == 2 ? INT32_MAX : priorities[i];
        tasks[i] = fake_kernel(fake, fake_begin(fake, client, 0, false), 0);
    }
    fake_decide(fake, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tasks[i]->issue_order, order[i]);
}

static void expect_split(const struct fake_host *fake, const int64_t *sms, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(fake->partition[i], sms[i]);
}

/* 80 SMs among three: 26 each, and one more for the first two (HSM section 4.2). */
POLICY_TEST(even_splits_all_sms, fake_open(&policy_even, NULL)) {
    for (int i = 0; i < 3; i++)
        fake_join(fake, "app", i == 0 ? CT_SERVICE : CT_BATCH, 0);
    expect_split(fake, (const int64_t[]){27, 27, 26}, 3);
    fake_leave(fake, &fake->clients[1]);
    expect_split(fake, (const int64_t[]){40, 0, 40}, 3);
}

/* HSM Fig. 12: a target of 0.8 gets 64 of 80 SMs; the others split what is left. */
TEST(proportional_gives_the_target_its_share) {
    static const struct {
        const char *set;
        int32_t roles[4];
        uint32_t count;
        int64_t sms[4];
    } cases[] = {
        {NULL, {CT_SERVICE, CT_BATCH}, 2, {64, 16}},
        {NULL, {CT_BATCH, CT_SERVICE, CT_BATCH}, 3, {8, 64, 8}},
        {NULL, {CT_BATCH, CT_BATCH}, 2, {64, 16}}, /* no service: the first application */
        {NULL, {CT_SERVICE, CT_BATCH, CT_SERVICE, CT_BATCH}, 4, {32, 8, 32, 8}},
        {NULL, {CT_SERVICE}, 1, {80}},
        {NULL, {CT_SERVICE, CT_SERVICE}, 2, {40, 40}},
        {"share_pct=50", {CT_SERVICE, CT_BATCH}, 2, {40, 40}},
        {"share_pct=99", {CT_SERVICE, CT_BATCH, CT_BATCH}, 3, {78, 1, 1}},
        {"share_pct=1", {CT_SERVICE, CT_SERVICE, CT_BATCH}, 3, {1, 1, 78}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED_BY(close_sound)
        struct fake_host *fake = fake_open(&policy_proportional, cases[i].set);
        for (uint32_t c = 0; c < cases[i].count; c++)
            fake_join(fake, "app", cases[i].roles[c], 0);
        expect_split(fake, cases[i].sms, cases[i].count);
    }
}

/* The target is whoever has an `np_target`, whatever its role and place; several split the share,
 * as instances of one application do. The last to join is a batch application without. */
TEST(proportional_finds_its_targets) {
    static const struct {
        int32_t first;
        double np_targets[3];
        uint32_t instances[3];
        int64_t sms[4];
    } cases[] = {
        {CT_BATCH, {0, 0.8, 0}, {0, 0, 0}, {6, 64, 5, 5}},
        {CT_SERVICE, {0, 0, 0.8}, {0, 0, 0}, {6, 5, 64, 5}},
        {CT_SERVICE, {0, 0.5, 0.9}, {0, 0, 0}, {8, 32, 32, 8}},
        {CT_BATCH, {0, 0, 0}, {0, 1, 2}, {22, 21, 21, 16}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED_BY(close_sound) struct fake_host *fake = fake_open(&policy_proportional, NULL);
        for (uint32_t c = 0; c < 3; c++) {
            struct ct_client *client =
                fake_join(fake, "app", c == 0 ? cases[i].first : CT_BATCH, 0);
            client->np_target = cases[i].np_targets[c];
            client->instance = cases[i].instances[c];
        }
        fake_join(fake, "last", CT_BATCH, 0);
        expect_split(fake, cases[i].sms, 4);
    }
}

TEST(partitions_refuse_more_applications_than_sms) {
    static const struct ct_policy *const spatial[] = {&policy_even, &policy_proportional};
    const struct ct_device_info device = {.sms = 2};
    for (size_t i = 0; i < sizeof spatial / sizeof spatial[0]; i++) {
        FREED_BY(close_sound) struct fake_host *fake = fake_open_on(spatial[i], NULL, &device);
        fake_join(fake, "a", CT_SERVICE, 0);
        fake_join(fake, "b", CT_BATCH, 0);
        assert_false(fake->failed);
        fake_join(fake, "c", CT_BATCH, 0);
        assert_true(fake->failed);
        fake->failed = false; /* which is sound */
        assert_string_equal(fake->failure, "more applications than SMs to give one to each");
    }
}
