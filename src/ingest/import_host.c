/*
 * The host's side of a job: what it waited for before each launch, and how long it took from there
 * (docs/model-reference.md, "The host"). Replaying a job alone, each stream first in first out,
 * then gives the recorded time line again.
 *
 * The end of a wait is the end of what was waited for, not the return of the call: the time that
 * the call needs to return is the host's and belongs to the gap.
 */
#include "ingest/import_builder_internal.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"

/* A wait that is over: task `target` of the job (TRACE_NONE: all before) ended at `end_ps`. The
 * host went on up to `early_ps` before that. */
struct wait {
    bool valid;
    uint32_t target;
    ct_time_ps end_ps, early_ps;
};

struct host_thread {
    uint64_t thread;
    struct wait wait; /* since the thread's last launch */
};

struct host {
    const struct import_builder *builder;
    struct import_task *const *tasks; /* of the job, in launch order */
    size_t count;
    ct_time_ps *busy_until; /* [i]: latest end of tasks 0 .. i - 1 */
    CT_VEC(struct host_thread) threads;
    CT_VEC(const struct import_sync *) syncs;
    struct wait any_thread; /* since the last launch of any thread */
    const struct import_group *group;
    uint32_t track;
};

static int compare_syncs(const void *a, const void *b) {
    const struct import_sync *x = *(const struct import_sync *const *)a;
    const struct import_sync *y = *(const struct import_sync *const *)b;
    int order = ct_order(x->end_ps, y->end_ps);
    order = order ? order : ct_order(x->begin_ps, y->begin_ps);
    return order ? order : ct_order(x, y); /* of one array: the order in which they were added */
}

static bool is_launched_before(const void *tasks, size_t i, const void *moment) {
    return ((struct import_task *const *)tasks)[i]->launch_begin_ps < *(const ct_time_ps *)moment;
}

/* Tasks launched before a moment. */
static size_t launched_before(const struct host *host, ct_time_ps moment) {
    return ct_lower_bound(host->tasks, host->count, is_launched_before, &moment);
}

static uint64_t raw_stream(const struct host *host, const struct import_task *task) {
    const struct import_stream *s = ct_intern_get(&host->builder->streams, task->stream);
    return s->stream;
}

/* The call of a copy to the device returns when its last piece is staged: recorded calls do 12 to
 * 91 us before the copy ends. */
static ct_time_ps early_return(const struct import_task *task) {
    ct_time_ps end = import_task_end(task);
    bool returned = task->kind == TRACE_COPY && task->direction == TRACE_HOST_TO_DEVICE &&
                    task->memory == TRACE_PAGEABLE && task->launch_end_ps >= task->start_ps &&
                    task->launch_end_ps < end;
    return returned ? end - task->launch_end_ps : 0;
}

static struct wait wait_for(const struct host *host, size_t index) {
    const struct import_task *task = host->tasks[index];
    return (struct wait){true, (uint32_t)index, import_task_end(task), early_return(task)};
}

/* The last of the first `count` tasks, of one stream or of any (IMPORT_STREAM_UNKNOWN), that ended
 * before the wait. */
static struct wait last_ended(const struct host *host, size_t count, uint64_t stream,
                              ct_time_ps latest) {
    for (size_t i = count; i > 0; i--)
        if ((stream == IMPORT_STREAM_UNKNOWN || raw_stream(host, host->tasks[i - 1]) == stream) &&
            import_task_end(host->tasks[i - 1]) <= latest)
            return wait_for(host, i - 1);
    return (struct wait){0};
}

static struct wait resolve_stream(const struct host *host, const struct import_sync *sync,
                                  ct_time_ps latest) {
    size_t count = launched_before(host, sync->begin_ps);
    uint64_t stream = sync->stream;
    for (size_t i = count; stream == IMPORT_STREAM_UNKNOWN && i > 0; i--)
        if (host->tasks[i - 1]->launch_thread == sync->thread)
            stream = raw_stream(host, host->tasks[i - 1]);
    return last_ended(host, count, stream, latest);
}

