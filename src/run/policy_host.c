/* What a policy can do and see: verbs are checked when called and applied when the hook returns. */
#include "run/policy_log.h"

#include "run/knowledge.h"
#include "run/progress.h"
#include "workload/setup_memory.h"

#include <math.h>
#include <string.h>

static struct run *run_of(struct ct_context *context) {
    return ((struct run_context *)context)->run;
}

static struct run_task *task_of(const struct ct_task *task) {
    return (struct run_task *)task;
}

/* ---- Refusals: counted, logged, and told to who wrote the policy, each reason once a run ---- */

#define REFUSAL_ROWS(ROW)                                                                          \
    ROW(FOREIGN_TASK, "that is no task of this run (a copy of one is none)")                       \
    ROW(FOREIGN_CLIENT, "that is no client of this run (a copy of one is none)")                   \
    ROW(FOREIGN_JOB, "that is no job of this run (a copy of one is none)")                         \
    ROW(UNREADY_TASK, "the task is not ready: it has been issued already, or is gone")             \
    ROW(BAD_SHARE, "the share is not from 1 to 1000 per mille")                                    \
    ROW(BAD_DELAY, "the time is negative")                                                         \
    ROW(PAST_TIME, "the time has passed")                                                          \
    ROW(NO_PARTITION, "the policy's sharing is not CT_SHARING_PARTITION, or the GPU is sliced")    \
    ROW(BAD_PARTITION, "not one number of SMs per client, or one below 0, or more than there are") \
    ROW(BAD_MOVE, "the move is none of enum ct_move, or a switch in the fluid model")              \
    ROW(NO_PREEMPTION, "no device can preempt")                                                    \
    ROW(NO_MEMORY_WEIGHT, "the policy's needs do not name CT_NEED_MEMORY_WEIGHT")                  \
    ROW(BAD_WEIGHT, "a weight in the memory controller is a number above 0")                       \
    ROW(NO_CAP, "under CT_SHARING_PARTITION only a client with a slice of the GPU has a cap")      \
    ROW(NO_SLICES, "the policy's needs do not name CT_NEED_SLICES")                                \
    ROW(NO_SLICE, "no such slice, too little of the GPU is left, or the client has one")           \
    ROW(NO_SHARED_SLICE, "the client has a slice, or the other has none of its own")               \
    ROW(NO_SHARING_OF_BLOCKS, "slices are shared in the fluid model alone")                        \
    ROW(NO_PREDICTIONS, "the policy's features do not name CT_PREDICTS, so nothing is predicted")  \
    ROW(NO_KEY, "the key is NULL")                                                                 \
    ROW(NO_REASON, "the policy's table has no such reason")                                        \
    ROW(BAD_RESERVED, "a reserved member of the grant is not 0")                                   \
    ROW(WRONG_HOOK, "only in report and dump")

#define REFUSAL_NAME(name, text) name,
enum refusal { REFUSAL_ROWS(REFUSAL_NAME) REFUSALS };

#define REFUSAL_TEXT(name, text) [name] = (text),
static const char *const refusals[REFUSALS] = {REFUSAL_ROWS(REFUSAL_TEXT)};

static void tell_refusal(struct run *run, enum ct_verb verb, enum refusal why) {
    uint32_t bit = UINT32_C(1) << why;
    if (!(run->refused & bit))
        ct_warning(run->diags, run->policy->name, "%s in %s: %s", ct_verb_text(verb, CT_REJECTED),
                   run->hook ? run->hook : "report", refusals[why]);
    run->refused |= bit;
}

static bool is_task(struct run *run, const struct ct_task *task) {
    return slab_has(&run->tasks, task);
}

static bool is_client(const struct run *run, const struct ct_client *client) {
    uintptr_t offset = (uintptr_t)client - (uintptr_t)run->clients;
    return offset < run->client_count * sizeof *run->clients && offset % sizeof *run->clients == 0;
}

