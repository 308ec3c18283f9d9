/* Which blocks of an SM came first, and what is left to the others: sm_age.h of placed blocks. */
#include "models/device/block.h"
#include "models/device/sm_age.h"

bool block_age_counts(const struct device *device, const struct block_class *class) {
    if (!device_goes_by_age(device) || !(class->use > 0))
        return false;
    for (uint32_t i = 1; i < class->resident_count; i++)
        if (class->residents[i].cohort->task != class->residents[0].cohort->task)
            return true;
    return class->use > 1 && class->resident_count > 1;
}

static double needed_by(const struct block_resident *resident) {
    const struct device_task *task = resident->cohort->task;
    double threads = resident->per_sm * (double)task->profile->need.threads;
    double alone = fmax(1, task->at.unit_alone); /* use by class may be more than there is */
    return sm_age_needed(resident->per_sm * task->at.unit / alone, threads);
}

/* Residents are in the order in which they came. */
void block_share_by_age(const struct device *device, struct block_class *class) {
    double left = 1;
    for (uint32_t i = 0; i < class->resident_count; i++) {
        struct block_resident *r = &class->residents[i];
        const struct device_task *task = r->cohort->task;
        r->part = 1;
        if (r->cohort->phase != BLOCK_RUNNING)
            continue;
        double needed = needed_by(r);
        if (needed > left)
            r->part = left / needed;
        left = sm_age_left(
            left,
            sm_age_slots_of_block(block_unit_alone(device, task), block_most_alone(device, task)),
            r->per_sm);
    }
}
