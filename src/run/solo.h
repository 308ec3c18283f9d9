/* How long an application's jobs take alone on the whole GPU, one after the other. */
#ifndef SOLO_H
#define SOLO_H

#include "run/sim.h"

/* What a sample of jobs takes alone, in ms: from arrival to end, and `issued_ms`, the mean from the
 * issue of the first kernel to the end, which is what reports call "solo ms". */
struct solo {
    double mean_ms, median_ms, issued_ms;
};

/* Events that the jobs of a workload may take alone, in sum, where nobody asked for a simulation:
 * some seconds (chosen). */
#define SOLO_EVENTS UINT64_C(20000000)

/*
 * Simulates some jobs of one application. `events`: the most that they may take, from which what
 * they took is subtracted; more leave nothing of it, and what the jobs take unknown (NAN). NULL:
 * any number. enum ct_status.
 */
int solo_measure(const struct setup *setup, uint32_t app, uint64_t seed, uint64_t *events,
                 struct solo *solo, struct ct_diags *diags);

/*
 * The least time of an instance that a request takes alone, where `job` is what its jobs take: a
 * server runs batches, of which that one counts that takes least for each of its requests. NAN:
 * unknown, as of one that generates tokens. `events` as of solo_measure. enum ct_status.
 */
int solo_of_request(const struct setup *setup, uint32_t app, struct solo job, uint64_t *events,
                    double *request_ms, struct ct_diags *diags);

/*
 * What jobs of a recording take alone, in the mean, beside what they were recorded to take: some of
 * them, evenly spread. `ratio`: 1 where alone a job takes its recorded time; NAN: unknown. `events`
 * as of solo_measure. enum ct_status.
 */
int solo_of_recorded(const struct setup *setup, uint32_t app, uint64_t *events, double *ratio,
                     struct ct_diags *diags);

#endif
