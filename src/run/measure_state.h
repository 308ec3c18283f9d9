/* The state of what is measured in a run (measure.c). */
#ifndef MEASURE_STATE_H
#define MEASURE_STATE_H

#include "models/device/device.h"

/* What is summed up in a run, or by one job from its start to its end. */
struct run_sums {
    uint64_t events; /* but arrivals */
    uint64_t tasks_started, tasks_ended, kernels;
    double copied_bytes[2]; /* moved by ended host copies: to the device, and from it */
    double demanded_bytes;  /* memory traffic of the work that was done */
    double kernels_ps;      /* in which kernels of batch applications ran */
    struct device_usage usage;
};

/* What is summed up while a run goes on. */
struct measurement {
    ct_time_ps begin_ps, end_ps;        /* of the window */
    ct_time_ps limit_ps;                /* until when is waited for what it counts */
    bool in_window;                     /* it has begun and not ended */
    struct device_usage usage_at_begin; /* as measure_usage_now */
    uint32_t batch_kernels;             /* of batch applications, that have slots now */
    double batch_busy_ps;               /* in the window */
    ct_time_ps batch_since_ps;
    struct run_sums sums; /* its events and use are those of the jobs that were not simulated */
    uint64_t counted_open;
    double conservation_error_ps;
    double sojourn_ps, system_area_ps; /* two ways to count jobs times time */
};

#endif
