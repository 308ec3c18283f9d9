/* The candidates of an advice: what can be set on a GPU, for the applications at hand. */
#ifndef ADVISE_WAYS_H
#define ADVISE_WAYS_H

#include "models/device/gpu_slices.h"
#include "study/advise_changes.h"

/* "time slices", "MPS" ... */
const char *advise_way_name(enum advise_way way);

/* SMs of a chunk of MPS' static partitions (CUDA MPS documentation: 8 from Hopper on, 4 before). */
int64_t advise_chunk_sms(const struct gpu *gpu);

/* Fills `offer->candidates` with every setting of every way, and behind them each of these with
 * each change. Texts lie in the arena. enum ct_status. */
int advise_ways_make(const struct setup *setup, const struct advise_changes *changes,
                     struct advise_offer *offer, struct ct_arena *arena, struct ct_diags *diags);

#endif
