/* Jobs: cut by launch, not by device time. */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <stdio.h>
#include <string.h>

static int compare_launches(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    if (x->launch_begin_ps != y->launch_begin_ps)
        return x->launch_begin_ps < y->launch_begin_ps ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_marks(const void *a, const void *b) {
    const struct import_mark *x = a, *y = b;
    return import_compare_ranges((struct import_range){0, x->begin_ps, x->end_ps},
                                 (struct import_range){0, y->begin_ps, y->end_ps});
}

/* Drops marks inside or across the one before. */
static void drop_overlaps(struct import_builder *builder) {
    size_t kept = 0;
    struct import_mark *marks = builder->marks.items;
    for (size_t i = 0; i < builder->marks.count; i++)
        if (kept == 0 || marks[i].begin_ps >= marks[kept - 1].end_ps)
            marks[kept++] = marks[i];
    if (kept < builder->marks.count)
        ct_notice(builder->diags, "", "%zu ranges that overlap the one before are ignored",
                  builder->marks.count - kept);
    builder->marks.count = kept;
}

/* Jobs from one beginning to the next: what the last one begins is not known to be whole, and ends
 * nowhere. */
static void stretch_marks(struct import_builder *builder) {
    struct import_mark *marks = builder->marks.items;
    for (size_t i = 0; i + 1 < builder->marks.count; i++)
        marks[i].end_ps = marks[i + 1].begin_ps;
    if (builder->marks.count > 1)
        builder->marks.count--;
}

void import_marks_settle(struct import_builder *builder) {
    ct_vec_sort(&builder->marks, compare_marks);
    drop_overlaps(builder);
    if (builder->options.cut == IMPORT_CUT_FROM)
        stretch_marks(builder);
}

static bool cuts_by_name(enum import_cut cut) {
    return cut == IMPORT_CUT_MARK || cut == IMPORT_CUT_FROM;
}

/* Where the cursor stands among the marks while tasks pass by in launch order. */
struct windows {
    const struct import_mark *marks;
    size_t count, next; /* marks[next - 1] began last */
};

/*
 * Finds the window in which a task was launched; counts and flags a task that ran in a later one.
 * One that was launched before the recording belongs to a job of which the rest is not there. Why
 * the task is left out; NULL: it is kept.
 */
static const char *place_task(struct windows *w, const struct import_options *options,
                              struct import_task *task, uint64_t *carried) {
    if (task->before_recording) {
        ++*carried;
        return "launched before the recording";
    }
    while (w->next < w->count && w->marks[w->next].begin_ps <= task->launch_begin_ps)
        w->next++;
    bool after = w->next > 0 && task->launch_begin_ps >= w->marks[w->next - 1].end_ps;
    if (after && cuts_by_name(options->cut))
        return "launched outside the ranges";
    if (after && w->next == w->count)
        return "launched after the last step";
    if (w->next < w->count && task->start_ps >= w->marks[w->next].begin_ps) {
        ++*carried;
        task->flags |= TRACE_CARRIED;
    }
    if (w->next == 0)
        return cuts_by_name(options->cut) ? "launched outside the ranges"
                                          : "launched before the first step";
    return NULL;
}

static const char *mark_job_name(struct ct_arena *arena, const struct import_options *options,
                                 const char *mark, size_t number) {
    char name[300];
    if (!cuts_by_name(options->cut))
        return ct_arena_strdup(arena, mark);
    snprintf(name, sizeof name, "%.255s#%zu", mark, number);
    return ct_arena_strdup(arena, name);
}

static bool cut_by_marks(struct import_builder *builder, struct import_group *group,
                         struct ct_arena *arena, struct import_slices *slices, uint64_t *carried) {
    struct windows w = {builder->marks.items, builder->marks.count, 0};
    size_t kept = 0, window_of_slice = 0;
    ct_time_ps busy_until = -CT_TIME_NEVER;
    for (size_t i = 0; i < group->tasks.count; i++) {
        struct import_task *task = group->tasks.items[i];
        const char *reason = place_task(&w, &builder->options, task, carried);
        if (reason) {
            import_drop_task(builder, reason, task);
            continue;
        }
        if (slices->count == 0 || window_of_slice != w.next) {
            const struct import_mark *mark = &w.marks[w.next - 1];
            const char *name = mark_job_name(arena, &builder->options, mark->name, w.next - 1);
            struct import_slice slice = {name, kept, 0, true, mark->begin_ps, mark->end_ps};
            if (slice.begin_ps < busy_until)
                slice.begin_ps = busy_until;
            if (!name || !ct_vec_push(slices, slice))
                return false;
            window_of_slice = w.next;
        }
        if (busy_until < import_task_end(task))
            busy_until = import_task_end(task);
        slices->items[slices->count - 1].count++;
        group->tasks.items[kept++] = task;
    }
    group->tasks.count = kept;
    return true;
}

static bool cut_by_gaps(struct import_builder *builder, struct import_group *group,
                        struct ct_arena *arena, struct import_slices *slices) {
    ct_time_ps busy_until = -CT_TIME_NEVER;
    for (size_t i = 0; i < group->tasks.count; i++) {
        const struct import_task *task = group->tasks.items[i];
        if (i == 0 || task->start_ps - busy_until >= builder->options.gap_ps) {
            char name[32];
            snprintf(name, sizeof name, "job#%zu", slices->count);
            const char *kept = ct_arena_strdup(arena, name);
            if (!kept || !ct_vec_push(slices, (struct import_slice){.name = kept, .first = i}))
                return false;
        }
        slices->items[slices->count - 1].count++;
        if (import_task_end(task) > busy_until)
            busy_until = import_task_end(task);
    }
    return true;
}

static bool marks_are_there(struct import_builder *builder) {
    const struct import_options *options = &builder->options;
    if (builder->marks.count)
        return true;
    if (options->cut == IMPORT_CUT_STEP)
        ct_error(builder->diags, "",
                 "the recording has no profiler steps: choose '--jobs whole', "
                 "'nvtx:NAME' or 'gap:MS'");
    else
        ct_error(builder->diags, "", "the recording has no range called '%s'", options->mark_name);
    return false;
}

static void report_queued(const struct import_builder *builder, const struct import_group *group,
                          bool by_marks) {
    size_t queued = 0;
    for (size_t i = 0; i < group->tasks.count; i++)
        queued += group->tasks.items[i]->before_recording;
    if (queued)
        ct_notice(builder->diags, import_place(builder),
                  "%zu of %zu tasks were launched before the recording began: %s", queued,
                  group->tasks.count,
                  by_marks ? "jobs are cut by steps or ranges, and theirs is not there, so they "
                             "are left out; '--jobs whole' keeps them"
                           : "they are queued at the start, and what the host did for them is "
                             "unknown");
}

int import_jobs_cut(struct import_builder *builder, struct import_group *group,
                    struct ct_arena *arena, struct import_slices *slices, uint64_t *carried) {
    enum import_cut cut = builder->options.cut;
    bool done = true;
    if (cut == IMPORT_CUT_AUTO)
        cut = builder->marks.count ? IMPORT_CUT_STEP : IMPORT_CUT_WHOLE;
    bool by_marks = cut == IMPORT_CUT_STEP || cuts_by_name(cut);
    if (by_marks && !marks_are_there(builder))
        return CT_USAGE;
    report_queued(builder, group, by_marks);
    ct_vec_sort(&group->tasks, compare_launches);
    if (by_marks)
        done = cut_by_marks(builder, group, arena, slices, carried);
    else if (cut == IMPORT_CUT_GAP)
        done = cut_by_gaps(builder, group, arena, slices);
    else if (group->tasks.count)
        done = ct_vec_push(slices,
                           (struct import_slice){.name = "whole", .count = group->tasks.count});
    return done ? CT_OK : ct_out_of_memory(builder->diags);
}
