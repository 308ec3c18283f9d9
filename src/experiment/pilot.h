/* Pilot runs: what they keep of their jobs, and the end of the warm-up that this shows. */
#ifndef PILOT_H
#define PILOT_H

#include "base/ct_vec.h"
#include "run/sim.h"

struct pilot_job {
    uint32_t app, instance;
    uint64_t number;
    ct_time_ps arrival_ps;
    double latency_ps;
};

/* The jobs of one run. Free `jobs`. */
struct pilot {
    CT_VEC(struct pilot_job) jobs;
    bool lost; /* memory ran out */
};

/* The warm-up of a replication, one for all policies, so that they are measured on the same jobs.
 */
struct warmup {
    ct_time_ps end_ps;
    bool settled; /* found before half of every pilot, or given */
};

/* A job that ended; as an observer's `job_ended`, whose context is a struct pilot. */
void pilot_keep_job(void *context, const struct sim_job_record *job);

/* Moves the end to when the last job of this application's warm-up (MSER-5) has arrived, if that is
 * later: the next one is measured. Jobs that arrive after `duration_ps` do not count. False: memory
 * ran out. */
bool pilot_find_warmup(const struct pilot *pilot, uint32_t app, ct_time_ps duration_ps,
                       struct warmup *warmup);

#endif
