#include "workload/setup_plans.h"

#include "base/ct_assert.h"
#include "models/device/pcie.h"
#include "workload/launch_latency.h"

static const char *copy_function(const struct trace_task *task) {
    static const char *const names[] = {"[copy host to device]", "[copy device to host]",
                                        "[copy device to device]"};
    return task->kind == TRACE_MEMSET ? "[memset]" : names[task->direction];
}

struct plan_parts {
    uint32_t copies_in, kernels,
        copies_out; /* lengths: leading host copies, the rest, trailing host copies */
};

static struct plan_parts split_job(const struct trace_task *tasks, uint32_t count) {
    struct plan_parts parts = {0};
    while (parts.copies_in < count && trace_task_crosses_link(&tasks[parts.copies_in]))
        parts.copies_in++;
    while (parts.copies_out < count - parts.copies_in &&
           trace_task_crosses_link(&tasks[count - 1 - parts.copies_out]))
        parts.copies_out++;
    parts.kernels = count - parts.copies_in - parts.copies_out;
    return parts;
}

struct plan_maker {
    struct setup *setup;
    struct setup_app *app;
    const struct trace_task *tasks; /* of the job */
    uint32_t *position; /* in the plan, of each task of the job, last made; TRACE_NONE: left out */
    uint32_t *dependencies;
    uint32_t dependency_count;
    uint32_t *call_of;     /* number in the plan, of each call of the trace; 0: not in this round */
    ct_time_ps *latency;   /* of each task's launch */
    ct_time_ps *gap;       /* of its stream, before each task */
    uint32_t *function_of; /* number of its name + 1, of each kernel of the trace; 0: not yet */
    struct setup_plan *plan;
    struct pcie_link link, recorded; /* of this GPU and of the recording's */
    struct ct_intern
        *names; /* of functions; the order of first use numbers them alike in every run */
    bool lost;  /* memory for a name ran out */
};

static bool copy_is_pinned(const struct setup_app *app, const struct trace_task *task) {
    if (app->spec->copy_memory == WORKLOAD_MEMORY_RECORDED)
        return task->memory == TRACE_PINNED;
    return app->spec->copy_memory == WORKLOAD_MEMORY_PINNED;
}

/* Whether a copy's time is known: recorded, of memory that the recording names. */
static bool copy_is_timed(const struct setup_app *app, const struct trace_task *task) {
    return app->spec->copy_memory == WORKLOAD_MEMORY_RECORDED &&
           task->memory != TRACE_MEMORY_UNKNOWN && task->duration_ps > 0;
}

/*
 * As long as recorded, which depends on the host, and on another GPU as much longer or shorter as a
 * copy of so many bytes is by the presets; no shorter than the link takes at best. Of memory that
 * is not known, or other than recorded, what the preset says.
 */
static double copy_work(const struct plan_maker *maker, const struct trace_task *task,
                        bool pinned) {
    const struct pcie_link *link = &maker->link;
    double solo = (double)pcie_solo_time(link, task->bytes, pinned);
    if (!copy_is_timed(maker->app, task))
        return solo;
    double then = (double)pcie_solo_time(&maker->recorded, task->bytes, pinned);
    double least = (double)task->bytes / link->effective_bytes_per_s * (double)CT_PS_PER_S;
    return nearbyint(fmax((double)task->duration_ps * (solo / then), least));
}

static void set_work(const struct plan_maker *maker, const struct trace_task *task,
                     struct setup_step *step) {
    double scale = maker->app->spec->duration_scale;
    if (trace_task_crosses_link(task))
        step->work_ps = copy_work(maker, task, step->pinned);
    else
        step->work_ps = nearbyint((double)task->duration_ps * scale *
                                  (step->profile ? step->profile->duration_scale : 1));
    if (step->work_ps < 1)
        step->work_ps = 1;
    step->as_recorded = step->work_ps == (double)task->duration_ps;
}

