/* The slowest jobs of an application and where their time went. */
#ifndef SLOWEST_H
#define SLOWEST_H

#include "run/run.h"

/* A job or request that has ended, or has not when the run has. */
struct slowest_job {
    uint64_t number;
    ct_time_ps latency_ps;   /* or its age */
    const ct_time_ps *parts; /* of its latency */
    ct_time_ps alone_ps;     /* latency alone, with the same arrivals; -1: unknown, or it
                                has not ended */
    bool missed;             /* other targets than its latency's */
};

/* Keeps a job, with who delayed it in the run's scratch, if it is one of the slowest so far. Memory
 * that ran out fails the run.
 */
void slowest_keep(struct run *run, struct run_app *app, const struct slowest_job *job);

/* After the run: as many as it takes, and of how many jobs they are. */
void slowest_finish(const struct run_app *app);

#endif
