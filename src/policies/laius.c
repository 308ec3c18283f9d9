/*
 * laius, laius-nb, laius-nc: just-enough quotas of the SMs for queries, the rest to batch tasks by
 * a knapsack under a bandwidth limit, more for a query that lags (Laius, ICS'19, sections 5 to 7).
 *
 * Quotas are whole parts of the device, N in all. A query holds, from when it is received to its
 * end, the smallest quota at which its predicted processing time fits what its target leaves (Eq.
 * 3), else all; when its first kernel may start (its input copy is done), Eq. 3 is asked again with
 * the copy's true time. Its kernels pass at once, in the order of their stream. Whenever something
 * changed, the batch kernels that are ready share what is free (Eq. 4 and 5, laius_allocate.h):
 *
 *   N_free = N - quotas of the received queries - quotas of the batch kernels under way, at least 0
 *
 * At the end of each kernel of a query, its lag is the sum over its completed kernels of measured
 * time less the prediction t_i at its original quota. A lag above 0 moves it to the smallest quota
 * that satisfies Eq. 6; otherwise it goes back:
 *
 *   Eq. 6   T_now - T_new - sum (t_i - t_i') >= lag
 *
 * A quota binds when a kernel is issued: without one that is not issued yet there is nothing to
 * raise it for. So that it binds as late as it can, a task is issued when its stream has nothing
 * else under way: on the device it would wait there anyway.
 *
 * A library call is one task with all its kernels (section 5.2): the quota and the decision are
 * those of its first kernel that is ready, with the predictions of the whole call, and the others
 * pass. It holds its quota and bandwidth from its first kernel to its last.
 *
 * laius-nb leaves out the bandwidth limit, laius-nc the lag. docs/policies/laius.md has the
 * readings chosen where the paper is open.
 */
#include "policies/laius.h"

#include "policies/policies.h"

/* The `revision` of all policies of this file. */
enum { LAIUS_REVISION = 4 };

#define UNLIKE (UINT64_C(1) << 63) /* in the key of a worth that is one kernel's alone */
#define QUERY_PREDICTION_COST_PS INT64_C(470000000) /* 0.47 ms, section 5.3 */
#define VALUE_UNIT 1e12 /* values are whole multiples of 1e-12, below what is told apart */
#define VALUE_MOST 1e17 /* of one task; far above any IPC of a GPU */

enum { VALUE_IPC, VALUE_RELATIVE };

enum { HELD_QUOTA, HELD_BANDWIDTH, HELD_COPIES };

static const struct ct_reason reasons[] = {
    [HELD_QUOTA] = {"held_free_per_mille", "{held_free_per_mille} of the SMs were free",
                    CT_VERB_HOLD},
    [HELD_BANDWIDTH] = {"held_bandwidth_bytes_per_s",
                        "{held_bandwidth_bytes_per_s} of memory bandwidth were free", CT_VERB_HOLD},
    [HELD_COPIES] = {"held_copies", PCIE_LIMIT_HELD, CT_VERB_HOLD},
    {"issue_per_mille", "with {issue_per_mille} of the SMs", CT_VERB_ISSUE},
    {"issue_in_call_per_mille", "with {issue_in_call_per_mille} of the SMs", CT_VERB_ISSUE},
    {CT_NOTE_QUOTA, "from now on {quota_per_mille} of the SMs[, it lags by {lag_ps}]",
     CT_VERB_NOTE},
    {"rejected_value",
     "what is worth most asks for {rejected_bytes_per_s} of the memory, and "
     "{rejected_limit_bytes_per_s} are free",
     CT_VERB_NOTE},
    {"value_without_ipc", "not every candidate has an IPC, so its speed is its worth",
     CT_VERB_NOTE},
    {"quotas", "SMs are given in {quotas part|parts} of one size", CT_VERB_NOTE},
    PCIE_LIMIT_NOTE,
    {0},
};

/* ---- predictions ---- */

