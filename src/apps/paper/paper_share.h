/*
 * Mixes of one service each with the same batch applications differ, without the service, only in
 * how long they run: the longest of them runs for all, and looks at the ends of the others.
 */
#ifndef PAPER_SHARE_H
#define PAPER_SHARE_H

#include "apps/paper/paper_plan.h"
#include "experiment/experiment_types.h"

struct paper_share {
    const struct paper_plan *plan;
    const struct paper_outcome *outcome;
    const struct paper_service *services; /* by application; NULL: nothing is shared */
    double *work_ps;                      /* of a case; 0: not known */
};

/* The case whose run this one waits for; itself: none. */
uint64_t paper_share_leader(const struct paper_share *share, uint64_t number);

/* Gives a case's experiment what the leader found, or, in the leader, room for the ends of the
 * others. False: memory ran out. */
bool paper_share_begin(const struct paper_share *share, uint64_t number, struct experiment *e,
                       struct ct_arena *arena);

/* Keeps what the leader found. */
void paper_share_end(const struct paper_share *share, uint64_t number, const struct experiment *e);

#endif
