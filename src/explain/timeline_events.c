/*
 * The events of the Chrome trace format ("Trace Event Format", Google, 2016): ph is the phase, ts
 * and dur are microseconds, pid and tid name the track, cat is the category, id ties the parts of
 * flows and asynchronous slices.
 */
#include "base/ct_sort.h"
#include "explain/timeline_internal.h"
#include "format/csv_text.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = TIMELINE_NAME - 1, WIDEST_TRACK = 99999 };

/* The members that every event has. */
static void begin_event(struct json_writer *json, const char *phase, const char *name,
                        const char *category, int process, size_t track, ct_time_ps time) {
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "ph", phase, "name", name);
    if (category)
        json_writer_string(json, "cat", category);
    json_writer_members(json, "pid", process, "tid", track + 1);
    json_writer_time_us(json, "ts", time);
}

static void optional_time(struct json_writer *json, const char *key, ct_time_ps time) {
    if (time >= 0)
        json_writer_time_us(json, key, time);
}

static void write_job_args(struct json_writer *json, const struct timeline_job *job) {
    const struct result_job *j = job->job;
    json_writer_members(json, "job", j->number, "instance", j->instance);
    json_writer_time_us(json, "arrival_us", j->arrival_ps);
    json_writer_time_us(json, timeline_is_unfinished(job) ? "age_us" : "latency_us",
                        job->end_ps - j->arrival_ps);
    for (int cause = 0; j->blame_ps && cause < CT_BLAME_COUNT; cause++) {
        char key[48];
        snprintf(key, sizeof key, "%s_us", ct_blame_key(cause));
        if (j->blame_ps[cause])
            json_writer_time_us(json, key, j->blame_ps[cause]);
    }
}

static void write_task_args(struct json_writer *json, const struct result_task *task) {
    json_writer_members(json, "job", task->job, "task", task->index, "stream", task->stream);
    if (task->kind == TRACE_KERNEL)
        json_writer_integer(json, "grid", (int64_t)task->blocks);
    else
        json_writer_integer(json, "bytes", (int64_t)task->bytes);
    if (task->share > 0)
        json_writer_integer(json, "share_permille", task->share);
    optional_time(json, "ready_us", task->ready_ps);
    optional_time(json, "issued_us", task->issued_ps);
    optional_time(json, "queued_us", task->queued_ps);
}

/* Kernel names of templates run to thousands of bytes. */
void timeline_task_name(const struct result_task *task, char name[TIMELINE_NAME]) {
    if (task->kind == TRACE_COPY)
        snprintf(name, TIMELINE_NAME, "copy %s", trace_direction_names[task->direction]);
    else if (!task->name || !*task->name)
        snprintf(name, TIMELINE_NAME, "%s", trace_kind_names[task->kind]);
    else
        snprintf(name, TIMELINE_NAME, "%s", task->name);
    size_t end = strlen(name);
    if (end == LONGEST_NAME) /* never half a character */
        while (end > 0 && ((unsigned char)name[--end] & 0xc0) == 0x80)
            name[end] = '\0';
}

void timeline_write_slice(struct json_writer *json, const struct result_run *run,
                          const struct timeline_slice *slice, const struct timeline_track *track,
                          const struct timeline_job *jobs) {
    char name[TIMELINE_NAME];
    const struct timeline_job *job = &jobs[slice->job];
    if (slice->task)
        timeline_task_name(slice->task, name);
    else
        snprintf(name, sizeof name, "job %llu%s", (unsigned long long)job->job->number,
                 timeline_is_unfinished(job) ? ", had not ended" : "");
    begin_event(json, "X", name, run->report.apps[job->job->app].name, track->process, slice->track,
                slice->start_ps);
    json_writer_time_us(json, "dur", slice->end_ps - slice->start_ps);
    json_writer_begin_object(json, "args");
    if (slice->task)
        write_task_args(json, slice->task);
    else
        write_job_args(json, job);
    json_writer_end_object(json);
    json_writer_end_object(json);
}

static void write_id(struct json_writer *json, size_t job) {
    json_writer_integer(json, "id", (int64_t)job + 1);
}

void timeline_write_wait(struct json_writer *json, const struct timeline_job *job, size_t index) {
    static const char *const phases[] = {"b", "e"};
    const ct_time_ps times[] = {job->job->arrival_ps, job->start_ps};
    if (times[0] == times[1])
        return;
    for (size_t i = 0; i < CT_COUNT_OF(phases); i++) {
        begin_event(json, phases[i], "waiting", "wait", TIMELINE_APPS + (int)job->job->app, 0,
                    times[i]);
        write_id(json, index);
        json_writer_end_object(json);
    }
}

