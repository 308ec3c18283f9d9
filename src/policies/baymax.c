/*
 * baymax, baymax-nc, baymax-np, baymax-plus: task re-ordering by QoS headroom (Baymax, ASPLOS'16,
 * sections 3 to 6).
 *
 * Every kernel and copy waits in the ready pool with its predicted duration. User-facing tasks pass
 * in the order of submission. A batch kernel passes only if its prediction t fits the headroom T_hr
 * of every active query, which then falls by t (section 5.2.2; equality passes). Of query Q, with
 * T_q the predictions of all issued and unfinished kernels, and t_i the remaining time of the n
 * queries active before it:
 *
 *   Eq. 3   T_hr = T_tgt - T_q - T_self - sum t_i
 *           when its first task is submitted: from then on it is active
 *   Eq. 4   T_hr = (T_tgt - T_used) - T_q - (T_self - sum_1^i T_j) - sum t_i
 *           right after its kernel k_i is issued
 *
 * A later query's kernel is never held, but lowers the headroom of earlier queries when it is
 * issued (section 5.3). No kernel is issued while T_q exceeds the smallest target (section 5.2.1).
 * At most N_tr batch copies are active per direction (Eq. 5): each is issued when it can start, all
 * before it in its stream having ended. A pinned one must fit the headroom like a kernel, and what
 * it took stays taken while it is under way (section 6.2).
 *
 * The predictor hears of tasks that ended (section 3), by default of those that ran alone: what it
 * predicts are times alone (sections 4.2 and 5.3).
 *
 * baymax-nc leaves out Eq. 4, baymax-np leaves out the management of PCIe. baymax-plus is not the
 * paper's: to the letter the rules miss targets under open arrivals, and its repairs are the
 * options `headroom`, `remaining`, `entry` and `margin`, each of which may be set in every variant.
 * docs/policies/baymax.md has the readings chosen where the paper is open.
 *
 * A task is a kernel, a copy, or a library call with all its kernels (section 4.1): the decision
 * falls at the first kernel that is ready, with the prediction of the whole call, and the others
 * pass. It is issued with its first kernel and ended with its last. Memsets and copies inside the
 * device use no PCIe; they are treated as kernels.
 */
#include "policies/baymax_reasons.h"
#include "policies/gate.h"
#include "policies/policies.h"

/* Headroom when no query limits it: more than any sum of durations. */
#define UNLIMITED (INT64_MAX / 4)
#define FULL_SHARE 1000
#define PREDICTION_COST_PS INT64_C(50000000) /* below 0.05 ms each, section 4.3 */

enum { HEADROOM_FIRST_TASK, HEADROOM_FIRST_KERNEL, HEADROOM_ARRIVAL };
enum { REMAINING_KERNELS, REMAINING_WHOLE };
enum { TQ_TARGET, TQ_TARGET_MINUS_SELF };
enum { FEEDBACK_SOLO, FEEDBACK_SHARED, FEEDBACK_OFF };

/* What slows each other: kernels, copies in, copies out. */
enum { RESOURCE_KERNELS, RESOURCE_COPIES_IN, RESOURCE_COPIES_OUT, RESOURCES };

struct baymax_options {
    bool refill, pcie, entry;
    int32_t headroom, remaining, tq_limit, feedback;
    double margin;
};

/* Scratch of a client. */
struct baymax_client {
    int64_t target;    /* T_tgt, the smallest of its queries so far; 0: none, or it has left */
    int64_t self_most; /* largest T_self of its queries so far */
};

/* Scratch of a job. Queries of services are in a list, in the order in which their headroom began
 * to count; of other jobs only `running` is in use. */
struct baymax_query {
    const struct ct_job *job;
    struct baymax_query *earlier, *later;
    bool listed, begun;
    uint64_t number;      /* 1, 2, 3 ... in the order of the list */
    int64_t copying;      /* pinned batch copies under way, issued since it is active */
    int64_t target;       /* T_tgt less the margin; 0: none */
    int64_t self;         /* T_self */
    int64_t start_ps;     /* from when T_used counts */
    int64_t issued, done; /* predictions of its kernels that were issued, and that ended */
    int64_t copied;       /* predictions of its copies that ended */
    int64_t idle;         /* time between its tasks, when the host held it up */
    int64_t idle_since;
    uint32_t outstanding; /* tasks submitted and not ended */
    bool paused;          /* it had tasks, and has none now */
    /* Headroom + `charged` of the state: a batch kernel lowers all with one addition. */
    int64_t base;
    uint32_t running[RESOURCES];
};

