/*
 * Training of the network by libfann, in single precision. Its activation functions here are linear
 * or divisions, so that no result depends on the mathematical library of the machine.
 */
#include "models/predict/predict_themis.h"

#include <fann.h>
#include <fann_internal.h>
#include <stdlib.h>

/* Initial weights are uniform on -LIMIT to LIMIT. The library would seed itself. */
static const double INITIAL_LIMIT = 0.5;

static struct fann *new_network(struct des_stream *stream) {
    const unsigned layers[] = {THEMIS_INPUTS, THEMIS_HIDDEN_1, THEMIS_HIDDEN_2, 1};
    struct fann_connection weights[THEMIS_WEIGHTS];
    struct fann *fann = fann_create_standard_array(4, layers);
    if (!fann)
        return NULL;
    fann_set_error_log((struct fann_error *)fann, NULL);
    fann_set_activation_function_hidden(fann, FANN_ELLIOT_SYMMETRIC);
    fann_set_activation_function_output(fann, FANN_LINEAR);
    fann_set_activation_steepness_hidden(fann, 1);
    fann_set_activation_steepness_output(fann, 1);
    fann_set_training_algorithm(fann, FANN_TRAIN_RPROP);
    fann_set_train_error_function(fann, FANN_ERRORFUNC_LINEAR);
    fann_get_connection_array(fann, weights);
    for (int i = 0; i < THEMIS_WEIGHTS; i++)
        weights[i].weight = (fann_type)((2 * des_stream_uniform(stream) - 1) * INITIAL_LIMIT);
    fann_set_weight_array(fann, weights, THEMIS_WEIGHTS);
    return fann;
}

/* What the library takes when the first epoch begins, unasked whether it gets it. */
static bool reserve(struct fann *fann) {
    fann_clear_train_arrays(fann);
    fann->train_errors = calloc(fann->total_neurons, sizeof *fann->train_errors);
    return fann->train_slopes && fann->prev_steps && fann->prev_train_slopes && fann->train_errors;
}

/* Makes the training data for libfann, which itself would crash where memory runs out in the midst
 * of it. False: memory ran out. */
static bool data_make(const struct themis_sample *samples, size_t count, uint32_t blind,
                      struct fann_train_data *data) {
    enum { WIDTH = THEMIS_INPUTS + 1 };
    fann_type **rows = calloc(count, 2 * sizeof(fann_type *));
    fann_type *values = calloc(count, WIDTH * sizeof *values);
    *data = (struct fann_train_data){
        .num_data = (unsigned)count, .num_input = THEMIS_INPUTS, .num_output = 1, .input = rows};
    if (!rows || !values) {
        free(values);
        return false;
    }
    data->output = rows + count;
    for (size_t i = 0; i < count; i++) {
        data->input[i] = values + i * WIDTH;
        data->output[i] = data->input[i] + THEMIS_INPUTS;
        for (int x = 0; x < THEMIS_INPUTS; x++)
            data->input[i][x] = blind >> x & 1 ? 0 : (fann_type)samples[i].inputs[x];
        data->output[i][0] = (fann_type)samples[i].progress;
    }
    return true;
}

static void data_free(struct fann_train_data *data) {
    if (data->output && data->num_data)
        free(data->input[0]);
    free(data->input);
}

/* An input that was 0 throughout has taught its weights nothing. */
static void forget(struct themis_network *network, uint32_t blind) {
    for (int i = 0; i < THEMIS_HIDDEN_1 * (THEMIS_INPUTS + 1); i++)
        if (blind >> i % (THEMIS_INPUTS + 1) & 1)
            network->weights[i] = 0;
}

bool themis_train(const struct themis_sample *samples, size_t count, uint32_t epochs,
                  uint32_t blind, struct des_stream *stream, struct themis_network *network) {
    struct fann_connection weights[THEMIS_WEIGHTS];
    struct fann_train_data data;
    struct fann *fann = data_make(samples, count, blind, &data) ? new_network(stream) : NULL;
    bool good = fann && reserve(fann);
    for (uint32_t i = 0; good && i < epochs; i++)
        fann_train_epoch(fann, &data);
    if (good) {
        fann_get_connection_array(fann, weights);
        for (int i = 0; i < THEMIS_WEIGHTS; i++)
            network->weights[i] = (double)weights[i].weight;
        forget(network, blind);
    }
    if (fann)
        fann_destroy(fann);
    data_free(&data);
    return good;
}
