/*
 * Where a job's time went (docs/model-reference.md, "What is measured"). The walk starts at the
 * last completion and goes back through what each moment waited for; every interval falls to one
 * cause, so the parts add up to the latency to the picosecond. On a running task the interval is
 * split by the device's losses, rounded by largest remainder. Of a job that has not ended the walk
 * starts at the end of the run.
 */
#include "base/ct_apportion.h"
#include "base/ct_row.h"
#include "run/run.h"

#include <string.h>

struct walk {
    struct run *run;
    const struct run_job *job;
    ct_time_ps *parts;
    double *delayed_by_ps; /* by application */
    ct_time_ps cursor;     /* everything after it is accounted for */
};

/* Moves the cursor back to `to`; the time between is `cause`'s. A wait that the run cut short may
 * have begun, by its length, before the job was there. */
static void back_to(struct walk *walk, ct_time_ps to, enum ct_blame cause) {
    to = to > walk->job->received_ps ? to : walk->job->received_ps;
    if (to >= walk->cursor)
        return;
    walk->parts[cause] += walk->cursor - to;
    walk->cursor = to;
}

/* Adds to what delayed the job what each client did, a row of numbers. */
static void account_culprits(struct walk *walk, const double *culprits) {
    const struct run *run = walk->run;
    if (run->each_once)
        ct_row_add(walk->delayed_by_ps, culprits, run->client_count);
    for (uint32_t i = 0; i < run->client_count && !run->each_once; i++)
        walk->delayed_by_ps[run->clients[i].app_index] += culprits[i];
}

/* The parts of a time that are above 0: what was lost, then solo work. */
struct split {
    double weights[DEVICE_LOSS_COUNT + 1], lost;
    enum ct_blame causes[DEVICE_LOSS_COUNT + 1];
    size_t count;
};

static inline void split_add(struct split *split, enum ct_blame cause, double weight) {
    split->causes[split->count] = cause;
    split->weights[split->count++] = weight;
}

static inline void split_add_loss(struct split *split, enum ct_blame cause, double loss_ps) {
    if (!(loss_ps > 0))
        return;
    split_add(split, cause, loss_ps);
    split->lost += loss_ps;
}

static void split_out(struct walk *walk, const struct split *split, ct_time_ps total) {
    ct_time_ps parts[DEVICE_LOSS_COUNT + 1];
    ct_apportion(split->weights, split->count, total, parts);
    for (size_t i = 0; i < split->count; i++)
        walk->parts[split->causes[i]] += parts[i];
}

static void account_running(struct walk *walk, const struct run_trail *trail, uint32_t position) {
    struct split split;
    ct_time_ps total = walk->cursor - trail->started_ps;
    if (total <= 0)
        return;
    split.lost = 0;
    split.count = 0;
#define ADD(name, ...) split_add_loss(&split, CT_BLAME_##name, trail->loss_ps[DEVICE_LOSS_##name]);
    CT_BLAME_ON_DEVICE(ADD)
    walk->cursor = trail->started_ps;
    if (split.lost > 0 || trail->delayed_ps > 0 || trail->started_ps > trail->head_ps)
        account_culprits(walk, run_culprits_of(walk->job, position));
    if (split.lost == 0 && trail->work_ps > 0) { /* most tasks of an application that is alone */
        walk->parts[CT_BLAME_SOLO_WORK] += total;
        return;
    }
    if (split.lost == 0 && !(trail->work_ps > 0)) { /* the run ended before it got anything */
        bool copies = setup_step_crosses_link(&walk->job->plan->steps[position]);
        walk->parts[copies ? CT_BLAME_PCIE_WAIT : CT_BLAME_SM_SHARE] += total;
        return;
    }
    split_add(&split, CT_BLAME_SOLO_WORK, trail->work_ps);
    split_out(walk, &split, total);
}

/* Where the walk goes on: at the end, the issue or the launch of a task. */
enum walk_point { AT_END, AT_ISSUE, AT_LAUNCH };

struct walk_step {
    enum walk_point point;
    uint32_t position;
    bool done;
};

/* What the host did since `from`, of which it had to share its cores for so long: on the launch of
 * a task, or, at the position behind the last, until the end of the job. */
