/* The slowest jobs of an application and where their time went: a heap of the slowest two in a
 * hundred, of which the report takes one. */
#ifndef SLOWEST_H
#define SLOWEST_H

#include "run/run.h"

/* A job or request that has ended. */
struct slowest_ended {
    uint64_t number;
    ct_time_ps latency_ps;
    const ct_time_ps *parts; /* of its latency */
    ct_time_ps alone_ps;     /* latency alone, with the same arrivals; -1: unknown */
    bool missed;             /* other targets than its latency's */
};

/* Keeps a job that ends now if it is one of the slowest so far. Memory that ran out fails the run.
 */
void slowest_keep(struct run *run, struct run_app *app, const struct slowest_ended *ended);

/* The means over the slowest 1 % of all, into the result of the application, where they are 0. */
void slowest_mean(struct run *run, struct run_app *app);

#endif
