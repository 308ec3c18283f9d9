#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "explain/timeline_internal.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* A time line under construction. */
struct timeline {
    const struct result_run *run;
    const struct result_task **tasks;         /* sorted by job */
    const struct result_presence **presences; /* the same */
    struct timeline_job *jobs;                /* sorted by application, instance, number */
    size_t job_count;
    CT_VEC(struct timeline_slice) slices;
    CT_VEC(struct timeline_track) tracks;
    /* Times at which kept jobs are shown, merged; only when jobs were left out. */
    CT_VEC(struct timeline_span) spans;
    struct timeline_summary *summary;
    uint64_t budget, used;
    bool failed;
};

struct timeline_span {
    ct_time_ps start_ps, end_ps;
};

static int compare_to_job(struct result_place place, const struct timeline_job *job) {
    return result_compare_places(place, RESULT_PLACE(job->job, number));
}

static int compare_tasks(const void *a, const void *b) {
    const struct result_task *x = *(const struct result_task *const *)a,
                             *y = *(const struct result_task *const *)b;
    return ct_then(result_compare_places(RESULT_PLACE(x, job), RESULT_PLACE(y, job)),
                   ct_order(x->index, y->index));
}

static int compare_presences(const void *a, const void *b) {
    const struct result_presence *x = *(const struct result_presence *const *)a,
                                 *y = *(const struct result_presence *const *)b;
    return ct_then(result_compare_places(RESULT_PLACE(x, job), RESULT_PLACE(y, job)),
                   ct_then(ct_order(x->task, y->task), ct_order(x->first_sm, y->first_sm)));
}

static int compare_jobs(const void *a, const void *b) {
    return result_compare_jobs(((const struct timeline_job *)a)->job,
                               ((const struct timeline_job *)b)->job);
}

/* Slowest first; jobs lie in one array in the order that breaks ties. */
static int compare_slowness(const void *a, const void *b) {
    const struct timeline_job *x = *(struct timeline_job *const *)a,
                              *y = *(struct timeline_job *const *)b;
    return ct_then(ct_order(y->end_ps - y->job->arrival_ps, x->end_ps - x->job->arrival_ps),
                   compare_jobs(x, y));
}

static int compare_slices(const void *a, const void *b) {
    const struct timeline_slice *x = a, *y = b;
    uint32_t sms[] = {x->presence ? x->presence->first_sm + 1 : 0,
                      y->presence ? y->presence->first_sm + 1 : 0};
    uint32_t tasks[] = {x->task ? x->task->index + 1 : 0, y->task ? y->task->index + 1 : 0};
    int order = ct_order(x->start_ps, y->start_ps);
    order = order ? order : ct_order(y->end_ps, x->end_ps);
    order = order ? order : ct_order(x->job, y->job);
    order = order ? order : ct_order(x->waiting, y->waiting);
    order = order ? order : ct_order(sms[0], sms[1]);
    return order ? order : ct_order(tasks[0], tasks[1]);
}

static bool has_run(const struct result_task *task) {
    return task->started_ps >= 0 && task->ended_ps >= task->started_ps;
}

/* Gives each job its tasks. */
static void match_tasks(struct timeline *t) {
    size_t task = 0, count = 0;
    for (size_t i = 0; i < t->run->task_count; i++)
        if (has_run(&t->run->tasks[i]))
            t->tasks[count++] = &t->run->tasks[i];
    qsort(t->tasks, count, sizeof(const struct result_task *), compare_tasks);
    for (size_t i = 0; i < t->job_count; i++) {
        struct timeline_job *job = &t->jobs[i];
        for (; task < count && compare_to_job(RESULT_PLACE(t->tasks[task], job), job) < 0; task++)
            t->summary->tasks_without_job++;
        job->tasks = &t->tasks[task];
        for (; task < count && compare_to_job(RESULT_PLACE(t->tasks[task], job), job) == 0; task++)
            job->task_count++;
    }
    t->summary->tasks_without_job += t->run->task_count - count + (count - task);
}