static void account_host(struct walk *walk, uint32_t position, ct_time_ps from,
                         ct_time_ps cores_ps) {
    const uint32_t clients = walk->run->client_count;
    back_to(walk, from + cores_ps, CT_BLAME_HOST);
    if (cores_ps > 0 && walk->job->host.culprits)
        account_culprits(walk, walk->job->host.culprits + (size_t)position * clients);
    back_to(walk, from, CT_BLAME_HOST_CORES);
}

/* From the launch of a task to what released it. */
static struct walk_step before_launch(struct walk *walk, uint32_t position) {
    const struct run_trail *trail = &walk->job->trail[position];
    if (trail->release == RUN_BY_JOB_START) {
        ct_time_ps gap = walk->job->plan->steps[position].gap_ps;
        account_host(walk, position, trail->launched_ps - gap - trail->cores_ps, trail->cores_ps);
        return (struct walk_step){.done = true};
    }
    const struct run_trail *releaser = &walk->job->trail[trail->released_by];
    ct_time_ps from = trail->release == RUN_BY_TASK ? releaser->ended_ps : releaser->launched_ps;
    account_host(walk, position, from, trail->cores_ps);
    return (struct walk_step){trail->release == RUN_BY_TASK ? AT_END : AT_LAUNCH,
                              trail->released_by, false};
}

/* A dependency on another stream that ended when the task became ready. */
static uint32_t releasing_dependency(const struct walk *walk, uint32_t position) {
    const struct setup_plan *plan = walk->job->plan;
    const struct setup_step *step = &plan->steps[position];
    for (uint32_t i = 0; i < step->dependency_count; i++) {
        uint32_t other = plan->dependencies[step->first_dependency + i];
        if (walk->job->trail[other].ended_ps == walk->cursor)
            return other;
    }
    return RUN_NOBODY;
}

/* From the issue of a task through the ready pool to its launch, or to the issue of the task before
 * it. */
static struct walk_step before_issue(struct walk *walk, uint32_t position) {
    const struct run_trail *trail = &walk->job->trail[position];
    /* While the task before it in its stream ran it could not have started: the pool cost it
     * nothing. */
    if (trail->stream_before != RUN_NOBODY) {
        ct_time_ps ended = walk->job->trail[trail->stream_before].ended_ps;
        if (ended > trail->ready_ps && ended <= walk->cursor) {
            back_to(walk, ended, CT_BLAME_READY_POOL);
            return (struct walk_step){AT_END, trail->stream_before, false};
        }
    }
    back_to(walk, trail->ready_ps, CT_BLAME_READY_POOL);
    back_to(walk, trail->ready_ps - trail->predicting_ps, CT_BLAME_DECISION);
    uint32_t dependency = releasing_dependency(walk, position);
    if (dependency != RUN_NOBODY)
        return (struct walk_step){AT_END, dependency, false};
    if (trail->stream_before != RUN_NOBODY) {
        const struct run_trail *before = &walk->job->trail[trail->stream_before];
        if (before->issued_ps > trail->launched_ps) {
            back_to(walk, before->issued_ps, CT_BLAME_DECISION);
            return (struct walk_step){AT_ISSUE, trail->stream_before, false};
        }
    }
    back_to(walk, trail->launched_ps, CT_BLAME_DECISION);
    return before_launch(walk, position);
}

/* How long a task that was let go at `let_go_ps` had stood still: since it was handed to the
 * device, if that was when its launch arrived; inside a CUDA graph, since the end of the one
 * before. */
static ct_time_ps stood_still(const struct setup_step *step, const struct run_trail *trail,
                              ct_time_ps let_go_ps) {
    ct_time_ps held = trail->queued_ps - trail->ready_ps;
    if (step->latency_ps > 0 && trail->launched_ps + step->latency_ps + held == let_go_ps)
        return let_go_ps - trail->queued_ps;
    return step->lag_ps > 0 ? step->lag_ps : 0;
}

