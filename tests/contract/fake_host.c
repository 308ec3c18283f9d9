#include "fake_host.h"

#include "base/ct_option_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_host *fake_of(struct ct_context *context) {
    return (struct fake_host *)((char *)context - offsetof(struct fake_host, context));
}

static void fault(struct fake_host *fake, const char *what) {
    if (fake->faults++ == 0)
        fake->first_fault = what;
}

static struct fake_task *task_of(const struct ct_task *task) {
    return (struct fake_task *)((char *)(uintptr_t)task - offsetof(struct fake_task, task));
}

static struct fake_job *job_of(const struct ct_job *job) {
    return (struct fake_job *)((char *)(uintptr_t)job - offsetof(struct fake_job, job));
}

/* ---- verbs ---- */

/* Counts a verb; false when the host is in the mood to reject it. */
static bool accepts(struct fake_host *fake) {
    fake->verbs++;
    if (fake->reject_one_in == 0 || fake->verbs % fake->reject_one_in != 0)
        return true;
    fake->rejected++;
    return false;
}

static bool host_issue(struct ct_context *context, const struct ct_task *task,
                       const struct ct_grant *grant) {
    struct fake_host *fake = fake_of(context);
    struct fake_task *own = task_of(task);
    if (own->issued || fake->issue_waits[task->number])
        fault(fake, "a task was issued twice");
    else if (!own->pooled)
        fault(fake, "a task was issued that is not ready");
    else if (grant && (grant->share < 1 || grant->share > 1000))
        fault(fake, "a grant is outside of 1 to 1000 per mille");
    else if (accepts(fake))
        return fake->issue_waits[task->number] = true;
    return false;
}

static bool host_set_share(struct ct_context *context, const struct ct_client *client,
                           int64_t share) {
    struct fake_host *fake = fake_of(context);
    if (share < 1 || share > 1000)
        fault(fake, "a cap is outside of 1 to 1000 per mille");
    if (!accepts(fake))
        return false;
    fake->clients[client->index].cap = share;
    return true;
}

static bool host_repartition(struct ct_context *context, const int64_t *sms, uint32_t clients,
                             int32_t move) {
    struct fake_host *fake = fake_of(context);
    int64_t sum = 0;
    (void)move;
    for (uint32_t i = 0; i < clients; i++)
        sum += sms[i];
    if (clients != fake->client_count || sum > fake->info.sms)
        fault(fake, "a partition does not fit the device");
    if (!(fake->policy->needs & CT_NEED_PARTITION))
        fault(fake, "repartition without CT_NEED_PARTITION");
    if (!accepts(fake))
        return false;
    memcpy(fake->partition, sms, clients * sizeof *sms);
    fake->partitions++;
    return true;
}

static bool host_preempt(struct ct_context *context, const struct ct_task *task) {
    (void)task;
    if (!(fake_of(context)->policy->needs & CT_NEED_PREEMPTION))
        fault(fake_of(context), "preempt without CT_NEED_PREEMPTION");
    return false;
}

static bool host_set_mem_weight(struct ct_context *context, const struct ct_client *client,
                                double weight) {
    struct fake_host *fake = fake_of(context);
    if (!(fake->policy->needs & CT_NEED_MEMORY_WEIGHT))
        fault(fake, "set_mem_weight without CT_NEED_MEMORY_WEIGHT");
    if (!accepts(fake))
        return false;
    fake->mem_weight[client->index] = weight;
    return true;
}

static bool host_begin_epoch(struct ct_context *context) {
    fake_of(context)->epochs_begun++;
    return true;
}

static const struct ct_slice fake_slices[] = {
    {"1g.5gb", 1, 1, FAKE_SMS / 8}, {"3g.20gb", 3, 4, FAKE_SMS / 2}, {"7g.40gb", 7, 8, FAKE_SMS}};

static bool host_slice(struct ct_context *context, uint32_t index, struct ct_slice *slice) {
    (void)context;
    if (index >= CT_COUNT_OF(fake_slices))
        return false;
    *slice = fake_slices[index];
    return true;
}

static bool host_set_slice(struct ct_context *context, const struct ct_client *client,
                           uint32_t index) {
    struct fake_host *fake = fake_of(context);
    if (!(fake->policy->needs & CT_NEED_SLICES) || index >= CT_COUNT_OF(fake_slices))
        fault(fake, "set_slice without CT_NEED_SLICES, or of no profile");
    if (!accepts(fake))
        return false;
    fake->partition[client->index] = fake_slices[index].sms;
    return true;
}

