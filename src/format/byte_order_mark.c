#include "format/byte_order_mark.h"

#include <string.h>

size_t byte_order_mark(const void *text, size_t size) {
    enum { BYTES = 3 };
    return size >= BYTES && memcmp(text, "\xef\xbb\xbf", BYTES) == 0 ? BYTES : 0;
}
