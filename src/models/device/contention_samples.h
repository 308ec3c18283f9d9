/*
 * Measured co-locations as the inputs of the contention model: what the victim had to itself, what
 * its neighbour asks of L2 and DRAM, and what was measured together.
 */
#ifndef CONTENTION_SAMPLES_H
#define CONTENTION_SAMPLES_H

#include "base/ct_diag.h"
#include "base/ct_types.h"
#include "base/ct_vec.h"

/* One application alone at one quota of the SMs. Shares are fractions of the GPU's peak; NAN:
 * unknown. */
struct contention_solo {
    uint32_t app;
    double quota_pct, latency_ms;
    double dram, l2, launches; /* launches per job */
};

/* One latency measured beside one other application; both are indices of solos. `row` names the
 * co-location: the two latencies of a pair share it. */
struct contention_meeting {
    uint32_t victim, other, row;
    double latency_ms;
};

/* What the model predicts from, and the latency that it should predict. */
struct contention_sample {
    uint32_t app, other_app, row;
    double solo_ms, shared_ms;
    double pressure; /* P: the other's DRAM and L2 utilisation */
    double own;      /* own DRAM and L2 utilisation */
    double dram;     /* D: own and other's DRAM utilisation */
    double launches; /* kernels that the victim's job launches */
};

struct contention_samples {
    CT_VEC(struct contention_sample);
};

/* A column is used when at least half of the solos know it, by a measurement at their quota or at
 * another one. */
struct contention_column {
    bool used;
    size_t known, guessed; /* guessed: filled with the median of the known ones */
};

struct contention_columns {
    struct contention_column dram, l2, launches;
};

/*
 * Fills the unknown cells of the solos and appends one sample per meeting. Utilisation at a quota
 * without a measurement follows the rate of work: d(q) = d(ref) T(ref) / T(q), from the nearest
 * measured quota of the application, the larger one of two. An application without any measurement
 * gets the median of the others if the column is used, else 0. CT_OK or CT_DATA (memory ran out);
 * the caller frees the samples with ct_vec_free.
 */
int contention_samples_make(struct contention_solo *solos, size_t solo_count,
                            const struct contention_meeting *meetings, size_t meeting_count,
                            struct contention_samples *samples, struct contention_columns *columns,
                            struct ct_diags *diags);

#endif