/* Bytes per second; unknown is 0, and nothing asks for more than there is. */
static int64_t bandwidth_of(const struct laius_state *state,
                            const struct ct_prediction *prediction) {
    double bandwidth = prediction->bandwidth_bytes_per_s;
    if (!(bandwidth > 0.0))
        return 0;
    return bandwidth < (double)state->bandwidth_most ? (int64_t)bandwidth : state->bandwidth_most;
}

/* What a task asks of the memory at a quota; a copy from or to the host nothing. */
static int64_t bandwidth_at(struct ct_context *context, const struct ct_task *task, int32_t quota) {
    struct ct_prediction prediction = {0};
    bool known = !gate_is_host_copy(task) && laius_predict_at(context, task, quota, &prediction);
    return known ? bandwidth_of(context->state, &prediction) : 0;
}

/* A quota is always worth something: a task alone on the device must run. */
static int64_t value_of(double value) {
    double units = value * VALUE_UNIT;
    return units >= 1.0 && units < VALUE_MOST ? (int64_t)units
           : units >= VALUE_MOST              ? (int64_t)VALUE_MOST
                                              : 1;
}

/* Speed against that on the whole device: IPC over solo IPC. Unknown durations count as linear in
 * the quota. */
static double relative_speed(const struct laius_state *state, double solo_ps, double duration_ps,
                             int32_t quota) {
    if (solo_ps > 0.0 && duration_ps > 0.0)
        return solo_ps / duration_ps;
    return (double)quota / state->parts;
}

/* What a batch kernel is worth by quota, both ways. */
static void make_worth(struct ct_context *context, const struct ct_task *task,
                       struct laius_worth *worth) {
    struct laius_state *state = context->state;
    struct ct_prediction solo = {0};
    worth->known = laius_predict_at(context, task, state->parts, &solo);
    worth->has_ipc = worth->known;
    worth->has_bandwidth = true;
    for (int32_t quota = 1; quota <= state->parts; quota++) {
        struct ct_prediction at = {0};
        bool known = worth->known && laius_predict_at(context, task, quota, &at);
        double speed = relative_speed(state, known ? solo.duration_ps : 0, at.duration_ps, quota);
        worth->has_ipc &= known && at.ipc >= 0.0;
        worth->has_bandwidth &= known && at.bandwidth_bytes_per_s >= 0.0;
        worth->by_speed.value[quota] = value_of(speed);
        worth->by_ipc.value[quota] = value_of(worth->has_ipc ? at.ipc : 0);
        worth->by_speed.bandwidth[quota] = worth->by_ipc.bandwidth[quota] =
            known ? bandwidth_of(state, &at) : 0;
    }
}

/* Once for a kernel, and for those like it: models do not change during a run. */
static void value_task(struct ct_context *context, const struct ct_task *task) {
    struct laius_state *state = context->state;
    struct laius_task *own = laius_own(task);
    own->worth = task->alike ? task->alike : UNLIKE | ++state->unlike;
    struct laius_worth *kept = &state->worths[own->worth % LAIUS_WORTHS];
    if (kept->key != own->worth)
        make_worth(context, task, kept);
    kept->key = own->worth;
    state->unknown_tasks += !kept->known;
    state->unknown_bandwidths += !kept->has_bandwidth;
}

/* Another kernel may have taken its place meanwhile. */
static const struct laius_worth *worth_of(struct ct_context *context, int32_t candidate) {
    struct laius_state *state = context->state;
    uint64_t key = laius_own(state->candidates[candidate])->worth;
    if (state->worths[key % LAIUS_WORTHS].key == key)
        return &state->worths[key % LAIUS_WORTHS];
    make_worth(context, state->candidates[candidate], &state->made_again[candidate]);
    return &state->made_again[candidate];
}

/* ---- hooks ---- */

