/* What a suite runs, opened as every command and the library open a workload, and what it takes
 * from its services alone: how often they are asked, and their target. */
#ifndef PAPER_SERVICE_H
#define PAPER_SERVICE_H

#include "apps/paper/paper_plan.h"
#include "experiment/scenario.h"

struct paper_opening {
    const uint32_t *apps; /* of the suite, by number */
    uint32_t app_count;
    const char *const *assignments; /* as of `--set` */
    size_t count;
    const char *policies; /* separated by commas */
    uint64_t seed;
};

/* Texts lie in the arena, which outlives the scenario. enum ct_status; close it in every case. */
int paper_open(const struct paper_plan *plan, const struct paper_opening *opening,
               struct ct_arena *arena, struct scenario *scenario, struct ct_diags *diags);

/*
 * By application of the plan's suite, which has a load or a target, in the arena: the rate that
 * keeps the GPU busy for that part of its time, and the target, the suite's multiple of the 99th
 * percentile that this rate has without any other application; without a multiple it keeps its own
 * target. In a suite without a load it keeps its arrivals, and the target is over the latency of
 * one query alone. enum ct_status.
 */
int paper_services(const struct paper_plan *plan, struct ct_arena *arena,
                   struct paper_service **services, struct ct_diags *diags);

#endif
