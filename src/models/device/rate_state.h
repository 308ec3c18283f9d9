/* The state of the rates of progress (device_rates.c), and of what they lose (device_losses.c). */
#ifndef RATE_STATE_H
#define RATE_STATE_H

#include "base/ct_types.h"

struct rate_state {
    ct_time_ps next_ps; /* when the first running task falls due */
    bool steady;      /* whose rates are to be made anew is known: no other ties between tasks than
                         functional units and memory that run short */
    bool unrated;     /* somebody's rate is to be made anew */
    bool shaken;      /* everybody's rate is to be made anew */
    bool units_short; /* the functional units were, at the last update of rates */
    uint32_t *stale;  /* scratch: positions that have changed since the last update of rates */
};

/* What a culprit of a loss is weighed by. */
struct loss_weight {
    double weight, before; /* its own, and the sum over those before it */
    uint32_t client;
};

/* The running tasks with weight, in their order; behind the last, the sum of all. */
struct loss_row {
    struct loss_weight *weights, *end;
};

struct loss_state {
    ct_time_ps split_ps;   /* when losses were last split */
    struct loss_row *rows; /* by cause */
    uint32_t weighed;      /* which rows are made, a bit each */
};

#endif
