#include "apps/paper/paper_memory.h"

#include "des/des_stream.h"
#include "models/device/dram_bank.h"
#include "policies/hsm_model.h"

#include <math.h>

enum { REQUESTS = 100000, LINES = 100 };

/* HSM section 6.5: a pair has one locality below the first and one above the second; 0.81 is the
 * highest in Figure 3. */
static const double LOCALITY_LOW = 0.3, LOCALITY_HIGH = 0.7, LOCALITY_MOST = 0.81;

/* What all runs of a row have in common. */
struct runs {
    struct dram_bank_params params;
    bool (*interrupted)(void *context);
};

static int run_apps(const struct runs *runs, const struct dram_bank_app *apps, size_t count,
                    struct dram_bank_result *result, struct ct_diags *diags) {
    struct dram_bank_params params = runs->params;
    if (runs->interrupted && runs->interrupted(NULL))
        return CT_INTERRUPTED;
    params.apps = apps;
    params.app_count = count;
    return dram_bank_run(&params, result, diags);
}

/* One application alone. */
static int point_of(const struct runs *runs, double locality, double *row_hits, double *use,
                    struct ct_diags *diags) {
    struct dram_bank_app app = {locality, 1};
    struct dram_bank_result result = {0};
    int status = run_apps(runs, &app, 1, &result, diags);
    *row_hits = result.row_hit_rate;
    *use = status == CT_OK ? result.utilisation : NAN;
    return status;
}

/* How far row hits shift where two applications share the queue by halves. */
static int shift_of(const struct runs *runs, double *shift, struct ct_diags *diags) {
    static const double localities[] = {0.2, 0.5, 0.8};
    const size_t count = CT_COUNT_OF(localities);
    *shift = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct dram_bank_app pair[2] = {{localities[i], 1}, {localities[j], 0.5}};
            struct dram_bank_result alone, shared;
            int status = run_apps(runs, pair, 1, &alone, diags);
            pair[0].share = 0.5;
            if (status == CT_OK)
                status = run_apps(runs, pair, 2, &shared, diags);
            if (status != CT_OK)
                return status;
            *shift += fabs(shared.apps[0].row_hit_rate - alone.apps[0].row_hit_rate) /
                      (double)(count * count);
        }
    return CT_OK;
}

/* ---- Two applications ---- */

/* Eq. 5 of the first of two against the truth: its bandwidth in company over that alone. */
struct equation {
    struct hsm_line line; /* of the two alone, at all localities */
    double error, bias;   /* sums */
    int count;
};

/* Row localities that are modelled: 0 to 0.8 in tenths. */
enum { LOCALITIES = 9 };

static struct dram_bank_app party_of(const struct paper_row *row, int i, int locality) {
    return (struct dram_bank_app){.locality = locality / 10.0, .share = row->pair[i].share};
}

/* Once for the architecture (section 2.3.2), in private mode. */
static int learn(const struct runs *runs, const struct paper_row *row, double alone[LOCALITIES],
                 struct equation *equation, struct ct_diags *diags) {
    double hits[2 * LOCALITIES], use[2 * LOCALITIES];
    for (int i = 0; i < 2 * LOCALITIES; i++) {
        struct runs own = *runs;
        struct dram_bank_app app = party_of(row, i / LOCALITIES, i % LOCALITIES);
        struct dram_bank_result result;
        own.params.streams = (int64_t)row->pair[i / LOCALITIES].streams;
        int status = run_apps(&own, &app, 1, &result, diags);
        if (status != CT_OK)
            return status;
        hits[i] = result.row_hit_rate;
        use[i] = result.utilisation;
        if (i < LOCALITIES)
            alone[i] = result.utilisation;
    }
    if (hsm_line_fit(hits, use, 2 * LOCALITIES, &equation->line))
        return CT_OK;
    return ct_data_error(diags, row->what, "its runs alone make no line");
}

static int check_equation(const struct runs *runs, const struct paper_row *row, double *value,
                          struct ct_diags *diags) {
    struct equation equation = {.count = LOCALITIES * LOCALITIES};
    struct dram_bank_source sources[2] = {{.streams = (int64_t)row->pair[0].streams},
                                          {.streams = (int64_t)row->pair[1].streams}};
    struct runs both = *runs;
    double alone[LOCALITIES];
    both.params.sources = sources;
    int status = learn(runs, row, alone, &equation, diags);
    for (int i = 0; i < equation.count && status == CT_OK; i++) {
        struct dram_bank_app pair[2] = {party_of(row, 0, i / LOCALITIES),
                                        party_of(row, 1, i % LOCALITIES)};
        struct dram_bank_result shared;
        status = run_apps(&both, pair, 2, &shared, diags);
        if (status != CT_OK)
            break;
        double drawn = shared.utilisation * shared.apps[0].bandwidth_share;
        double supply = equation.line.slope * shared.apps[0].row_hit_rate + equation.line.base;
        double truth = drawn / alone[i / LOCALITIES], off = drawn / supply / truth - 1;
        equation.error += fabs(off) / equation.count;
        equation.bias += off / equation.count;
    }
    *value = row->measure == PAPER_EQ5_BIAS ? equation.bias : equation.error;
    return status;
}

