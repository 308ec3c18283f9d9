/*
 * From launch to issue. The tasks of a stream wait in the order of their launch; the first one that
 * is not issued stands in the ready pool, where the policy may reorder; once issued it is the
 * device's, and the next one has its place at once.
 *
 * The pool is in the order of launch, so that a walk over it meets the tasks in the order in which
 * it would if the pool held all that were launched: those behind a stream's first could not be
 * issued before it anyway.
 */
#include "run/knowledge.h"
#include "run/run.h"

static void on_predicted(void *context, uint64_t argument);

/* ---- The pool: ordered by (rank, launch). ---- */

static bool comes_before(const struct run_task *a, const struct run_task *b) {
    return a->rank < b->rank || (a->rank == b->rank && a->view.number < b->view.number);
}

/* Puts a task that is not in the pool behind those that come before it, looked for from `after` on
 * to the front. */
static void pool_insert(struct run *run, struct run_task *task, struct run_task *after) {
    while (after && comes_before(task, after))
        after = after->pool_previous;
    task->pool_previous = after;
    task->pool_next = after ? after->pool_next : run->pool.first;
    *(task->pool_next ? &task->pool_next->pool_previous : &run->pool.last) = task;
    *(after ? &after->pool_next : &run->pool.first) = task;
    task->pooled = true;
}

static void pool_remove(struct run *run, struct run_task *task) {
    if (run->pool.issued_behind == task)
        run->pool.issued_behind = task->pool_previous;
    *(task->pool_previous ? &task->pool_previous->pool_next : &run->pool.first) = task->pool_next;
    *(task->pool_next ? &task->pool_next->pool_previous : &run->pool.last) = task->pool_previous;
    task->pooled = false;
}

static struct run_task *rank_next(struct run *run, struct run_task *task) {
    struct run_task *before = task->pool_previous, *next = task->pool_next;
    task->rank = run->policy->rank(&run->context.view, &task->view);
    if (before && comes_before(task, before)) {
        pool_remove(run, task);
        pool_insert(run, task, before);
    }
    return next;
}

/* Ranks may change with time and with what the policy has learnt: they are asked for before each
 * decision. Mostly the order is as it was. */
void ready_rank(struct run *run) {
    if (!run->policy->rank)
        return;
    run->pool.issued_behind = NULL;
    run->pool.issued_number = 0;
    for (struct run_task *task = run->pool.first; task;)
        task = rank_next(run, task);
}

/* ---- Readiness ---- */

static void pass_at_once(struct run_task *task) {
    ready_issue(task, NULL);
    ready_apply(task);
    ready_enter(task->client->run);
}

static void enter_pool(struct run_task *task) {
    struct run *run = task->client->run;
    ct_time_ps now = des_engine_now(run->engine);
    task->view.ready_ps = run_trail_of(task->job, task->position)->ready_ps = now;
    task->view.state = CT_TASK_READY;
    task->job->view.tasks_ready++;
    if (task->job->view.first_ready_ps < 0)
        task->job->view.first_ready_ps = now;
    task->rank = 0;
    if (run->pool.passes_all && !run->policy->task_ready) {
        pass_at_once(task);
        return;
    }
    pool_insert(run, task, run->pool.last);
    policy_tell_task(run, "task_ready", run->policy->task_ready, &task->view);
    if (!task->pooled)
        return;
    if (run->pool.passes_all)
        pass_at_once(task);
    else
        policy_wake(run, CT_WHY_TASK_READY);
}

static bool dependencies_done(const struct run_task *task) {
    const struct setup_plan *plan = task->job->plan;
    for (uint32_t i = 0; i < task->step->dependency_count; i++)
        if (!task->job->launches[plan->dependencies[task->step->first_dependency + i]].done)
            return false;
    return true;
}

/* One prediction that begins now; serial, after all those before it. Returns when it is there. */
static ct_time_ps predict(struct run *run, ct_time_ps cost) {
    ct_time_ps now = des_engine_now(run->engine);
    if (run->params->decision_cost != WORKLOAD_COST_SERIAL)
        return now + cost;
    run->predictor_free_ps = (run->predictor_free_ps > now ? run->predictor_free_ps : now) + cost;
    return run->predictor_free_ps;
}

/* A query is predicted from when it, or its batch, is there. */
void ready_received(struct run_job *job) {
    struct run *run = job->client->run;
    ct_time_ps cost = run->policy->query_prediction_cost_ps;
    if (cost > 0 && run->params->decision_cost != WORKLOAD_COST_NONE && job->plan->kernels > 0 &&
        job->client->view.role == CT_SERVICE)
        job->predicted_ps = predict(run, cost);
}

