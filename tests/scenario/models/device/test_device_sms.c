/* SMs: leftover dispatch, caps, shares, partitions, exclusive use, time slices; by hand. */
#include "device_case.h"

static struct kernel_profile profile;

static void open_case(struct device_case *c, enum ct_sharing sharing) {
    profile = device_case_profile();
    device_case_open(c, sharing);
    device_case_build(c);
}

/*
 * A: 100 blocks on 40 slots are three waves of 10 us (40, 40, 20). It claims everything until its
 * last wave begins at 20 us. B (20 blocks, 7 us) takes the other 20 slots: 20 to 27. C (40 blocks,
 * 5 us) stood behind B: at 27 it gets B's 20 slots, two waves, half speed; until A ends at 30 it
 * has done 1.5 us of its 5; then it gets all, and the other 3.5 us take 3.5.
 */
DEVICE_TEST(head_of_line_and_leftover, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 0, 100, 30 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 20, 7 * US);
    struct device_case_task *d = device_case_kernel(c, &profile, 2, 40, 5 * US);
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {20 * US, 27 * US}, {27 * US, 33500000});
    assert_true(fabs(d->task.loss_ps[DEVICE_LOSS_SM_SHARE] - 1.5 * US) < 1);
    /* It waits for 20 us of all of A's slots, then 7 us of half A's and half B's; beside it runs A.
     */
    assert_true(fabs(b->culprit_ps[0] - 20 * US) < 1);
    assert_true(fabs(d->culprit_ps[0] - (23.5 + 1.5) * US) < 1);
    assert_true(fabs(d->culprit_ps[1] - 3.5 * US) < 1);
}

/* Two wait for the slots of one: each was held up by it, whoever of them went first. */
DEVICE_TEST(waits_are_blamed_on_who_holds_the_slots, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 3, 40, 10 * US);
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 10, 3 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 10, 2 * US);
    device_case_run(c);
    device_case_expect(a, 10 * US, 13 * US);
    device_case_expect(b, 10 * US, 12 * US);
    assert_true(fabs(a->culprit_ps[3] - 10 * US) < 1 && fabs(b->culprit_ps[3] - 10 * US) < 1);
}

/* 20 and 20 blocks are 40 slots: nobody waits, nobody is slower. */
DEVICE_TEST(kernels_that_fit_run_together, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 0, 20, 10 * US);
    device_case_kernel(c, &profile, 1, 20, 7 * US);
    device_case_kernel(c, &profile, 2, 1, 4 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {0, 7 * US}, {7 * US, 11 * US});
}

static void lift_cap(void *context, uint64_t unused) {
    (void)unused;
    device_set_cap(context, 0, CT_SHARE_FULL);
}

/* A and B have half of the SMs each until 10 us, and A's second kernel waits: for 4 us because of
 * its cap, which is lifted then; the other 6 for A's and B's slots alike. */
DEVICE_TEST(a_cap_that_is_lifted_is_none, CT_SHARING_MPS) {
    device_set_cap(c->device, 0, 500);
    device_case_kernel(c, &profile, 0, 20, 10 * US);
    device_case_kernel(c, &profile, 1, 20, 10 * US);
    struct device_case_task *second = device_case_kernel(c, &profile, 0, 20, 3 * US);
    second->stream = 4;
    des_event_schedule(c->engine, 4 * US, DES_RANK_ARRIVAL, lift_cap, c->device, 0);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {0, 10 * US}, {10 * US, 13 * US});
    assert_true(fabs(second->culprit_ps[0] - 7.0 * US) < 1);
    assert_true(fabs(second->culprit_ps[1] - 3.0 * US) < 1);
}

/*
 * Caps: 40 blocks of 10 us on 50 % (20 slots) are two waves, 20 us; on 30 % (12 slots) four waves,
 * 40 us; on 0.1 % one SM is left (4 slots), ten waves, 100 us. 20 + 12 + 4 slots fit at once.
 */
