/* Which applications run on which GPU of a cluster. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "study/yard.h"

/* GPUs that are alike before batch work is placed: of one group, with the same services. */
struct placement_kinds {
    uint32_t *of;      /* kind of each GPU */
    uint32_t *example; /* the first GPU of each kind */
    uint32_t *count;
    uint32_t kinds;
};

/* Copies of each application on each GPU; a batch application's copy is all its `instances`. */
struct placement {
    const struct cluster *cluster;
    enum cluster_placement how;
    uint64_t seed;
    uint32_t gpus, apps;
    uint32_t *copies;  /* [gpu * apps + application] */
    uint32_t *replica; /* [gpu * apps + application], of a service: the GPU's number among those of
                          the service */
    struct cluster_memory memory;
    struct placement_kinds kinds; /* once they are found */
    struct ct_arena arena;        /* of all these */
};

/* The number of a GPU's group. */
uint32_t placement_group(const struct cluster *cluster, uint32_t gpu);

/* An empty placement: nothing runs on any GPU. enum ct_status; free in every case. */
int placement_init(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                   struct placement *placement, struct ct_diags *diags);
void placement_free(struct placement *placement);

/* Whether one more copy fits into the memory of a GPU. */
bool placement_holds(const struct placement *placement, uint32_t gpu, uint32_t app);

/* Lays the services out, each over as many different GPUs as it asks for: one service after the
 * other over the GPUs by number, for `random` over the GPUs in an order drawn by seed, those left
 * out in whose memory a copy does not fit. CT_USAGE where it fits on none. */
int placement_services(struct placement *placement, struct ct_diags *diags);

/*
 * Where applications ask for a share of a GPU instead of a place, as replicas of a device plugin,
 * percentages of MPS or fractions of a cluster's scheduler are, or for an instance of MIG: places
 * every copy (a service's on a GPU where it does not run) as yard_choose does. A share is what is
 * counted when copies are placed; what holds an application to it is the policy. An instance is
 * held to by the GPU. enum ct_status: CT_USAGE where a copy fits nowhere.
 */
int placement_shares(struct yard *yard, struct placement *placement, struct ct_diags *diags);

int placement_find_kinds(struct placement *placement, struct ct_diags *diags);

/*
 * Lays the batch applications out; copies of them follow each other in turn (a, b, c, a, b, ...).
 * round-robin: over the GPUs by number; random: both in orders drawn by seed; both fill every GPU's
 * first place before a second one, and pass by those in whose memory a copy does not fit.
 * best-profile: each copy takes the free place where it has the
 * highest score, GPUs that are alike in turn. hungarian: the assignment with the highest
 * sum of scores among those in which each copy fits by itself; what then does not fit beside others
 * goes as by best-profile. `scores` [kind * applications + application], read by the last two only,
 * are those of a GPU's first batch copy: b; the n-th after it counts b (1 - b)^n, and a negative
 * score (a target is missed) as it is; -INFINITY: it does not fit there. enum ct_status: CT_USAGE
 * where a copy fits nowhere.
 */
int placement_batch(struct placement *placement, const double *scores, struct ct_diags *diags);

/* Whether `hungarian` was built in; if not, an error that says what is missing. */
bool placement_can_assign(struct ct_diags *diags);

/*
 * The assignment problem, equal rows and equal columns merged: how many of column c's `wanted[c]`
 * go to row r, which has room for `room[r]`, so that the sum of scores is highest. Scores count to
 * a ten-thousandth; none goes where its score is -INFINITY, and none anywhere if so not all have a
 * place. Room for all is needed. enum ct_status.
 */
int placement_assign(const double *scores, uint32_t rows, const uint32_t *room, uint32_t columns,
                     const uint32_t *wanted, uint32_t *flow, struct ct_diags *diags);

#endif