/* Its first kernel waits for that. */
static ct_time_ps query_predicted_ps(struct run_task *task) {
    ct_time_ps predicted_ps = task->job->predicted_ps;
    if (task->step->kind != TRACE_KERNEL)
        return 0;
    task->job->predicted_ps = 0;
    return predicted_ps;
}

/*
 * When features that were not asked about before are predicted, from the launch of the task on;
 * equal features pay once and wait for one answer, those of a job of drawn size while no other size
 * is asked about. Overlapped, predictions run beside each other and the device; serial, one after
 * the other on one CPU thread.
 */
static ct_time_ps features_predicted_ps(struct run_task *task) {
    struct run *run = task->client->run;
    if (run->policy->prediction_cost_ps <= 0 || run->params->decision_cost == WORKLOAD_COST_NONE)
        return 0;
    struct run_asked *asked = &run->asked[knowledge_question(task)];
    if (asked->size != task->job->size)
        *asked = (struct run_asked){task->job->size, predict(run, run->policy->prediction_cost_ps)};
    return asked->predicted_ps;
}

/* What is launched now is predicted from now on, wherever in its stream it stands. */
static ct_time_ps predicted_ps(struct run_task *task) {
    ct_time_ps of_task = features_predicted_ps(task), of_query = query_predicted_ps(task);
    return of_task > of_query ? of_task : of_query;
}

/* The first of its stream that is not issued: ready once its dependencies are, and its prediction
 * is there. */
static void try_ready(struct run_task *task) {
    struct run *run = task->client->run;
    if (task->step->dependency_count && !dependencies_done(task)) {
        task->awaits_dependency = true;
        task->job->waiting_heads++;
        return;
    }
    ct_time_ps delay = task->predicted_ps - des_engine_now(run->engine);
    run_trail_of(task->job, task->position)->predicting_ps = delay > 0 ? delay : 0;
    if (delay <= 0) {
        enter_pool(task);
        return;
    }
    run_plan(run, task->predicted_ps, DES_RANK_ARRIVAL, on_predicted, task, 0);
}

static void on_predicted(void *context, uint64_t argument) {
    (void)argument;
    enter_pool(context);
}

/* ---- The next of a stream whose first was issued. ---- */

static void entering_add(struct run *run, struct run_task *task) {
    task->next_entering = NULL;
    *(run->pool.entering_last ? &run->pool.entering_last->next_entering
                              : &run->pool.entering_first) = task;
    run->pool.entering_last = task;
}

static struct run_task *entering_pop(struct run *run) {
    struct run_task *task = run->pool.entering_first;
    run->pool.entering_first = task->next_entering;
    if (!run->pool.entering_first)
        run->pool.entering_last = NULL;
    return task;
}

void ready_enter(struct run *run) {
    while (run->pool.entering_first && !run->failed) {
        struct run_task *task = entering_pop(run);
        try_ready(task);
        if (!task->pooled || !run->policy->rank)
            continue;
        pool_remove(run, task);
        task->rank = run->policy->rank(&run->context.view, &task->view);
        pool_insert(run, task, run->pool.last);
    }
}

/* Who was issued in this walk has left the pool, and those that came behind it have entered. The
 * walk goes on from the one before it: all up to there have been met. */
struct run_task *ready_look_after(struct run *run, const struct run_task *after) {
    const char *hook = run->hook;
    if (run->pool.entering_first) {
        ready_enter(run);
        run->hook = hook;
        policy_watch_enter(run->watch, hook, des_engine_now(run->engine));
    }
    if (after && after->pooled)
        return after->pool_next;
    bool last = after && after->view.number == run->pool.issued_number && run->pool.issued_behind;
    struct run_task *task = last ? run->pool.issued_behind->pool_next : run->pool.first;
    while (after && task && !comes_before(after, task))
        task = task->pool_next;
    return task;
}

/* ---- Issue ---- */

static void count_issue(struct run_job *job, const struct setup_step *step, ct_time_ps now) {
    job->view.tasks_issued++;
    job->view.kernels_left -= step->kind == TRACE_KERNEL;
    if (job->view.first_issue_ps < 0 && step->kind == TRACE_KERNEL)
        job->view.first_issue_ps = now;
}

void ready_issue(struct run_task *task, const struct ct_grant *grant) {
    struct run *run = task->client->run;
    struct run_stream *stream = &task->client->streams[task->view.stream];
    ct_time_ps now = des_engine_now(run->engine);
    if (task->pooled) {
        pool_remove(run, task);
        run->pool.issued_behind = task->pool_previous;
        run->pool.issued_number = task->view.number;
    }
    stream->head = task->next_in_stream;
    if (stream->head)
        entering_add(run, stream->head);
    task->share = grant ? (ct_share)grant->share : CT_SHARE_FULL;
    task->device.process = grant ? grant->process : 0;
    task->view.state = CT_TASK_ISSUED;
    task->job->launches[task->position].issued_ps = now;
    task->view.issued_ps = run_trail_of(task->job, task->position)->issued_ps = now;
    count_issue(task->job, task->step, now);
}

