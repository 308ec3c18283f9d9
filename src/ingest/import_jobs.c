/* Jobs: cut by launch, not by device time. */
#include "base/ct_sort.h"
#include "base/ct_text.h"
#include "format/csv_reader.h"
#include "ingest/import_builder_internal.h"

#include <stdlib.h>
#include <string.h>

static int compare_launches(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    return ct_then(ct_order(x->launch_begin_ps, y->launch_begin_ps), import_compare_starts(a, b));
}

static bool cuts_by_name(enum import_cut cut) {
    return cut == IMPORT_CUT_MARK || cut == IMPORT_CUT_FROM;
}

/* Where the cursor stands among the marks of one thread while tasks pass by in launch order. */
struct windows {
    const struct import_mark *marks;
    size_t count, next;    /* marks[next - 1] began last */
    bool used;             /* by a task */
    ct_time_ps busy_until; /* with the tasks of its jobs so far */
};

/* A mark in the order of the marks' beginnings. */
struct ranked_mark {
    ct_time_ps begin_ps;
    uint32_t mark, track;
};

/* Finds the window in which a task was launched; counts and flags a task that ran in a later one.
 * Why the task is left out; NULL: it is kept. */
static const char *place_in_window(struct windows *w, const struct import_options *options,
                                   struct import_task *task, uint64_t *carried) {
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

/* What is kept while jobs are cut by ranges. */
struct cutting {
    struct import_builder *builder;
    struct import_group *group;
    struct windows *windows;          /* of each track */
    CT_VEC(struct ranked_mark) marks; /* of all threads that launched something, by beginning */
    size_t strays;                    /* tasks of threads whose ranges are not known */
    uint64_t *carried;
};

/*
 * As place_in_window, by the ranges of the thread that launched the task. One that was launched
 * before the recording belongs to a job of which the rest is not there.
 */
static const char *place_task(struct cutting *c, struct import_task *task) {
    if (task->before_recording) {
        ++*c->carried;
        return "launched before the recording";
    }
    uint32_t track = import_track_of(c->builder, task->launch_process, task->launch_thread);
    if (track == TRACE_NONE) {
        c->strays++;
        return "launched by a thread without ranges";
    }
    struct windows *w = &c->windows[track];
    w->used = true;
    const char *reason = place_in_window(w, &c->builder->options, task, c->carried);
    if (!reason)
        task->job = (uint32_t)(w->marks + w->next - 1 - c->builder->marks.items);
    return reason;
}

static const char *mark_job_name(struct ct_arena *arena, const struct import_options *options,
                                 const char *mark, size_t number) {
    return cuts_by_name(options->cut) ? ct_arena_format(arena, "%.255s#%zu", mark, number)
                                      : ct_arena_strdup(arena, mark);
}

/* Leaves the tasks of jobs in the group, each with the number of its mark. */
static void place_tasks(struct cutting *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->group->tasks.count; i++) {
        struct import_task *task = c->group->tasks.items[i];
        const char *reason = place_task(c, task);
        if (reason)
            import_drop_work(c->builder, reason, task->recorded_ps);
        else
            c->group->tasks.items[kept++] = task;
    }
    c->group->tasks.count = kept;
}

static int compare_ranked(const void *a, const void *b) {
    const struct ranked_mark *x = a, *y = b;
    return ct_then(ct_order(x->begin_ps, y->begin_ps), ct_order(x->mark, y->mark));
}

static int compare_jobs(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    return ct_then(ct_order(x->job, y->job), compare_launches(a, b));
}

/* Numbers jobs by the beginnings of the ranges, whosever they are, and orders tasks by them. False:
 * memory ran out. */
