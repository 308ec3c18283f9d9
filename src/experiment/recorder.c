#include "experiment/recorder.h"

#include <string.h>

/* Whole picoseconds; NULL where nobody delayed it. */
static ct_time_ps *keep_delays(struct recorder *recorder, const struct sim_job_record *job) {
    bool any = false;
    for (uint32_t i = 0; i < job->app_count; i++)
        any |= job->delayed_by_ps[i] >= 0.5;
    if (!any)
        return NULL;
    ct_time_ps *delays = ct_arena_array(&recorder->arena, job->app_count, sizeof *delays);
    recorder->failed |= !delays;
    for (uint32_t i = 0; delays && i < job->app_count; i++)
        delays[i] = ct_time_round(job->delayed_by_ps[i]);
    return delays;
}

static ct_time_ps *keep_times(struct recorder *recorder, const ct_time_ps *times, size_t count) {
    ct_time_ps *kept = ct_arena_array(&recorder->arena, count, sizeof *kept);
    recorder->failed |= !kept;
    if (kept)
        memcpy(kept, times, count * sizeof *kept);
    return kept;
}

static void keep_job(void *context, const struct sim_job_record *job) {
    struct recorder *recorder = context;
    struct result_job record = {.app = job->app,
                                .instance = job->instance,
                                .number = job->number,
                                .requests = job->batch,
                                .arrival_ps = job->arrival_ps,
                                .first_issue_ps = job->first_issue_ps,
                                .end_ps = job->end_ps,
                                .until_ps = job->until_ps,
                                .alone_ps = job->alone_ps,
                                .solo_ps = job->solo_ps};
    if (job->delayed_by_ps) {
        record.blame_ps = keep_times(recorder, job->blame_ps, CT_BLAME_COUNT);
        record.delayed_by_ps = keep_delays(recorder, job);
    }
    if (job->alone_ps >= 0) /* else what sharing cost it is unknown */
        record.costs_ps = keep_times(recorder, job->costs_ps, CT_BLAME_COUNT + job->app_count + 1);
    recorder->failed |= !ct_vec_push(&recorder->jobs, record);
}

/* Keeps on which groups of SMs a task was: from its first block there to the end of its last. */
static void keep_presences(struct recorder *recorder, const struct sim_task_record *task) {
    uint32_t size = device_sm_group_size(task->sms);
    for (uint32_t group = 0; task->presence && group < DEVICE_SM_GROUPS; group++) {
        const struct device_presence *presence = &task->presence[group];
        uint32_t first = group * size, next = first + size < task->sms ? first + size : task->sms;
        struct result_presence record = {
            task->app, task->instance, task->job,          task->index,
            first,     next - 1,       presence->began_ps, presence->ended_ps};
        if (presence->began_ps >= 0)
            recorder->failed |= !ct_vec_push(&recorder->presences, record);
    }
}

/* A record for each row of neighbours. */
static void keep_blocks(void *context, const struct sim_block_move *told) {
    struct recorder *recorder = context;
    const struct device_block_move *move = told->move;
    static const char *const changes[] = {[DEVICE_BLOCKS_BEGIN] = "begin",
                                          [DEVICE_BLOCKS_END] = "end",
                                          [DEVICE_BLOCKS_NEXT] = "next",
                                          [DEVICE_SLICE_BEGIN] = "slice_begin",
                                          [DEVICE_SLICE_END] = "slice_end"};
    struct result_block_move record = {.time_ps = move->time_ps,
                                       .change = changes[move->change],
                                       .app = told->app,
                                       .instance = told->instance,
                                       .job = told->job,
                                       .task = told->index,
                                       .blocks = move->blocks};
    enum { WORD = 64 };
    for (uint32_t sm = 0, begun = 0; sm <= move->sms; sm++) {
        bool in = sm < move->sms && move->set[sm / WORD] >> sm % WORD & 1;
        if (in && !begun)
            record.first_sm = sm;
        if (!move->set || (begun && !in)) {
            record.last_sm = move->set ? sm - 1 : 0;
            record.order = recorder->block_moves.count;
            recorder->failed |= !ct_vec_push(&recorder->block_moves, record);
        }
        begun = in;
    }
}

static void keep_task(void *context, const struct sim_task_record *task) {
    struct recorder *recorder = context;
    struct result_task record = {.app = task->app,
                                 .instance = task->instance,
                                 .job = task->job,
                                 .index = task->index,
                                 .stream = task->stream,
                                 .kind = task->kind,
                                 .direction = task->direction,
                                 .share = task->share == CT_SHARE_FULL ? 0 : task->share,
                                 .name = task->name,
                                 .blocks = task->blocks,
                                 .bytes = task->bytes,
                                 .ready_ps = task->ready_ps,
                                 .issued_ps = task->issued_ps,
                                 .queued_ps = task->head_ps,
                                 .started_ps = task->started_ps,
                                 .ended_ps = task->ended_ps};
    recorder->failed |= !ct_vec_push(&recorder->tasks, record);
    keep_presences(recorder, task);
}

