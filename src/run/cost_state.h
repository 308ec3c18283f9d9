/*
 * What sharing cost a job (sharing_cost.c): its latency minus what the same job would have taken
 * alone with the same arrivals, by cause and by whom (docs/explain.md, "What sharing cost").
 *
 * Alone is on an empty device, under `mps`, behind the earlier jobs of its instance, each of which
 * takes as long as it does alone. So a job that runs beside another of its own instance, which has
 * several workers, shares the device with it.
 *
 * While it runs, what it took longer than alone goes to what the walk back through it found to be
 * lost (blame.c) and was not lost alone, in proportion: gaps of the host that are hidden behind
 * waiting make the walk find more than there is. What it waited longer for its worker than alone is
 * the cost of the job that held that worker, in that job's proportions.
 */
#ifndef COST_STATE_H
#define COST_STATE_H

#include "base/ct_blame.h"
#include "base/ct_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job on an empty device, from its start. */
struct sharing_solo {
    ct_time_ps run_ps;
    ct_time_ps parts[CT_BLAME_COUNT]; /* that add up to run_ps */
    double own_delay_ps;              /* tasks of the job delayed each other by so much */
};

/* What is kept of a client whose jobs are asked what sharing cost them. */
struct sharing {
    bool known;             /* false: a server forms its batches, alone others than here */
    ct_time_ps *free_ps;    /* by worker: when it would be free, alone */
    ct_time_ps *last_costs; /* of the job that was last on each worker, as sharing_cost has them */
    struct sharing_kind {   /* by choice of job, the first iterations behind the others */
        bool known;
        double size;
        struct sharing_solo solo;
    } * kinds; /* NULL: durations are drawn, no two jobs are the same */
};

#endif
