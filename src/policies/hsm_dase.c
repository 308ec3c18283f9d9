#include "policies/hsm_dase.h"

#include <math.h>

#define PS_PER_S 1e12

/* The part of the time in which its SMs could have issued and did not. */
static double stalled_part(const struct hsm_device *device, const struct hsm_measure *measure,
                           double sm_share) {
    const struct ct_counters *counters = &measure->counters;
    double seconds = counters->busy_ps / PS_PER_S;
    double issued = counters->instructions / (device->peak_instructions_per_s * sm_share * seconds);
    return issued < 1 ? 1 - issued : 0;
}

/* The part of the time in which the data bus served others. */
static double others_part(const struct hsm_device *device, const struct hsm_measure *measure) {
    struct ct_counters others = {.memory_accesses = measure->others.memory_accesses,
                                 .busy_ps = measure->counters.busy_ps};
    return hsm_bandwidth(device, &others);
}

double hsm_dase_progress(const struct hsm_device *device, const struct hsm_measure *measure) {
    const struct ct_counters *counters = &measure->counters;
    if (!(counters->busy_ps > 0) || !(counters->instructions > 0) || measure->sms < 1)
        return NAN;
    double sm_share = (double)measure->sms / (double)device->sms;
    double interference =
        fmin(stalled_part(device, measure, sm_share), others_part(device, measure));
    double alone = 1 - interference; /* 1 / slowdown on its own SMs */
    double bandwidth = hsm_bandwidth(device, counters);
    /* Progress against the whole GPU: not below what the theoretical bandwidth would leave of it,
     * not above progress on its own SMs, and not below the cap. */
    double progress = fmin(alone, fmax(alone * sm_share, bandwidth));
    return fmax(progress, sm_share);
}
