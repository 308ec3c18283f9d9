/* Jobs: they arrive, wait for a worker of their own application, run, end. */
#include "run/chance.h"
#include "run/knowledge.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

static void on_arrival(void *context, uint64_t argument);

/* ---- Storage: a finished job returns to its application's pool. ---- */

static struct run_job *job_new(struct run *run, const struct run_client *client) {
    if (run->free_jobs[client->app_index].count)
        return run->free_jobs[client->app_index].items[--run->free_jobs[client->app_index].count];
    struct run_job *job = slab_new(&run->jobs, &run->arena);
    if (!job)
        return NULL;
    job->view.scratch = ct_arena_alloc(&run->arena, run->policy->job_size);
    return job->view.scratch ? job : NULL;
}

static void job_reset(struct run *run, struct run_job *job, struct run_client *client) {
    struct run_job fresh = {.view = {.client = &client->view,
                                     .number = client->arrived,
                                     .first_ready_ps = -1,
                                     .first_issue_ps = -1,
                                     .scratch = job->view.scratch},
                            .client = client};
    memset(job->view.scratch, 0, run->policy->job_size);
    *job = fresh;
}

static bool calls_new(struct run *run, const struct run_client *client, struct run_room *room) {
    uint32_t most = client->app->most_calls;
    size_t size = run->policy->call_size;
    room->calls = ct_arena_array(&run->arena, most, sizeof *room->calls);
    char *scratch = ct_arena_array(&run->arena, most, size);
    for (uint32_t i = 0; room->calls && scratch && i < most; i++)
        room->calls[i].view.scratch = scratch + i * size;
    return room->calls && scratch;
}

static struct run_room *room_new(struct run *run, const struct run_client *client) {
    struct run_room *room = ct_arena_alloc(&run->arena, sizeof *room);
    uint32_t longest = client->app->longest_plan;
    if (!room)
        return NULL;
    room->launches = ct_arena_array(&run->arena, longest, sizeof *room->launches);
    if (client->keeps_trails)
        room->trail = ct_arena_array(&run->arena, longest, sizeof *room->trail);
    room->last_in_stream = ct_arena_array(&run->arena, client->app->stream_count, sizeof(uint32_t));
    if (client->blamed)
        room->culprit_ps =
            ct_arena_array(&run->arena, (size_t)longest * run->client_count, sizeof(double));
    if (client->blamed && run->host.pools) {
        room->host.crowd_ps = ct_arena_array(&run->arena, run->client_count + 1, sizeof(double));
        room->host.culprits =
            ct_arena_array(&run->arena, ((size_t)longest + 1) * run->client_count, sizeof(double));
        if (!room->host.crowd_ps || !room->host.culprits)
            return NULL;
    }
    if (!room->launches || !room->last_in_stream || (client->keeps_trails && !room->trail) ||
        (client->blamed && !room->culprit_ps))
        return NULL;
    return calls_new(run, client, room) ? room : NULL;
}

static void calls_reset(const struct run *run, struct run_job *job) {
    for (uint32_t i = 0; i < job->plan->call_count; i++) {
        const struct setup_call *call = &job->plan->calls[i];
        void *scratch = job->calls[i].view.scratch;
        job->calls[i] =
            (struct run_call){.view = {call->name, call->kernels, 0, scratch}, .call = call};
        memset(scratch, 0, run->policy->call_size);
    }
}

static bool room_enter(struct run *run, struct run_job *job) {
    const struct run_client *client = job->client;
    struct run_room **pool = &run->free_rooms[client->app_index];
    struct run_room *room = *pool ? *pool : room_new(run, client);
    if (!room)
        return false;
    if (room == *pool)
        *pool = room->next;
    for (uint32_t i = 0; i < client->app->stream_count; i++)
        room->last_in_stream[i] = RUN_NOBODY;
    job->room = room;
    job->last_in_stream = room->last_in_stream;
    job->launches = room->launches;
    job->trail = room->trail;
    job->culprit_ps = room->culprit_ps;
    job->host = room->host;
    job->calls = room->calls;
    calls_reset(run, job);
    return true;
}