/* Gives each job the records of where its blocks were. */
static void match_presences(struct timeline *t) {
    size_t at = 0, count = t->run->presence_count;
    for (size_t i = 0; i < count; i++)
        t->presences[i] = &t->run->presences[i];
    ct_sort(t->presences, count, sizeof(const struct result_presence *), compare_presences);
    for (size_t i = 0; i < t->job_count; i++) {
        struct timeline_job *job = &t->jobs[i];
        while (at < count && compare_to_job(RESULT_PLACE(t->presences[at], job), job) < 0)
            at++;
        job->presences = &t->presences[at];
        for (; at < count && compare_to_job(RESULT_PLACE(t->presences[at], job), job) == 0; at++)
            job->presence_count++;
    }
}

static ct_time_ps later(ct_time_ps a, ct_time_ps b) {
    return a > b ? a : b;
}

/* When the run ended: after its duration, with the last service that was waited for, or, where
 * first runs end it (all of them did), with the last of these. */
static ct_time_ps run_end(const struct result_run *run) {
    const struct report *report = &run->report;
    bool first_runs = !isnan(report->system.turnaround_ms);
    ct_time_ps end = first_runs ? 0 : (ct_time_ps)(report->duration_s * (double)CT_PS_PER_S);
    for (size_t i = 0; i < run->job_count; i++)
        end = later(end, result_job_until(&run->jobs[i]));
    for (size_t i = 0; i < run->task_count; i++)
        end = later(end, run->tasks[i].ended_ps);
    return end;
}

/* One that has ended without a task began when it came; one that still waits for its first has not
 * begun. */
static ct_time_ps job_start(const struct timeline_job *job) {
    ct_time_ps start = job->job->first_issue_ps >= 0 ? job->job->first_issue_ps : job->end_ps;
    if (job->job->first_issue_ps < 0 && !job->task_count && !timeline_is_unfinished(job))
        start = job->job->arrival_ps;
    for (size_t i = 0; i < job->task_count; i++)
        if (job->tasks[i]->ready_ps >= 0 && job->tasks[i]->ready_ps < start)
            start = job->tasks[i]->ready_ps;
    return later(start, job->job->arrival_ps);
}

static bool collect_jobs(struct timeline *t) {
    t->jobs = calloc(t->run->job_count + 1, sizeof *t->jobs);
    t->tasks = calloc(t->run->task_count + 1, sizeof(const struct result_task *));
    t->presences = calloc(t->run->presence_count + 1, sizeof(const struct result_presence *));
    if (!t->jobs || !t->tasks || !t->presences)
        return false;
    ct_time_ps end = run_end(t->run);
    for (size_t i = 0; i < t->run->job_count; i++) {
        const struct result_job *job = &t->run->jobs[i];
        if (job->app < t->run->report.app_count)
            t->jobs[t->job_count++] =
                (struct timeline_job){.job = job, .end_ps = job->end_ps >= 0 ? job->end_ps : end};
    }
    qsort(t->jobs, t->job_count, sizeof *t->jobs, compare_jobs);
    match_tasks(t);
    match_presences(t);
    for (size_t i = 0; i < t->job_count; i++)
        t->jobs[i].start_ps = job_start(&t->jobs[i]);
    return true;
}

/* Bytes of a job with everything about it, measured by writing it to a stream that is used again
 * and again. */
static uint64_t job_bytes(const struct timeline *t, FILE *scratch, const struct timeline_job *job) {
    rewind(scratch);
    struct json_writer json = json_writer_start(scratch, 0);
    json_writer_begin_array(&json, NULL);
    timeline_write_job_alone(&json, t->run, job, t->job_count);
    json_writer_end_array(&json);
    off_t bytes = ftello(scratch);
    return bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
}

/*
 * Marks the slowest jobs that fit in three quarters of the budget; the rest is for samples and
 * decisions. A large job that does not fit is passed over for the smaller ones behind it, but not
 * for ever.
 */
static void choose_jobs(struct timeline *t, FILE *scratch, struct timeline_job **order) {
    /* Jobs that do not fit, one after the other, until no more are tried; and what the two events
     * of a task take at least: what cannot fit is not written. */
    enum { MOST_MISSES = 32, LEAST_TASK_BYTES = 150 };
    uint64_t limit = t->budget - t->budget / 4;
    for (size_t i = 0; i < t->job_count; i++)
        order[i] = &t->jobs[i];
    qsort(order, t->job_count, sizeof(struct timeline_job *), compare_slowness);
    for (size_t i = 0, misses = 0; i < t->job_count && misses < MOST_MISSES; i++) {
        uint64_t left = limit - t->used;
        bool hopeless = order[i]->task_count > left / LEAST_TASK_BYTES;
        uint64_t bytes = hopeless ? UINT64_MAX : job_bytes(t, scratch, order[i]);
        order[i]->kept = bytes <= left;
        t->used += order[i]->kept ? bytes : 0;
        misses = order[i]->kept ? 0 : misses + 1;
    }
}