static void add_dependencies(struct plan_maker *maker, const struct trace_task *task,
                             struct setup_step *step) {
    const uint32_t *recorded = maker->app->trace->dependencies.items;
    step->first_dependency = maker->dependency_count;
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        uint32_t position = maker->position[recorded[task->first_dependency + i]];
        if (position != TRACE_NONE)
            maker->dependencies[maker->dependency_count++] = position;
    }
    step->dependency_count = maker->dependency_count - step->first_dependency;
    maker->app->has_dependencies |= step->dependency_count > 0 || step->lag_ps < 0;
}

static uint32_t function_number(struct plan_maker *maker, const char *name) {
    uint32_t number = ct_intern_text(maker->names, name);
    maker->lost |= number == UINT32_MAX;
    return number;
}

/* Looked up once for each kernel, however often it is launched. */
static uint32_t function_of(struct plan_maker *maker, const struct trace_task *task) {
    if (task->kind != TRACE_KERNEL)
        return function_number(maker, copy_function(task));
    uint32_t *known = &maker->function_of[task->kernel];
    if (*known == 0)
        *known = function_number(maker, maker->app->trace->kernels.items[task->kernel].name) + 1;
    return *known - 1;
}

/* The number of a kernel's library call in the plan; 0: none. */
static uint32_t call_number(struct plan_maker *maker, const struct trace_task *task) {
    struct setup_plan *plan = maker->plan;
    if (task->kind != TRACE_KERNEL || task->library_call == 0)
        return 0;
    uint32_t *number = &maker->call_of[task->library_call - 1];
    if (*number == 0) {
        ct_assert(plan->calls);
        const char *name = maker->app->trace->library_calls.items[task->library_call - 1];
        uint32_t function = function_number(maker, name);
        plan->calls[plan->call_count++] =
            (struct setup_call){.name = name, .function = function, .first = plan->count};
        *number = plan->call_count;
    }
    struct setup_call *call = &plan->calls[*number - 1];
    call->last = plan->count;
    call->kernels++;
    return *number;
}

/* Each round makes the recorded calls anew. */
static void begin_round(struct plan_maker *maker) {
    size_t calls = maker->app->trace->library_calls.count;
    for (size_t i = 0; i < calls; i++)
        maker->call_of[i] = 0;
}

/*
 * Without launch records the pace of the host is that at which the device took the tasks. On a
 * faster device that is no evidence of a slow host: the part of the gap in which the task before
 * ran shrinks as that task does.
 */
static ct_time_ps recorded_gap(const struct plan_maker *maker, uint32_t index) {
    const struct trace_task *task = &maker->tasks[index], *before = task - 1;
    if (maker->app->trace->launches_recorded || task->flags & TRACE_SYNC || index == 0 ||
        before->kind != TRACE_KERNEL)
        return task->host_gap_ps;
    double scale = maker->app->profiles[before->kernel].duration_scale;
    ct_time_ps ran =
        before->duration_ps < task->host_gap_ps ? before->duration_ps : task->host_gap_ps;
    return scale < 1 ? task->host_gap_ps - ct_time_round((1 - scale) * (double)ran)
                     : task->host_gap_ps;
}

static ct_time_ps host_time(const struct plan_maker *maker, ct_time_ps recorded) {
    double scale = maker->app->spec->host_scale;
    return scale == 1 ? recorded : ct_time_round((double)recorded * scale);
}

/* How long after what its host waited for a step is launched. What comes before a job's first task
 * is done once, whichever is the first. */
static ct_time_ps gap_of(const struct plan_maker *maker, uint32_t index, uint32_t flags) {
    ct_time_ps gap = host_time(maker, recorded_gap(maker, index));
    ct_time_ps stall = ct_time_round(maker->app->spec->stall_ms * (double)CT_PS_PER_MS);
    if (maker->plan->count == 0)
        return host_time(maker, maker->tasks[0].host_gap_ps);
    if (index == 0)
        gap = 0;
    return flags & TRACE_SYNC && gap < stall ? stall : gap;
}

