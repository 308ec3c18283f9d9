/* What is summed up while a run goes on (measure.c). */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "models/device/device.h"

struct measurement {
    ct_time_ps begin_ps, end_ps;        /* of the window */
    bool in_window;                     /* it has begun and not ended */
    struct device_usage usage_at_begin; /* as measure_usage_now */
    uint32_t batch_kernels;             /* kernels of batch applications that run now */
    double batch_busy_ps, kernels_ps;   /* in the window, and from the start of the run */
    ct_time_ps batch_since_ps;
    uint64_t tasks_started, tasks_ended, kernels, counted_open;
    double conservation_error_ps;
    double copied_bytes[2];            /* moved by ended host copies: to the device, and from it */
    double demanded_bytes;             /* memory traffic of the work that was done */
    double sojourn_ps, system_area_ps; /* two ways to count jobs times time */
};

#endif
