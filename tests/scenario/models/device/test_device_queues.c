/* Streams, hardware queues, copies and memory of the device; time lines by hand. */
#include "device_case.h"
#include "models/device/contention.h"

static struct kernel_profile profile;

static void open_case(struct device_case *c, uint32_t hw_queues) {
    profile = device_case_profile();
    device_case_open(c, CT_SHARING_MPS);
    c->config.hw_queues = hw_queues;
    device_case_build(c);
}

/* Stream 0: K1, K2; stream 1: K3; 10 us each, all fit. Two queues: K3 runs beside K1. */
DEVICE_TEST(queues_of_their_own, 32) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 1, 10, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 20 * US}, {0, 10 * US});
}

/* One queue: K2 waits for K1 in it, and K3 behind K2, as before Hyper-Q. */
DEVICE_TEST(one_queue_blocks_all_behind, 1) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_kernel(c, &profile, 1, 10, 10 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {10 * US, 20 * US}, {10 * US, 20 * US});
}

/* One queue in each context: client 0 has streams 0 and 1, client 1 streams 2 and 3. K2 waits for
 * K1 and K3 behind K2, as before; the other client's kernels do not. */
TEST(a_context_has_queues_of_its_own) {
    static const uint32_t contexts[DEVICE_CASE_CLIENTS] = {2, 2, 4, 0};
    CLOSED_BY(device_case_close) struct device_case c;
    profile = device_case_profile();
    device_case_open(&c, CT_SHARING_MPS);
    c.config.hw_queues = 1;
    c.config.contexts = contexts;
    device_case_build(&c);
    device_case_kernel(&c, &profile, 0, 10, 10 * US);
    device_case_kernel(&c, &profile, 0, 10, 10 * US);
    device_case_kernel(&c, &profile, 0, 10, 10 * US)->stream = 1;
    device_case_kernel(&c, &profile, 1, 10, 10 * US)->stream = 2;
    device_case_kernel(&c, &profile, 1, 10, 10 * US)->stream = 3;
    DEVICE_CASE_RUNS(&c, {0, 10 * US}, {10 * US, 20 * US}, {10 * US, 20 * US}, {0, 10 * US},
                     {0, 10 * US});
    for (uint32_t stream = 0; stream < DEVICE_CASE_STREAMS; stream++)
        assert_int_equal(device_queue_of(c.device, stream), stream < 4 ? stream / 2 : 2);
}

/* One queue, nothing dependent: all go at once, a copy behind a kernel of many waves too, and a
 * kernel behind the copy. 3 MB pageable: 1 us + 1000 us. */
DEVICE_TEST(one_queue_lets_independent_tasks_through, 1) {
    device_case_kernel(c, &profile, 0, 10, 10 * US);
    device_case_copy(c, 1, TRACE_HOST_TO_DEVICE, false, 3000000);
    device_case_kernel(c, &profile, 2, 100, 30 * US);
    device_case_copy(c, 3, TRACE_DEVICE_TO_HOST, false, 3000000);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 10 * US);
    device_case_expect(&c->tasks[1], 0, 1001 * US);
    /* 100 blocks on 30 slots: four waves of 10 us; at 10 us, with 22.5 of 30 left, 40 slots and
     * three waves: two of them are 20 us. */
    device_case_expect(&c->tasks[2], 0, 32500000);
    device_case_expect(&c->tasks[3], 0, 1001 * US);
}

/* In the stream's order: 3 MB pageable in (1 + 1000 us), kernel, 12 MB pinned out (1 + 1000 us). */
DEVICE_TEST(copies_in_stream_order, 32) {
    device_case_copy(c, 0, TRACE_HOST_TO_DEVICE, false, 3000000);
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_copy(c, 0, TRACE_DEVICE_TO_HOST, true, 12000000);
    DEVICE_CASE_RUNS(c, {0, 1001 * US}, {1001 * US, 1011 * US}, {1011 * US, 2012 * US});
}

/* Five pageable copies share 12 GB/s: 2.4 GB/s each, 1250 us for 3 MB instead of 1000; the other
 * direction is undisturbed. */
