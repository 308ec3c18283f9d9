/*
 * rule: what somebody wrote in a handful of expressions (rule_program.h has the language).
 *
 * The ready pool is walked in the order of `first`, larger first, ties in the order of launch. A
 * task for which `pass` holds is issued, bound to `share` of the SMs, what is beyond all or none to
 * the nearest; the others wait until something happens, or until `again`. What was issued counts at
 * once for those behind it. What is not written: everything passes, in the order of launch, with
 * all SMs.
 */
#include "policies/gate.h"
#include "policies/policies.h"
#include "policies/rule_program.h"

#include <math.h>

#define MS 1e9
#define FULL_SHARE 1000

struct rule_options {
    const char *text;
};

struct rule_state {
    struct rule_program program;
    double scene[RULE_FIELD_COUNT]; /* what is the same for all tasks, as of now */
    int64_t ready[2], issued[2];    /* tasks by role */
    int64_t queries;
    /* Issued tasks whose duration is predicted: how many wait for the device and their sum, and
     * those that it has begun. */
    uint64_t waiting;
    double waiting_ms;
    struct rule_task *running;
    int64_t look_at_ps; /* of the timer under way; 0: none */
    uint64_t held, shares_beyond;
    bool matched[RULE_STEPS]; /* by step: patterns that matched a name */
};

struct rule_client {
    int64_t issued;
};

struct rule_task {
    double predicted_ms; /* NAN: unknown */
    int64_t started_ps;
    struct rule_task *before, *after; /* among those that run */
    bool issued, held, runs;
};

/* ---- What a rule reads ---- */

static double in_ms(int64_t ps) {
    return (double)ps / MS;
}

/* Time until a job misses its target, in ms; unknown without one. */
static double slack_of(const struct ct_job *job, int64_t now_ps) {
    return job->target_ps > 0 ? in_ms(job->target_ps - (now_ps - job->arrival_ps)) : (double)NAN;
}

/* The least time that an unfinished query of a service has before it misses its target. The oldest
 * one has it where all have the same. */
static double least_slack(struct ct_context *context) {
    const struct ct_host *host = context->host;
    int64_t now_ps = host->now(context);
    double least = (double)NAN;
    for (const struct ct_client *client = NULL; (client = gate_next_client(context, client));) {
        if (client->role != CT_SERVICE)
            continue;
        for (const struct ct_job *job = host->job_next(context, client, NULL); job;
             job = client->qos_ps > 0 ? NULL : host->job_next(context, client, job))
            least = fmin(least, slack_of(job, now_ps));
    }
    return least;
}

/* What is left of the predictions of issued tasks: the device has taken its time from those that
 * run, and one that takes longer than was predicted is over by its prediction. */
static double predicted_left(const struct rule_state *state, int64_t now_ps) {
    double left = state->waiting_ms;
    for (const struct rule_task *task = state->running; task; task = task->after)
        left += fmax(0, task->predicted_ms - in_ms(now_ps - task->started_ps));
    return left;
}

/* Everything but what is a task's own. */
static void look_around(struct ct_context *context) {
    struct rule_state *state = context->state;
    double *scene = state->scene;
    scene[RULE_NOW] = in_ms(context->host->now(context));
    scene[RULE_READY_SERVICE] = (double)state->ready[CT_SERVICE];
    scene[RULE_READY_BATCH] = (double)state->ready[CT_BATCH];
    scene[RULE_ISSUED_SERVICE] = (double)state->issued[CT_SERVICE];
    scene[RULE_ISSUED_BATCH] = (double)state->issued[CT_BATCH];
    scene[RULE_QUERIES] = (double)state->queries;
    if (state->program.reads[RULE_ISSUED_PREDICTED])
        scene[RULE_ISSUED_PREDICTED] = predicted_left(state, context->host->now(context));
    if (state->program.reads[RULE_SLACK])
        scene[RULE_SLACK] = least_slack(context);
}

static void look_at_app(double *field, const struct ct_client *client) {
    const struct rule_client *own = client->scratch;
    field[RULE_APP_SERVICE] = client->role == CT_SERVICE;
    field[RULE_APP_BATCH] = client->role == CT_BATCH;
    field[RULE_APP_PRIORITY] = client->priority;
    field[RULE_APP_TARGET] = client->qos_ps > 0 ? in_ms(client->qos_ps) : (double)NAN;
    field[RULE_APP_INSTANCE] = client->instance;
    field[RULE_APP_ISSUED] = (double)own->issued;
}

static void look_at_job(double *field, const struct ct_job *job, int64_t now_ps) {
    field[RULE_JOB_AGE] = in_ms(now_ps - job->arrival_ps);
    field[RULE_JOB_SLACK] = slack_of(job, now_ps);
    field[RULE_JOB_LEFT] = (double)(job->tasks - job->tasks_done);
    field[RULE_JOB_NUMBER] = (double)job->number;
}