/* Requests of an SM that miss and are under way at most, HSM Table 1. */
enum { MISS_REGISTERS = 128 };

/* Both before one queue, first come, first served, as in the network (section 4.3). */
static int share_memory(const struct runs *runs, const struct paper_row *row, double *value,
                        struct ct_diags *diags) {
    struct dram_bank_app pair[2];
    struct dram_bank_source sources[2];
    struct dram_bank_result result;
    struct runs both = *runs;
    both.params.sources = sources;
    for (int i = 0; i < 2; i++) {
        double outstanding =
            row->pair[i].sms * MISS_REGISTERS / (double)runs->params.preset->channels;
        pair[i] = (struct dram_bank_app){.locality = row->row_hits, .share = outstanding};
        sources[i] = (struct dram_bank_source){.outstanding = (int64_t)outstanding,
                                               .offered = row->pair[i].offered};
    }
    int status = run_apps(&both, pair, 2, &result, diags);
    if (status != CT_OK)
        return status;
    double first = result.apps[0].bandwidth_share;
    *value = row->measure == PAPER_MEMORY_RATIO ? first / result.apps[1].bandwidth_share
                                                : result.utilisation * first / row->pair[0].offered;
    return CT_OK;
}

/* The constants of Eq. 3 by training pair: how much they vary. */
static int train(const struct runs *runs, struct paper_training *training, struct ct_diags *diags) {
    struct des_stream draws;
    double sums[2] = {0}, squares[2] = {0};
    int status = CT_OK;
    des_stream_init(&draws, runs->params.seed, 0, "training pairs", "");
    for (int i = 0; i < LINES && status == CT_OK; i++) {
        double hits[2] = {NAN, NAN}, use[2] = {NAN, NAN},
               low = des_stream_uniform(&draws) * LOCALITY_LOW;
        double high = LOCALITY_HIGH + des_stream_uniform(&draws) * (LOCALITY_MOST - LOCALITY_HIGH);
        status = point_of(runs, low, &hits[0], &use[0], diags);
        if (status == CT_OK)
            status = point_of(runs, high, &hits[1], &use[1], diags);
        double slope = (use[1] - use[0]) / (hits[1] - hits[0]);
        double constants[2] = {slope, use[0] - slope * hits[0]};
        for (int c = 0; c < 2; c++) {
            sums[c] += constants[c];
            squares[c] += constants[c] * constants[c];
        }
    }
    for (int c = 0; c < 2; c++) {
        training->mean[c] = sums[c] / LINES;
        training->variance[c] = fmax(0, squares[c] / LINES - training->mean[c] * training->mean[c]);
    }
    return status;
}

static bool same_memory(const struct paper_row *a, const struct paper_row *b) {
    return a->reads == b->reads && a->streams == b->streams && a->cap == b->cap &&
           a->queue == b->queue;
}

/* The rows of both constants share the runs. */
static int vary_line(const struct runs *runs, const struct paper_row *row,
                     struct paper_training *training, double *value, struct ct_diags *diags) {
    if (!training->row || !same_memory(training->row, row)) {
        int status = train(runs, training, diags);
        if (status != CT_OK)
            return status;
        training->row = row;
    }
    bool second = row->measure == PAPER_LINE_C2_SPREAD || row->measure == PAPER_LINE_C2_VARIANCE;
    double variance = training->variance[second];
    bool of_mean = row->measure == PAPER_LINE_C1_SPREAD || row->measure == PAPER_LINE_C2_SPREAD;
    *value = of_mean ? sqrt(variance) / training->mean[second] : variance;
    return CT_OK;
}

int paper_memory(const struct paper_row *row, uint64_t seed, struct paper_training *training,
                 bool (*interrupted)(void *context), double *value, struct ct_diags *diags) {
    const struct dram_preset *preset = dram_preset_find("hsm-hbm");
    const struct runs runs = {.params = {.preset = preset,
                                         .reads = row->reads,
                                         .streams = row->streams,
                                         .cap = row->cap,
                                         .queue = row->queue,
                                         .requests = REQUESTS,
                                         .seed = seed,
                                         .refresh = true},
                              .interrupted = interrupted};
    if (row->measure == PAPER_EQ5_ERROR || row->measure == PAPER_EQ5_BIAS)
        return check_equation(&runs, row, value, diags);
    if (row->measure == PAPER_MEMORY_RATIO || row->measure == PAPER_MEMORY_SERVED)
        return share_memory(&runs, row, value, diags);
    if (row->measure == PAPER_ROW_HIT_SHIFT)
        return shift_of(&runs, value, diags);
    if (row->measure >= PAPER_LINE_C1_SPREAD && row->measure <= PAPER_LINE_C2_VARIANCE)
        return vary_line(&runs, row, training, value, diags);
    double row_hits;
    int status = point_of(&runs, row->row_hits, &row_hits, value, diags);
    if (row->measure == PAPER_DRAM_GB_S)
        *value *= dram_preset_bytes_per_s(preset) / 1e9;
    return status;
}
