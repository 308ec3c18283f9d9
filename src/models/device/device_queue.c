#include "device_internal.h"

static struct device_queue *queue_of(struct device *device, uint32_t stream) {
    return &device->queues[stream % device->queue_count];
}

/* The first task of a queue becomes a head once its stream's predecessor has finished. */
static void promote(struct device *device, struct device_queue *queue) {
    struct device_task *task = queue->first;
    if (!task || queue->promoted || device->stream_busy[task->stream])
        return;
    queue->promoted = true;
    task->state = DEVICE_TASK_HEAD;
    task->head_ps = des_engine_now(device->engine);
    task->order = ++device->head_order;
    device->heads[device->head_count++] = task;
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

void device_queue_start(struct device *device, uint32_t head) {
    struct device_task *task = device->heads[head];
    struct device_queue *queue = queue_of(device, task->stream);
    for (uint32_t i = head + 1; i < device->head_count; i++)
        device->heads[i - 1] = device->heads[i];
    device->head_count--;
    queue->first = task->next;
    if (!queue->first)
        queue->last = NULL;
    queue->promoted = false;
    device->stream_busy[task->stream] = true;
    promote(device, queue);
}

void device_queue_end(struct device *device, struct device_task *task) {
    device->stream_busy[task->stream] = false;
    promote(device, queue_of(device, task->stream));
}