static bool host_share_slice(struct ct_context *context, const struct ct_client *client,
                             const struct ct_client *with) {
    struct fake_host *fake = fake_of(context);
    if (!(fake->policy->needs & CT_NEED_SLICES) || client == with)
        fault(fake, "share_slice without CT_NEED_SLICES, or with itself");
    if (!accepts(fake))
        return false;
    fake->partition[client->index] = 0;
    return true;
}

static bool host_timer(struct ct_context *context, int64_t at_ps, uint64_t id) {
    struct fake_host *fake = fake_of(context);
    if (at_ps < fake->now_ps)
        fault(fake, "a timer lies in the past");
    if (!accepts(fake))
        return false;
    fake->timer_ps = at_ps;
    fake->timer_id = id;
    return true;
}

static bool host_charge(struct ct_context *context, int64_t time_ps) {
    if (time_ps < 0)
        fault(fake_of(context), "a negative charge");
    fake_of(context)->charged_ps += (uint64_t)time_ps;
    return true;
}

static uint32_t count_reasons(const struct ct_policy *policy) {
    uint32_t count = 0;
    while (policy->reasons && policy->reasons[count].key)
        count++;
    return count;
}

/* It changes nothing, so that the host is never in the mood to reject it. */
static bool host_hold(struct ct_context *context, const struct ct_task *task, uint32_t reason) {
    struct fake_host *fake = fake_of(context);
    struct fake_task *own = task_of(task);
    if (own->issued || fake->issue_waits[task->number] || !own->pooled)
        fault(fake, "a task is held that is not ready");
    else if (reason >= count_reasons(fake->policy))
        fault(fake, "a task is held for a reason that the policy does not have");
    else {
        own->held = fake->policy->reasons[reason].key;
        return true;
    }
    return false;
}

static void host_note(struct ct_context *context, const struct ct_task *task, const char *key,
                      double value) {
    struct fake_host *fake = fake_of(context);
    if (isnan(value))
        fault(fake, "a note without a number");
    if (fake->note_count < FAKE_NOTES)
        fake->notes[fake->note_count++] =
            (struct fake_note){fake->now_ps, task ? task->number + 1 : 0, key, value};
}

static bool host_feedback(struct ct_context *context, const struct ct_task *task) {
    if (task->state != CT_TASK_ENDED)
        fault(fake_of(context), "feedback about a task that has not ended");
    fake_of(context)->feedbacks++;
    return true;
}

/* ---- reads ---- */

static int64_t host_now(struct ct_context *context) {
    return fake_of(context)->now_ps;
}

static const struct ct_task *host_ready_next(struct ct_context *context,
                                             const struct ct_task *after) {
    struct fake_host *fake = fake_of(context);
    uint32_t from = 0;
    if (after)
        while (from < fake->pool_count && fake->pool[from++] != after->number)
            continue;
    for (; from < fake->pool_count; from++)
        if (!fake->issue_waits[fake->pool[from]])
            return &fake->tasks[fake->pool[from]].task;
    return NULL;
}

static uint32_t host_client_count(struct ct_context *context) {
    return fake_of(context)->client_count;
}

static const struct ct_client *host_client(struct ct_context *context, uint32_t index) {
    struct fake_host *fake = fake_of(context);
    return index < fake->client_count && fake->present[index] ? &fake->clients[index] : NULL;
}

static const struct ct_job *host_job_next(struct ct_context *context,
                                          const struct ct_client *client,
                                          const struct ct_job *after) {
    struct fake_host *fake = fake_of(context);
    uint32_t from = after ? (uint32_t)(job_of(after) - fake->jobs) + 1 : 0;
    for (; from < fake->job_count; from++)
        if (fake->jobs[from].open && fake->jobs[from].job.client == client)
            return &fake->jobs[from].job;
    return NULL;
}

static void host_counters(struct ct_context *context, const struct ct_client *client,
                          struct ct_counters *counters) {
    *counters = fake_of(context)->counters[client->index];
}

static void host_device(struct ct_context *context, struct ct_device_info *info) {
    *info = fake_of(context)->info;
}

static bool predict(double predicted_ps, struct ct_prediction *prediction) {
    *prediction = (struct ct_prediction){predicted_ps, NAN, NAN};
    return !isnan(predicted_ps);
}

