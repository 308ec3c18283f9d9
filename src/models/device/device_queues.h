/* The state of the hardware queues (device_queue.c): what was handed to the device and does not run
 * yet. */
#ifndef DEVICE_QUEUES_H
#define DEVICE_QUEUES_H

#include "base/ct_types.h"

struct device_task;

struct device_queue {
    struct device_task *first, *last;
    bool promoted; /* its first task is among the heads */
};

struct device_queues {
    struct device_queue *all;
    uint32_t count;
    bool *stream_busy;            /* a task of the stream runs */
    struct device_task **heads;   /* first of their queues, in the order of becoming so */
    uint64_t order;               /* tasks that have become heads, ever */
    struct device_task **delayed; /* by stream: its launch is held up; NULL: none */
    uint8_t *delayers; /* stream x client: who held up the launch of its present task; NULL: no
                          launch is held up on this GPU, or nobody asks */
    uint32_t head_count, delayed_count;
};

#endif