static bool select_jobs(struct timeline *t) {
    char *text = NULL;
    size_t size;
    struct timeline_job **order = calloc(t->job_count + 1, sizeof(struct timeline_job *));
    FILE *scratch = open_memstream(&text, &size);
    bool ready = order && scratch;
    if (ready && t->budget)
        choose_jobs(t, scratch, order);
    for (size_t i = 0; i < t->job_count; i++) {
        t->jobs[i].kept = t->jobs[i].kept || !t->budget;
        t->summary->jobs += t->jobs[i].kept;
        t->summary->jobs_unfinished += t->jobs[i].kept && timeline_is_unfinished(&t->jobs[i]);
    }
    t->summary->jobs_left_out = t->job_count - t->summary->jobs;
    if (scratch)
        fclose(scratch);
    free(text);
    free(order);
    return ready;
}

static int compare_spans(const void *a, const void *b) {
    const struct timeline_span *x = a, *y = b;
    return ct_then(ct_order(x->start_ps, y->start_ps), ct_order(x->end_ps, y->end_ps));
}

/* When kept jobs are shown, as disjoint spans in the order of time. */
static bool find_spans(struct timeline *t) {
    size_t merged = 0;
    for (size_t i = 0; i < t->job_count; i++) {
        struct timeline_span span = {t->jobs[i].job->arrival_ps, t->jobs[i].end_ps};
        if (t->jobs[i].kept && !ct_vec_push(&t->spans, span))
            return false;
    }
    ct_vec_sort(&t->spans, compare_spans);
    for (size_t i = 1; i < t->spans.count; i++) {
        struct timeline_span *last = &t->spans.items[merged], *next = &t->spans.items[i];
        if (next->start_ps > last->end_ps)
            t->spans.items[++merged] = *next;
        else if (next->end_ps > last->end_ps)
            last->end_ps = next->end_ps;
    }
    t->spans.count = t->spans.count ? merged + 1 : 0;
    return true;
}

static bool is_over(const void *spans, size_t i, const void *time) {
    return ((const struct timeline_span *)spans)[i].end_ps < *(const ct_time_ps *)time;
}

static bool is_shown(const struct timeline *t, ct_time_ps time) {
    if (!t->summary->jobs_left_out)
        return true;
    size_t place = ct_lower_bound(t->spans.items, t->spans.count, is_over, &time);
    return place < t->spans.count && t->spans.items[place].start_ps <= time;
}

static void add_slice(struct timeline *t, struct timeline_slice slice) {
    if (!ct_vec_push(&t->slices, slice))
        t->failed = true;
}

static void add_job_slices(struct timeline *t, size_t index) {
    const struct timeline_job *job = &t->jobs[index];
    add_slice(
        t, (struct timeline_slice){.job = index, .start_ps = job->start_ps, .end_ps = job->end_ps});
    for (size_t i = 0; i < job->task_count; i++) {
        const struct result_task *task = job->tasks[i];
        add_slice(t, (struct timeline_slice){.job = index,
                                             .task = task,
                                             .start_ps = task->started_ps,
                                             .end_ps = task->ended_ps});
        if (task->ready_ps >= 0 && task->issued_ps > task->ready_ps)
            add_slice(t, (struct timeline_slice){.job = index,
                                                 .task = task,
                                                 .waiting = true,
                                                 .start_ps = task->ready_ps,
                                                 .end_ps = task->issued_ps});
    }
    for (size_t i = 0, at = 0; i < job->presence_count; i++) {
        const struct result_presence *presence = job->presences[i];
        const struct result_task *task = timeline_task_of(job, presence, &at);
        if (task)
            add_slice(t, (struct timeline_slice){.job = index,
                                                 .task = task,
                                                 .presence = presence,
                                                 .start_ps = presence->began_ps,
                                                 .end_ps = presence->ended_ps});
    }
}

