/* Thread blocks on SMs: waves, resources, caps, partitions, moves and priorities; time lines by
 * hand. */
#include "device_case.h"

/*
 * Ten SMs of 2048 threads, 32 block slots, 64 Ki registers and 96 KiB of shared memory. The kernel
 * has blocks of 512 threads, 32 registers each (16384) and 16 KiB: four fit on an SM, by threads
 * and by registers alike.
 */
static struct kernel_profile profile;

static void make_case(struct device_case *c, enum ct_sharing sharing) {
    profile = device_case_profile();
    profile.need = (struct occupancy_need){512, 16384, 16384};
    device_case_open(c, sharing);
    device_case_use_blocks(c);
}

static void open_case(struct device_case *c, enum ct_sharing sharing) {
    make_case(c, sharing);
    device_case_build(c);
}

static struct device_case_task *kernel_at(struct device_case *c, ct_time_ps at_ps, uint32_t client,
                                          double blocks, ct_time_ps work_ps) {
    return device_case_kernel_at(c, at_ps, &profile, client, blocks, work_ps);
}

static uint32_t resident_on(struct device_case *c, uint32_t sm) {
    return (uint32_t)device_sm(c->device, sm)->resident;
}

/* 100 blocks on 40 slots: 40, 40 and 20, in 30 us. The last wave is spread out: two blocks on each
 * SM. */
DEVICE_TEST(waves_and_the_last_one, CT_SHARING_MPS) {
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 100, 30 * US);
    des_engine_run(c->engine, 20 * US - 1);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), 4);
    des_engine_run(c->engine, 20 * US);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), 2);
    assert_int_equal(device_sm(c->device, 3)->threads, 1024);
    assert_int_equal(device_sm(c->device, 3)->registers, 32768);
    assert_int_equal(device_sm(c->device, 3)->smem_bytes, 65536);
    device_case_run(c);
    device_case_expect(a, 0, 30 * US);
    assert_int_equal(device_client_counters(c->device, 0).blocks_finished, 100);
    assert_true(device_usage(c->device).sm_ps == (10.0 + 10 + 5) * 10 * US);
}

/* 13 blocks go onto the emptiest SMs, the lowest numbers first: two on each of the first three, one
 * on the others. */
DEVICE_TEST(breadth_first, CT_SHARING_MPS) {
    kernel_at(c, 0, 0, 13, 10 * US);
    kernel_at(c, 1 * US, 1, 9, 10 * US);
    des_engine_run(c->engine, 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), i < 3 ? 2 : 1);
    des_engine_run(c->engine, 1 * US); /* the next nine: SMs 3 to 9, then 0 and 1 */
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), i < 2 ? 3 : 2);
    device_case_run(c);
}

/*
 * Threads leave room for a second kernel, shared memory does not: 40 KiB each fit twice (80 of 96
 * KiB) beside nothing; the kernel of 16 KiB blocks finds 16 KiB left on each SM, one block: ten of
 * its blocks, 40 blocks in 4 waves.
 */
DEVICE_TEST(every_resource_counts, CT_SHARING_MPS) {
    struct kernel_profile large = profile;
    large.need = (struct occupancy_need){256, 4096, 40960};
    large.blocks_per_sm = 2;
    device_case_kernel(c, &large, 0, 20, 100 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 100 * US}, {0, 40 * US});
    assert_true(fabs(b->task.loss_ps[DEVICE_LOSS_SM_SHARE] - 30.0 * US) < 1);
    assert_true(fabs(b->culprit_ps[0] - 30.0 * US) < 1);
    /* Half a slot of the one and a quarter of the other: 1.25 SMs' worth counts as one SM. */
    assert_true(fabs(device_usage(c->device).sm_ps - 10.0 * 100 * US) < 1);
}

/*
 * A's three waves of 10 us, the last of 20 blocks, leave 20 slots at 20 us: B has its 20 blocks
 * there, 20 to 27. C stood behind B: 20 of its 40 blocks begin at 27, the others when A ends at 30;
 * each takes 5 us.
 */
