/* Tasks that lag behind the one before them in their stream, or come before it has ended; time
 * lines by hand. */
#include "device_case.h"

static struct kernel_profile profile;

static void open_case(struct device_case *c, enum ct_sharing sharing, uint32_t hw_queues) {
    profile = device_case_profile();
    device_case_open(c, sharing);
    c->config.hw_queues = hw_queues;
    device_case_build(c);
}

static struct device_case_task *lagging(struct device_case *c, uint32_t client, double blocks,
                                        ct_time_ps work_ps, ct_time_ps lag_ps) {
    struct device_case_task *task = device_case_kernel(c, &profile, client, blocks, work_ps);
    task->lag_ps = lag_ps;
    return task;
}

static void expect_came(const struct device_case_task *t, ct_time_ps came_ps) {
    assert_int_equal(t->task.came_ps, came_ps);
}

/* A gap counts from the end of the one before; from when it comes to its stream if that is later.
 */
DEVICE_TEST(gap_behind_the_one_before, CT_SHARING_MPS, 32) {
    lagging(c, 0, 40, 10 * US, 0);
    lagging(c, 0, 40, 10 * US, 3 * US);
    lagging(c, 0, 40, 10 * US, 0);
    lagging(c, 0, 40, 10 * US, 5 * US);
    device_case_add(c, (struct device_case_task){.at_ps = 100 * US,
                                                 .kind = TRACE_KERNEL,
                                                 .profile = &profile,
                                                 .blocks = 40,
                                                 .work_ps = 10 * US,
                                                 .lag_ps = 4 * US});
    DEVICE_CASE_RUNS(c, {0, 10 * US}, {13 * US, 23 * US}, {23 * US, 33 * US}, {38 * US, 48 * US},
                     {104 * US, 114 * US});
}

/* Half of the slots each: the second comes at 22 us, holds its slots and works from 30 us on, so
 * that another application, there at 25 us, finds no room before 30. */
TEST(who_waits_holds_slots) {
    static const int other_job;
    for (int early = 0; early < 3; early++) {
        CLOSED_BY(device_case_close) struct device_case c;
        open_case(&c, CT_SHARING_MPS, 32);
        lagging(&c, 0, 20, 30 * US, 0);
        lagging(&c, 0, 20, 12 * US, early ? -8 * US : 0)->job = early == 2 ? &other_job : NULL;
        device_case_kernel(&c, &profile, 1, 20, 10 * US);
        device_case_kernel_at(&c, 25 * US, &profile, 2, 20, 10 * US);
        device_case_run(&c);
        device_case_expect(&c.tasks[0], 0, 30 * US);
        device_case_expect(&c.tasks[1], 30 * US, 42 * US);
        expect_came(&c.tasks[1], early == 1 ? 22 * US : 30 * US);
        device_case_expect(&c.tasks[3], early == 1 ? 30 * US : 25 * US,
                           early == 1 ? 40 * US : 35 * US);
    }
}

/* Where there is no room for it, it comes without slots, gets them at that end, and takes no
 * longer. */
DEVICE_TEST(no_room_to_come_early, CT_SHARING_MPS, 32) {
    lagging(c, 0, 40, 30 * US, 0);
    lagging(c, 0, 40, 12 * US, -8 * US);
    lagging(c, 0, 20, 12 * US, -5 * US);
    device_case_run(c);
    expect_came(&c->tasks[1], 22 * US);
    expect_came(&c->tasks[2], 37 * US);
    device_case_expect(&c->tasks[1], 30 * US, 42 * US);
    device_case_expect(&c->tasks[2], 42 * US, 54 * US);
}

/* One more waits for slots from the start: the early kernel gets its own after it. */
DEVICE_TEST(slots_that_others_hold, CT_SHARING_MPS, 32) {
    lagging(c, 0, 20, 30 * US, 0);
    lagging(c, 0, 20, 12 * US, -8 * US);
    device_case_kernel(c, &profile, 1, 20, 50 * US);
    device_case_kernel(c, &profile, 2, 20, 20 * US);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 30 * US);
    device_case_expect(&c->tasks[3], 30 * US, 50 * US);
    expect_came(&c->tasks[1], 22 * US);
    device_case_expect(&c->tasks[1], 50 * US, 62 * US);
}

