#include "capture/capture_recording_internal.h"

#include <string.h>

const char *capture_loss_name(enum capture_loss loss) {
    static const char *const names[CAPTURE_LOSS_COUNT] = {
        [CAPTURE_NO_BUFFER] = "lost, no free buffer",
        [CAPTURE_NO_TIME] = "lost, not timed by CUPTI",
        [CAPTURE_OVER_LIMIT] = "lost, over the limit of records",
        [CAPTURE_UNKNOWN_KIND] = "left out, of an unknown kind"};
    return names[loss];
}

struct capture_recording *capture_recording_new(uint64_t most_records, bool marks_wanted) {
    struct capture_recording *recording = calloc(1, sizeof *recording);
    if (recording) {
        recording->most_records = most_records;
        recording->marks_wanted = marks_wanted;
    }
    return recording;
}

void capture_recording_free(struct capture_recording *recording) {
    if (!recording)
        return;
    ct_arena_free(&recording->arena);
    ct_intern_free(&recording->names);
    ct_intern_free(&recording->shapes);
    ct_vec_free(&recording->tasks);
    ct_vec_free(&recording->calls);
    ct_vec_free(&recording->waits);
    ct_vec_free(&recording->events);
    ct_vec_free(&recording->points);
    ct_vec_free(&recording->devices);
    free(recording);
}

void capture_add_loss(struct capture_recording *recording, enum capture_loss loss, uint64_t count) {
    recording->losses[loss] += count;
}

uint64_t capture_recording_losses(const struct capture_recording *recording) {
    uint64_t count = 0;
    for (int i = 0; i < CAPTURE_LOSS_COUNT; i++)
        if (i != CAPTURE_UNKNOWN_KIND)
            count += recording->losses[i];
    return count;
}

bool capture_recording_has_kernel(const struct capture_recording *recording) {
    return recording->shapes.items.count > 0;
}

static bool has_room(struct capture_recording *recording) {
    if (recording->records < recording->most_records)
        return true;
    capture_add_loss(recording, CAPTURE_OVER_LIMIT, 1);
    return false;
}

/* A record that memory has no room for is over the limit as much as one that the limit forbids. */
static void count_kept(struct capture_recording *recording, bool kept) {
    if (kept)
        recording->records++;
    else
        capture_add_loss(recording, CAPTURE_OVER_LIMIT, 1);
}

static bool is_timed(struct capture_recording *recording, uint64_t start_ns, uint64_t end_ns) {
    if (start_ns > 0 && end_ns >= start_ns)
        return true;
    capture_add_loss(recording, CAPTURE_NO_TIME, 1);
    return false;
}

static void add_task(struct capture_recording *recording, const struct capture_task *task) {
    count_kept(recording, ct_vec_push(&recording->tasks, *task));
}

static uint32_t intern_shape(struct capture_recording *recording,
                             const struct capture_kernel *kernel) {
    struct capture_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.name = ct_intern_text(&recording->names, kernel->name ? kernel->name : "");
    memcpy(shape.grid, kernel->grid, sizeof shape.grid);
    memcpy(shape.block, kernel->block, sizeof shape.block);
    shape.registers_per_thread = kernel->registers_per_thread;
    shape.static_smem_bytes = kernel->static_smem_bytes;
    shape.dynamic_smem_bytes = kernel->dynamic_smem_bytes;
    return shape.name == UINT32_MAX ? UINT32_MAX
                                    : ct_intern_add(&recording->shapes, &shape, sizeof shape);
}

void capture_add_kernel(struct capture_recording *recording, const struct capture_kernel *kernel) {
    struct capture_task task = {
        .place = kernel->place, .kind = TRACE_KERNEL, .graph_node = kernel->graph_node};
    if (!is_timed(recording, task.place.start_ns, task.place.end_ns) || !has_room(recording))
        return;
    task.shape = intern_shape(recording, kernel);
    if (task.shape == UINT32_MAX)
        capture_add_loss(recording, CAPTURE_OVER_LIMIT, 1);
    else
        add_task(recording, &task);
}

void capture_add_copy(struct capture_recording *recording, const struct capture_copy *copy) {
    struct capture_task task = {.place = copy->place,
                                .bytes = copy->bytes,
                                .kind = TRACE_COPY,
                                .copy_kind = copy->copy_kind,
                                .memory = (uint8_t)(copy->source | copy->destination << 4)};
    if (is_timed(recording, task.place.start_ns, task.place.end_ns) && has_room(recording))
        add_task(recording, &task);
}

void capture_add_memset(struct capture_recording *recording, const struct capture_memset *set) {
    struct capture_task task = {.place = set->place, .bytes = set->bytes, .kind = TRACE_MEMSET};
    if (is_timed(recording, task.place.start_ns, task.place.end_ns) && has_room(recording))
        add_task(recording, &task);
}

bool capture_call_matters(const char *name) {
    static const char *const marks[] = {"Launch",      "Memcpy",          "Memset",
                                        "Synchronize", "StreamWaitEvent", "EventRecord"};
    if (strstr(name, "Graph") && !strstr(name, "GraphLaunch"))
        return false; /* builds a graph, launches nothing */
    for (size_t i = 0; i < CT_COUNT_OF(marks); i++)
        if (strstr(name, marks[i]))
            return true;
    return false;
}

void capture_add_call(struct capture_recording *recording, const struct capture_call *call) {
    struct capture_host_call kept = {call->start_ns, call->end_ns, call->thread, call->correlation,
                                     activity_call_kind_of(call->name)};
    if (!capture_call_matters(call->name))
        return;
    if (kept.end_ns < kept.start_ns) /* cut off by the program's end */
        kept.end_ns = kept.start_ns;
    if (is_timed(recording, kept.start_ns, kept.end_ns) && has_room(recording))
        count_kept(recording, ct_vec_push(&recording->calls, kept));
}

void capture_add_wait(struct capture_recording *recording, const struct capture_wait *wait) {
    if (has_room(recording))
        count_kept(recording, ct_vec_push(&recording->waits, *wait));
}

void capture_add_event(struct capture_recording *recording, const struct capture_event *event) {
    if (has_room(recording))
        count_kept(recording, ct_vec_push(&recording->events, *event));
}

void capture_add_range_point(struct capture_recording *recording,
                             const struct capture_range_point *point) {
    struct capture_point kept = {point->time_ns, point->id, point->thread, TRACE_NONE};
    if (!recording->marks_wanted || !has_room(recording))
        return;
    if (point->name)
        kept.name = ct_intern_text(&recording->names, point->name);
    bool known = !point->name || kept.name != UINT32_MAX;
    count_kept(recording, known && ct_vec_push(&recording->points, kept));
}

void capture_add_device(struct capture_recording *recording, const struct capture_device *device) {
    struct capture_device kept = *device;
    for (size_t i = 0; i < recording->devices.count; i++)
        if (recording->devices.items[i].id == device->id)
            return;
    kept.title = ct_arena_strdup(&recording->arena, device->title ? device->title : "");
    if (!kept.title || !ct_vec_push(&recording->devices, kept))
        capture_add_loss(recording, CAPTURE_OVER_LIMIT, 1);
}