static bool host_predict_task(struct ct_context *context, const struct ct_task *task, int64_t share,
                              struct ct_prediction *prediction) {
    if (share < 1 || share > 1000)
        fault(fake_of(context), "a prediction for a share outside of 1 to 1000 per mille");
    return predict(task_of(task)->predicted_ps, prediction);
}

static bool host_predict_job(struct ct_context *context, const struct ct_job *job, int64_t share,
                             struct ct_prediction *prediction) {
    if (share < 1 || share > 1000)
        fault(fake_of(context), "a prediction for a share outside of 1 to 1000 per mille");
    return predict(job_of(job)->predicted_ps, prediction);
}

static bool host_predict_progress(struct ct_context *context, const struct ct_client *client,
                                  const struct ct_counters *own, const struct ct_counters *others,
                                  int64_t sms, double *progress) {
    struct fake_host *fake = fake_of(context);
    (void)own;
    if (sms != fake->partition[client->index])
        fault(fake, "progress is asked for other SMs than the client holds");
    fake->others_accesses[client->index] = others->memory_accesses;
    *progress = fake->progress[client->index];
    return !isnan(*progress);
}

static bool host_predict_completion(struct ct_context *context, const struct ct_task *task,
                                    const int64_t *allocation, double *time_ps) {
    (void)context;
    (void)task;
    (void)allocation;
    *time_ps = NAN;
    return false;
}

static const struct ct_task *host_upcoming(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    return task_of(task)->upcoming;
}

static uint32_t host_tasks_ahead(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    return task_of(task)->ahead;
}

/* A linear congruential generator (Knuth's MMIX constants): enough for a fake. */
static double host_uniform(struct ct_context *context) {
    struct fake_host *fake = fake_of(context);
    fake->random = fake->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(fake->random >> 11) / 9007199254740992.0;
}

static void host_print(struct ct_context *context, const char *key, double value) {
    struct fake_host *fake = fake_of(context);
    if (fake->print_count < sizeof fake->prints / sizeof fake->prints[0])
        fake->prints[fake->print_count++] = (struct fake_note){fake->now_ps, 0, key, value};
}

static void host_fail(struct ct_context *context, const char *text) {
    fake_of(context)->failed = true;
    fake_of(context)->failure = text;
}

static struct fake_call *call_of(const struct ct_task *task) {
    return (struct fake_call *)((char *)(uintptr_t)task->call - offsetof(struct fake_call, call));
}

static bool host_predict_call(struct ct_context *context, const struct ct_task *task, int64_t share,
                              struct ct_prediction *prediction) {
    if (share < 1 || share > 1000)
        fault(fake_of(context), "a prediction for a share outside of 1 to 1000 per mille");
    return predict(task->call ? call_of(task)->predicted_ps : NAN, prediction);
}

static bool host_feedback_call(struct ct_context *context, const struct ct_task *task) {
    if (!task->call || task->call->kernels_done != task->call->kernels)
        fault(fake_of(context), "feedback about a call that has not ended");
    else
        call_of(task)->feedbacks++;
    return true;
}

static const struct ct_host host_table = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_host),
    .issue = host_issue,
    .set_share = host_set_share,
    .repartition = host_repartition,
    .preempt = host_preempt,
    .set_mem_weight = host_set_mem_weight,
    .timer = host_timer,
    .charge = host_charge,
    .hold = host_hold,
    .note = host_note,
    .feedback = host_feedback,
    .now = host_now,
    .ready_next = host_ready_next,
    .client_count = host_client_count,
    .client = host_client,
    .job_next = host_job_next,
    .counters = host_counters,
    .device = host_device,
    .predict_task = host_predict_task,
    .predict_job = host_predict_job,
    .predict_progress = host_predict_progress,
    .predict_completion = host_predict_completion,
    .uniform = host_uniform,
    .print = host_print,
    .fail = host_fail,
    .upcoming = host_upcoming,
    .predict_call = host_predict_call,
    .feedback_call = host_feedback_call,
    .begin_epoch = host_begin_epoch,
    .slice = host_slice,
    .set_slice = host_set_slice,
    .share_slice = host_share_slice,
    .tasks_ahead = host_tasks_ahead,
};

/* ---- options and life ---- */

