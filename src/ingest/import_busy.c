/*
 * Until when the device was busy before a task, whatever with: also with what is left out, other
 * jobs', and communication. A launch that found it so says nothing of how long launches take.
 */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

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
    return done || (ct_out_of_memory(builder->diags), false);
}
