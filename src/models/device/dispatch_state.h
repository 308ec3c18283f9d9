/* The state of the dispatch of block slots (device_dispatch.c). */
#ifndef DISPATCH_STATE_H
#define DISPATCH_STATE_H

#include "base/ct_types.h"

struct device_task;

struct dispatch_state {
    struct device_task **begun; /* came in this settlement, not yet told to the listener */
    uint32_t begun_count;
    uint64_t number;       /* of the present dispatch, from 1 */
    double free_sms;       /* not held by kernels that run, in the course of a dispatch; fluid */
    bool clients_summed;   /* the SMs held by each client, in this dispatch */
    ct_time_ps freed_ps;   /* when a kernel last left SMs, or a wave of it; fluid */
    double freed_per_sm;   /* its blocks on each of them */
    uint32_t last_release; /* client whose kernel last gave SMs back; DEVICE_NOBODY */
};

#endif
