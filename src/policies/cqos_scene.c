/* The moment of a C-QoS decision: what is ready, issued and predicted now. */
#include "policies/cqos.h"
#include "policies/gate.h"

#include <math.h>
#include <string.h>

#define PS_PER_S 1e12

/* ---- the device ---- */

void cqos_device_read(struct ct_context *context, struct cqos_device *device) {
    struct ct_device_info info = {0};
    context->host->device(context, &info);
    *device = (struct cqos_device){
        .sms = info.sms,
        .per_sm = {(double)info.blocks_per_sm, (double)info.threads_per_sm,
                   (double)info.registers_per_sm, (double)info.smem_per_sm_bytes},
        .pcie_bytes_per_s = info.pcie_bytes_per_s,
        .engines = info.copy_engines == 1 ? 1 : 2};
}

uint32_t cqos_engine(const struct cqos_device *device, int32_t direction) {
    return device->engines == 1 ? 0 : (uint32_t)direction;
}

/* ---- predictions ---- */

/* Eq. 3, 4 and 7 of a task, with so many SMs for its application, ps. 0: unknown. */
static double completion(struct ct_context *context, const struct ct_task *task, int64_t sms) {
    struct cqos_state *state = context->state;
    struct ct_prediction solo;
    double ps = 0;
    state->allocation[task->client->index] = sms;
    bool known = context->host->predict_completion(context, task, state->allocation, &ps);
    state->allocation[task->client->index] = 0;
    if (known && gate_is_duration(ps))
        return ps;
    if (context->host->predict_task(context, task, 1000, &solo) &&
        gate_is_duration(solo.duration_ps))
        return solo.duration_ps;
    state->unknown++;
    return 0;
}

/* ---- kernels and copies ---- */

static void set_use(const struct cqos_device *device, const struct ct_task *task,
                    struct cqos_kernel *kernel) {
    double threads = (double)task->block[0] * task->block[1] * task->block[2];
    double need[CQOS_RESOURCES] = {1, threads, threads * task->registers_per_thread,
                                   task->smem_bytes};
    double most = 0;
    for (int r = 0; r < CQOS_RESOURCES; r++) {
        kernel->use[r] = device->per_sm[r] > 0 ? need[r] / device->per_sm[r] : 0;
        most = kernel->use[r] > most ? kernel->use[r] : most;
    }
    double fit = most > 0 ? 1 / most : 1;
    kernel->blocks_per_sm = fit < 1 ? 1 : (double)(int64_t)(fit * (1 + 1e-12));
    /* Eq. 1, of each SM; a block that fits on none is refused before the run. */
    ct_policy_assert(fit < 1 || kernel->blocks_per_sm * most <= 1 + 1e-9);
    /* occ: an SM gives registers and shared memory in units, so that fewer may fit. */
    if (task->blocks_per_sm > 0 && task->blocks_per_sm < kernel->blocks_per_sm)
        kernel->blocks_per_sm = task->blocks_per_sm;
}

static struct cqos_kernel describe(const struct cqos_device *device, const struct ct_task *task) {
    struct cqos_kernel kernel = {.there = true, .left = 1};
    double blocks = (double)task->grid[0] * task->grid[1] * task->grid[2];
    kernel.blocks = blocks < 1 ? 1 : blocks;
    set_use(device, task, &kernel);
    double sms = ceil(kernel.blocks / kernel.blocks_per_sm), all = (double)device->sms;
    kernel.need = sms < all ? (int64_t)sms : device->sms;
    return kernel;
}

static void copy_times(const struct cqos_device *device, const struct cqos_times *from,
                       struct cqos_times *to) {
    size_t bytes = (size_t)(device->sms + 1) * sizeof *from->ps;
    to->alike = from->alike;
    memcpy(to->ps, from->ps, bytes);
    memcpy(to->use_sum, from->use_sum, bytes);
    to->kernel = from->kernel;
}

static void predict_times(struct ct_context *context, const struct ct_task *task,
                          struct cqos_times *times) {
    struct cqos_state *state = context->state;
    uint64_t unknown = state->unknown;
    for (int64_t sms = 1; sms <= state->scene.device.sms; sms++)
        times->ps[sms] = completion(context, task, sms);
    times->alike = state->unknown == unknown ? task->alike : 0;
}

/* Kernels that are alike take the same time, but may ask for other registers. */
static bool uses_the_same(const struct cqos_kernel *a, const struct cqos_kernel *b) {
    bool same = a->blocks == b->blocks && a->blocks_per_sm == b->blocks_per_sm;
    for (int r = 0; r < CQOS_RESOURCES; r++)
        same &= a->use[r] == b->use[r];
    return same;
}

