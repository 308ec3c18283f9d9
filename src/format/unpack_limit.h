/* How much may come out of a compressed file: a few bytes of gzip can hold a thousand times as
 * many. */
#ifndef UNPACK_LIMIT_H
#define UNPACK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

/* Recordings, and even equal kernels one after the other, unpack to some 30 times their size. */
enum { UNPACK_MOST_TIMES = 256 };

/* What is said of a file that goes beyond. */
#define UNPACK_TOO_MUCH "it unpacks to more than 256 times its size, as no recording does"

/* Whether this many bytes are too many to have come out of the file so far. */
bool unpack_is_too_much(gzFile file, uint64_t unpacked);

#endif
