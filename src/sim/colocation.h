/*
 * Made-up co-locations on the simulated GPU: what the network of predict_themis.h learns from.
 *
 * Two to four kernels of random shape and appetite run side by side, over and over, on a random
 * partition of the SMs. In one epoch hardware events are counted for each; its true normalised
 * progress is its instructions per second there over those of a launch alone on the whole GPU (HSM
 * Eq. 1). No recorded application takes part, so that none is ever predicted by what was learnt
 * from itself.
 */
#ifndef COLOCATION_H
#define COLOCATION_H

#include "ct_vec.h"
#include "device.h"
#include "predict_themis.h"

struct colocation_samples {
    CT_VEC(struct themis_sample);
};

/* Length of an epoch, HSM section 4.2. */
#define COLOCATION_EPOCH_CYCLES 500000.0

/* Draws and runs co-location `number` of the seed and adds a sample per kernel. enum ct_status. */
int colocation_sample(const struct gpu *gpu, enum device_fidelity fidelity, uint64_t seed,
                      uint64_t number, struct colocation_samples *samples, struct ct_diags *diags);

#endif