/* Scratch of a task and of a library call; a kernel of a call has that of the call. */
struct baymax_task {
    int64_t predicted;
    bool asked, known, issued;
    bool running, shared; /* shared: beside another job's, at least in part */
    uint64_t launched;    /* of a pinned copy: queries when it was issued */
    bool alone;           /* issued by the exception for kernels that are too long or unknown */
    int32_t held;         /* what held it last, + 1; 0: nothing yet */
};

struct baymax_state {
    struct baymax_query *first, *last;
    int64_t charged;      /* t of all batch kernels issued so far */
    int64_t queued;       /* T_q */
    int64_t least_target; /* smallest T_tgt, UNLIMITED without a target */
    int64_t least_slack;  /* smallest T_tgt - largest T_self of its service */
    struct pcie_limit copies;
    struct {
        uint32_t jobs;    /* with running tasks */
        int64_t since_ps; /* two of them, if there are */
        int64_t until_ps; /* there were two of them last; -1: never */
    } resources[RESOURCES];
    uint32_t queries;   /* user-facing, arrived and unfinished */
    uint32_t under_way; /* kernels and copies, issued and unfinished */
    uint32_t alone;     /* kernels under way that were issued by exception */
    uint64_t launched, negative, held, refills, unknown, too_long, over_tq;
};

static int64_t at_least_zero(int64_t value) {
    return value > 0 ? value : 0;
}

static bool is_kernel(const struct ct_task *task) {
    return !gate_is_host_copy(task);
}

/* What is decided about. */
static struct baymax_task *own_of(const struct ct_task *task) {
    return gate_own(task);
}

/* What of a target is aimed at. */
static int64_t aim(const struct ct_context *context, int64_t target_ps) {
    const struct baymax_options *options = context->options;
    return (int64_t)((double)target_ps * (1.0 - options->margin) + 0.5);
}

static int64_t duration_of(const struct ct_prediction *prediction) {
    return (int64_t)(prediction->duration_ps + 0.5);
}

/* ---- headroom ---- */

/* How long the host has kept a query without tasks by now. */
static int64_t pause_of(struct ct_context *context, const struct baymax_query *query) {
    return query->paused ? context->host->now(context) - query->idle_since : 0;
}

/* What a query still needs of the GPU, as seen by itself: kernels issued are in T_q and no longer
 * here (Eq. 4). */
static int64_t own_remaining(struct ct_context *context, const struct baymax_query *query) {
    const struct baymax_options *options = context->options;
    int64_t passed = query->issued;
    if (options->remaining == REMAINING_WHOLE)
        passed += query->copied + query->idle + pause_of(context, query);
    return at_least_zero(query->self - passed);
}

/* t_i: the same as seen by others, less completed kernels only, to the letter of section 5.2.3. */
static int64_t other_remaining(struct ct_context *context, const struct baymax_query *query) {
    const struct baymax_options *options = context->options;
    if (options->remaining == REMAINING_WHOLE)
        return own_remaining(context, query);
    return at_least_zero(query->self - query->done);
}

/* Sum of t_i over the queries before this one. */
static int64_t remaining_before(struct ct_context *context, const struct baymax_query *query) {
    int64_t sum = 0;
    for (const struct baymax_query *q = query->earlier; q; q = q->earlier)
        sum += other_remaining(context, q);
    return sum;
}

/* Eq. 4, and Eq. 3 when nothing is used and nothing of its own is issued; `before` is the sum of
 * t_i. */
static void set_headroom(struct ct_context *context, struct baymax_query *query, int64_t before) {
    struct baymax_state *state = context->state;
    int64_t used = context->host->now(context) - query->start_ps;
    int64_t own = own_remaining(context, query);
    query->base =
        state->charged + query->target - used - state->queued - query->copying - own - before;
}

static int64_t headroom_of(const struct baymax_state *state, const struct baymax_query *query) {
    return query->target > 0 ? query->base - state->charged : UNLIMITED;
}