DEVICE_TEST(head_of_line_and_leftover, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 0, 100, 30 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 20, 7 * US);
    struct device_case_task *d = device_case_kernel(c, &profile, 2, 40, 5 * US);
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {20 * US, 27 * US}, {27 * US, 35 * US});
    assert_true(fabs(d->task.loss_ps[DEVICE_LOSS_SM_SHARE] - 3.0 * US) < 1);
    /* Before that it waited 20 us for all of A's slots, then 7 us for half A's and half B's. */
    assert_true(fabs(b->culprit_ps[0] - 20 * US) < 1);
    assert_true(fabs(d->culprit_ps[0] - (23.5 + 3.0) * US) < 1);
    assert_true(fabs(d->culprit_ps[1] - 3.5 * US) < 1);
}

/* A kernel that has all the room that it can use, but blocks left, holds up those that would fit
 * beside it. */
DEVICE_TEST(blocks_left_hold_others_up, CT_SHARING_MPS) {
    struct kernel_profile large = profile;
    large.need = (struct occupancy_need){256, 4096, 65536};
    large.blocks_per_sm = 1;
    device_case_kernel(c, &large, 0, 20, 20 * US);
    device_case_kernel(c, &profile, 1, 10, 3 * US);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {10 * US, 13 * US});
}

/* 50 % each: 20 slots, two waves of 10 us. A third client waits until one of them ends. */
DEVICE_TEST(caps_of_half, CT_SHARING_MPS) {
    device_set_cap(c->device, 0, 500);
    device_set_cap(c->device, 1, 500);
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    device_case_kernel(c, &profile, 2, 10, 3 * US);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {0, 20 * US}, {20 * US, 23 * US});
    assert_true(fabs(a->task.loss_ps[DEVICE_LOSS_SM_SHARE] - 10.0 * US) < 1);
}

/*
 * Two caps of 66.7 %, seven SMs. A has 28 blocks on SMs 0 to 6; B 12 on the other three. At 10 us
 * A's last 12 blocks go first, two each on SMs 0 to 4 and one each on 5 and 6; B may use seven SMs:
 * 7 to 9 with four blocks each, 5 and 6 with three, 0 and 1 with two, beside A's. Its last six
 * follow at 20 us.
 */
DEVICE_TEST(caps_that_overlap, CT_SHARING_MPS) {
    static const uint32_t beside[10] = {4, 4, 2, 2, 2, 4, 4, 4, 4, 4};
    device_set_cap(c->device, 0, 667);
    device_set_cap(c->device, 1, 667);
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 40, 10 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 40, 10 * US);
    des_engine_run(c->engine, 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), 4);
    des_engine_run(c->engine, 10 * US);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(resident_on(c, i), beside[i]);
    device_case_run(c);
    device_case_expect(a, 0, 20 * US);
    device_case_expect(b, 0, 30 * US);
}

/*
 * What a cap keeps free are whole SMs: A, two blocks on each of at most seven SMs, leaves three to
 * B, whose blocks need the shared memory of a whole SM. A: 14, 14 and 12 blocks of 10 us. B: three
 * at a time of 6 us, ten in all.
 */
DEVICE_TEST(a_cap_leaves_whole_sms, CT_SHARING_MPS) {
    struct kernel_profile two = profile, one = profile;
    two.need = (struct occupancy_need){256, 4096, 49152};
    two.blocks_per_sm = 2;
    one.need = (struct occupancy_need){256, 4096, 98304};
    one.blocks_per_sm = 1;
    device_set_cap(c->device, 0, 700);
    device_case_kernel(c, &two, 0, 40, 20 * US);
    device_case_kernel(c, &one, 1, 10, 6 * US);
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {0, 24 * US});
}

/*
 * Three batch kernels of 60 blocks in waves of 10 us come at 0, a service's four blocks of 2 us at
 * 5, in both fidelities. Returns when the service begins and ends, in us.
 */
