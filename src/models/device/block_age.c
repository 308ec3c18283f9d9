/* Which blocks of an SM came first, and what is left to the others: sm_age.h of placed blocks. */
#include "models/device/block.h"
#include "models/device/sm_age.h"

#include <math.h>

bool block_age_counts(const struct device *device, const struct block_class *class) {
    if (!device_goes_by_age(device) || !(class->use > 0))
        return false;
    for (uint32_t i = 1; i < class->resident_count; i++)
        if (class->residents[i].cohort->task != class->residents[0].cohort->task)
            return true;
    return class->use > 1 && class->resident_count > 1;
}

/* Issue slots that blocks use at full speed. */
static double used_by(const struct block_resident *resident) {
    const struct device_task *task = resident->cohort->task;
    double alone = fmax(1, task->at.unit_alone); /* use by class may be more than there is */
    return resident->per_sm * task->at.unit / alone;
}

static double needed_by(const struct block_resident *resident) {
    double threads = resident->per_sm * (double)resident->cohort->task->profile->need.threads;
    return sm_age_needed(used_by(resident), threads);
}

/* What it keeps behind others; blocks that lie closer than alone may ask for more than the SM has,
 * which it does not give them there with nobody before them either. */
static double part_of(const struct block_resident *resident, double left, double asked) {
    double part =
        sm_age_part(needed_by(resident), left, asked, resident->cohort->task->profile->dependent);
    return fmin(part, 1 / used_by(resident));
}

/* What a resident takes beyond what was left to it, those before it lack, each in proportion. */
static void pay_back(struct block_class *class, uint32_t from, double beyond, double before) {
    for (uint32_t i = 0; i < from && beyond > 0; i++) {
        struct block_resident *r = &class->residents[i];
        if (r->cohort->phase == BLOCK_RUNNING && used_by(r) > 0)
            r->part *= 1 - fmin(1, beyond / before);
    }
}

/* Residents are in the order in which they came. */
void block_share_by_age(const struct device *device, struct block_class *class) {
    double left = 1, asked = 0, taken = 0;
    for (uint32_t i = 0; i < class->resident_count; i++) {
        struct block_resident *r = &class->residents[i];
        const struct device_task *task = r->cohort->task;
        r->part = 1;
        if (r->cohort->phase != BLOCK_RUNNING)
            continue;
        double slots =
            sm_age_slots_of_block(block_unit_alone(device, task), block_most_alone(device, task));
        if (task->at.unit > 0)
            r->part = part_of(r, left, asked);
        double takes = r->part * used_by(r);
        pay_back(class, i, takes - left, taken);
        taken = fmin(1, taken + takes);
        asked += r->per_sm * slots;
        left = sm_age_left(left, slots, r->per_sm);
    }
}
