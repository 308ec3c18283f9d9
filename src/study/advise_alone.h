/* What batch applications do alone on a GPU, which the batch work of an advice is counted in. */
#ifndef ADVISE_ALONE_H
#define ADVISE_ALONE_H

#include "study/plan.h"
#include "workload/setup.h"

/*
 * Runs one instance of each batch application alone, in so many replications of a length, with the
 * draws that the plan's runs of that length have: `solo` by application, its arrays in the arena.
 * enum ct_status.
 */
int advise_alone(const struct plan *plan, const struct setup *setup, double duration_s,
                 uint32_t replications, struct plan_solo *solo, struct ct_arena *arena,
                 struct ct_diags *diags);

#endif
