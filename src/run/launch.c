/*
 * The host model (docs/model-reference.md, "The host"). A task is launched asynchronously a
 * recorded time after the launch before it, however late the device is, unless the stream's queue
 * is full; or a recorded time after the end of what the host waited for.
 */
#include "run/knowledge.h"
#include "run/run.h"

#include <string.h>

static void launch_due(struct run_job *job);

void launch_gap_ended(struct run_job *job, ct_time_ps cores_ps) {
    job->cores_ps = cores_ps;
    if (job->next == job->plan->count)
        jobs_end(job);
    else
        launch_due(job);
}

static void on_gap_ended(void *context, uint64_t argument) {
    (void)argument;
    launch_gap_ended(context, 0);
}

/* Only blocks have places, and only some watchers ask for them. */
static bool wants_places(const struct run *run) {
    const struct sim_observer *observer = run->params->observer;
    return observer && observer->places && run->setup->workload->fidelity == DEVICE_BLOCK;
}

static struct run_task *task_new(struct run *run) {
    if (run->free_tasks.count) {
        struct run_task *task = run->free_tasks.items[--run->free_tasks.count];
        memset(task->view.scratch, 0, run->policy->task_size);
        return task;
    }
    struct run_task *task = slab_new(&run->tasks, &run->arena);
    if (!task)
        return NULL;
    task->view.scratch = ct_arena_alloc(&run->arena, run->policy->task_size);
    if (wants_places(run))
        task->presence = ct_arena_array(&run->arena, DEVICE_SM_GROUPS, sizeof *task->presence);
    return task->view.scratch && (task->presence || !wants_places(run)) ? task : NULL;
}

double launch_blocks(const struct run_job *job, const struct setup_step *step) {
    if (!step->profile)
        return 0;
    return job->size == 1 ? step->profile->blocks
                          : fmax(1, nearbyint(step->profile->blocks * job->size));
}

static uint64_t bytes_of(const struct run_job *job, const struct setup_step *step) {
    return job->size == 1 ? step->bytes : (uint64_t)((double)step->bytes * job->size);
}

void launch_grid(const struct run_job *job, const struct setup_step *step, uint32_t grid[3]) {
    memcpy(grid, step->kernel->grid, sizeof step->kernel->grid);
    if (job->size != 1)
        grid[0] = (uint32_t)(launch_blocks(job, step) / ((double)grid[1] * grid[2]) + 0.5);
}

/* As much longer than its step alone as a copy of so many bytes is by the link. */
static double copy_work(const struct gpu *gpu, const struct setup_step *step, uint64_t bytes) {
    return nearbyint(device_copy_work_ps(gpu, bytes, step->pinned) *
                     (step->work_ps / device_copy_work_ps(gpu, step->bytes, step->pinned)));
}

/* Recorded, or drawn for synthetic kernels; then scaled by the job's size. */
double launch_work(struct run_job *job, const struct setup_step *step) {
    const struct setup_app *app = job->client->app;
    const struct gpu *gpu = &job->client->run->setup->gpu;
    double work = step->work_ps;
    if (setup_step_crosses_link(step))
        return job->size == 1 ? work : copy_work(gpu, step, bytes_of(job, step));
    if (!step->profile)
        return job->size == 1 ? work : fmax(1, nearbyint(work * job->size));
    if (job->stretch != 1)
        return fmax(1, nearbyint(work * job->stretch));
    if (!app->synthetic && job->size == 1)
        return work;
    if (app->synthetic)
        work = arrivals_draw(&app->spec->synthetic.duration_ms, &job->durations) *
               (double)CT_PS_PER_MS * app->spec->duration_scale;
    if (job->size != 1) {
        double slots = step->profile->blocks_per_sm * (double)gpu->sms;
        work *= kernel_waves(launch_blocks(job, step), slots) /
                kernel_waves(step->profile->blocks, slots);
    }
    return fmax(1, nearbyint(work / (double)CT_PS_PER_NS) * (double)CT_PS_PER_NS);
}

static void describe(struct run_job *job, struct run_task *task) {
    const struct setup_step *step = task->step;
    const struct trace_kernel *kernel = step->kernel;
    struct ct_task *view = &task->view;
    view->client = &job->client->view;
    view->job = &job->view;
    view->index = task->position;
    view->kind = step->kind == TRACE_KERNEL ? CT_TASK_KERNEL
                 : step->kind == TRACE_COPY ? CT_TASK_COPY
                                            : CT_TASK_MEMSET;
    view->state = CT_TASK_WAITING;
    _Static_assert((int)CT_COPY_IN == (int)TRACE_HOST_TO_DEVICE &&
                       (int)CT_COPY_OUT == (int)TRACE_DEVICE_TO_HOST &&
                       (int)CT_COPY_DEVICE == (int)TRACE_DEVICE_TO_DEVICE,
                   "policies see the directions of the trace");
    view->direction = step->direction;
    view->pinned = step->pinned;
    view->stream = run_stream_of(job, step);
    view->bytes = task->device.bytes;
    view->function = kernel ? kernel->name : "";
    view->function_id = step->function;
    view->call = step->library_call ? &job->calls[step->library_call - 1].view : NULL;
    view->ready_ps = view->issued_ps = view->started_ps = view->ended_ps = -1;
    view->measured_ps = 0;
    view->gap_ps = 0;
    memset(view->grid, 0, sizeof view->grid);
    memset(view->block, 0, sizeof view->block);
    view->registers_per_thread = view->smem_bytes = view->blocks_per_sm = 0;
    if (!kernel)
        return;
    launch_grid(job, step, view->grid);
    memcpy(view->block, kernel->block, sizeof view->block);
    view->registers_per_thread = kernel->registers_per_thread;
    view->blocks_per_sm = (uint32_t)step->profile->blocks_per_sm;
    view->smem_bytes = kernel->static_smem_bytes + kernel->dynamic_smem_bytes;
}

