/*
 * Laius (ICS'19): what the files of the policy share.
 *
 *   laius.c           hooks, decisions and options of laius, laius-nb and laius-nc
 *   laius_query.c     Eq. 3 and 6: the quota of a query, from when it is received to its end
 *   laius_allocate.c  Eq. 4 and 5: how batch tasks share what queries leave
 */
#ifndef LAIUS_H
#define LAIUS_H

#include "policies/gate.h"
#include "policies/laius_allocate.h"

/* Kinds of kernels whose worth is remembered: more share a place, which only costs time. */
enum { LAIUS_WORTHS = 256 };
enum { LAIUS_NOW_CURRENT, LAIUS_NOW_ORIGINAL };

struct laius_options {
    bool bandwidth, compensate, pcie;
    int32_t value, lag_from;
    double bandwidth_pct, idle_cap, margin, quota_step_pct, pool_cost_pct;
};

/* Scratch of a job; of queries only. */
struct laius_query {
    bool received; /* holds a quota */
    bool bounded;  /* has a target, and models know it */
    bool decided;  /* its input copy is done: T_pcie is known */
    int32_t original, quota;
    int64_t ended_ps;                        /* the last of its tasks that ended */
    double late_ps;                          /* what its first kernel comes later than predicted */
    double total_ps[LAIUS_PARTS_MOST + 1];   /* predicted for the whole query, by quota */
    double kernels_ps[LAIUS_PARTS_MOST + 1]; /* of that its kernels, which pay the pool's cost */
    double done_ps[LAIUS_PARTS_MOST + 1];    /* sum of t_i over its completed kernels, by quota */
    double measured_ps;                      /* of the same */
    int32_t under_way, running;              /* kernels: issued and unfinished; on the device */
    int64_t kernel_ended_ps;                 /* the last that ended */
};

/* What a batch kernel, or call, is worth by quota. */
struct laius_worth {
    uint64_t key; /* of kernels that are worth the same; 0: nothing */
    bool known, has_ipc, has_bandwidth;
    struct laius_item by_speed, by_ipc;
};

/* Scratch of a task and of a library call; a kernel of a call has that of the call. */
struct laius_task {
    bool issued;
    int32_t quota; /* bound at issue */
    int32_t parts; /* the same, of batch kernels; 0: of a query's, whose quota is counted */
    int32_t held;  /* number of the reason that held it last, + 1; 0: none yet */
    int64_t bandwidth, delay_ps;
    uint64_t process;   /* of its client, whose kernels hold the quota together */
    double measured_ps; /* of its kernels that ended, from issue to end, but for their own waits */
    uint64_t worth;     /* of batch kernels: the key of what they are worth; 0: not asked yet */
};

struct laius_state {
    int32_t parts;          /* N */
    int64_t bandwidth_most; /* BW */
    struct pcie_limit copies;
    bool receives;                              /* a query may have been taken up */
    int32_t services;                           /* instances in the run */
    int32_t active;                             /* queries with a quota */
    int32_t query_parts;                        /* sum of their quotas */
    int32_t batch_parts;                        /* sum over the batch kernels under way */
    int64_t service_bandwidth, batch_bandwidth; /* predicted, of what is under way */
    int32_t under_way; /* kernels, memsets and copies inside the device, issued and unfinished */
    const struct ct_task *candidates[LAIUS_TASKS_MOST];
    const struct laius_worth *offers[LAIUS_TASKS_MOST]; /* what each candidate is worth */
    struct laius_knapsack knapsack;
    struct laius_worth worths[LAIUS_WORTHS], made_again[LAIUS_TASKS_MOST];
    uint64_t unlike, decided, full, raised, rolled_back, allocations, rejected, invalidated,
        cut_short, relative, unknown_queries, unknown_tasks, unknown_bandwidths;
};

/* What is decided about. */
static inline struct laius_task *laius_own(const struct ct_task *task) {
    return gate_own(task);
}

/* The share of the SMs that a quota is, per mille. */
int64_t laius_share_of(const struct laius_state *state, int32_t quota);

/* The predicted duration of a task at a quota; of its whole library call where it has one. */
bool laius_predict_at(struct ct_context *context, const struct ct_task *task, int32_t quota,
                      struct ct_prediction *prediction);

/* A query is received when its service takes it up; before that it waits for an earlier one. */
void laius_receive_queries(struct ct_context *context);

/* A task of a query that has no quota for its kernels yet is issued: what it waited for others. */
void laius_count_wait(struct ct_context *context, const struct ct_task *task);

/* The first kernel may start: T_pcie is known (section 6.1), and Eq. 3 is asked again. */
void laius_decide_query(struct ct_context *context, const struct ct_task *task);

/* A kernel of a query, or a call, has ended: its lag, and the quota that follows (Eq. 6). */
void laius_follow_query(struct ct_context *context, const struct ct_task *task);

/* A copy of a query has ended. */
void laius_follow_copy(struct ct_context *context, const struct ct_task *task);

#endif
