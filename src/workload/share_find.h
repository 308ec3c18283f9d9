/* Where files of the share folder are looked for; share_find and share_list of workload.h look. */
#ifndef SHARE_FIND_H
#define SHARE_FIND_H

#include "base/ct_arena.h"

/* The places in which a folder of the share folder may be, "A, B" in the arena; NULL: memory ran
 * out. */
const char *share_places(struct ct_arena *arena, const char *folder);

#endif
