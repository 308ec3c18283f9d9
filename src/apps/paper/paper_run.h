/* Runs the mixes of a paper's suite under the policies that its rows name. */
#ifndef PAPER_RUN_H
#define PAPER_RUN_H

#include "apps/paper/paper_plan.h"

/* Runs of a plan that `progress` counts: draws, levels and mixes. 0: memory ran out. */
uint64_t paper_case_count(const struct paper_plan *plan);

/* enum ct_status; CT_INTERRUPTED with nothing to read. Free in every case. */
int paper_run(const struct paper_plan *plan, struct paper_outcome *outcome, struct ct_diags *diags);
void paper_outcome_free(struct paper_outcome *outcome);

const struct paper_values *paper_values_of(const struct paper_outcome *outcome, uint32_t draw,
                                           uint32_t level, size_t mix, size_t policy);

#endif
