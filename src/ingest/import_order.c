/*
 * The order of streams by events: a task waits for what a stream had been given when an event was
 * recorded on it that the task's stream was made to wait for.
 *
 * An event stands for the last task of its stream, and for whatever the stream itself waits for and
 * no task of it has waited for yet: order goes through streams that have no task in between.
 */
#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

/* An event's record, or a stream's wait for it, which is number `wait` of the recording. */
struct import_moment {
    ct_time_ps time_ps;
    uint32_t wait;
    bool waits;
};

/* The last task of a stream that is to be waited for. */
struct import_awaited {
    uint32_t stream, task;
};

/* How far a stream has come while the tasks of a job pass by in launch order. */
struct import_front {
    uint32_t last;                            /* task; TRACE_NONE */
    CT_VEC(struct import_awaited) unfinished; /* what the stream's next task waits for */
};

/* What an event stands for: items of the pool. */
struct import_event {
    size_t first, count;
    uint32_t source, stream; /* fronts: where it is recorded, and which stream waits */
};

/* Moments in the order of time; of those at the same time the calls of the earlier wait come first,
 * and a record before the wait for it. */
static int compare_moments(const void *a, const void *b) {
    const struct import_moment *x = a, *y = b;
    return ct_then(ct_order(x->time_ps, y->time_ps),
                   ct_then(ct_order(x->wait, y->wait), ct_order(x->waits, y->waits)));
}

/* A wait that another thread called just before the event's record counts from the record on. */
static bool add_wait(struct import_order *o, const struct import_stream_wait *w) {
    uint32_t number = (uint32_t)o->events.count;
    struct import_event event = {
        .source = ct_intern_add(&o->raw_streams, &w->source, sizeof w->source),
        .stream = ct_intern_add(&o->raw_streams, &w->stream, sizeof w->stream)};
    ct_time_ps wait_ps = w->wait_ps > w->record_ps ? w->wait_ps : w->record_ps;
    return event.source != UINT32_MAX && event.stream != UINT32_MAX &&
           ct_vec_push(&o->events, event) &&
           ct_vec_push(&o->moments, (struct import_moment){w->record_ps, number, false}) &&
           ct_vec_push(&o->moments, (struct import_moment){wait_ps, number, true});
}

static void reset_fronts(struct import_order *o) {
    for (size_t i = 0; i < o->raw_streams.items.count; i++) {
        o->fronts[i].last = TRACE_NONE;
        o->fronts[i].unfinished.count = 0;
    }
}

bool import_order_begin(struct import_order *o, const struct import_builder *builder, int device) {
    for (size_t i = 0; i < builder->stream_waits.count; i++)
        if (builder->stream_waits.items[i].device == device &&
            !add_wait(o, &builder->stream_waits.items[i]))
            return false;
    ct_vec_sort(&o->moments, compare_moments);
    o->front_of = malloc((builder->streams.items.count + 1) * sizeof *o->front_of);
    o->fronts = calloc(o->raw_streams.items.count + 1, sizeof *o->fronts);
    if (!o->front_of || !o->fronts)
        return false;
    for (uint32_t i = 0; i < builder->streams.items.count; i++) {
        const struct import_stream *stream = ct_intern_get(&builder->streams, i);
        o->front_of[i] = ct_intern_find(&o->raw_streams, &stream->stream, sizeof stream->stream);
    }
    reset_fronts(o);
    return true;
}

void import_order_free(struct import_order *o) {
    for (size_t i = 0; o->fronts && i < o->raw_streams.items.count; i++)
        ct_vec_free(&o->fronts[i].unfinished);
    free(o->fronts);
    free(o->front_of);
    ct_intern_free(&o->raw_streams);
    ct_vec_free(&o->moments);
    ct_vec_free(&o->events);
    ct_vec_free(&o->pool);
}

static bool record(struct import_order *o, struct import_event *event) {
    const struct import_front *source = &o->fronts[event->source];
    event->first = o->pool.count;
    for (size_t i = 0; i < source->unfinished.count; i++)
        if (!ct_vec_push(&o->pool, source->unfinished.items[i]))
            return false;
    if (source->last != TRACE_NONE &&
        !ct_vec_push(&o->pool, (struct import_awaited){event->source, source->last}))
        return false;
    event->count = o->pool.count - event->first;
    return true;
}

/* Adds a task that is waited for: of two of one stream the later one is enough. */
static bool await(struct import_front *front, struct import_awaited awaited) {
    for (size_t i = 0; i < front->unfinished.count; i++) {
        struct import_awaited *known = &front->unfinished.items[i];
        if (known->stream != awaited.stream)
            continue;
        if (known->task < awaited.task)
            known->task = awaited.task;
        return true;
    }
    return ct_vec_push(&front->unfinished, awaited);
}

static bool pass_moment(struct import_order *o, const struct import_moment *moment) {
    struct import_event *event = &o->events.items[moment->wait];
    if (!moment->waits)
        return record(o, event);
    for (size_t i = 0; i < event->count; i++)
        if (!await(&o->fronts[event->stream], o->pool.items[event->first + i]))
            return false;
    return true;
}

static bool pass_task(struct import_front *front, uint32_t task, struct import_dependencies *into) {
    for (size_t i = 0; i < front->unfinished.count; i++)
        if (!ct_vec_push(into, (struct import_dependency){task, front->unfinished.items[i].task}))
            return false;
    front->unfinished.count = 0;
    front->last = task;
    return true;
}

bool import_order_find(struct import_order *o, struct import_task *const *tasks, size_t count,
                       struct import_dependencies *into) {
    const struct import_moment first = {.time_ps = tasks[0]->launch_begin_ps};
    size_t begin = ct_vec_lower(&o->moments, compare_moments, &first);
    size_t next = begin;
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        uint32_t front = o->front_of[tasks[i]->stream];
        for (; done && next < o->moments.count &&
               o->moments.items[next].time_ps <= tasks[i]->launch_begin_ps;
             next++)
            done = pass_moment(o, &o->moments.items[next]);
        if (done && front != UINT32_MAX)
            done = pass_task(&o->fronts[front], (uint32_t)i, into);
    }
    for (size_t i = begin; i < next; i++)
        o->events.items[o->moments.items[i].wait].count = 0;
    o->pool.count = 0;
    reset_fronts(o);
    return done;
}
