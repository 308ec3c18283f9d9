#include "format/unpack_limit.h"

_Static_assert(UNPACK_MOST_TIMES == 256, "as its sentence says");

bool unpack_is_too_much(gzFile file, uint64_t unpacked) {
    const uint64_t small = UINT64_C(64) << 20; /* whatever it comes from, it is read in a second */
    z_off_t packed = gzoffset(file);
    return unpacked > small && packed > 0 && unpacked / UNPACK_MOST_TIMES > (uint64_t)packed;
}