static void sum_use(const struct cqos_device *device, const struct cqos_kernel *kernel,
                    struct cqos_times *times) {
    for (int64_t sms = 0; sms <= device->sms; sms++)
        times->use_sum[sms] = cqos_use_sum(device, kernel, sms);
    times->kernel = *kernel;
}

/* A kernel for all numbers of SMs, predicted once for all that are alike: no feedback is given
 * here. What is unknown is asked for again, and counted, for each task. */
static void learn_kernel(struct ct_context *context, const struct ct_task *task, uint64_t key,
                         struct cqos_times *times) {
    struct cqos_state *state = context->state;
    const struct cqos_device *device = &state->scene.device;
    struct cqos_times *kept = &state->kept[task->alike % CQOS_KEPT];
    struct cqos_kernel kernel = describe(device, task);
    bool known = task->alike && times->alike == task->alike;
    bool alike = task->alike && kept->alike == task->alike;
    if (!known && alike)
        copy_times(device, kept, times);
    else if (!known)
        predict_times(context, task, times);
    times->task = key;
    bool same = uses_the_same(&times->kernel, &kernel);
    if (!same)
        sum_use(device, &kernel, times);
    double waves = ceil(kernel.blocks / (kernel.blocks_per_sm * (double)device->sms));
    times->kernel.block_ps = times->ps[device->sms] / waves;
    if (times->alike && !(same && (known || alike)))
        copy_times(device, times, kept);
}

static struct cqos_kernel kernel_of(struct ct_context *context, const struct ct_task *task,
                                    uint64_t key, struct cqos_times *times) {
    if (times->task != key)
        learn_kernel(context, task, key, times);
    struct cqos_kernel kernel = times->kernel;
    kernel.time_ps = times->ps;
    kernel.use_sum = times->use_sum;
    return kernel;
}

double cqos_kernel_completion(struct ct_context *context, const struct ct_task *task) {
    const struct cqos_client *client = task->client->scratch;
    bool known = task->alike && client->times.alike == task->alike;
    return known ? client->times.ps[client->sms] : completion(context, task, client->sms);
}

/* Counts down what is left of a running kernel at the rate of Eq. 4 since it was last looked at. */
static void progress(struct ct_context *context, const struct cqos_client *client,
                     struct cqos_task *kernel) {
    int64_t now = context->host->now(context), since = kernel->updated_ps;
    const struct ct_task *task = kernel->task;
    kernel->updated_ps = now;
    if (task->state != CT_TASK_RUNNING || client->sms == 0)
        return;
    since = task->started_ps > since ? task->started_ps : since;
    double whole = client->times.ps[client->sms];
    if (whole > 0)
        kernel->left = cqos_at_least_zero(kernel->left - (double)(now - since) / whole);
}

static double waited(struct ct_context *context, const struct ct_task *task) {
    const struct cqos_task *own = task->scratch;
    return (double)(context->host->now(context) - own->ready_ps);
}

/* The kernel that was issued first, else the first that is ready. */
static void set_kernel(struct ct_context *context, struct cqos_client *client,
                       struct cqos_app *app) {
    const struct ct_task *task = client->kernels ? client->kernels->task : client->ready_kernel;
    app->kernel.there = false;
    if (!task)
        return;
    app->kernel = kernel_of(context, task, task->number + 1, &client->times);
    app->kernel.waited_ps = waited(context, task);
    if (!client->kernels)
        return;
    progress(context, client, client->kernels);
    app->kernel.left = client->kernels->left;
}

static struct cqos_copy describe_copy(struct ct_context *context, const struct ct_task *task) {
    const struct cqos_state *state = context->state;
    double ps = completion(context, task, 0);
    double rate = ps > 0 ? (double)task->bytes / ps * PS_PER_S : 0;
    double part = rate / state->scene.device.pcie_bytes_per_s;
    return (struct cqos_copy){
        .there = true, .task = task, .left_ps = ps, .bandwidth = part > 0 && part < 1 ? part : 1};
}

static void set_copy(struct ct_context *context, struct cqos_client *client, struct cqos_app *app,
                     uint32_t engine) {
    struct cqos_copy *copy = &app->copies[engine];
    const struct ct_task *task = client->copies[engine];
    copy->there = false;
    if (!task && !client->ready_copies[engine])
        return;
    *copy = describe_copy(context, task ? task : client->ready_copies[engine]);
    copy->waited_ps = waited(context, copy->task);
    copy->running = task != NULL;
    copy->passed_over = ((const struct cqos_task *)copy->task->scratch)->passed_over;
    if (task && task->state == CT_TASK_RUNNING)
        copy->left_ps = cqos_at_least_zero(
            copy->left_ps - (double)(context->host->now(context) - task->started_ps));
}