/* "name=value name=value"; false when one is unknown or out of range. */
static bool set_options(struct fake_host *fake, const char *set) {
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    char text[512];
    snprintf(text, sizeof text, "%s", set ? set : "");
    char *rest = text, *name;
    while ((name = strtok_r(rest, " ", &rest))) {
        char *value = strchr(name, '=');
        if (value)
            *value++ = 0;
        ct_option_set(fake->policy->options, name, value ? value : "", fake->context.options,
                      &arena, "set", &diags);
    }
    bool good = diags.errors == 0;
    ct_diags_free(&diags);
    ct_arena_free(&arena);
    return good;
}

/* Zeroed scratch of exactly this size, so that a sanitizer sees every step beside it. */
static void *scratch(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        abort();
    return memory;
}

static bool policy_is_sound(const struct ct_policy *policy) {
    return policy && policy->abi == CT_POLICY_ABI && policy->size == sizeof *policy &&
           policy->name && *policy->name &&
           (policy->options_size > 0) == (policy->options != NULL) &&
           policy->prediction_cost_ps >= 0;
}

/* The host link and the copy engines of a K40 are Baymax' (sections 6.1 and 7.1); the rest is any
 * device. */
static const struct ct_device_info fake_device = {
    .sms = FAKE_SMS,
    .threads_per_sm = 2048,
    .blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .smem_per_sm_bytes = 98304,
    .clock_hz = 1e9,
    .dram_bytes_per_s = 288e9,
    .pcie_bytes_per_s = 12160e6,
    .pcie_pageable_bytes_per_s = 3150e6,
    .pcie_pinned_bytes_per_s = 11883e6,
    .copy_engines = 2,
};

struct fake_host *fake_open(const struct ct_policy *policy, const char *set) {
    return fake_open_on(policy, set, NULL);
}

struct fake_host *fake_open_on(const struct ct_policy *policy, const char *set,
                               const struct ct_device_info *device) {
    if (!policy_is_sound(policy))
        return NULL;
    struct fake_host *fake = calloc(1, sizeof *fake);
    if (!fake)
        return NULL;
    fake->host = host_table;
    fake->info = device ? *device : fake_device;
    fake->policy = policy;
    fake->timer_ps = -1;
    fake->random = 1;
    fake->context.host = &fake->host;
    fake->context.options = scratch(policy->options_size);
    fake->context.state = scratch(policy->state_size);
    if (policy->options)
        ct_options_default(policy->options, fake->context.options);
    if (!set_options(fake, set) || (policy->init && !policy->init(&fake->context))) {
        fake_close(fake);
        return NULL;
    }
    return fake;
}

void fake_close(struct fake_host *fake) {
    if (fake->policy->fini)
        fake->policy->fini(&fake->context);
    for (uint32_t i = 0; i < fake->task_count; i++)
        free(fake->tasks[i].task.scratch);
    for (uint32_t i = 0; i < fake->call_count; i++)
        free(fake->calls[i].call.scratch);
    for (uint32_t i = 0; i < fake->job_count; i++)
        free(fake->jobs[i].job.scratch);
    for (uint32_t i = 0; i < fake->client_count; i++)
        free(fake->clients[i].scratch);
    free(fake->context.options);
    free(fake->context.state);
    free(fake);
}

struct ct_client *fake_join(struct fake_host *fake, const char *name, int32_t role,
                            int64_t qos_ps) {
    if (fake->client_count == FAKE_CLIENTS)
        abort();
    struct ct_client *client = &fake->clients[fake->client_count];
    *client = (struct ct_client){.index = fake->client_count,
                                 .name = name,
                                 .role = role,
                                 .qos_ps = qos_ps,
                                 .np_target = 0,
                                 .cap = 1000,
                                 .scratch = scratch(fake->policy->client_size)};
    fake->present[fake->client_count++] = true;
    if (fake->policy->client_join)
        fake->policy->client_join(&fake->context, client);
    return client;
}

void fake_leave(struct fake_host *fake, struct ct_client *client) {
    if (fake->policy->client_leave)
        fake->policy->client_leave(&fake->context, client);
    fake->present[client->index] = false;
}

struct fake_job *fake_begin(struct fake_host *fake, struct ct_client *client, double predicted_ps,
                            bool waits) {
    if (fake->job_count == FAKE_JOBS)
        abort();
    struct fake_job *job = &fake->jobs[fake->job_count];
    *job = (struct fake_job){.job = {.client = client,
                                     .number = fake->job_count++,
                                     .arrival_ps = fake->now_ps,
                                     .target_ps = client->qos_ps,
                                     .first_ready_ps = -1,
                                     .first_issue_ps = -1,
                                     .active = !waits,
                                     .scratch = scratch(fake->policy->job_size)},
                             .client = client,
                             .open = true,
                             .predicted_ps = predicted_ps};
    fake->why |= CT_WHY_JOB_BEGIN;
    if (fake->policy->job_begin)
        fake->policy->job_begin(&fake->context, &job->job);
    return job;
}

