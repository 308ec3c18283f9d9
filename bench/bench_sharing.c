/*
 * Fluid sharing of a resource by many actions through the real device: nanoseconds of processor
 * time per completed action. Copies share one direction of the host link; kernels, each on its own
 * SM, share the memory, which they ask for more than it has. Each action is followed by one of
 * another length, so that the number of sharers stays: where all are alike, the others' rates do,
 * too. Prints a table; see README.md.
 */
#include "des/des_stream.h"
#include "models/device/device.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SHARERS_MOST = 512, ACTIONS = 20000, RUNS = 3 };

#define MEAN_PS (100 * (double)CT_PS_PER_US)

struct bench {
    const char *name;
    bool kernels;
    double pageable_mb_s; /* of one copy: below an equal part of the link, it caps */
    double dram_fraction; /* of the memory's peak, of one kernel alone */
    double spread;        /* each kernel adds at random up to as much */
    double latency_us;    /* each copy's set-up; 0: it is on the link at once */
};

struct world {
    const struct bench *bench;
    struct gpu gpu;
    struct kernel_profile profiles[SHARERS_MOST];
    struct des_engine *engine;
    struct ct_arena arena;
    struct device *device;
    struct des_stream stream;
    struct device_task tasks[SHARERS_MOST];
    struct pcie_link alone;
    int ended;
};

static void submit(struct world *w, struct device_task *task, uint32_t sharer) {
    double length = des_stream_exponential(&w->stream);
    if (w->bench->kernels) {
        double drawn = w->bench->dram_fraction;
        if (w->bench->spread > 0)
            drawn += w->bench->spread * des_stream_uniform(&w->stream);
        w->profiles[sharer].dram_bytes_per_s = drawn * 1e12;
        task->work_ps = 1 + floor(length * MEAN_PS);
    } else {
        task->bytes = 1 + (uint64_t)(length * 1e5);
        task->work_ps = (double)pcie_solo_time(&w->alone, task->bytes, false);
    }
    device_submit(w->device, task);
}

static void on_started(void *context, struct device_task *task) {
    (void)context;
    (void)task;
}

static void on_ended(void *context, struct device_task *task) {
    struct world *w = context;
    if (++w->ended == ACTIONS)
        des_engine_stop(w->engine);
    else
        submit(w, task, task->client);
}

static void on_moved(void *context) {
    (void)context;
}

static void make_world(struct world *w, const struct bench *bench, uint32_t sharers) {
    *w = (struct world){.bench = bench};
    w->gpu = (struct gpu){.name = "bench",
                          .sms = sharers,
                          .threads_per_sm = 1024,
                          .blocks_per_sm = 1,
                          .clock_mhz = 1000,
                          .dram_gb_s = 1000,
                          .dram_line_slope = 0,
                          .dram_line_base = 1,
                          .row_hit_rate = 0.5,
                          .pcie_mb_s = 12000,
                          .pcie_pageable_mb_s = bench->pageable_mb_s,
                          .pcie_pinned_mb_s = 12000,
                          .copy_latency_us = bench->latency_us,
                          .staging_kb = 512,
                          .hw_queues = sharers};
    for (uint32_t i = 0; i < sharers; i++)
        w->profiles[i] = (struct kernel_profile){.blocks = 1,
                                                 .blocks_per_sm = 1,
                                                 .compute_fraction = 1.0 / sharers,
                                                 .row_hit_rate = 0.5,
                                                 .instructions = NAN};
    struct device_config config = {
        .gpu = &w->gpu, .clients = sharers, .streams = sharers, .hw_queues = sharers};
    struct device_listener listener = {
        .context = w, .started = on_started, .ended = on_ended, .repartitioned = on_moved};
    w->engine = des_engine_new();
    w->device = w->engine ? device_new(w->engine, &config, &listener, &w->arena) : NULL;
    if (!w->device)
        exit(EXIT_FAILURE);
    pcie_link_init(&w->alone, &w->gpu);
    for (uint32_t i = 0; i < sharers; i++)
        w->tasks[i] = (struct device_task){.profile = bench->kernels ? &w->profiles[i] : NULL,
                                           .kind = bench->kernels ? TRACE_KERNEL : TRACE_COPY,
                                           .direction = TRACE_HOST_TO_DEVICE,
                                           .client = i,
                                           .stream = i,
                                           .share = CT_SHARE_FULL,
                                           .blocks = 1};
    des_stream_init(&w->stream, 1, 0, "bench", "");
}

/* Processor time per action, ns. */
static double measure(const struct bench *bench, uint32_t sharers) {
    static struct world world;
    make_world(&world, bench, sharers);
    clock_t begin = clock();
    for (uint32_t i = 0; i < sharers; i++)
        submit(&world, &world.tasks[i], i);
    des_engine_run(world.engine, CT_TIME_NEVER);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (world.ended != ACTIONS)
        exit(EXIT_FAILURE);
    des_engine_free(world.engine);
    ct_arena_free(&world.arena);
    return 1e9 * seconds / ACTIONS;
}

int main(void) {
    static const struct bench benches[] = {
        {"copies share a link", false, 12000, 0, 0, 0},
        {"copies with a set-up", false, 12000, 0, 0, 0.8},
        {"copies, each capped", false, 10, 0, 0, 0},
        {"kernels, none too many", true, 12000, 0.001, 0, 0},
        {"kernels share the memory", true, 12000, 0.5, 0, 0},
        {"unlike kernels share the memory", true, 12000, 0.5, 0.4, 0}};
    static const uint32_t sharers[] = {2, 8, 64, 512};
    printf("| work | sharers | ns per action |\n|---|---:|---:|\n");
    for (size_t i = 0; i < CT_COUNT_OF(benches); i++)
        for (size_t j = 0; j < CT_COUNT_OF(sharers); j++) {
            double best = INFINITY;
            for (int run = 0; run < RUNS; run++)
                best = fmin(best, measure(&benches[i], sharers[j]));
            printf("| %s | %u | %.0f |\n", benches[i].name, sharers[j], best);
        }
    return 0;
}