static struct wait resolve_copy(const struct host *host, const struct import_sync *sync) {
    for (size_t i = launched_before(host, sync->end_ps); i > 0; i--) {
        const struct import_task *task = host->tasks[i - 1];
        if (task->launch_begin_ps < sync->begin_ps)
            break;
        if (task->kind != TRACE_KERNEL && task->launch_thread == sync->thread)
            return wait_for(host, i - 1);
    }
    return (struct wait){0};
}

/* A wait for the device that returned before all work was done waited for less (an event): for what
 * had ended. */
static struct wait resolve(const struct host *host, const struct import_sync *sync) {
    ct_time_ps latest = sync->end_ps + IMPORT_ASYNC_GAP_PS;
    if (sync->kind == IMPORT_WAIT_COPY)
        return resolve_copy(host, sync);
    if (sync->kind == IMPORT_WAIT_STREAM)
        return resolve_stream(host, sync, latest);
    size_t count = launched_before(host, sync->begin_ps);
    if (count > 0 && host->busy_until[count] <= latest)
        return (struct wait){true, TRACE_NONE, host->busy_until[count], 0};
    return last_ended(host, count, IMPORT_STREAM_UNKNOWN, latest);
}

static struct host_thread *thread_of(struct host *host, uint64_t thread) {
    for (size_t i = 0; i < host->threads.count; i++)
        if (host->threads.items[i].thread == thread)
            return &host->threads.items[i];
    if (!ct_vec_push(&host->threads, (struct host_thread){.thread = thread}))
        return NULL;
    return &host->threads.items[host->threads.count - 1];
}

/* Keeps the wait that was over last. */
static void keep_later(struct wait *known, struct wait wait) {
    if (wait.valid && (!known->valid || wait.end_ps >= known->end_ps))
        *known = wait;
}

static bool note_sync(struct host *host, const struct import_sync *sync, ct_time_ps last_launch) {
    struct wait wait = resolve(host, sync);
    struct host_thread *thread = thread_of(host, sync->thread);
    if (!thread)
        return false;
    keep_later(&thread->wait, wait);
    if (sync->begin_ps >= last_launch)
        keep_later(&host->any_thread, wait);
    return true;
}

/* The direction and size of a copy whose call, beside pageable memory, returns when the copy is
 * done (or all but its last piece). */
static bool blocks_from_pageable(const struct import_task *task) {
    return task->kind == TRACE_COPY &&
           (task->direction == TRACE_DEVICE_TO_HOST ||
            (task->direction == TRACE_HOST_TO_DEVICE && task->bytes > IMPORT_STAGED_COPY_BYTES));
}

static bool copy_blocks_host(const struct import_task *task) {
    return blocks_from_pageable(task) && task->memory == TRACE_PAGEABLE &&
           task->launch_end_ps > task->launch_begin_ps;
}

/* Task i has been launched: earlier waits are used up. */
static bool note_launch(struct host *host, size_t i) {
    const struct import_task *task = host->tasks[i];
    struct host_thread *thread = thread_of(host, task->launch_thread);
    if (!thread)
        return false;
    host->any_thread = copy_blocks_host(task) ? wait_for(host, i) : (struct wait){0};
    thread->wait = host->any_thread;
    return true;
}

/* The wait that released task i, or none: it must have ended after the launch before and before
 * this one. */
static struct wait deciding_wait(struct host *host, size_t i) {
    ct_time_ps launch = host->tasks[i]->launch_begin_ps;
    ct_time_ps before = host->tasks[i - 1]->launch_begin_ps;
    struct wait wait = host->any_thread;
    struct host_thread *thread = thread_of(host, host->tasks[i]->launch_thread);
    if (thread)
        keep_later(&wait, thread->wait);
    if (wait.end_ps < before || wait.end_ps - wait.early_ps > launch + IMPORT_ASYNC_GAP_PS)
        wait.valid = false;
    return wait;
}