static void beside_three_capped(enum device_fidelity fidelity, ct_share cap, double *begins,
                                double *ends) {
    CLOSED_BY(device_case_close) struct device_case c;
    make_case(&c, CT_SHARING_MPS);
    c.config.fidelity = fidelity;
    device_case_build(&c);
    for (uint32_t client = 0; client < 4; client++)
        device_set_cap(c.device, client, cap);
    for (uint32_t client = 0; client < 3; client++)
        kernel_at(&c, 0, client, 60, 20 * US);
    kernel_at(&c, 1 * US, 0, 4, 2 * US)->stream = 5;
    struct device_case_task *service = kernel_at(&c, 5 * US, 3, 4, 2 * US);
    device_case_run(&c);
    *begins = (double)service->task.started_ps / US;
    *ends = (double)service->task.ended_ps / US;
}

/*
 * What is left for a service depends on whether the caps before it fill the GPU. 30 %: three times
 * three SMs; the first client's second kernel, which its cap alone holds back, is passed, and the
 * tenth SM takes all four blocks. 33.3 %: in blocks three SMs again; in fluid 13 slots of 13.32
 * each, one of the 40 is left, and four waves take 8 us. 40 %: 16, 16 and 8 slots; the third
 * kernel, which may have 16, is the obstacle. At 30 us the last waves leave eight slots (12 of 16,
 * twice). In fluid it takes them, and the service waits for the end of these waves at 40; in blocks
 * they are one slot on each of eight SMs, it may begin on two of them, and its cap holds back
 * nobody else.
 */
TEST(caps_that_fill_the_gpu_or_do_not) {
    static const struct {
        ct_share cap;
        double begins[2], ends[2]; /* fluid, block */
    } cases[] = {{300, {5, 5}, {7, 7}}, {333, {5, 5}, {13, 7}}, {400, {40, 30}, {42, 32}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int fidelity = DEVICE_FLUID; fidelity <= DEVICE_BLOCK; fidelity++) {
            double begins, ends;
            beside_three_capped((enum device_fidelity)fidelity, cases[i].cap, &begins, &ends);
            int which = fidelity == DEVICE_BLOCK;
            if (fabs(begins - cases[i].begins[which]) > 1e-5 ||
                fabs(ends - cases[i].ends[which]) > 1e-5)
                fail_msg("cap %d, fidelity %d: from %g to %g us", (int)cases[i].cap, fidelity,
                         begins, ends);
        }
}

/* A cap set below what a client holds: its blocks end, and none begins until it holds fewer SMs. At
 * 5 us the cap is two SMs: the other 40 blocks take eight slots from 10 us on, five waves. */
static void cap_two_sms(void *context, uint64_t unused) {
    device_set_cap(context, 0, 200);
}

DEVICE_TEST(a_cap_that_shrinks, CT_SHARING_MPS) {
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 80, 20 * US);
    des_event_schedule(c->engine, 5 * US, DES_RANK_ARRIVAL, cap_two_sms, c->device, 0);
    device_case_run(c);
    device_case_expect(a, 0, 60 * US);
}

/* A share of 25 % bound at issue is two and a half SMs, so three: 12 slots, four waves; the next
 * kernel of the client has none. */
DEVICE_TEST(share_bound_at_issue, CT_SHARING_MPS) {
    device_case_kernel(c, &profile, 0, 40, 10 * US)->share = 250;
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 40 * US}, {40 * US, 50 * US});
}

/*
 * Compute is half of the time: with half the slots, the blocks leave each other twice the memory
 * and take 5 us, two waves; with a fifth they still take 5 us, five waves. A curve that was
 * measured is met as it is. 50 blocks are two waves alone, and on 24 slots three of 3 us: never
 * faster than alone.
 */
DEVICE_TEST(sensitivity_to_sms, CT_SHARING_MPS) {
    static const struct trace_curve_point curve[] = {{100, 5}, {500, 1.5}, {1000, 1}};
    struct kernel_profile half = profile, measured = profile;
    half.compute_fraction = 0.5;
    measured.curve = curve;
    measured.curve_count = 3;
    const struct kernel_profile *profiles[] = {&half, &half, &measured, &measured, &half};
    static const ct_share shares[] = {500, 200, 500, 200, 600};
    static const double blocks[] = {40, 40, 40, 40, 50};
    static const ct_time_ps took[] = {10000000, 25000000, 15000000, 41250000, 10000000};
    device_case_expect_in_turn(c, profiles, shares, blocks, took, 5);
}

