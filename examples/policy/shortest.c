/*
 * shortest: the kernel with the shortest predicted duration first, one at a time; copies at once.
 *
 * Shortest-job-first keeps the mean wait low and lets long kernels wait: `max_ms` is how long one
 * may, after which it counts as short. Kernels of unknown duration count as long ones.
 */
#include <ct_policy.h>

struct options {
    double max_ms;
};

struct state {
    uint32_t under_way;
};

struct task {
    int64_t length_ps; /* INT64_MAX: unknown */
    bool issued, held;
};

/* Why a kernel waits, for `cotenant explain`: {KEY} is a note's number, [ ] is left out without. */
enum { BEHIND_ANOTHER };

static const struct ct_reason reasons[] = {
    [BEHIND_ANOTHER] = {"held_behind_another",
                        "[predicted {" CT_NOTE_HELD_PREDICTION "}, ]another kernel was under way",
                        CT_VERB_HOLD},
    {0},
};

static void task_ready(struct ct_context *context, const struct ct_task *task) {
    struct task *own = task->scratch;
    struct ct_prediction prediction;
    own->length_ps = INT64_MAX;
    if (context->host->predict_task(context, task, 1000, &prediction) &&
        prediction.duration_ps >= 0 && prediction.duration_ps < 1e15)
        own->length_ps = (int64_t)prediction.duration_ps;
}

static int64_t rank(struct ct_context *context, const struct ct_task *task) {
    const struct options *options = context->options;
    const struct task *own = task->scratch;
    double waited_ms = (double)(context->host->now(context) - task->ready_ps) / 1e9;
    return task->kind == CT_TASK_COPY || waited_ms > options->max_ms ? 0 : own->length_ps;
}

/* Once is enough. It changes nothing but what can be explained later. */
static void say_why(struct ct_context *context, const struct ct_task *task) {
    struct task *own = task->scratch;
    if (own->held)
        return;
    own->held = true;
    context->host->hold(context, task, BEHIND_ANOTHER);
    if (own->length_ps < INT64_MAX)
        context->host->note(context, task, CT_NOTE_HELD_PREDICTION, (double)own->length_ps);
}

static void decide(struct ct_context *context, uint32_t why) {
    (void)why;
    const struct ct_host *host = context->host;
    struct state *state = context->state;
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task)) {
        struct task *own = task->scratch;
        bool kernel = task->kind != CT_TASK_COPY;
        if (kernel && state->under_way > 0) {
            say_why(context, task);
            continue;
        }
        own->issued = host->issue(context, task, NULL) && kernel;
        state->under_way += own->issued;
    }
}

static void task_done(struct ct_context *context, const struct ct_task *task) {
    struct state *state = context->state;
    const struct task *own = task->scratch;
    context->host->feedback(context, task);
    state->under_way -= own->issued;
}

static const struct ct_option options_table[] = {
    {"max_ms", CT_OPTION_DOUBLE, offsetof(struct options, max_ms), "ms", 0, 1e6, "50", NULL,
     "a kernel that has waited longer goes before shorter ones"},
    {0},
};

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "shortest",
    .summary = "the shortest kernel first, one at a time",
    .source = "",
    .features = CT_PREDICTS | CT_REORDERS,
    .sharing = CT_SHARING_MPS,
    .options = options_table,
    .options_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .task_size = sizeof(struct task),
    .task_ready = task_ready,
    .task_done = task_done,
    .rank = rank,
    .decide = decide,
    .reasons = reasons,
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
