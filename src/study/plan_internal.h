/* What the parts of plan share. */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "results/result_store.h"
#include "study/plan.h"

/* The workload at a load, kernels `scale` times as long; its own array of applications is in the
 * arena. False when memory ran out. */
bool plan_workload(const struct plan *plan, double load, double scale, struct workload *workload,
                   struct ct_arena *arena);

/* Why `np_target` is not judged. */
extern const char plan_why_unjudged[];

/* What a point may cost. */
struct plan_effort {
    uint32_t most; /* replications */
    double events; /* of its looks in all, but the first is made in any case */
    /* > 0: events and time (by the plan's seconds_now) at which a look is ended; what its
     * replications have shown until then counts. */
    double most_events, until_s;
    bool strict; /* judged as docs/capacity-planning.md says: "holds" asks for twice the jobs, and
                    what lies at its target is left there */
    bool longer; /* replications may be longer than the workload's */
    /* What batch applications do without services: none yet is found out beside the first look.
     * NULL: nobody asks. */
    struct plan_batch_only *batch_only;
};

/* Work by replication of a first look, which is the same at every load. */
struct plan_batch_only {
    CT_VEC(double) ps;
};

/* Looks at a point until it is decided, or the effort spent; `cut` where a look was ended, before
 * its first replication was over if the point has none. Strings live in `arena`. enum ct_status. */
int plan_point_run(const struct plan *plan, const struct experiment_policy *policy, double load,
                   double scale, const struct plan_effort *effort, struct plan_point *point,
                   struct ct_arena *arena, struct ct_diags *diags);

/* Whether it keeps the targets by its estimate, whatever its bounds. */
bool plan_may_hold(const struct plan_point *point);

/* Why a load misses, by the blame of the first replications; none is known where `until_s` comes
 * first. enum ct_status. */
int plan_cause_find(const struct plan *plan, const struct experiment_policy *policy,
                    const struct plan_point *point, double scale, double until_s,
                    struct plan_cause *cause, struct ct_arena *arena, struct ct_diags *diags);

/* Finds a service whose target no load of the plan keeps, since most of its jobs take longer alone
 * on an idle GPU, and says so as `cause`; its service is NULL where that is not certain: of a list
 * of GPUs, and where a job may be faster under load (in batches; of fewer blocks at block
 * fidelity). enum ct_status. */
int plan_rule_out(const struct plan *plan, struct plan_cause *cause, struct ct_diags *diags);

/* Adds what the answers lean on. enum ct_status. */
int plan_envelope(const struct plan *plan, struct plan_result *result, struct ct_diags *diags);

/* A target of a service, and what the replications of a point have shown of it. */
struct plan_target {
    uint32_t app;
    enum result_time of;
    const char *name; /* the service's */
    double ms;
    CT_VEC(double) times_ms; /* of counted jobs, replication by replication */
    CT_VEC(size_t) lengths;
    CT_VEC(double) late, jobs;        /* by replication */
    CT_VEC(double) dropped, requests; /* the same, of a pipeline up to a server */
    uint32_t overloaded;              /* replications */
    uint32_t cut;    /* of these, in which jobs that had not ended may yet keep it */
    double told_sum; /* of the p99 over the target, as the reports have it */
    uint32_t told;   /* how many have it */
};

struct plan_tally {
    const struct workload *workload;
    struct plan_target *targets;
    uint32_t target_count, replications;
    double requests, utilisation; /* sums */
    double events;
    const char *broken; /* as in struct plan_point */
};

/* A tally of no replication of the workload, which outlives it, yet; false when memory ran out.
 * Free in every case. */
bool plan_tally_make(struct plan_tally *tally, const struct workload *workload);
void plan_tally_free(struct plan_tally *tally);

/* Adds a replication, run with its times told. False when memory ran out. */
bool plan_tally_add(struct plan_tally *tally, const struct result_run *run);

/* The ratio of two sums over replications, each bound at `level`. */
struct plan_ratio plan_ratio(const double *parts, const double *wholes, size_t count, double level);

/* The verdict on the target that decides, each bound of its p99 one-sided at `level`. False when
 * memory ran out. */
bool plan_tally_judge(const struct plan_tally *tally, double level, struct plan_point *point);

#endif
