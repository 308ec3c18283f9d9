/* The state of the decision log, and of the one decision that goes the other way (policy_log.c). */
#ifndef POLICY_LOG_STATE_H
#define POLICY_LOG_STATE_H

#include "run/sim.h"

struct decision_log {
    uint64_t number;              /* of the last decision */
    struct sim_decision decision; /* the last one */
    const struct ct_task *decided_task;
    bool untold; /* it was not passed on yet, since it may still get notes */
};

/* What if: the decision that is asked about. */
struct what_if {
    const struct ct_task *withheld; /* its issue was refused at withheld_ps; NULL: none */
    ct_time_ps withheld_ps;
    uint32_t refusals;            /* how often the issue of the withheld task was refused */
    const struct ct_task *forced; /* held in this hook, to be issued after it; NULL: none */
};

#endif