DEVICE_TEST(caps_cut_waves, CT_SHARING_MPS) {
    device_set_cap(c->device, 0, 500);
    device_set_cap(c->device, 1, 300);
    device_set_cap(c->device, 2, 1);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    device_case_kernel(c, &profile, 2, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {0, 40 * US}, {0, 100 * US});
}

/* A kernel that only its own cap holds back is no obstacle for those behind it: with 50 % each, the
 * second kernel of client 0 waits for the first, and client 1 passes both. */
DEVICE_TEST(a_cap_holds_nobody_else_up, CT_SHARING_MPS) {
    device_set_cap(c->device, 0, 500);
    device_case_kernel(c, &profile, 0, 20, 10 * US);
    device_case_kernel(c, &profile, 0, 20, 10 * US)->stream = 5;
    device_case_kernel(c, &profile, 1, 20, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 20 * US}, {0, 10 * US});
}

/*
 * Two caps of 66.7 %: 26 slots (of 26.68) for A, two waves of 10 us, the second of 14 blocks; B
 * gets the other 14 slots: three waves, a third of its speed, 10/3 us done at 10 us. Then A's last
 * wave leaves 12 slots: B has 26, two waves, half speed. Its last wave begins with 5 us left, at 10
 * + (10 - 10/3 - 5) / (1/2) = 13.333333 us, and takes 10 us.
 */
DEVICE_TEST(caps_that_overlap, CT_SHARING_MPS) {
    device_set_cap(c->device, 0, 667);
    device_set_cap(c->device, 1, 667);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {0, 23333333});
}

/* A share of 25 % bound at issue: 10 slots, four waves; the next kernel of the client has none. */
DEVICE_TEST(share_bound_at_issue, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 0, 40, 10 * US)->share = 250;
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 40 * US}, {40 * US, 50 * US});
}

/* Roofline: compute is half of the time, so half the SMs cost nothing and a quarter halves the
 * speed. Measured curve: 1.5 at 50 %, and at 25 % between 5 (10 %) and 1.5 (50 %): 5 - 0.375 * 3.5.
 */
DEVICE_TEST(sensitivity_to_sms, CT_SHARING_MPS) {
    static const struct trace_curve_point curve[] = {{100, 5}, {500, 1.5}, {1000, 1}};
    struct kernel_profile half = profile, measured = profile;
    half.compute_fraction = 0.5;
    measured.curve = curve;
    measured.curve_count = 3;
    const struct kernel_profile *profiles[] = {&half, &half, &measured, &measured};
    static const ct_share shares[] = {500, 250, 500, 250};
    static const ct_time_ps took[] = {10000000, 20000000, 15000000, 36875000};
    static const double blocks[] = {40, 40, 40, 40};
    device_case_expect_in_turn(c, profiles, shares, blocks, took, 4);
}

/*
 * Ten blocks have an SM each alone, of ten with four slots, and all fit on three of them. What they
 * share there are units: of five SMs each has two blocks of 0.8 (16 us), of three one has four (32
 * us); four of 0.2 have enough there. With a curve, that. 40 blocks fill the slots alone, and come
 * no closer: waves. Four blocks use four SMs at most, whatever is said: on five they lie as alone,
 * on three two of them share one.
 */
DEVICE_TEST(units_of_a_part, CT_SHARING_MPS) {
    static const struct trace_curve_point curve[] = {{100, 5}, {500, 1.5}, {1000, 1}};
    struct kernel_profile much = profile, little = profile, measured = profile;
    much.unit_fraction = measured.unit_fraction = 0.8;
    little.unit_fraction = 0.2;
    measured.curve = curve;
    measured.curve_count = 3;
    const struct kernel_profile *profiles[] = {&much, &much, &little, &measured,
                                               &much, &much, &much};
    static const ct_share shares[] = {500, 300, 300, 500, 500, 500, 300};
    static const double blocks[] = {10, 10, 10, 10, 40, 4, 4};
    static const ct_time_ps took[] = {16000000, 32000000, 10000000, 15000000,
                                      20000000, 10000000, 20000000};
    device_case_expect_in_turn(c, profiles, shares, blocks, took, 7);
}

