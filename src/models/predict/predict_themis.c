#include "models/predict/predict_themis.h"

#define LANES 128.0 /* thread instructions per clock of an SM of four schedulers: a mere scale */
#define REQUEST_BYTES 128.0

static double part(double value, double whole) {
    return whole > 0 ? fmin(1, fmax(0, value / whole)) : 0;
}

static double issued_part(const struct themis_events *events, const struct themis_counts *counts,
                          double sms) {
    double clocks = events->own.busy_ps / (double)CT_PS_PER_S * events->clock_hz;
    return part(counts->instructions, clocks * sms * LANES);
}

static double bandwidth_part(const struct themis_events *events,
                             const struct themis_counts *counts) {
    double seconds = events->own.busy_ps / (double)CT_PS_PER_S;
    return part(counts->accesses * REQUEST_BYTES, seconds * events->peak_bytes_per_s);
}

/* d / (1 + d). */
static double demand_part(const struct themis_events *events) {
    double bytes = events->own.accesses / events->own.instructions * REQUEST_BYTES;
    double demand =
        bytes * events->device_sms * LANES * events->clock_hz / events->peak_bytes_per_s;
    return demand / (1 + demand);
}

bool themis_inputs(const struct themis_events *events, double inputs[THEMIS_INPUTS]) {
    const struct themis_counts *own = &events->own, *others = &events->others;
    if (!(own->busy_ps > 0) || !(own->instructions > 0) || !(events->sms >= 1))
        return false;
    const double parts[THEMIS_INPUTS] = {
        part(events->sms, events->device_sms),
        issued_part(events, own, events->sms),
        bandwidth_part(events, own),
        part(own->row_hits, own->accesses),
        bandwidth_part(events, others),
        part(others->row_hits, others->accesses),
        issued_part(events, others, events->device_sms - events->sms),
        demand_part(events),
        part(own->sm_ps, events->sms * own->busy_ps),
        part(own->accesses, own->accesses + others->accesses),
    };
    for (int i = 0; i < THEMIS_INPUTS; i++)
        inputs[i] = 2 * parts[i] - 1;
    return true;
}

/* One layer; returns the weights of the next. */
static const double *run_layer(const double *weights, const double *from, int inputs, double *to,
                               int neurons) {
    for (int n = 0; n < neurons; n++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++)
            sum += weights[i] * from[i];
        to[n] = sum + weights[inputs];
        weights += inputs + 1;
    }
    return weights;
}

/* Elliott's sigmoid: a division where others need an exponential. */
static void squash(double *values, int count) {
    for (int i = 0; i < count; i++)
        values[i] /= 1 + fabs(values[i]);
}

double themis_run(const struct themis_network *network, const double inputs[THEMIS_INPUTS]) {
    double first[THEMIS_HIDDEN_1], second[THEMIS_HIDDEN_2], output;
    const double *weights =
        run_layer(network->weights, inputs, THEMIS_INPUTS, first, THEMIS_HIDDEN_1);
    squash(first, THEMIS_HIDDEN_1);
    weights = run_layer(weights, first, THEMIS_HIDDEN_1, second, THEMIS_HIDDEN_2);
    squash(second, THEMIS_HIDDEN_2);
    run_layer(weights, second, THEMIS_HIDDEN_2, &output, 1);
    return output;
}

double themis_progress(const struct themis_network *network, const struct themis_events *events) {
    double inputs[THEMIS_INPUTS];
    if (!themis_inputs(events, inputs))
        return NAN;
    return fmax(themis_run(network, inputs), events->sms / events->device_sms);
}

struct themis_errors themis_score(const struct themis_network *network,
                                  const struct themis_sample *samples, size_t count) {
    struct themis_errors errors = {.samples = count};
    for (size_t i = 0; i < count; i++) {
        const struct themis_sample *sample = &samples[i];
        double output = themis_run(network, sample->inputs);
        double error = fabs(fmax(output, sample->sm_share) - sample->progress) / sample->progress;
        errors.mean += error / (double)count;
        errors.mean_uncapped += fabs(output - sample->progress) / sample->progress / (double)count;
        errors.max = fmax(errors.max, error);
    }
    return errors;
}