/* The smallest headroom: what a batch kernel must fit. */
static int64_t least_headroom(const struct baymax_state *state) {
    int64_t least = UNLIMITED;
    for (const struct baymax_query *q = state->first; q; q = q->later) {
        int64_t headroom = headroom_of(state, q);
        least = headroom < least ? headroom : least;
    }
    return least;
}

/*
 * Headroom from arrival is worked out anew at each decision. One pass, which ends at the first
 * query whose headroom is negative: nothing fits then, so the others cannot matter, and a long
 * backlog costs nothing.
 */
static void refresh_all(struct ct_context *context) {
    struct baymax_state *state = context->state;
    int64_t before = 0;
    for (struct baymax_query *q = state->first; q; q = q->later) {
        set_headroom(context, q, before);
        if (headroom_of(state, q) < 0)
            return;
        before += other_remaining(context, q);
    }
}

static void list_append(struct baymax_state *state, struct baymax_query *query) {
    query->earlier = state->last;
    query->later = NULL;
    *(state->last ? &state->last->later : &state->first) = query;
    state->last = query;
    query->listed = true;
}

static void list_remove(struct baymax_state *state, struct baymax_query *query) {
    *(query->earlier ? &query->earlier->later : &state->first) = query->later;
    *(query->later ? &query->later->earlier : &state->last) = query->earlier;
    query->listed = false;
}

/* The query's headroom begins to count: Eq. 3. */
static void query_launch(struct ct_context *context, struct baymax_query *query, int64_t start_ps,
                         const struct ct_task *task) {
    struct baymax_state *state = context->state;
    list_append(state, query);
    query->start_ps = start_ps;
    set_headroom(context, query, remaining_before(context, query));
    query->number = ++state->launched;
    if (query->target <= 0)
        return;
    int64_t headroom = headroom_of(state, query);
    state->negative += headroom < 0;
    context->host->note(context, task, "headroom_first_ps", (double)headroom);
}

/* ---- limits that follow from the services present ---- */

static void update_limits(struct ct_context *context) {
    struct baymax_state *state = context->state;
    const struct ct_client *client = NULL;
    state->least_target = state->least_slack = UNLIMITED;
    while ((client = gate_next_client(context, client))) {
        const struct baymax_client *own = client->scratch;
        int64_t target = own->target, slack = at_least_zero(target - own->self_most);
        if (target <= 0)
            continue;
        state->least_target = target < state->least_target ? target : state->least_target;
        state->least_slack = slack < state->least_slack ? slack : state->least_slack;
    }
}

/* T_q for rules that hold tasks. With nothing under way it can only be of calls between two of
 * their kernels, and what is held may be what they wait for. */
static int64_t queued_ahead(const struct baymax_state *state) {
    return state->under_way > 0 ? state->queued : 0;
}

static bool queue_full(struct ct_context *context) {
    const struct baymax_options *options = context->options;
    const struct baymax_state *state = context->state;
    bool minus_self = options->tq_limit == TQ_TARGET_MINUS_SELF;
    return queued_ahead(state) > (minus_self ? state->least_slack : state->least_target);
}

/* ---- hooks ---- */

static bool baymax_init(struct ct_context *context) {
    struct baymax_state *state = context->state;
    struct ct_device_info device = {0};
    context->host->device(context, &device);
    pcie_limit_init(&state->copies, &device);
    for (int r = 0; r < RESOURCES; r++)
        state->resources[r].until_ps = -1;
    state->least_target = state->least_slack = UNLIMITED;
    context->host->note(context, NULL, "n_tr", (double)state->copies.most);
    return true;
}

static void baymax_client_join(struct ct_context *context, const struct ct_client *client) {
    struct baymax_client *own = client->scratch;
    own->target = gate_is_service(client) ? aim(context, client->qos_ps) : 0;
    update_limits(context);
}

static void baymax_client_leave(struct ct_context *context, const struct ct_client *client) {
    ((struct baymax_client *)client->scratch)->target = 0;
    update_limits(context);
}

/* T_self; without a prediction the whole target is set aside for the query, and it counts as
 * unknown. */