/*
 * Without launch records: a long pause is a host that waited for all. After a short one it had run
 * ahead, unless the task before is a copy that holds its host: the time of such a copy is the
 * link's, not the host's. Memory that the recording does not name counts as pageable, as in a run.
 */
static struct wait assumed_wait(const struct host *host, size_t i) {
    const struct import_task *before = host->tasks[i - 1];
    ct_time_ps start = host->tasks[i]->start_ps;
    if (start - host->busy_until[i] >= IMPORT_ASYNC_GAP_PS)
        return (struct wait){true, TRACE_NONE, host->busy_until[i], 0};
    if (blocks_from_pageable(before) && before->memory != TRACE_PINNED &&
        start >= import_task_end(before))
        return wait_for(host, i - 1);
    return (struct wait){0};
}

/* The time of the host from the launch before to this one, less what that launch's call waited for
 * room in a full stream: that is the device's doing. */
static ct_time_ps asynchronous_gap(const struct import_task *before,
                                   const struct import_task *task) {
    ct_time_ps gap = task->launch_begin_ps - before->launch_begin_ps;
    if (task->launch_thread == before->launch_thread)
        gap -= before->blocked_ps < gap ? before->blocked_ps : gap;
    return gap;
}

static void set_gap(const struct host *host, size_t i, struct wait wait, struct trace_task *out) {
    ct_time_ps launch = host->tasks[i]->launch_begin_ps;
    if (!wait.valid) {
        out->host_gap_ps = asynchronous_gap(host->tasks[i - 1], host->tasks[i]);
        return;
    }
    out->host_gap_ps = launch > wait.end_ps ? launch - wait.end_ps : 0;
    out->flags |= TRACE_SYNC;
    out->waited_for = wait.target;
}

/*
 * What is cut out of the time line before task i: the part above the cap of a pause in which
 * neither host calls nor the device did anything.
 */
static ct_time_ps excess_pause(const struct host *host, size_t i) {
    ct_time_ps from = host->tasks[i - 1]->launch_end_ps;
    if (host->busy_until[i] > from)
        from = host->busy_until[i];
    ct_time_ps pause = host->tasks[i]->launch_begin_ps - from;
    return pause > IMPORT_GAP_CAP_PS ? pause - IMPORT_GAP_CAP_PS : 0;
}

/* Whether the device was busy at a task's launch with what is none of its job's. */
static bool is_behind_others(const struct host *host, size_t i) {
    const struct import_task *task = host->tasks[i];
    return task->busy_before_ps > task->launch_begin_ps &&
           host->busy_until[i] <= task->launch_begin_ps;
}

static void set_times(const struct host *host, size_t i, ct_time_ps origin,
                      struct trace_task *out) {
    const struct import_task *task = host->tasks[i];
    out->duration_ps = task->duration_ps;
    out->launch_begin_ps = task->launch_begin_ps - origin;
    out->launch_end_ps = task->launch_end_ps - origin;
    out->start_ps = task->start_ps > origin ? task->start_ps - origin : 0;
    out->flags |= is_behind_others(host, i) ? TRACE_BEHIND_OTHERS : 0;
}

/* Other processes wait for their own work, and threads that have ranges of their own for their own
 * jobs. */
static bool is_of_job(const struct host *host, const struct import_sync *sync) {
    if (!import_may_concern(host->group, sync->process) ||
        (sync->device >= 0 && sync->device != host->group->device))
        return false;
    return host->track == TRACE_NONE ||
           import_track_of(host->builder, sync->process, sync->thread) == host->track;
}

/* The device's syncs that may matter to the job, by end. False: memory ran out. */
static bool find_syncs(struct host *host) {
    const struct import_builder *b = host->builder;
    ct_time_ps first = host->tasks[0]->launch_begin_ps;
    ct_time_ps last = host->tasks[host->count - 1]->launch_begin_ps;
    for (size_t i = 0; i < b->syncs.count; i++) {
        const struct import_sync *sync = &b->syncs.items[i];
        if (sync->begin_ps >= first && sync->end_ps <= last && is_of_job(host, sync) &&
            !ct_vec_push(&host->syncs, sync))
            return false;
    }
    ct_vec_sort(&host->syncs, compare_syncs);
    return true;
}