/* A pointer that is none of the run's names nobody. */
static bool refuse_for(struct run *run, enum ct_verb verb, enum refusal why,
                       const struct ct_client *client, const struct ct_task *task) {
    bool known = task && is_task(run, task);
    run->rejected++;
    if (known)
        client = task->client;
    policy_log(run, verb, CT_REJECTED, is_client(run, client) ? client : NULL, known ? task : NULL);
    tell_refusal(run, verb, why);
    return false;
}

static bool refuse(struct run *run, enum ct_verb verb, enum refusal why) {
    return refuse_for(run, verb, why, NULL, NULL);
}

static bool refuse_client(struct run *run, enum ct_verb verb, enum refusal why,
                          const struct ct_client *client) {
    return refuse_for(run, verb, is_client(run, client) ? why : FOREIGN_CLIENT, client, NULL);
}

static bool refuse_task(struct run *run, enum ct_verb verb, enum refusal why,
                        const struct ct_task *task) {
    return refuse_for(run, verb, is_task(run, task) ? why : FOREIGN_TASK, NULL, task);
}

/* Nothing is known of more than the whole GPU; a policy may ask about none of it. */
static bool is_share(int64_t share) {
    return share >= 0 && share <= CT_SHARE_FULL;
}

/* Whether a read may look at the task; it may be asked about nothing, too. */
static bool takes_task(struct run *run, enum ct_verb read, const struct ct_task *task) {
    return task && (is_task(run, task) || refuse(run, read, FOREIGN_TASK));
}

/* Whether a read may predict: models are made for policies that say so. */
static bool predicts(struct run *run, enum ct_verb read) {
    return run->policy->features & CT_PREDICTS || refuse(run, read, NO_PREDICTIONS);
}

static bool takes_prediction(struct run *run, enum ct_verb read, const struct ct_task *task,
                             int64_t share) {
    return takes_task(run, read, task) && is_share(share) && predicts(run, read);
}

static bool takes_client(struct run *run, enum ct_verb read, const struct ct_client *client) {
    return is_client(run, client) || refuse(run, read, FOREIGN_CLIENT);
}

static bool takes_job(struct run *run, enum ct_verb read, const struct ct_job *job) {
    return job && (slab_has(&run->jobs, job) || refuse(run, read, FOREIGN_JOB));
}

/* ---- Applying ---- */

/* What a repartition gives each client. It waits with its verb; then its place serves another. */
struct run_partition {
    struct run_partition *next; /* free */
    int64_t sms[];
};

static void apply_verb(struct run *run, const struct run_verb *verb) {
    switch (verb->kind) {
    case RUN_ISSUE:
        ready_apply(verb->task);
        break;
    case RUN_SET_SHARE:
        run->clients[verb->client].view.cap = verb->share;
        device_set_cap(run->device, verb->client, (ct_share)verb->share);
        break;
    case RUN_REPARTITION:
        device_repartition(run->device, verb->partition->sms, (enum ct_move)verb->move);
        verb->partition->next = run->free_partitions;
        run->free_partitions = verb->partition;
        break;
    case RUN_SET_WEIGHT:
        device_set_memory_weight(run->device, verb->client, verb->weight);
        break;
    case RUN_SET_SLICE:
        device_set_slice(run->device, verb->client, run->sliced.profiles[verb->slice].sms,
                         (double)run->sliced.profiles[verb->slice].memory /
                             (double)run->sliced.profiles[run->sliced.count - 1].memory);
        break;
    case RUN_SHARE_SLICE:
        device_share_slice(run->device, verb->client, verb->slice);
        break;
    }
}

/* A verb that was charged waits here until its time has come; then its place serves another. */
struct run_charged {
    struct run *run;
    struct run_verb verb;
    struct run_charged *next; /* free */
};

static void on_charged(void *context, uint64_t argument) {
    struct run_charged *charged = context;
    struct run *run = charged->run;
    struct run_verb verb = charged->verb;
    (void)argument;
    charged->next = run->free_charged;
    run->free_charged = charged;
    apply_verb(run, &verb);
}