static void look_at_task(double *field, const struct ct_task *task, int64_t now_ps) {
    const struct rule_task *own = task->scratch;
    bool kernel = task->kind == CT_TASK_KERNEL;
    double blocks = (double)task->grid[0] * task->grid[1] * task->grid[2];
    double held_at_once = (double)task->blocks_per_sm * field[RULE_SMS];
    field[RULE_TASK_KERNEL] = kernel;
    field[RULE_TASK_COPY] = task->kind == CT_TASK_COPY;
    field[RULE_TASK_BYTES] = kernel ? (double)NAN : (double)task->bytes;
    field[RULE_TASK_BLOCKS] = kernel ? blocks : (double)NAN;
    field[RULE_TASK_THREADS] =
        kernel ? (double)task->block[0] * task->block[1] * task->block[2] : (double)NAN;
    field[RULE_TASK_WAVES] = kernel && held_at_once > 0 ? ceil(blocks / held_at_once) : (double)NAN;
    field[RULE_TASK_WAITED] = in_ms(now_ps - task->ready_ps);
    field[RULE_TASK_PREDICTED] = own->predicted_ms;
}

/* A part of the rule for a task of the ready pool, as things are now. */
static double rule_of(struct ct_context *context, const struct ct_task *task, enum rule_part part) {
    struct rule_state *state = context->state;
    struct rule_names names = {task->client->name, task->function};
    int64_t now_ps = context->host->now(context);
    look_around(context);
    look_at_app(state->scene, task->client);
    look_at_job(state->scene, task->job, now_ps);
    look_at_task(state->scene, task, now_ps);
    return rule_value(&state->program, part, state->scene, &names);
}

/* ---- What happens ---- */

static bool rule_valid(const void *options, char *reason) {
    struct rule_program program;
    return rule_compile(((const struct rule_options *)options)->text, &program, reason);
}

static bool rule_init(struct ct_context *context) {
    struct rule_state *state = context->state;
    const struct rule_options *options = context->options;
    struct ct_device_info device = {0};
    char error[CT_OPTIONS_FAULT_BYTES];
    context->host->device(context, &device);
    state->scene[RULE_SMS] = (double)device.sms;
    return rule_compile(options->text, &state->program, error);
}

static void rule_client_join(struct ct_context *context, const struct ct_client *client) {
    struct rule_state *state = context->state;
    rule_match(&state->program, &(struct rule_names){.app = client->name}, state->matched);
}

static void rule_job_begin(struct ct_context *context, const struct ct_job *job) {
    ((struct rule_state *)context->state)->queries += job->client->role == CT_SERVICE;
}

static void rule_job_end(struct ct_context *context, const struct ct_job *job) {
    ((struct rule_state *)context->state)->queries -= job->client->role == CT_SERVICE;
}

static void rule_task_ready(struct ct_context *context, const struct ct_task *task) {
    struct rule_state *state = context->state;
    struct rule_task *own = task->scratch;
    struct ct_prediction prediction = {.duration_ps = (double)NAN};
    bool asked =
        state->program.reads[RULE_TASK_PREDICTED] || state->program.reads[RULE_ISSUED_PREDICTED];
    state->ready[task->client->role]++;
    rule_match(&state->program, &(struct rule_names){.kernel = task->function}, state->matched);
    own->predicted_ms = asked && context->host->predict_task(context, task, FULL_SHARE, &prediction)
                            ? prediction.duration_ps / MS
                            : (double)NAN;
}

static void count_issued(struct ct_context *context, const struct ct_task *task, int64_t by) {
    struct rule_state *state = context->state;
    state->issued[task->client->role] += by;
    ((struct rule_client *)task->client->scratch)->issued += by;
}

static void begin_waiting(struct rule_state *state, const struct rule_task *task) {
    state->waiting++;
    state->waiting_ms += task->predicted_ms;
}

static void end_waiting(struct rule_state *state, const struct rule_task *task) {
    state->waiting--;
    state->waiting_ms =
        state->waiting ? state->waiting_ms - task->predicted_ms : 0; /* no rounding is carried on */
}

static void begin_running(struct rule_state *state, struct rule_task *task) {
    task->runs = true;
    task->after = state->running;
    if (task->after)
        task->after->before = task;
    state->running = task;
}

static void end_running(struct rule_state *state, struct rule_task *task) {
    if (task->before)
        task->before->after = task->after;
    else
        state->running = task->after;
    if (task->after)
        task->after->before = task->before;
}

static void rule_task_start(struct ct_context *context, const struct ct_task *task) {
    struct rule_task *own = task->scratch;
    if (!own->issued || own->runs || isnan(own->predicted_ms))
        return;
    own->started_ps = task->started_ps;
    end_waiting(context->state, own);
    begin_running(context->state, own);
}

