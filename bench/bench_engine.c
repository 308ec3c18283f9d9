/* The benchmark's work through the engine. */
#include "des/des_engine.h"

#include <stdlib.h>

#define QUEUE struct queue
#define QUEUE_NAME "engine"
#define BENCH_QUEUE bench_engine

/* The engine names events itself; the work names them by number. */
struct queue {
    struct des_engine *engine;
    des_event *events; /* NULL: nothing is rescheduled */
};

static void queue_free(struct queue *queue) {
    des_engine_free(queue->engine);
    free(queue->events);
    free(queue);
}

static struct queue *queue_new(uint32_t pending, bool positions) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->engine = des_engine_new();
    queue->events = positions ? calloc(pending, sizeof *queue->events) : NULL;
    if (queue->engine && (queue->events || !positions))
        return queue;
    queue_free(queue);
    return NULL;
}

static inline ct_time_ps queue_now(const struct queue *queue) {
    return des_engine_now(queue->engine);
}

static inline void queue_schedule(struct queue *queue, ct_time_ps at, des_action *action,
                                  void *context, uint64_t argument, uint64_t id) {
    des_event event =
        des_event_schedule(queue->engine, at, DES_RANK_DEVICE, action, context, argument);
    if (!event)
        abort();
    if (queue->events)
        queue->events[id] = event;
}

static inline void queue_reschedule(struct queue *queue, uint64_t id, ct_time_ps at) {
    if (!des_event_reschedule(queue->engine, queue->events[id], at))
        abort();
}

static void queue_run(struct queue *queue) {
    des_engine_run(queue->engine, CT_TIME_NEVER);
}

static inline void queue_stop(struct queue *queue) {
    des_engine_stop(queue->engine);
}

#include "bench_work.inc"