/* Poisons freed scratch, so that a policy that keeps a pointer is found. */
static void retire(void **memory) {
    free(*memory);
    *memory = NULL;
}

void fake_end(struct fake_host *fake, struct fake_job *job) {
    for (uint32_t i = 0; i < fake->task_count; i++)
        if (fake->tasks[i].task.job == &job->job && !fake->tasks[i].issued)
            fake->tasks[i].pooled = false;
    job->open = false;
    fake->why |= CT_WHY_JOB_END;
    if (fake->policy->job_end)
        fake->policy->job_end(&fake->context, &job->job);
    retire(&job->job.scratch);
}

static struct fake_task *enter_pool(struct fake_host *fake, struct fake_job *job,
                                    struct ct_task task, double predicted_ps) {
    if (fake->task_count == FAKE_TASKS)
        abort();
    struct fake_task *own = &fake->tasks[fake->task_count];
    *own = (struct fake_task){
        .task = task, .pooled = true, .predicted_ps = predicted_ps, .issued_at_ps = -1};
    own->task.client = job->client;
    own->task.job = &job->job;
    own->task.number = fake->task_count++;
    own->task.index = job->job.tasks++;
    own->task.state = CT_TASK_READY;
    own->task.ready_ps = fake->now_ps;
    own->task.issued_ps = own->task.started_ps = own->task.ended_ps = -1;
    own->task.scratch = scratch(fake->policy->task_size);
    job->job.tasks_ready++;
    job->job.kernels_left += task.kind == CT_TASK_KERNEL;
    if (job->job.first_ready_ps < 0)
        job->job.first_ready_ps = fake->now_ps;
    fake->why |= CT_WHY_TASK_READY;
    if (fake->policy->task_launch)
        fake->policy->task_launch(&fake->context, &own->task);
    if (fake->policy->task_ready)
        fake->policy->task_ready(&fake->context, &own->task);
    return own;
}

struct fake_task *fake_kernel(struct fake_host *fake, struct fake_job *job, double predicted_ps) {
    struct ct_task task = {.kind = CT_TASK_KERNEL,
                           .function = "kernel",
                           .grid = {80, 1, 1},
                           .block = {256, 1, 1},
                           .registers_per_thread = 32};
    return enter_pool(fake, job, task, predicted_ps);
}

struct fake_call *fake_call(struct fake_host *fake, uint32_t kernels, double predicted_ps) {
    if (fake->call_count == FAKE_CALLS)
        abort();
    struct fake_call *call = &fake->calls[fake->call_count++];
    *call = (struct fake_call){
        .call = {.name = "call", .kernels = kernels, .scratch = scratch(fake->policy->call_size)},
        .predicted_ps = predicted_ps};
    return call;
}

struct fake_task *fake_call_kernel(struct fake_host *fake, struct fake_job *job,
                                   struct fake_call *call) {
    struct ct_task task = {.kind = CT_TASK_KERNEL,
                           .function = "kernel of a call",
                           .call = &call->call,
                           .grid = {80, 1, 1},
                           .block = {256, 1, 1},
                           .registers_per_thread = 32};
    return enter_pool(fake, job, task, NAN);
}

struct fake_task *fake_copy(struct fake_host *fake, struct fake_job *job, int32_t direction,
                            bool pinned, uint64_t bytes, double predicted_ps) {
    struct ct_task task = {.kind = CT_TASK_COPY,
                           .direction = direction,
                           .pinned = pinned,
                           .bytes = bytes,
                           .function = ""};
    return enter_pool(fake, job, task, predicted_ps);
}

struct fake_task *fake_memset(struct fake_host *fake, struct fake_job *job, double predicted_ps) {
    struct ct_task task = {.kind = CT_TASK_MEMSET, .bytes = 4096, .function = ""};
    return enter_pool(fake, job, task, predicted_ps);
}

static void start_at(struct fake_host *fake, struct fake_task *task, int64_t ps) {
    task->task.state = CT_TASK_RUNNING;
    task->task.started_ps = ps;
    fake->why |= CT_WHY_TASK_START;
    if (fake->policy->task_start)
        fake->policy->task_start(&fake->context, &task->task);
}