/* Where streams share hardware queues launches take no time: on its way one is in nobody's queue,
 * and would stand in that of others. */
static ct_time_ps latency_of(const struct run_client *client, const struct setup_step *step) {
    return client->shares_queues ? 0 : step->latency_ps;
}

/* Everything that the device asks of its caller. */
static void describe_to_device(struct run_task *task) {
    struct run_client *client = task->client;
    const struct setup_step *step = task->step;
    task->device.profile = step->profile;
    task->device.client = client->view.index;
    task->device.stream = client->first_stream + task->view.stream;
    task->device.kind = step->kind;
    task->device.direction = step->direction;
    task->device.pinned = step->pinned;
    task->device.share = task->share;
    task->device.lag_ps = step->lag_ps;
    task->device.launching = latency_of(client, step) > 0;
    task->device.job = task->job;
    task->device.culprit_ps =
        task->job->culprit_ps ? run_culprits_of(task->job, task->position) : NULL;
    task->device.presence = task->step->profile ? task->presence : NULL;
    for (uint32_t g = 0; task->device.presence && g < DEVICE_SM_GROUPS; g++)
        task->presence[g] = (struct device_presence){-1, -1};
}

/* What a policy holds is a launch that it has intercepted: that much later it comes. */
static void set_arrival(struct run_task *task) {
    ct_time_ps now = des_engine_now(task->client->run->engine);
    ct_time_ps lag = task->step->lag_ps > 0 ? task->step->lag_ps : 0;
    task->device.arrives_ps += now - task->view.ready_ps;
    ct_time_ps comes_in = task->device.arrives_ps - now;
    task->view.gap_ps = comes_in > lag ? comes_in : lag;
}

/* Not before those that were issued before it in its stream. */
void ready_apply(struct run_task *task) {
    struct run *run = task->client->run;
    struct run_stream *stream = &task->client->streams[task->view.stream];
    task->due = true;
    while ((task = stream->first) && task->due) {
        stream->first = task->next_in_stream;
        if (!stream->first)
            stream->last = NULL;
        run_trail_of(task->job, task->position)->queued_ps = des_engine_now(run->engine);
        describe_to_device(task);
        set_arrival(task);
        device_submit(run->device, &task->device);
    }
}

/* ---- Straight through: no policy looks at the task, so it is made only when its stream has come
 * to it, or its hardware queue where several streams share one. ---- */

static bool passes(const struct run *run, const struct run_client *client) {
    const struct ct_policy *policy = run->policy;
    return run->pool.passes_all && !policy->task_launch && !policy->task_ready &&
           !client->app->has_dependencies;
}

/* Streams among which the hardware queues of a client are divided: its own, or everybody's. */
static uint32_t streams_together(const struct run_client *client) {
    const struct run *run = client->run;
    return run_has_contexts(run) ? client->stream_count : run->stream_count;
}

/* Those who submit and those who offer cannot keep one order in a shared queue: of those who share
 * it all pass, or nobody. */
bool ready_prepare(struct run *run) {
    bool all = true, offers = false;
    for (uint32_t i = 0; i < run->client_count; i++) {
        struct run_client *client = &run->clients[i];
        client->passes = passes(run, client);
        client->shares_queues = run->setup->hw_queues < streams_together(client);
        all &= client->passes;
    }
    for (uint32_t i = 0; i < run->client_count; i++) {
        struct run_client *client = &run->clients[i];
        if (client->shares_queues && !run_has_contexts(run))
            client->passes = all;
        offers |= client->shares_queues && client->passes;
    }
    if (offers)
        run->pool.shared_queues =
            ct_arena_array(&run->arena, run->stream_count, sizeof *run->pool.shared_queues);
    return !offers || run->pool.shared_queues;
}

/* Issued at its launch. NULL: out of memory. */
static struct run_task *make_passing(struct run_waiting waiting) {
    struct run *run = waiting.job->client->run;
    struct run_task *task = launch_task(waiting.job, waiting.position);
    if (!task)
        return NULL;
    task->view.number = ++run->task_number;
    task->view.ready_ps = task->view.issued_ps = waiting.job->launches[waiting.position].issued_ps;
    task->view.state = CT_TASK_ISSUED;
    task->share = CT_SHARE_FULL;
    task->pooled = task->awaits_dependency = false;
    describe_to_device(task);
    task->device.arrives_ps = task->view.issued_ps + latency_of(task->client, task->step);
    return task;
}

static void pass(struct run *run, struct run_waiting waiting) {
    struct run_task *task = make_passing(waiting);
    if (task)
        device_submit(run->device, &task->device);
}