static bool walk(struct host *host, ct_time_ps origin, struct trace_task *out) {
    bool launches_recorded = host->group->launches_recorded;
    size_t next = 0;
    set_times(host, 0, origin, &out[0]);
    if (!note_launch(host, 0))
        return false;
    for (size_t i = 1; i < host->count; i++) {
        ct_time_ps launch = host->tasks[i]->launch_begin_ps;
        for (; next < host->syncs.count && host->syncs.items[next]->end_ps <= launch; next++)
            if (!note_sync(host, host->syncs.items[next], host->tasks[i - 1]->launch_begin_ps))
                return false;
        struct wait wait = launches_recorded ? deciding_wait(host, i) : assumed_wait(host, i);
        set_gap(host, i, wait, &out[i]);
        if (!launches_recorded)
            out[i].flags |= TRACE_HOST_GAP_ASSUMED;
        ct_time_ps excess = excess_pause(host, i);
        if (excess > 0) {
            origin += excess;
            out[i].host_gap_ps -= excess < out[i].host_gap_ps ? excess : out[i].host_gap_ps;
            out[i].flags |= TRACE_HOST_GAP_CAPPED;
        }
        set_times(host, i, origin, &out[i]);
        if (!note_launch(host, i))
            return false;
    }
    return true;
}

/* What of the host's time before the first task, or after the last, is kept. */
static ct_time_ps capped(ct_time_ps time) {
    return time < 0 ? 0 : time > IMPORT_GAP_CAP_PS ? IMPORT_GAP_CAP_PS : time;
}

static bool is_all_of_its_range(const struct host *host, const struct import_slice *slice) {
    return slice->track != TRACE_NONE && !host->builder->options.from_launch;
}

/* When a job begins: with its range, but not while the job before it was still on the device: what
 * is replayed begins when that has ended. */
static ct_time_ps begin_of(const struct host *host, const struct import_slice *slice,
                           struct trace_task *first) {
    ct_time_ps launch = host->tasks[0]->launch_begin_ps;
    ct_time_ps before = is_all_of_its_range(host, slice) ? launch - slice->begin_ps : 0;
    first->host_gap_ps = capped(before);
    if (before > IMPORT_GAP_CAP_PS)
        first->flags |= TRACE_HOST_GAP_CAPPED;
    return launch - first->host_gap_ps;
}

/* What is left of the range behind the last task is the host's. */
static ct_time_ps job_length(const struct host *host, const struct import_slice *slice,
                             const struct trace_task *tasks) {
    ct_time_ps ended = host->busy_until[host->count];
    ct_time_ps tail = is_all_of_its_range(host, slice) ? capped(slice->end_ps - ended) : 0;
    return trace_last_end(tasks, host->count) + tail;
}

ct_time_ps import_host_model(const struct import_builder *builder, const struct import_group *group,
                             const struct import_slice *slice, struct trace_task *out) {
    struct host host = {.builder = builder,
                        .tasks = group->tasks.items + slice->first,
                        .count = slice->count,
                        .group = group,
                        .track = slice->track};
    ct_time_ps length = -1;
    host.busy_until = malloc((slice->count + 1) * sizeof *host.busy_until);
    if (host.busy_until && find_syncs(&host)) {
        host.busy_until[0] = -CT_TIME_NEVER;
        for (size_t i = 0; i < slice->count; i++) {
            ct_time_ps end = import_task_end(host.tasks[i]);
            host.busy_until[i + 1] = end > host.busy_until[i] ? end : host.busy_until[i];
        }
        if (walk(&host, begin_of(&host, slice, out), out))
            length = job_length(&host, slice, out);
    }
    free(host.busy_until);
    ct_vec_free(&host.syncs);
    ct_vec_free(&host.threads);
    return length;
}