static void rule_task_done(struct ct_context *context, const struct ct_task *task) {
    struct rule_task *own = task->scratch;
    if (!own->issued)
        return;
    count_issued(context, task, -1);
    if (isnan(own->predicted_ms))
        return;
    if (own->runs)
        end_running(context->state, own);
    else
        end_waiting(context->state, own);
    context->host->feedback(context, task);
}

/* Larger first, to a millionth; what is unknown last. */
static int64_t rule_rank(struct ct_context *context, const struct ct_task *task) {
    const struct rule_state *state = context->state;
    if (!rule_has(&state->program, RULE_FIRST))
        return 0;
    double first = rule_of(context, task, RULE_FIRST) * 1e6;
    if (isnan(first))
        return INT64_MAX;
    return -(int64_t)fmax(fmin(first, 9e18), -9e18);
}

static void issue(struct ct_context *context, const struct ct_task *task) {
    struct rule_state *state = context->state;
    struct rule_task *own = task->scratch;
    struct ct_grant grant = {.share = FULL_SHARE};
    double share = rule_has(&state->program, RULE_SHARE) && task->kind == CT_TASK_KERNEL
                       ? rule_of(context, task, RULE_SHARE)
                       : (double)NAN;
    if (!isnan(share))
        grant.share = (int64_t)fmax(fmin(round(share * FULL_SHARE), FULL_SHARE), 1);
    bool bound = grant.share < FULL_SHARE;
    if (!context->host->issue(context, task, bound ? &grant : NULL))
        return;
    own->issued = true;
    state->shares_beyond += !rule_is_share(share);
    state->ready[task->client->role]--;
    count_issued(context, task, 1);
    if (!isnan(own->predicted_ms))
        begin_waiting(state, own);
}

enum { HELD };

static const struct ct_reason reasons[] = {
    [HELD] = {"held_pass", "its rule does not let it pass", CT_VERB_HOLD},
    {0},
};

static void hold(struct ct_context *context, const struct ct_task *task) {
    struct rule_task *own = task->scratch;
    if (own->held)
        return;
    own->held = true;
    ((struct rule_state *)context->state)->held++;
    context->host->hold(context, task, HELD);
}

/* One timer at a time, and none closer than a microsecond. */
static void look_again(struct ct_context *context, double after_ms) {
    struct rule_state *state = context->state;
    int64_t now = context->host->now(context);
    if (isnan(after_ms) || after_ms > 1e6 || state->look_at_ps > now)
        return;
    int64_t at = now + (int64_t)round(fmax(after_ms, 1e-3) * MS);
    if (context->host->timer(context, at, 0))
        state->look_at_ps = at;
}

static void rule_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    const struct ct_host *host = context->host;
    const struct rule_state *state = context->state;
    const struct ct_task *held = NULL;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        double pass = rule_has(&state->program, RULE_PASS) ? rule_of(context, task, RULE_PASS) : 1;
        if (pass != 0 && !isnan(pass)) {
            issue(context, task);
        } else {
            hold(context, task);
            held = held ? held : task;
        }
    }
    if (held && rule_has(&state->program, RULE_AGAIN))
        look_again(context, rule_of(context, held, RULE_AGAIN));
}

static void rule_report(struct ct_context *context) {
    const struct rule_state *state = context->state;
    context->host->print(context, "tasks_held", (double)state->held);
    if (rule_has(&state->program, RULE_SHARE))
        context->host->print(context, RULE_SHARES_BEYOND, (double)state->shares_beyond);
    if (state->program.has_patterns)
        context->host->print(context, RULE_UNMATCHED,
                             rule_unmatched(&state->program, state->matched));
}

static const struct ct_option rule_options[] = {
    {"file", CT_OPTION_FILE, offsetof(struct rule_options, text), "", 0, 0, "", NULL,
     "text file with the rule; none: everything passes"},
    {0},
};

const struct ct_policy policy_rule = {
    POLICIES_HEAD("rule"),
    .summary = "a rule of one's own in a handful of expressions",
    .source = "",
    .features = CT_KNOWS_TARGETS | CT_PREDICTS | CT_REORDERS | CT_BINDS_SHARES,
    .sharing = CT_SHARING_MPS,
    .options = rule_options,
    .options_size = sizeof(struct rule_options),
    .state_size = sizeof(struct rule_state),
    .client_size = sizeof(struct rule_client),
    .task_size = sizeof(struct rule_task),
    .init = rule_init,
    .client_join = rule_client_join,
    .job_begin = rule_job_begin,
    .job_end = rule_job_end,
    .task_ready = rule_task_ready,
    .task_start = rule_task_start,
    .task_done = rule_task_done,
    .rank = rule_rank,
    .decide = rule_decide,
    .report = rule_report,
    .reasons = reasons,
    .options_valid = rule_valid,
};