static int64_t predict_self(struct ct_context *context, const struct ct_job *job, int64_t target) {
    struct baymax_state *state = context->state;
    struct ct_prediction prediction = {0};
    bool known = context->host->predict_job(context, job, FULL_SHARE, &prediction) &&
                 gate_is_duration(prediction.duration_ps);
    state->unknown += !known;
    return known ? duration_of(&prediction) : target;
}

/* What the limits are made of: of a service that says no target before a query, the queries' own.
 */
static void note_query(struct ct_context *context, const struct baymax_query *query) {
    struct baymax_client *client = query->job->client->scratch;
    bool less = query->job->client->qos_ps <= 0 && query->target > 0 &&
                (client->target == 0 || query->target < client->target);
    if (!less && query->self <= client->self_most)
        return;
    client->target = less ? query->target : client->target;
    client->self_most = query->self > client->self_most ? query->self : client->self_most;
    update_limits(context);
}

static void baymax_job_begin(struct ct_context *context, const struct ct_job *job) {
    const struct baymax_options *options = context->options;
    struct baymax_state *state = context->state;
    struct baymax_query *query = job->scratch;
    if (!gate_is_service(job->client))
        return;
    state->queries++;
    query->job = job;
    query->begun = true;
    query->target = aim(context, job->target_ps);
    query->self = predict_self(context, job, query->target);
    note_query(context, query);
    if (options->headroom == HEADROOM_ARRIVAL)
        query_launch(context, query, job->arrival_ps, NULL);
}

static void baymax_job_end(struct ct_context *context, const struct ct_job *job) {
    struct baymax_state *state = context->state;
    struct baymax_query *query = job->scratch;
    if (query->listed)
        list_remove(state, query);
    state->queries -= query->begun;
    query->begun = false;
}

/* Time between the tasks of a query is the host's; it counts from its first task. */
static void query_resume(struct ct_context *context, struct baymax_query *query) {
    query->idle += pause_of(context, query);
    query->paused = false;
    query->outstanding++;
}

static void query_pause(struct ct_context *context, struct baymax_query *query) {
    query->outstanding--;
    query->paused = query->outstanding == 0;
    query->idle_since = context->host->now(context);
}

static void predict_own(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    struct baymax_task *own = own_of(task);
    struct ct_prediction prediction = {0};
    int64_t share = task->client->cap > 0 ? task->client->cap : FULL_SHARE;
    own->asked = true;
    own->known = gate_predict(context, task, share, &prediction);
    if (own->known)
        own->predicted = duration_of(&prediction);
    state->unknown += !own->known;
}

/* Submitted: all tasks are first pushed into the pool (section 3), whether they can be issued yet
 * or not. */
static void baymax_task_launch(struct ct_context *context, const struct ct_task *task) {
    const struct baymax_options *options = context->options;
    struct baymax_query *query = task->job->scratch;
    if (!query->begun)
        return;
    query_resume(context, query);
    if (!query->listed && (options->headroom == HEADROOM_FIRST_TASK || is_kernel(task)))
        query_launch(context, query, context->host->now(context), task);
}

static void baymax_task_ready(struct ct_context *context, const struct ct_task *task) {
    if (!own_of(task)->asked)
        predict_own(context, task);
}

/* ---- who runs beside whom: jobs, since profiling runs one at a time ---- */

static int resource_of(const struct ct_task *task) {
    if (is_kernel(task))
        return RESOURCE_KERNELS;
    return task->direction == CT_COPY_IN ? RESOURCE_COPIES_IN : RESOURCE_COPIES_OUT;
}

/* Before somebody comes or goes. */
static void note_sharing(struct ct_context *context, int resource) {
    struct baymax_state *state = context->state;
    int64_t now = context->host->now(context);
    if (state->resources[resource].jobs > 1 && state->resources[resource].since_ps < now)
        state->resources[resource].until_ps = now;
}

static void baymax_task_start(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    struct baymax_query *query = task->job->scratch;
    int resource = resource_of(task);
    note_sharing(context, resource);
    ((struct baymax_task *)task->scratch)->running = true;
    if (query->running[resource]++ == 0 && ++state->resources[resource].jobs == 2)
        state->resources[resource].since_ps = context->host->now(context);
}

