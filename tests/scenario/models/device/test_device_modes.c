/*
 * What applications take from each other outside of SMs: launches (phi), bandwidth above and below
 * saturation, weights in the memory controller; and what they cannot take: slices, and slots of a
 * higher priority. Time lines by hand.
 */
#include "device_case.h"

static struct kernel_profile profile;

static void open_case(struct device_case *c, enum ct_sharing sharing) {
    profile = device_case_profile();
    device_case_open(c, sharing);
}

static struct kernel_profile streaming(double gb_s, double row_hit_rate) {
    struct kernel_profile p = device_case_profile();
    p.dram_bytes_per_s = gb_s * 1e9;
    p.row_hit_rate = row_hit_rate;
    return p;
}

static struct device_case_task *kernel_at(struct device_case *c, ct_time_ps at_ps, uint32_t client,
                                          uint32_t stream, double blocks, ct_time_ps work_ps) {
    return device_case_add(c, (struct device_case_task){.at_ps = at_ps,
                                                        .client = client,
                                                        .stream = stream,
                                                        .kind = TRACE_KERNEL,
                                                        .profile = &profile,
                                                        .blocks = blocks,
                                                        .work_ps = work_ps});
}

static void expect_loss(const struct device_case_task *t, enum device_loss cause, double us) {
    if (fabs(t->task.loss_ps[cause] - us * US) > 2)
        fail_msg("client %u lost %.6f us to %d, by hand %.6f", t->client,
                 t->task.loss_ps[cause] / 1e6, (int)cause, us);
}

static void expect_culprit(const struct device_case_task *t, uint32_t client, double us) {
    if (fabs(t->culprit_ps[client] - us * US) > 2)
        fail_msg("client %u was delayed %.6f us by %u, by hand %.6f", t->client,
                 t->culprit_ps[client] / 1e6, client, us);
}

/* ---- Launches ---- */

/*
 * phi = 4 us. Three kernels of A (10 us), handed over at once, beside a long one of B: each is held
 * up when the one before it has ended, 4 + 10 three times. B's second kernel comes at 11 us and
 * starts at 15, while A's third is held up: nobody waits behind that one.
 */
TEST(every_launch_of_a_chain_is_held_up) {
    for (int fidelity = DEVICE_FLUID; fidelity <= DEVICE_BLOCK; fidelity++) {
        CLOSED_BY(device_case_close) struct device_case c;
        open_case(&c, CT_SHARING_MPS);
        profile.need = (struct occupancy_need){512, 16384, 16384};
        device_case_use_blocks(&c);
        c.gpu.launch_delay_us = 4;
        c.config.fidelity = (enum device_fidelity)fidelity;
        device_case_build(&c);
        struct device_case_task *a[3];
        for (int i = 0; i < 3; i++)
            a[i] = kernel_at(&c, 0, 0, 0, 10, 10 * US);
        struct device_case_task *b = kernel_at(&c, 0, 1, 1, 10, 100 * US);
        struct device_case_task *d = kernel_at(&c, 11 * US, 1, 5, 10, 10 * US);
        device_case_run(&c);
        for (int i = 0; i < 3; i++) {
            device_case_expect(a[i], (14 * i + 4) * US, 14 * (i + 1) * US);
            assert_int_equal(a[i]->task.delayed_ps, 4 * US);
            expect_culprit(a[i], 1, 4);
        }
        device_case_expect(b, 4 * US, 104 * US);
        device_case_expect(d, 15 * US, 25 * US);
    }
}

/* The first come is A's kernel, whose launch is held up by 4 us: B's memset, behind it, has the
 * device meanwhile, and keeps it. */
DEVICE_TEST(held_up_launches_leave_their_turn, CT_SHARING_EXCLUSIVE) {
    c->gpu.launch_delay_us = 4;
    device_case_build(c);
    kernel_at(c, 0, 0, 0, 10, 10 * US);
    device_case_memset_at(c, 0, 1, 20 * US);
    DEVICE_CASE_RUNS(c, {20 * US, 30 * US}, {0, 20 * US});
}

/* Alone nothing is held up; beside two others each launch is by 8 us, for which both are to blame.
 * The third application ends at 13 us: A's second launch is held up by one only. */
