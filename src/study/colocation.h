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

#include "base/ct_vec.h"
#include "models/device/device.h"
#include "models/predict/predict_themis.h"
#include "policies/hsm_model.h"

struct colocation_samples {
    CT_VEC(struct themis_sample);
    CT_VEC(struct hsm_measure) measures; /* of each sample, what HSM and DASE take in its stead */
    CT_VEC(struct ct_counters) alone;    /* of a launch of its kernel on the whole GPU */
};
void colocation_samples_free(struct colocation_samples *samples);

/* Length of an epoch, HSM section 4.2. */
#define COLOCATION_EPOCH_CYCLES 500000.0

/* Draws and runs co-location `number` of the seed and adds a sample per kernel. enum ct_status. */
int colocation_sample(const struct gpu *gpu, enum device_fidelity fidelity, uint64_t seed,
                      uint64_t number, struct colocation_samples *samples, struct ct_diags *diags);

/* Errors of HSM, whose line is fitted to the kernels of `learnt` alone, and of DASE on `held_out`.
 * What they cannot tell is left out. False: memory ran out. */
struct colocation_rivals {
    struct themis_errors hsm, dase; /* mean_uncapped: NAN */
};
bool colocation_rivals(const struct gpu *gpu, const struct colocation_samples *learnt,
                       const struct colocation_samples *held_out, struct colocation_rivals *rivals);

#endif
