/*
 * How many batch copies may be under way per direction so that a user-facing copy still gets the
 * rate that it has alone (Baymax, ASPLOS'16, Eq. 5; Laius, ICS'19, section 1, relies on the same).
 */
#ifndef PCIE_LIMIT_H
#define PCIE_LIMIT_H

#include "abi/ct_policy.h"

struct pcie_limit {
    int64_t most;         /* N_tr, per direction */
    int64_t under_way[2]; /* batch copies, by direction: in, out */
};

/* Why a copy waits for it, in words: the note `held_copies` is under_way of its direction. */
#define PCIE_LIMIT_HELD "{held_copies copy|copies} in its direction under way, the most allowed"

/* The note of it at the start of a run, in words. */
#define PCIE_LIMIT_NOTE                                                                            \
    { "n_tr", "at most {n_tr copy|copies} of batch work at a time in each direction", CT_VERB_NOTE }

void pcie_limit_init(struct pcie_limit *limit, const struct ct_device_info *device);
bool pcie_limit_full(const struct pcie_limit *limit, int32_t direction);

#endif