/* The track of a slice, on lane 0. */
static struct timeline_track track_of(const struct timeline *t,
                                      const struct timeline_slice *slice) {
    const struct result_job *job = t->jobs[slice->job].job;
    struct timeline_track track = {.app = job->app, .instance = job->instance};
    if (!slice->task) {
        track.process = TIMELINE_APPS + (int)job->app;
        track.kind = TIMELINE_JOBS;
        track.key = job->instance;
    } else if (slice->presence) {
        track.process = TIMELINE_SMS;
        track.kind = TIMELINE_SM_GROUP;
        track.key = (uint64_t)slice->presence->first_sm << 32 | slice->presence->last_sm;
    } else if (slice->waiting) {
        track.process = TIMELINE_HOST;
        track.kind = TIMELINE_READY_POOL;
    } else {
        track.process = TIMELINE_GPU;
        track.kind = slice->task->kind == TRACE_COPY ? TIMELINE_COPY : TIMELINE_SM_GROUP;
        track.own_sms = slice->task->kind != TRACE_COPY;
        track.key = track.own_sms ? (uint64_t)job->app << 32 | job->instance
                                  : (uint64_t)slice->task->direction;
    }
    return track;
}

static bool same_track(const struct timeline_track *a, const struct timeline_track *b) {
    return a->process == b->process && a->kind == b->kind && a->key == b->key &&
           a->own_sms == b->own_sms;
}

/* The first lane that is free when the slice begins. Slices come in the order of time. */
static void place_slice(struct timeline *t, struct timeline_slice *slice) {
    struct timeline_track track = track_of(t, slice);
    for (slice->track = 0; slice->track < t->tracks.count; slice->track++) {
        struct timeline_track *lane = &t->tracks.items[slice->track];
        if (!same_track(lane, &track))
            continue;
        if (lane->busy_until <= slice->start_ps) {
            lane->busy_until = slice->end_ps;
            return;
        }
        track.lane++;
    }
    track.busy_until = slice->end_ps;
    if (!ct_vec_push(&t->tracks, track))
        t->failed = true;
}

static int compare_tracks(const void *a, const void *b) {
    const struct timeline_track *x = a, *y = b;
    int order = ct_order(x->process, y->process);
    order = order ? order : ct_order(x->kind, y->kind);
    order = order ? order : ct_order(x->own_sms, y->own_sms);
    order = order ? order : ct_order(x->key, y->key);
    return order ? order : ct_order(x->lane, y->lane);
}

static size_t find_track(const struct timeline *t, const struct timeline_track *track) {
    const struct timeline_track *found =
        bsearch(track, t->tracks.items, t->tracks.count, sizeof *track, compare_tracks);
    return found ? (size_t)(found - t->tracks.items) : 0;
}

static const struct timeline_track policy_track = {.process = TIMELINE_HOST,
                                                   .kind = TIMELINE_POLICY};

/* Lanes are found in the order of time, then numbered in the order in which they are shown. */
static bool lay_out(struct timeline *t) {
    for (size_t i = 0; i < t->job_count; i++)
        if (t->jobs[i].kept)
            add_job_slices(t, i);
    if (t->failed || !ct_vec_push(&t->tracks, policy_track))
        return false;
    ct_vec_sort(&t->slices, compare_slices);
    for (size_t i = 0; i < t->slices.count && !t->failed; i++)
        place_slice(t, &t->slices.items[i]);
    struct timeline_track *unsorted = calloc(t->tracks.count, sizeof *unsorted);
    if (t->failed || !unsorted) {
        free(unsorted);
        return false;
    }
    memcpy(unsorted, t->tracks.items, t->tracks.count * sizeof *unsorted);
    qsort(t->tracks.items, t->tracks.count, sizeof *t->tracks.items, compare_tracks);
    for (size_t i = 0; i < t->slices.count; i++)
        t->slices.items[i].track = find_track(t, &unsorted[t->slices.items[i].track]);
    free(unsorted);
    return true;
}

/* Slices in the order of time: the job's own comes first, so that its flow starts before it reaches
 * a task. */
