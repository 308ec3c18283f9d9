/*
 * How kernels that are resident together slow each other below saturation of the bandwidth:
 * s = 1 + S (k0 Q [others present] + k P / (1 - min(D, 0.8))), and every launch is delayed by phi
 * per other active application. The form and the fitted values come from 750 measured pairs on a
 * V100 under MPS quotas.
 */
#ifndef CONTENTION_H
#define CONTENTION_H

#include "models/device/gpu.h"

/* Bounds of the fit: pressure above 2 and bandwidth use above 0.8 add nothing. */
#define CONTENTION_PRESSURE_MOST 2.0
#define CONTENTION_DRAM_MOST 0.8

/* What calibration found of an application beyond its use of the memory; 1: nothing. */
struct contention_app {
    const char *name;
    double sensitivity; /* multiplies S: how much it feels its neighbours */
    double pressure;    /* Q: how much its neighbours feel it */
};

/* What one kernel meets. Fractions of the GPU's peak, at the SM share that each kernel has, from
 * solo rates. */
struct contention_load {
    double presence;    /* 0: nobody else is resident; else the largest Q among the others */
    double pressure;    /* P: sum over the others of Q times their DRAM and L2 utilisation */
    double dram;        /* D: own and others' DRAM utilisation */
    double sensitivity; /* S: 1 unless calibrated, as is Q, the pressure of an application */
};

/* The slowdown in its two parts: time is multiplied by 1 + bandwidth + sm. Both are 0 with nobody
 * else. */
struct contention_loss {
    double bandwidth; /* S k P / (1 - D): blamed on DRAM */
    double sm;        /* S k0 Q: blamed on contention inside the SM */
};

struct contention_loss contention_loss(const struct gpu *gpu, const struct contention_load *load);

/* s_i = 1 + both parts, 1 or more; rates are divided by it. */
double contention_slowdown(const struct gpu *gpu, const struct contention_load *load);

/* phi m: how much later a launch reaches the device beside `others` active applications. */
ct_time_ps contention_launch_delay(const struct gpu *gpu, uint32_t others);

#endif
