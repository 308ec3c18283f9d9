/* What one decision of the C-QoS family costs the host, by applications and SMs. Prints a table;
 * see README.md. */
#include "base/ct_option_value.h"
#include "policies/policies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { APPS_MOST = 16, SLOTS = 2, ROUNDS_MOST = 2000 };
#define MS INT64_C(1000000000)
#define SECONDS_MOST 2.0

enum slot_state { SLOT_READY, SLOT_ISSUED };

/* Each application always has one kernel and one copy, ready or on the device. */
struct slot {
    struct ct_task task;
    enum slot_state state;
};

struct bench {
    struct ct_context context; /* first */
    const struct ct_policy *policy;
    struct ct_device_info info;
    uint32_t apps;
    struct ct_client clients[APPS_MOST];
    struct ct_job jobs[APPS_MOST];
    struct slot slots[APPS_MOST * SLOTS];
    int64_t now_ps;
    uint64_t number, random;
};

static struct bench *bench_of(struct ct_context *context) {
    return (struct bench *)context;
}

static struct slot *slot_of(const struct ct_task *task) {
    return (struct slot *)(uintptr_t)task;
}

static bool host_issue(struct ct_context *context, const struct ct_task *task,
                       const struct ct_grant *grant) {
    (void)context;
    (void)grant;
    slot_of(task)->state = SLOT_ISSUED;
    slot_of(task)->task.state = CT_TASK_ISSUED;
    return true;
}

static bool host_repartition(struct ct_context *context, const int64_t *sms, uint32_t clients,
                             int32_t move) {
    (void)context;
    (void)sms;
    (void)clients;
    (void)move;
    return true;
}

static void host_note(struct ct_context *context, const struct ct_task *task, const char *key,
                      double value) {
    (void)context;
    (void)task;
    (void)key;
    (void)value;
}

static bool host_feedback(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    (void)task;
    return true;
}

static int64_t host_now(struct ct_context *context) {
    return bench_of(context)->now_ps;
}

static const struct ct_task *host_ready_next(struct ct_context *context,
                                             const struct ct_task *after) {
    struct bench *bench = bench_of(context);
    uint32_t from = after ? (uint32_t)(slot_of(after) - bench->slots) + 1 : 0;
    for (; from < bench->apps * SLOTS; from++)
        if (bench->slots[from].state == SLOT_READY)
            return &bench->slots[from].task;
    return NULL;
}

static uint32_t host_client_count(struct ct_context *context) {
    return bench_of(context)->apps;
}

static const struct ct_client *host_client(struct ct_context *context, uint32_t index) {
    return &bench_of(context)->clients[index];
}

static const struct ct_job *host_job_next(struct ct_context *context,
                                          const struct ct_client *client,
                                          const struct ct_job *after) {
    return after ? NULL : &bench_of(context)->jobs[client->index];
}

static void host_device(struct ct_context *context, struct ct_device_info *info) {
    *info = bench_of(context)->info;
}

static bool host_predict_task(struct ct_context *context, const struct ct_task *task, int64_t share,
                              struct ct_prediction *prediction) {
    (void)context;
    (void)task;
    (void)share;
    *prediction = (struct ct_prediction){(double)MS, NAN, NAN};
    return true;
}

static bool host_predict_job(struct ct_context *context, const struct ct_job *job, int64_t share,
                             struct ct_prediction *prediction) {
    (void)context;
    (void)job;
    *prediction = (struct ct_prediction){20.0 * (double)MS * 1000 / (double)share, NAN, NAN};
    return true;
}

static bool host_predict_completion(struct ct_context *context, const struct ct_task *task,
                                    const int64_t *allocation, double *time_ps) {
    const struct bench *bench = bench_of(context);
    *time_ps = (double)MS;
    if (task->kind == CT_TASK_KERNEL)
        *time_ps *= (double)bench->info.sms / (double)allocation[task->client->index];
    return true;
}

/* A kernel is followed by the copy of its application, a copy by the kernel. */
static const struct ct_task *host_upcoming(struct ct_context *context, const struct ct_task *task) {
    struct bench *bench = bench_of(context);
    uint32_t other = task->kind == CT_TASK_KERNEL ? 1 : 0;
    return &bench->slots[task->client->index * SLOTS + other].task;
}

static double host_uniform(struct ct_context *context) {
    struct bench *bench = bench_of(context);
    bench->random = bench->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(bench->random >> 11) / 9007199254740992.0;
}

static uint32_t host_tasks_ahead(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    (void)task;
    return 0;
}

static bool host_hold(struct ct_context *context, const struct ct_task *task, uint32_t reason) {
    (void)context;
    (void)task;
    (void)reason;
    return true;
}

static const struct ct_host host = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_host),
    .issue = host_issue,
    .hold = host_hold,
    .repartition = host_repartition,
    .note = host_note,
    .feedback = host_feedback,
    .now = host_now,
    .ready_next = host_ready_next,
    .client_count = host_client_count,
    .client = host_client,
    .job_next = host_job_next,
    .device = host_device,
    .predict_task = host_predict_task,
    .predict_job = host_predict_job,
    .predict_completion = host_predict_completion,
    .uniform = host_uniform,
    .upcoming = host_upcoming,
    .tasks_ahead = host_tasks_ahead,
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *zeroed(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        exit(EXIT_FAILURE);
    return memory;
}

