#include "capture/capture_recording.h"

#include <string.h>

struct capture_recording *capture_recording_new(uint64_t most_records, bool marks_wanted) {
    struct capture_recording *recording = calloc(1, sizeof *recording);
    if (recording) {
        recording->most_records = most_records;
        recording->marks_wanted = marks_wanted;
        recording->base_ns = UINT64_MAX;
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

/* Whether there is room for a record that begins then; UINT64_MAX: it has no time of its own. */
static bool has_room(struct capture_recording *recording, uint64_t start_ns) {
    if (recording->records < recording->most_records) {
        recording->base_ns = start_ns < recording->base_ns ? start_ns : recording->base_ns;
        return true;
    }
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

static bool may_add(struct capture_recording *recording, uint64_t start_ns, uint64_t end_ns) {
    if (start_ns > 0 && end_ns >= start_ns)
        return has_room(recording, start_ns);
    capture_add_loss(recording, CAPTURE_NO_TIME, 1);
    return false;
}

void capture_add_kernel(struct capture_recording *recording, const struct capture_place *place,
                        const char *name, const struct capture_shape *shape) {
    struct capture_task task = {.place = *place, .kind = TRACE_KERNEL, .shape = UINT32_MAX};
    struct capture_shape own = *shape;
    if (!may_add(recording, place->start_ns, place->end_ns))
        return;
    own.name = ct_intern_text(&recording->names, name ? name : "");
    if (own.name != UINT32_MAX)
        task.shape = ct_intern_add(&recording->shapes, &own, sizeof own);
    count_kept(recording, task.shape != UINT32_MAX && ct_vec_push(&recording->tasks, task));
}

void capture_add_task(struct capture_recording *recording, const struct capture_task *task) {
    if (may_add(recording, task->place.start_ns, task->place.end_ns))
        count_kept(recording, ct_vec_push(&recording->tasks, *task));
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

void capture_add_call(struct capture_recording *recording, const char *name,
                      const struct capture_call *call) {
    struct capture_call kept = *call;
    if (!capture_call_matters(name))
        return;
    kept.kind = activity_call_kind_of(name);
    if (kept.end_ns < kept.start_ns) /* cut off by the program's end */
        kept.end_ns = kept.start_ns;
    if (may_add(recording, kept.start_ns, kept.end_ns))
        count_kept(recording, ct_vec_push(&recording->calls, kept));
}

void capture_add_wait(struct capture_recording *recording, const struct capture_sync *wait) {
    if (has_room(recording, UINT64_MAX))
        count_kept(recording, ct_vec_push(&recording->waits, *wait));
}

void capture_add_event(struct capture_recording *recording, const struct capture_sync *event) {
    if (has_room(recording, UINT64_MAX))
        count_kept(recording, ct_vec_push(&recording->events, *event));
}

void capture_add_range_point(struct capture_recording *recording, const char *name,
                             const struct capture_range_point *point) {
    struct capture_range_point kept = *point;
    if (!recording->marks_wanted || !has_room(recording, point->time_ns))
        return;
    kept.name = name ? ct_intern_text(&recording->names, name) : TRACE_NONE;
    bool known = !name || kept.name != UINT32_MAX;
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