static bool rank_jobs(struct cutting *c) {
    const struct import_builder *b = c->builder;
    uint32_t *rank = malloc((b->marks.count + 1) * sizeof *rank);
    bool done = rank != NULL;
    for (uint32_t t = 0; t < b->tracks.count; t++)
        for (size_t i = 0; i < b->tracks.items[t].count && c->windows[t].used && done; i++) {
            uint32_t mark = (uint32_t)(b->tracks.items[t].first + i);
            done = ct_vec_push(&c->marks,
                               (struct ranked_mark){b->marks.items[mark].begin_ps, mark, t});
        }
    ct_vec_sort(&c->marks, compare_ranked);
    for (uint32_t i = 0; i < c->marks.count && done; i++)
        rank[c->marks.items[i].mark] = i;
    for (size_t i = 0; i < c->group->tasks.count && done; i++)
        c->group->tasks.items[i]->job = rank[c->group->tasks.items[i]->job];
    ct_vec_sort(&c->group->tasks, compare_jobs);
    free(rank);
    return done;
}

/* Jobs of several threads may go on at the same time. */
static void report_threads(const struct cutting *c, size_t beside) {
    const char *place = import_place(c->builder);
    if (beside)
        ct_notice(
            c->builder->diags, place,
            "%zu jobs begin while one of another thread goes on: what they cost each other is "
            "in their times",
            beside);
    if (c->strays)
        ct_warning(c->builder->diags, place,
                   "%zu tasks were launched by threads without ranges, while several others have "
                   "some: whose jobs they belong to is unknown, so they are left out; "
                   "'--jobs whole' or 'gap:MS' keeps them",
                   c->strays);
}

static ct_time_ps later(ct_time_ps a, ct_time_ps b) {
    return a > b ? a : b;
}

static bool make_slices(const struct cutting *c, struct ct_arena *arena,
                        struct import_slices *slices) {
    const struct import_mark *marks = c->builder->marks.items;
    ct_time_ps goes_on_until = -CT_TIME_NEVER;
    size_t beside = 0;
    for (size_t i = 0; i < c->group->tasks.count; i++) {
        uint32_t job = c->group->tasks.items[i]->job;
        if (i == 0 || c->group->tasks.items[i - 1]->job != job) {
            const struct import_mark *mark = &marks[c->marks.items[job].mark];
            const char *name = mark_job_name(arena, &c->builder->options, mark->name, job);
            uint32_t track = c->marks.items[job].track;
            ct_time_ps begin = later(mark->begin_ps, c->windows[track].busy_until);
            struct import_slice slice = {name, i, 0, track, begin, mark->end_ps};
            if (!name || !ct_vec_push(slices, slice))
                return false;
            beside += mark->begin_ps < goes_on_until;
            if (mark->end_ps > goes_on_until)
                goes_on_until = mark->end_ps;
        }
        struct import_slice *slice = &slices->items[slices->count - 1];
        ct_time_ps *busy_until = &c->windows[slice->track].busy_until;
        *busy_until = later(*busy_until, import_task_end(c->group->tasks.items[i]));
        slice->count++;
    }
    report_threads(c, beside);
    return true;
}

static bool cut_by_marks(struct import_builder *builder, struct import_group *group,
                         struct ct_arena *arena, struct import_slices *slices, uint64_t *carried) {
    struct cutting c = {.builder = builder, .group = group, .carried = carried};
    c.windows = calloc(builder->tracks.count + 1, sizeof *c.windows);
    for (size_t i = 0; i < builder->tracks.count && c.windows; i++)
        c.windows[i] =
            (struct windows){.busy_until = -CT_TIME_NEVER,
                             .marks = builder->marks.items + builder->tracks.items[i].first,
                             .count = builder->tracks.items[i].count};
    if (c.windows)
        place_tasks(&c);
    bool done = c.windows && rank_jobs(&c) && make_slices(&c, arena, slices);
    ct_vec_free(&c.marks);
    free(c.windows);
    return done;
}

