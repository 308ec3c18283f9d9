/* The tables of `cotenant cluster`. */
#ifndef CLUSTER_PRINT_H
#define CLUSTER_PRINT_H

#include "format/table.h"
#include "study/cluster_job.h"

enum cluster_table {
    CLUSTER_SUMMARY,
    CLUSTER_COLOCATIONS,
    CLUSTER_GPUS,
    CLUSTER_PROFILES,
    CLUSTER_SHARES,
    CLUSTER_FLEET,
    CLUSTER_PODS,
    CLUSTER_CHANGES
};
extern const char *const cluster_tables[]; /* their names, then NULL */

/* Whether the cluster has what the table is about: `shares` only where applications ask for them
 * and stay, `fleet`, `copies` and `changes` where they come and go; no other ones where GPUs were
 * not simulated. */
bool cluster_has_table(const struct cluster_job *job, enum cluster_table which);

/* One table. CT_OK, or CT_DATA when memory ran out. */
int cluster_print_table(const struct cluster_job *job, enum cluster_table which, FILE *out,
                        enum table_format format);

/* What a job has done: the sums and the worst co-locations for a reader, all tables that it has in
 * one JSON object, or one table, the summary. CT_OK, or CT_DATA when memory ran out. */
int cluster_print(const struct cluster_job *job, enum table_format format, FILE *out);

#endif