struct run_task *launch_task(struct run_job *job, uint32_t position) {
    struct run *run = job->client->run;
    struct run_task *task = task_new(run);
    if (!task) {
        run_out_of_memory(run);
        return NULL;
    }
    task->client = job->client;
    task->job = job;
    task->position = position;
    task->place = 0;
    task->step = &job->plan->steps[position];
    task->device.blocks = launch_blocks(job, task->step);
    task->device.bytes = bytes_of(job, task->step);
    task->device.work_ps = job->launches[position].work_ps;
    describe(job, task);
    task->view.alike = knowledge_alike(task);
    return task;
}

/* Losses are written with its begin. */
static void begin_trail(const struct run_job *job, const struct setup_step *step,
                        struct run_trail *trail, double work_ps) {
    trail->launched_ps = des_engine_now(job->client->run->engine);
    trail->ready_ps = trail->issued_ps = trail->queued_ps = -1;
    trail->head_ps = trail->started_ps = trail->ended_ps = -1;
    trail->predicting_ps = trail->delayed_ps = 0;
    trail->cores_ps = job->cores_ps;
    trail->work_ps = work_ps;
    trail->release = (uint8_t)job->release;
    trail->released_by = job->released_by;
    trail->stream_before = job->last_in_stream[step->stream];
    if (job->culprit_ps)
        memset(run_culprits_of(job, job->next - 1), 0,
               job->client->run->client_count * sizeof(double));
}

static void launch_one(struct run_job *job) {
    uint32_t position = job->next++;
    const struct setup_step *step = &job->plan->steps[position];
    double work_ps = launch_work(job, step);
    job->launches[position] = (struct run_launch){.work_ps = work_ps};
    if (job->trail)
        begin_trail(job, step, &job->trail[position], work_ps);
    job->last_in_stream[step->stream] = position;
    job->cores_ps = 0;
    ready_launched(job, position);
}

static bool wait_is_over(const struct run_job *job, const struct setup_step *step) {
    if (step->waited_for == SETUP_ALL_BEFORE)
        return job->ended == job->next;
    return job->launches[step->waited_for].done;
}

/* The host works on the job for so long, or longer where others want its cores. */
static void plan_gap(struct run_job *job, ct_time_ps gap) {
    struct run *run = job->client->run;
    if (run->host.pools ? !host_begin(job, gap)
                        : !des_event_schedule(run->engine, des_engine_now(run->engine) + gap,
                                              DES_RANK_ARRIVAL, on_gap_ended, job, 0))
        run_out_of_memory(run);
}

/* Plans the next launch one host gap from now; true: it is due at once. */
static bool plan_launch(struct run_job *job, enum run_release release, uint32_t released_by) {
    ct_time_ps gap = job->plan->steps[job->next].gap_ps;
    job->release = release;
    job->released_by = released_by;
    if (gap > 0)
        plan_gap(job, gap);
    return gap <= 0;
}

/* After a launch: what does the next one wait for? True: it is due at once. */
static bool prepare_next(struct run_job *job) {
    const struct setup_step *step = &job->plan->steps[job->next];
    if ((step->flags & TRACE_SYNC) && !wait_is_over(job, step)) {
        job->waits_for_task = true;
        return false;
    }
    return plan_launch(job, RUN_BY_LAUNCH, job->next - 1);
}

/* The host stands in the launch call until the stream's queue has room. */
static bool queue_is_full(struct run_job *job) {
    uint32_t stream = run_stream_of(job, &job->plan->steps[job->next]);
    job->waits_for_depth = job->client->streams[stream].outstanding >= RUN_QUEUE_DEPTH;
    return job->waits_for_depth;
}

/* The host gap is over: launches all that are due now. */
static void launch_due(struct run_job *job) {
    do {
        if (queue_is_full(job))
            return;
        launch_one(job);
    } while (!job->client->run->failed && job->next < job->plan->count && prepare_next(job));
}

void launch_begin(struct run_job *job) {
    if (plan_launch(job, RUN_BY_JOB_START, RUN_NOBODY))
        launch_due(job);
}

void launch_task_ended(struct run_job *job, uint32_t position, uint32_t stream) {
    if (job->next == job->plan->count)
        return;
    if (job->waits_for_task && wait_is_over(job, &job->plan->steps[job->next])) {
        job->waits_for_task = false;
        if (plan_launch(job, RUN_BY_TASK, position))
            launch_due(job);
    } else if (job->waits_for_depth && job->plan->steps[job->next].stream == stream) {
        job->release = RUN_BY_TASK;
        job->released_by = position;
        launch_due(job);
    }
}

void launch_finish(struct run_job *job) {
    job->cores_ps = 0;
    if (job->plan->tail_ps > 0)
        plan_gap(job, job->plan->tail_ps);
    else
        jobs_end(job);
}

void launch_room(struct run_client *client, uint32_t stream) {
    for (struct run_job *job = client->first_job; job; job = job->next_job)
        if (job->waits_for_depth && run_stream_of(job, &job->plan->steps[job->next]) == stream)
            launch_due(job);
}
