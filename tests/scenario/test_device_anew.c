/*
 * The device keeps sums over its running kernels and makes anew only the rates that change. On
 * random tasks under random caps and shares, every time and every loss is, to the last bit, that of
 * a device that forgets before each event all that it could make anew.
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

static void run(struct device_case *c, const struct kernel_profile *profiles, uint64_t seed,
                bool forgets) {
    device_case_open(c, dice_roll(&seed, 3) == 0 ? DEVICE_SHARING_TIMESLICE : DEVICE_SHARING_MPS);
    device_case_build(c);
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++)
        device_set_cap(c->device, i, (ct_share)(CT_SHARE_FULL / (1 + dice_roll(&seed, 4))));
    for (int i = 0; i < DEVICE_CASE_TASKS; i++)
        device_case_add(c, random_task(profiles, &seed));
    while (c->ended < DEVICE_CASE_TASKS) {
        if (forgets)
            forget(c->device);
        assert_true(des_engine_step(c->engine));
    }
}

static void nothing_kept_differs_from_what_is_made_anew(void **unused) {
    static struct device_case kept, anew;
    (void)unused;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct kernel_profile profiles[KERNELS];
        uint64_t dice = seed;
        make_profiles(profiles, &dice);
        run(&kept, profiles, dice, false);
        run(&anew, profiles, dice, true);
        for (int i = 0; i < DEVICE_CASE_TASKS; i++) {
            const struct device_task *a = &kept.tasks[i].task, *b = &anew.tasks[i].task;
            if (a->started_ps != b->started_ps || a->ended_ps != b->ended_ps)
                fail_msg("seed %llu: task %d ran from %lld to %lld, made anew from %lld to %lld",
                         (unsigned long long)seed, i, (long long)a->started_ps,
                         (long long)a->ended_ps, (long long)b->started_ps, (long long)b->ended_ps);
            assert_memory_equal(a->loss_ps, b->loss_ps, sizeof a->loss_ps);
            assert_memory_equal(kept.tasks[i].culprit_ps, anew.tasks[i].culprit_ps,
                                sizeof anew.tasks[i].culprit_ps);
        }
        device_case_close(&kept);
        device_case_close(&anew);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_kept_differs_from_what_is_made_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
