/* What batch applications do alone on a GPU, which the batch work of an advice is counted in. */
#ifndef ADVISE_ALONE_H
#define ADVISE_ALONE_H

#include "study/advise.h"

/*
 * Runs one instance of each batch application alone, in so many replications of a length, with the
 * draws that a policy's runs of that length have: `solo` by application, its arrays in the arena.
 * enum ct_status.
 */
int advise_alone(const struct advise *advise, const struct scenario *scenario, double duration_s,
                 uint32_t replications, struct plan_solo *solo, struct ct_arena *arena,
                 struct ct_diags *diags);

#endif