static void room_leave(struct run *run, struct run_job *job) {
    job->room->next = run->free_rooms[job->client->app_index];
    run->free_rooms[job->client->app_index] = job->room;
}

static void job_link(struct run_client *client, struct run_job *job) {
    job->previous = client->last_job;
    *(client->last_job ? &client->last_job->next_job : &client->first_job) = job;
    client->last_job = job;
}

static void job_unlink(struct run_client *client, struct run_job *job) {
    *(job->previous ? &job->previous->next_job : &client->first_job) = job->next_job;
    *(job->next_job ? &job->next_job->previous : &client->last_job) = job->previous;
}

/* ---- Choice of what a job does. ---- */

/* Each job has its own stream, whatever the order in which jobs run. */
static struct des_stream draw_durations(struct run_client *client) {
    struct des_stream durations;
    for (int i = 0; i < 4; i++)
        durations.state[i] = des_stream_u64(&client->durations);
    return durations;
}

struct run_job_draws jobs_draw(struct run_client *client, uint32_t batch) {
    const struct setup_app *app = client->app;
    const struct workload_batch_jobs *batches = batch ? app->spec->server->jobs : NULL;
    struct run_job_draws draws = {0};
    if (batches) {
        batches += batch - 1;
        draws.choice = batches->first + (uint32_t)des_stream_below(&client->choice, batches->count);
    } else if (app->plan_count > 1) {
        double draw = des_stream_uniform(&client->choice);
        while (draws.choice + 1 < app->plan_count && draw >= app->weights[draws.choice])
            draws.choice++;
    }
    draws.size = arrivals_draw(&app->spec->size, &client->sizes);
    draws.durations = draw_durations(client);
    return draws;
}

static struct run_job_draws draw_part(struct run_client *client, const struct run_part_job *part) {
    return (struct run_job_draws){.choice = part->first +
                                            (uint32_t)des_stream_below(&client->choice, part->jobs),
                                  .size = part->size,
                                  .durations = draw_durations(client)};
}

/* A request that is a batch by itself has at a later stage what was drawn for it. */
static struct run_job_draws draws_of(struct run_client *client, const struct run_job *job) {
    const struct run_draws *draws = job->requests && client->app->spec->server->max_batch == 1
                                        ? server_draws(client, job->requests)
                                        : NULL;
    return draws ? draws->job : jobs_draw(client, job->batch);
}

static void job_choose(struct run_client *client, struct run_job *job,
                       const struct run_part_job *part) {
    const struct setup_app *app = client->app;
    const struct run_job *like = client->run->like;
    if (like) {
        job->plan = like->plan;
        job->size = like->size;
        job->stretch = like->stretch;
        job->durations = like->undrawn;
        job->view.input_bytes = like->view.input_bytes;
        return;
    }
    struct run_job_draws draws = part ? draw_part(client, part) : draws_of(client, job);
    job->plan = client->arrived == 0 ? &app->first_plans[draws.choice] : &app->plans[draws.choice];
    job->size = draws.size;
    job->stretch = part ? part->stretch : 1;
    job->durations = job->undrawn = draws.durations;
    job->view.input_bytes = (uint64_t)((double)job->plan->input_bytes * job->size);
}

void jobs_run_copy(struct run *run, const struct run_job *job, ct_share share, bool blame,
                   const struct sim_observer *observer) {
    struct setup alone = setup_alone(run->setup, job->client->app_index);
    struct sim_params params =
        sim_back_to_back(&alone, run->params->seed, run->params->replication, 1);
    struct sim_result result;
    struct run copy;
    params.cap = share;
    params.blame = blame;
    params.observer = observer;
    run_begin(&copy, &params, &result, run->diags);
    copy.like = job;
    if (!copy.failed)
        run_loop(&copy);
    int status = run_end(&copy);
    sim_result_free(&result);
    if (!run->failed)
        run->failed = status;
}