DEVICE_TEST(launches_are_held_up_by_each_other_application, CT_SHARING_MPS) {
    c->gpu.launch_delay_us = 4;
    device_case_build(c);
    struct device_case_task *a = kernel_at(c, 0, 0, 0, 10, 10 * US);
    struct device_case_task *second = kernel_at(c, 0, 0, 0, 10, 10 * US);
    kernel_at(c, 0, 1, 1, 10, 90 * US);
    kernel_at(c, 0, 2, 2, 10, 5 * US);
    struct device_case_task *alone[] = {kernel_at(c, 200 * US, 3, 3, 10, 10 * US),
                                        kernel_at(c, 200 * US, 3, 3, 10, 10 * US)};
    device_case_run(c);
    device_case_expect(a, 8 * US, 18 * US);
    device_case_expect(second, 22 * US, 32 * US);
    expect_culprit(a, 1, 4);
    expect_culprit(a, 2, 4);
    expect_culprit(second, 1, 4);
    expect_culprit(second, 2, 0);
    device_case_expect(alone[0], 200 * US, 210 * US);
    device_case_expect(alone[1], 210 * US, 220 * US);
}

/*
 * The whole formula: n = 4 kernels of 10 us with DRAM 0.3 and L2 0.1 beside DRAM 0.2, k0 0.057, k
 * 0.028, phi 4 us: s = 1 + 0.057 + 0.028 * 0.2 / (1 - 0.5) + 4 n / 40 = 1.0682 + 0.4: 58.728 us.
 */
DEVICE_TEST(the_whole_formula, CT_SHARING_MPS) {
    c->gpu.contention_k0 = 0.057;
    c->gpu.contention_k = 0.028;
    c->gpu.launch_delay_us = 4;
    device_case_build(c);
    struct kernel_profile a = streaming(30, 1), b = streaming(20, 1);
    a.l2_fraction = 0.1;
    for (int i = 0; i < 4; i++)
        kernel_at(c, 0, 0, 0, 10, 10 * US)->profile = &a;
    kernel_at(c, 0, 1, 1, 10, 100 * US)->profile = &b;
    device_case_run(c);
    device_case_expect(&c->tasks[3], 48046000, 58728000);
}

/* ---- Contention and saturation ---- */

static void two_under_contention(struct device_case *c, double gb_s_a, double gb_s_b,
                                 ct_time_ps work_b) {
    struct kernel_profile a = streaming(gb_s_a, 1), b = streaming(gb_s_b, 1);
    open_case(c, CT_SHARING_MPS);
    c->gpu.contention_k = 0.05;
    device_case_build(c);
    kernel_at(c, 0, 0, 0, 10, 10 * US)->profile = &a;
    kernel_at(c, 0, 1, 1, 10, work_b)->profile = &b;
    device_case_run(c);
    device_case_close(c);
}

/* P is 0.3 for both, of DRAM and of L2, and D = 0.3: 1 + 0.07 * 0.3 / 0.7 = 1.03. That B draws
 * nothing does not make A the cause of its own loss. */
DEVICE_TEST(pressure_on_the_cache_counts, CT_SHARING_MPS) {
    c->gpu.contention_k = 0.07;
    device_case_build(c);
    struct kernel_profile a = streaming(30, 1), b = device_case_profile();
    b.l2_fraction = 0.3;
    kernel_at(c, 0, 0, 0, 10, 10 * US)->profile = &a;
    kernel_at(c, 0, 1, 1, 10, 10 * US)->profile = &b;
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 10300000);
    expect_culprit(&c->tasks[0], 1, 0.3);
    expect_culprit(&c->tasks[1], 0, 0.3);
}

/* 80 + 40 of 86 GB/s: k P / (1 - 0.8) would slow A to 1/1.1 and B to 1/1.2, the bandwidth slows
 * both to 86/120. It rules, as without contention: B ends at 5 * 120/86, A 5 us later. */
TEST(above_saturation_bandwidth_rules) {
    struct device_case c;
    two_under_contention(&c, 80, 40, 5 * US);
    device_case_expect(&c.tasks[0], 0, 11976744);
    device_case_expect(&c.tasks[1], 0, 6976744);
}

/* 46 + 44 of 86: bandwidth would leave 86/90, contention leaves less: 1 + 0.05 * 0.44 / 0.2 = 1.11
 * for A and 1.115 for B. From 11.1 us on B is alone with 10 - 11.1 / 1.115 us left. */
TEST(close_to_saturation_contention_does) {
    struct device_case c;
    two_under_contention(&c, 46, 44, 10 * US);
    device_case_expect(&c.tasks[0], 0, 11100000);
    device_case_expect(&c.tasks[1], 0, 11144843);
    expect_loss(&c.tasks[0], DEVICE_LOSS_DRAM, 1.1);
}

