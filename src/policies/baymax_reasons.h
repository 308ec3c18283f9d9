/* Why Baymax holds and issues, and what it notes, in words. */
#ifndef BAYMAX_REASONS_H
#define BAYMAX_REASONS_H

#include "abi/ct_policy.h"

/* Places in the table, for `hold`. */
enum { HELD_TQ, HELD_HEADROOM, HELD_ENTRY, HELD_COPIES, HELD_TOO_LONG, HELD_UNKNOWN, HELD_AHEAD };

extern const struct ct_reason baymax_reasons[];

#endif
