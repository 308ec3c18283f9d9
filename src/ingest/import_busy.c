/*
 * With what the device was busy beside a task, whatever it was: also with what is left out, other
 * jobs', and communication. A launch that found it busy says nothing of how long launches take, and
 * kernels that shared it took longer than alone.
 */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"
#include "trace/trace_overlap.h"

bool import_busy_settle(struct import_builder *builder, int device) {
    CT_VEC(struct import_task *) by_start = {0};
    bool done = true;
    for (size_t i = 0; i < builder->tasks.count && done; i++)
        if (builder->tasks.items[i].device == device)
            done = ct_vec_push(&by_start, &builder->tasks.items[i]);
    ct_vec_sort(&by_start, import_compare_starts);
    ct_time_ps busy_until = -CT_TIME_NEVER;
    for (size_t i = 0; i < by_start.count && done; i++) {
        struct import_task *task = by_start.items[i];
        task->busy_before_ps = busy_until;
        if (busy_until < import_task_end(task))
            busy_until = import_task_end(task);
    }
    ct_vec_free(&by_start);
    return import_memory_left(builder, done);
}

bool import_busy_report(const struct import_builder *builder, const struct import_group *group,
                        const char *name) {
    struct trace_spans spans = {0};
    bool done = true;
    for (size_t i = 0; i < builder->tasks.count && done; i++) {
        const struct import_task *task = &builder->tasks.items[i];
        struct trace_span span = {task->start_ps, import_task_end(task),
                                  import_group_has(group, task)};
        if (task->kind == TRACE_KERNEL && task->device == group->device)
            done = ct_vec_push(&spans, span);
    }
    double part = done ? trace_spans_overlap(&spans) : NAN;
    ct_vec_free(&spans);
    if (part >= TRACE_OVERLAP_TOLD)
        ct_notice(builder->diags, import_place(builder),
                  "%.0f %% of the kernel time of '%s' was recorded while other kernels ran on its "
                  "GPU: what they cost each other is in their durations, and is added again where "
                  "they share the GPU in a run",
                  100 * part, name);
    return import_memory_left(builder, !isnan(part));
}
