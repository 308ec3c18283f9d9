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
    ADVISE_MIG_MPS,
    ADVISE_WAYS
};

struct advise_gpu {
    const char *name;   /* a preset; NULL: the workload's own GPU */
    double price_per_h; /* NAN: unknown */
};

/* Something set besides the way: the length of time slices, or how many requests of a server, or
 * jobs of a closed batch application, are run at once. */
struct advise_change {
    bool slices;                 /* of time: for that way alone */
    const char *text;            /* "slices of 8 ms", "batches of imc up to 4" */
    const char *const *sets;     /* as --set takes it; NULL ends them */
    const char *const *commands; /* what switches it on; NULL ends them */
    struct scenario scenario;    /* the workload so changed */
};

/* One setting of a way. */
struct advise_candidate {
    enum advise_way way;
    const char *policy; /* "mps-caps:caps=vit=100+qwen=50", as --policy takes it */
    uint32_t number;    /* of the policy among those of the scenario */
    /* By application: per cent of the SMs, chunks, or the number of the MIG profile; NULL: the way
     * has nothing to set. */
    const int64_t *given;
    /* By application, of MPS in MIG: in whose instance it runs, and per cent of its SMs. NULL. */
    const int64_t *with, *caps;
    const struct advise_change *change; /* NULL: none */
    uint32_t parent; /* the candidate that it refines, tried once that one has gone on; ADVISE_FIRST
                      */
    struct plan_point point; /* as its last round saw it; its verdict is one of all replications if
                                `judged`, else a guess */
    uint32_t round;          /* its last one, from 1; 0: none yet */
    bool judged;
    double guess;          /* its p99 over the target before it was judged, by one replication */
    struct ct_arena arena; /* of the point */
    /* Over draws of the unknown memory demand, one replication each: how often it keeps the targets
     * by what was seen, and the range of its p99. */
    uint32_t drawn, drawn_keeps;
    double drawn_low, drawn_high;
    double undrawn; /* p99 of the same replication with unknown demand as none */
};

#define ADVISE_FIRST UINT32_MAX

/* What a type of GPU, so many of them, has to offer. The arrivals of services are split at random,
 * and batch applications run on each, as in a plan for "gpus". */
struct advise_offer {
    const struct advise_gpu *gpu;
    uint32_t gpus;
    const struct scenario *scenario; /* the workload on this GPU */
    uint32_t draws, draws_best;      /* of unknown demand; those in which its best stays the best */
    CT_VEC(struct advise_candidate) candidates;
    const struct advise_candidate *best_of[ADVISE_WAYS]; /* NULL: the GPU has not got this way */
    const struct advise_candidate *best, *second;        /* of another way; NULL: there is none */
    bool cut[ADVISE_WAYS]; /* none held of those that are judged, and others may */
    /* Every instance with a GPU of its own, for comparison: from runs alone, one replication. */
    struct advise_apart {
        uint32_t gpus;
        const char *service; /* the one that comes nearest to its target */
        double p99_over_qos, batch_work, requests_per_s;
    } apart;
};

#endif
