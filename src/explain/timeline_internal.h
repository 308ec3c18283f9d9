/* What the two halves of the time line share: the layout of tracks, and the events. */
#ifndef TIMELINE_INTERNAL_H
#define TIMELINE_INTERNAL_H

#include "explain/timeline.h"
#include "format/json_writer.h"

enum timeline_process {
    TIMELINE_GPU = 1,
    /* Groups of SMs with what is resident there, in block fidelity. */
    TIMELINE_SMS,
    TIMELINE_HOST,
    /* Application i is TIMELINE_APPS + i. */
    TIMELINE_APPS
};

/* Kinds of tracks, in the order in which they are shown. The key of a group of SMs is its first and
 * last SM, or (own_sms) application and instance; of copies the direction; of jobs the instance. */
enum timeline_track_kind {
    TIMELINE_SM_GROUP,
    TIMELINE_COPY,
    TIMELINE_POLICY,
    TIMELINE_READY_POOL,
    TIMELINE_JOBS
};

struct timeline_track {
    int process;
    enum timeline_track_kind kind;
    uint64_t key;
    uint32_t lane; /* 0: the track itself */
    uint32_t app, instance;
    bool own_sms; /* an SM group that is an instance's, not numbered by the device */
    ct_time_ps busy_until;
};

struct timeline_job {
    const struct result_job *job;
    const struct result_task *const *tasks; /* in the order of their index */
    size_t task_count;
    const struct result_presence *const *presences; /* in the order of tasks, then of SMs */
    size_t presence_count;
    ct_time_ps start_ps, end_ps; /* of its slice: one that has not ended is there until the run's
                                    end */
    bool kept;
    size_t tasks_shown; /* while writing: the last one ends the flow */
};

static inline bool timeline_is_unfinished(const struct timeline_job *job) {
    return job->job->end_ps < 0;
}

/* A bar on a track: a job, a task on the device or on a group of its SMs, or a task in the ready
 * pool. */
struct timeline_slice {
    size_t job;                             /* index of the job that it belongs to */
    const struct result_task *task;         /* NULL: the job itself */
    bool waiting;                           /* it shows the task's time in the ready pool */
    const struct result_presence *presence; /* of the task; NULL: not on a group of SMs */
    ct_time_ps start_ps, end_ps;
    size_t track; /* index into tracks; tid is one more */
};

/* The task that was there; presences come in the order of tasks, `at` starts at 0. NULL: it is not
 * shown. */
const struct result_task *timeline_task_of(const struct timeline_job *job,
                                           const struct result_presence *presence, size_t *at);

/* Every event of a job, its tasks and its flow, on unknown (widest) tracks: to learn its size. */
void timeline_write_job_alone(struct json_writer *json, const struct result_run *run,
                              const struct timeline_job *job, size_t index);

void timeline_write_slice(struct json_writer *json, const struct result_run *run,
                          const struct timeline_slice *slice, const struct timeline_track *track,
                          const struct timeline_job *jobs);
/* The asynchronous slice from arrival to the job's start; nothing when it did not wait. */
void timeline_write_wait(struct json_writer *json, const struct timeline_job *job, size_t index);
/* One point of the flow from a job to its tasks: 's' starts it, 't' goes on, 'f' ends it. */
void timeline_write_flow(struct json_writer *json, char phase, size_t job, ct_time_ps time,
                         int process, size_t track);
void timeline_write_decision(struct json_writer *json, const struct result_run *run,
                             const struct result_decision *decision, size_t track);
void timeline_write_sample(struct json_writer *json, const struct result_sample *sample);
void timeline_write_track_names(struct json_writer *json, const struct result_run *run,
                                const struct timeline_track *tracks, size_t count);
void timeline_write_process_names(struct json_writer *json, const struct result_run *run);

#endif