/* What follows a copy or a kernel, as profiling saw it: what the algorithms look ahead to. */
static const struct ct_task *behind(struct ct_context *context, const struct ct_task *task) {
    return task ? context->host->upcoming(context, task) : NULL;
}

static void set_next_kernel(struct ct_context *context, const struct ct_task *next,
                            const struct ct_task *task, struct cqos_client *client,
                            struct cqos_app *app, uint32_t engine) {
    app->next_kernel = kernel_of(context, next, task->number + 1, &client->next_times);
    app->next_engine = engine;
}

/* Walks the stream to its next host copy, once until that is passed. */
static void find_copy(struct ct_context *context, const struct ct_task *task,
                      struct cqos_chain *chain) {
    const struct cqos_state *state = context->state;
    const struct ct_host *host = context->host;
    struct ct_prediction solo;
    bool known = chain->job == task->job->number + 1 && chain->stream == task->stream &&
                 (!chain->there || chain->index > task->index);
    if (known)
        return;
    *chain =
        (struct cqos_chain){.job = task->job->number + 1,
                            .stream = task->stream,
                            .until_ps = ((const struct cqos_job *)task->job->scratch)->ready_ps};
    const struct ct_task *next = host->upcoming(context, task);
    for (; next && !gate_is_host_copy(next); next = host->upcoming(context, next))
        if (host->predict_task(context, next, 1000, &solo) && gate_is_duration(solo.duration_ps))
            chain->until_ps += solo.duration_ps;
    chain->there = next != NULL;
    if (!next)
        return;
    chain->index = next->index;
    chain->engine = cqos_engine(&state->scene.device, next->direction);
}

static void set_copy_behind(struct ct_context *context, struct cqos_client *client,
                            const struct ct_task *task, struct cqos_app *app) {
    struct cqos_chain *chain = &client->chain;
    app->copy_follows = false;
    if (!task)
        return;
    find_copy(context, task, chain);
    app->copy_follows = chain->there;
    app->next_copy_engine = chain->engine;
    app->before_copy_ps = cqos_at_least_zero(
        chain->until_ps - ((const struct cqos_job *)task->job->scratch)->ready_ps);
}

static void set_next(struct ct_context *context, struct cqos_client *client, struct cqos_app *app) {
    const struct cqos_state *state = context->state;
    const struct cqos_device *device = &state->scene.device;
    const struct ct_task *kernel = client->kernels ? client->kernels->task : client->ready_kernel;
    const struct ct_task *next;
    app->next_copy.there = app->next_kernel.there = false;
    const struct ct_task *now = kernel;
    for (uint32_t e = 0; e < device->engines && !now; e++)
        now = app->copies[e].there ? app->copies[e].task : NULL;
    set_copy_behind(context, client, now, app);
    next = behind(context, kernel);
    if (next && gate_is_host_copy(next)) {
        app->next_copy = describe_copy(context, next);
        app->next_copy.task = NULL;
        app->next_copy_engine = cqos_engine(device, next->direction);
    } else if (next && next->kind == CT_TASK_KERNEL)
        set_next_kernel(context, next, kernel, client, app, CQOS_NOBODY);
    for (uint32_t e = 0; e < device->engines && !app->next_kernel.there && !kernel; e++) {
        const struct ct_task *copy = app->copies[e].there ? app->copies[e].task : NULL;
        next = behind(context, copy);
        if (next && next->kind == CT_TASK_KERNEL)
            set_next_kernel(context, next, copy, client, app, e);
    }
}

/* ---- applications ---- */

/* A whole job on a part of the SMs against all, as profiled; 1 where that is unknown. */
static void predict_slowdown(struct ct_context *context, const struct ct_job *job,
                             struct cqos_client *client) {
    const struct cqos_state *state = context->state;
    double self_ps = ((const struct cqos_job *)job->scratch)->self_ps;
    int64_t all = state->scene.device.sms;
    if (client->slowdown_job == job->number + 1)
        return;
    client->slowdown_job = job->number + 1;
    client->slowdown[0] = 1;
    for (int64_t sms = 1; sms <= all; sms++) {
        struct ct_prediction part;
        int64_t share = 1000 * sms / all;
        bool known = self_ps > 0 &&
                     context->host->predict_job(context, job, share > 0 ? share : 1, &part) &&
                     gate_is_duration(part.duration_ps) && part.duration_ps > self_ps;
        client->slowdown[sms] = known ? part.duration_ps / self_ps : 1;
    }
}

static const struct cqos_past *past_of(const struct ct_job *job) {
    return &((const struct cqos_client *)job->client->scratch)->past;
}

