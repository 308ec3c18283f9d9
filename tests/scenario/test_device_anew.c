/*
 * The device keeps sums over its running kernels and makes anew only the rates that change. On
 * random tasks under random caps and shares, every time and every loss is, to the last bit, that of
 * a device that forgets before each event all that it could make anew; and, but for rounding, that
 * of one which slows each task by what memory leaves it, and not a clock that all traffic follows.
 */
#include "device_case.h"
#include "device_internal.h"
#include "dice.h"

#include "trace.h"

#include <math.h>

enum { SEEDS = 1500, KERNELS = 3 };

/* Of unlike kernels, so that functional units and memory run short now and then. */
static void make_profiles(struct kernel_profile *profiles, uint64_t *dice) {
    for (int i = 0; i < KERNELS; i++) {
        profiles[i] = device_case_profile();
        profiles[i].blocks_per_sm = (double)(1 + dice_roll(dice, 6));
        profiles[i].compute_fraction = 0.3 + 0.1 * (double)dice_roll(dice, 8);
        profiles[i].unit_fraction = 0.07 * (double)dice_roll(dice, 9);
        profiles[i].dram_bytes_per_s = 7e9 * (double)dice_roll(dice, 8);
        profiles[i].row_hit_rate = 0.1 * (double)dice_roll(dice, 11);
    }
}

/* Whole microseconds, so that tasks often come, begin and end together. */
static struct device_case_task random_task(const struct kernel_profile *profiles, uint64_t *dice) {
    bool memset_task = dice_roll(dice, 6) == 0;
    uint32_t stream = (uint32_t)dice_roll(dice, DEVICE_CASE_STREAMS);
    return (struct device_case_task){.at_ps = (ct_time_ps)dice_roll(dice, 60) * US,
                                     .client = stream % DEVICE_CASE_CLIENTS,
                                     .stream = stream,
                                     .kind = memset_task ? TRACE_MEMSET : TRACE_KERNEL,
                                     .profile =
                                         memset_task ? NULL : &profiles[dice_roll(dice, KERNELS)],
                                     .share = (ct_share)(CT_SHARE_FULL / (1 + dice_roll(dice, 3))),
                                     .blocks = memset_task ? 0 : (double)(1 + dice_roll(dice, 90)),
                                     .bytes = memset_task ? 1 + dice_roll(dice, 1000000) : 0,
                                     .work_ps = (ct_time_ps)(1 + dice_roll(dice, 30)) * US};
}

static void forget(struct device *device) {
    device->shaken = true;
    device->sms_summed = device->lanes_summed = 0;
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++)
        device->clients[i].sms = NAN;
}

enum device_kind { KEEPS, FORGETS, WITHOUT_CLOCK };

/* Returns whether the memory's clock ever ran. */
static bool run(struct device_case *c, const struct kernel_profile *profiles, uint64_t seed,
                enum device_kind kind) {
    device_case_open(c, dice_roll(&seed, 3) == 0 ? DEVICE_SHARING_TIMESLICE : DEVICE_SHARING_MPS);
    device_case_build(c);
    if (kind == WITHOUT_CLOCK)
        c->device->steady = false;
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++)
        device_set_cap(c->device, i, (ct_share)(CT_SHARE_FULL / (1 + dice_roll(&seed, 4))));
    for (int i = 0; i < DEVICE_CASE_TASKS; i++)
        device_case_add(c, random_task(profiles, &seed));
    bool ran = false;
    while (c->ended < DEVICE_CASE_TASKS) {
        if (kind == FORGETS)
            forget(c->device);
        assert_true(des_engine_step(c->engine));
        ran |= c->device->clock.runs;
    }
    return ran;
}

/* Two devices of different kinds and the same tasks, for each seed. Returns in how many of them the
 * memory's clock ran. */
static int compare(enum device_kind kind,
                   void (*check)(uint64_t seed, const struct device_case *kept,
                                 const struct device_case *other)) {
    static struct device_case kept, other;
    int shortages = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct kernel_profile profiles[KERNELS];
        uint64_t dice = seed;
        make_profiles(profiles, &dice);
        shortages += run(&kept, profiles, dice, KEEPS);
        run(&other, profiles, dice, kind);
        check(seed, &kept, &other);
        device_case_close(&kept);
        device_case_close(&other);
    }
    return shortages;
}

static void check_same(uint64_t seed, const struct device_case *kept,
                       const struct device_case *anew) {
    for (int i = 0; i < DEVICE_CASE_TASKS; i++) {
        const struct device_task *a = &kept->tasks[i].task, *b = &anew->tasks[i].task;
        if (a->started_ps != b->started_ps || a->ended_ps != b->ended_ps)
            fail_msg("seed %llu: task %d ran from %lld to %lld, made anew from %lld to %lld",
                     (unsigned long long)seed, i, (long long)a->started_ps, (long long)a->ended_ps,
                     (long long)b->started_ps, (long long)b->ended_ps);
        assert_memory_equal(a->loss_ps, b->loss_ps, sizeof a->loss_ps);
        assert_memory_equal(kept->tasks[i].culprit_ps, anew->tasks[i].culprit_ps,
                            sizeof anew->tasks[i].culprit_ps);
    }
}

static void nothing_kept_differs_from_what_is_made_anew(void **unused) {
    (void)unused;
    compare(FORGETS, check_same);
}

static void expect_close(double a, double b, double rounding) {
    assert_true(fabs(a - b) <= rounding);
}

static void check_close(uint64_t seed, const struct device_case *kept,
                        const struct device_case *direct) {
    (void)seed;
    for (int i = 0; i < DEVICE_CASE_TASKS; i++) {
        const struct device_task *a = &kept->tasks[i].task, *b = &direct->tasks[i].task;
        expect_close((double)a->started_ps, (double)b->started_ps, 1);
        expect_close((double)a->ended_ps, (double)b->ended_ps, 1);
        for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
            expect_close(a->loss_ps[cause], b->loss_ps[cause], 2);
        for (int client = 0; client < DEVICE_CASE_CLIENTS; client++)
            expect_close(kept->tasks[i].culprit_ps[client], direct->tasks[i].culprit_ps[client], 2);
    }
}

static void a_clock_slows_all_as_each_is_slowed(void **unused) {
    (void)unused;
    assert_true(compare(WITHOUT_CLOCK, check_close) > SEEDS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_kept_differs_from_what_is_made_anew),
        cmocka_unit_test(a_clock_slows_all_as_each_is_slowed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
