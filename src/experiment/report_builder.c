#include "experiment/report_builder.h"

#include <stdarg.h>

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