static bool laius_init(struct ct_context *context) {
    const struct laius_options *options = context->options;
    struct laius_state *state = context->state;
    struct ct_device_info device = {0};
    context->host->device(context, &device);
    state->parts = (int32_t)(100.0 / options->quota_step_pct + 0.5);
    double bandwidth = device.dram_bytes_per_s * options->bandwidth_pct / 100.0;
    state->bandwidth_most = bandwidth > 0 ? (int64_t)bandwidth : 0;
    pcie_limit_init(&state->copies, &device);
    context->host->note(context, NULL, "quotas", (double)state->parts);
    context->host->note(context, NULL, "n_tr", (double)state->copies.most);
    return true;
}

static void laius_client_join(struct ct_context *context, const struct ct_client *client) {
    ((struct laius_state *)context->state)->services += gate_is_service(client);
}

static void laius_job_begin(struct ct_context *context, const struct ct_job *job) {
    ((struct laius_state *)context->state)->receives |= gate_is_service(job->client);
}

static void laius_job_end(struct ct_context *context, const struct ct_job *job) {
    struct laius_state *state = context->state;
    struct laius_query *query = job->scratch;
    state->receives |= gate_is_service(job->client); /* the next one in its queue */
    if (!query->received)
        return;
    state->query_parts -= query->quota;
    state->active--;
    ct_policy_assert(state->query_parts >= 0 && state->active >= 0);
    query->received = query->decided = false;
}

static void laius_task_ready(struct ct_context *context, const struct ct_task *task) {
    if (gate_is_kernel(task) && !gate_is_service(task->client) && !laius_own(task)->worth)
        value_task(context, task);
}

/* Takes a task, or a library call, out of the sums of what is under way. */
static void forget(struct laius_state *state, const struct ct_task *task) {
    struct laius_task *own = laius_own(task);
    own->issued = false;
    if (gate_is_host_copy(task)) {
        if (!gate_is_service(task->client))
            state->copies.under_way[task->direction]--;
        return;
    }
    state->batch_parts -= own->parts;
    *(gate_is_service(task->client) ? &state->service_bandwidth : &state->batch_bandwidth) -=
        own->bandwidth;
    ct_policy_assert(state->batch_parts >= 0 && state->batch_bandwidth >= 0 &&
                     state->service_bandwidth >= 0);
}

/* A kernel behind another one of its query waits for its own; so does one that is handed over, or
 * a node of a graph: undisturbed, they would too. */
static void laius_task_start(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    if (!gate_is_kernel(task) || !gate_is_service(task->client))
        return;
    struct laius_query *query = task->job->scratch;
    struct laius_task *own = laius_own(task);
    int64_t since = query->running++ > 0 ? task->started_ps : query->kernel_ended_ps;
    int64_t behind = since - task->issued_ps, apart = own->delay_ps + task->gap_ps;
    own->measured_ps -= (double)(behind > apart ? behind : apart);
    own->delay_ps = 0; /* the first kernel of a call paid it */
}

static void laius_task_done(struct ct_context *context, const struct ct_task *task) {
    struct laius_task *own = laius_own(task);
    struct laius_query *query = task->job->scratch;
    query->ended_ps = task->ended_ps;
    if (gate_is_kernel(task) && gate_is_service(task->client)) {
        query->running--;
        query->kernel_ended_ps = task->ended_ps;
    }
    if (own->issued) {
        struct laius_state *state = context->state;
        state->under_way -= !gate_is_host_copy(task);
        query->under_way -= gate_is_kernel(task);
        own->measured_ps += (double)(task->ended_ps - task->issued_ps);
    }
    if (!gate_own_ended(task))
        return;
    if (own->issued)
        forget(context->state, task);
    if (!gate_is_service(task->client))
        return;
    if (gate_is_host_copy(task))
        laius_follow_copy(context, task);
    else if (gate_is_kernel(task) && query->decided)
        laius_follow_query(context, task);
}

/* ---- decisions ---- */

static void hold(struct ct_context *context, const struct ct_task *task, uint32_t reason,
                 double number) {
    gate_hold(context, task, &laius_own(task)->held, reasons, reason, number);
}

