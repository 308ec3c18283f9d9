#include "policies/laius.h"

#include <math.h>
#include <string.h>

#define FULL_SHARE 1000
#define LAG_LEAST 1e-6 /* of the prediction: durations in whole picoseconds differ by less */

int64_t laius_share_of(const struct laius_state *state, int32_t quota) {
    return FULL_SHARE * (int64_t)quota / state->parts;
}

/* ---- predictions ---- */

bool laius_predict_at(struct ct_context *context, const struct ct_task *task, int32_t quota,
                      struct ct_prediction *prediction) {
    return gate_predict(context, task, laius_share_of(context->state, quota), prediction);
}

/* ---- quotas ---- */

/*
 * What the kernels from this task on take, by quota; a library call counts once. Forwarding to
 * another process is paid for by them alone (sections 6.3 and 8.5): what is intercepted and sent is
 * launches of kernels and library calls, copies stay where they are.
 */
static void predict_kernels(struct ct_context *context, const struct ct_task *task) {
    const struct laius_state *state = context->state;
    struct laius_query *query = task->job->scratch;
    const struct ct_call *call = NULL;
    memset(query->kernels_ps, 0, sizeof query->kernels_ps);
    for (; task; task = context->host->upcoming(context, task)) {
        if (!gate_is_kernel(task) || (task->call && task->call == call))
            continue;
        call = task->call;
        for (int32_t quota = 1; quota < state->parts; quota++) {
            struct ct_prediction at = {0};
            query->kernels_ps[quota] +=
                laius_predict_at(context, task, quota, &at) ? at.duration_ps : 0;
        }
    }
}

/* Time that a query takes at a quota, with what kernels in a pool cost; at the quota at which all
 * its tasks run in their own process its kernels_ps is 0. */
static double with_pool_cost(const struct ct_context *context, const struct laius_query *query,
                             int32_t quota) {
    const struct laius_options *options = context->options;
    return query->total_ps[quota] + query->kernels_ps[quota] * options->pool_cost_pct / 100.0;
}

static bool predict_query(struct ct_context *context, const struct ct_job *job) {
    const struct laius_state *state = context->state;
    struct laius_query *query = job->scratch;
    for (int32_t quota = 1; quota <= state->parts; quota++) {
        struct ct_prediction prediction = {0};
        if (!context->host->predict_job(context, job, laius_share_of(state, quota), &prediction) ||
            !gate_is_duration(prediction.duration_ps))
            return false;
        query->total_ps[quota] = prediction.duration_ps;
    }
    return true;
}

/* Eq. 3: what the target leaves, less the wait for its turn, and for that of its tasks, and what
 * its copies lost on the bus. */
static double time_left(struct ct_context *context, const struct ct_job *job) {
    const struct laius_options *options = context->options;
    const struct laius_query *query = job->scratch;
    int64_t begun = job->first_ready_ps < 0 ? context->host->now(context) : job->first_ready_ps;
    double target = (double)job->target_ps * (1.0 - options->margin);
    return target - (double)(begun - job->arrival_ps) - query->late_ps;
}

static int32_t just_enough(struct ct_context *context, const struct ct_job *job) {
    const struct laius_state *state = context->state;
    const struct laius_query *query = job->scratch;
    double left = time_left(context, job);
    int32_t quota = 1;
    while (quota < state->parts && with_pool_cost(context, query, quota) > left)
        quota++;
    return quota;
}

static void set_quota(struct ct_context *context, const struct ct_task *task,
                      const struct ct_job *job, int32_t quota, const char *key) {
    struct laius_state *state = context->state;
    struct laius_query *query = job->scratch;
    state->query_parts += quota - query->quota;
    query->quota = quota;
    context->host->note(context, task, key, (double)laius_share_of(state, quota));
}

/* The first task of a query that is ready; NULL: its host has not come to it yet. */
static const struct ct_task *first_ready(struct ct_context *context, const struct ct_job *job) {
    const struct ct_task *task = context->host->ready_next(context, NULL);
    while (task && task->job != job)
        task = context->host->ready_next(context, task);
    return task;
}

/*
 * "When a query is received" its just-enough quota is identified, and batch tasks share what
 * remains (section 4.2, steps 1 and 2; section 6.1): it is held from here on, during the input copy
 * too, whose time is predicted. A query without a target, or that no model knows, keeps the whole
 * device.
 */
static void receive_query(struct ct_context *context, const struct ct_job *job) {
    struct laius_state *state = context->state;
    struct laius_query *query = job->scratch;
    const struct ct_task *first = first_ready(context, job);
    bool known = predict_query(context, job);
    query->received = true;
    query->bounded = known && job->target_ps > 0;
    if (query->bounded && first)
        predict_kernels(context, first);
    query->original = query->bounded ? just_enough(context, job) : state->parts;
    state->unknown_queries += !known;
    state->active++;
    set_quota(context, first, job, query->original, "reserved_per_mille");
}

