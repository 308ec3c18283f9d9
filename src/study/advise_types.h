/* What an advice chooses among: ways of sharing, their settings, and what a type of GPU offers. */
#ifndef ADVISE_TYPES_H
#define ADVISE_TYPES_H

#include "experiment/scenario.h"
#include "study/plan.h"

enum advise_way {
    ADVISE_TIME_SLICES,
    ADVISE_MPS,
    ADVISE_MPS_PRIORITY,
    ADVISE_MPS_CAPS,
    ADVISE_MPS_STATIC,
    ADVISE_MIG,
    ADVISE_WAYS
};

struct advise_gpu {
    const char *name;   /* a preset; NULL: the workload's own GPU */
    double price_per_h; /* NAN: unknown */
};

/* One setting of a way. */
struct advise_candidate {
    enum advise_way way;
    const char *policy; /* "mps-caps:caps=vit=100+qwen=50", as --policy takes it */
    /* By application: per cent of the SMs, chunks, or the number of the MIG profile; NULL: the way
     * has nothing to set. */
    const int64_t *given;
    struct plan_point point; /* as its last round saw it; its verdict is one of all replications if
                                `judged`, else a guess */
    uint32_t round;          /* its last one, from 1; 0: none yet */
    bool judged;
    struct ct_arena arena; /* of the point */
};

/* What a type of GPU, so many of them, has to offer. The arrivals of services are split evenly, and
 * batch applications run on each, as in a plan for "gpus". */
struct advise_offer {
    const struct advise_gpu *gpu;
    uint32_t gpus;
    const struct scenario *scenario; /* the workload on this GPU */
    struct {
        CT_VEC(struct advise_candidate);
    } candidates;
    const struct advise_candidate *best_of[ADVISE_WAYS]; /* NULL: the GPU has not got this way */
    const struct advise_candidate *best, *second;        /* of another way; NULL: there is none */
    /* Every instance with a GPU of its own, for comparison: from runs alone, one replication. */
    struct advise_apart {
        uint32_t gpus;
        const char *service; /* the one that comes nearest to its target */
        double p99_over_qos, batch_work, requests_per_s;
    } apart;
};

#endif
