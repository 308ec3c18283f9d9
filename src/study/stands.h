/*
 * What stands on a GPU and from when until when: for the whole run, or, where copies come and go,
 * until the next of them does. Every stand is simulated by itself, from an empty GPU on; queries
 * that came in its time are followed to their end.
 */
#ifndef STANDS_H
#define STANDS_H

#include "base/ct_arena.h"
#include "study/balancer.h"
#include "study/fleet.h"
#include "study/placement.h"

struct stand {
    uint32_t gpu, group, number; /* number: of the GPU's stands, from 0 */
    ct_time_ps from_ps, to_ps;
    const uint32_t *copies; /* by application; where a GPU is idle, there is no stand */
    uint32_t *replica;      /* by application, of services: whose part of the queries comes here */
};

/* A service's copy in a stand, for which it gets queries. */
struct stand_part {
    uint32_t app;
    ct_time_ps from_ps, to_ps;
};

struct stands {
    CT_VEC(struct stand) list; /* by GPU, then by time */
    /* Where copies come and go: by application, then by copy, then by time. */
    CT_VEC(struct stand_part) parts;
    bool moving; /* they do */
    struct ct_arena arena;
};

/* One stand for each GPU on which something was placed. The placement outlives it. enum ct_status;
 * free in every case. */
int stands_of_placement(const struct cluster *cluster, const struct placement *placement,
                        struct stands *stands, struct ct_diags *diags);

/* One stand from each time that copies come or go on a GPU to the next; what is over before the
 * warm-up's end is left out. */
int stands_of_fleet(const struct cluster *cluster, const struct fleet *fleet, struct stands *stands,
                    struct ct_diags *diags);
void stands_free(struct stands *stands);

/*
 * The arrivals of a service up to a time, spread over the copies that stand at each instant
 * (balancer_split, whose draws it makes, too); what stands last stands on. Stamps of a part are
 * times since it began. Queries that find no copy are lost. enum ct_status.
 */
int stands_split(const struct stands *stands, const struct cluster *cluster, uint32_t app,
                 enum cluster_balancer balancer, uint64_t seed, uint64_t replication,
                 ct_time_ps until_ps, struct balancer_streams *streams, struct ct_diags *diags);

#endif