/* ---- Weights ---- */

/*
 * 50, 40 and 30 GB/s of 86, A with a weight of 2: all get the same part of 100, 40 and 30, but A no
 * more than 50. 36 are left for 70: B and C at 0.5142857. At 10 us A is done, B and C have 4.857143
 * us left, and fit. The others are to blame, by what they drew: 50, and 15.428571 of C.
 */
DEVICE_TEST(weights_share_what_runs_short, CT_SHARING_MPS) {
    device_case_build(c);
    struct kernel_profile p[] = {streaming(50, 1), streaming(40, 1), streaming(30, 1)};
    for (uint32_t i = 0; i < 3; i++)
        kernel_at(c, 0, i, i, 10, 10 * US)->profile = &p[i];
    device_set_memory_weight(c->device, 0, 2);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 10 * US);
    device_case_expect(&c->tasks[1], 0, 14857143);
    device_case_expect(&c->tasks[2], 0, 14857143);
    expect_loss(&c->tasks[1], DEVICE_LOSS_DRAM, 4.857143);
    expect_culprit(&c->tasks[1], 0, 4.857143 * 50 / 65.428571);
    expect_culprit(&c->tasks[1], 2, 4.857143 * 15.428571 / 65.428571);
}

/* A part of what runs short, not all of it: 60 and 60 of 86, weights 3 and 1: 60, for 64.5 would be
 * more than is asked for, and 26. At 10 us A is done, and B has 10 - 10 x 26 / 60 us left. */
DEVICE_TEST(nobody_gets_more_than_he_asks_for, CT_SHARING_MPS) {
    device_case_build(c);
    struct kernel_profile p = streaming(60, 1);
    for (uint32_t i = 0; i < 2; i++)
        kernel_at(c, 0, i, i, 10, 10 * US)->profile = &p;
    device_set_memory_weight(c->device, 1, 1.0 / 3);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 10 * US);
    device_case_expect(&c->tasks[1], 0, 15666667);
}

static void two_weighed(struct device_case *c, struct kernel_profile first,
                        struct kernel_profile second) {
    open_case(c, CT_SHARING_MPS);
    device_case_build(c);
    device_set_memory_weight(c->device, 0, 3);
    kernel_at(c, 0, 0, 0, 10, 10 * US)->profile = &first;
    kernel_at(c, 0, 1, 1, 10, 10 * US)->profile = &second;
    device_case_run(c);
    device_case_close(c);
}

/*
 * The line gives 36 + 50 RBH of the mix that is served: T in all. A's weight is enough for all that
 * it asks for.
 * 50 (RBH 1), then 36 (RBH 0): T = 36 + 50 * 50 / T, T = 18 + sqrt(18^2 + 2500) = 71.141321: B at
 * 21.141321 / 36, with 4.127411 us left at 10. Its own misses are the loss: bandwidth.
 * 30 (RBH 0), then 70 (RBH 1): T = 36 + 50 (T - 30) / T, T = 43 + sqrt(43^2 - 1500) = 61.681542: B
 * at 31.681542 / 70 = 0.452593, 5.474065 us left. Were A's rows hit as B's are: 86 / T times that,
 * 0.631032.
 */
TEST(weights_on_a_mix_of_row_hits) {
    struct device_case c;
    two_weighed(&c, streaming(50, 1), streaming(36, 0));
    device_case_expect(&c.tasks[0], 0, 10 * US);
    device_case_expect(&c.tasks[1], 0, 14127411);
    expect_loss(&c.tasks[1], DEVICE_LOSS_DRAM, 4.127411);
    two_weighed(&c, streaming(30, 0), streaming(70, 1));
    device_case_expect(&c.tasks[0], 0, 10 * US);
    device_case_expect(&c.tasks[1], 0, 15474065);
    expect_loss(&c.tasks[1], DEVICE_LOSS_DRAM, 3.689678);
    expect_loss(&c.tasks[1], DEVICE_LOSS_ROW_BUFFER, 1.784387);
    expect_culprit(&c.tasks[1], 0, 5.474065);
}

/* ---- Slices ---- */

/*
 * A: 4 of 10 SMs and half of the memory, 43 GB/s; B: 4 SMs and a quarter, 21.5. A's kernel of 16
 * blocks asks for 60 and gets 43: 10 * 60 / 43 us, with or without a neighbour that is saturated
 * itself (50 for 21.5), and with a formula of contention that would slow both.
 */