static bool cut_by_gaps(struct import_builder *builder, struct import_group *group,
                        struct ct_arena *arena, struct import_slices *slices) {
    ct_time_ps busy_until = -CT_TIME_NEVER;
    for (size_t i = 0; i < group->tasks.count; i++) {
        const struct import_task *task = group->tasks.items[i];
        if (i == 0 || task->start_ps - busy_until >= builder->options.gap_ps) {
            const char *name = ct_arena_format(arena, "job#%zu", slices->count);
            if (!name || !ct_vec_push(slices, (struct import_slice){
                                                  .name = name, .first = i, .track = TRACE_NONE}))
                return false;
        }
        slices->items[slices->count - 1].count++;
        if (import_task_end(task) > busy_until)
            busy_until = import_task_end(task);
    }
    return true;
}

/* "the recording has no range called 'qeury', did you mean 'query'?" */
static bool no_such_range(const struct import_builder *builder) {
    const char *name = builder->options.mark_name;
    const char *const *others = builder->other_marks.items;
    size_t count = builder->other_marks.count;
    char hint[CT_HINT_BYTES], some[CT_HINT_BYTES] = "";
    if (!*ct_text_hint(hint, name, others, count) && count)
        ct_text_join(some, sizeof some, others, count);
    return ct_false_error(builder->diags, import_place(builder),
                          "the recording has no range called '%s'%s%s%s", name, hint,
                          *hint   ? ""
                          : count ? "; some that it has: "
                                  : ", and no other one",
                          some);
}

static bool marks_are_there(struct import_builder *builder) {
    const struct import_options *options = &builder->options;
    if (builder->marks.count)
        return true;
    if (options->cut == IMPORT_CUT_STEP)
        return ct_false_error(builder->diags, "",
                              "the recording has no profiler steps: choose '--jobs whole', "
                              "'nvtx:NAME' or 'gap:MS'");
    return no_such_range(builder);
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
        done = ct_vec_push(slices, (struct import_slice){.name = "whole",
                                                         .count = group->tasks.count,
                                                         .track = TRACE_NONE});
    return done ? CT_OK : ct_out_of_memory(builder->diags);
}

/* ---- what a job is, from the text that people write ---- */

static int parse_gap(const char *text, const char *setting, struct import_options *options,
                     struct ct_diags *diags) {
    double ms;
    const char *end = csv_scan_number(text, &ms);
    options->cut = IMPORT_CUT_GAP;
    if (!end || *end || !(ms > 0 && ms <= 1e9))
        return ct_usage_error(diags, "",
                              "'%s' of '%s gap:MS' is not a number of milliseconds above 0", text,
                              setting);
    options->gap_ps = ct_time_round(ms * (double)CT_PS_PER_MS);
    return CT_OK;
}

int import_parse_jobs(const char *text, const char *setting, struct import_options *options,
                      struct ct_diags *diags) {
    static const enum import_cut cuts[] = {IMPORT_CUT_AUTO, IMPORT_CUT_WHOLE, IMPORT_CUT_STEP};
    static const char *const names[] = {"auto",      "whole",     "step",
                                        "nvtx:NAME", "from:NAME", "gap:MS"};
    char hint[CT_HINT_BYTES];
    size_t plain = ct_text_index(text, names, CT_COUNT_OF(cuts));
    if (plain < CT_COUNT_OF(cuts)) {
        options->cut = cuts[plain];
        return CT_OK;
    }
    if (strncmp(text, "gap:", 4) == 0)
        return parse_gap(text + 4, setting, options, diags);
    bool inside = strncmp(text, "nvtx:", 5) == 0, from = strncmp(text, "from:", 5) == 0;
    if ((inside || from) && text[5]) {
        options->cut = inside ? IMPORT_CUT_MARK : IMPORT_CUT_FROM;
        options->mark_name = text + 5;
        return CT_OK;
    }
    return ct_usage_error(diags, "", "unknown value of '%s': '%s'%s", setting, text,
                          ct_text_hint_or_all(hint, text, names, CT_COUNT_OF(names)));
}