static void add_step(struct plan_maker *maker, uint32_t index) {
    const struct trace_task *task = &maker->tasks[index];
    struct setup_step *step = &maker->plan->steps[maker->plan->count];
    const struct trace_kernel *kernel =
        task->kind == TRACE_KERNEL ? &maker->app->trace->kernels.items[task->kernel] : NULL;
    *step =
        (struct setup_step){.bytes = task->bytes,
                            .stream = task->stream,
                            .kind = task->kind,
                            .direction = task->direction,
                            .flags = task->flags,
                            .lag_ps = maker->gap[task - maker->app->trace->tasks.items],
                            .library_call = call_number(maker, task),
                            .kernel = kernel,
                            .pinned = task->kind == TRACE_COPY && copy_is_pinned(maker->app, task)};
    step->profile = kernel ? &maker->app->profiles[task->kernel] : NULL;
    step->function = function_of(maker, task);
    step->waited_for =
        task->waited_for == TRACE_NONE ? SETUP_ALL_BEFORE : maker->position[task->waited_for];
    if (maker->app->spec->launches == WORKLOAD_LAUNCHES_ONE_BY_ONE) {
        step->flags |= TRACE_SYNC;
        step->waited_for = SETUP_ALL_BEFORE;
    }
    step->gap_ps = gap_of(maker, index, step->flags);
    step->latency_ps = host_time(maker, maker->latency[task - maker->app->trace->tasks.items]);
    set_work(maker, task, step);
    add_dependencies(maker, task, step);
    maker->position[index] = maker->plan->count++;
    maker->plan->work_ps += step->work_ps;
    maker->plan->kernels += task->kind == TRACE_KERNEL;
    maker->app->has_copies |= setup_step_crosses_link(step);
}

/* Kernels repeat `iterations` times between the copies in and out. */
static int make_plan(struct plan_maker *maker, const struct trace_job *job, bool copies,
                     struct setup_plan *plan) {
    const struct setup_app *app = maker->app;
    struct plan_parts parts = split_job(maker->tasks, job->task_count);
    uint32_t iterations = (uint32_t)app->spec->iterations, dependencies = 0;
    for (uint32_t i = 0; i < job->task_count; i++)
        dependencies += maker->tasks[i].dependency_count;
    size_t longest = parts.copies_in + parts.copies_out + (size_t)parts.kernels * iterations;
    plan->steps = ct_arena_array(&maker->setup->arena, longest, sizeof *plan->steps);
    if (app->trace->library_calls.count > 0)
        plan->calls = ct_arena_array(&maker->setup->arena, longest, sizeof *plan->calls);
    maker->dependencies = ct_arena_array(&maker->setup->arena,
                                         (size_t)dependencies * iterations + 1, sizeof(uint32_t));
    if (!plan->steps || !maker->dependencies ||
        (!plan->calls && app->trace->library_calls.count > 0))
        return CT_DATA;
    maker->plan = plan;
    maker->dependency_count = 0;
    for (uint32_t i = 0; i < job->task_count; i++)
        maker->position[i] = TRACE_NONE;
    for (uint32_t i = 0; i < parts.copies_in && copies; i++)
        add_step(maker, i);
    for (uint32_t round = 0; round < iterations; round++) {
        begin_round(maker);
        for (uint32_t i = 0; i < parts.kernels; i++)
            if (copies || !trace_task_crosses_link(&maker->tasks[parts.copies_in + i]))
                add_step(maker, parts.copies_in + i);
    }
    for (uint32_t i = parts.copies_in + parts.kernels; i < job->task_count && copies; i++)
        add_step(maker, i);
    plan->dependencies = maker->dependencies;
    plan->input_bytes = copies ? job->input_bytes : 0;
    plan->tail_ps = host_time(maker, job->tail_ps);
    return CT_OK;
}