TEST(a_slice_is_its_own) {
    for (int i = 0; i < 4; i++) {
        CLOSED_BY(device_case_close) struct device_case c;
        struct kernel_profile a = streaming(60, 1), b = streaming(50, 1);
        open_case(&c, CT_SHARING_PARTITION);
        a.need = b.need = (struct occupancy_need){512, 16384, 16384};
        device_case_use_blocks(&c);
        c.gpu.contention_k0 = c.gpu.contention_k = 0.1;
        c.gpu.launch_delay_us = 4;
        c.config.slices = true;
        c.config.fidelity = i % 2 ? DEVICE_BLOCK : DEVICE_FLUID;
        device_case_build(&c);
        device_set_slice(c.device, 0, 4, 0.5);
        device_set_slice(c.device, 1, 4, 0.25);
        kernel_at(&c, 0, 0, 0, 16, 10 * US)->profile = &a;
        if (i > 1)
            kernel_at(&c, 0, 1, 1, 16, 10 * US)->profile = &b;
        device_case_run(&c);
        device_case_expect(&c.tasks[0], 0, 13953488);
        expect_loss(&c.tasks[0], DEVICE_LOSS_DRAM, 3.953488);
        expect_culprit(&c.tasks[0], 0, 3.953488);
        if (i > 1) {
            device_case_expect(&c.tasks[1], 0, 23255814);
            expect_culprit(&c.tasks[1], 1, 13.255814);
        }
        assert_int_equal(device_case_owned(&c, 1), 4);
    }
}

/*
 * 40 blocks on the 16 slots of 4 SMs are three waves: 30 us instead of 10, its own fault. Another
 * of 16 blocks of the same client waits until the last wave leaves 8 slots, at 20 us, and has two
 * waves there until 30: by then it has done 5 us of 10, and the last wave begins.
 */
DEVICE_TEST(few_sms_are_ones_own_fault, CT_SHARING_PARTITION) {
    c->config.slices = true;
    device_case_build(c);
    device_set_slice(c->device, 0, 4, 0.5);
    device_set_slice(c->device, 1, 4, 0.5);
    struct device_case_task *a = kernel_at(c, 0, 0, 0, 40, 10 * US);
    struct device_case_task *waits = kernel_at(c, 0, 0, 4, 16, 10 * US);
    kernel_at(c, 0, 1, 1, 16, 25 * US);
    device_case_run(c);
    device_case_expect(a, 0, 30 * US);
    expect_loss(a, DEVICE_LOSS_SM_SHARE, 20);
    expect_culprit(a, 0, 20);
    assert_int_equal(waits->task.started_ps, 20 * US);
    expect_culprit(waits, 1, 0); /* the other slice is none of its business */
}

/* ---- Priorities ---- */

/*
 * L: 80 blocks, two waves of 10 us. H (20 blocks, 7 us, higher priority) comes at 5 us; at 10 us
 * L's blocks end and H takes its slots. L goes on with 20 slots at half speed and has done 3.5 us
 * at 17, when H ends: the other 6.5 us are its last wave, on 40 slots.
 */
DEVICE_TEST(priority_at_block_boundaries, CT_SHARING_MPS) {
    static const int32_t priorities[DEVICE_CASE_CLIENTS] = {0, 5, 0, 0};
    c->config.priorities = priorities;
    device_case_build(c);
    struct device_case_task *l = kernel_at(c, 0, 0, 0, 80, 20 * US);
    struct device_case_task *h = kernel_at(c, 5 * US, 1, 1, 20, 7 * US);
    DEVICE_CASE_RUNS(c, {0, 23500000}, {10 * US, 17 * US});
    expect_culprit(h, 0, 5);
    expect_culprit(l, 1, 3.5);
}

/*
 * H fills the GPU for two waves of 5 us, 40 and 20 blocks: from 10 us on L has nothing. At 15 H's
 * last wave leaves 20 slots, and L goes on at half speed; at 20 it has all again and 7.5 us to go.
 */
DEVICE_TEST(nothing_is_left_for_the_lower_priority, CT_SHARING_MPS) {
    static const int32_t priorities[DEVICE_CASE_CLIENTS] = {0, 5, 0, 0};
    c->config.priorities = priorities;
    device_case_build(c);
    struct device_case_task *l = kernel_at(c, 0, 0, 0, 80, 20 * US);
    kernel_at(c, 5 * US, 1, 1, 60, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 27500000}, {10 * US, 20 * US});
    expect_loss(l, DEVICE_LOSS_SM_SHARE, 7.5);
}
