/* From what a profiler recorded on a stream to what a stream can do: one task after the other, each
 * some time long. */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <stdio.h>
#include <string.h>

/* A start, a duration and the next start are each off by less than a step of the clock, whichever
 * way they were rounded: together by at most two whole steps. */
enum { STEPS_OF_ROUNDING = 2 };

static int compare_in_stream(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    return ct_then(ct_order(x->stream, y->stream), import_compare_starts(a, b));
}

/* 0 in a file of whole microseconds is half a microsecond, assumed. */
static void settle_duration(struct import_task *task, ct_time_ps resolution_ps) {
    if (task->duration_ps > 0)
        return;
    task->duration_ps = resolution_ps > 1 ? resolution_ps / 2 : 1;
    task->flags |= TRACE_DURATION_ASSUMED;
}

/* Two threads may launch into one stream; the device shows whose call was served first. */
static void settle_order(struct import_task *task, ct_time_ps *latest_launch) {
    if (task->launch_begin_ps < *latest_launch)
        task->launch_begin_ps = *latest_launch;
    if (task->launch_end_ps < task->launch_begin_ps)
        task->launch_end_ps = task->launch_begin_ps;
    *latest_launch = task->launch_begin_ps;
}

bool import_same_graph(const struct import_task *a, const struct import_task *b) {
    return a->launch_begin_ps != CT_TIME_NEVER &&
           !((a->flags | b->flags) & TRACE_HOST_GAP_ASSUMED) &&
           a->launch_begin_ps == b->launch_begin_ps && a->launch_thread == b->launch_thread &&
           a->launch_end_ps == b->launch_end_ps;
}

/* The stream of a task with another lane number. */
static bool move_to_lane(struct import_builder *builder, struct import_task *task, uint64_t lane) {
    struct import_stream stream;
    memcpy(&stream, ct_intern_get(&builder->streams, task->stream), sizeof stream);
    stream.lane = lane;
    task->stream = ct_intern_add(&builder->streams, &stream, sizeof stream);
    return task->stream != UINT32_MAX;
}

/* The state of one stream while its tasks pass by in the order of their starts. */
struct passing {
    const struct import_task *before, *before_that; /* on the stream itself */
    const struct import_task *branch; /* last one moved aside, until the stream joins it */
    ct_time_ps recorded_end_ps;       /* of `before`, before it was moved */
    ct_time_ps latest_launch_ps, first_launch_ps; /* recorded; CT_TIME_NEVER: none is */
    bool seen_launch;
};

/*
 * A task without a launch record in a recording that has them. Its launch is taken to be right
 * behind the one before it, or at its start where the device had been idle. Before the stream's
 * first recorded launch it was launched before the recording began: no later than that one, since
 * the stream is in order. Later its record was lost.
 */
static void settle_missing_launch(struct import_task *task, const struct passing *p) {
    if (task->launch_begin_ps != CT_TIME_NEVER)
        return;
    bool queued = p->before && task->start_ps - import_task_end(p->before) < IMPORT_ASYNC_GAP_PS;
    ct_time_ps launch = queued ? p->before->launch_begin_ps : task->start_ps;
    task->before_recording = !p->seen_launch && p->first_launch_ps != CT_TIME_NEVER;
    if (task->before_recording && launch > p->first_launch_ps)
        launch = p->first_launch_ps;
    task->launch_begin_ps = task->launch_end_ps = launch;
    task->flags |= TRACE_HOST_GAP_ASSUMED;
}

/* How far behind its recorded start a task was moved, or how long two ran beside each other. */
static void count_overlap(struct import_overlaps *overlaps, ct_time_ps overlap) {
    overlaps->tasks++;
    if (overlap > overlaps->longest_ps)
        overlaps->longest_ps = overlap;
}

/* Moves a task to a lane of its own, behind what the stream had finished before the task that it
 * overlaps. */
static bool move_aside(struct import_builder *builder, struct passing *p,
                       struct import_task *task) {
    task->branch_of = p->before_that ? p->before_that->order : TRACE_NONE;
    p->branch = task;
    return move_to_lane(builder, task, 1);
}

/* Work begins at the end of the one before, but a kernel beside a kernel was there earlier: no
 * earlier than that one's own work began, for two of a stream are all that there are at once. */
static void come_early(const struct import_task *before, struct import_task *task) {
    ct_time_ps end = import_task_end(task), before_end = import_task_end(before);
    ct_time_ps early = before_end - task->start_ps;
    task->duration_ps = end - before_end;
    if (before->kind == TRACE_KERNEL && task->kind == TRACE_KERNEL)
        task->lag_ps = early < before->duration_ps ? -early : -before->duration_ps;
}

/*
 * Decides on one overlap. Within the clock's steps the start moves. Kernels of one graph launch
 * that ran side by side are branches. All others truly overlapped, as kernels with programmatic
 * launches may: one that also ended inside the one before it ran beside it; else it came early and
 * waited, and only what it did after the end of the one before is work.
 */
static bool settle_overlap(struct import_builder *builder, struct import_group *group,
                           struct passing *p, struct import_task *task, bool *aside) {
    ct_time_ps recorded = p->recorded_end_ps - task->start_ps;
    ct_time_ps end = import_task_end(task), before_end = import_task_end(p->before);
    bool true_overlap = recorded > STEPS_OF_ROUNDING * group->resolution_ps;
    bool branch = true_overlap && import_same_graph(p->before, task);
    *aside = branch || (true_overlap && end <= before_end);
    if (recorded > 0 && !branch)
        count_overlap(true_overlap ? &group->overlapping : &group->clipped, recorded);
    if (*aside)
        return move_aside(builder, p, task);
    if (true_overlap)
        come_early(p->before, task);
    if (task->start_ps < before_end)
        task->start_ps = before_end;
    return true;
}

