/*
 * A trained network of predict_themis.h as JSON, cotenant.themis/1: written by `train`, read by the
 * policies themis-*.
 */
#ifndef THEMIS_FILE_H
#define THEMIS_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"

#include <stdio.h>

enum { THEMIS_FILE_LAYERS = 4, THEMIS_FILE_WEIGHTS = 321 };

struct themis_file {
    /* The GPU that it was trained on, and how that was simulated. */
    const char *gpu, *fidelity, *dram;
    int64_t sms;
    double clock_mhz, dram_gb_s;
    bool plain; /* without the inputs that HSM brought; written, not read: their weights are 0 */
    /* How. */
    int64_t seed, colocations, rounds, samples, held_out;
    /* Absolute relative errors of NP. */
    double training_error, held_out_error, held_out_max, held_out_uncapped;
    double weights[THEMIS_FILE_WEIGHTS];
};

void themis_file_write(FILE *out, const struct themis_file *file);

/*
 * Strings live in the arena. CT_OK; CT_DATA when it cannot be read; CT_USAGE after errors at their
 * places: no valid JSON, another schema, other layers, a member that is missing or no number.
 */
int themis_file_read(const char *path, struct themis_file *file, struct ct_arena *arena,
                     struct ct_diags *diags);

#endif
