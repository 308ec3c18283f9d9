/*
 * The issue slots of an SM on which blocks of several kernels run, where sm_sharing is `hopper`:
 * they go to the blocks that came first, and the younger ones get what these leave. Measured on an
 * H100 and an H200 (docs/measured.md): a kernel behind an older one that fills the slots gets 15 to
 * 30 % of its speed till that ends, the older one loses little.
 */
#include "models/device/block.h"

/*
 * A kernel that mostly waits needs this part of the slots nonetheless, or it is slowed: its warps
 * go on when it is their turn. Where a kernel that computes left 3 % of the slots (its issue by
 * Nsight Compute), reads of memory that use 3 to 8 % ran at 15 to 29 % of their speed (BESIDE.csv
 * of the H200, fma_b8). From two warps for each of the four schedulers on; of fewer in proportion.
 */
static const double TURNS = 0.15;
static const double WARPS_OF_TURNS = 8;
static const double THREADS_OF_WARP = 32;

static const double USED_MOST = 0.98; /* of an SM's slots, by one kernel: others still get on */

/* The least that was seen to be left: blocks of a layer norm, 5 us alone, took 1,833 us. */
static const double LEAST_LEFT = 0.003;

bool block_age_counts(const struct device *device, const struct block_class *class) {
    if (device->gpu->sm_sharing != GPU_SM_HOPPER || !(class->use > 0))
        return false;
    for (uint32_t i = 1; i < class->resident_count; i++)
        if (class->residents[i].cohort->task != class->residents[0].cohort->task)
            return true;
    return class->use > 1 && class->resident_count > 1;
}

/* The part of the slots left to it that one block takes, such that as many as an SM holds alone
 * take what the kernel uses alone. */
static double slots_of_block(const struct device *device, const struct device_task *task) {
    double alone = fmin(USED_MOST, block_unit_alone(device, task));
    return 1 - pow(1 - alone, 1 / block_most_alone(device, task));
}

/* What blocks need to run at full speed behind others. */
static double needed_by(const struct block_resident *resident) {
    const struct device_task *task = resident->cohort->task;
    double warps = resident->per_sm * (double)task->profile->need.threads / THREADS_OF_WARP;
    return fmax(resident->per_sm * task->at.unit, TURNS * fmin(1, warps / WARPS_OF_TURNS));
}

/* Residents are in the order in which they came. */
void block_share_by_age(const struct device *device, struct block_class *class) {
    double left = 1;
    for (uint32_t i = 0; i < class->resident_count; i++) {
        struct block_resident *r = &class->residents[i];
        r->part = 1;
        if (r->cohort->phase != BLOCK_RUNNING)
            continue;
        double needed = needed_by(r);
        if (needed > left)
            r->part = left / needed;
        left *= pow(1 - slots_of_block(device, r->cohort->task), r->per_sm);
        left = fmax(left, LEAST_LEFT);
    }
}
