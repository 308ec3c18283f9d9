/* The network of progress: inputs by hand, a forward pass against libfann's own, and its training.
 */
#include "cmocka_complete.h"
#include "models/predict/predict_themis.h"

#include <string.h>

#include <fann.h>

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((value) - (expected)) < (tolerance))

/*
 * 20 of 80 SMs for 1 ms at 1 GHz: 1e6 clocks, so its SMs can issue 20 x 128 x 1e6 = 2.56e9
 * instructions, the other 60 7.68e9. 900 GB/s are 9e8 bytes in 1 ms. It draws 1e6 accesses, 1.28e8
 * bytes; the others twice that. At full rate the whole GPU would issue 1.024e10 instructions and
 * this kernel ask for 1.28e8 x 1.024e10 / 6.4e8 = 2.048e9 bytes, d = 2.2756.
 */
static const struct themis_events events = {
    .own = {.busy_ps = 1e9, .sm_ps = 1e10, .instructions = 6.4e8, .accesses = 1e6, .row_hits = 7e5},
    .others = {.instructions = 1.92e9, .accesses = 2e6, .row_hits = 5e5},
    .sms = 20,
    .device_sms = 80,
    .clock_hz = 1e9,
    .peak_bytes_per_s = 900e9};

TEST(inputs_are_parts_of_what_could_be) {
    const double parts[THEMIS_INPUTS] = {0.25, 0.25, 0.128 / 0.9,           0.7, 0.256 / 0.9,
                                         0.25, 0.25, 2.048 / (0.9 + 2.048), 0.5, 1.0 / 3};
    double inputs[THEMIS_INPUTS];
    assert_true(themis_inputs(&events, inputs));
    for (int i = 0; i < THEMIS_INPUTS; i++)
        assert_near(inputs[i], 2 * parts[i] - 1, 1e-12);
}

TEST(nothing_counted_is_unknown) {
    struct themis_events idle = events, none = events;
    struct themis_network network = {{0}};
    double inputs[THEMIS_INPUTS];
    idle.own.busy_ps = 0;
    none.own.instructions = 0;
    assert_false(themis_inputs(&idle, inputs));
    assert_false(themis_inputs(&none, inputs));
    assert_true(isnan(themis_progress(&network, &none)));
}

/* Alone, without a single access: nothing is divided by nothing. */
TEST(no_traffic_is_no_traffic) {
    struct themis_events quiet = events;
    double inputs[THEMIS_INPUTS];
    quiet.own.accesses = quiet.own.row_hits = 0;
    quiet.others = (struct themis_counts){0};
    quiet.sms = quiet.device_sms;
    assert_true(themis_inputs(&quiet, inputs));
    for (int i = 2; i <= 7; i++)
        assert_true(inputs[i] == -1);
    assert_true(inputs[0] == 1 && inputs[9] == -1);
}

/* The slowdown is at most S_max / S: an output of 0 on 20 of 80 SMs is an NP of 0.25. */
TEST(slowdown_is_capped) {
    struct themis_network network = {{0}};
    assert_true(themis_progress(&network, &events) == 0.25);
    network.weights[THEMIS_WEIGHTS - 1] = 0.75; /* the bias of the output */
    assert_true(themis_progress(&network, &events) == 0.75);
}

static void draw_inputs(struct des_stream *stream, double inputs[THEMIS_INPUTS]) {
    for (int i = 0; i < THEMIS_INPUTS; i++)
        inputs[i] = 2 * des_stream_uniform(stream) - 1;
}

/* A network of libfann with the layers, weights and sigmoids of ours. */
static struct fann *twin_of(const struct themis_network *network) {
    const unsigned layers[] = {THEMIS_INPUTS, THEMIS_HIDDEN_1, THEMIS_HIDDEN_2, 1};
    struct fann_connection weights[THEMIS_WEIGHTS];
    struct fann *fann = fann_create_standard_array(4, layers);
    assert_non_null(fann);
    assert_int_equal(fann_get_total_connections(fann), THEMIS_WEIGHTS);
    fann_set_activation_function_hidden(fann, FANN_ELLIOT_SYMMETRIC);
    fann_set_activation_function_output(fann, FANN_LINEAR);
    fann_set_activation_steepness_hidden(fann, 1);
    fann_set_activation_steepness_output(fann, 1);
    fann_get_connection_array(fann, weights);
    for (int i = 0; i < THEMIS_WEIGHTS; i++)
        weights[i].weight = (fann_type)network->weights[i];
    fann_set_weight_array(fann, weights, THEMIS_WEIGHTS);
    return fann;
}

