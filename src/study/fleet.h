/*
 * Copies that come, stay and go, each placed when it arrives on what is free at that instant. What
 * leaves makes room before who comes at the same instant. Nobody is moved.
 */
#ifndef FLEET_H
#define FLEET_H

#include "study/yard.h"

enum fleet_outcome { FLEET_PLACED, FLEET_WAITING, FLEET_REFUSED };
extern const char *const fleet_outcomes[];

/* What became of a copy. */
struct fleet_pod {
    enum fleet_outcome outcome;
    struct yard_place place;
    double placed_s, left_s; /* NAN unless placed; left_s: the end for who stays */
};

/* The cluster from an instant on. */
struct fleet_change {
    double at_s;
    uint32_t in_use, waiting;     /* GPUs on which something stands; copies */
    double allocated, fragmented; /* GPUs */
};

struct fleet_sums {
    uint64_t arrived, placed, waited, waiting, refused; /* waited: placed later than it came */
    double in_use, allocated, fragmented; /* GPUs, means over the time from the warm-up on */
    uint32_t in_use_most;
    /* Waiting of those that arrived after the warm-up and were placed; NAN: none. */
    double wait_mean_s, wait_p99_s, wait_most_s;
    bool conserved; /* no GPU was ever given twice, and every copy is accounted for */
};

struct fleet {
    struct fleet_pod *pods; /* of the cluster's; `arrived` of them came before the end */
    CT_VEC(struct fleet_change) changes;
    struct fleet_sums sums;
};

/*
 * Places the copies of a cluster up to `end_s`. Who does not fit waits: first come, first served,
 * nobody overtakes; or is refused. Sums are over the time from
 * `warmup_s` on. enum ct_status; free in every case.
 */
int fleet_place(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                double warmup_s, double end_s, struct fleet *fleet, struct ct_diags *diags);
void fleet_free(struct fleet *fleet);

#endif
