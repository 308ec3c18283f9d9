#include "study/balancer.h"

#include "run/arrivals.h"

#include <stdlib.h>

/* An arrival and where it goes. */
struct sent {
    ct_time_ps at_ps;
    uint32_t replica;
};
struct all_sent {
    CT_VEC(struct sent);
};

static bool send_all(const struct workload_app *app, enum cluster_balancer balancer,
                     uint32_t replicas, uint64_t seed, uint64_t replication, ct_time_ps until_ps,
                     struct all_sent *sent) {
    struct arrivals arrivals;
    struct des_stream draws;
    arrivals_init(&arrivals, &app->arrivals, seed, replication, app->name);
    des_stream_init(&draws, seed, replication, "balancer", app->name);
    ct_time_ps at;
    for (uint64_t i = 0; (at = arrivals_next(&arrivals)) < until_ps; i++) {
        uint64_t to = balancer == CLUSTER_BALANCE_RANDOM        ? des_stream_below(&draws, replicas)
                      : balancer == CLUSTER_BALANCE_ROUND_ROBIN ? i % replicas
                                                                : 0;
        if (!ct_vec_push(sent, (struct sent){at, (uint32_t)to}))
            return false;
    }
    return true;
}

/* Sorts the queries by replica; within one the order of arrival stays. */
static void sort_by_replica(const struct all_sent *sent, struct balancer_streams *streams) {
    for (size_t i = 0; i < sent->count; i++)
        streams->first[sent->items[i].replica + 1]++;
    for (uint32_t r = 0; r < streams->replicas; r++)
        streams->first[r + 1] += streams->first[r];
    for (size_t i = sent->count; i > 0; i--) {
        const struct sent *s = &sent->items[i - 1];
        streams->stamps[--streams->first[s->replica + 1]] = s->at_ps;
    }
    /* Every end has moved to the begin of its replica: shift them back. */
    for (uint32_t r = 0; r < streams->replicas; r++)
        streams->first[r] = streams->first[r + 1];
    streams->first[streams->replicas] = sent->count;
}

int balancer_split(const struct workload_app *app, enum cluster_balancer balancer,
                   uint32_t replicas, uint64_t seed, uint64_t replication, ct_time_ps until_ps,
                   struct balancer_streams *streams, struct ct_diags *diags) {
    struct all_sent sent = {0};
    *streams = (struct balancer_streams){.replicas = replicas};
    bool ok = !arrivals_are_open(&app->arrivals) ||
              send_all(app, balancer, replicas, seed, replication, until_ps, &sent);
    streams->first = calloc((size_t)replicas + 1, sizeof *streams->first);
    streams->stamps = calloc(sent.count + 1, sizeof *streams->stamps);
    ok = ok && streams->first && streams->stamps;
    streams->held = balancer_looks(balancer) && replicas > 1 && sent.count > 0;
    if (ok)
        sort_by_replica(&sent, streams);
    else
        balancer_free(streams);
    ct_vec_free(&sent);
    return ok ? CT_OK : ct_out_of_memory(diags);
}

bool balancer_looks(enum cluster_balancer balancer) {
    return balancer >= CLUSTER_BALANCE_LEAST_OUTSTANDING;
}

void balancer_free(struct balancer_streams *streams) {
    free(streams->stamps);
    free(streams->first);
    *streams = (struct balancer_streams){0};
}

struct workload_app balancer_replica(const struct workload_app *app,
                                     const struct balancer_streams *streams, uint32_t replica) {
    struct workload_app own = *app;
    if (!arrivals_are_open(&app->arrivals))
        return own;
    size_t first = streams->first[replica];
    size_t count = streams->held ? 0 : streams->first[replica + 1] - first;
    own.arrivals = (struct workload_arrivals){.process = WORKLOAD_TRACE,
                                              .replayed = true,
                                              .stamps = streams->stamps + first,
                                              .stamp_count = count};
    return own;
}