/* Units, SM by SM: blocks slow down where they share one, and a cohort whose SMs differ is told
 * apart. */
DEVICE_TEST(units_of_each_sm, CT_SHARING_MPS) {
    struct kernel_profile busy = profile, light = profile;
    busy.unit_fraction = 0.9;
    light.unit_fraction = 0.6;
    /* A: ten blocks, one per SM, that use 0.9 of it each. B: five blocks, one on each of SMs 0 to
     * 4: 0.6 x 10 / 5 is 1.2 of an SM, which the recording shows that it got. On these SMs 2.1 is
     * asked: A has 1 / 2.1 of its rate, B 1.2 / 2.1. B ends at 10 us x 2.1 / 1.2 = 17.5; A's blocks
     * on SMs 5 to 9 end at 10; on SMs 0 to 4 they have done 17.5 / 2.1 = 8.3333 of 10 us when B
     * ends, and end at 19.166667. */
    struct device_case_task *a = device_case_kernel(c, &busy, 0, 10, 10 * US);
    struct device_case_task *b = device_case_kernel(c, &light, 1, 5, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 19166667}, {0, 17500000});
    assert_true(a->task.loss_ps[DEVICE_LOSS_SM_CONTENTION] > 0);
    assert_true(fabs(b->task.loss_ps[DEVICE_LOSS_SM_CONTENTION] - 7.5 * US) < 1);
    assert_true(fabs(b->culprit_ps[0] - 7.5 * US) < 1);
}

/*
 * A, a block on each SM, uses 0.9 of it and asks for as much: others keep 0.4 of their speed behind
 * it, where what it leaves would be 0.1 / 0.8 of it. B takes 25 us instead of 10, and 0.32 of the
 * slots: 0.22 beyond what was left, of A's 0.9, so that A loses 25 us times 0.22 / 0.9. Of whose
 * instructions depend on each other half is left: 50 us, 0.16 of the slots.
 */
static void behind_an_older_one(enum device_fidelity fidelity, bool dependent) {
    CLOSED_BY(device_case_close) struct device_case c;
    make_case(&c, CT_SHARING_MPS);
    c.config.fidelity = fidelity;
    c.gpu.sm_sharing = GPU_SM_HOPPER;
    device_case_build(&c);
    struct kernel_profile older = profile, younger = profile;
    older.unit_fraction = 0.9;
    younger.unit_fraction = 0.8;
    younger.dependent = dependent;
    older.need.threads = younger.need.threads = 256;
    struct device_case_task *a = device_case_kernel(&c, &older, 0, 10, 100 * US);
    struct device_case_task *b = device_case_kernel_at(&c, 20 * US, &younger, 1, 10, 10 * US);
    device_case_run(&c);
    device_case_expect(b, 20 * US, dependent ? 70 * US : 45 * US);
    device_case_expect(a, 0, dependent ? 103333333 : 106111111);
}

TEST(a_younger_kernel_keeps_a_part) {
    for (int fidelity = DEVICE_FLUID; fidelity <= DEVICE_BLOCK; fidelity++)
        for (int dependent = 0; dependent < 2; dependent++)
            behind_an_older_one((enum device_fidelity)fidelity, dependent);
}

/*
 * 24 SMs in GPCs of three TPCs, six SMs. Half of the SMs each: twelve, and no more than two TPCs of
 * a GPC. A, on and on, takes four SMs of three GPCs and leaves two of each and the fourth: of that
 * B may have four. Ten SMs are 40 slots for its 48 blocks: two waves, though two SMs are idle.
 */
