/*
 * The issue slots of an SM on which blocks of several kernels run, where sm_sharing is `hopper`:
 * they go to the blocks that came first, and the younger ones get what these leave. Measured on an
 * H100 and an H200 (docs/measured.md): a kernel behind an older one that fills the slots gets 15 to
 * 30 % of its speed till that ends, the older one loses little. Parts are of an SM's slots, 0 to 1.
 */
#ifndef SM_AGE_H
#define SM_AGE_H

/* What blocks of one kernel, which use `use` at full speed and have `threads`, need behind others.
 */
double sm_age_needed(double use, double threads);

/* The part of the slots left to it that one block takes, such that as many as an SM holds alone,
 * `most`, take what the kernel uses alone. */
double sm_age_slots_of_block(double alone, double most);

/* What `blocks` of them leave of what was left. */
double sm_age_left(double left, double slots_of_block, double blocks);

#endif