/* A kernel that runs with less than its own process has is handed to another one (section 6.3). */
static int64_t pool_delay(struct ct_context *context, const struct ct_task *task, int32_t quota) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    struct ct_prediction prediction = {0};
    if (quota == state->parts || options->pool_cost_pct <= 0 ||
        !laius_predict_at(context, task, quota, &prediction))
        return 0;
    return (int64_t)(prediction.duration_ps * options->pool_cost_pct / 100.0 + 0.5);
}

static void count_issued(struct laius_state *state, const struct ct_task *task) {
    state->under_way += !gate_is_host_copy(task);
    ((struct laius_query *)task->job->scratch)->under_way += gate_is_kernel(task);
}

static void laius_issue(struct ct_context *context, const struct ct_task *task, int32_t quota,
                        int64_t bandwidth) {
    struct laius_state *state = context->state;
    struct laius_task *own = laius_own(task);
    bool kernel = gate_is_kernel(task);
    own->process = gate_is_service(task->client) ? task->job->number + 1 : task->number + 1;
    struct ct_grant grant = {.share = laius_share_of(state, quota), .process = own->process};
    if (kernel)
        grant.delay_ps = pool_delay(context, task, quota);
    if (!context->host->issue(context, task, &grant))
        return;
    own->issued = true;
    own->quota = quota;
    own->parts = kernel && !gate_is_service(task->client) ? quota : 0;
    own->bandwidth = bandwidth;
    own->delay_ps = grant.delay_ps;
    count_issued(state, task);
    if (gate_is_host_copy(task)) {
        state->copies.under_way[task->direction] += !gate_is_service(task->client);
        return;
    }
    state->batch_parts += own->parts;
    *(gate_is_service(task->client) ? &state->service_bandwidth : &state->batch_bandwidth) +=
        bandwidth;
    if (kernel)
        context->host->note(context, task, "issue_per_mille", (double)grant.share);
}

/* A kernel of a call that was issued: the call was decided about, and is accounted for. */
static void issue_rest_of_call(struct ct_context *context, const struct ct_task *task) {
    struct laius_state *state = context->state;
    struct ct_grant grant = {.share = laius_share_of(state, laius_own(task)->quota),
                             .process = laius_own(task)->process};
    if (!context->host->issue(context, task, &grant))
        return;
    count_issued(state, task);
    context->host->note(context, task, "issue_in_call_per_mille", (double)grant.share);
}

/* Any task of a service: at once; kernels with the quota of their query. */
static void issue_service(struct ct_context *context, const struct ct_task *task) {
    const struct laius_state *state = context->state;
    const struct laius_query *query = task->job->scratch;
    if (!query->decided)
        laius_count_wait(context, task);
    if (gate_is_kernel(task) && !query->decided)
        laius_decide_query(context, task);
    int32_t quota = gate_is_kernel(task) ? query->quota : state->parts;
    laius_issue(context, task, quota, bandwidth_at(context, task, quota));
}

/* With nothing under way, quotas and bandwidth can only be held by calls between two of their
 * kernels, and what is held back may be what they wait for: they count for nothing then. */

/* What Eq. 4 leaves to batch tasks in bytes per second; negative: what is under way asks for more
 * than there is, and nothing may be added. */
static int64_t free_bandwidth(const struct ct_context *context) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    if (!options->bandwidth)
        return INT64_MAX;
    if (state->under_way == 0)
        return state->bandwidth_most;
    return state->bandwidth_most - state->service_bandwidth - state->batch_bandwidth;
}

static void decide_copy(struct ct_context *context, const struct ct_task *task) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    if (options->pcie && pcie_limit_full(&state->copies, task->direction))
        hold(context, task, HELD_COPIES, (double)state->copies.under_way[task->direction]);
    else
        laius_issue(context, task, state->parts, 0);
}

