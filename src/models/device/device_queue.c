#include "models/device/device_internal.h"

#include "models/device/contention.h"

#include "base/ct_assert.h"

/* Hands out queues from this one on to streams of one context, in turn. */
static void share_queues(struct device *device, uint32_t first_stream, uint32_t streams,
                         uint32_t *queues) {
    uint32_t most = device->config.hw_queues;
    for (uint32_t i = 0; i < streams; i++)
        device->queues.of[first_stream + i] = *queues + i % most;
    *queues += streams < most ? streams : most;
}

static void map_streams(struct device *device) {
    const struct device_config *config = &device->config;
    uint32_t streams = 0, queues = 0;
    if (!config->contexts)
        share_queues(device, 0, config->streams, &queues);
    for (uint32_t i = 0; config->contexts && i < config->clients; i++) {
        share_queues(device, streams, config->contexts[i], &queues);
        streams += config->contexts[i];
    }
}

bool device_queues_start(struct device *device, struct ct_arena *arena) {
    const struct device_config *config = &device->config;
    struct device_queues *queues = &device->queues;
    bool asked = config->blame && device->gpu->launch_delay_us > 0;
    size_t streams = config->streams;
    queues->all = ct_arena_array(arena, streams, sizeof *queues->all);
    queues->of = ct_arena_array(arena, streams, sizeof *queues->of);
    queues->streams = ct_arena_array(arena, streams, sizeof *queues->streams);
    queues->heads = ct_arena_array(arena, streams, sizeof(struct device_task *));
    queues->delayed = ct_arena_array(arena, streams, sizeof(struct device_task *));
    if (asked && !(queues->delayers = ct_arena_array(arena, streams * config->clients, 1)))
        return false;
    if (!queues->all || !queues->of)
        return false;
    map_streams(device);
    return queues->streams && queues->heads && queues->delayed;
}

uint32_t device_queue_of(const struct device *device, uint32_t stream) {
    return device->queues.of[stream];
}

static struct device_queue *queue_of(struct device *device, uint32_t stream) {
    return &device->queues.all[device_queue_of(device, stream)];
}

void device_come(struct device *device, struct device_task *task) {
    if (task->came_ps >= 0)
        return;
    task->came_ps = des_engine_now(device->engine);
    device->dispatch.begun[device->dispatch.begun_count++] = task;
}

/* Early, it comes at once: where it finds no slots, it waits without. */
static void become_head(struct device *device, struct device_task *task) {
    if (device->queues.streams[task->stream].count > 0)
        device_come(device, task);
    task->state = DEVICE_TASK_HEAD;
    task->head_ps = des_engine_now(device->engine);
    task->order = ++device->queues.order;
    device->queues.heads[device->queues.head_count++] = task;
}

static void on_launched(void *context, uint64_t stream) {
    struct device *device = context;
    struct device_task *task = device->queues.delayed[stream];
    device->queues.delayed[stream] = NULL;
    device->queues.delayed_count--;
    device->clients[task->client].active += task->launching && task->kind != TRACE_COPY;
    task->launching = false;
    become_head(device, task);
    device_touch(device);
}

/* Lets it become a head later: it keeps its queue, but stands in nobody's way. */
static void hold_up(struct device *device, struct device_task *task, ct_time_ps delay) {
    ct_time_ps at = ct_time_later(des_engine_now(device->engine), delay);
    task->state = DEVICE_TASK_QUEUED;
    device->queues.delayed[task->stream] = task;
    device->queues.delayed_count++;
    des_event event =
        des_event_schedule(device->engine, at, DES_RANK_DEVICE, on_launched, device, task->stream);
    ct_assert(event);
}

/* ---- A kernel that comes before the one before it in its stream has ended ---- */

static void promote(struct device *device, struct device_queue *queue);

static void on_early(void *context, uint64_t stream) {
    struct device *device = context;
    device->queues.streams[stream].early = 0;
    promote(device, queue_of(device, (uint32_t)stream));
    device_touch(device);
}

/* Solo work per time; of thread blocks that of those that run, which may be fewer than their kernel
 * had at once before. */
static double pace_of(const struct device *device, const struct device_task *task) {
    return device->ops->places_blocks ? task->at.flow : device_rate(device, task);
}

/*
 * Whether it may come now, beside the one that runs. If that has longer to go, at its present pace
 * it is asked again when it should have got there; once slowed or stopped, later or not at all:
 * then it comes at that one's end, for which it has to wait in any case.
 */
static bool comes_early(struct device *device, const struct device_task *task) {
    struct device_stream *stream = &device->queues.streams[task->stream];
    struct device_task *last = stream->last;
    ct_time_ps now = des_engine_now(device->engine);
    if (task->lag_ps >= 0 || stream->count > 1 || last->job != task->job || last->waits ||
        !last->profile || !task->profile || stream->early)
        return false;
    device_advance(device, last);
    double rate = last->started_ps == now ? 1 : pace_of(device, last);
    ct_time_ps wait = ct_time_round(last->left_ps + (double)task->lag_ps);
    if (wait > 0 && rate > 0)
        stream->early = des_event_schedule(device->engine,
                                           ct_time_later(now, ct_time_round((double)wait / rate)),
                                           DES_RANK_DEVICE, on_early, device, task->stream);
    return wait <= 0;
}

