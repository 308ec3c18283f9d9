/* How much may come out of a compressed file: a few bytes of gzip can hold a thousand times as
 * many. */
#ifndef UNPACK_LIMIT_H
#define UNPACK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

/* What is said of a file that goes beyond: recordings, and even equal kernels one after the other,
 * unpack to some 30 times their size. */
#define UNPACK_TOO_MUCH "it unpacks to more than 256 times its size, as no recording does"

/* Whether this many bytes are too many to have come out of the file so far. */
static inline bool unpack_is_too_much(gzFile file, uint64_t unpacked) {
    const uint64_t small = UINT64_C(64) << 20; /* whatever it comes from, it is read in a second */
    z_off_t packed = gzoffset(file);
    return unpacked > small && packed > 0 && unpacked / 256 > (uint64_t)packed;
}

#endif