/*
 * A, 5 blocks, lies on five SMs and uses 0.8 of each. B, 5 blocks, lies on the other five: nobody
 * is slower. C, 70 blocks in two waves of 35 and 35 slots, lies on all SMs and needs half of each.
 * On five of them A leaves 0.2, where C's blocks run at 0.4 of their speed. Its first wave, 5 us of
 * work, goes at the mean of 0.4 and 1: 7.142857 us. The second one ends with the slowest: 12.5 us.
 */
TEST(older_kernels_first) {
    CLOSED_BY(device_case_close) struct device_case c;
    profile = device_case_profile();
    device_case_open(&c, CT_SHARING_MPS);
    c.gpu.sm_sharing = GPU_SM_HOPPER;
    device_case_build(&c);
    struct kernel_profile few = profile, many = profile;
    few.unit_fraction = 0.4;
    many.unit_fraction = 0.5;
    few.need.threads = many.need.threads = 256;
    struct device_case_task *a = device_case_kernel(&c, &few, 0, 5, 100 * US);
    struct device_case_task *b = device_case_kernel(&c, &few, 1, 5, 10 * US);
    struct device_case_task *d = device_case_kernel_at(&c, 20 * US, &many, 2, 70, 10 * US);
    device_case_run(&c);
    device_case_expect(a, 0, 100 * US);
    device_case_expect(b, 0, 10 * US);
    device_case_expect(d, 20 * US, 39642857);
    assert_true(fabs(d->task.loss_ps[DEVICE_LOSS_SM_CONTENTION] - 9642857) < 1);
    assert_true(fabs(d->culprit_ps[0] - 9642857) < 1);
}

static void split(void *context, uint64_t first) {
    struct device_case *c = context;
    int64_t sms[DEVICE_CASE_CLIENTS] = {(int64_t)first, 10 - (int64_t)first};
    device_repartition(c->device, sms, CT_MOVE_AUTO);
}

/* Six and four SMs: 24 slots, two waves; 16 slots, three waves, and no more when the others idle.
 */
DEVICE_TEST(partitions_are_exclusive, CT_SHARING_PARTITION) {
    split(c, 6);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {0, 30 * US});
    assert_int_equal(c->repartitions, 1);
}

/*
 * At 5 us three SMs move from A to B: A's 24 blocks, 10 us each, end at 10. The other 16 are two
 * waves on the three SMs that are left: until 30. B has done the first of three waves by then, and
 * goes on in two, at half speed: its last one begins with 5 us left, 10/3 us later, and takes 10.
 */
DEVICE_TEST(repartition_drains, CT_SHARING_PARTITION) {
    split(c, 6);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    des_event_schedule(c->engine, 5 * US, DES_RANK_ARRIVAL, split, c, 3);
    des_engine_run(c->engine, 10 * US - 1);
    assert_int_equal(c->repartitions, 1);
    assert_int_equal(device_case_owned(c, 0), 6);
    des_engine_run(c->engine, 10 * US);
    assert_int_equal(c->repartitions, 2);
    assert_int_equal(device_case_owned(c, 1), 7);
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {0, 23333333});
}

/* First come first served: client 0's second kernel does not pass client 1's. */
DEVICE_TEST(exclusive_is_first_come_first_served, CT_SHARING_EXCLUSIVE) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 1, 10, 5 * US);
    device_case_kernel(c, &profile, 0, 10, 4 * US)->stream = 4;
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 15 * US}, {15 * US, 19 * US});
}

/* Streams of one client share the device that is theirs. */
DEVICE_TEST(exclusive_to_a_client_not_to_a_kernel, CT_SHARING_EXCLUSIVE) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 0, 10, 4 * US)->stream = 4;
    device_case_kernel(c, &profile, 1, 10, 5 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {0, 4 * US}, {10 * US, 15 * US});
}