static void note_end(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    struct baymax_query *query = task->job->scratch;
    struct baymax_task *running = task->scratch;
    int resource = resource_of(task);
    note_sharing(context, resource);
    own_of(task)->shared |= state->resources[resource].until_ps > task->started_ps;
    if (running->running)
        state->resources[resource].jobs -= --query->running[resource] == 0;
    running->running = false;
}

static void feed_back(struct ct_context *context, const struct ct_task *task) {
    const struct baymax_options *options = context->options;
    const struct ct_host *host = context->host;
    if (options->feedback == FEEDBACK_SHARED ||
        (options->feedback == FEEDBACK_SOLO && !own_of(task)->shared))
        (task->call ? host->feedback_call : host->feedback)(context, task);
}

/* ---- the charge of pinned copies ---- */

static bool is_charged_copy(struct ct_context *context, const struct ct_task *task) {
    const struct baymax_options *options = context->options;
    return options->pcie && task->pinned && !is_kernel(task) && !gate_is_service(task->client);
}

/* A pinned batch copy was issued or has ended: what a refill has to leave out (section 6.2). */
static void charge_copy(struct ct_context *context, const struct ct_task *task, int64_t sign) {
    struct baymax_state *state = context->state;
    const struct baymax_task *own = own_of(task);
    for (struct baymax_query *q = state->first; q && q->number <= own->launched; q = q->later)
        q->copying += sign * own->predicted;
}

/* A task, or the last kernel of a library call, has ended. */
static void own_done(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    struct baymax_task *own = own_of(task);
    struct baymax_query *query = task->job->scratch;
    feed_back(context, task);
    if (own->issued && is_charged_copy(context, task))
        charge_copy(context, task, -1);
    if (own->issued && is_kernel(task))
        state->queued -= own->predicted;
    else if (own->issued && !gate_is_service(task->client))
        state->copies.under_way[task->direction]--;
    state->alone -= own->alone;
    ct_policy_assert(state->queued >= 0);
    own->issued = own->alone = false;
    if (query->begun)
        *(is_kernel(task) ? &query->done : &query->copied) += own->predicted;
}

static void baymax_task_done(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    struct baymax_query *query = task->job->scratch;
    state->under_way--;
    note_end(context, task);
    if (gate_own_ended(task))
        own_done(context, task);
    if (query->begun)
        query_pause(context, query);
}

/* ---- decisions ---- */

/* The query whose headroom is the smallest; the first of several. */
static const struct baymax_query *tightest(const struct baymax_state *state) {
    const struct baymax_query *least = state->first;
    for (const struct baymax_query *q = state->first; q; q = q->later)
        if (headroom_of(state, q) < headroom_of(state, least))
            least = q;
    return least;
}

/* Says a reason once, until another one holds the task. Returns false. */
static bool hold(struct ct_context *context, const struct ct_task *task, uint32_t reason,
                 double number) {
    struct baymax_state *state = context->state;
    struct baymax_task *own = own_of(task);
    state->held += own->held == 0;
    if (!gate_hold(context, task, &own->held, baymax_reasons, reason, number))
        return false;
    if (own->known)
        context->host->note(context, task, CT_NOTE_HELD_PREDICTION, (double)own->predicted);
    if (reason == HELD_HEADROOM)
        context->host->note(context, task, CT_NOTE_HELD_CLIENT,
                            tightest(state)->job->client->index);
    return false;
}

static bool baymax_issue(struct ct_context *context, const struct ct_task *task, int64_t headroom) {
    struct baymax_state *state = context->state;
    struct baymax_task *own = own_of(task);
    if (!context->host->issue(context, task, NULL))
        return false;
    state->under_way++;
    own->issued = true;
    if (is_kernel(task))
        state->queued += own->predicted;
    context->host->note(context, task, CT_NOTE_ISSUE_PREDICTION, (double)own->predicted);
    context->host->note(context, task, "issue_tq_ps", (double)state->queued);
    if (headroom < UNLIMITED)
        context->host->note(context, task, "issue_headroom_ps", (double)headroom);
    return true;
}

/* A kernel of a call that was issued passes: the call was decided about, and is accounted for. */
static void issue_rest_of_call(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    if (!context->host->issue(context, task, NULL))
        return;
    state->under_way++;
    context->host->note(context, task, "issue_in_call_of_ps", (double)own_of(task)->predicted);
}

