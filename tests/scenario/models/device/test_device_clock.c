/*
 * The clock of a memory that runs short, which all traffic follows: by hand, while others begin and
 * end, while somebody looks, when weights come in the midst of a shortage, and in one that lasts
 * longer than the clock shows.
 */
#include "device_case.h"

static const double CAPACITY = 86e9; /* bytes/s, which one kernel asks for alone */

/* Fills the memory with the blocks of one SM. */
static const struct kernel_profile filling = {.blocks = 4,
                                              .blocks_per_sm = 4,
                                              .compute_fraction = 0.1,
                                              .dram_bytes_per_s = 86e9,
                                              .row_hit_rate = 1,
                                              .instructions = NAN};

static void open_case(struct device_case *c) {
    device_case_open(c, CT_SHARING_MPS);
    device_case_build(c);
}

static struct device_case_task *add(struct device_case *c, uint32_t client, ct_time_ps at_ps,
                                    ct_time_ps work_ps) {
    return device_case_add(c, (struct device_case_task){.at_ps = at_ps,
                                                        .client = client,
                                                        .stream = client,
                                                        .kind = TRACE_KERNEL,
                                                        .profile = &filling,
                                                        .blocks = 4,
                                                        .work_ps = work_ps});
}

static void expect_us(double value_ps, double us) {
    if (fabs(value_ps - us * (double)US) > 2)
        fail_msg("%.6f us, by hand %.6f", value_ps / (double)US, us);
}

/* A of 10 us and B of 5, and C of 1 us from 4 us on. */
static void add_three(struct device_case *c) {
    open_case(c);
    add(c, 0, 0, 10 * US);
    add(c, 1, 0, 5 * US);
    add(c, 2, 4 * US, 1 * US);
}

/*
 * A and B have half of the memory each: 2 us done at 4 us. With C it is a third: C ends at 7 us, B,
 * which has 2 us left at a half, at 11 us, and A, which has 5 left, alone, at 16 us. A lost 2 us to
 * B, 2 to B and C alike, and 2 to B.
 */
static void expect_three(const struct device_case *c) {
    device_case_expect(&c->tasks[0], 0, 16 * US);
    device_case_expect(&c->tasks[1], 0, 11 * US);
    device_case_expect(&c->tasks[2], 4 * US, 7 * US);
    expect_us(c->tasks[0].task.loss_ps[DEVICE_LOSS_DRAM], 6);
    expect_us(c->tasks[0].culprit_ps[1], 5);
    expect_us(c->tasks[0].culprit_ps[2], 1);
    expect_us(c->tasks[2].culprit_ps[0], 1);
}

TEST(others_begin_and_end) {
    CLOSED_BY(device_case_close) struct device_case c;
    add_three(&c);
    device_case_run(&c);
    expect_three(&c);
}

static void expect_work(void *context, const struct device_task *task, double work_done_ps) {
    expect_us(work_done_ps, task->client == 2 ? 1.0 / 3 : 2 + 1.0 / 3);
}

/* At 5 us the memory was full all the time. */
static void look(void *context, uint64_t unused) {
    struct device_case *c = context;
    device_watch_running(c->device, expect_work, NULL);
    assert_true(fabs(device_watch_dram_bytes(c->device) - CAPACITY * 5e-6) < 1);
    struct device_watch watch = device_watch_client(c->device, 0);
    assert_true(fabs(watch.dram_bytes - CAPACITY * (2 + 1.0 / 3) * 1e-6) < 1);
    expect_us(watch.sm_ps, 5);
    struct device_counters counters = device_client_counters(c->device, 0);
    assert_true(fabs(counters.told.memory_accesses * 128 - watch.dram_bytes) < 1);
    expect_us(counters.told.sm_ps, 5);
    assert_true(fabs(device_usage(c->device).dram_bytes - CAPACITY * 5e-6) < 1);
    device_visit_running(c->device, expect_work, NULL);
}

TEST(somebody_looks) {
    CLOSED_BY(device_case_close) struct device_case c;
    add_three(&c);
    assert_true(des_event_schedule(c.engine, 5 * US, DES_RANK_TIMER, look, &c, 0) != 0);
    device_case_run(&c);
    expect_three(&c);
}

static void weigh_b_less(void *context, uint64_t unused) {
    device_set_memory_weight(((struct device_case *)context)->device, 1, 0.25);
}

/* A and B have done 2 us at 4 us, when B gets a fifth: A's other 8 us end at 14 us, B has done 2 us
 * more then, and the last at 15 us. */
TEST(weights_come) {
    CLOSED_BY(device_case_close) struct device_case c;
    open_case(&c);
    add(&c, 0, 0, 10 * US);
    add(&c, 1, 0, 5 * US);
    assert_true(des_event_schedule(c.engine, 4 * US, DES_RANK_EPOCH, weigh_b_less, &c, 0) != 0);
    device_case_run(&c);
    device_case_expect(&c.tasks[0], 0, 14 * US);
    device_case_expect(&c.tasks[1], 0, 15 * US);
    expect_us(c.tasks[0].culprit_ps[1], 4);
    expect_us(c.tasks[1].culprit_ps[0], 10);
}

static void expect_half(void *context, const struct device_task *task, double work_done_ps) {
    expect_us(work_done_ps, task->client == 0 ? 1650e6 : 150e6);
}

static void look_late(void *context, uint64_t unused) {
    device_watch_running(((struct device_case *)context)->device, expect_half, NULL);
}

/*
 * A of 2900 s, and beside it, one behind the other, ten B of 300 s: each takes 600 s, and A ends at
 * 5800 s, when the last B has 100 s left, alone. The clock begins again at each end of a B. At 3300
 * s A has done half as much, and a B 150 s.
 */
TEST(a_shortage_outlasts_the_clock) {
    enum { B = 10 };
    CLOSED_BY(device_case_close) struct device_case c;
    open_case(&c);
    add(&c, 0, 0, 2900 * CT_PS_PER_S);
    for (int i = 0; i < B; i++)
        add(&c, 1, 0, 300 * CT_PS_PER_S);
    assert_true(
        des_event_schedule(c.engine, 3300 * CT_PS_PER_S, DES_RANK_TIMER, look_late, &c, 0) != 0);
    device_case_run(&c);
    device_case_expect(&c.tasks[0], 0, 5800 * CT_PS_PER_S);
    for (int i = 0; i < B - 1; i++)
        device_case_expect(&c.tasks[1 + i], i * 600 * CT_PS_PER_S, (i + 1) * 600 * CT_PS_PER_S);
    device_case_expect(&c.tasks[B], 5400 * CT_PS_PER_S, 5900 * CT_PS_PER_S);
}

/* Alone 9 of the clock's 9.2 million seconds from 1 million on, two of 5 million at half the pace:
 * none of them ends. */
TEST(kernels_that_outlast_time) {
    const ct_time_ps million = 1000000 * CT_PS_PER_S;
    for (uint32_t clients = 1; clients <= 2; clients++) {
        CLOSED_BY(device_case_close) struct device_case c;
        open_case(&c);
        for (uint32_t i = 0; i < clients; i++)
            add(&c, i, million, (clients == 1 ? 9 : 5) * million);
        des_engine_run(c.engine, CT_TIME_NEVER);
        assert_int_equal(c.ended, 0);
        assert_false(device_is_idle(c.device));
    }
}