/* ---- What it is to keep, for policies ---- */

static const double TARGET_MOST_PS = 1e18; /* as of `qos_ms` */

/* By the progress that is wanted of its client; 0: nobody knows what it takes alone. */
static ct_time_ps target_by_progress(struct run *run, const struct run_job *job) {
    struct ct_prediction alone;
    if (!knowledge_predict_job(run, job, CT_SHARE_FULL, &alone))
        return 0;
    return ct_time_round(fmin(alone.duration_ps / job->client->view.np_target, TARGET_MOST_PS));
}

static ct_time_ps target_of(struct run *run, const struct run_job *job,
                            const struct run_part_job *part) {
    const struct ct_client *client = &job->client->view;
    if (part)
        return part->target_ps;
    return client->qos_ps > 0 || client->np_target == 0 ? client->qos_ps
                                                        : target_by_progress(run, job);
}

/* ---- Workers ---- */

/* The first that is free. It has streams of its own, unless all share those of the recording. */
static void worker_take(struct run_client *client, struct run_job *job) {
    job->worker = 0;
    while (client->works[job->worker])
        job->worker++;
    client->works[job->worker] = true;
    client->workers_busy++;
    bool own = client->app->spec->worker_streams == WORKLOAD_STREAMS_OWN;
    job->first_stream = own ? job->worker * client->app->stream_count : 0;
}

static void worker_leave(struct run_client *client, const struct run_job *job) {
    client->works[job->worker] = false;
    client->workers_busy--;
}

static void job_start(struct run *run, struct run_job *job) {
    if (!room_enter(run, job)) {
        run_out_of_memory(run);
        return;
    }
    worker_take(job->client, job);
    job->room->started_ps = des_engine_now(run->engine);
    sharing_begin(run, job);
    job->view.active = true;
    if (!repeats_take(job))
        launch_begin(job);
}

/* Free workers take up waiting jobs, first come first served. */
static void workers_update(struct run *run, struct run_client *client) {
    for (struct run_job *job = client->first_job, *next; job; job = next) {
        next = job->next_job;
        if (client->workers_busy >= (uint32_t)client->app->spec->workers)
            return;
        if (!job->view.active)
            job_start(run, job);
        if (run->failed)
            return;
    }
}

/* Puts requests into a job, whose arrival becomes that of the oldest one. */
static void take_requests(struct run_job *job, struct batcher_request *requests) {
    job->requests = requests;
    for (; requests; requests = requests->next, job->batch++)
        if (requests->arrival_ps < job->view.arrival_ps)
            job->view.arrival_ps = requests->arrival_ps;
}

void jobs_arrive(struct run_client *client, struct batcher_request *requests,
                 const struct run_part_job *part) {
    struct run *run = client->run;
    struct run_job *job = job_new(run, client);
    if (!job) {
        run_out_of_memory(run);
        return;
    }
    job_reset(run, job, client);
    job->view.arrival_ps = job->received_ps = des_engine_now(run->engine);
    take_requests(job, requests);
    if (part) {
        job->generates = true;
        job->batch = part->batch;
        job->counted = part->counted;
    }
    job->first_run = client->arrived == 0;
    job_choose(client, job, part);
    job->view.tasks = job->plan->count;
    job->view.kernels_left = job->plan->kernels;
    job->view.target_ps = target_of(run, job, part);
    client->arrived++;
    ready_received(job);
    job_link(client, job);
    if (!requests && !part)
        measure_job_arrived(run, job);
    policy_tell_job(run, "job_begin", run->policy->job_begin, &job->view);
    policy_wake(run, CT_WHY_JOB_BEGIN);
    workers_update(run, client);
}

/* ---- Arrivals ---- */

static void plan_arrival(struct run_client *client, ct_time_ps at, size_t stamp) {
    if (at == CT_TIME_NEVER)
        return;
    run_plan(client->run, at, DES_RANK_ARRIVAL, on_arrival, client, stamp);
}

