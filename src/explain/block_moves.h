/*
 * Thread blocks on SMs over time, as a table: a row for each time at which a kernel's blocks came
 * to neighbouring SMs, ended there, or were followed by the next ones, and for each turn of time
 * slices. Rows are in the order of time; those of one instant in that in which they happened.
 */
#ifndef BLOCK_MOVES_H
#define BLOCK_MOVES_H

#include "results/result_store.h"

#include <stdio.h>

/* CSV of a run that recorded its blocks (RESULT_BLOCKS). CT_DATA when `out` failed or memory ran
 * out. */
int block_moves_write(const struct result_run *run, FILE *out, struct ct_diags *diags);

#endif
