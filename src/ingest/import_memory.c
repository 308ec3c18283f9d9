/* How much of the GPU's memory an application took: the most of what it held at a time. */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <inttypes.h>
#include <stdio.h>

bool import_add_allocation(struct import_builder *builder,
                           const struct import_allocation *allocation) {
    return import_memory_left(builder, ct_vec_push(&builder->allocations, *allocation));
}

bool import_memory_held(struct import_builder *builder, int device, uint64_t bytes) {
    for (size_t i = 0; i < builder->held.count; i++)
        if (builder->held.items[i].device == device) {
            if (bytes > builder->held.items[i].bytes)
                builder->held.items[i].bytes = bytes;
            return true;
        }
    return import_memory_left(builder,
                              ct_vec_push(&builder->held, (struct import_held){device, bytes}));
}

static int compare_places(const void *left, const void *right) {
    const struct import_allocation *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    return (a->bytes > 0) - (b->bytes > 0); /* what is freed makes room first */
}

static int compare_times(const void *left, const void *right) {
    const struct import_allocation *a = left, *b = right;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/*
 * What each event changes: a free gives back what was allocated at its address, and nothing where
 * that was before the recording; an allocation where one stands says that its free was lost.
 */
static void settle_frees(struct import_builder *builder) {
    struct import_allocation *a = builder->allocations.items;
    int64_t standing = 0;
    ct_vec_sort(&builder->allocations, compare_places);
    for (size_t i = 0; i < builder->allocations.count; i++) {
        if (i == 0 || a[i].process != a[i - 1].process || a[i].address != a[i - 1].address)
            standing = 0;
        int64_t asked = a[i].bytes, freed = standing;
        int device = i > 0 && standing ? a[i - 1].device : a[i].device;
        standing = asked;
        a[i].bytes = asked - freed;
        a[i].device = asked ? a[i].device : device;
    }
    ct_vec_sort(&builder->allocations, compare_times);
    builder->allocations_settled = true;
}

static uint64_t most_allocated(struct import_builder *builder, const struct import_group *group) {
    double held = 0, most = 0;
    if (!builder->allocations_settled)
        settle_frees(builder);
    for (size_t i = 0; i < builder->allocations.count; i++) {
        const struct import_allocation *a = &builder->allocations.items[i];
        if (a->device != group->device || !import_may_concern(group, a->process))
            continue;
        held += (double)a->bytes;
        if (held > most)
            most = held;
    }
    return (uint64_t)most;
}

bool import_memory_note(struct import_builder *builder, const struct import_group *group,
                        struct trace_set *set, struct trace_app *app) {
    char text[32];
    uint64_t most = most_allocated(builder, group);
    for (size_t i = 0; i < builder->held.count; i++)
        if (builder->held.items[i].device == group->device && builder->held.items[i].bytes > most)
            most = builder->held.items[i].bytes;
    if (most == 0)
        return true;
    snprintf(text, sizeof text, "%" PRIu64, most);
    struct trace_note note = {TRACE_NOTE_MEMORY, ct_arena_strdup(&set->arena, text)};
    return note.value && ct_vec_push(&app->notes, note);
}
