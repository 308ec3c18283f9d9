/* The state of the hardware queues (device_queue.c): what was handed to the device and does not run
 * yet. */
#ifndef DEVICE_QUEUES_H
#define DEVICE_QUEUES_H

#include "des/des_engine.h"

struct device_task;

struct device_queue {
    struct device_task *first, *last;
    bool promoted; /* its first task is among the heads */
};

/* Tasks of one stream that may hold slots at once: one that works, one that waits for its end. */
enum { DEVICE_STREAM_DEPTH = 2 };

struct device_stream {
    uint32_t count;           /* of its tasks that have begun and not ended */
    struct device_task *last; /* of these; undefined: none */
    des_event early;          /* the next one comes beside it; 0: not planned */
};

/* What clients hold while the first tasks of streams wait (device_waits.c); NULLs: nobody asks.
 */
struct device_waits {
    double *held_ps; /* stream x client: SMs times time, or time where each has the device in turn,
                        when its present task began to wait */
    double *now_ps;  /* client: the same, when somebody last looked */
    uint64_t noted;  /* heads up to this order have begun to wait, or never will */
    ct_time_ps looked_ps;
    bool lasts; /* to look again in that instant would show the same, to the last bit */
};

struct device_queues {
    struct device_queue *all;
    uint32_t *of; /* by stream: its queue */
    struct device_stream *streams;
    uint32_t waiting;             /* tasks that hold slots and wait for the one before them */
    struct device_task **heads;   /* first of their queues, in the order of becoming so */
    uint64_t order;               /* tasks that have become heads, ever */
    struct device_task **delayed; /* by stream: it lags, or its launch is held up; NULL: none */
    uint8_t *delayers; /* stream x client: who held up the launch of its present task; NULL: no
                          launch is held up on this GPU, or nobody asks */
    uint32_t head_count, delayed_count;
};

#endif
