/* A cluster file under several placements and policies: opened, run one after the other, closed. */
#ifndef CLUSTER_JOB_H
#define CLUSTER_JOB_H

#include "experiment/scenario.h"
#include "format/table.h"
#include "study/cluster.h"

/* What is asked for. Texts are the caller's, and outlive the job. */
struct cluster_request {
    const char *path;
    const char *const *assignments; /* KEY=VALUE */
    size_t assignment_count;
    const char *policies;       /* as in struct scenario_request */
    const char *placements;     /* names separated by commas; NULL: the file's */
    int64_t seed, reps;         /* SCENARIO_OWN: the file's */
    int balancer;               /* enum cluster_balancer; SCENARIO_OWN: the file's */
    struct policy_watch *watch; /* NULL: nobody watches */
    bool place_only;            /* no GPU is simulated */
    bool trusts_files;          /* as in struct scenario_request */
};

/* One policy with one placement. */
struct cluster_scenario {
    const char *policy, *placement;
    struct cluster_result result;
};

struct cluster_job {
    struct cluster_request request;
    struct cluster cluster;
    struct scenario policies;     /* the policies alone */
    struct cluster_params params; /* of all scenarios; the caller adds threads and who listens */
    CT_VEC(int32_t) placements;   /* enum cluster_placement */
    struct cluster_scenario *scenarios;
    size_t count, done;   /* of them; the policies are the fastest */
    const char *settings; /* which --set change nothing, as a sentence; NULL: nothing to say */
    bool bold;            /* the titles of its tables, by escape sequences: the caller's */
    struct ct_arena arena;
};

/* Reads everything and checks that it can run. enum ct_status; close in every case. */
int cluster_job_open(struct cluster_job *job, const struct cluster_request *request,
                     struct ct_diags *diags);
void cluster_job_close(struct cluster_job *job);

/* Looks at what the scenarios would run on each GPU, without running it. enum ct_status. */
int cluster_job_check_places(const struct cluster_job *job, struct ct_diags *diags);

/* How many runs `params.listener` will be told of. enum ct_status. */
int cluster_job_run_count(const struct cluster_job *job, uint64_t *count, struct ct_diags *diags);

/* Runs the scenarios, then asks about the settings. enum ct_status; CT_INTERRUPTED with those that
 * are done. */
int cluster_job_run(struct cluster_job *job, struct ct_diags *diags);

/* What one scenario is run with. */
struct cluster_params cluster_job_params(const struct cluster_job *job, size_t scenario);

/* ---- cluster_print.c ---- */

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
