/* A cluster under one placement and one policy: how it is run, and what comes of it by GPU, by
 * co-location, in sum. */
#ifndef CLUSTER_RESULT_H
#define CLUSTER_RESULT_H

#include "base/ct_arena.h"
#include "base/ct_listener.h"
#include "results/result_store.h"
#include "study/fleet.h"

struct cluster_params {
    const struct cluster *cluster;
    const struct experiment_policy *policy;
    enum cluster_placement placement;
    enum cluster_balancer balancer;
    uint64_t seed;
    uint32_t reps, threads;
    bool place_only;             /* no GPU is simulated */
    struct ct_listener listener; /* is told of runs */
    uint64_t *runs_done;         /* that it was told of, the caller's; NULL: it is told of none */
};

/* How much of a GPU is used, and what batch work is done there. */
struct cluster_use {
    double busy, sm, dram, h2d, d2h;     /* busy: batch kernels run; dram NAN: unknown, here and
                                            below */
    double batch_jobs_per_s, batch_work; /* work: solo seconds per second */
};

/* What runs on a GPU: a group's, with so many copies of each application. */
struct cluster_colocation {
    const char *label; /* "asr + 10 x bfs" */
    uint32_t group, gpus;
    const uint32_t *copies; /* copies of each application */
    struct cluster_use use; /* of one GPU, mean over those of the co-location */
};

/* A service in a co-location, its queries pooled over the GPUs. */
struct cluster_service {
    uint32_t colocation, app;
    uint64_t jobs, late, dropped;                   /* late: later than one of its targets */
    uint64_t undecided;                             /* not ended, and not late yet */
    double mean_ms, p99_ms, low_ms, high_ms;        /* interval: NAN for too few queries */
    double first_p99_ms, each_p99_ms, tokens_per_s; /* of tokens, of a GPU; NAN: generates none */
    double over;              /* the largest p99 over its target; NAN without a target */
    enum result_time decides; /* that target's, and its p99 and the target in ms */
    double decides_p99_ms, target_ms;
    bool drops;      /* has a target, and drops more than 1 %: later than any target */
    bool overloaded; /* on one of the GPUs: p99 is a lower bound */
};

struct cluster_gpu {
    uint32_t number, group, colocation; /* CLUSTER_IDLE: nothing runs there */
    uint64_t jobs, late, undecided;     /* queries of its services */
    double over;                        /* highest p99 over target of its services; NAN */
    bool over_is_bound;                 /* that service is overloaded: a lower bound */
    struct cluster_use use;
};
#define CLUSTER_IDLE UINT32_MAX

/* What placements go by: short runs of one copy of a batch application beside the services. */
struct cluster_profile {
    const char *label;
    uint32_t app;
    double busy, late; /* batch busy fraction; late part of the worst service's queries */
    double score;
};

/* Where applications ask for shares: what the placement leaves of the GPUs for one of them. */
struct cluster_share {
    uint64_t further; /* further copies that would fit */
    double unusable;  /* GPUs: free, and on their GPU too little for a copy */
};

/* The queries of a service, and those of them that came while no copy of it stood. */
struct cluster_sent {
    uint64_t queries, lost;
};

struct cluster_sums {
    uint32_t gpus, idle, colocations, services; /* services: with a target, by co-location */
    uint32_t violated, severe; /* of these: p99 above the target; above 1.4 times the target; both
                                  where a service drops more than 1 % */
    uint32_t violated_gpus, severe_gpus; /* GPUs that such a co-location runs on */
    uint32_t overloaded;
    uint64_t jobs, late, lost; /* lost: found no copy of their service; late of one with a target */
    uint64_t undecided;        /* not ended, and not late yet */
    double worst_over;         /* NAN without a target */
    bool worst_is_bound;       /* of an overloaded service: a lower bound */
    double busy, busy_half;    /* mean over all GPUs; half the 95 % interval, NAN: none */
    double sm, dram;
    double batch_jobs_per_s, batch_work; /* of the cluster */
    double free_gpus, fragmented_gpus;   /* with shares: not asked for; and of no use, the mean over
                                            copies of all applications */
    bool conserved; /* queries sent = finished + open, and each GPU's own laws hold */
    bool littles_law_ok, utilisation_law_ok; /* they hold on every GPU */
};

struct cluster_result {
    struct ct_arena arena;
    struct cluster_colocation *colocations;
    struct cluster_service *services;
    struct cluster_gpu *gpus;
    struct cluster_profile *profiles; /* none unless the placement goes by profiles */
    struct cluster_sent *sent;        /* by application; 0 of batch work */
    struct cluster_share *shares;     /* by application; NULL: they ask for places, or move */
    struct fleet fleet;               /* where copies come and go */
    uint32_t colocation_count, service_count, gpu_count, profile_count;
    struct cluster_sums sums;
};

#endif