/* A time after a delay, both at least 0; what lies beyond the clock never comes. */
static ct_time_ps later(ct_time_ps time, ct_time_ps delay) {
    return delay < CT_TIME_NEVER - time ? time + delay : CT_TIME_NEVER;
}

static void apply_later(struct run *run, const struct run_verb *verb, ct_time_ps delay) {
    struct run_charged *charged = run->free_charged;
    if (charged)
        run->free_charged = charged->next;
    else
        charged = ct_arena_alloc(&run->arena, sizeof *charged);
    if (!charged) {
        run_out_of_memory(run);
        return;
    }
    *charged = (struct run_charged){run, *verb, NULL};
    run_plan(run, later(des_engine_now(run->engine), delay), DES_RANK_TIMER, on_charged, charged,
             0);
}

static void add_verb(struct run *run, struct run_verb verb) {
    run_must(run, ct_vec_push(&run->verbs, verb));
}

void policy_enter(struct run *run, const char *hook) {
    run->hook = hook;
    run->hook_depth++;
    policy_watch_enter(run->watch, hook, des_engine_now(run->engine));
}

void policy_leave(struct run *run) {
    if (run->hook_depth == 1 && run->what_if.forced)
        policy_force_issue(run);
    if (--run->hook_depth > 0)
        return; /* the outermost applies, in the order of the calls */
    policy_watch_leave(run->watch);
    policy_log_flush(run);
    ct_time_ps charged = run->charged_ps, *longest = &run->result->longest_charge_ps;
    *longest = charged > *longest ? charged : *longest;
    run->charged_ps = 0;
    run->hook_depth++;
    for (size_t i = 0; i < run->verbs.count && !run->failed; i++) {
        struct run_verb verb = run->verbs.items[i];
        ct_time_ps delay = later(charged, verb.delay_ps);
        if (delay > 0)
            apply_later(run, &verb, delay);
        else
            apply_verb(run, &verb);
    }
    run->hook_depth--;
    run->verbs.count = 0;
    run->hook = NULL;
    ready_enter(run);
}

void policy_fault(struct run *run, const char *text) {
    if (run->failed)
        return;
    ct_error(run->diags, run->policy->name,
             "policy fault in %s at %.9f s (seed %llu, replication %llu): %s",
             run->hook ? run->hook : "the run", ct_time_s(des_engine_now(run->engine)),
             (unsigned long long)run->params->seed, (unsigned long long)run->params->replication,
             text);
    run->failed = CT_POLICY_FAULT;
}

/* ---- decide ---- */

/* What stands for `decide` where a policy has a rank alone: all that are ready, in its order. */
static void issue_all(struct ct_context *context) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));)
        host->issue(context, task, NULL);
}

static void on_decide(void *context, uint64_t argument) {
    struct run *run = context;
    uint32_t why = run->why;
    (void)argument;
    run->why = 0;
    policy_enter(run, run->policy->decide ? "decide" : "rank");
    ready_rank(run);
    if (run->policy->decide)
        run->policy->decide(&run->context.view, why);
    else
        issue_all(&run->context.view);
    policy_leave(run);
}

void policy_open(struct run *run) {
    if (!run->pool.passes_all)
        des_instant_set(run->engine, DES_RANK_DECIDE, on_decide, run);
}

void policy_wake(struct run *run, uint32_t why) {
    run->why |= why;
    if (!run->pool.passes_all)
        des_instant_ask(run->engine, DES_RANK_DECIDE);
}

/* ---- Verbs ---- */

/* What is wrong with a grant; REFUSALS: nothing. */
static enum refusal grant_fault(const struct ct_grant *grant) {
    if (grant->delay_ps < 0)
        return BAD_DELAY;
    if (grant->share < 1 || grant->share > CT_SHARE_FULL)
        return BAD_SHARE;
    return grant->reserved ? BAD_RESERVED : REFUSALS;
}