/* A kernel of a query: it is issued, earlier queries pay for it, and its own query's headroom is
 * refilled. */
static bool issue_service_kernel(struct ct_context *context, const struct ct_task *task) {
    const struct baymax_options *options = context->options;
    struct baymax_state *state = context->state;
    struct baymax_query *query = task->job->scratch;
    struct baymax_task *own = own_of(task);
    if (!baymax_issue(context, task, UNLIMITED))
        return false;
    query->issued += own->predicted;
    if (!query->listed)
        return true;
    for (struct baymax_query *q = query->earlier; q; q = q->earlier)
        q->base -= own->predicted;
    if (options->refill && query->target > 0) {
        set_headroom(context, query, remaining_before(context, query));
        state->refills++;
        context->host->note(context, task, "headroom_refill_ps", (double)headroom_of(state, query));
    }
    return true;
}

/* The rule of section 5.2.1. */
static bool admit_service_kernel(struct ct_context *context, const struct ct_task *task) {
    struct baymax_state *state = context->state;
    if (!queue_full(context))
        return true;
    state->over_tq += own_of(task)->held == 0;
    return hold(context, task, HELD_TQ, (double)state->queued);
}

/*
 * A batch kernel of unknown duration, or one that can never fit: it goes when no query could
 * suffer, and only one of them at a time, so that the next query finds no more than one.
 */
static bool admit_alone(struct ct_context *context, const struct ct_task *task, uint32_t reason) {
    struct baymax_state *state = context->state;
    if (state->queries > 0 || (state->alone > 0 && state->under_way > 0))
        return hold(context, task, reason, (double)state->queries);
    own_of(task)->alone = true;
    return true;
}

/* The rule of section 5.2.2 and the repairs, for a batch kernel. */
static bool admit_kernel(struct ct_context *context, const struct ct_task *task, int64_t headroom) {
    const struct baymax_options *options = context->options;
    const struct baymax_state *state = context->state;
    const struct baymax_task *own = own_of(task);
    if (queue_full(context))
        return hold(context, task, HELD_TQ, (double)state->queued);
    if (!own->known && state->least_target < UNLIMITED)
        return admit_alone(context, task, HELD_UNKNOWN);
    if (options->entry && own->predicted > state->least_slack)
        return admit_alone(context, task, HELD_TOO_LONG);
    if (options->entry && queued_ahead(state) + own->predicted > state->least_slack)
        return hold(context, task, HELD_ENTRY, (double)(state->least_slack - state->queued));
    if (own->predicted > headroom)
        return hold(context, task, HELD_HEADROOM, (double)headroom);
    return true;
}

/* The rule of section 6.2, for a batch copy; returns whether it passes. */
static bool admit_copy(struct ct_context *context, const struct ct_task *task, int64_t headroom) {
    const struct baymax_options *options = context->options;
    struct baymax_state *state = context->state;
    const struct baymax_task *own = own_of(task);
    if (!options->pcie)
        return true;
    uint32_t ahead = context->host->tasks_ahead(context, task);
    if (ahead > 0)
        return hold(context, task, HELD_AHEAD, ahead);
    if (pcie_limit_full(&state->copies, task->direction))
        return hold(context, task, HELD_COPIES, (double)state->copies.under_way[task->direction]);
    if (!task->pinned)
        return true;
    if (!own->known && headroom < UNLIMITED)
        return hold(context, task, HELD_UNKNOWN, (double)state->queries);
    if (own->predicted > headroom)
        return hold(context, task, HELD_HEADROOM, (double)headroom);
    return true;
}

/* A batch task that was admitted; returns what of the headroom it took. */
static int64_t issue_batch(struct ct_context *context, const struct ct_task *task,
                           int64_t headroom) {
    struct baymax_state *state = context->state;
    struct baymax_task *own = own_of(task);
    bool kernel = is_kernel(task);
    if (!baymax_issue(context, task, headroom)) {
        own->alone = false;
        return 0;
    }
    state->alone += own->alone;
    state->too_long += own->alone && own->known;
    if (!kernel)
        state->copies.under_way[task->direction]++;
    if (!kernel && !is_charged_copy(context, task))
        return 0;
    own->launched = state->launched;
    if (!kernel)
        charge_copy(context, task, 1);
    state->charged += own->predicted;
    return own->predicted;
}