uint32_t setup_plans_job(const struct setup_app *app, uint32_t choice) {
    return app->spec->job_count ? app->spec->jobs[choice].index : choice;
}

static int make_plans(struct plan_maker *maker, bool copies, struct setup_plan *plans) {
    struct setup_app *app = maker->app;
    for (uint32_t i = 0; i < app->plan_count; i++) {
        const struct trace_job *job = &app->trace->jobs.items[setup_plans_job(app, i)];
        maker->tasks = app->trace->tasks.items + job->first_task;
        if (make_plan(maker, job, copies, &plans[i]) != CT_OK)
            return CT_DATA;
        app->longest_plan = plans[i].count > app->longest_plan ? plans[i].count : app->longest_plan;
        app->most_calls =
            plans[i].call_count > app->most_calls ? plans[i].call_count : app->most_calls;
    }
    return CT_OK;
}

/* How often a job is drawn; swapped blocks are none. */
static double weight_of(const struct setup_app *app, uint32_t choice) {
    const struct workload_server *server = app->spec->server;
    if (app->spec->job_count)
        return app->spec->jobs[choice].weight;
    return server && server->continuous && choice >= server->continuous->swap_job ? 0 : 1;
}

static void set_weights(struct setup_app *app) {
    double sum = 0, so_far = 0;
    for (uint32_t i = 0; i < app->plan_count; i++)
        sum += weight_of(app, i);
    for (uint32_t i = 0; i < app->plan_count; i++) {
        so_far += weight_of(app, i);
        app->weights[i] = so_far / sum;
    }
}

int setup_plans_make(struct setup *setup, struct setup_app *app, struct ct_intern *names) {
    const struct workload_app *spec = app->spec;
    app->plan_count = (uint32_t)(spec->job_count ? spec->job_count : app->trace->jobs.count);
    app->stream_count = app->trace->stream_count ? app->trace->stream_count : 1;
    app->plans = ct_arena_array(&setup->arena, app->plan_count, sizeof *app->plans);
    app->first_plans = app->plans;
    app->weights = ct_arena_array(&setup->arena, app->plan_count, sizeof *app->weights);
    if (spec->copies == WORKLOAD_COPIES_ONCE)
        app->first_plans = ct_arena_array(&setup->arena, app->plan_count, sizeof *app->plans);
    size_t tasks = app->trace->tasks.count, calls = app->trace->library_calls.count;
    struct ct_arena scratch = {0};
    struct plan_maker maker = {.setup = setup,
                               .app = app,
                               .position = ct_arena_array(&scratch, tasks, sizeof *maker.position),
                               .call_of = ct_arena_array(&scratch, calls, sizeof *maker.call_of),
                               .latency = ct_arena_array(&scratch, tasks, sizeof *maker.latency),
                               .gap = ct_arena_array(&scratch, tasks, sizeof *maker.gap),
                               .function_of = ct_arena_array(&scratch, app->trace->kernels.count,
                                                             sizeof *maker.function_of),
                               .names = names};
    int status = CT_DATA;
    if (app->plans && app->first_plans && app->weights && maker.position && maker.call_of &&
        maker.function_of && maker.latency && maker.gap &&
        launch_latencies(app->trace, maker.latency) &&
        stream_gaps(app->trace, maker.latency, maker.gap)) {
        pcie_link_init(&maker.link, &setup->gpu);
        pcie_link_init(&maker.recorded, app->recorded);
        set_weights(app);
        status = make_plans(&maker, spec->copies == WORKLOAD_COPIES_EACH, app->plans);
        if (status == CT_OK && app->first_plans != app->plans)
            status = make_plans(&maker, true, app->first_plans);
        status = maker.lost ? CT_DATA : status;
    }
    ct_arena_free(&scratch);
    return status;
}