static bool host_issue(struct ct_context *context, const struct ct_task *view,
                       const struct ct_grant *grant) {
    struct run *run = run_of(context);
    enum refusal fault = grant ? grant_fault(grant) : REFUSALS;
    if (!is_task(run, view) || !task_of(view)->pooled)
        fault = UNREADY_TASK;
    if (fault != REFUSALS)
        return refuse_task(run, CT_VERB_ISSUE, fault, view);
    if (policy_withhold_issue(run, view))
        return false;
    struct run_task *task = task_of(view);
    ready_issue(task, grant);
    policy_log_issue(run, view);
    add_verb(run, (struct run_verb){
                      .kind = RUN_ISSUE, .task = task, .delay_ps = grant ? grant->delay_ps : 0});
    return true;
}

/* One about a client or (NULL) all of them; true. */
static bool take_verb(struct run *run, enum ct_verb verb, const struct ct_client *client,
                      struct run_verb taken) {
    taken.client = client ? client->index : 0;
    policy_log(run, verb, CT_DONE, client, NULL);
    add_verb(run, taken);
    return true;
}

/* A partition says by itself how many SMs a client has; the processes in a slice are under MPS. */
static bool takes_cap(const struct run *run, const struct ct_client *client) {
    return run->policy->sharing != CT_SHARING_PARTITION || run->clients[client->index].sliced;
}

static bool host_set_share(struct ct_context *context, const struct ct_client *client,
                           int64_t share) {
    struct run *run = run_of(context);
    if (!is_client(run, client) || share < 1 || share > CT_SHARE_FULL)
        return refuse_client(run, CT_VERB_SET_SHARE, BAD_SHARE, client);
    if (!takes_cap(run, client))
        return refuse_client(run, CT_VERB_SET_SHARE, NO_CAP, client);
    if (policy_withhold(run, CT_VERB_SET_SHARE, client))
        return false;
    run->clients[client->index].view.cap = share;
    return take_verb(run, CT_VERB_SET_SHARE, client,
                     (struct run_verb){.kind = RUN_SET_SHARE, .share = share});
}

/* A copy for a verb that may be applied later; NULL: out of memory. */
static struct run_partition *partition_of(struct run *run, const int64_t *sms) {
    struct run_partition *partition = run->free_partitions;
    size_t size = run->client_count * sizeof *sms;
    if (partition)
        run->free_partitions = partition->next;
    else
        partition = ct_arena_alloc(&run->arena, sizeof *partition + size);
    if (partition)
        memcpy(partition->sms, sms, size);
    else
        run_out_of_memory(run);
    return partition;
}

/* What is wrong with a repartition; REFUSALS: nothing. */
static enum refusal partition_fault(const struct run *run, const int64_t *sms, uint32_t clients,
                                    int32_t move) {
    int64_t left = run->setup->gpu.sms;
    if (run->policy->sharing != CT_SHARING_PARTITION || run->sliced.count > 0)
        return NO_PARTITION;
    if (move < CT_MOVE_AUTO || move > CT_MOVE_SWITCH ||
        (move == CT_MOVE_SWITCH && run->setup->workload->fidelity != DEVICE_BLOCK))
        return BAD_MOVE;
    if (!sms || clients != run->client_count)
        return BAD_PARTITION;
    for (uint32_t i = 0; i < clients; i++) {
        if (sms[i] < 0 || sms[i] > left)
            return BAD_PARTITION;
        left -= sms[i];
    }
    return REFUSALS;
}

static bool host_repartition(struct ct_context *context, const int64_t *sms, uint32_t clients,
                             int32_t move) {
    struct run *run = run_of(context);
    enum refusal fault = partition_fault(run, sms, clients, move);
    if (fault != REFUSALS)
        return refuse(run, CT_VERB_REPARTITION, fault);
    if (policy_withhold(run, CT_VERB_REPARTITION, NULL))
        return false;
    struct run_partition *partition = partition_of(run, sms);
    if (!partition)
        return false;
    return take_verb(
        run, CT_VERB_REPARTITION, NULL,
        (struct run_verb){.kind = RUN_REPARTITION, .partition = partition, .move = move});
}

