#include "ingest/import_parts.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"

#include <stdio.h>

static int compare_parts(const void *a, const void *b) {
    const struct import_part *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

static struct import_part part_of(const struct import_task *task) {
    return (struct import_part){task->device, task->process};
}

/* Its place among the parts; their count when it is none. */
static size_t place_of(const struct import_parts *parts, struct import_part part) {
    size_t i = 0;
    while (i < parts->count && compare_parts(&parts->items[i], &part) != 0)
        i++;
    return i;
}

/* Those that ran a kernel. False: memory ran out. */
static bool find_all(const struct import_builder *b, struct import_parts *parts) {
    for (size_t i = 0; i < b->tasks.count; i++) {
        const struct import_task *task = &b->tasks.items[i];
        if (task->kind == TRACE_KERNEL && place_of(parts, part_of(task)) == parts->count &&
            !ct_vec_push(parts, part_of(task)))
            return false;
    }
    ct_vec_sort(parts, compare_parts);
    return true;
}

static bool has_device(const struct import_parts *parts, int device) {
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].device == device)
            return true;
    return false;
}

/* Leaves only those of one device. */
static void keep_device(struct import_parts *parts, int device) {
    size_t kept = 0;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].device == device)
            parts->items[kept++] = parts->items[i];
    parts->count = kept;
}

static void drop_others(struct import_builder *b, const struct import_parts *parts) {
    for (size_t i = 0; i < b->tasks.count; i++) {
        const struct import_task *task = &b->tasks.items[i];
        if (place_of(parts, part_of(task)) == parts->count)
            import_drop_task(
                b, has_device(parts, task->device) ? IMPORT_NO_KERNELS : "another device", task);
    }
}

/* The first part of a part's device, and the first behind it. */
static size_t first_of_device(const struct import_parts *parts, size_t part) {
    while (part > 0 && parts->items[part - 1].device == parts->items[part].device)
        part--;
    return part;
}

static size_t end_of_device(const struct import_parts *parts, size_t part) {
    int device = parts->items[part].device;
    while (part < parts->count && parts->items[part].device == device)
        part++;
    return part;
}

static void report_processes(const struct import_builder *b, const struct import_parts *parts) {
    for (size_t i = 0, end; i < parts->count; i = end) {
        end = end_of_device(parts, i);
        if (end - i > 1)
            ct_notice(b->diags, import_place(b),
                      "%zu processes ran kernels on GPU %d: each is an application of its own",
                      end - i, parts->items[i].device);
    }
}

int import_parts_find(struct import_builder *builder, struct import_parts *parts) {
    const char *where = import_place(builder);
    int device = builder->options.device;
    if (!find_all(builder, parts))
        return ct_out_of_memory(builder->diags);
    if (parts->count == 0) {
        ct_error(builder->diags, where, "the recording holds no kernel");
        return CT_DATA;
    }
    if (device >= 0 && !has_device(parts, device)) {
        ct_error(builder->diags, where,
                 "device %d ran no kernel; the recording has devices %d to %d", device,
                 parts->items[0].device, parts->items[parts->count - 1].device);
        return CT_USAGE;
    }
    if (device >= 0)
        keep_device(parts, device);
    drop_others(builder, parts);
    report_processes(builder, parts);
    return CT_OK;
}

void import_part_name(const struct import_parts *parts, size_t part, const char *app, char *name,
                      size_t size) {
    size_t first = first_of_device(parts, part), end = end_of_device(parts, part);
    int used = snprintf(name, size, "%.255s", app);
    if (end - first < parts->count)
        used += snprintf(name + used, size - (size_t)used, "-dev%d", parts->items[part].device);
    if (end - first > 1)
        snprintf(name + used, size - (size_t)used, "-proc%zu", part - first);
}
