#include "study/balancer.h"

#include <stdlib.h>

void balancer_draws_begin(struct balancer_draws *draws, const struct workload_app *app,
                          enum cluster_balancer balancer, uint64_t seed, uint64_t replication) {
    draws->balancer = balancer;
    draws->count = 0;
    arrivals_init(&draws->arrivals, &app->arrivals, seed, replication, app->name);
    des_stream_init(&draws->stream, seed, replication, "balancer", app->name);
}

uint32_t balancer_draw(struct balancer_draws *draws, uint32_t replicas) {
    uint64_t turn = draws->count++;
    return (uint32_t)(draws->balancer == CLUSTER_BALANCE_RANDOM
                          ? des_stream_below(&draws->stream, replicas)
                      : draws->balancer == CLUSTER_BALANCE_ROUND_ROBIN ? turn % replicas
                                                                       : 0);
}

static bool send_all(const struct workload_app *app, enum cluster_balancer balancer,
                     uint32_t replicas, uint64_t seed, uint64_t replication, ct_time_ps until_ps,
                     struct balancer_sent *sent) {
    struct balancer_draws draws;
    balancer_draws_begin(&draws, app, balancer, seed, replication);
    ct_time_ps at;
    while ((at = arrivals_next(&draws.arrivals)) < until_ps)
        if (!ct_vec_push(sent, (struct balancer_query){at, draws.arrivals.stamp,
                                                       balancer_draw(&draws, replicas)}))
            return false;
    return true;
}

/* Sorts the queries by replica; within one the order of arrival stays. */
static void sort_by_replica(const struct balancer_sent *sent,
                            const struct workload_arrivals *arrivals,
                            struct balancer_streams *streams) {
    size_t *next = streams->first + 1; /* ends as the end of the replica before */
    for (size_t i = 0; i < sent->count; i++)
        next[sent->items[i].replica + 1]++;
    for (uint32_t r = 0; r < streams->replicas; r++)
        next[r + 1] += next[r];
    for (size_t i = 0; i < sent->count; i++) {
        const struct balancer_query *s = &sent->items[i];
        size_t place = next[s->replica]++;
        streams->stamps[place] = s->at_ps;
        if (streams->prompts)
            streams->prompts[place] = arrivals->prompts[s->stamp];
        if (streams->outputs)
            streams->outputs[place] = arrivals->outputs[s->stamp];
    }
}

/* False: no memory. */
static bool make_streams(const struct workload_arrivals *arrivals, size_t count,
                         struct balancer_streams *streams) {
    streams->first = calloc((size_t)streams->replicas + 2, sizeof *streams->first);
    streams->stamps = calloc(count + 1, sizeof *streams->stamps);
    if (arrivals->prompts)
        streams->prompts = calloc(count + 1, sizeof *streams->prompts);
    if (arrivals->outputs)
        streams->outputs = calloc(count + 1, sizeof *streams->outputs);
    return streams->first && streams->stamps && !arrivals->prompts == !streams->prompts &&
           !arrivals->outputs == !streams->outputs;
}

bool balancer_sort(const struct balancer_sent *sent, const struct workload_arrivals *arrivals,
                   uint32_t replicas, struct balancer_streams *streams) {
    *streams = (struct balancer_streams){.replicas = replicas};
    if (!make_streams(arrivals, sent->count, streams)) {
        balancer_free(streams);
        return false;
    }
    sort_by_replica(sent, arrivals, streams);
    return true;
}

int balancer_split(const struct workload_app *app, enum cluster_balancer balancer,
                   uint32_t replicas, uint64_t seed, uint64_t replication, ct_time_ps until_ps,
                   struct balancer_streams *streams, struct ct_diags *diags) {
    struct balancer_sent sent = {0};
    bool ok = !arrivals_are_open(&app->arrivals) ||
              send_all(app, balancer, replicas, seed, replication, until_ps, &sent);
    *streams = (struct balancer_streams){0};
    ok = ok && balancer_sort(&sent, &app->arrivals, replicas, streams);
    if (ok)
        streams->held = balancer_looks(balancer) && replicas > 1 && sent.count > 0;
    ct_vec_free(&sent);
    return ok ? CT_OK : ct_out_of_memory(diags);
}

bool balancer_looks(enum cluster_balancer balancer) {
    return balancer >= CLUSTER_BALANCE_LEAST_OUTSTANDING;
}

void balancer_free(struct balancer_streams *streams) {
    free(streams->stamps);
    free(streams->prompts);
    free(streams->outputs);
    free(streams->first);
    *streams = (struct balancer_streams){0};
}

struct workload_app balancer_replica(const struct workload_app *app,
                                     const struct balancer_streams *streams, uint32_t replica) {
    struct workload_app own = *app;
    if (!arrivals_are_open(&app->arrivals))
        return own;
    /* Any query may come here where they are held, by its place among all. */
    size_t first = streams->held ? 0 : streams->first[replica];
    size_t count = streams->held ? 0 : streams->first[replica + 1] - first;
    own.arrivals =
        (struct workload_arrivals){.process = WORKLOAD_TRACE,
                                   .replayed = true,
                                   .stamps = streams->stamps + first,
                                   .stamp_count = count,
                                   .prompts = streams->prompts ? streams->prompts + first : NULL,
                                   .outputs = streams->outputs ? streams->outputs + first : NULL};
    return own;
}