/* Single precision there: sums of up to 17 terms below 2. */
TEST(forward_pass_is_libfanns) {
    struct themis_network network;
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "themis");
    for (int i = 0; i < THEMIS_WEIGHTS; i++)
        network.weights[i] = 4 * des_stream_uniform(&stream) - 2;
    struct fann *fann = twin_of(&network);
    for (int n = 0; n < 1000; n++) {
        double inputs[THEMIS_INPUTS];
        fann_type same[THEMIS_INPUTS];
        draw_inputs(&stream, inputs);
        for (int i = 0; i < THEMIS_INPUTS; i++)
            same[i] = (fann_type)inputs[i];
        assert_near(themis_run(&network, inputs), (double)*fann_run(fann, same), 2e-5);
    }
    fann_destroy(fann);
}

enum { SAMPLES = 600, LEARNT = 400 };

/* A curved function of two inputs, from 0.25 to 1. */
static void draw_samples(struct themis_sample *samples) {
    struct des_stream stream;
    des_stream_init(&stream, 2, 0, "test", "themis");
    for (int i = 0; i < SAMPLES; i++) {
        draw_inputs(&stream, samples[i].inputs);
        double x = samples[i].inputs[0], y = samples[i].inputs[4];
        samples[i].progress = 0.25 + 0.75 * (x * x + (1 + y) / 2) / 2;
        samples[i].sm_share = 0;
    }
}

static bool train(const struct themis_sample *samples, uint64_t seed, uint32_t blind,
                  struct themis_network *network) {
    struct des_stream stream;
    des_stream_init(&stream, seed, 0, "themis", "initial weights");
    return themis_train(samples, LEARNT, 400, blind, &stream, network);
}

/* What it has not seen, too; the mean of all would be off by a fifth. The same seed gives the same
 * bits. */
TEST(training_learns_and_repeats) {
    static struct themis_sample samples[SAMPLES];
    struct themis_network network, again, other;
    draw_samples(samples);
    assert_true(train(samples, 1, 0, &network) && train(samples, 1, 0, &again));
    assert_true(train(samples, 2, 0, &other));
    assert_memory_equal(&network, &again, sizeof network);
    assert_memory_not_equal(&network, &other, sizeof network);
    assert_true(themis_score(&network, samples, LEARNT).mean < 0.05);
    assert_true(themis_score(&network, samples + LEARNT, SAMPLES - LEARNT).mean < 0.05);
}

/* Without input 4, half of what decides, it errs by twice what it may above, whatever input 4 is.
 */
TEST(a_blind_input_decides_nothing) {
    static struct themis_sample samples[SAMPLES];
    struct themis_network network;
    draw_samples(samples);
    assert_true(train(samples, 1, 1 << 4, &network));
    struct themis_errors errors = themis_score(&network, samples + LEARNT, SAMPLES - LEARNT);
    assert_true(errors.mean > 0.1);
    for (int i = 0; i < SAMPLES; i++)
        samples[i].inputs[4] = -samples[i].inputs[4];
    assert_true(themis_score(&network, samples + LEARNT, SAMPLES - LEARNT).mean == errors.mean);
}

/* Outputs of 0 on half of the SMs, for progress of 0.4 and 0.8: capped at 0.5, off by 0.25 and
 * 0.375; uncapped by all of it. */
TEST(errors_are_relative) {
    const struct themis_sample samples[] = {{.sm_share = 0.5, .progress = 0.4},
                                            {.sm_share = 0.5, .progress = 0.8}};
    struct themis_network network = {{0}};
    struct themis_errors errors = themis_score(&network, samples, 2);
    assert_int_equal(errors.samples, 2);
    assert_near(errors.mean, 0.3125, 1e-12);
    assert_near(errors.max, 0.375, 1e-12);
    assert_near(errors.mean_uncapped, 1, 1e-12);
}