/* What a task stands still is the job's own: alone, it does so, too. */
static struct walk_step before_end(struct walk *walk, uint32_t position) {
    const struct run_trail *trail = &walk->job->trail[position];
    const struct setup_step *step = &walk->job->plan->steps[position];
    const ct_time_ps lag = step->lag_ps;
    const struct walk_step before = {AT_END, trail->stream_before, false};
    ct_time_ps ended =
        trail->stream_before == RUN_NOBODY ? -1 : walk->job->trail[trail->stream_before].ended_ps;
    ct_time_ps launched = trail->head_ps - trail->delayed_ps,
               came = launched - stood_still(step, trail, launched);
    account_running(walk, trail, position);
    if (lag < 0 && ended > trail->head_ps) { /* it came early, and waited for that end */
        back_to(walk, ended, CT_BLAME_DEVICE_QUEUE);
        return before;
    }
    back_to(walk, trail->head_ps, CT_BLAME_DEVICE_QUEUE);
    back_to(walk, launched, CT_BLAME_SM_CONTENTION); /* phi */
    back_to(walk, came, CT_BLAME_SOLO_WORK);
    if (ended >= came && came > trail->queued_ps)
        return before;
    back_to(walk, trail->queued_ps, CT_BLAME_DEVICE_QUEUE);
    back_to(walk, trail->issued_ps, CT_BLAME_DECISION);
    return before_issue(walk, position);
}

static uint32_t last_to_end(const struct run_job *job) {
    uint32_t last = 0;
    for (uint32_t i = 1; i < job->next; i++)
        if (job->trail[i].ended_ps > job->trail[last].ended_ps)
            last = i;
    return last;
}

static struct walk walk_begin(struct run *run, const struct run_job *job, ct_time_ps *parts,
                              double *delayed_by_ps) {
    memset(parts, 0, CT_BLAME_COUNT * sizeof *parts);
    memset(delayed_by_ps, 0, run->setup->app_count * sizeof *delayed_by_ps);
    return (struct walk){run, job, parts, delayed_by_ps, des_engine_now(run->engine)};
}

/* Walks back from the end of a task. */
static void walk_back(struct walk *walk, uint32_t position) {
    struct walk_step step = {AT_END, position, false};
    while (!step.done) {
        if (step.point == AT_END)
            step = before_end(walk, step.position);
        else if (step.point == AT_ISSUE)
            step = before_issue(walk, step.position);
        else
            step = before_launch(walk, step.position);
    }
}

/* All tasks that were launched have ended. */
static void walk_from_host(struct walk *walk, ct_time_ps cores_ps) {
    uint32_t last = last_to_end(walk->job);
    account_host(walk, walk->job->next, walk->job->trail[last].ended_ps, cores_ps);
    walk_back(walk, last);
}

void blame_job(struct run *run, const struct run_job *job, ct_time_ps *parts,
               double *delayed_by_ps) {
    struct walk walk = walk_begin(run, job, parts, delayed_by_ps);
    walk_from_host(&walk, job->cores_ps);
    back_to(&walk, job->received_ps, CT_BLAME_OWN_QUEUE);
}

/* ---- A job that has not ended ---- */

void blame_on_device(struct run_task *task) {
    if (!task->job->trail)
        return;
    struct run_trail *trail = &task->job->trail[task->position];
    trail->head_ps = task->device.head_ps;
    trail->delayed_ps = task->device.delayed_ps;
    trail->started_ps = task->device.started_ps;
    memcpy(trail->loss_ps, task->device.loss_ps, sizeof trail->loss_ps);
}

/* What has not happened to the task yet happens now. */
static void happen_now(struct run_trail *trail, ct_time_ps now) {
    ct_time_ps *const times[] = {&trail->ready_ps, &trail->issued_ps, &trail->queued_ps,
                                 &trail->head_ps, &trail->started_ps};
    for (size_t i = 0; i < CT_COUNT_OF(times); i++)
        if (*times[i] < 0)
            *times[i] = now;
}

/* The first task that has not ended: the tasks that it waited for are before it. */
static uint32_t first_open(const struct run_job *job) {
    uint32_t position = 0;
    while (position < job->next && job->launches[position].done)
        position++;
    return position;
}

void blame_unfinished(struct run *run, struct run_job *job, ct_time_ps *parts,
                      double *delayed_by_ps) {
    struct walk walk = walk_begin(run, job, parts, delayed_by_ps);
    uint32_t open = job->view.active ? first_open(job) : 0;
    if (job->view.active && open < job->next) {
        struct run_trail *trail = &job->trail[open];
        if (trail->queued_ps >= 0 && trail->started_ps < 0) /* it waits on the device */
            account_culprits(&walk, run_culprits_of(job, open));
        happen_now(trail, walk.cursor);
        walk_back(&walk, open);
    } else if (open > 0) {
        walk_from_host(&walk, 0);
    } else if (job->view.active) {
        back_to(&walk, job->room->started_ps, CT_BLAME_HOST);
    }
    back_to(&walk, job->received_ps, CT_BLAME_OWN_QUEUE);
}