/* What no device can do: a policy that needs it is refused before the run. */
static bool host_preempt(struct ct_context *context, const struct ct_task *task) {
    return refuse_task(run_of(context), CT_VERB_PREEMPT, NO_PREEMPTION, task);
}

static bool host_set_mem_weight(struct ct_context *context, const struct ct_client *client,
                                double weight) {
    struct run *run = run_of(context);
    if (!is_client(run, client) || !(run->policy->needs & CT_NEED_MEMORY_WEIGHT))
        return refuse_client(run, CT_VERB_SET_MEM_WEIGHT, NO_MEMORY_WEIGHT, client);
    if (!(weight > 0) || isinf(weight))
        return refuse_client(run, CT_VERB_SET_MEM_WEIGHT, BAD_WEIGHT, client);
    if (policy_withhold(run, CT_VERB_SET_MEM_WEIGHT, client))
        return false;
    return take_verb(run, CT_VERB_SET_MEM_WEIGHT, client,
                     (struct run_verb){.kind = RUN_SET_WEIGHT, .weight = weight});
}

/* What does not fit into the memory of a slice, beside those that share it, is refused like what
 * does not fit into the GPU's. */
static bool fits_slice(struct run *run, const struct run_client *client, double beside_gib,
                       const struct gpu_slice *slice, const struct gpu_slice *all) {
    double needed = setup_memory_of(client->app->spec);
    double there = setup_memory_slice(&run->setup->gpu, slice->memory, all->memory) - beside_gib;
    if (!(needed > there) || run->failed)
        return true;
    ct_error(run->diags, run->setup->workload->path,
             "'%s' needs %.4g GiB of memory, and its slice '%s' of '%s' has %.4g%s",
             client->view.name, needed, slice->name, run->setup->gpu.name, there,
             beside_gib > 0 ? " beside those that share it" : "");
    run->failed = CT_USAGE;
    return false;
}

static const struct gpu_slice *whole_gpu(const struct run *run) {
    return &run->sliced.profiles[run->sliced.count ? run->sliced.count - 1 : 0];
}

/* One that is unknown counts as none. */
static double known_memory(const struct run_client *client) {
    double gib = setup_memory_of(client->app->spec);
    return isnan(gib) ? 0 : gib;
}

/* A slice is fixed: a client gets one, once, while there are slices left. */
static bool host_set_slice(struct ct_context *context, const struct ct_client *client,
                           uint32_t index) {
    struct run *run = run_of(context);
    if (!(run->policy->needs & CT_NEED_SLICES))
        return refuse_client(run, CT_VERB_SET_SLICE, NO_SLICES, client);
    bool ok =
        is_client(run, client) && index < run->sliced.count && !run->clients[client->index].sliced;
    const struct gpu_slice *all = whole_gpu(run), *slice = &run->sliced.profiles[ok ? index : 0];
    if (!ok || run->sliced.compute + slice->compute > all->compute ||
        run->sliced.memory + slice->memory > all->memory)
        return refuse_client(run, CT_VERB_SET_SLICE, NO_SLICE, client);
    struct run_client *own = &run->clients[client->index];
    if (policy_withhold(run, CT_VERB_SET_SLICE, client) || !fits_slice(run, own, 0, slice, all))
        return false;
    run->sliced.compute += slice->compute;
    run->sliced.memory += slice->memory;
    own->sliced = true;
    own->slice.profile = index;
    own->slice.gib = known_memory(own);
    return take_verb(run, CT_VERB_SET_SLICE, client,
                     (struct run_verb){.kind = RUN_SET_SLICE, .slice = index});
}

