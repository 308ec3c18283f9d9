/*
 * The host model (models reference, section 7). A task is launched asynchronously a recorded time after the launch
 * before it, however late the device is, unless the stream's queue is full; or a recorded time after the end of what
 * the host waited for.
 */
#include "run.h"

#include <string.h>

/* Outstanding tasks of one stream: the depth seen in real recordings. */
enum { QUEUE_DEPTH = 1024 };

static void launch_due(struct run_job *job);

static void on_launch(void *context, uint64_t argument) {
    (void)argument;
    launch_due(context);
}

/* Solo work of this launch: recorded, or drawn for synthetic kernels; then scaled by the job's size. */
static void set_work(struct run_job *job, struct run_task *task) {
    const struct setup_step *step = task->step;
    double work = step->work_ps;
    task->device.blocks = step->profile ? step->profile->blocks : 0;
    task->device.bytes = step->bytes;
    if (job->client->app->synthetic && step->profile)
        work = arrivals_draw(&job->client->app->spec->synthetic.duration_ms, &job->durations) * (double)CT_PS_PER_MS *
               job->client->app->spec->duration_scale;
    if (job->size != 1) {
        double slots = step->profile ? step->profile->blocks_per_sm * (double)job->client->run->setup->gpu.sms : 1;
        double blocks = fmax(1, nearbyint(task->device.blocks * job->size));
        task->device.bytes = (uint64_t)((double)step->bytes * job->size);
        work *= step->profile ? kernel_waves(blocks, slots) / kernel_waves(task->device.blocks, slots) : job->size;
        task->device.blocks = step->profile ? blocks : 0;
    }
    if (step->profile && (job->client->app->synthetic || job->size != 1))
        work = fmax(1, nearbyint(work / (double)CT_PS_PER_NS) * (double)CT_PS_PER_NS);
    bool host_copy = step->kind == TRACE_COPY && step->direction != TRACE_DEVICE_TO_DEVICE;
    if (host_copy && job->size != 1)
        work = device_copy_work_ps(&job->client->run->setup->gpu, task->device.bytes, step->pinned);
    task->device.work_ps = work;
}

static void describe(struct run_job *job, struct run_task *task) {
    const struct setup_step *step = task->step;
    const struct trace_kernel *kernel = step->kernel;
    struct ct_task *view = &task->view;
    view->client = &job->client->view;
    view->job = &job->view;
    view->index = task->position;
    view->kind = step->kind == TRACE_KERNEL ? CT_TASK_KERNEL : step->kind == TRACE_COPY ? CT_TASK_COPY : CT_TASK_MEMSET;
    view->state = CT_TASK_WAITING;
    view->direction = step->direction;
    view->pinned = step->pinned;
    view->stream = step->stream;
    view->bytes = task->device.bytes;
    view->function = kernel ? kernel->name : "";
    view->function_id = step->function;
    view->library_call = step->library_call;
    view->ready_ps = view->issued_ps = view->started_ps = view->ended_ps = -1;
    view->measured_ps = 0;
    memset(view->grid, 0, sizeof view->grid);
    memset(view->block, 0, sizeof view->block);
    view->registers_per_thread = view->smem_bytes = 0;
    if (!kernel)
        return;
    memcpy(view->grid, kernel->grid, sizeof view->grid);
    memcpy(view->block, kernel->block, sizeof view->block);
    if (job->size != 1)
        view->grid[0] = (uint32_t)(task->device.blocks / ((double)kernel->grid[1] * kernel->grid[2]) + 0.5);
    view->registers_per_thread = kernel->registers_per_thread;
    view->smem_bytes = kernel->static_smem_bytes + kernel->dynamic_smem_bytes;
}

static void trail_begin(struct run_job *job, const struct run_task *task) {
    struct run_trail *trail = &job->trail[task->position];
    uint32_t stream = task->step->stream;
    *trail = (struct run_trail){.launched_ps = des_engine_now(job->client->run->engine),
                                .work_ps = task->device.work_ps,
                                .release = (uint8_t)job->release,
                                .released_by = job->released_by,
                                .stream_before = job->last_in_stream[stream],
                                .held_by = RUN_NOBODY};
    job->last_in_stream[stream] = task->position;
}

static void launch_one(struct run_job *job) {
    struct run *run = job->client->run;
    struct run_task *task = ready_task_new(run);
    if (!task) {
        run_out_of_memory(run);
        return;
    }
    task->client = job->client;
    task->job = job;
    task->position = job->next++;
    task->step = &job->plan->steps[task->position];
    set_work(job, task);
    describe(job, task);
    trail_begin(job, task);
    ready_launched(task);
}

static bool wait_is_over(const struct run_job *job, const struct setup_step *step) {
    if (step->waited_for == SETUP_ALL_BEFORE)
        return job->ended == job->next;
    return job->trail[step->waited_for].done;
}

/* Plans the next launch one host gap from now; true: it is due at once. */
static bool plan_launch(struct run_job *job, enum run_release release, uint32_t released_by) {
    struct run *run = job->client->run;
    ct_time_ps gap = job->plan->steps[job->next].gap_ps;
    job->release = release;
    job->released_by = released_by;
    if (gap <= 0)
        return true;
    if (!des_event_schedule(run->engine, des_engine_now(run->engine) + gap, DES_RANK_ARRIVAL, on_launch, job, 0))
        run_out_of_memory(run);
    return false;
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
    uint32_t stream = job->plan->steps[job->next].stream;
    job->waits_for_depth = job->client->streams[stream].outstanding >= QUEUE_DEPTH;
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
    job->release = RUN_BY_JOB_START;
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
