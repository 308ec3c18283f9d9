/* HSM and DASE on the co-locations that the network was not shown, for comparison. */
#include "study/colocation.h"

#include "policies/hsm_model.h"

#include <stdlib.h>

#define WARP_THREADS 32.0

/* The GPU as the policies see it. */
static struct hsm_device device_of(const struct gpu *gpu) {
    return (struct hsm_device){.sms = gpu->sms,
                               .peak_bytes_per_s = gpu->dram_gb_s * 1e9,
                               .peak_instructions_per_s =
                                   (double)(gpu->sms * gpu->warp_schedulers) * WARP_THREADS *
                                   gpu->clock_mhz * 1e6};
}

/* Fits HSM's line to the kernels that are memory-bound whatever the line is; where they make none
 * it is that of the GPU. False: memory ran out. */
static bool fit_line(const struct gpu *gpu, const struct hsm_device *device,
                     const struct colocation_samples *learnt, struct hsm_line *line) {
    double *rates = calloc(learnt->alone.count + 1, sizeof *rates);
    double *bandwidths = calloc(learnt->alone.count + 1, sizeof *bandwidths);
    bool good = rates && bandwidths;
    uint32_t count = 0;
    for (size_t i = 0; good && i < learnt->alone.count; i++) {
        const struct ct_counters *alone = &learnt->alone.items[i];
        rates[count] = hsm_row_hit_rate(alone);
        bandwidths[count] = hsm_bandwidth(device, alone);
        count += hsm_demand(device, alone) > 1;
    }
    if (good && !hsm_line_fit(rates, bandwidths, count, line))
        *line = (struct hsm_line){gpu->hsm_c1, gpu->hsm_c2};
    free(rates);
    free(bandwidths);
    return good;
}

/* Adds an error to the sums; NAN: nothing was predicted. */
static void add_error(struct themis_errors *errors, double predicted, double progress) {
    double error = fabs(predicted - progress) / progress;
    if (isnan(predicted))
        return;
    errors->samples++;
    errors->mean += error;
    errors->max = fmax(errors->max, error);
}

static void finish(struct themis_errors *errors) {
    errors->mean /= (double)errors->samples;
    errors->mean_uncapped = NAN;
}

bool colocation_rivals(const struct gpu *gpu, const struct colocation_samples *learnt,
                       const struct colocation_samples *held_out,
                       struct colocation_rivals *rivals) {
    struct hsm_device device = device_of(gpu);
    struct hsm_line line = {0};
    *rivals = (struct colocation_rivals){0};
    if (!fit_line(gpu, &device, learnt, &line))
        return false;
    for (size_t i = 0; i < held_out->count; i++) {
        const struct hsm_measure *measure = &held_out->measures.items[i];
        double progress = held_out->items[i].progress;
        add_error(&rivals->hsm, hsm_progress(&device, &line, measure), progress);
        add_error(&rivals->dase, hsm_dase_progress(&device, measure), progress);
    }
    finish(&rivals->hsm);
    finish(&rivals->dase);
    return true;
}