static bool host_share_slice(struct ct_context *context, const struct ct_client *client,
                             const struct ct_client *with) {
    struct run *run = run_of(context);
    if (!is_client(run, client) || !is_client(run, with) || run->clients[client->index].sliced ||
        !run->clients[with->index].sliced || run->clients[with->index].slice.shared)
        return refuse_client(run, CT_VERB_SET_SLICE, NO_SHARED_SLICE, client);
    if (run->setup->workload->fidelity == DEVICE_BLOCK)
        return refuse_client(run, CT_VERB_SET_SLICE, NO_SHARING_OF_BLOCKS, client);
    struct run_client *own = &run->clients[client->index], *owner = &run->clients[with->index];
    const struct gpu_slice *slice = &run->sliced.profiles[owner->slice.profile];
    if (policy_withhold(run, CT_VERB_SET_SLICE, client) ||
        !fits_slice(run, own, owner->slice.gib, slice, whole_gpu(run)))
        return false;
    own->sliced = own->slice.shared = true;
    owner->slice.gib += known_memory(own);
    return take_verb(run, CT_VERB_SET_SLICE, client,
                     (struct run_verb){.kind = RUN_SHARE_SLICE, .slice = with->index});
}

/*
 * No runtime gives itself a million turns in a row within less than as many clock cycles of the
 * device (assumed): such a policy holds time still, or nearly so, and its run would not end.
 */
bool policy_turn(struct run *run, const char *hook) {
    enum { TURNS = 1000000 };
    ct_time_ps now = des_engine_now(run->engine);
    double cycles = (double)(now - run->turns_since_ps) * 1e-6 * run->setup->gpu.clock_mhz;
    if (run->turns++ % TURNS != 0)
        return true;
    if (run->turns > 1 && cycles < TURNS) {
        run->hook = hook;
        policy_fault(run, "a million timers or repartitions in a row, less than a clock cycle of "
                          "the device apart: simulated time stands still");
    }
    run->turns_since_ps = now;
    return !run->failed;
}

/* Timers of a run at a time; assumed: more than any runtime has work to time. */
enum { MOST_TIMERS = 1000000 };

static void on_timer(void *context, uint64_t id) {
    struct run *run = context;
    run->timers--;
    if (!policy_turn(run, "timer"))
        return;
    if (run->policy->timer) {
        policy_enter(run, "timer");
        run->policy->timer(&run->context.view, id);
        policy_leave(run);
    }
    policy_wake(run, CT_WHY_TIMER);
}

static bool host_timer(struct ct_context *context, int64_t at_ps, uint64_t id) {
    struct run *run = run_of(context);
    if (at_ps < des_engine_now(run->engine))
        return refuse(run, CT_VERB_TIMER, PAST_TIME);
    if (run->timers >= MOST_TIMERS) {
        policy_fault(run, "it waits for a million timers");
        return false;
    }
    run->timers++;
    run_plan(run, at_ps, DES_RANK_TIMER, on_timer, run, id);
    return true;
}

static bool host_charge(struct ct_context *context, int64_t time_ps) {
    struct run *run = run_of(context);
    if (time_ps < 0)
        return refuse(run, CT_VERB_CHARGE, BAD_DELAY);
    if (run->params->decision_cost != WORKLOAD_COST_NONE)
        run->charged_ps = later(run->charged_ps, time_ps);
    return true;
}

static bool host_hold(struct ct_context *context, const struct ct_task *view, uint32_t reason) {
    struct run *run = run_of(context);
    if (!is_task(run, view) || !task_of(view)->pooled)
        return refuse_task(run, CT_VERB_HOLD, UNREADY_TASK, view);
    if (reason >= run->reason_count)
        return refuse_task(run, CT_VERB_HOLD, NO_REASON, view);
    policy_log_hold(run, view, reason);
    return true;
}

static void host_note(struct ct_context *context, const struct ct_task *task, const char *key,
                      double value) {
    struct run *run = run_of(context);
    bool known = !task || is_task(run, task);
    if (!key || !known)
        refuse(run, CT_VERB_NOTE, known ? NO_KEY : FOREIGN_TASK);
    else
        policy_log_note(run, task, key, value);
}

static bool feed_back(struct ct_context *context, enum ct_verb verb, const struct ct_task *task) {
    struct run *run = run_of(context);
    return takes_task(run, verb, task) && task->ended_ps >= 0 &&
           knowledge_feedback(run, (const struct run_task *)task, verb == CT_VERB_FEEDBACK_CALL);
}