DEVICE_TEST(pageable_copies_share, 32) {
    for (uint32_t stream = 0; stream < 5; stream++)
        device_case_copy(c, stream, TRACE_HOST_TO_DEVICE, false, 3000000);
    device_case_copy(c, 5, TRACE_DEVICE_TO_HOST, false, 3000000);
    device_case_run(c);
    for (uint32_t i = 0; i < 5; i++)
        device_case_expect(&c->tasks[i], 0, 1251 * US);
    device_case_expect(&c->tasks[5], 0, 1001 * US);
    assert_true(fabs(c->tasks[0].task.loss_ps[DEVICE_LOSS_PCIE_SHARE] - 250.0 * US) < 2);
}

/* Pinned copies hold the direction: the second waits for the first. */
DEVICE_TEST(pinned_copies_take_turns, 32) {
    device_case_copy(c, 0, TRACE_HOST_TO_DEVICE, true, 12000000);
    device_case_copy(c, 1, TRACE_HOST_TO_DEVICE, true, 6000000);
    DEVICE_CASE_RUNS(c, {0, 1001 * US}, {0, 1502 * US});
    assert_true(c->tasks[1].task.loss_ps[DEVICE_LOSS_PCIE_WAIT] == 1001.0 * US);
    assert_true(c->tasks[1].culprit_ps[0] == 1001.0 * US);
}

/* A memset holds no SM: it runs beside a kernel that holds them all. */
DEVICE_TEST(memsets_hold_no_sm, 32) {
    device_case_kernel(c, &profile, 0, 40, 10 * US);
    device_case_memset_at(c, 0, 1, 20 * US);
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {0, 20 * US});
}

/* A copy inside the device reads and writes: 1 MB in 20 us are 100 GB/s, the whole peak. Beside a
 * kernel that asks for 60: the copy shows that more than the line's 86 can be had (100 - 86 = 14,
 * weighted by requests: 100/160 of it, 8.75), so 94.75 of 160 GB/s are granted. 20 us of work: the
 * kernel's 10 us take 10 / 0.5921875 = 16.886544 us; of the copy 10 us are left then. */
DEVICE_TEST(copies_on_the_device_use_dram, 32) {
    struct kernel_profile streaming = profile;
    streaming.dram_bytes_per_s = 60e9;
    device_case_kernel(c, &streaming, 0, 40, 10 * US);
    device_case_add(c, (struct device_case_task){.client = 1,
                                                 .stream = 1,
                                                 .kind = TRACE_COPY,
                                                 .direction = TRACE_DEVICE_TO_DEVICE,
                                                 .bytes = 1000000,
                                                 .work_ps = 20 * US});
    DEVICE_CASE_RUNS(c, {0, 16886544}, {0, 26886544});
}

/* Two of 10 blocks each with these demands, row hit rates and works; returns the case. */
static void two_streaming(struct device_case *c, const struct kernel_profile *a,
                          const struct kernel_profile *b, ct_time_ps work_b) {
    device_case_kernel(c, a, 0, 10, 10 * US);
    device_case_kernel(c, b, 1, 10, work_b);
    device_case_run(c);
}

static struct kernel_profile streaming(double gb_s, double row_hit_rate) {
    struct kernel_profile p = device_case_profile();
    p.dram_bytes_per_s = gb_s * 1e9;
    p.row_hit_rate = row_hit_rate;
    return p;
}

/* 60 + 25 GB/s are below 86: no slowdown. */
DEVICE_TEST(bandwidth_below_saturation, 32) {
    struct kernel_profile a = streaming(60, 1), b = streaming(25, 1);
    two_streaming(c, &a, &b, 10 * US);
    device_case_expect(&c->tasks[0], 0, 10 * US);
    device_case_expect(&c->tasks[1], 0, 10 * US);
}

/*
 * 80 + 40 GB/s of 86: in proportion to requests both progress at 86/120. B (5 us) ends at 5 *
 * 120/86 = 6.976744 us; A has 5 us left (to the picosecond that was rounded) and runs at full rate.
 */