static void write_slices(struct timeline *t, struct json_writer *json) {
    for (size_t i = 0; i < t->slices.count; i++) {
        struct timeline_slice *slice = &t->slices.items[i];
        struct timeline_job *job = &t->jobs[slice->job];
        const struct timeline_track *track = &t->tracks.items[slice->track];
        timeline_write_slice(json, t->run, slice, track, t->jobs);
        if (!slice->task) {
            timeline_write_wait(json, job, slice->job);
            if (job->task_count)
                timeline_write_flow(json, 's', slice->job, slice->start_ps, track->process,
                                    slice->track);
        } else if (!slice->waiting && !slice->presence) {
            bool last = ++job->tasks_shown == job->task_count;
            timeline_write_flow(json, last ? 'f' : 't', slice->job, slice->start_ps, track->process,
                                slice->track);
        }
    }
}

static const struct timeline_job *job_of(const struct timeline *t,
                                         const struct result_decision *decision) {
    struct result_job job = {.app = (uint32_t)decision->app,
                             .instance = (uint32_t)decision->instance,
                             .number = (uint64_t)decision->job};
    struct timeline_job key = {.job = &job};
    if (decision->app < 0 || decision->instance < 0 || decision->job < 0)
        return NULL;
    return bsearch(&key, t->jobs, t->job_count, sizeof key, compare_jobs);
}

static bool has_room(struct timeline *t, const struct json_writer *json) {
    enum { LONGEST_EVENT = 1024 };
    off_t at = t->budget ? ftello(json->out) : 0;
    return !t->budget || at < 0 || (uint64_t)at + LONGEST_EVENT <= t->budget;
}

static void write_decisions(struct timeline *t, struct json_writer *json) {
    size_t track = find_track(t, &policy_track);
    for (size_t i = 0; i < t->run->decision_count; i++) {
        const struct result_decision *decision = &t->run->decisions[i];
        const struct timeline_job *job = job_of(t, decision);
        bool shown = job ? job->kept : is_shown(t, decision->time_ps);
        if (shown && has_room(t, json))
            timeline_write_decision(json, t->run, decision, track);
        else
            t->summary->samples_left_out++;
    }
}

static void write_samples(struct timeline *t, struct json_writer *json) {
    for (size_t i = 0; i < t->run->sample_count; i++) {
        const struct result_sample *sample = &t->run->samples[i];
        if (is_shown(t, sample->time_ps) && has_room(t, json))
            timeline_write_sample(json, sample);
        else
            t->summary->samples_left_out++;
    }
}

static void write_all(struct timeline *t, FILE *out) {
    struct json_writer json = json_writer_start(out, 0);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "displayTimeUnit", "ns");
    json_writer_object(&json, "otherData", "workload", t->run->report.workload, "policy",
                       t->run->report.policy, "jobs", t->summary->jobs, "jobs_unfinished",
                       t->summary->jobs_unfinished, "jobs_left_out", t->summary->jobs_left_out,
                       "tasks_left_out", t->summary->tasks_without_job);
    json_writer_begin_array(&json, "traceEvents");
    timeline_write_process_names(&json, t->run);
    timeline_write_track_names(&json, t->run, t->tracks.items, t->tracks.count);
    write_slices(t, &json);
    write_decisions(t, &json);
    write_samples(t, &json);
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    putc('\n', out);
}

static void timeline_free(struct timeline *t) {
    free(t->jobs);
    free((void *)t->tasks);
    free((void *)t->presences);
    ct_vec_free(&t->slices);
    ct_vec_free(&t->tracks);
    ct_vec_free(&t->spans);
}

int timeline_write(const struct result_run *run, uint64_t budget_bytes, FILE *out,
                   struct timeline_summary *summary, struct ct_diags *diags) {
    struct timeline t = {.run = run, .summary = summary, .budget = budget_bytes};
    *summary = (struct timeline_summary){0};
    t.used = budget_bytes / 16; /* names of processes and tracks */
    bool made = collect_jobs(&t) && select_jobs(&t) && find_spans(&t) && lay_out(&t);
    if (made)
        write_all(&t, out);
    timeline_free(&t);
    off_t at = ftello(out);
    summary->bytes = at > 0 ? (uint64_t)at : 0;
    if (!made)
        return ct_out_of_memory(diags);
    return ferror(out) ? CT_DATA : CT_OK;
}
