/*
 * template: a policy to copy, with what most policies need and a line on each part.
 *
 * It lets services through at once and batch tasks only while fewer than `limit` of them are under
 * way. It is built and tested with the others but not listed. To make a policy of your own, copy
 * this file anywhere, change the name, build it with
 *
 *   cc -std=c17 -shared -fPIC $(pkg-config --cflags cotenant) mine.c -o mine.so
 *
 * and run it with `--policy ./mine.so`.
 */
#include "ct_policy.h"

/* What a user may set. The host fills it from the table below before init. */
struct template_options {
    int64_t limit;
};

/* What the policy remembers: zeroed by the host, one for the run, one for each task. Use no
 * globals, no allocation. */
struct template_state {
    int64_t under_way;
    uint64_t held;
};

struct template_task {
    bool counted, held;
};

/* Where the ready pool is to be walked from: smaller first, the longest ready first among equals.
 */
static int64_t template_rank(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    return task->client->role == CT_SERVICE ? 0 : 1;
}

/* A measurement is there: tell the predictor, and forget what was remembered about the task. */
static void template_task_done(struct ct_context *context, const struct ct_task *task) {
    struct template_state *state = context->state;
    struct template_task *own = task->scratch;
    context->host->feedback(context, task);
    state->under_way -= own->counted;
}

/* Why a task waits, in words, for `cotenant explain`: {KEY} is the number of a note. */
enum { UNDER_WAY };

static const struct ct_reason template_reasons[] = {
    [UNDER_WAY] = {"held_under_way", "{held_under_way batch task|batch tasks} under way",
                   CT_VERB_HOLD},
    {0},
};

/* Says in the decision log why a task waits; once is enough. */
static void template_hold(struct ct_context *context, const struct ct_task *task) {
    struct template_state *state = context->state;
    struct template_task *own = task->scratch;
    if (own->held)
        return;
    own->held = true;
    state->held++;
    context->host->hold(context, task, UNDER_WAY);
    context->host->note(context, task, template_reasons[UNDER_WAY].key, (double)state->under_way);
}

/* Called once per instant when something changed: walk the pool and issue what may go. */
static void template_decide(struct ct_context *context, uint32_t why) {
    (void)why; /* enum ct_why, or-ed; to decide on every change is right for most policies */
    const struct ct_host *host = context->host;
    const struct template_options *options = context->options;
    struct template_state *state = context->state;
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task)) {
        struct template_task *own = task->scratch;
        bool batch = task->client->role == CT_BATCH;
        if (batch && state->under_way >= options->limit) {
            template_hold(context, task);
        } else if (host->issue(context, task, NULL) &&
                   batch) { /* false: rejected, it stays in the pool */
            own->counted = true;
            state->under_way++;
        }
    }
}

/* Lines of the report. */
static void template_report(struct ct_context *context) {
    const struct template_state *state = context->state;
    context->host->print(context, "tasks_held", (double)state->held);
}

/* Name, kind, member, unit, range, default, choices, help: feeds JSON, --set, `cotenant show
 * policy` and the docs. */
static const struct ct_option template_options[] = {
    {"limit", CT_OPTION_INT, offsetof(struct template_options, limit), "", 1, 1024, "4", NULL,
     "batch tasks under way at most"},
    {0},
};

/* Members that are left out are zero: no need, no feature, no hook. */
static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "template",
    .summary = "services at once, batch tasks up to a limit",
    .source = "",
    .features = CT_REORDERS,
    .sharing = CT_SHARING_MPS,
    .options = template_options,
    .options_size = sizeof(struct template_options),
    .state_size = sizeof(struct template_state),
    .task_size = sizeof(struct template_task),
    .task_done = template_task_done,
    .rank = template_rank,
    .decide = template_decide,
    .report = template_report,
    .reasons = template_reasons,
};

/* The one name that a shared object must define. */
const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
