/*
 * The device keeps sums over its running kernels and makes anew only the rates that change. On
 * random tasks under random caps and shares, every time and every loss is, to the last bit, that of
 * a device that forgets before each event all that it could make anew; and, but for rounding, that
 * of one which slows each task by what memory leaves it, and not a clock that all traffic follows.
 * Of blocks also what it knows of each SM, under partitions that move; and where nothing binds them
 * to some SMs, their times are those of a device at which somebody looks, and has it settle.
 */
#include "device_case.h"
#include "models/device/block.h"
#include "models/device/device_internal.h"
#include "unit/base/dice.h"

#include "trace/trace.h"

#include <math.h>

enum { SEEDS = 1500, KERNELS = 3 };

/* Draws unlike kernels, so that functional units and memory run short now and then. */
static void make_profiles(struct kernel_profile *profiles, uint64_t *dice) {
    for (int i = 0; i < KERNELS; i++) {
        profiles[i] = device_case_profile();
        int64_t blocks_per_sm = (int64_t)(1 + dice_roll(dice, 6));
        profiles[i].blocks_per_sm = (double)blocks_per_sm;
        profiles[i].need =
            (struct occupancy_need){2048 / blocks_per_sm, 65536 / blocks_per_sm, 8192};
        profiles[i].compute_fraction = 0.3 + 0.1 * (double)dice_roll(dice, 8);
        /* No round numbers: an end at half a picosecond would be rounded by luck. */
        profiles[i].unit_fraction = 0.1201 * (double)dice_roll(dice, 9);
        profiles[i].dram_bytes_per_s = 7e9 * (double)dice_roll(dice, 8);
        profiles[i].row_hit_rate = 0.1 * (double)dice_roll(dice, 11);
    }
}

static bool whole; /* all shares and caps are those of the whole GPU */

static ct_share random_share(uint64_t *dice, uint64_t parts) {
    ct_share share = (ct_share)(CT_SHARE_FULL / (1 + dice_roll(dice, parts)));
    return whole ? CT_SHARE_FULL : share;
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
                                     .share = random_share(dice, 3),
                                     .blocks = memset_task ? 0 : (double)(1 + dice_roll(dice, 90)),
                                     .bytes = memset_task ? 1 + dice_roll(dice, 1000000) : 0,
                                     .work_ps = (ct_time_ps)(1 + dice_roll(dice, 30)) * US};
}

static void forget_blocks(struct device *device) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
    for (uint32_t i = 0; i < (sliced ? DEVICE_CASE_CLIENTS : 1); i++)
        for (struct block_class *c = device->partition.map->views[i].classes; c; c = c->next) {
            c->changed = true;
            c->use_known = false;
        }
    for (uint32_t i = 0; i < device->running.count; i++)
        device->running.tasks[i]->at.squeezed = true;
}

static void forget(struct device *device) {
    device->rates.shaken = true;
    device->running.sms_summed = device->running.lanes_summed = 0;
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++)
        device->clients[i].sms = NAN;
    if (device->partition.map)
        forget_blocks(device);
}

static void repartition(void *context, uint64_t dice) {
    struct device *device = ((struct device_case *)context)->device;
    int64_t sms[DEVICE_CASE_CLIENTS], left = device->gpu->sms - DEVICE_CASE_CLIENTS;
    for (int i = 0; i < DEVICE_CASE_CLIENTS; i++) {
        sms[i] = 1 + (int64_t)dice_roll(&dice, (uint64_t)left + 1);
        left -= sms[i] - 1;
    }
    device_repartition(device, sms, (enum ct_move)dice_roll(&dice, 3));
}

enum device_kind { KEEPS, FORGETS, WITHOUT_CLOCK, LOOKED_AT };
enum { LOOKS = 200, LOOKS_UNTIL_US = 400 };

static void look(void *context, uint64_t unused) {
    struct device *device = ((struct device_case *)context)->device;
    device_usage(device);
    device_touch(device);
}

static void add_looks(struct device_case *c, uint64_t dice) {
    for (int i = 0; i < LOOKS; i++)
        des_event_schedule(c->engine, (ct_time_ps)dice_roll(&dice, LOOKS_UNTIL_US * US),
                           DES_RANK_TIMER, look, c, 0);
}

/* What is seen of a run beside its tasks. */
struct course {
    bool clock_ran;          /* the memory's */
    uint64_t steps, classes; /* classes of SMs, summed over all steps */
};