/* A memset or a copy inside the device needs no SMs to speak of, but bandwidth. */
static void decide_move(struct ct_context *context, const struct ct_task *task) {
    const struct laius_state *state = context->state;
    int64_t bandwidth = bandwidth_at(context, task, state->parts);
    if (bandwidth > free_bandwidth(context) && state->under_way > 0)
        hold(context, task, HELD_BANDWIDTH, (double)free_bandwidth(context));
    else
        laius_issue(context, task, state->parts, bandwidth);
}

/* N_free. `idle_cap` keeps room for queries to come: without a service there are none. */
static int32_t free_parts(const struct ct_context *context) {
    const struct laius_options *options = context->options;
    const struct laius_state *state = context->state;
    int32_t parts = state->parts - state->query_parts;
    if (state->active == 0 && state->services > 0) {
        parts = (int32_t)(state->parts * options->idle_cap / 100.0 + 1e-9);
        parts = parts > 0 ? parts : 1;
    }
    parts -= state->under_way > 0 ? state->batch_parts : 0;
    return parts > 0 ? parts : 0;
}

/* One kernel per library call may compete. */
static bool competes(const struct laius_state *state, int32_t count, const struct ct_task *task) {
    for (int32_t i = 0; i < count; i++)
        if (laius_own(state->candidates[i]) == laius_own(task))
            return false;
    return count < LAIUS_TASKS_MOST;
}

/* IPC where every candidate has one; speed otherwise, since the two cannot be added up. */
static bool use_ipc(struct ct_context *context, int32_t count) {
    const struct laius_options *options = context->options;
    struct laius_state *state = context->state;
    bool ipc = options->value == VALUE_IPC;
    for (int32_t i = 0; i < count && ipc; i++)
        ipc = state->offers[i]->has_ipc;
    if (!ipc && options->value == VALUE_IPC && state->relative == 0)
        context->host->note(context, NULL, "value_without_ipc", 1);
    state->relative += !ipc;
    return ipc;
}

static void solve(struct ct_context *context, int32_t count, int32_t parts) {
    struct laius_state *state = context->state;
    struct laius_knapsack *knapsack = &state->knapsack;
    for (int32_t i = 0; i < count; i++)
        state->offers[i] = worth_of(context, i);
    bool ipc = use_ipc(context, count);
    for (int32_t i = 0; i < count; i++)
        knapsack->items[i] = ipc ? &state->offers[i]->by_ipc : &state->offers[i]->by_speed;
    knapsack->count = count;
    knapsack->capacity = parts;
    knapsack->same_bandwidth = state->bandwidth_most / LAIUS_EQUAL_PARTS;
    knapsack->bandwidth_limit = free_bandwidth(context);
    laius_allocate(knapsack);
    state->allocations++;
    state->rejected += knapsack->rejected;
    state->cut_short += knapsack->cut_short;
    if (knapsack->first.bandwidth <= knapsack->bandwidth_limit)
        return;
    state->invalidated++;
    const struct ct_host *host = context->host;
    host->note(context, NULL, "rejected_value", (double)knapsack->first.value / VALUE_UNIT);
    host->note(context, NULL, "rejected_bytes_per_s", (double)knapsack->first.bandwidth);
    host->note(context, NULL, "rejected_limit_bytes_per_s", (double)knapsack->bandwidth_limit);
    host->note(context, NULL, "rejected_allocations", (double)knapsack->rejected);
}

static void allocate(struct ct_context *context, int32_t count) {
    struct laius_state *state = context->state;
    int32_t parts = free_parts(context);
    int64_t bandwidth = free_bandwidth(context);
    bool any = parts > 0 && bandwidth >= 0; /* else nobody gets anything */
    if (any && count > 0)
        solve(context, count, parts);
    for (int32_t i = 0; i < count; i++) {
        const struct ct_task *task = state->candidates[i];
        int32_t quota = any ? state->knapsack.best.quota[i] : 0;
        if (parts > 0 && bandwidth < 0)
            hold(context, task, HELD_BANDWIDTH, (double)bandwidth);
        else if (quota > 0)
            laius_issue(context, task, quota, state->offers[i]->by_speed.bandwidth[quota]);
        else
            hold(context, task, HELD_QUOTA, (double)laius_share_of(state, parts));
    }
}

