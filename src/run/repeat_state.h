/*
 * Jobs that repeat each other (repeats.c). An application that is alone, with one worker, begins
 * every job on an empty device; where nothing of a job is drawn, all jobs of a choice do the same,
 * to the picosecond. So the first one that runs is looked at, and of the others only the end is an
 * event.
 */
#ifndef REPEAT_STATE_H
#define REPEAT_STATE_H

#include "models/device/device.h"

struct run_job;

/* What is summed up in a run, or by one job from its start to its end. */
struct repeat_sums {
    uint64_t events; /* but arrivals */
    uint64_t tasks_started, tasks_ended, kernels;
    double copied_bytes[2], demanded_bytes, kernels_ps;
    struct device_usage usage;
};

static inline void repeat_add_usage(struct device_usage *all, const struct device_usage *more) {
    all->sm_ps += more->sm_ps;
    all->dram_bytes += more->dram_bytes;
    all->pcie_bytes[0] += more->pcie_bytes[0];
    all->pcie_bytes[1] += more->pcie_bytes[1];
}

/* A job from its start, at time 0. */
struct repeat_life {
    bool known;
    ct_time_ps run_ps, first_ready_ps, first_issue_ps;
    struct repeat_sums sums;
    double *work_ps; /* of each task, in the order of their ends */
};

struct repeats {
    struct repeat_life *lives; /* by choice of job, those that find the device idle, then those that
                                  begin as another ends; NULL: nothing repeats here */
    struct run_job *looked_at; /* the job that runs, if its life is not known; NULL: none */
    ct_time_ps since_ps;
    struct repeat_sums before; /* its start */
    uint32_t ended;            /* of its tasks */
    bool any_ended;
    ct_time_ps ended_ps; /* when a job did last */
    /* Of the jobs that were not simulated. */
    uint64_t events;
    struct device_usage usage;
};

#endif
