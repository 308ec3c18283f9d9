/* The rows of a paper whose measure is of no mix: the memory, the host link, predictors on recorded
 * durations, a cluster. */
#ifndef PAPER_SOURCE_H
#define PAPER_SOURCE_H

#include "apps/paper/paper_file.h"
#include "apps/paper/paper_memory.h"
#include "study/cluster.h"

/* One run of a cluster, which gives several rows. */
struct paper_cluster_run {
    const struct paper_row *row;
    struct cluster_sums sums;
    double *over; /* p99 over target of each co-location's services; NAN: without a target */
    double *busy; /* part of the time with batch work, of each GPU */
    size_t over_count, busy_count;
    struct paper_cluster_run *next;
};

struct paper_sources {
    uint64_t seed;
    uint32_t threads;
    double cluster_s;                   /* simulated time of a cluster's GPUs; 0: its file's */
    struct ct_listener listener;        /* may interrupt */
    struct ct_arena arena;              /* of what is kept from row to row */
    struct paper_cluster_run *clusters; /* in the order of the rows */
    struct paper_training training;     /* of the memory's rows */
};

/* enum ct_status: CT_DATA where a recording or a cluster file is missing or unsound. */
int paper_source(struct paper_sources *sources, const struct paper_row *row, double *value,
                 struct ct_diags *diags);
void paper_sources_free(struct paper_sources *sources);

/* Bytes per second of one copy after the other beside `others` that never end, as MB/s, on the
 * preset's link in one direction. enum ct_status. */
int paper_copy_rate(const struct paper_copy *copy, double *mb_s, struct ct_diags *diags);

#endif