static uint64_t count_classes(const struct device *device) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
    uint64_t count = 0;
    for (uint32_t i = 0; device->partition.map && i < (sliced ? DEVICE_CASE_CLIENTS : 1); i++)
        for (struct block_class *c = device->partition.map->views[i].classes; c; c = c->next)
            count++;
    return count;
}

static struct course run(struct device_case *c, const struct kernel_profile *profiles,
                         uint64_t seed, enum device_kind kind, enum device_fidelity fidelity) {
    static const enum ct_sharing sharings[] = {CT_SHARING_TIMESLICE, CT_SHARING_MPS, CT_SHARING_MPS,
                                               CT_SHARING_PARTITION};
    enum ct_sharing sharing = sharings[dice_roll(&seed, fidelity == DEVICE_BLOCK ? 4 : 3)];
    device_case_open(c, sharing);
    if (fidelity == DEVICE_BLOCK)
        device_case_use_blocks(c);
    device_case_build(c);
    for (int i = 0; i < 4 && sharing == CT_SHARING_PARTITION; i++)
        des_event_schedule(c->engine, i * 25 * US, DES_RANK_TIMER, repartition, c,
                           dice_roll(&seed, UINT32_MAX));
    if (kind == WITHOUT_CLOCK)
        c->device->rates.steady = false;
    for (uint32_t i = 0; i < DEVICE_CASE_CLIENTS; i++)
        device_set_cap(c->device, i, random_share(&seed, 4));
    for (int i = 0; i < DEVICE_CASE_TASKS; i++)
        device_case_add(c, random_task(profiles, &seed));
    if (kind == LOOKED_AT)
        add_looks(c, seed);
    struct course course = {false, 0, 0};
    while (c->ended < DEVICE_CASE_TASKS) {
        if (kind == FORGETS)
            forget(c->device);
        assert_true(des_engine_step(c->engine));
        course.clock_ran |= c->device->memory.clock.runs;
        course.classes += count_classes(c->device);
        course.steps++;
    }
    return course;
}

/* Two devices of different kinds and the same tasks, for each seed. Returns in how many of them the
 * memory's clock ran. */
static int compare(enum device_kind kind, enum device_fidelity fidelity,
                   void (*check)(uint64_t seed, const struct device_case *kept,
                                 const struct device_case *other)) {
    static struct device_case kept, other;
    int shortages = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct kernel_profile profiles[KERNELS];
        uint64_t dice = seed;
        make_profiles(profiles, &dice);
        struct course course = run(&kept, profiles, dice, KEEPS, fidelity);
        struct course anew = run(&other, profiles, dice, kind, fidelity);
        assert_true(kind != FORGETS || course.steps == anew.steps);
        /* Those that became alike are joined. */
        assert_true(kind == LOOKED_AT || course.classes == anew.classes);
        shortages += course.clock_ran;
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

TEST(nothing_kept_differs_from_what_is_made_anew) {
    compare(FORGETS, DEVICE_FLUID, check_same);
}

TEST(nothing_kept_of_blocks_does_either) {
    compare(FORGETS, DEVICE_BLOCK, check_same);
}

static void check_times(uint64_t seed, const struct device_case *kept,
                        const struct device_case *looked_at) {
    for (int i = 0; i < DEVICE_CASE_TASKS; i++) {
        const struct device_task *a = &kept->tasks[i].task, *b = &looked_at->tasks[i].task;
        if (a->started_ps != b->started_ps || a->ended_ps != b->ended_ps)
            fail_msg("seed %llu: task %d ran from %lld to %lld, looked at from %lld to %lld",
                     (unsigned long long)seed, i, (long long)a->started_ps, (long long)a->ended_ps,
                     (long long)b->started_ps, (long long)b->ended_ps);
    }
}

TEST(looking_at_blocks_changes_no_time) {
    whole = true;
    compare(LOOKED_AT, DEVICE_BLOCK, check_times);
    whole = false;
}

static void expect_close(double a, double b, double rounding) {
    assert_true(fabs(a - b) <= rounding);
}

static void check_close(uint64_t seed, const struct device_case *kept,
                        const struct device_case *direct) {
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

TEST(a_clock_slows_all_as_each_is_slowed) {
    assert_true(compare(WITHOUT_CLOCK, DEVICE_FLUID, check_close) > SEEDS / 2);
}