/* `size`: what the line has room for, whenever it is called. */
static bool line_push(struct run *run, struct run_line *line, uint32_t size,
                      struct run_waiting waiting) {
    if (!line->ring) {
        line->ring = ct_arena_array(&run->arena, size, sizeof *line->ring);
        line->size = size;
    }
    if (!line->ring)
        return false;
    line->ring[(line->first + line->count++) % line->size] = waiting;
    return true;
}

static struct run_waiting line_pop(struct run_line *line) {
    struct run_waiting waiting = line->ring[line->first];
    line->first = (line->first + 1) % line->size;
    line->count--;
    return waiting;
}

struct device_task *ready_next(void *context, uint32_t queue) {
    struct run *run = context;
    struct run_line *line = &run->pool.shared_queues[queue];
    struct run_task *task = line->count ? make_passing(line_pop(line)) : NULL;
    return task ? &task->device : NULL;
}

/* A queue has room for as many tasks as each of its streams may have launched. */
static void offer(struct run_client *client, uint32_t stream, struct run_waiting waiting) {
    struct run *run = client->run;
    uint32_t on_device = client->first_stream + stream;
    uint32_t streams = streams_together(client) / run->setup->hw_queues + 1;
    struct run_line *line = &run->pool.shared_queues[device_queue_of(run->device, on_device)];
    if (line_push(run, line, streams * RUN_QUEUE_DEPTH, waiting))
        device_offer(run->device, on_device);
    else
        run_out_of_memory(run);
}

static void launch_through(struct run_job *job, uint32_t position) {
    struct run *run = job->client->run;
    const struct setup_step *step = &job->plan->steps[position];
    uint32_t number = run_stream_of(job, step);
    struct run_stream *stream = &job->client->streams[number];
    struct run_trail *trail = run_trail_of(job, position);
    struct run_waiting waiting = {job, position};
    ct_time_ps now = des_engine_now(run->engine);
    trail->ready_ps = trail->issued_ps = trail->queued_ps = now;
    job->launches[position].issued_ps = now;
    job->view.tasks_ready++;
    if (job->view.first_ready_ps < 0)
        job->view.first_ready_ps = now;
    count_issue(job, step, now);
    stream->launched++;
    stream->outstanding++;
    if (job->client->shares_queues)
        offer(job->client, number, waiting);
    else if (stream->outstanding == 1)
        pass(run, waiting);
    else
        run_must(run, line_push(run, &stream->behind, RUN_QUEUE_DEPTH, waiting));
}

static void stream_add(struct run_stream *stream, struct run_task *task) {
    *(stream->last ? &stream->last->next_in_stream : &stream->first) = task;
    stream->last = task;
    if (!stream->head)
        stream->head = task;
}

void ready_launched(struct run_job *job, uint32_t position) {
    if (job->client->passes) {
        launch_through(job, position);
        return;
    }
    struct run *run = job->client->run;
    struct run_stream *stream =
        &job->client->streams[run_stream_of(job, &job->plan->steps[position])];
    struct run_task *task = launch_task(job, position);
    if (!task)
        return;
    task->next_in_stream = NULL;
    task->awaits_dependency = task->pooled = task->due = false;
    task->view.number = ++run->task_number;
    task->predicted_ps = predicted_ps(task);
    task->device.arrives_ps = des_engine_now(run->engine) + latency_of(task->client, task->step);
    task->place = stream->launched++;
    stream->outstanding++;
    stream_add(stream, task);
    policy_tell_task(run, "task_launch", run->policy->task_launch, &task->view);
    if (stream->head == task)
        try_ready(task);
}

/* A stream ends its tasks in the order of their launch. */
uint32_t ready_ahead(const struct run_task *task) {
    const struct run_stream *stream = &task->client->streams[task->view.stream];
    const struct setup_plan *plan = task->job->plan;
    uint64_t ended = stream->launched - stream->outstanding;
    uint64_t ahead = task->place > ended ? task->place - ended : 0;
    for (uint32_t i = 0; i < task->step->dependency_count; i++)
        ahead += !task->job->launches[plan->dependencies[task->step->first_dependency + i]].done;
    return (uint32_t)ahead;
}

/* Stream heads that waited for a dependency look again. */
static void recheck_heads(struct run_job *job) {
    struct run_client *client = job->client;
    for (uint32_t i = 0; i < client->stream_count; i++) {
        struct run_task *head = client->streams[i].head;
        if (!head || head->job != job || !head->awaits_dependency)
            continue;
        head->awaits_dependency = false;
        job->waiting_heads--;
        try_ready(head);
    }
}

void ready_task_ended(struct run_task *task) {
    struct run_stream *stream = &task->client->streams[task->view.stream];
    stream->outstanding--;
    if (stream->behind.count)
        pass(task->client->run, line_pop(&stream->behind));
    if (task->job->waiting_heads)
        recheck_heads(task->job);
}