static void half_beside_half(enum device_fidelity fidelity, bool known) {
    CLOSED_BY(device_case_close) struct device_case c;
    make_case(&c, CT_SHARING_MPS);
    c.config.fidelity = fidelity;
    c.gpu.sms = 24;
    c.gpu.gpc_tpcs = known ? 3 : 0;
    device_case_build(&c);
    device_set_cap(c.device, 0, 500);
    device_set_cap(c.device, 1, 500);
    struct device_case_task *a = device_case_kernel(&c, &profile, 0, 48, 100 * US);
    struct device_case_task *b = device_case_kernel(&c, &profile, 1, 48, 10 * US);
    device_case_run(&c);
    device_case_expect(a, 0, 100 * US);
    device_case_expect(b, 0, known ? 20 * US : 10 * US);
}

TEST(a_part_of_each_gpc) {
    for (int fidelity = DEVICE_FLUID; fidelity <= DEVICE_BLOCK; fidelity++)
        for (int known = 0; known < 2; known++)
            half_beside_half((enum device_fidelity)fidelity, known);
}

/* Pending blocks of the higher priority first: at 10 us A's second wave waits for B, whose kernel
 * came at 3 us; the blocks that run stay. B's 30 blocks leave ten slots for A at 10; its other 30
 * blocks follow at 15. */
TEST(priority_at_block_boundaries) {
    static const int32_t priorities[DEVICE_CASE_CLIENTS] = {0, 5, 0, 0};
    CLOSED_BY(device_case_close) struct device_case c;
    make_case(&c, CT_SHARING_MPS);
    c.config.priorities = priorities;
    device_case_build(&c);
    struct device_case_task *a = kernel_at(&c, 0, 0, 80, 20 * US);
    struct device_case_task *b = kernel_at(&c, 3 * US, 1, 30, 5 * US);
    device_case_run(&c);
    device_case_expect(a, 0, 25 * US);
    device_case_expect(b, 10 * US, 15 * US);
}

/* Slices of 100 us, 10 us per switch: as in fluid, for kernels of one wave. Each client has the
 * whole GPU. */
DEVICE_TEST(time_slices, CT_SHARING_TIMESLICE) {
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 40, 250 * US);
    struct device_case_task *b = device_case_kernel(c, &profile, 1, 40, 150 * US);
    DEVICE_CASE_RUNS(c, {0, 440 * US}, {110 * US, 380 * US});
    assert_true(a->task.loss_ps[DEVICE_LOSS_PREEMPTION] == 190.0 * US);
    assert_true(b->task.loss_ps[DEVICE_LOSS_PREEMPTION] == 120.0 * US);
    assert_true(fabs(device_usage(c->device).sm_ps - 10.0 * 400 * US) < 1);
}

DEVICE_TEST(exclusive_is_first_come_first_served, CT_SHARING_EXCLUSIVE) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 1, 10, 5 * US);
    device_case_kernel(c, &profile, 0, 10, 4 * US)->stream = 4;
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 15 * US}, {15 * US, 19 * US});
}

DEVICE_TEST(exclusive_to_memsets_too, CT_SHARING_EXCLUSIVE) {
    device_case_memset_at(c, 0, 0, 10 * US);
    device_case_kernel_at(c, 1 * US, &profile, 1, 40, 10 * US);
    device_case_memset_at(c, 2 * US, 0, 4 * US)->stream = 4;
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 20 * US}, {20 * US, 24 * US});
}

static void split(struct device_case *c, int64_t first, enum ct_move move) {
    int64_t sms[DEVICE_CASE_CLIENTS] = {first, 10 - first};
    device_repartition(c->device, sms, move);
}

static void drain_at(void *context, uint64_t first) {
    split(context, (int64_t)first, CT_MOVE_DRAIN);
}

static void switch_at(void *context, uint64_t first) {
    split(context, (int64_t)first, CT_MOVE_SWITCH);
}

static void choose_at(void *context, uint64_t first) {
    split(context, (int64_t)first, CT_MOVE_AUTO);
}

/* Seven and three SMs: 28 slots, two waves; 12 slots, four waves (12, 12, 12, 4), and no more when
 * the others idle. */
DEVICE_TEST(partitions_are_exclusive, CT_SHARING_PARTITION) {
    split(c, 7, CT_MOVE_AUTO);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    des_engine_run(c->engine, 0);
    assert_int_equal(c->repartitions, 1);
    assert_int_equal(device_case_owned(c, 0), 7);
    assert_int_equal(device_case_owned(c, 1), 3);
    DEVICE_CASE_RUNS(c, {0, 20 * US}, {0, 40 * US});
}