void device_queues_wake(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (!task->waits || device->queues.streams[task->stream].count > 1)
            continue;
        task->waits = false;
        task->started_ps = task->blamed_ps = now;
        device->queues.waiting--;
        device_replan(device, task);
        promote(device, queue_of(device, task->stream));
    }
}

/* ---- Hardware queues ---- */

/* A node of a CUDA graph may stand still for longer. */
static bool is_on_its_way(const struct device *device, const struct device_task *task) {
    ct_time_ps comes_in = task->arrives_ps - des_engine_now(device->engine);
    return comes_in > 0 && comes_in >= task->lag_ps;
}

/* The first task of a queue becomes a head once its stream has come to it. */
static void promote(struct device *device, struct device_queue *queue) {
    struct device_task *task = queue->first;
    if (!task || queue->promoted ||
        (device->queues.streams[task->stream].count > 0 && !comes_early(device, task)))
        return;
    queue->promoted = true;
    if (task->launching && is_on_its_way(device, task)) {
        hold_up(device, task, task->arrives_ps - des_engine_now(device->engine));
        return;
    }
    task->launching = false;
    device->clients[task->client].active += task->kind != TRACE_COPY;
    if (task->lag_ps > 0)
        hold_up(device, task, task->lag_ps);
    else
        become_head(device, task);
}

void device_queue_append(struct device *device, struct device_task *task) {
    struct device_queue *queue = queue_of(device, task->stream);
    task->next = NULL;
    *(queue->last ? &queue->last->next : &queue->first) = task;
    queue->last = task;
    promote(device, queue);
}

void device_queue_refill(struct device *device, uint32_t queue) {
    if (device->queues.all[queue].first || !device->listener.next)
        return;
    struct device_task *task = device->listener.next(device->listener.context, queue);
    if (!task)
        return;
    device_task_init(device, task);
    device_queue_append(device, task);
}

static struct device_task *take_head(struct device *device, uint32_t head) {
    struct device_task *task = device->queues.heads[head];
    device->queues.head_count--;
    for (uint32_t i = head; i < device->queues.head_count; i++)
        device->queues.heads[i] = device->queues.heads[i + 1];
    return task;
}

void device_queue_start(struct device *device, uint32_t head) {
    struct device_task *task = take_head(device, head);
    uint32_t number = device_queue_of(device, task->stream);
    struct device_queue *queue = &device->queues.all[number];
    queue->first = task->next;
    if (!queue->first)
        queue->last = NULL;
    queue->promoted = false;
    struct device_stream *stream = &device->queues.streams[task->stream];
    task->waits = stream->count++ > 0;
    device->queues.waiting += task->waits;
    stream->last = task;
    if (!queue->first && device->listener.next)
        device_queue_refill(device, number);
    promote(device, queue);
}

void device_queue_end(struct device *device, struct device_task *task) {
    struct device_stream *stream = &device->queues.streams[task->stream];
    stream->count--;
    if (stream->early)
        des_event_cancel(device->engine, stream->early);
    stream->early = 0;
    promote(device, queue_of(device, task->stream));
}

/* ---- Launches held up by other applications: phi for each ---- */

/* Other clients that are active now; noted where somebody asks who. */
static uint32_t count_others(struct device *device, const struct device_task *task) {
    uint32_t clients = device->config.clients, others = 0;
    uint8_t *noted =
        device->queues.delayers ? device->queues.delayers + (size_t)task->stream * clients : NULL;
    for (uint32_t i = 0; i < clients; i++) {
        bool active = i != task->client && device->clients[i].active > 0 &&
                      device_meet(device, i, task->client);
        others += active;
        if (noted)
            noted[i] = active;
    }
    return others;
}

static void delay_head(struct device *device, uint32_t head, ct_time_ps delay) {
    struct device_task *task = take_head(device, head);
    task->delayed_ps = delay;
    hold_up(device, task, delay);
}

void device_queue_delay(struct device *device) {
    for (uint32_t head = 0; head < device->queues.head_count;) {
        struct device_task *task = device->queues.heads[head];
        bool fresh = task->profile && !task->launched;
        ct_time_ps delay =
            fresh ? contention_launch_delay(device->gpu, count_others(device, task)) : 0;
        task->launched = true;
        if (delay > 0)
            delay_head(device, head, delay);
        else
            head++;
    }
}

void device_charge_delay(struct device *device, struct device_task *task) {
    uint32_t clients = device->config.clients, others = 0;
    if (!task->culprit_ps || !device->queues.delayers)
        return;
    const uint8_t *noted = device->queues.delayers + (size_t)task->stream * clients;
    for (uint32_t i = 0; i < clients; i++)
        others += noted[i];
    for (uint32_t i = 0; i < clients; i++)
        if (noted[i])
            task->culprit_ps[i] += (double)task->delayed_ps / others;
}
