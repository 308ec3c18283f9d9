/* Inside of the fluid device: every running kernel has a progress rate, and rates change only at events. */
#ifndef FLUID_H
#define FLUID_H

#include "device.h"
#include "dram.h"

struct fluid_queue {
    struct device_task *first, *last;
    bool promoted; /* its first task is among the heads */
};

struct fluid_client {
    ct_share cap;
    int64_t partition;   /* SMs owned; PARTITION only */
    uint32_t kernels;    /* running */
    ct_time_ps busy_since_ps;
    struct device_counters counters;
    double sms;          /* held by its running kernels; made anew at each dispatch */
    double unit_use, pressure; /* sums over its running kernels; made anew at each update of rates */
};

struct device {
    struct des_engine *engine;
    struct device_config config;
    const struct gpu *gpu;
    struct device_listener listener;
    double sms;

    struct fluid_queue *queues;
    uint32_t queue_count;
    bool *stream_busy;
    struct device_task **heads;   /* in the order of becoming head */
    struct device_task **running; /* kernels, memsets, device copies; in the order of dispatch */
    struct device_task **begun;   /* started in this settlement, not yet told */
    struct dram_demand *demands;  /* scratch, one per running task */
    uint32_t head_count, running_count, begun_count;
    uint64_t head_order;

    struct fluid_client *clients;
    struct device_usage usage;
    des_event next_event, settle_event;
    uint32_t last_release; /* client whose kernel last gave SMs back */

    struct pcie_bus bus;
    des_event bus_event;
    uint32_t copies; /* on the bus */
    struct dram dram;

    /* Time slices. */
    int64_t active;           /* client; -1: none yet */
    bool switching;
    des_event slice_event;

    /* Repartition that waits for blocks to drain. */
    int64_t *wanted;
    bool draining;
};

/* fluid_queue.c: streams, hardware queues, heads. */
void fluid_queue_append(struct device *device, struct device_task *task);
void fluid_queue_start(struct device *device, uint32_t head);  /* takes this head off its queue: it runs */
void fluid_queue_end(struct device *device, struct device_task *task);

/* fluid_dispatch.c: who holds which block slots. */
void fluid_dispatch(struct device *device);
void fluid_enter_last_wave(struct device_task *task);
void fluid_shrink(struct device *device); /* kernels that hold more than their partition give slots back */
bool fluid_client_runs(const struct device *device, uint32_t client);

/* fluid_rates.c: progress, and what it is lost to. */
void fluid_rates_update(struct device *device);
void fluid_advance(struct device *device, struct device_task *task); /* brings the work left up to now */
void fluid_split_losses(struct device *device); /* of all that run below full rate, before the set changes */

/* fluid_slices.c: one application at a time, in time slices. */
void fluid_slices_update(struct device *device);

/* fluid.c */
void fluid_touch(struct device *device); /* settles once, at the end of this instant */

#endif
