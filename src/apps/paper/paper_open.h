/* What a suite runs, opened as every command and the library open a workload. */
#ifndef PAPER_OPEN_H
#define PAPER_OPEN_H

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

#endif