DEVICE_TEST(bandwidth_in_proportion_to_requests, 32) {
    struct kernel_profile a = streaming(80, 1), b = streaming(40, 1);
    two_streaming(c, &a, &b, 5 * US);
    device_case_expect(&c->tasks[0], 0, 11976744);
    device_case_expect(&c->tasks[1], 0, 6976744);
    assert_true(fabs(c->tasks[0].task.loss_ps[DEVICE_LOSS_DRAM] - 1976744) < 2);
    assert_true(fabs(c->tasks[0].culprit_ps[1] - 1976744) < 2);
}

/*
 * 40 GB/s at a row hit rate of 1 beside 40 at 0.2: mixed 0.6, the line gives 66 of 80: both
 * progress at 0.825, 10 us take 12.121212. Without B's misses A would have lost nothing (86 > 80):
 * row buffer. With B's own hit rate alone there would be no more than 66 either: bandwidth.
 */
DEVICE_TEST(row_misses_of_others, 32) {
    struct kernel_profile a = streaming(40, 1), b = streaming(40, 0.2);
    two_streaming(c, &a, &b, 10 * US);
    device_case_expect(&c->tasks[0], 0, 12121212);
    device_case_expect(&c->tasks[1], 0, 12121212);
    assert_true(fabs(c->tasks[0].task.loss_ps[DEVICE_LOSS_ROW_BUFFER] - 2121212) < 2);
    assert_true(c->tasks[0].task.loss_ps[DEVICE_LOSS_DRAM] == 0);
    assert_true(fabs(c->tasks[1].task.loss_ps[DEVICE_LOSS_DRAM] - 2121212) < 2);
    assert_true(c->tasks[1].task.loss_ps[DEVICE_LOSS_ROW_BUFFER] == 0);
}

/* Unit use of 0.8 and 0.6 sums to 1.4: both at 1/1.4. A: 10 us take 14; B: 5 us take 7; then A
 * alone uses what it was recorded to use: 5 us left of its 10, so 7 + 5. */
DEVICE_TEST(functional_units_sum_to_one, 32) {
    struct kernel_profile a = profile, b = profile;
    a.unit_fraction = 0.8;
    b.unit_fraction = 0.6;
    two_streaming(c, &a, &b, 5 * US);
    device_case_expect(&c->tasks[0], 0, 12 * US);
    device_case_expect(&c->tasks[1], 0, 7 * US);
    assert_true(fabs(c->tasks[0].task.loss_ps[DEVICE_LOSS_SM_CONTENTION] - 2.0 * US) < 2);
}

/*
 * Contention with the V100's k0 0.057 and k 0.028. A: DRAM 0.3 and L2 0.1, B: DRAM 0.2; D = 0.5.
 * s_A = 1 + 0.057 + 0.028 * 0.2 / 0.5 = 1.0682, s_B = 1 + 0.057 + 0.028 * 0.4 / 0.5 = 1.0794. A
 * ends at 10.682 us; B has done 10.682 / 1.0794 = 9.896239 us by then and ends 0.103761 us later.
 */
TEST(contention_below_saturation) {
    CLOSED_BY(device_case_close) struct device_case c;
    profile = device_case_profile();
    device_case_open(&c, CT_SHARING_MPS);
    c.gpu.contention_k0 = 0.057;
    c.gpu.contention_k = 0.028;
    device_case_build(&c);
    struct kernel_profile a = streaming(30, 1), b = streaming(20, 1);
    a.l2_fraction = 0.1;
    two_streaming(&c, &a, &b, 10 * US);
    device_case_expect(&c.tasks[0], 0, 10682000);
    device_case_expect(&c.tasks[1], 0, 10785761);
    const double *loss = c.tasks[0].task.loss_ps;
    /* Bandwidth first: 10.682 (1 - 1/1.0112), then 0.057 of what the SMs slow. */
    assert_true(fabs(loss[DEVICE_LOSS_DRAM] - 10682000 * (1 - 1 / 1.0112)) < 2);
    assert_true(fabs(loss[DEVICE_LOSS_DRAM] + loss[DEVICE_LOSS_SM_CONTENTION] - 682000) < 2);
}

