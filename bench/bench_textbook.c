/* The benchmark's work through the textbook heap. */
#include "textbook_heap.h"

#define QUEUE struct textbook_heap
#define QUEUE_NAME "textbook heap"
#define BENCH_QUEUE bench_textbook

static struct textbook_heap *queue_new(uint32_t pending, bool positions) {
    return textbook_heap_new(pending, positions);
}

static inline void queue_free(struct textbook_heap *heap) {
    textbook_heap_free(heap);
}

static inline ct_time_ps queue_now(const struct textbook_heap *heap) {
    return heap->now;
}

static inline void queue_schedule(struct textbook_heap *heap, ct_time_ps at, des_action *action,
                                  void *context, uint64_t argument, uint64_t id) {
    textbook_heap_schedule(heap, at, DES_RANK_DEVICE, action, context, argument, id);
}

static inline void queue_reschedule(struct textbook_heap *heap, uint64_t id, ct_time_ps at) {
    textbook_heap_reschedule(heap, id, at);
}

static void queue_run(struct textbook_heap *heap) {
    textbook_heap_run(heap);
}

static inline void queue_stop(struct textbook_heap *heap) {
    heap->stopped = true;
}

#include "bench_work.inc"
