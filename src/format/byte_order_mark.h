/* The three bytes that some editors write before a text in UTF-8. */
#ifndef BYTE_ORDER_MARK_H
#define BYTE_ORDER_MARK_H

#include <stddef.h>

/* How many bytes of a text's beginning are such a mark: 3 or 0. */
size_t byte_order_mark(const void *text, size_t size);

#endif
