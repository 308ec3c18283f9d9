/* Inside of the fluid device: where kernels lie, as far as a device without places can tell. */
#ifndef FLUID_H
#define FLUID_H

#include "models/device/device_internal.h"

/* Block slots that its GPU has for a kernel. */
static inline double fluid_all_slots(const struct device *device, const struct device_task *task) {
    return floor(task->profile->blocks_per_sm * device->sms);
}

/* fluid_age.c: where sm_sharing is `hopper`. */

/* Free SMs that a kernel may use. */
double fluid_free_sms(const struct device *device, const struct device_task *task);
/* Blocks of a kernel end now, and others may take what each leaves. */
void fluid_note_freed(struct device *device, const struct device_task *task);
/* Before a kernel gets `extra` more slots, of the `free_sms` that are free for it: on how many SMs
 * it lies then. */
void fluid_spread(const struct device *device, struct device_task *task, double extra,
                  double free_sms);
/* The most that the rate of a kernel can be where it lies, before others take of its slots. */
double fluid_rate_there(const struct device *device, const struct device_task *task);
/* What a kernel, which asks for `units` of the whole GPU, needs of the issue slots where it lies: 1
 * is all of them. While the sum over all kernels is 1 or less, nobody is short. */
double fluid_slots_needed(const struct device *device, const struct device_task *task,
                          double units);
/* Limits all by the slots, which go to whose kernel came first. */
void fluid_limit_by_age(struct device *device);

#endif