/* A is known to stay off the memory: nobody slows it, and it slows nobody. If that is not known,
 * each slows the other: 1.057 times 10 us. */
TEST(no_contention_off_the_memory) {
    for (int known = 0; known <= 1; known++) {
        CLOSED_BY(device_case_close) struct device_case c;
        profile = device_case_profile();
        device_case_open(&c, CT_SHARING_MPS);
        c.gpu.contention_k0 = 0.057;
        device_case_build(&c);
        struct kernel_profile a = profile, b = streaming(20, 1);
        a.off_memory = known;
        two_streaming(&c, &a, &b, 10 * US);
        device_case_expect(&c.tasks[0], 0, known ? 10 * US : 10570000);
        device_case_expect(&c.tasks[1], 0, known ? 10 * US : 10570000);
    }
}

/*
 * As above, where calibration found that A feels three times as much and that B does half as much
 * to others: s_A = 1 + 3 (0.057 / 2 + 0.028 * 0.1 / 0.5) = 1.1023, s_B as before. B ends at 10.794
 * us; A has done 10.794 / 1.1023 = 9.792253 us by then and ends 0.207747 us later.
 */
TEST(contention_of_calibrated_applications) {
    static const struct contention_app apps[] = {
        {"a", 3, 1}, {"b", 1, 0.5}, {"c", 1, 1}, {"d", 1, 1}};
    CLOSED_BY(device_case_close) struct device_case c;
    profile = device_case_profile();
    device_case_open(&c, CT_SHARING_MPS);
    c.gpu.contention_k0 = 0.057;
    c.gpu.contention_k = 0.028;
    c.config.contention = apps;
    device_case_build(&c);
    struct kernel_profile a = streaming(30, 1), b = streaming(20, 1);
    a.l2_fraction = 0.1;
    two_streaming(&c, &a, &b, 10 * US);
    device_case_expect(&c.tasks[0], 0, 11001747);
    device_case_expect(&c.tasks[1], 0, 10794000);
}

/* Neighbours of the same application do not contend by the fitted formula, which knows pairs of
 * applications. */
TEST(no_contention_with_oneself) {
    CLOSED_BY(device_case_close) struct device_case c;
    profile = device_case_profile();
    device_case_open(&c, CT_SHARING_MPS);
    c.gpu.contention_k0 = 0.057;
    device_case_build(&c);
    device_case_kernel(&c, &profile, 0, 10, 10 * US);
    device_case_kernel(&c, &profile, 0, 10, 10 * US)->stream = 4;
    device_case_run(&c);
    device_case_expect(&c.tasks[0], 0, 10 * US);
    device_case_expect(&c.tasks[1], 0, 10 * US);
}

/* Submission, its settlement, the end of the latency, the end of the copy, and a settlement after
 * each: without a latency nothing ends. Kernels that end at the time of a copy are events of their
 * own. */
TEST(events_of_a_copy) {
    for (int latency_us = 0; latency_us <= 1; latency_us++)
        for (int pinned = 0; pinned <= 1; pinned++)
            for (int kernel = 0; kernel <= 1; kernel++) {
                CLOSED_BY(device_case_close) struct device_case c;
                profile = device_case_profile();
                device_case_open(&c, CT_SHARING_MPS);
                c.gpu.copy_latency_us = latency_us;
                device_case_build(&c);
                uint64_t bytes = pinned ? 120000 : 30000; /* 10 us */
                ct_time_ps end = (10 + latency_us) * US;
                device_case_copy(&c, 0, TRACE_HOST_TO_DEVICE, pinned, bytes);
                if (kernel)
                    device_case_kernel(&c, &profile, 1, 40, end);
                device_case_run(&c);
                device_case_expect(&c.tasks[0], 0, end);
                if (kernel)
                    device_case_expect(&c.tasks[1], 0, end);
                assert_int_equal(des_engine_executed(c.engine), 4 + 2 * latency_us + 2 * kernel);
            }
}
