/* The benchmark's work, the same for every queue: bench_work.inc defines it once per queue. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "base/ct_types.h"

/* Each function runs `events` events and returns the seconds that they took; *check gets a sum over
 * the times. */
struct bench_queue {
    const char *name;
    /* One queue, Poisson arrivals at load 0.9, exponential service: at most two events pending. */
    double (*mm1)(uint64_t events, uint64_t *check);
    /* Each event schedules itself again, an exponential time later. */
    double (*hold)(uint32_t pending, uint64_t events, uint64_t *check);
    /* hold, and each event moves another one, drawn at random, to a new exponential time. */
    double (*reschedule)(uint32_t pending, uint64_t events, uint64_t *check);
    /* hold, but always to the next of a few instants: nearly all events are simultaneous. */
    double (*ties)(uint32_t pending, uint64_t events, uint64_t *check);
};

extern const struct bench_queue bench_engine, bench_textbook;

/* Seconds of processor time so far. */
double bench_seconds(void);

#endif
