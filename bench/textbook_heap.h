/*
 * The yardstick of the benchmarks: a binary heap out of a textbook (Cormen et al., Introduction to
 * Algorithms, ch. 6). Whole events as entries, swaps of neighbours, comparisons with branches. The
 * order of events is the engine's.
 */
#ifndef TEXTBOOK_HEAP_H
#define TEXTBOOK_HEAP_H

#include "des/des_engine.h"

struct textbook_event {
    ct_time_ps time;
    uint64_t order; /* rank and sequence */
    des_action *action;
    void *context;
    uint64_t argument;
    uint64_t id; /* meaningful with positions only */
};

struct textbook_heap {
    struct textbook_event *events;
    size_t *position; /* of each id; NULL: nothing can be rescheduled */
    size_t count, capacity;
    uint64_t sequence;
    ct_time_ps now;
    bool stopped;
};

/* Room for `capacity` events; `positions`: they can be rescheduled. NULL when memory ran out. */
struct textbook_heap *textbook_heap_new(size_t capacity, bool positions);
void textbook_heap_free(struct textbook_heap *heap);

/* `id` below the capacity and unique among the pending events, if they can be rescheduled. */
void textbook_heap_schedule(struct textbook_heap *heap, ct_time_ps at, enum des_rank rank,
                            des_action *action, void *context, uint64_t argument, uint64_t id);
void textbook_heap_reschedule(struct textbook_heap *heap, uint64_t id, ct_time_ps at);
void textbook_heap_run(struct textbook_heap *heap);

#endif