static void make_ready(struct bench *bench, struct slot *slot) {
    memset(slot->task.scratch, 0, bench->policy->task_size);
    slot->state = SLOT_READY;
    slot->task.state = CT_TASK_READY;
    slot->task.number = bench->number++;
    slot->task.ready_ps = bench->now_ps;
    slot->task.started_ps = slot->task.ended_ps = -1;
    bench->policy->task_ready(&bench->context, &slot->task);
}

static void end_task(struct bench *bench, struct slot *slot) {
    if (slot->state != SLOT_ISSUED)
        return;
    slot->task.state = CT_TASK_ENDED;
    slot->task.ended_ps = bench->now_ps;
    bench->policy->task_done(&bench->context, &slot->task);
    make_ready(bench, slot);
}

static void add_app(struct bench *bench, uint32_t index) {
    struct ct_client *client = &bench->clients[index];
    struct ct_job *job = &bench->jobs[index];
    *client = (struct ct_client){.index = index,
                                 .name = "app",
                                 .np_target = 0.5,
                                 .scratch = zeroed(bench->policy->client_size)};
    *job = (struct ct_job){
        .client = client, .tasks = 40, .active = true, .scratch = zeroed(bench->policy->job_size)};
    bench->policy->client_join(&bench->context, client);
    bench->policy->job_begin(&bench->context, job);
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &bench->slots[index * SLOTS + i];
        slot->task = (struct ct_task){.client = client,
                                      .job = job,
                                      .kind = i == 0 ? CT_TASK_KERNEL : CT_TASK_COPY,
                                      .stream = i,
                                      .bytes = 16000000,
                                      .grid = {10000, 1, 1},
                                      .block = {256, 1, 1},
                                      .registers_per_thread = 32,
                                      .scratch = zeroed(bench->policy->task_size)};
        make_ready(bench, slot);
    }
}

static void open_bench(struct bench *bench, const struct ct_policy *policy, uint32_t apps,
                       int64_t sms) {
    *bench = (struct bench){.policy = policy, .random = 1};
    bench->info = (struct ct_device_info){.sms = sms,
                                          .threads_per_sm = 2048,
                                          .blocks_per_sm = 16,
                                          .registers_per_sm = 65536,
                                          .smem_per_sm_bytes = 98304,
                                          .clock_hz = 1e9,
                                          .pcie_bytes_per_s = 16e9,
                                          .pcie_pageable_bytes_per_s = 16e9,
                                          .pcie_pinned_bytes_per_s = 16e9,
                                          .copy_engines = 1};
    bench->context = (struct ct_context){.host = &host,
                                         .options = zeroed(policy->options_size),
                                         .state = zeroed(policy->state_size)};
    ct_options_default(policy->options, bench->context.options);
    policy->init(&bench->context);
    for (uint32_t i = 0; i < apps; i++) {
        bench->apps++;
        add_app(bench, i);
    }
}

static void close_bench(struct bench *bench) {
    for (uint32_t i = 0; i < bench->apps; i++) {
        free(bench->clients[i].scratch);
        free(bench->jobs[i].scratch);
        for (uint32_t k = 0; k < SLOTS; k++)
            free(bench->slots[i * SLOTS + k].task.scratch);
    }
    free(bench->context.options);
    free(bench->context.state);
}

/* Microseconds of one decision. One after the other the applications' tasks end; their next ones
 * are ready in the same instant. */
static double measure(const struct ct_policy *policy, uint32_t apps, int64_t sms) {
    static struct bench bench;
    double spent = 0;
    int rounds = 0;
    open_bench(&bench, policy, apps, sms);
    for (; rounds < ROUNDS_MOST && spent < SECONDS_MOST; rounds++) {
        struct slot *slots = &bench.slots[(uint32_t)rounds % apps * SLOTS];
        bench.now_ps += MS / 10;
        end_task(&bench, &slots[0]);
        end_task(&bench, &slots[1]);
        bench.jobs[(uint32_t)rounds % apps].arrival_ps = bench.now_ps - MS;
        double begin = seconds_now();
        policy->decide(&bench.context, CT_WHY_TASK_DONE);
        spent += seconds_now() - begin;
    }
    close_bench(&bench);
    return spent / rounds * 1e6;
}

int main(void) {
    static const char *const names[] = {"os-sched", "spart-qos", "combined", "coop", "cqos"};
    static const uint32_t apps[] = {2, 4, 16};
    static const int64_t sms[] = {16, 80, 132};
    printf("microseconds of host time per decision:\n| applications, SMs |");
    for (size_t p = 0; p < sizeof names / sizeof names[0]; p++)
        printf(" %s |", names[p]);
    printf("\n|---|---|---|---|---|---|\n");
    for (size_t a = 0; a < sizeof apps / sizeof apps[0]; a++)
        for (size_t s = 0; s < sizeof sms / sizeof sms[0]; s++) {
            printf("| %u, %lld |", (unsigned)apps[a], (long long)sms[s]);
            for (size_t p = 0; p < sizeof names / sizeof names[0]; p++)
                printf(" %.3g |", measure(policies_find(names[p]), apps[a], sms[s]));
            printf("\n");
        }
    return 0;
}
