/*
 * A device with nothing around it: tasks are handed over at given times, and each must begin and
 * end at the picosecond that was computed by hand.
 *
 * The GPU is made for mental arithmetic: 10 SMs, 4 blocks of the kernel below on each (40 slots),
 * 100 GB/s of which the line gives 86 at a row hit rate of 1, and a host link of 12 GB/s on which a
 * pageable copy reaches 3 GB/s and a pinned one 12 GB/s, each after 1 us.
 */
#ifndef DEVICE_CASE_H
#define DEVICE_CASE_H

#include "cmocka_complete.h"
#include "scenario/models/device/device_sms.h"

#include <string.h>

#define US CT_PS_PER_US
enum { DEVICE_CASE_TASKS = 16, DEVICE_CASE_CLIENTS = 4, DEVICE_CASE_STREAMS = 8 };

/* One task: what is asked, and what must come of it. */
struct device_case_task {
    ct_time_ps at_ps;
    uint32_t client, stream;
    int kind, direction;
    bool pinned;
    ct_share share;
    double blocks;
    ct_time_ps work_ps, lag_ps;
    uint64_t bytes;
    const struct kernel_profile *profile;
    const void *job;
    struct device_task task;
    double culprit_ps[DEVICE_CASE_CLIENTS];
};

struct device_case {
    struct gpu gpu;
    struct device_config config;
    struct des_engine *engine;
    struct ct_arena arena;
    struct device *device;
    struct device_case_task tasks[DEVICE_CASE_TASKS];
    uint32_t count, ended, repartitions;
};

static inline struct gpu device_case_gpu(void) {
    return (struct gpu){.name = "ten",
                        .sms = 10,
                        .clock_mhz = 1000,
                        .dram_gb_s = 100,
                        .dram_line_slope = 0.5,
                        .dram_line_base = 0.36,
                        .row_hit_rate = 0.8,
                        .pcie_mb_s = 12000,
                        .pcie_pageable_mb_s = 3000,
                        .pcie_pinned_mb_s = 12000,
                        .copy_latency_us = 1,
                        .staging_kb = 512,
                        .hw_queues = 32,
                        .time_slice_us = 100,
                        .time_slice_switch_us = 10};
}

/* Bound by compute, with no use of memory or units: fewer slots slow it by its waves alone. */
static inline struct kernel_profile device_case_profile(void) {
    return (struct kernel_profile){.blocks = 40,
                                   .blocks_per_sm = 4,
                                   .compute_fraction = 1,
                                   .row_hit_rate = 1,
                                   .instructions = NAN};
}

static inline void device_case_ended(void *context, struct device_task *task) {
    ((struct device_case *)context)->ended++;
}

static inline void device_case_started(void *context, struct device_task *task) {
    assert_true(task->state == DEVICE_TASK_RUNNING || task->lag_ps < 0);
}

static inline void device_case_moved(void *context) {
    ((struct device_case *)context)->repartitions++;
}

static inline void device_case_open(struct device_case *c, enum ct_sharing sharing) {
    *c = (struct device_case){.gpu = device_case_gpu()};
    c->config = (struct device_config){.sharing = sharing,
                                       .clients = DEVICE_CASE_CLIENTS,
                                       .streams = DEVICE_CASE_STREAMS,
                                       .hw_queues = 32,
                                       .blame = true};
}

/* Thread blocks on SMs of 2048 threads, 32 block slots, 64 Ki registers and 96 KiB of shared
 * memory. */
static inline void device_case_use_blocks(struct device_case *c) {
    c->gpu.threads_per_sm = 2048;
    c->gpu.blocks_per_sm = 32;
    c->gpu.registers_per_sm = 65536;
    c->gpu.smem_per_sm_bytes = 98304;
    c->config.fidelity = DEVICE_BLOCK;
}

/* After changes to the GPU or the configuration, before the first task. */
static inline void device_case_build(struct device_case *c) {
    struct device_listener listener = {.context = c,
                                       .started = device_case_started,
                                       .ended = device_case_ended,
                                       .repartitioned = device_case_moved};
    c->config.gpu = &c->gpu;
    c->engine = des_engine_new();
    assert_non_null(c->engine);
    c->device = device_new(c->engine, &c->config, &listener, &c->arena);
    assert_non_null(c->device);
}

/* SMs that a client owns by the map of SMs, of which the quota that watchers see is a part. */
static inline int64_t device_case_owned(const struct device_case *c, uint32_t client) {
    int64_t count = device_owned_sms(c->device, client);
    assert_true(device_watch_client(c->device, client).quota == (double)count / c->gpu.sms);
    return count;
}

static inline struct device_task *device_case_make(struct device_case *c, uint64_t index) {
    struct device_case_task *t = &c->tasks[index];
    t->task = (struct device_task){.profile = t->profile,
                                   .client = t->client,
                                   .stream = t->stream,
                                   .kind = (uint8_t)t->kind,
                                   .direction = (uint8_t)t->direction,
                                   .pinned = t->pinned,
                                   .share = t->share,
                                   .blocks = t->blocks,
                                   .work_ps = (double)t->work_ps,
                                   .lag_ps = t->lag_ps,
                                   .job = t->job,
                                   .bytes = t->bytes,
                                   .culprit_ps = t->culprit_ps};
    return &t->task;
}

static inline void device_case_submit(void *context, uint64_t index) {
    struct device_case *c = context;
    device_submit(c->device, device_case_make(c, index));
}

