/*
 * The GPUs of a cluster as a scheduler counts them: what is free, where a demand fits, what is
 * fragmented. A GPU has shares, per mille, or, cut by MIG, memory slices at which instances begin
 * and which they take.
 *
 * Fragmentation is that of Weng et al. (Beware of Fragmentation, USENIX ATC 2023, section 3), for
 * GPUs alone: what is free on a GPU on which a demand fits nowhere, weighted by how often the
 * demand is among all copies.
 */
#ifndef YARD_H
#define YARD_H

#include "des/des_stream.h"
#include "study/cluster_memory.h"

/* Where a copy stands. */
struct yard_place {
    uint32_t gpu, start; /* first memory slice; 0 of a share */
    uint32_t taken;      /* its memory slices, a bit each; of a share per mille */
};
#define YARD_NOWHERE UINT32_MAX

/* A whole GPU, per mille. */
enum { YARD_WHOLE = 1000 };

struct yard_kind; /* of GPU: a group */

struct yard {
    const struct cluster *cluster;
    struct yard_kind *kinds; /* by group */
    uint32_t gpus;
    uint32_t *group;
    uint32_t *state; /* free of each GPU: per mille, or memory slices, a bit each */
    uint32_t next;   /* GPU whose turn it is */
    struct des_stream draws;
    struct cluster_memory memory;
    struct ct_arena arena;
    uint64_t copies; /* all demands' */
    /* Sums over all GPUs: per mille of a GPU; copies times per mille of a GPU. */
    uint64_t free, fragmented;
    uint32_t in_use; /* GPUs on which something stands */
};

/* GPUs on which nothing stands. Close in every case. enum ct_status. */
int yard_open(const struct cluster *cluster, uint64_t seed, struct yard *yard,
              struct ct_diags *diags);
void yard_close(struct yard *yard);

/*
 * Where a placement puts a copy beside those that stand (`copies` [gpu * applications +
 * application]): where what it asks for is free and its memory fits, a service's where it has no
 * copy yet. random: on one drawn of those with room; round-robin: the next one by number;
 * first-fit: the first; best-fit, worst-fit: where the least, or the most, is free; fgd: where
 * fragmentation grows least (the steepest descent of Weng et al., section 4). The first of several
 * that are equal. An instance begins at the first position that is free, for fgd at that by which
 * fragmentation grows least. False: nowhere.
 */
bool yard_choose(struct yard *yard, enum cluster_placement how, const struct cluster_pod *pod,
                 const uint32_t *copies, struct yard_place *place);
void yard_take(struct yard *yard, const struct yard_place *place);
void yard_give_back(struct yard *yard, const struct yard_place *place);

/* Per mille of a GPU that are free. */
uint32_t yard_free(const struct yard *yard, uint32_t gpu);
/* Copies of a demand for which a GPU has a share or slices, one after the other. */
uint32_t yard_further(const struct yard *yard, uint32_t gpu, uint32_t demand);
/* Whether a copy fits on some GPU on which nothing stands. */
bool yard_is_possible(const struct yard *yard, const struct cluster_pod *pod);

/* Why a copy fits nowhere beside those that stand (NULL: none does), with the sum of what is free,
 * or the memory that is left. */
void yard_explain(const struct yard *yard, const struct cluster_pod *pod, const uint32_t *copies,
                  char *text, size_t size);

#endif