void timeline_write_flow(struct json_writer *json, char phase, size_t job, ct_time_ps time,
                         int process, size_t track) {
    const char text[] = {phase, '\0'};
    begin_event(json, text, "tasks", "flow", process, track, time);
    write_id(json, job);
    if (phase != 's')
        json_writer_string(json, "bp", "e");
    json_writer_end_object(json);
}

static void write_subject(struct json_writer *json, const struct result_run *run,
                          const struct result_decision *decision) {
    if (decision->app >= 0 && (size_t)decision->app < run->report.app_count)
        json_writer_string(json, "app", run->report.apps[decision->app].name);
    if (decision->instance >= 0)
        json_writer_integer(json, "instance", decision->instance);
    if (decision->job >= 0)
        json_writer_integer(json, "job", decision->job);
    if (decision->task >= 0)
        json_writer_integer(json, "task", decision->task);
}

void timeline_write_decision(struct json_writer *json, const struct result_run *run,
                             const struct result_decision *decision, size_t track) {
    const char *verb = ct_verb_text(decision->verb, decision->outcome);
    begin_event(json, "i", verb, "decision", TIMELINE_HOST, track, decision->time_ps);
    json_writer_string(json, "s", "t");
    json_writer_begin_object(json, "args");
    json_writer_members(json, "decision", decision->number, "hook", decision->hook);
    write_subject(json, run, decision);
    for (size_t i = 0; i < decision->note_count; i++)
        json_writer_double(json, decision->notes[i].key, decision->notes[i].value);
    json_writer_end_object(json);
    json_writer_end_object(json);
}

void timeline_write_sample(struct json_writer *json, const struct result_sample *sample) {
    int process = sample->app < 0 ? TIMELINE_GPU : TIMELINE_APPS + (int)sample->app;
    if (!isfinite(sample->value)) /* viewers take no null */
        return;
    begin_event(json, "C", sample->name, NULL, process, 0, sample->time_ps);
    json_writer_object(json, "args", sample->unit ? sample->unit : "value", sample->value);
    json_writer_end_object(json);
}

const struct result_task *timeline_task_of(const struct timeline_job *job,
                                           const struct result_presence *presence, size_t *at) {
    while (*at < job->task_count && job->tasks[*at]->index < presence->task)
        ++*at;
    bool found = *at < job->task_count && job->tasks[*at]->index == presence->task;
    return found ? job->tasks[*at] : NULL;
}

void timeline_write_job_alone(struct json_writer *json, const struct result_run *run,
                              const struct timeline_job *job, size_t index) {
    const struct timeline_track track = {.process = TIMELINE_GPU};
    struct timeline_slice slice = {
        .start_ps = job->start_ps, .end_ps = job->end_ps, .track = WIDEST_TRACK};
    timeline_write_slice(json, run, &slice, &track, job);
    timeline_write_wait(json, job, index);
    timeline_write_flow(json, 's', index, job->start_ps, TIMELINE_GPU, WIDEST_TRACK);
    for (size_t i = 0; i < job->task_count; i++) {
        slice.task = job->tasks[i];
        slice.start_ps = slice.task->started_ps;
        slice.end_ps = slice.task->ended_ps;
        timeline_write_slice(json, run, &slice, &track, job);
        timeline_write_flow(json, 't', index, slice.start_ps, TIMELINE_GPU, WIDEST_TRACK);
        slice.start_ps = slice.task->ready_ps;
        if (slice.task->issued_ps > slice.task->ready_ps)
            timeline_write_slice(json, run, &slice, &track, job);
    }
    for (size_t i = 0, task = 0; i < job->presence_count; i++) {
        slice.task = timeline_task_of(job, job->presences[i], &task);
        slice.start_ps = job->presences[i]->began_ps;
        slice.end_ps = job->presences[i]->ended_ps;
        if (slice.task)
            timeline_write_slice(json, run, &slice, &track, job);
    }
}

static void write_metadata(struct json_writer *json, const char *name, int process, size_t track,
                           const char *key, const char *text, int64_t number) {
    begin_event(json, "M", name, NULL, process, track, 0);
    json_writer_begin_object(json, "args");
    if (text)
        json_writer_string(json, key, text);
    else
        json_writer_integer(json, key, number);
    json_writer_end_object(json);
    json_writer_end_object(json);
}