static void report_overlaps(const struct import_builder *builder,
                            const struct import_group *group) {
    const struct import_overlaps *clipped = &group->clipped, *overlapping = &group->overlapping;
    if (clipped->tasks)
        ct_notice(builder->diags, import_place(builder),
                  "%zu tasks begin before the one before in their stream ends, by %.3f us at most: "
                  "within the steps of the clock, so they are moved behind it",
                  clipped->tasks, (double)clipped->longest_ps / (double)CT_PS_PER_US);
    if (!overlapping->tasks)
        return;
    char text[300];
    snprintf(text, sizeof text,
             "%zu tasks overlap the one before in their stream, by %.3f us at most: in a run they "
             "come as early, and wait for its end; one that ended before it runs beside it",
             overlapping->tasks, (double)overlapping->longest_ps / (double)CT_PS_PER_US);
    if (group->programmatic_launches)
        ct_notice(builder->diags, import_place(builder), "%s", text);
    else
        ct_warning(builder->diags, import_place(builder),
                   "%s; this GPU knows no programmatic launches: is it the recorded one, and are "
                   "the streams of one process?",
                   text);
}

static bool pass(struct import_builder *builder, struct import_group *group, struct passing *p,
                 struct import_task *task) {
    bool aside = false;
    if (group->launches_recorded) {
        p->seen_launch = p->seen_launch || task->launch_begin_ps != CT_TIME_NEVER;
        settle_missing_launch(task, p);
        settle_order(task, &p->latest_launch_ps);
    }
    settle_duration(task, group->resolution_ps);
    ct_time_ps recorded_end = import_task_end(task);
    if (p->before && !settle_overlap(builder, group, p, task, &aside))
        return false;
    if (aside)
        return true;
    if (p->branch && import_task_end(p->branch) <= task->start_ps) {
        task->joins = p->branch->order;
        p->branch = NULL;
    }
    p->before_that = p->before;
    p->before = task;
    p->recorded_end_ps = recorded_end;
    return true;
}

/* The first recorded launch of a stream, whose tasks lie side by side from `first` on;
 * CT_TIME_NEVER: none is recorded. */
static ct_time_ps first_launch(const struct import_group *group, size_t first) {
    uint32_t stream = group->tasks.items[first]->stream;
    for (size_t i = first; i < group->tasks.count && group->tasks.items[i]->stream == stream; i++)
        if (group->tasks.items[i]->launch_begin_ps != CT_TIME_NEVER)
            return group->tasks.items[i]->launch_begin_ps;
    return CT_TIME_NEVER;
}

/* Without any launch record a task counts as launched when it started. */
static void launch_at_start(struct import_group *group) {
    for (size_t i = 0; i < group->tasks.count; i++) {
        struct import_task *task = group->tasks.items[i];
        task->launch_begin_ps = task->launch_end_ps = task->start_ps;
    }
}

static int compare_times(const void *a, const void *b) {
    ct_time_ps x = *(const ct_time_ps *)a, y = *(const ct_time_ps *)b;
    return ct_order(x, y);
}

/* What a launch's call takes when it need not wait: the median of all. -1 when memory ran out. */
static ct_time_ps usual_call(const struct import_group *group) {
    size_t count = 0;
    ct_time_ps *calls = malloc((group->tasks.count + 1) * sizeof *calls), usual = 0;
    if (!calls)
        return -1;
    for (size_t i = 0; i < group->tasks.count; i++) {
        const struct import_task *task = group->tasks.items[i];
        if (task->kind == TRACE_KERNEL && !(task->flags & TRACE_HOST_GAP_ASSUMED))
            calls[count++] = task->launch_end_ps - task->launch_begin_ps;
    }
    if (count) {
        qsort(calls, count, sizeof *calls, compare_times);
        usual = calls[count / 2];
    }
    free(calls);
    return usual;
}

/* Tasks of one stream lie side by side, in launch order: those between `waiting` and i had not
 * started yet. */
static bool find_blocked_calls(struct import_group *group) {
    ct_time_ps usual = usual_call(group);
    size_t waiting = 0;
    for (size_t i = 0; usual >= 0 && i < group->tasks.count; i++) {
        struct import_task *task = group->tasks.items[i];
        const struct import_task *before = i ? group->tasks.items[i - 1] : NULL;
        if (!before || before->stream != task->stream)
            waiting = i;
        while (waiting < i && group->tasks.items[waiting]->start_ps <= task->launch_begin_ps)
            waiting++;
        ct_time_ps call = task->launch_end_ps - task->launch_begin_ps;
        bool own_call =
            !before || before->stream != task->stream || !import_same_graph(before, task);
        if (i - waiting >= IMPORT_FULL_STREAM && task->memory != TRACE_PAGEABLE && own_call &&
            call > usual)
            task->blocked_ps = call - usual;
    }
    return usual >= 0;
}

bool import_streams_settle(struct import_builder *builder, struct import_group *group) {
    ct_vec_sort(&group->tasks, compare_in_stream);
    uint32_t stream = TRACE_NONE;
    struct passing p = {0};
    for (size_t i = 0; i < group->tasks.count; i++) {
        struct import_task *task = group->tasks.items[i];
        if (task->stream != stream) {
            stream = task->stream;
            p = (struct passing){.latest_launch_ps = -CT_TIME_NEVER,
                                 .first_launch_ps = first_launch(group, i)};
        }
        if (!import_memory_left(builder, pass(builder, group, &p, task)))
            return false;
    }
    if (!group->launches_recorded)
        launch_at_start(group);
    else if (!import_memory_left(builder, find_blocked_calls(group) && import_graphs_settle(group)))
        return false;
    report_overlaps(builder, group);
    return builder->diags->errors == 0;
}
