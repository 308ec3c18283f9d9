/*
 * What the parts of an advice share: what it chooses among (ways of sharing, their settings, what a
 * type of GPU offers), and what each part does.
 *
 *   advise_ways.c     the candidates: what can be set on a GPU, for the applications at hand
 *   advise_changes.c  what is tried besides ways: lengths of time slices, limits of batches
 *   advise_alone.c    what batch applications do alone, which batch work is counted in
 *   advise_switch.c   the commands that switch a way on, as NVIDIA's documentation has them
 */
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
    uint32_t judged;         /* how often */
    double guess;            /* its p99 over the target before it was judged, by one replication */
    struct ct_arena arena;   /* of the point */
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

/* ---- advise_ways.c ---- */

/* "time slices", "MPS" ... */
const char *advise_way_name(enum advise_way way);

/* SMs of a chunk of MPS' static partitions (CUDA MPS documentation: 8 from Hopper on, 4 before). */
int64_t advise_chunk_sms(const struct gpu *gpu);

/* Whether others run in the application's instance of MIG, and how many instances it asks for: one
 * where others share it, none where it is in another's. `with` as in a candidate. */
bool advise_has_company(const struct setup *setup, const int64_t *with, uint32_t app);
int64_t advise_slices(const struct setup *setup, const int64_t *with, uint32_t app);

/* Fills `offer->candidates` with every setting of every way, and behind them each of these with
 * each change. Texts lie in the arena. enum ct_status. */
struct advise_changes {
    CT_VEC(struct advise_change *);
};
int advise_ways_make(const struct setup *setup, const struct advise_changes *changes,
                     struct advise_offer *offer, struct ct_arena *arena, struct ct_diags *diags);

/* ---- advise_changes.c ---- */

/* A request with further assignments, which NULL ends. False when memory ran out. */
bool advise_request_with(const struct scenario_request *request, const char *const *sets,
                         struct ct_arena *arena, struct scenario_request *with);

/* Adds the changes that the workload has room for, each with its workload opened, on this GPU
 * (NULL: the workload's own). They lie in the arena; their scenarios are to be closed. enum
 * ct_status. */
int advise_changes_make(const struct scenario_request *request, const struct scenario *scenario,
                        struct advise_changes *changes, struct ct_arena *arena,
                        struct ct_diags *diags);
void advise_changes_free(struct advise_changes *changes);

/* ---- advise_alone.c ---- */

/* Runs one instance of each batch application alone, in so many replications of a length, with the
 * draws that the plan's runs of that length have: `solo` by application, its arrays in the arena.
 * enum ct_status. */
int advise_alone(const struct plan *plan, const struct setup *setup, double duration_s,
                 uint32_t replications, struct plan_solo *solo, struct ct_arena *arena,
                 struct ct_diags *diags);

/* ---- advise_switch.c ---- */

/* A list of texts, which lie in the arena. */
struct advise_lines {
    CT_VEC(const char *);
    struct ct_arena *arena;
    bool no_memory;
};
void advise_line(struct advise_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds shell commands line by line, comments with "#". What only the reader knows stands in angle
 * brackets. */
void advise_switch(const struct advise_candidate *candidate, const struct setup *setup,
                   struct advise_lines *lines);

#endif