void laius_receive_queries(struct ct_context *context) {
    const struct ct_host *host = context->host;
    const struct ct_client *client = NULL;
    while ((client = gate_next_client(context, client))) {
        if (!gate_is_service(client))
            continue;
        for (const struct ct_job *job = host->job_next(context, client, NULL); job;
             job = host->job_next(context, client, job))
            if (job->active && !((struct laius_query *)job->scratch)->received)
                receive_query(context, job);
    }
}

/* Counts how long a query's task was held up while none of its others was under way: on a stream
 * that workers share it stands behind another query's. Behind its own it would stand alone, too. */
void laius_count_wait(struct ct_context *context, const struct ct_task *task) {
    struct laius_query *query = task->job->scratch;
    int64_t since = task->ready_ps > query->ended_ps ? task->ready_ps : query->ended_ps;
    if (task->job->tasks_issued == task->job->tasks_done)
        query->late_ps += (double)(context->host->now(context) - since);
}

void laius_decide_query(struct ct_context *context, const struct ct_task *task) {
    struct laius_state *state = context->state;
    struct laius_query *query = task->job->scratch;
    if (!query->received) /* a kernel of a query that waits for its turn: no host has one */
        receive_query(context, task->job);
    query->decided = true;
    state->decided++;
    if (query->bounded) {
        predict_kernels(context, task);
        query->original = just_enough(context, task->job);
        state->full += query->total_ps[state->parts] > time_left(context, task->job);
    }
    set_quota(context, task, task->job, query->original, CT_NOTE_QUOTA);
}

/*
 * The smallest quota that satisfies Eq. 6 for this lag; all when none does. Its left side is "the
 * reduced duration of the unexecuted tasks" (section 7), so T_now and the t_i of T_save are of one
 * quota, and of the original one, since the lag is against its t_i. None below the original
 * one: where the times of a query's kernels add up to more than the query's, since they run beside
 * each other or the host, Eq. 6 would reward fewer SMs.
 */
static int32_t quota_for_lag(struct ct_context *context, const struct laius_query *query,
                             double lag) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    int32_t now = options->lag_from == LAIUS_NOW_CURRENT ? query->quota : query->original;
    for (int32_t quota = query->original; quota < state->parts; quota++) {
        double saved_by_done = query->done_ps[query->original] - query->done_ps[quota];
        if (query->total_ps[now] - query->total_ps[quota] - saved_by_done >= lag)
            return quota;
    }
    return state->parts;
}

/*
 * A new quota is for "the unexecuted tasks of query q" (section 7), and binds at issue. With no
 * kernel left to issue, those under way keep what they were issued with, and after them copies need
 * none of the SMs: the quota is the original one.
 */
static int32_t quota_at_lag(struct ct_context *context, const struct ct_job *job, double lag) {
    const struct laius_query *query = job->scratch;
    if (job->kernels_left > 0)
        return quota_for_lag(context, query, lag);
    return query->under_way > 0 ? query->quota : query->original;
}

static void compensate(struct ct_context *context, const struct ct_task *task) {
    struct laius_state *state = context->state;
    struct laius_query *query = task->job->scratch;
    double predicted = query->done_ps[query->original], lag = query->measured_ps - predicted;
    int32_t quota = query->original;
    if (lag > predicted * LAG_LEAST)
        quota = quota_at_lag(context, task->job, lag);
    if (quota == query->quota)
        return;
    state->raised += quota > query->quota;
    state->rolled_back += quota == query->original;
    context->host->note(context, task, CT_NOTE_LAG, lag);
    set_quota(context, task, task->job, quota, CT_NOTE_QUOTA);
}

/* A kernel of a query, or a call, has ended: measured is from its issue to its end, without the
 * hand-over; of a call the sum over its kernels. */
void laius_follow_query(struct ct_context *context, const struct ct_task *task) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    struct laius_query *query = task->job->scratch;
    const struct laius_task *own = laius_own(task);
    double at[LAIUS_PARTS_MOST + 1];
    for (int32_t quota = 1; quota <= state->parts; quota++) {
        struct ct_prediction prediction = {0};
        if (!laius_predict_at(context, task, quota, &prediction))
            return; /* nothing can be said of its lag */
        at[quota] = prediction.duration_ps;
    }
    for (int32_t quota = 1; quota <= state->parts; quota++)
        query->done_ps[quota] += at[quota];
    query->measured_ps += own->measured_ps;
    if (options->compensate && query->total_ps[query->original] > 0)
        compensate(context, task);
}

void laius_follow_copy(struct ct_context *context, const struct ct_task *task) {
    struct laius_query *query = task->job->scratch;
    struct ct_prediction prediction = {0};
    const struct laius_state *state = context->state;
    if (!query->decided && laius_predict_at(context, task, state->parts, &prediction))
        query->late_ps +=
            fmax(0, (double)(task->ended_ps - task->issued_ps) - prediction.duration_ps);
}
