#include "models/device/device_internal.h"

#include "models/device/contention.h"

#include "base/ct_assert.h"

bool device_queues_start(struct device *device, struct ct_arena *arena) {
    const struct device_config *config = &device->config;
    struct device_queues *queues = &device->queues;
    /* A MIG instance has queues of its own: no stream shares one with another's. */
    bool shared = !config->slices && config->hw_queues < config->streams;
    bool asked = config->blame && device->gpu->launch_delay_us > 0;
    size_t streams = config->streams;
    queues->count = shared ? config->hw_queues : config->streams;
    queues->all = ct_arena_array(arena, queues->count, sizeof *queues->all);
    queues->stream_busy = ct_arena_array(arena, streams, sizeof *queues->stream_busy);
    queues->heads = ct_arena_array(arena, streams, sizeof(struct device_task *));
    queues->delayed = ct_arena_array(arena, streams, sizeof(struct device_task *));
    if (asked && !(queues->delayers = ct_arena_array(arena, streams * config->clients, 1)))
        return false;
    return queues->all && queues->stream_busy && queues->heads && queues->delayed;
}

uint32_t device_queue_of(const struct device *device, uint32_t stream) {
    uint32_t count = device->queues.count;
    return stream < count ? stream : stream % count;
}

static struct device_queue *queue_of(struct device *device, uint32_t stream) {
    return &device->queues.all[device_queue_of(device, stream)];
}

static void become_head(struct device *device, struct device_task *task) {
    task->state = DEVICE_TASK_HEAD;
    task->head_ps = des_engine_now(device->engine);
    task->order = ++device->queues.order;
    device->queues.heads[device->queues.head_count++] = task;
}

/* The first task of a queue becomes a head once its stream's predecessor has finished. */
static void promote(struct device *device, struct device_queue *queue) {
    struct device_task *task = queue->first;
    if (!task || queue->promoted || device->queues.stream_busy[task->stream])
        return;
    queue->promoted = true;
    device->clients[task->client].active += task->kind != TRACE_COPY;
    become_head(device, task);
}

void device_queue_append(struct device *device, struct device_task *task) {
    struct device_queue *queue = queue_of(device, task->stream);
    task->next = NULL;
    if (queue->last)
        queue->last->next = task;
    else
        queue->first = task;
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
    device->queues.stream_busy[task->stream] = true;
    if (!queue->first && device->listener.next)
        device_queue_refill(device, number);
    promote(device, queue);
}

void device_queue_end(struct device *device, struct device_task *task) {
    device->queues.stream_busy[task->stream] = false;
    promote(device, queue_of(device, task->stream));
}

/* ---- Launches held up by other applications: phi for each ---- */

static void on_launched(void *context, uint64_t stream) {
    struct device *device = context;
    struct device_task *task = device->queues.delayed[stream];
    device->queues.delayed[stream] = NULL;
    device->queues.delayed_count--;
    become_head(device, task);
    device_touch(device);
}

/* Other clients that are active now; noted where somebody asks who. */
static uint32_t count_others(struct device *device, const struct device_task *task) {
    uint32_t clients = device->config.clients, others = 0;
    uint8_t *noted =
        device->queues.delayers ? device->queues.delayers + (size_t)task->stream * clients : NULL;
    for (uint32_t i = 0; i < clients; i++) {
        bool active = i != task->client && device->clients[i].active > 0;
        others += active;
        if (noted)
            noted[i] = active;
    }
    return others;
}

/* A stream whose launch is held up keeps its queue, but stands in nobody's way. */
static void delay_head(struct device *device, uint32_t head, ct_time_ps delay) {
    struct device_task *task = take_head(device, head);
    ct_time_ps at = des_engine_now(device->engine) + delay;
    task->state = DEVICE_TASK_QUEUED;
    task->delayed_ps = delay;
    device->queues.delayed[task->stream] = task;
    device->queues.delayed_count++;
    des_event event =
        des_event_schedule(device->engine, at, DES_RANK_DEVICE, on_launched, device, task->stream);
    ct_assert(event);
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
