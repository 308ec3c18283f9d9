/*
 * priority: the more urgent kernel first, as the schedulers of TimeGraph and GPUSync do (Baymax
 * section 2.2).
 *
 * Ready tasks pass services first, then by falling client priority, then by readiness. A batch
 * kernel is issued only while no service kernel is ready or issued and fewer than `ahead` batch
 * kernels are unfinished: a kernel that runs cannot be taken back, so `ahead` bounds how many of
 * them a query may find before it. With `holds=waiting` a service kernel that runs holds nobody:
 * the more urgent one goes first "if multiple kernels are ready to run". Copies are not gated. A
 * memset occupies the device like a kernel and is treated as one.
 */
#include "policies/gate.h"
#include "policies/policies.h"

enum priority_holds { HOLDS_UNFINISHED, HOLDS_WAITING };

struct priority_options {
    int64_t ahead;
    int32_t holds;
};

struct priority_state {
    /* Issued and unfinished; with HOLDS_WAITING services' only until they start. */
    int64_t service_kernels, batch_kernels;
};

struct priority_task {
    bool counted; /* in one of the two counts */
    int32_t held; /* of gate_hold */
};

static int64_t *priority_count(struct ct_context *context, const struct ct_task *task) {
    struct priority_state *state = context->state;
    return task->client->role == CT_SERVICE ? &state->service_kernels : &state->batch_kernels;
}

static void priority_task_done(struct ct_context *context, const struct ct_task *task) {
    struct priority_task *own = task->scratch;
    if (own->counted)
        --*priority_count(context, task);
    own->counted = false;
}

static void priority_task_start(struct ct_context *context, const struct ct_task *task) {
    const struct priority_options *options = context->options;
    if (options->holds == HOLDS_WAITING && task->client->role == CT_SERVICE)
        priority_task_done(context, task);
}

/* Batch after every service, whatever the numbers given to `priority`. */
static int64_t priority_rank(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    int64_t role = task->client->role == CT_SERVICE ? 0 : INT64_C(1) << 33;
    return role - task->client->priority;
}

static bool priority_issue(struct ct_context *context, const struct ct_task *task) {
    struct priority_task *own = task->scratch;
    if (!context->host->issue(context, task, NULL))
        return false;
    if (task->kind != CT_TASK_COPY) {
        ++*priority_count(context, task);
        own->counted = true;
    }
    return true;
}

enum { HELD_BY_SERVICE, HELD_BY_BATCH };

static const struct ct_reason reasons[] = {
    [HELD_BY_SERVICE] = {"held_service_kernels",
                         "{held_service_kernels kernel|kernels} of services under way or ready",
                         CT_VERB_HOLD},
    [HELD_BY_BATCH] = {"held_batch_kernels",
                       "{held_batch_kernels kernel|kernels} of batch work under way", CT_VERB_HOLD},
    {0},
};

/* A batch kernel against the rule. */
static bool priority_admits(struct ct_context *context, const struct ct_task *task,
                            bool service_waits) {
    const struct priority_options *options = context->options;
    const struct priority_state *state = context->state;
    struct priority_task *own = task->scratch;
    bool service = service_waits || state->service_kernels > 0;
    if (!service && state->batch_kernels < options->ahead)
        return true;
    gate_hold(context, task, &own->held, reasons, service ? HELD_BY_SERVICE : HELD_BY_BATCH,
              (double)(service ? state->service_kernels : state->batch_kernels));
    return false;
}

static void priority_force(struct ct_context *context, const struct ct_task *task) {
    priority_issue(context, task);
}

static void priority_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    const struct ct_host *host = context->host;
    bool service_waits = false; /* a service kernel is ready that could not be issued */
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        bool kernel = task->kind != CT_TASK_COPY;
        bool service = task->client->role == CT_SERVICE;
        if (kernel && !service && !priority_admits(context, task, service_waits))
            continue;
        bool issued = priority_issue(context, task);
        service_waits |= kernel && service && !issued;
    }
}

static const char *const priority_holds[] = {"unfinished", "waiting", NULL};

static const struct ct_option priority_options[] = {
    {"ahead", CT_OPTION_INT, offsetof(struct priority_options, ahead), "", 1, 1024, "1", NULL,
     "unfinished batch kernels at most while one more is issued"},
    {"holds", CT_OPTION_CHOICE, offsetof(struct priority_options, holds), "", 0, 0, "unfinished",
     priority_holds, "issued service kernels that hold a batch kernel: all, or those that wait"},
    {0},
};

const struct ct_policy policy_priority = {
    POLICIES_HEAD("priority"),
    .summary = "services first, batch kernels only while no service kernel is ready or issued",
    .source = "Baymax (ASPLOS'16) section 2.2, after TimeGraph and GPUSync",
    .features = CT_REORDERS,
    .sharing = CT_SHARING_MPS,
    .options = priority_options,
    .options_size = sizeof(struct priority_options),
    .state_size = sizeof(struct priority_state),
    .task_size = sizeof(struct priority_task),
    .task_start = priority_task_start,
    .task_done = priority_task_done,
    .rank = priority_rank,
    .decide = priority_decide,
    .force = priority_force,
    .reasons = reasons,
};