/*
 * At 5 us three of A's six SMs are to move to B. They drain until A's first wave ends at 10; A's
 * other 16 blocks then have 12 slots, and 4 of them a third wave: 30 us. B's 40 blocks: 16, then
 * from 10 us on 28 slots for the other 24.
 */
DEVICE_TEST(an_sm_drains, CT_SHARING_PARTITION) {
    split(c, 6, CT_MOVE_AUTO);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    des_event_schedule(c->engine, 5 * US, DES_RANK_ARRIVAL, drain_at, c, 3);
    des_engine_run(c->engine, 10 * US - 1);
    assert_int_equal(c->repartitions, 1);
    assert_int_equal(device_case_owned(c, 0), 6);
    des_engine_run(c->engine, 10 * US);
    assert_int_equal(c->repartitions, 2);
    assert_int_equal(device_case_owned(c, 1), 7);
    DEVICE_CASE_RUNS(c, {0, 30 * US}, {0, 20 * US});
}

/*
 * A's blocks make room by context switch. A block is 16384 registers of 4 bytes and 16384 bytes,
 * 81920 in all; four of them over a tenth of 100 GB/s take 32.768 us out and as long in. A's twelve
 * blocks on three SMs stop at 5 us with half of their work done and are out at 37.768; B has its
 * four SMs (16, 16 and 8 blocks) until 30 us and needs no others. A's own 24 - 12 go on to 10 us;
 * its 16 pending blocks follow on three SMs: 10 to 20 and four of them 20 to 30. At 37.768 the
 * saved ones come back onto the three SMs: in at 70.536, done 5 us later.
 */
DEVICE_TEST(an_sm_is_switched, CT_SHARING_PARTITION) {
    split(c, 6, CT_MOVE_AUTO);
    struct device_case_task *a = device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_kernel(c, &profile, 1, 40, 10 * US);
    des_event_schedule(c->engine, 5 * US, DES_RANK_ARRIVAL, switch_at, c, 3);
    des_engine_run(c->engine, 37768000 - 1);
    assert_int_equal(c->repartitions, 1);
    des_engine_run(c->engine, 37768000);
    assert_int_equal(c->repartitions, 2);
    assert_int_equal(device_case_owned(c, 1), 7);
    DEVICE_CASE_RUNS(c, {0, 75536000}, {0, 30 * US});
    assert_true(a->task.loss_ps[DEVICE_LOSS_PREEMPTION] > 0);
    assert_int_equal(device_client_counters(c->device, 0).blocks_finished, 40);
}

static void begin_epoch(void *context, uint64_t unused) {
    device_begin_epoch(context);
}

/*
 * Kernels of many waves, 10 us a block, at 45 us: each SM has finished four waves of four, 16
 * blocks, more than the four that it holds, so it drains: moved at 50. Had the epoch begun at 38
 * us, it had finished four, not more than it holds, and is switched: moved at 45 + 32.768.
 */
TEST(the_choice_is_hsms) {
    for (int fresh = 0; fresh < 2; fresh++) {
        CLOSED_BY(device_case_close) struct device_case c;
        open_case(&c, CT_SHARING_PARTITION);
        split(&c, 6, CT_MOVE_AUTO);
        device_case_kernel(&c, &profile, 0, 400, 100 * US);
        des_event_schedule(c.engine, 45 * US, DES_RANK_ARRIVAL, choose_at, &c, 5);
        if (fresh)
            des_event_schedule(c.engine, 38 * US, DES_RANK_EPOCH, begin_epoch, c.device, 0);
        ct_time_ps moved = fresh ? 45 * US + 32768000 : 50 * US;
        des_engine_run(c.engine, moved - 1);
        assert_int_equal(c.repartitions, 1);
        des_engine_run(c.engine, moved);
        assert_int_equal(c.repartitions, 2);
        device_case_run(&c);
        assert_int_equal(device_client_counters(c.device, 0).blocks_finished, 400);
    }
}