/* A batch task against the smallest headroom; returns what of it was taken. */
static int64_t decide_batch(struct ct_context *context, const struct ct_task *task,
                            int64_t headroom) {
    bool admitted = (is_kernel(task) ? admit_kernel : admit_copy)(context, task, headroom);
    return admitted ? issue_batch(context, task, headroom) : 0;
}

static void baymax_force(struct ct_context *context, const struct ct_task *task) {
    if (gate_is_service(task->client))
        issue_service_kernel(context, task);
    else
        issue_batch(context, task, least_headroom(context->state));
}

static void baymax_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    const struct baymax_options *options = context->options;
    const struct ct_host *host = context->host;
    struct baymax_state *state = context->state;
    bool batch = false; /* the user-facing tasks are through */
    bool open = true;   /* no user-facing kernel was held: they pass first in, first out */
    int64_t headroom = 0;
    if (options->headroom == HEADROOM_ARRIVAL && options->refill)
        refresh_all(context);
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        if (task->call && own_of(task)->issued) {
            issue_rest_of_call(context, task);
        } else if (gate_is_service(task->client) && is_kernel(task)) {
            open =
                open && admit_service_kernel(context, task) && issue_service_kernel(context, task);
        } else if (gate_is_service(task->client)) {
            baymax_issue(context, task, UNLIMITED);
        } else {
            headroom = batch ? headroom : least_headroom(state);
            batch = true;
            int64_t took = decide_batch(context, task, headroom);
            headroom -= headroom < UNLIMITED ? took : 0;
        }
    }
}

static void baymax_report(struct ct_context *context) {
    const struct baymax_state *state = context->state;
    const struct ct_host *host = context->host;
    host->print(context, "queries_launched", (double)state->launched);
    host->print(context, "queries_with_negative_headroom", (double)state->negative);
    host->print(context, "headroom_refills", (double)state->refills);
    host->print(context, "tasks_held", (double)state->held);
    host->print(context, "service_kernels_held_by_tq", (double)state->over_tq);
    host->print(context, "too_long_kernels_issued", (double)state->too_long);
    host->print(context, "unknown_predictions", (double)state->unknown);
}

static void baymax_dump(struct ct_context *context) {
    const struct baymax_state *state = context->state;
    const struct ct_host *host = context->host;
    host->print(context, "tq_ps", (double)state->queued);
    host->print(context, "n_tr", (double)state->copies.most);
    host->print(context, "batch_copies_in", (double)state->copies.under_way[CT_COPY_IN]);
    host->print(context, "batch_copies_out", (double)state->copies.under_way[CT_COPY_OUT]);
    for (const struct baymax_query *q = state->first; q; q = q->later) {
        host->print(context, "query", (double)q->job->number);
        host->print(context, "headroom_ps", (double)headroom_of(state, q));
    }
}

/* ---- variants ---- */

static const char *const headroom_choices[] = {"first-task", "first-kernel", "arrival", NULL};
static const char *const remaining_choices[] = {"kernels", "whole", NULL};
static const char *const tq_choices[] = {"target", "target-minus-self", NULL};
static const char *const feedback_choices[] = {"solo", "shared", "off", NULL};

#define MEMBER(name) offsetof(struct baymax_options, name)