/*
 * Memsets wait for their turn and hold others up in theirs: A's from 0 to 10, then B's kernel, then
 * A's memset, which came to its queue behind that one; C's kernel of one block is the last. It came
 * at 5 and waited for A for 5 + 4 us, for B for 10.
 */
DEVICE_TEST(exclusive_to_memsets_too, CT_SHARING_EXCLUSIVE) {
    device_case_memset_at(c, 0, 0, 10 * US);
    device_case_kernel_at(c, 1 * US, &profile, 1, 40, 10 * US);
    device_case_memset_at(c, 2 * US, 0, 4 * US)->stream = 4;
    struct device_case_task *last = device_case_kernel_at(c, 5 * US, &profile, 2, 1, 3 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 20 * US}, {20 * US, 24 * US}, {24 * US, 27 * US});
    assert_true(last->culprit_ps[0] == 9.0 * US && last->culprit_ps[1] == 10.0 * US);
}

/* Beside a kernel of its own a memset runs at once, whatever is left of the kernel's blocks. */
DEVICE_TEST(exclusive_memsets_of_ones_own, CT_SHARING_EXCLUSIVE) {
    device_case_kernel(c, &profile, 0, 120, 30 * US);
    device_case_memset_at(c, 1 * US, 0, 4 * US)->stream = 4;
    device_case_memset_at(c, 1 * US, 1, 4 * US);
    device_case_memset_at(c, 2 * US, 0, 4 * US)->stream = 5;
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {1 * US, 5 * US}, {30 * US, 34 * US}, {34 * US, 38 * US});
}

/*
 * In slices of 100 us, 10 us per switch: A's memset 0-100, B's kernel of one block 110-140, C's
 * 150-160, A's last 50 us from 170. C came at 20 us and waits for A for 80, for B for 30; the 20 us
 * of switches are theirs in proportion.
 */
DEVICE_TEST(time_slices_hold_all_sms, CT_SHARING_TIMESLICE) {
    device_case_memset_at(c, 0, 0, 150 * US);
    device_case_kernel_at(c, 10 * US, &profile, 1, 1, 30 * US);
    struct device_case_task *last = device_case_kernel_at(c, 20 * US, &profile, 2, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 220 * US}, {110 * US, 140 * US}, {150 * US, 160 * US});
    assert_true(fabs(last->culprit_ps[0] - 130.0 * US * 80 / 110) < 1);
    assert_true(fabs(last->culprit_ps[1] - 130.0 * US * 30 / 110) < 1);
}

/*
 * Slices of 100 us, 10 us per switch. A: 0-100, B: 110-210, A: 220-320, B's last 50: 330-380; A
 * follows at once, after the switch: its last 50 are 390-440.
 */
DEVICE_TEST(time_slices, CT_SHARING_TIMESLICE) {
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 40, 250 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 40, 150 * US);
    DEVICE_CASE_RUNS(c, {0, 440 * US}, {110 * US, 380 * US});
    assert_true(a->task.loss_ps[DEVICE_LOSS_PREEMPTION] == 190.0 * US);
    assert_true(b->task.loss_ps[DEVICE_LOSS_PREEMPTION] == 120.0 * US);
    /* Also the switches into its own turn. */
    assert_true(fabs(a->culprit_ps[1] - 190.0 * US) < 1);
    assert_true(fabs(b->culprit_ps[0] - (110.0 + 120.0) * US) < 1);
    /* While frozen it holds no SMs: 400 us of work, each with all ten. */
    assert_true(device_usage(c->device).sm_ps == 10.0 * 400 * US);
}

/* Whoever is alone is never switched away from; whoever comes while nobody has work pays one
 * switch. */
DEVICE_TEST(time_slices_alone, CT_SHARING_TIMESLICE) {
    device_case_kernel(c, &profile, 0, 40, 250 * US);
    device_case_kernel_at(c, 270 * US, &profile, 1, 40, 20 * US);
    DEVICE_CASE_RUNS(c, {0, 250 * US}, {280 * US, 300 * US});
}
