/* The tasks that run, with sums over them (device_running.c). Host copies are on the link instead.
 */
#ifndef RUNNING_TASKS_H
#define RUNNING_TASKS_H

#include "base/ct_types.h"
#include "models/device/dram.h"

struct device_task;

/* What the passes over the running tasks add up: kept side by side, apart from the tasks. */
struct device_lane {
    double sms;                   /* held; fluid */
    double units;                 /* asked of the functional units: device_ops.slots_needed */
    struct dram_explained memory; /* asked of the memory; 0 bytes: nothing */
    double claim;           /* what its part of a memory that runs short grows with; weighted */
    double row_bytes_per_s; /* capacity if all hit rows as often as this task; NAN: not asked yet */
};

/* Sums over the lanes from the first up to and with one of them. */
struct device_sums {
    double units;
    struct dram_mix memory;
    uint32_t drawing; /* tasks that ask for memory */
};

/* All arrays are by position among the running, `count` of them used. */
struct running_tasks {
    struct device_task **tasks; /* kernels, memsets, device copies; in the order of dispatch */
    /* When each ends, or begins its last wave, at its present rate; -1: to be made anew, as all
     * that leads to it. CT_TIME_NEVER, INFINITY: not by this clock. */
    ct_time_ps *until_ps;
    double *memory_until_ps; /* by the memory's clock, while it runs */
    struct device_lane *lanes;
    double *sms_sums;         /* SMs held by the tasks up to and with each */
    struct device_sums *sums; /* the other sums; one more: before all stands that of none */
    uint32_t sms_summed, lanes_summed; /* lanes whose sums hold */
    uint32_t count;
    uint32_t growing; /* with undispatched blocks */
    uint32_t drawing; /* with traffic to and from memory */
    uint32_t losing;  /* that do not run as they would alone */
    uint32_t crowded; /* clients with several of them */
};

#endif
