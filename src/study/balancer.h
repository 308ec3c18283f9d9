/* A service's queries spread over the GPUs that it runs on. */
#ifndef BALANCER_H
#define BALANCER_H

#include "base/ct_vec.h"
#include "des/des_stream.h"
#include "run/arrivals.h"
#include "workload/cluster_file.h"

/* When the queries of each replica arrive, one replica after the other, and what a recording tells
 * of their tokens (NULL: nothing). */
struct balancer_streams {
    ct_time_ps *stamps;
    int64_t *prompts, *outputs;
    size_t *first; /* replica r has the stamps from first[r] to first[r + 1]; owned */
    uint32_t replicas;
    bool held; /* no replica has any yet: all `first[replicas]` go where the balancer sends them
                  when it has seen the load */
    uint64_t drawn, lost; /* where copies come and go: within the window all arrivals, and those
                             that found no copy */
};

/* An arrival, which stamp of a recording it is, and where it goes. */
struct balancer_query {
    ct_time_ps at_ps;
    size_t stamp;
    uint32_t replica;
};
struct balancer_sent {
    CT_VEC(struct balancer_query);
};

/* The arrivals of a service and the draws of its balancer. */
struct balancer_draws {
    enum cluster_balancer balancer;
    struct arrivals arrivals;
    struct des_stream stream;
    uint64_t count;
};
void balancer_draws_begin(struct balancer_draws *draws, const struct workload_app *app,
                          enum cluster_balancer balancer, uint64_t seed, uint64_t replication);

/* To which of so many replicas (not 0) the next query goes. */
uint32_t balancer_draw(struct balancer_draws *draws, uint32_t replicas);

/* Sorts queries of these arrivals by replica. False: no memory. */
bool balancer_sort(const struct balancer_sent *sent, const struct workload_arrivals *arrivals,
                   uint32_t replicas, struct balancer_streams *streams);

/*
 * The arrivals of the whole cluster up to a time, each sent to one replica: to one drawn at random
 * (independent of the past: a Poisson stream splits into Poisson streams), or to each in turn.
 * Neither looks at the load, so the streams are known before any GPU is simulated. A balancer that
 * does holds the arrivals of several replicas back. The cluster's stream is that which `run` draws
 * for an application of this name; a single replica gets it whole. enum ct_status.
 */
int balancer_split(const struct workload_app *app, enum cluster_balancer balancer,
                   uint32_t replicas, uint64_t seed, uint64_t replication, ct_time_ps until_ps,
                   struct balancer_streams *streams, struct ct_diags *diags);
void balancer_free(struct balancer_streams *streams);

/* Whether arrivals go by the load of GPUs. */
bool balancer_looks(enum cluster_balancer balancer);

/* The application as it runs on one of these GPUs. */
struct workload_app balancer_replica(const struct workload_app *app,
                                     const struct balancer_streams *streams, uint32_t replica);

#endif
