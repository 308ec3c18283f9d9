/* The three bytes that some editors write before a text in UTF-8. */
#ifndef BYTE_ORDER_MARK_H
#define BYTE_ORDER_MARK_H

#include <stddef.h>
#include <string.h>

/* How many bytes of a text's beginning are such a mark: 3 or 0. */
static inline size_t byte_order_mark(const void *text, size_t size) {
    enum { BYTES = 3 };
    return size >= BYTES && memcmp(text, "\xef\xbb\xbf", BYTES) == 0 ? BYTES : 0;
}

#endif