/* It came first: who asks for slots later goes after it. */
DEVICE_TEST(slots_in_the_order_of_coming, CT_SHARING_MPS, 32) {
    lagging(c, 0, 40, 30 * US, 0);
    lagging(c, 0, 40, 12 * US, -8 * US);
    device_case_kernel_at(c, 25 * US, &profile, 1, 20, 10 * US);
    device_case_run(c);
    device_case_expect(&c->tasks[1], 30 * US, 42 * US);
    device_case_expect(&c->tasks[2], 42 * US, 52 * US);
}

/* One behind the other, each comes early: two of a stream at most, so the third comes when the
 * second begins its work, and the last, which does not come early, at an end. */
DEVICE_TEST(a_chain_that_comes_early, CT_SHARING_MPS, 32) {
    lagging(c, 0, 10, 30 * US, 0);
    lagging(c, 0, 10, 12 * US, -8 * US);
    lagging(c, 0, 10, 10 * US, -12 * US);
    lagging(c, 0, 10, 10 * US, -4 * US);
    lagging(c, 0, 10, 10 * US, 0);
    device_case_run(c);
    static const int came[] = {0, 22, 30, 48, 62}, started[] = {0, 30, 42, 52, 62};
    for (int i = 0; i < 5; i++) {
        expect_came(&c->tasks[i], came[i] * US);
        assert_int_equal(c->tasks[i].task.started_ps, started[i] * US);
    }
}

/*
 * The first and another ask for all of the memory: each goes at half its speed. At 22 us, when the
 * first would have 8 us to go alone, it has 19, 11 too many, which would take till 44. But the
 * other ends at 24, so that the first, with 18 to go, ends at 42, before it is asked again. The
 * third comes early as ever.
 */
DEVICE_TEST(the_one_before_it_speeds_up, CT_SHARING_MPS, 32) {
    struct kernel_profile streaming = device_case_profile();
    streaming.dram_bytes_per_s = 86e9;
    device_case_kernel(c, &streaming, 0, 10, 30 * US);
    lagging(c, 0, 10, 12 * US, -8 * US);
    lagging(c, 0, 10, 10 * US, -4 * US);
    device_case_kernel(c, &streaming, 1, 10, 12 * US);
    device_case_run(c);
    device_case_expect(&c->tasks[0], 0, 42 * US);
    expect_came(&c->tasks[1], 42 * US);
    device_case_expect(&c->tasks[1], 42 * US, 54 * US);
    expect_came(&c->tasks[2], 50 * US);
    device_case_expect(&c->tasks[3], 0, 24 * US);
}

/* A kernel that came early leaves the hardware queue to the one behind it; one in a gap does not.
 */
DEVICE_TEST(in_one_hardware_queue, CT_SHARING_MPS, 1) {
    lagging(c, 0, 10, 30 * US, 0);
    lagging(c, 0, 10, 12 * US, -8 * US);
    lagging(c, 1, 10, 5 * US, 0);
    lagging(c, 1, 10, 5 * US, 7 * US);
    lagging(c, 2, 10, 5 * US, 0);
    device_case_run(c);
    expect_came(&c->tasks[1], 22 * US);
    device_case_expect(&c->tasks[2], 22 * US, 27 * US);
    device_case_expect(&c->tasks[3], 34 * US, 39 * US);
    device_case_expect(&c->tasks[4], 34 * US, 39 * US);
}

/*
 * Slices of 100 us, 10 us to switch. The first has 130 of its 150 us done at 250 us, but when it
 * would have been there alone it stands still: the second comes at its end.
 */
DEVICE_TEST(while_the_slice_is_anothers, CT_SHARING_TIMESLICE, 32) {
    lagging(c, 0, 10, 150 * US, 0);
    lagging(c, 0, 10, 12 * US, -20 * US);
    device_case_kernel(c, &profile, 1, 10, 300 * US);
    device_case_run(c);
    expect_came(&c->tasks[1], 270 * US);
    device_case_expect(&c->tasks[0], 0, 270 * US);
    device_case_expect(&c->tasks[1], 270 * US, 282 * US);
}

/* A gap inside a graph gives the slice to nobody: it is over when the graph is. */
DEVICE_TEST(the_slice_lasts_over_a_gap, CT_SHARING_TIMESLICE, 32) {
    lagging(c, 0, 10, 40 * US, 0);
    lagging(c, 0, 10, 30 * US, 5 * US);
    device_case_kernel(c, &profile, 1, 10, 50 * US);
    DEVICE_CASE_RUNS(c, {0, 40 * US}, {45 * US, 75 * US}, {85 * US, 135 * US});
}
