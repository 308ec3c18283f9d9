#include "study/cluster_print_fleet.h"

#include <math.h>

static double part(double of, double all) {
    return all > 0 ? of / all : NAN;
}

struct table cluster_fleet_table(const struct cluster_job *job) {
    struct table table = table_start(
        "policy | placement | copies=arrived:0 | placed:0 | waited:0 | still waiting=waiting:0 | "
        "refused:0 | mean wait s=wait_mean_s:3 | p99 wait s=wait_p99_s:3 | longest "
        "s=wait_longest_s:3 | GPUs in use=gpus_in_use:3 | most=gpus_in_use_most:0 | allocated "
        "GPUs=allocated_gpus:4 | allocation=allocation_ratio:5 | fragmented "
        "GPUs=fragmented_gpus:4 | of what is free=fragmented_of_free:5 | queries "
        "lost=lost_queries:0 | conservation");
    for (size_t i = 0; i < job->done; i++) {
        const struct cluster_scenario *scenario = &job->scenarios[i];
        const struct fleet_sums *s = &scenario->result.fleet.sums;
        double gpus = job->cluster.gpu_count;
        table_row(&table, scenario->policy, scenario->placement, s->arrived, s->placed, s->waited,
                  s->waiting, s->refused, s->wait_mean_s, s->wait_p99_s, s->wait_most_s, s->in_use,
                  s->in_use_most, s->allocated, s->allocated / gpus, s->fragmented,
                  part(s->fragmented, gpus - s->allocated), scenario->result.sums.lost,
                  s->conserved ? "ok" : "broken");
    }
    return table;
}

static void pod_row(struct table *table, const struct cluster_job *job,
                    const struct cluster_scenario *scenario, uint64_t index) {
    const struct cluster_pod *asked = &job->cluster.pods.items[index];
    const struct cluster_demand *demand = &job->cluster.demands.items[asked->demand];
    const struct fleet_pod *pod = &scenario->result.fleet.pods[index];
    bool placed = pod->outcome == FLEET_PLACED;
    table_row(table, scenario->policy, scenario->placement, index,
              job->cluster.workload.apps.items[asked->app].name,
              demand->share ? demand->share / 10.0 : NAN, demand->slice ? demand->slice : "",
              asked->arrive_s, pod->placed_s, pod->left_s, pod->placed_s - asked->arrive_s,
              placed ? (double)pod->place.gpu : NAN,
              placed && demand->slice ? (double)pod->place.start : NAN,
              fleet_outcomes[pod->outcome]);
}

struct table cluster_pods_table(const struct cluster_job *job) {
    struct table table = table_start(
        "policy | placement | copy:0 | app | share %=share_pct:1 | slice | arrives "
        "s=arrive_s:6 | placed s=placed_s:6 | leaves s=left_s:6 | waits s=wait_s:6 | GPU=gpu:0 | "
        "first slice=first_slice:0 | outcome");
    for (size_t i = 0; i < job->done; i++)
        for (uint64_t p = 0; p < job->scenarios[i].result.fleet.sums.arrived; p++)
            pod_row(&table, job, &job->scenarios[i], p);
    return table;
}

struct table cluster_changes_table(const struct cluster_job *job) {
    struct table table =
        table_start("policy | placement | s=at_s:6 | GPUs in use=gpus_in_use:0 | allocated "
                    "GPUs=allocated_gpus:4 | fragmented GPUs=fragmented_gpus:4 | waiting:0");
    for (size_t i = 0; i < job->done; i++) {
        const struct cluster_scenario *scenario = &job->scenarios[i];
        const struct fleet *fleet = &scenario->result.fleet;
        for (size_t c = 0; c < fleet->changes.count; c++) {
            const struct fleet_change *change = &fleet->changes.items[c];
            table_row(&table, scenario->policy, scenario->placement, change->at_s, change->in_use,
                      change->allocated, change->fragmented, change->waiting);
        }
    }
    return table;
}

/* ---- for a reader ---- */

int cluster_print_fleet(const struct cluster_job *job, FILE *out) {
    struct table table =
        table_start("policy | placement | copies:0 | waited:0 | refused:0 | queued:0 | wait s:2 | "
                    "p99:2 | in use:2 | alloc. %:1 | fragm. %:1");
    for (size_t i = 0; i < job->done; i++) {
        const struct cluster_scenario *scenario = &job->scenarios[i];
        const struct fleet_sums *s = &scenario->result.fleet.sums;
        double gpus = job->cluster.gpu_count;
        table_row(&table, scenario->policy, scenario->placement, s->arrived, s->waited, s->refused,
                  s->waiting, s->wait_mean_s, s->wait_p99_s, s->in_use, 100 * s->allocated / gpus,
                  100 * part(s->fragmented, gpus - s->allocated));
    }
    table.bold = job->bold;
    int status = table_print(&table, out, TABLE_TEXT);
    fputs(
        "\nqueued: copies that still wait at the end; wait: from arrival to placement; in use: "
        "GPUs\n"
        "on which something stands; alloc.: part of all GPUs that is given; fragm.: part of what\n"
        "is free that is of no use to who may come.\n",
        out);
    return status;
}