static bool host_feedback(struct ct_context *context, const struct ct_task *task) {
    return feed_back(context, CT_VERB_FEEDBACK, task);
}

static bool host_feedback_call(struct ct_context *context, const struct ct_task *task) {
    return feed_back(context, CT_VERB_FEEDBACK_CALL, task);
}

/* ---- Reads ---- */

static int64_t host_now(struct ct_context *context) {
    return des_engine_now(run_of(context)->engine);
}

static const struct ct_task *host_ready_next(struct ct_context *context,
                                             const struct ct_task *after) {
    struct run *run = run_of(context);
    if (after && !takes_task(run, CT_READ_READY_NEXT, after))
        return NULL;
    struct run_task *task = ready_after(run, after ? task_of(after) : NULL);
    return task ? &task->view : NULL;
}

static uint32_t host_client_count(struct ct_context *context) {
    return run_of(context)->client_count;
}

static const struct ct_client *host_client(struct ct_context *context, uint32_t index) {
    struct run *run = run_of(context);
    return index < run->client_count ? &run->clients[index].view : NULL;
}

static const struct ct_job *host_job_next(struct ct_context *context,
                                          const struct ct_client *client,
                                          const struct ct_job *after) {
    struct run *run = run_of(context);
    if (after ? !takes_job(run, CT_READ_JOB_NEXT, after)
              : !takes_client(run, CT_READ_JOB_NEXT, client))
        return NULL;
    struct run_job *job =
        after ? ((struct run_job *)after)->next_job : ((struct run_client *)client)->first_job;
    return job ? &job->view : NULL;
}

static void host_counters(struct ct_context *context, const struct ct_client *client,
                          struct ct_counters *counters) {
    struct run *run = run_of(context);
    *counters = (struct ct_counters){0};
    if (takes_client(run, CT_READ_COUNTERS, client))
        *counters = device_client_counters(run->device, client->index).told;
}

static void host_device(struct ct_context *context, struct ct_device_info *info) {
    const struct gpu *gpu = &run_of(context)->setup->gpu;
    *info = (struct ct_device_info){.sms = gpu->sms,
                                    .threads_per_sm = gpu->threads_per_sm,
                                    .blocks_per_sm = gpu->blocks_per_sm,
                                    .registers_per_sm = gpu->registers_per_sm,
                                    .smem_per_sm_bytes = gpu->smem_per_sm_bytes,
                                    .clock_hz = gpu->clock_mhz * 1e6,
                                    .dram_bytes_per_s = gpu->dram_gb_s * 1e9,
                                    .pcie_bytes_per_s = gpu->pcie_mb_s * 1e6,
                                    .pcie_pageable_bytes_per_s = gpu->pcie_pageable_mb_s * 1e6,
                                    .pcie_pinned_bytes_per_s = gpu->pcie_pinned_mb_s * 1e6,
                                    .copy_engines = gpu->copy_engines == GPU_COPY_SINGLE ? 1 : 2,
                                    .row_hit_slope = gpu->hsm_c1,
                                    .row_hit_base = gpu->hsm_c2,
                                    .warp_schedulers = gpu->warp_schedulers};
}

static bool predict(struct ct_context *context, enum ct_verb read, const struct ct_task *task,
                    int64_t share, struct ct_prediction *prediction) {
    *prediction = (struct ct_prediction){NAN, NAN, NAN};
    return takes_prediction(run_of(context), read, task, share) &&
           knowledge_predict(run_of(context), (const struct run_task *)task,
                             read == CT_READ_PREDICT_CALL, (ct_share)share, prediction);
}

static bool host_predict_task(struct ct_context *context, const struct ct_task *task, int64_t share,
                              struct ct_prediction *prediction) {
    return predict(context, CT_READ_PREDICT_TASK, task, share, prediction);
}

static bool host_predict_call(struct ct_context *context, const struct ct_task *task, int64_t share,
                              struct ct_prediction *prediction) {
    return predict(context, CT_READ_PREDICT_CALL, task, share, prediction);
}