static void laius_decide(struct ct_context *context, uint32_t why) {
    const struct ct_host *host = context->host;
    struct laius_state *state = context->state;
    int32_t count = 0;
    (void)why;
    if (state->receives)
        laius_receive_queries(context);
    state->receives = false;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        if (host->tasks_ahead(context, task) > 0)
            continue;
        if (task->call && laius_own(task)->issued)
            issue_rest_of_call(context, task);
        else if (gate_is_service(task->client))
            issue_service(context, task);
        else if (gate_is_host_copy(task))
            decide_copy(context, task);
        else if (!gate_is_kernel(task))
            decide_move(context, task);
        else if (competes(state, count, task))
            state->candidates[count++] = task;
    }
    allocate(context, count);
}

/* A kernel with the smallest quota, even where none is free. */
static void laius_force(struct ct_context *context, const struct ct_task *task) {
    const struct laius_state *state = context->state;
    int32_t quota = gate_is_kernel(task) ? 1 : state->parts;
    laius_issue(context, task, quota, bandwidth_at(context, task, quota));
}

static void laius_report(struct ct_context *context) {
    const struct laius_state *state = context->state;
    const struct ct_host *host = context->host;
    host->print(context, "queries_decided", (double)state->decided);
    host->print(context, "queries_without_enough", (double)state->full);
    host->print(context, "quotas_raised", (double)state->raised);
    host->print(context, "quotas_rolled_back", (double)state->rolled_back);
    host->print(context, "allocations", (double)state->allocations);
    host->print(context, "allocations_invalidated", (double)state->invalidated);
    host->print(context, "candidates_rejected", (double)state->rejected);
    host->print(context, "searches_cut_short", (double)state->cut_short);
    host->print(context, "allocations_by_relative_speed", (double)state->relative);
    host->print(context, "unknown_queries", (double)state->unknown_queries);
    host->print(context, "unknown_predictions", (double)state->unknown_tasks);
    host->print(context, "unknown_bandwidths", (double)state->unknown_bandwidths);
}

static void laius_dump(struct ct_context *context) {
    const struct laius_state *state = context->state;
    const struct ct_host *host = context->host;
    host->print(context, "active_queries", (double)state->active);
    host->print(context, "query_per_mille", (double)laius_share_of(state, state->query_parts));
    host->print(context, "batch_per_mille", (double)laius_share_of(state, state->batch_parts));
    host->print(context, "service_bytes_per_s", (double)state->service_bandwidth);
    host->print(context, "batch_bytes_per_s", (double)state->batch_bandwidth);
}

/* ---- variants ---- */

static const char *const value_choices[] = {"ipc", "relative", NULL};
static const char *const lag_choices[] = {"current", "original", NULL};

#define MEMBER(name) offsetof(struct laius_options, name)

