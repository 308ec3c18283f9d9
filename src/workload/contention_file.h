/*
 * A calibrated contention model as JSON, cotenant.contention/1: written by `calibrate`, read by
 * `validate --model` and by the GPU key `contention`. The names under "parameters" are keys of a
 * GPU preset.
 */
#ifndef CONTENTION_FILE_H
#define CONTENTION_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_hash.h"
#include "models/device/contention.h"

#include <stdio.h>

struct contention_file {
    const char *gpu; /* on which the co-locations were measured; NULL: not said */
    double contention_k0, contention_k, launch_delay_us;
    bool own_sensitivity;   /* S = min(1, own DRAM and L2 utilisation); false: S = 1 */
    double median_slowdown; /* of the latencies that it was fitted to */
    /* Absolute relative errors on these same latencies, as fractions. */
    double mean_error, median_error, p90_error, max_error;
    const struct contention_app *apps; /* that took part */
    size_t app_count;
    double shrinkage; /* imagined samples with a factor of 1 per application; 0: no factors */
    /* What nobody reads: what it was fitted to. */
    bool fitted[3]; /* k0, k, delay: false where the data could not tell it, and it is 0 */
    uint64_t rows, latencies; /* co-locations and latencies */
    const char *solo_path, *pairs_path;
    char solo_hash[CT_HASH_TEXT], pairs_hash[CT_HASH_TEXT];
};

/* Errors of writing are for the caller to look for. */
void contention_file_write(FILE *out, const struct contention_file *file);

/*
 * Strings live in the arena. CT_OK; CT_DATA when it cannot be read; CT_USAGE after errors at their
 * places: not valid JSON, another schema, a parameter or factor that is missing, no number or
 * negative.
 */
int contention_file_read(const char *path, struct contention_file *file, struct ct_arena *arena,
                         struct ct_diags *diags);

#endif