static inline struct device_case_task *device_case_add(struct device_case *c,
                                                       struct device_case_task task) {
    assert_true(c->count < DEVICE_CASE_TASKS);
    c->tasks[c->count] = task;
    if (c->tasks[c->count].share == 0)
        c->tasks[c->count].share = CT_SHARE_FULL;
    assert_true(des_event_schedule(c->engine, task.at_ps, DES_RANK_ARRIVAL, device_case_submit, c,
                                   c->count) != 0);
    return &c->tasks[c->count++];
}

/* A kernel of a client on the stream of the same number. */
static inline struct device_case_task *
device_case_kernel_at(struct device_case *c, ct_time_ps at_ps, const struct kernel_profile *profile,
                      uint32_t client, double blocks, ct_time_ps work_ps) {
    return device_case_add(c, (struct device_case_task){.at_ps = at_ps,
                                                        .client = client,
                                                        .stream = client,
                                                        .kind = TRACE_KERNEL,
                                                        .profile = profile,
                                                        .blocks = blocks,
                                                        .work_ps = work_ps});
}

/* A kernel that is submitted at time 0. */
static inline struct device_case_task *device_case_kernel(struct device_case *c,
                                                          const struct kernel_profile *profile,
                                                          uint32_t client, double blocks,
                                                          ct_time_ps work_ps) {
    return device_case_kernel_at(c, 0, profile, client, blocks, work_ps);
}

static inline struct device_case_task *device_case_copy(struct device_case *c, uint32_t stream,
                                                        int direction, bool pinned,
                                                        uint64_t bytes) {
    return device_case_add(c, (struct device_case_task){.client = stream % DEVICE_CASE_CLIENTS,
                                                        .stream = stream,
                                                        .kind = TRACE_COPY,
                                                        .direction = direction,
                                                        .pinned = pinned,
                                                        .bytes = bytes,
                                                        .work_ps = (ct_time_ps)device_copy_work_ps(
                                                            &c->gpu, bytes, pinned)});
}

/* A memset of a client on the stream of the same number. */
static inline struct device_case_task *device_case_memset_at(struct device_case *c,
                                                             ct_time_ps at_ps, uint32_t client,
                                                             ct_time_ps work_ps) {
    return device_case_add(c, (struct device_case_task){.at_ps = at_ps,
                                                        .client = client,
                                                        .stream = client,
                                                        .kind = TRACE_MEMSET,
                                                        .bytes = 1000,
                                                        .work_ps = work_ps});
}

/* Runs to the end: every task once, and no SM is held any more. */
static inline void device_case_run(struct device_case *c) {
    des_engine_run(c->engine, CT_TIME_NEVER);
    assert_int_equal(c->ended, c->count);
    assert_true(device_is_idle(c->device));
    assert_int_equal(des_engine_stale(c->engine), 0);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct device_task *t = &c->tasks[i].task;
        double lost = 0, charged = 0;
        for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
            lost += t->loss_ps[cause];
        for (int client = 0; client < DEVICE_CASE_CLIENTS; client++)
            charged += c->tasks[i].culprit_ps[client];
        assert_true(fabs((double)(t->ended_ps - t->started_ps) - t->work_ps - lost) <= 2);
        assert_true(fabs(charged - (double)(t->delayed_ps + t->waited_ps) - lost) <= 2);
    }
}

static inline void device_case_close(struct device_case *c) {
    des_engine_free(c->engine);
    ct_arena_free(&c->arena);
}

/* A test of the device `c` that the file's open_case(c, ...) opens. */
#define DEVICE_TEST(name, ...)                                                                     \
    TEST_CASE(name, struct device_case, c, open_case(c, __VA_ARGS__), device_case_close(c))

static inline void device_case_expect(const struct device_case_task *t, ct_time_ps started_ps,
                                      ct_time_ps ended_ps) {
    if (t->task.started_ps != started_ps || t->task.ended_ps != ended_ps)
        fail_msg("task of client %u ran %.6f to %.6f us, by hand %.6f to %.6f us", t->client,
                 (double)t->task.started_ps / 1e6, (double)t->task.ended_ps / 1e6,
                 (double)started_ps / 1e6, (double)ended_ps / 1e6);
}

static inline void device_case_run_expect(struct device_case *c, const ct_time_ps (*times)[2],
                                          size_t count) {
    device_case_run(c);
    assert_int_equal(c->count, count);
    for (size_t i = 0; i < count; i++)
        device_case_expect(&c->tasks[i], times[i][0], times[i][1]);
}

/* Runs to the end: {began, ended} of all tasks, in the order in which they were added. */
#define DEVICE_CASE_RUNS(c, ...)                                                                   \
    device_case_run_expect(c, (const ct_time_ps[][2]){__VA_ARGS__},                                \
                           CT_COUNT_OF(((const ct_time_ps[][2]){__VA_ARGS__})))

/* Kernels of 10 us of one client, each with its own profile, share and blocks, one after the other:
 * how long each took. */
static inline void device_case_expect_in_turn(struct device_case *c,
                                              const struct kernel_profile *const *profiles,
                                              const ct_share *shares, const double *blocks,
                                              const ct_time_ps *took, int count) {
    ct_time_ps now = 0;
    for (int i = 0; i < count; i++)
        device_case_kernel(c, profiles[i], 0, blocks[i], 10 * US)->share = shares[i];
    device_case_run(c);
    for (int i = 0; i < count; now += took[i++])
        device_case_expect(&c->tasks[i], now, now + took[i]);
}

#endif