static bool host_predict_job(struct ct_context *context, const struct ct_job *job, int64_t share,
                             struct ct_prediction *prediction) {
    *prediction = (struct ct_prediction){NAN, NAN, NAN};
    return takes_job(run_of(context), CT_READ_PREDICT_JOB, job) && is_share(share) &&
           predicts(run_of(context), CT_READ_PREDICT_JOB) &&
           knowledge_predict_job(run_of(context), (const struct run_job *)job, (ct_share)share,
                                 prediction);
}

static bool host_predict_progress(struct ct_context *context, const struct ct_client *client,
                                  const struct ct_counters *own, const struct ct_counters *others,
                                  int64_t sms, double *progress) {
    const struct run *run = run_of(context);
    *progress = NAN;
    if (is_client(run, client) && run->params->progress) {
        struct themis_events events = progress_events(&run->setup->gpu, own, others, sms);
        *progress = themis_progress(run->params->progress, &events);
    }
    return !isnan(*progress);
}

static bool host_predict_completion(struct ct_context *context, const struct ct_task *task,
                                    const int64_t *allocation, double *time_ps) {
    *time_ps = NAN;
    return takes_prediction(run_of(context), CT_READ_PREDICT_COMPLETION, task, CT_SHARE_FULL) &&
           completion_predict(run_of(context), (const struct run_task *)task, allocation, time_ps);
}

static const struct ct_task *host_upcoming(struct ct_context *context, const struct ct_task *task) {
    bool taken = takes_task(run_of(context), CT_READ_UPCOMING, task);
    return taken ? completion_upcoming(run_of(context), (const struct run_task *)task) : NULL;
}

static double host_uniform(struct ct_context *context) {
    return des_stream_uniform(&run_of(context)->draws);
}

static void host_print(struct ct_context *context, const char *key, double value) {
    struct run *run = run_of(context);
    if (!key || run->hook)
        refuse(run, CT_VERB_PRINT, key ? WRONG_HOOK : NO_KEY);
    else
        run_must(run, ct_vec_push(&run->result->counters, (struct sim_counter){key, value}));
}

static void host_fail(struct ct_context *context, const char *text) {
    policy_fault(run_of(context), text ? text : "the policy did not say why");
}

static bool host_begin_epoch(struct ct_context *context) {
    device_begin_epoch(run_of(context)->device);
    return true;
}

static bool host_slice(struct ct_context *context, uint32_t index, struct ct_slice *slice) {
    const struct run *run = run_of(context);
    if (index >= run->sliced.count)
        return false;
    const struct gpu_slice *profile = &run->sliced.profiles[index];
    *slice = (struct ct_slice){profile->name, profile->compute, profile->memory, profile->sms};
    return true;
}

static uint32_t host_tasks_ahead(struct ct_context *context, const struct ct_task *task) {
    bool taken = takes_task(run_of(context), CT_READ_TASKS_AHEAD, task);
    return taken ? ready_ahead((const struct run_task *)task) : 0;
}

const struct ct_host policy_host = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_host),
    .issue = host_issue,
    .set_share = host_set_share,
    .repartition = host_repartition,
    .preempt = host_preempt,
    .set_mem_weight = host_set_mem_weight,
    .timer = host_timer,
    .charge = host_charge,
    .hold = host_hold,
    .note = host_note,
    .feedback = host_feedback,
    .now = host_now,
    .ready_next = host_ready_next,
    .client_count = host_client_count,
    .client = host_client,
    .job_next = host_job_next,
    .counters = host_counters,
    .device = host_device,
    .predict_task = host_predict_task,
    .predict_job = host_predict_job,
    .predict_progress = host_predict_progress,
    .predict_completion = host_predict_completion,
    .uniform = host_uniform,
    .print = host_print,
    .fail = host_fail,
    .upcoming = host_upcoming,
    .predict_call = host_predict_call,
    .feedback_call = host_feedback_call,
    .begin_epoch = host_begin_epoch,
    .slice = host_slice,
    .set_slice = host_set_slice,
    .share_slice = host_share_slice,
    .tasks_ahead = host_tasks_ahead,
};
