#include "experiment/report_builder.h"

#include <stdarg.h>

void report_times_add(const struct report_builder *b, struct report_times *times, const double *ps,
                      size_t count) {
    size_t before = times->count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(ps[i]) && !ct_vec_push(times, ps[i] / (double)CT_PS_PER_MS))
            *b->lost = true;
    if (times->count > before && !ct_vec_push(&times->lengths, times->count - before))
        *b->lost = true;
}

struct des_batch_series report_times_series(const struct report_times *times) {
    return (struct des_batch_series){times->items, times->lengths.items, times->lengths.count};
}

void report_times_free(struct report_times *times) {
    ct_vec_free(times);
    ct_vec_free(&times->lengths);
}

void report_notice(struct report_builder *b, const char *format, ...) {
    va_list arguments;
    if (b->notice_count == b->notice_capacity)
        return;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(b->arena, format, arguments);
    va_end(arguments);
    *b->lost |= !text;
    if (text)
        b->notices[b->notice_count++] = text;
}