static void plan_next(struct run_client *client) {
    ct_time_ps at = arrivals_next(&client->arrivals);
    plan_arrival(client, at, client->arrivals.stamp);
}

void jobs_send(struct run_client *client, size_t stamp) {
    plan_arrival(client, des_engine_now(client->run->engine), stamp);
}

static void on_arrival(void *context, uint64_t argument) {
    struct run_client *client = context;
    client->stamp = (size_t)argument;
    if (arrivals_are_open(&client->app->spec->arrivals) && !client->run->params->jobs_back_to_back)
        plan_next(client);
    if (client->server && !client->run->params->jobs_back_to_back)
        server_arrival(client);
    else
        jobs_arrive(client, NULL, NULL);
}

/* The first jobs come at a phase of a job, but no later than in the warm-up, or the first tenth of
 * the run: one that takes longer is under way in the measured time, not before its begin. A warm-up
 * that is found counts as none: the pilots that find it have the same arrivals as the run. */
static double phases_ps(const struct run *run, const struct run_client *client) {
    const struct sim_params *p = run->params;
    bool given = run->setup->workload->warmup_by == WORKLOAD_WARMUP_TIME;
    double tenth = (double)p->duration_ps / 10;
    double latest = given ? fmax((double)p->warmup_ps, tenth) : tenth;
    return fmin(client->app->plans[0].work_ps, latest);
}

static void client_start(struct run *run, struct run_client *client) {
    const struct workload_arrivals *spec = &client->app->spec->arrivals;
    if (run->params->jobs_back_to_back) {
        plan_arrival(client, 0, 0);
        return;
    }
    if (arrivals_are_open(spec)) {
        plan_next(client);
        return;
    }
    int64_t population = spec->process == WORKLOAD_ONCE ? 1 : spec->clients;
    bool phased = chance_in_phase(client->app->spec);
    for (int64_t i = 0; i < population; i++) {
        ct_time_ps phase = phased ? arrivals_phase(&client->arrivals, phases_ps(run, client)) : 0;
        ct_time_ps delay = arrivals_wait(&client->arrivals, &spec->delay_ms);
        plan_arrival(client, delay == CT_TIME_NEVER ? delay : phase + delay, 0);
    }
}

void jobs_start(struct run *run) {
    for (uint32_t i = 0; i < run->client_count; i++)
        client_start(run, &run->clients[i]);
}

/* ---- Ends ---- */

void jobs_successor(struct run_client *client) {
    struct run *run = client->run;
    const struct workload_arrivals *spec = &client->app->spec->arrivals;
    if (run->params->jobs_back_to_back) {
        run->stopped = client->completed >= run->params->jobs_back_to_back;
        plan_arrival(client, des_engine_now(run->engine), 0);
    } else if (spec->process == WORKLOAD_CLOSED)
        plan_arrival(
            client, des_engine_now(run->engine) + arrivals_wait(&client->arrivals, &spec->think_ms),
            0);
}

void jobs_end(struct run_job *job) {
    struct run_client *client = job->client;
    struct run *run = client->run;
    repeats_job_ended(run, job);
    worker_leave(client, job);
    client->completed++;
    measure_job_ended(run, job);
    policy_tell_job(run, "job_end", run->policy->job_end, &job->view);
    policy_wake(run, CT_WHY_JOB_END);
    job_unlink(client, job);
    room_leave(run, job);
    if (job->requests)
        server_batch_ended(client, job);
    else if (job->generates)
        generation_part_ended(client);
    else
        jobs_successor(client);
    run_must(run, ct_vec_push(&run->free_jobs[client->app_index], job));
    workers_update(run, client);
}

void jobs_task_ended(struct run_task *task) {
    struct run_job *job = task->job;
    struct run_client *client = task->client;
    job->ended++;
    job->view.tasks_done++;
    bool last = job->ended == job->plan->count;
    if (!last)
        launch_task_ended(job, task->position, task->step->stream);
    if (client->app->spec->workers > 1)
        launch_room(client, run_stream_of(job, task->step));
    if (last)
        launch_finish(job);
}
