/*
 * Normalised progress (NP) from hardware events by a small neural network, in the manner of Themis
 * (Zhao et al., IPDPS'19).
 *
 * Public about it is: four layers, kilobytes of weights, hundreds of multiplications per prediction
 * (HSM, ASPLOS'20, section 1), trained off line on event counters of co-located applications (its
 * abstract). Which events, how wide the layers are and how it was trained is ours.
 *
 * Training is libfann's; a prediction is plain double arithmetic without a function of the
 * mathematical library, so that the same weights give the same bits everywhere.
 */
#ifndef PREDICT_THEMIS_H
#define PREDICT_THEMIS_H

#include "base/ct_types.h"
#include "des/des_stream.h"

/* Neurons by layer, and the weights between them: one more per neuron for its bias. */
enum {
    THEMIS_INPUTS = 10,
    THEMIS_HIDDEN_1 = 16,
    THEMIS_HIDDEN_2 = 8,
    THEMIS_WEIGHTS = (THEMIS_INPUTS + 1) * THEMIS_HIDDEN_1 +
                     (THEMIS_HIDDEN_1 + 1) * THEMIS_HIDDEN_2 + (THEMIS_HIDDEN_2 + 1)
};

/* What hardware counts of one party in an epoch; thread instructions, accesses of 128 bytes. */
struct themis_counts {
    double busy_ps, sm_ps, instructions, accesses, row_hits;
};

/* One application in one epoch, and the GPU. */
struct themis_events {
    /* The application's own events; those of all others together, whose times are not used. */
    struct themis_counts own, others;
    double sms; /* SMs that the kernel held through the epoch */
    double device_sms, clock_hz, peak_bytes_per_s;
};

/*
 * The network's inputs, each from -1 to 1:
 *
 *   0 SMs held, of all                        5 row hits of all accesses of the others
 *   1 instructions issued, of what its SMs    6 instructions issued by the others, of what all
 *     can: 128 per clock and SM                 other SMs can
 *   2 bandwidth drawn, of the peak            7 d / (1 + d), d the bandwidth that it would draw if
 *   3 row hits of all accesses                  the whole GPU issued at full rate (HSM Eq. 2)
 *   4 bandwidth drawn by the others           8 time in which its blocks filled its SMs
 *                                             9 its part of all accesses
 *
 * False: unknown, without instructions, time or SMs.
 */
bool themis_inputs(const struct themis_events *events, double inputs[THEMIS_INPUTS]);

/* Layer by layer, neuron by neuron: the weights of the layer before, the bias last. */
struct themis_network {
    double weights[THEMIS_WEIGHTS];
};

/* The network's output for these inputs: x / (1 + |x|) in the hidden layers, linear at the end. */
double themis_run(const struct themis_network *network, const double inputs[THEMIS_INPUTS]);

/* Predicted NP: the output, and at least the SMs held of all (HSM section 6 caps the slowdown).
 * NAN: unknown. */
double themis_progress(const struct themis_network *network, const struct themis_events *events);

/* A co-location seen by one of its applications. */
struct themis_sample {
    double inputs[THEMIS_INPUTS];
    double sm_share, progress; /* SMs held of all; the true NP */
};

/* Inputs by bit: those that HSM brought, row hits (its section 2.2) and the demand of its Eq. 2. */
enum { THEMIS_INPUTS_OF_HSM = 1 << 3 | 1 << 5 | 1 << 7 };

/*
 * Fits the weights to samples by `epochs` rounds of resilient propagation (libfann's iRPROP-);
 * initial weights are drawn from `stream`. Inputs whose bits are in `blind` it does not see: their
 * weights are 0. False: memory ran out.
 */
bool themis_train(const struct themis_sample *samples, size_t count, uint32_t epochs,
                  uint32_t blind, struct des_stream *stream, struct themis_network *network);

/* Absolute relative errors of NP (HSM section 2.3) over some samples. */
struct themis_errors {
    size_t samples;
    double mean, max;
    double mean_uncapped; /* of the network's output as it is */
};
struct themis_errors themis_score(const struct themis_network *network,
                                  const struct themis_sample *samples, size_t count);

#endif