double cqos_elapsed_ps(struct ct_context *context, const struct ct_job *job) {
    int64_t now = context->host->now(context);
    return past_of(job)->elapsed_ps +
           (double)(job->first_ready_ps < 0 ? 0 : now - job->first_ready_ps);
}

double cqos_target_ps(const struct ct_job *job) {
    double own = ((const struct cqos_job *)job->scratch)->target_ps;
    return own > 0 ? past_of(job)->target_ps + own : 0;
}

double cqos_terms(struct ct_context *context, const struct ct_task *first) {
    const struct cqos_options *options = context->options;
    double kernels = 0;
    if (options->terms == CQOS_TERMS_TASKS)
        return first->job->tasks;
    for (const struct ct_task *task = first; task; task = context->host->upcoming(context, task))
        kernels += task->kind == CT_TASK_KERNEL;
    return kernels;
}

static void set_job(struct ct_context *context, const struct ct_job *job,
                    struct cqos_client *client, struct cqos_app *app) {
    const struct cqos_job *own = job->scratch;
    predict_slowdown(context, job, client);
    app->slowdown = client->slowdown;
    app->worth = &client->worth;
    app->target_ps = cqos_target_ps(job);
    app->tasks = client->past.terms + (own->terms > 0   ? own->terms
                                       : job->tasks > 0 ? job->tasks
                                                        : 1);
    app->elapsed_ps = cqos_elapsed_ps(context, job);
    app->spent_ps = client->past.spent_ps + own->spent_ps;
    app->rest_ps = cqos_at_least_zero(own->self_ps - own->ready_ps);
}

static void add_app(struct ct_context *context, const struct ct_client *client,
                    const struct ct_job *job) {
    struct cqos_state *state = context->state;
    struct cqos_client *own = client->scratch;
    struct cqos_app *app = &state->scene.apps[state->scene.count++];
    app->client = client->index;
    set_kernel(context, own, app);
    app->sms = own->sms;
    app->issued = own->kernels ? own->kernels->task : NULL;
    app->loans = own->loans;
    set_job(context, job, own, app);
    for (uint32_t e = 0; e < state->scene.device.engines; e++) {
        set_copy(context, own, app, e);
        double left = app->copies[e].there && app->copies[e].running ? app->copies[e].left_ps : 0;
        if (left > state->scene.busy_ps[e])
            state->scene.busy_ps[e] = left;
    }
    set_next(context, own, app);
}

/* Notes of each client the first kernel and copies that are ready. */
static void find_ready(struct ct_context *context) {
    const struct ct_host *host = context->host;
    const struct cqos_state *state = context->state;
    for (const struct ct_client *client = NULL; (client = gate_next_client(context, client));) {
        struct cqos_client *own = client->scratch;
        own->ready_kernel = own->ready_copies[0] = own->ready_copies[1] = NULL;
    }
    for (const struct ct_task *task = host->ready_next(context, NULL); task;
         task = host->ready_next(context, task)) {
        struct cqos_client *own = task->client->scratch;
        const struct ct_task **first = &own->ready_kernel;
        if (!((const struct cqos_task *)task->scratch)->ready)
            continue;
        if (gate_is_host_copy(task))
            first = &own->ready_copies[cqos_engine(&state->scene.device, task->direction)];
        else if (task->kind != CT_TASK_KERNEL)
            continue;
        *first = *first ? *first : task;
    }
}

/* The oldest jobs of all clients, in the order of arrival: what an application is called, or where
 * it stands in the workload, is no matter. */
static uint32_t list_jobs(struct ct_context *context, const struct ct_job **jobs) {
    const struct ct_host *host = context->host;
    uint32_t count = 0;
    for (const struct ct_client *client = NULL; (client = gate_next_client(context, client));) {
        struct cqos_client *own = client->scratch;
        const struct ct_job *job = own->joined ? host->job_next(context, client, NULL) : NULL;
        if (!job) {
            own->sms = 0;
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && jobs[at - 1]->arrival_ps > job->arrival_ps; at--)
            jobs[at] = jobs[at - 1];
        jobs[at] = job;
    }
    return count;
}

void cqos_scene_make(struct ct_context *context) {
    struct cqos_state *state = context->state;
    const struct ct_job *jobs[CQOS_APPS_MOST];
    uint32_t count = list_jobs(context, jobs);
    find_ready(context);
    state->scene.count = 0;
    for (uint32_t e = 0; e < CQOS_ENGINES; e++) /* a running copy is busy to its last instant */
        state->scene.busy_ps[e] = state->engine_copies[e] > 0;
    for (uint32_t i = 0; i < count; i++)
        add_app(context, jobs[i]->client, jobs[i]);
}