/* The one option table; the variants differ in the defaults. */
/* clang-format off */
#define BAYMAX_OPTIONS(refill_, pcie_, headroom_, remaining_, entry_, margin_)                     \
    {                                                                                              \
        {"refill", CT_OPTION_BOOL, MEMBER(refill), "", 0, 1, refill_, NULL,                        \
         "refill the headroom from concurrent execution (Eq. 4)"},                                 \
        {"pcie", CT_OPTION_BOOL, MEMBER(pcie), "", 0, 1, pcie_, NULL,                              \
         "limit batch copies (Eq. 5) and hold pinned ones against the headroom (section 6.2)"},    \
        {"headroom", CT_OPTION_CHOICE, MEMBER(headroom), "", 0, 0, headroom_, headroom_choices,    \
         "a query is active, and its headroom counts, from its first task (section 6.2), its "     \
         "first kernel (section 5.2.2) or its arrival"},                                           \
        {"remaining", CT_OPTION_CHOICE, MEMBER(remaining), "", 0, 0, remaining_,                   \
         remaining_choices,                                                                        \
         "what lowers a query's remaining time: its kernels, or copies and host gaps too"},        \
        {"entry", CT_OPTION_BOOL, MEMBER(entry), "", 0, 1, entry_, NULL,                           \
         "no batch kernel unless T_q + t <= T_tgt - largest T_self, even without a query; one "    \
         "that can never fit goes alone when no query is there"},                                  \
        {"margin", CT_OPTION_DOUBLE, MEMBER(margin), "", 0, 0.9, margin_, NULL,                    \
         "part of every target that is not used"},                                                 \
        {"tq_limit", CT_OPTION_CHOICE, MEMBER(tq_limit), "", 0, 0, "target", tq_choices,           \
         "no kernel is issued while T_q exceeds the smallest target (section 5.2.1)"},             \
        {"feedback", CT_OPTION_CHOICE, MEMBER(feedback), "", 0, 0, "solo", feedback_choices,       \
         "which durations update the models (section 3): of tasks that ran beside no other "       \
         "job's, of all, of none"},                                                                \
        {0},                                                                                       \
    }
/* clang-format on */

static const struct ct_option baymax_options[] =
    BAYMAX_OPTIONS("true", "true", "first-task", "kernels", "false", "0");
static const struct ct_option baymax_nc_options[] =
    BAYMAX_OPTIONS("false", "true", "first-task", "kernels", "false", "0");
static const struct ct_option baymax_np_options[] =
    BAYMAX_OPTIONS("true", "false", "first-task", "kernels", "false", "0");
static const struct ct_option baymax_plus_options[] =
    BAYMAX_OPTIONS("true", "true", "arrival", "whole", "true", "0.15");

#define BAYMAX_POLICY(name_, summary_, source_, features_, options_)                               \
    {                                                                                              \
        .abi = CT_POLICY_ABI, .size = sizeof(struct ct_policy), .name = name_,                     \
        .summary = summary_, .source = source_,                                                    \
        .features = CT_KNOWS_TARGETS | CT_PREDICTS | CT_REORDERS | (features_),                    \
        .sharing = CT_SHARING_MPS, .options = options_,                                            \
        .options_size = sizeof(struct baymax_options), .state_size = sizeof(struct baymax_state),  \
        .client_size = sizeof(struct baymax_client), .job_size = sizeof(struct baymax_query),      \
        .task_size = sizeof(struct baymax_task), .init = baymax_init,                              \
        .client_join = baymax_client_join, .client_leave = baymax_client_leave,                    \
        .job_begin = baymax_job_begin, .job_end = baymax_job_end,                                  \
        .task_launch = baymax_task_launch, .task_ready = baymax_task_ready,                        \
        .task_start = baymax_task_start, .task_done = baymax_task_done, .rank = gate_rank,         \
        .decide = baymax_decide, .force = baymax_force, .report = baymax_report,                   \
        .dump = baymax_dump, .prediction_cost_ps = PREDICTION_COST_PS, .reasons = baymax_reasons,  \
        .call_size = sizeof(struct baymax_task),                                                   \
    }

const struct ct_policy policy_baymax =
    BAYMAX_POLICY("baymax", "batch kernels only where every active query has headroom for them",
                  "Baymax (ASPLOS'16) sections 3 to 6", CT_MANAGES_PCIE, baymax_options);

const struct ct_policy policy_baymax_nc =
    BAYMAX_POLICY("baymax-nc", "baymax without refill from concurrent execution",
                  "Baymax (ASPLOS'16) section 7.3, Fig. 11", CT_MANAGES_PCIE, baymax_nc_options);

const struct ct_policy policy_baymax_np =
    BAYMAX_POLICY("baymax-np", "baymax without management of PCIe",
                  "Baymax (ASPLOS'16) section 7.4, Fig. 12", 0, baymax_np_options);

const struct ct_policy policy_baymax_plus = BAYMAX_POLICY(
    "baymax-plus", "baymax repaired for open arrivals", "", CT_MANAGES_PCIE, baymax_plus_options);