static void track_name(const struct result_run *run, const struct timeline_track *track, char *name,
                       size_t size) {
    static const char *const directions[] = {"copies host to device", "copies device to host",
                                             "copies on the device"};
    const struct report_app *app = &run->report.apps[track->app];
    switch (track->kind) {
    case TIMELINE_SM_GROUP:
        if (!track->own_sms)
            snprintf(name, size, "SMs %u to %u", (unsigned)(track->key >> 32),
                     (unsigned)(track->key & UINT32_MAX));
        else if (app->instances > 1)
            snprintf(name, size, "SMs: %s %u", app->name, (unsigned)track->instance);
        else
            snprintf(name, size, "SMs: %s", app->name);
        break;
    case TIMELINE_COPY:
        snprintf(name, size, "%s", directions[track->key % CT_COUNT_OF(directions)]);
        break;
    case TIMELINE_POLICY:
        snprintf(name, size, "policy %s", run->report.policy ? run->report.policy : "");
        break;
    case TIMELINE_READY_POOL:
        snprintf(name, size, "ready pool");
        break;
    case TIMELINE_JOBS:
        snprintf(name, size, "jobs of instance %u", (unsigned)track->instance);
        break;
    }
}

void timeline_write_track_names(struct json_writer *json, const struct result_run *run,
                                const struct timeline_track *tracks, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[256], lane[280];
        track_name(run, &tracks[i], name, sizeof name);
        snprintf(lane, sizeof lane, "%s (%u)", name, tracks[i].lane + 1u);
        write_metadata(json, "thread_name", tracks[i].process, i, "name",
                       tracks[i].lane ? lane : name, 0);
        write_metadata(json, "thread_sort_index", tracks[i].process, i, "sort_index", NULL,
                       (int64_t)i);
    }
}

void timeline_write_process_names(struct json_writer *json, const struct result_run *run) {
    char gpu[256];
    snprintf(gpu, sizeof gpu, "GPU %s", run->report.gpu ? run->report.gpu : "");
    write_metadata(json, "process_name", TIMELINE_GPU, 0, "name", gpu, 0);
    if (run->presence_count)
        write_metadata(json, "process_name", TIMELINE_SMS, 0, "name", "residents of the SMs", 0);
    write_metadata(json, "process_name", TIMELINE_HOST, 0, "name", "host", 0);
    for (size_t i = 0; i < run->report.app_count; i++)
        write_metadata(json, "process_name", TIMELINE_APPS + (int)i, 0, "name",
                       run->report.apps[i].name, 0);
    for (int process = 1; process < TIMELINE_APPS + (int)run->report.app_count; process++)
        if (process != TIMELINE_SMS || run->presence_count)
            write_metadata(json, "process_sort_index", process, 0, "sort_index", NULL, process);
}

/* ---- Blocks, as a table ---- */

/* Blocks that follow others on slots are told of late. */
static int compare_moves(const void *a, const void *b) {
    const struct result_block_move *x = *(const struct result_block_move *const *)a,
                                   *y = *(const struct result_block_move *const *)b;
    return ct_then(ct_order(x->time_ps, y->time_ps), ct_order(x->order, y->order));
}

static void write_move(const struct result_run *run, const struct result_block_move *m, FILE *out) {
    csv_write_cells(out, (double)m->time_ps / (double)CT_PS_PER_US, m->change,
                    run->report.apps[m->app].name, m->instance);
    if (m->blocks == 0)
        fputs(",,,,,", out);
    else {
        fputc(',', out);
        csv_write_cells(out, m->job, m->task, m->first_sm, m->last_sm, m->blocks);
    }
    fputc('\n', out);
}

int timeline_write_blocks(const struct result_run *run, FILE *out, struct ct_diags *diags) {
    const struct result_block_move **order =
        calloc(run->block_move_count + 1, sizeof(const struct result_block_move *));
    if (!order)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < run->block_move_count; i++)
        order[i] = &run->block_moves[i];
    ct_sort(order, run->block_move_count, sizeof *order, compare_moves);
    fputs("time_us,change,app,instance,job,task,first_sm,last_sm,blocks\n", out);
    for (size_t i = 0; i < run->block_move_count; i++)
        write_move(run, order[i], out);
    free(order);
    return ferror(out) ? CT_DATA : CT_OK;
}
