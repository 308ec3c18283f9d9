/*
 * Ranges that cut jobs, thread by thread: a range is said by a thread of the work that this thread
 * launches, and other threads have jobs of their own at the same time.
 */
#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <string.h>

static int compare_marks(const void *a, const void *b) {
    const struct import_mark *x = a, *y = b;
    int order = ct_order(x->process, y->process);
    return order ? order
                 : import_compare_ranges((struct import_range){x->thread, x->begin_ps, x->end_ps},
                                         (struct import_range){y->thread, y->begin_ps, y->end_ps});
}

static bool of_one_thread(const struct import_mark *a, const struct import_mark *b) {
    return a->process == b->process && a->thread == b->thread;
}

/* Drops marks inside or across the one before of their thread. */
static void drop_overlaps(struct import_builder *builder) {
    size_t kept = 0;
    struct import_mark *marks = builder->marks.items;
    for (size_t i = 0; i < builder->marks.count; i++)
        if (kept == 0 || !of_one_thread(&marks[kept - 1], &marks[i]) ||
            marks[i].begin_ps >= marks[kept - 1].end_ps)
            marks[kept++] = marks[i];
    if (kept < builder->marks.count)
        ct_notice(builder->diags, "", "%zu ranges that overlap the one before are ignored",
                  builder->marks.count - kept);
    builder->marks.count = kept;
}

/* Jobs from one beginning to the next: what the last one begins is not known to be whole, and ends
 * nowhere. How many there are then. */
static size_t stretch(struct import_mark *marks, size_t count) {
    for (size_t i = 0; i + 1 < count; i++)
        marks[i].end_ps = marks[i + 1].begin_ps;
    return count > 1 ? count - 1 : count;
}

static bool make_tracks(struct import_builder *builder) {
    struct import_mark *marks = builder->marks.items;
    size_t kept = 0;
    for (size_t i = 0, end; i < builder->marks.count; i = end) {
        for (end = i + 1; end < builder->marks.count && of_one_thread(&marks[i], &marks[end]);)
            end++;
        size_t count =
            builder->options.cut == IMPORT_CUT_FROM ? stretch(marks + i, end - i) : end - i;
        struct import_track track = {marks[i].process, marks[i].thread, kept, count};
        memmove(marks + kept, marks + i, count * sizeof *marks);
        kept += count;
        if (!ct_vec_push(&builder->tracks, track))
            return false;
    }
    builder->marks.count = kept;
    return true;
}

bool import_marks_settle(struct import_builder *builder) {
    ct_vec_sort(&builder->marks, compare_marks);
    drop_overlaps(builder);
    return make_tracks(builder);
}

static int compare_tracks(const void *a, const void *b) {
    const struct import_track *x = a, *y = b;
    return ct_then(ct_order(x->process, y->process), ct_order(x->thread, y->thread));
}

static size_t find(const struct import_builder *builder, uint64_t process, uint64_t thread) {
    const struct import_track wanted = {.process = process, .thread = thread};
    return ct_vec_lower(&builder->tracks, compare_tracks, &wanted);
}

uint32_t import_track_of(const struct import_builder *builder, uint64_t process, uint64_t thread) {
    const struct import_track *tracks = builder->tracks.items;
    size_t count = builder->tracks.count, own = find(builder, process, thread);
    if (own < count && tracks[own].process == process && tracks[own].thread == thread)
        return (uint32_t)own;
    size_t first = find(builder, process, 0);
    bool any = first < count && tracks[first].process == process;
    bool several = first + 1 < count && tracks[first + 1].process == process;
    if (any)
        return several && tracks[first].thread != 0 ? TRACE_NONE : (uint32_t)first;
    return count == 1 ? 0 : TRACE_NONE;
}