void fake_start(struct fake_host *fake, struct fake_task *task) {
    start_at(fake, task, fake->now_ps);
}

void fake_done(struct fake_host *fake, struct fake_task *task) {
    struct fake_job *job = job_of(task->task.job);
    if (!task->issued || task->ended)
        abort();
    if (task->task.started_ps < 0)
        start_at(fake, task, task->task.issued_ps);
    task->task.state = CT_TASK_ENDED;
    task->task.ended_ps = fake->now_ps;
    task->task.measured_ps = fake->now_ps - task->task.started_ps;
    job->job.tasks_done++;
    task->ended = true;
    if (task->task.call)
        call_of(&task->task)->call.kernels_done++;
    fake->why |= CT_WHY_TASK_DONE;
    if (fake->policy->task_done)
        fake->policy->task_done(&fake->context, &task->task);
    retire(&task->task.scratch);
}

/* ---- decisions ---- */

static bool goes_before(const struct fake_host *fake, uint32_t a, uint32_t b) {
    if (fake->rank_of[a] != fake->rank_of[b])
        return fake->rank_of[a] < fake->rank_of[b];
    return a < b;
}

/* Collects the ready pool by insertion, in the order of (rank, readiness). */
static void sort_pool(struct fake_host *fake) {
    fake->pool_count = 0;
    for (uint32_t i = 0; i < fake->task_count; i++) {
        if (!fake->tasks[i].pooled)
            continue;
        fake->rank_of[i] =
            fake->policy->rank ? fake->policy->rank(&fake->context, &fake->tasks[i].task) : 0;
        uint32_t at = fake->pool_count++;
        for (; at > 0 && goes_before(fake, i, fake->pool[at - 1]); at--)
            fake->pool[at] = fake->pool[at - 1];
        fake->pool[at] = i;
    }
}

static void apply_issue(struct fake_host *fake, struct fake_task *task) {
    struct fake_job *job = job_of(task->task.job);
    fake->issue_waits[task->task.number] = false;
    task->pooled = false;
    task->issued = true;
    task->issued_at_ps = task->task.issued_ps = fake->now_ps;
    task->issue_order = ++fake->issues;
    task->task.state = CT_TASK_ISSUED;
    job->job.tasks_issued++;
    job->job.kernels_left -= task->task.kind == CT_TASK_KERNEL;
    if (task->task.kind == CT_TASK_KERNEL && job->job.first_issue_ps < 0)
        job->job.first_issue_ps = fake->now_ps;
}

void fake_decide(struct fake_host *fake, uint32_t also) {
    uint32_t why = fake->why | also;
    fake->why = 0;
    sort_pool(fake);
    if (fake->policy->decide)
        fake->policy->decide(&fake->context, why);
    else
        for (uint32_t i = 0; i < fake->pool_count; i++)
            fake->issue_waits[fake->pool[i]] = true;
    for (uint32_t i = 0; i < fake->pool_count; i++)
        if (fake->issue_waits[fake->pool[i]])
            apply_issue(fake, &fake->tasks[fake->pool[i]]);
    fake->pool_count = 0;
}

void fake_advance(struct fake_host *fake, int64_t to_ps) {
    if (to_ps < fake->now_ps)
        abort();
    fake->now_ps = to_ps;
    if (fake->timer_ps < 0 || fake->timer_ps > to_ps)
        return;
    fake->timer_ps = -1;
    fake->why |= CT_WHY_TIMER;
    if (fake->policy->timer)
        fake->policy->timer(&fake->context, fake->timer_id);
}

double fake_noted(const struct fake_host *fake, const struct fake_task *task, const char *key) {
    uint64_t number = task ? task->task.number + 1 : 0;
    for (uint32_t i = fake->note_count; i > 0; i--)
        if (fake->notes[i - 1].task == number && strcmp(fake->notes[i - 1].key, key) == 0)
            return fake->notes[i - 1].value;
    return NAN;
}

double fake_reported(struct fake_host *fake, const char *key) {
    fake->print_count = 0;
    if (fake->policy->report)
        fake->policy->report(&fake->context);
    for (uint32_t i = 0; i < fake->print_count; i++)
        if (strcmp(fake->prints[i].key, key) == 0)
            return fake->prints[i].value;
    return NAN;
}