/* The one option table; the variants differ in two defaults. */
/* clang-format off */
#define LAIUS_OPTIONS(bandwidth_, compensate_)                                                     \
    {                                                                                              \
        {"bandwidth", CT_OPTION_BOOL, MEMBER(bandwidth), "", 0, 1, bandwidth_, NULL,               \
         "keep the predicted bandwidth of all within that of the memory (Eq. 4)"},                 \
        {"compensate", CT_OPTION_BOOL, MEMBER(compensate), "", 0, 1, compensate_, NULL,            \
         "raise the quota of a query that lags (Eq. 6)"},                                          \
        {"bandwidth_pct", CT_OPTION_DOUBLE, MEMBER(bandwidth_pct), "%", 1, 100, "100", NULL,       \
         "BW of Eq. 4, of the memory's peak (sections 8.1 and 8.3: the peak)"},                    \
        {"pcie", CT_OPTION_BOOL, MEMBER(pcie), "", 0, 1, "true", NULL,                             \
         "limit batch copies as Baymax does (its Eq. 5)"},                                         \
        {"value", CT_OPTION_CHOICE, MEMBER(value), "", 0, 0, "ipc", value_choices,                 \
         "what allocation maximises: IPC (Eq. 5), or IPC over solo IPC; without recorded "         \
         "instructions always the second"},                                                        \
        {"lag_from", CT_OPTION_CHOICE, MEMBER(lag_from), "", 0, 0, "original", lag_choices,        \
         "T_now of Eq. 6: at the original quota, as its t_i, or at that of the moment"},           \
        {"idle_cap", CT_OPTION_DOUBLE, MEMBER(idle_cap), "%", 1, 100, "100", NULL,                 \
         "what batch kernels share while no query is active, in a run with services"},                                     \
        {"margin", CT_OPTION_DOUBLE, MEMBER(margin), "", 0, 0.9, "0", NULL,                        \
         "part of every target that is not used"},                                                 \
        {"quota_step_pct", CT_OPTION_DOUBLE, MEMBER(quota_step_pct), "%", 5, 100, "10", NULL,      \
         "size of a quota, the smallest that anything gets; the nearest that divides 100 %"},      \
        {"pool_cost_pct", CT_OPTION_DOUBLE, MEMBER(pool_cost_pct), "%", 0, 100, "4", NULL,         \
         "what a kernel pays to run in a process of another quota, of its predicted time "         \
         "(section 8.5)"},                                                                         \
        {0},                                                                                       \
    }
/* clang-format on */

static const struct ct_option laius_options[] = LAIUS_OPTIONS("true", "true");
static const struct ct_option laius_nb_options[] = LAIUS_OPTIONS("false", "true");
static const struct ct_option laius_nc_options[] = LAIUS_OPTIONS("true", "false");

#define LAIUS_POLICY(name_, summary_, source_, features_, options_)                                \
    {                                                                                              \
        .abi = CT_POLICY_ABI, .size = sizeof(struct ct_policy), .name = name_,                     \
        .summary = summary_, .source = source_,                                                    \
        .features = CT_KNOWS_TARGETS | CT_PREDICTS | CT_REORDERS | CT_BINDS_SHARES |               \
                    CT_MANAGES_PCIE | (features_),                                                 \
        .sharing = CT_SHARING_MPS, .revision = LAIUS_REVISION, .options = options_,                \
        .options_size = sizeof(struct laius_options), .state_size = sizeof(struct laius_state),    \
        .job_size = sizeof(struct laius_query), .task_size = sizeof(struct laius_task),            \
        .init = laius_init, .client_join = laius_client_join, .job_begin = laius_job_begin,        \
        .job_end = laius_job_end, .task_ready = laius_task_ready, .task_start = laius_task_start,  \
        .task_done = laius_task_done, .rank = gate_rank, .decide = laius_decide,                   \
        .force = laius_force, .report = laius_report, .dump = laius_dump,                          \
        .query_prediction_cost_ps = QUERY_PREDICTION_COST_PS, .profile_step_pct = 10,              \
        .predictor = CT_PREDICTOR_TREE, .call_size = sizeof(struct laius_task),                    \
        .reasons = reasons,                                                                        \
    }

const struct ct_policy policy_laius =
    LAIUS_POLICY("laius", "just-enough SMs for queries, the rest by knapsack within the bandwidth",
                 "Laius (ICS'19) sections 5 to 7", CT_STEERS_BANDWIDTH, laius_options);

const struct ct_policy policy_laius_nb =
    LAIUS_POLICY("laius-nb", "laius without the bandwidth limit",
                 "Laius (ICS'19) section 8.3, Fig. 15", 0, laius_nb_options);

const struct ct_policy policy_laius_nc =
    LAIUS_POLICY("laius-nc", "laius without compensation of lag",
                 "Laius (ICS'19) section 8.4, Fig. 15", CT_STEERS_BANDWIDTH, laius_nc_options);