/* A copy that outlives the policy. Keys are literals: one address is one key. */
static const char *keep_key(struct recorder *recorder, const char *key) {
    for (size_t i = 0; i < recorder->keys.count; i++)
        if (recorder->keys.items[i].literal == key)
            return recorder->keys.items[i].copy;
    struct recorder_key kept = {key, ct_arena_strdup(&recorder->arena, key)};
    recorder->failed |= !kept.copy || !ct_vec_push(&recorder->keys, kept);
    return kept.copy;
}

static void keep_decision(void *context, const struct sim_decision *decision) {
    struct recorder *recorder = context;
    struct result_note *notes =
        ct_arena_array(&recorder->arena, decision->note_count, sizeof *notes);
    recorder->failed |= !notes;
    if (!notes)
        return;
    for (size_t i = 0; i < decision->note_count; i++) {
        notes[i].key = keep_key(recorder, decision->notes[i].key);
        notes[i].value = decision->notes[i].value;
    }
    struct result_decision record = {.number = decision->number,
                                     .time_ps = decision->time_ps,
                                     .hook = decision->hook,
                                     .verb = decision->verb,
                                     .outcome = decision->outcome,
                                     .app = decision->app,
                                     .instance = decision->instance,
                                     .job = decision->job,
                                     .task = decision->task,
                                     .notes = notes,
                                     .note_count = decision->note_count};
    recorder->failed |= !ct_vec_push(&recorder->decisions, record);
}

static void keep_sample(void *context, const struct sim_sample *sample) {
    struct recorder *recorder = context;
    struct result_sample record = {sample->time_ps, sample->name, sample->unit, sample->app,
                                   sample->value};
    recorder->failed |= !ct_vec_push(&recorder->samples, record);
}

struct sim_observer recorder_observer(struct recorder *recorder) {
    return (struct sim_observer){
        .context = recorder,
        .job_ended = recorder->parts & RESULT_JOBS ? keep_job : NULL,
        .job_unfinished = recorder->parts & RESULT_JOBS ? keep_job : NULL,
        .task_ended = recorder->parts & RESULT_TASKS ? keep_task : NULL,
        .decided = recorder->parts & RESULT_DECISIONS ? keep_decision : NULL,
        .blocks_moved = recorder->parts & RESULT_BLOCKS ? keep_blocks : NULL,
        .places = recorder->parts & RESULT_TASKS,
        .sampled = recorder->parts & RESULT_SAMPLES ? keep_sample : NULL};
}

void recorder_keep_reasons(struct recorder *recorder, const struct ct_policy *policy) {
    const struct ct_reason *reasons = recorder->parts & RESULT_DECISIONS ? policy->reasons : NULL;
    for (; reasons && reasons->key; reasons++) {
        struct result_reason kept = {.verb = (enum ct_verb)reasons->verb,
                                     .key = keep_key(recorder, reasons->key),
                                     .sentence =
                                         ct_arena_strdup(&recorder->arena, reasons->sentence)};
        recorder->failed |= !kept.sentence || !ct_vec_push(&recorder->reasons, kept);
    }
}

void recorder_fill(const struct recorder *recorder, struct result_run *run) {
    run->jobs = recorder->jobs.items;
    run->job_count = recorder->jobs.count;
    run->tasks = recorder->tasks.items;
    run->task_count = recorder->tasks.count;
    run->presences = recorder->presences.items;
    run->presence_count = recorder->presences.count;
    run->block_moves = recorder->block_moves.items;
    run->block_move_count = recorder->block_moves.count;
    run->decisions = recorder->decisions.items;
    run->decision_count = recorder->decisions.count;
    run->reasons = recorder->reasons.items;
    run->reason_count = recorder->reasons.count;
    run->samples = recorder->samples.items;
    run->sample_count = recorder->samples.count;
}

void recorder_free(struct recorder *recorder) {
    ct_vec_free(&recorder->jobs);
    ct_vec_free(&recorder->tasks);
    ct_vec_free(&recorder->presences);
    ct_vec_free(&recorder->block_moves);
    ct_vec_free(&recorder->decisions);
    ct_vec_free(&recorder->keys);
    ct_vec_free(&recorder->reasons);
    ct_vec_free(&recorder->samples);
    ct_arena_free(&recorder->arena);
}
