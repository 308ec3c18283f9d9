#include "textbook_heap.h"

#include <stdlib.h>

#define SEQUENCE_BITS 60

struct textbook_heap *textbook_heap_new(size_t capacity, bool positions) {
    struct textbook_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return NULL;
    heap->events = calloc(capacity, sizeof *heap->events);
    heap->position = positions ? calloc(capacity, sizeof *heap->position) : NULL;
    heap->capacity = capacity;
    if (heap->events && (heap->position || !positions))
        return heap;
    textbook_heap_free(heap);
    return NULL;
}

void textbook_heap_free(struct textbook_heap *heap) {
    if (!heap)
        return;
    free(heap->events);
    free(heap->position);
    free(heap);
}

static bool earlier(const struct textbook_event *a, const struct textbook_event *b) {
    if (a->time != b->time)
        return a->time < b->time;
    return a->order < b->order;
}

static void note_position(struct textbook_heap *heap, size_t at) {
    if (heap->position)
        heap->position[heap->events[at].id] = at;
}

static void swap(struct textbook_heap *heap, size_t a, size_t b) {
    struct textbook_event event = heap->events[a];
    heap->events[a] = heap->events[b];
    heap->events[b] = event;
    note_position(heap, a);
    note_position(heap, b);
}

static void sift_up(struct textbook_heap *heap, size_t at) {
    while (at > 0 && earlier(&heap->events[at], &heap->events[(at - 1) / 2])) {
        swap(heap, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct textbook_heap *heap, size_t at) {
    for (;;) {
        size_t left = 2 * at + 1, right = left + 1, least = at;
        if (left < heap->count && earlier(&heap->events[left], &heap->events[least]))
            least = left;
        if (right < heap->count && earlier(&heap->events[right], &heap->events[least]))
            least = right;
        if (least == at)
            return;
        swap(heap, at, least);
        at = least;
    }
}

void textbook_heap_schedule(struct textbook_heap *heap, ct_time_ps at, enum des_rank rank,
                            des_action *action, void *context, uint64_t argument, uint64_t id) {
    if (heap->count == heap->capacity)
        abort();
    uint64_t order = (uint64_t)rank << SEQUENCE_BITS | heap->sequence++;
    size_t last = heap->count++;
    heap->events[last] = (struct textbook_event){at, order, action, context, argument, id};
    note_position(heap, last);
    sift_up(heap, last);
}

void textbook_heap_reschedule(struct textbook_heap *heap, uint64_t id, ct_time_ps at) {
    size_t place = heap->position[id];
    struct textbook_event *event = &heap->events[place];
    event->time = at;
    event->order = event->order >> SEQUENCE_BITS << SEQUENCE_BITS | heap->sequence++;
    sift_up(heap, place);
    sift_down(heap, heap->position[id]);
}

static struct textbook_event pop(struct textbook_heap *heap) {
    struct textbook_event first = heap->events[0];
    swap(heap, 0, --heap->count);
    sift_down(heap, 0);
    return first;
}

void textbook_heap_run(struct textbook_heap *heap) {
    heap->stopped = false;
    while (heap->count > 0 && !heap->stopped) {
        struct textbook_event event = pop(heap);
        heap->now = event.time;
        event.action(event.context, event.argument);
    }
}
