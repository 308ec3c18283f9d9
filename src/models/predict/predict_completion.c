#include "models/predict/predict_completion.h"

#include <math.h>

double completion_waves(const struct completion_period *period) {
    double slots = period->blocks_per_sm * period->sms;
    return slots > 0 ? fmax(1, ceil(period->blocks / slots)) : INFINITY;
}

double completion_wave_ps(double solo_ps, const struct completion_period *solo) {
    return solo_ps / completion_waves(solo);
}

/* The part of what it asks of memory that it gets. */
static double supplied(const struct completion_period *period) {
    double demand = period->bandwidth_per_sm * period->sms;
    return demand > period->dram_bytes_per_s ? period->dram_bytes_per_s / demand : 1;
}

double completion_running_ps(double wave_ps, const struct completion_period *periods,
                             size_t count) {
    double sum = 0;
    for (size_t p = 0; p < count; p++)
        sum += wave_ps * completion_waves(&periods[p]) / supplied(&periods[p]);
    return sum;
}

double completion_execution_ps(const struct completion_wait *wait, double running_ps) {
    return wait->submit_ps + wait->queue_ps + wait->head_ps + running_ps;
}

double completion_copy_ps(const struct completion_wait *wait, double bytes, double bytes_per_s) {
    return completion_execution_ps(wait, bytes / bytes_per_s * (double)CT_PS_PER_S);
}
