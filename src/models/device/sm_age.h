/*
 * The issue slots of an SM on which blocks of several kernels run, where sm_sharing is `hopper`:
 * they go to the blocks that came first, and the younger ones get what these leave, or what no
 * older block can keep from them. Measured on an H100 and an H200 (docs/measured.md): a kernel
 * behind an older one that fills the slots gets 15 to 30 % of its speed where that has 32 warps,
 * and 40 to 90 % where it has 8. Parts are of an SM's slots, 0 to 1.
 */
#ifndef SM_AGE_H
#define SM_AGE_H

#include <stdbool.h>

/* What blocks of one kernel, which use `use` at full speed and have `threads`, need behind others.
 */
double sm_age_needed(double use, double threads);

/* The part of its speed that a kernel gets which needs so much of the slots, behind older blocks
 * that ask for so many of them (0: there are none) and leave so much. Whose instructions depend on
 * each other gets less. */
double sm_age_part(double needed, double left, double asked, bool dependent);

/* The part of the slots left to it that one block takes, such that as many as an SM holds alone,
 * `most`, take what the kernel uses alone. */
double sm_age_slots_of_block(double alone, double most);

/* What `blocks` of them leave of what was left. */
double sm_age_left(double left, double slots_of_block, double blocks);

#endif
