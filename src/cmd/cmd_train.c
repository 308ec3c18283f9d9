/* The network of progress, trained on made-up co-locations. */
#include "cli/cli.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"
#include "format/output_file.h"
#include "study/colocation.h"
#include "workload/setup.h"
#include "workload/themis_file.h"

#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "T.json", "where to write the network (needed)"},
    {"gpu", 'g', "NAME", "the GPU to train for (needed)"},
    {"set", 's', "KEY=VALUE", "change a number of the GPU: dram=curve; may be repeated"},
    {"fidelity", 0, "fluid|block", "of the device model (fluid)"},
    {"colocations", 0, "N", "made-up co-locations, a fifth of them held out (4000)"},
    {"inputs", 0, "all|plain", "of the network: all, or none that HSM brought (all)"},
    {"rounds", 0, "N", "of training over all samples (1500)"},
    {"seed", 0, "N", "of co-locations and initial weights (1)"},
    {0},
};

enum { HELD_OUT_ONE_IN = 5 };
enum { INPUTS_ALL, INPUTS_PLAIN };
static const char *const inputs_choices[] = {"all", "plain", NULL};

struct training {
    struct ct_arena arena;
    struct gpu gpu;
    int64_t seed, colocations, rounds;
    int fidelity, inputs;
    struct colocation_samples learnt, held_out;
    struct themis_network network;
    struct themis_errors learnt_errors, held_out_errors;
    struct colocation_rivals rivals;
};

static int read_gpu(struct training *t, const struct cli_args *args, struct ct_diags *diags) {
    struct workload_settings settings = {0};
    size_t count;
    const char *const *texts = cli_values(args, "set", &count);
    int status = CT_OK;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct workload_setting setting = {.where = "--set"};
        setting.key = cli_assignment(texts[i], &setting.value, &t->arena, diags);
        if (!setting.key)
            status = CT_USAGE;
        else if (!ct_vec_push(&settings, setting))
            status = ct_out_of_memory(diags);
    }
    if (status == CT_OK)
        status = setup_gpu(cli_value(args, "gpu"), "--gpu", &settings, &t->arena, &t->gpu, diags);
    if (status == CT_OK)
        status = setup_gpu_files(NULL, &t->gpu, &t->arena, diags);
    ct_vec_free(&settings);
    return status;
}

static int read_options(struct training *t, const struct cli_args *args, struct ct_diags *diags) {
    t->seed = cli_int(args, "seed", 0, INT64_MAX, 1, diags);
    t->colocations = cli_int(args, "colocations", 2 * HELD_OUT_ONE_IN, 1000000, 4000, diags);
    t->rounds = cli_int(args, "rounds", 1, 1000000, 1500, diags);
    t->fidelity = cli_choice(args, "fidelity", workload_fidelities, DEVICE_FLUID, diags);
    t->inputs = cli_choice(args, "inputs", inputs_choices, INPUTS_ALL, diags);
    cli_output(args, diags);
    if (!cli_value(args, "gpu"))
        ct_error(diags, "", "'train' needs '--gpu NAME'; 'cotenant list gpus' shows the presets");
    return diags->errors ? CT_USAGE : read_gpu(t, args, diags);
}

/* Co-locations that are held out teach nothing: the last fifth. */
static int run_colocations(struct training *t, struct ct_diags *diags, bool quiet) {
    int64_t learnt = t->colocations - t->colocations / HELD_OUT_ONE_IN;
    struct cli_progress progress = {0};
    int status = CT_OK;
    cli_progress_begin(&progress, "co-locations", (double)t->colocations, quiet);
    for (int64_t i = 0; i < t->colocations && status == CT_OK; i++) {
        status = colocation_sample(&t->gpu, (enum device_fidelity)t->fidelity, (uint64_t)t->seed,
                                   (uint64_t)i, i < learnt ? &t->learnt : &t->held_out, diags);
        cli_progress_set(&progress, (double)(i + 1), 0);
    }
    cli_progress_end(&progress);
    return status;
}

static int fit(struct training *t, struct ct_diags *diags) {
    struct des_stream stream;
    des_stream_init(&stream, (uint64_t)t->seed, 0, "themis", "initial weights");
    if (!themis_train(t->learnt.items, t->learnt.count, (uint32_t)t->rounds,
                      t->inputs == INPUTS_PLAIN ? THEMIS_INPUTS_OF_HSM : 0, &stream, &t->network))
        return ct_out_of_memory(diags);
    t->learnt_errors = themis_score(&t->network, t->learnt.items, t->learnt.count);
    t->held_out_errors = themis_score(&t->network, t->held_out.items, t->held_out.count);
    return colocation_rivals(&t->gpu, &t->learnt, &t->held_out, &t->rivals)
               ? CT_OK
               : ct_out_of_memory(diags);
}

static struct themis_file file_of(const struct training *t) {
    struct themis_file file = {.gpu = t->gpu.name,
                               .fidelity = workload_fidelities[t->fidelity],
                               .dram = t->gpu.dram,
                               .plain = t->inputs == INPUTS_PLAIN,
                               .sms = t->gpu.sms,
                               .clock_mhz = t->gpu.clock_mhz,
                               .dram_gb_s = t->gpu.dram_gb_s,
                               .seed = t->seed,
                               .colocations = t->colocations,
                               .rounds = t->rounds,
                               .samples = (int64_t)t->learnt.count,
                               .held_out = (int64_t)t->held_out.count,
                               .training_error = t->learnt_errors.mean,
                               .held_out_error = t->held_out_errors.mean,
                               .held_out_max = t->held_out_errors.max,
                               .held_out_uncapped = t->held_out_errors.mean_uncapped};
    memcpy(file.weights, t->network.weights, sizeof file.weights);
    return file;
}

static void error_row(struct table *table, const char *predictor, const char *samples,
                      const struct themis_errors *errors) {
    double uncapped = 100 * errors->mean_uncapped;
    table_row(table, predictor, samples, errors->samples,
              table_words(table, "%.1f %%", 100 * errors->mean),
              table_words(table, "%.1f %%", 100 * errors->max),
              isnan(uncapped) ? "" : table_words(table, "%.1f %%", uncapped));
}

static int print_errors(const struct training *t) {
    struct doc doc = doc_start(stdout, false);
    struct table table =
        table_start("predictor | samples | number:0 | mean error:* | largest:* | mean, uncapped:*");
    error_row(&table, "themis", "learnt", &t->learnt_errors);
    error_row(&table, "themis", "held out", &t->held_out_errors);
    error_row(&table, "hsm", "held out", &t->rivals.hsm);
    error_row(&table, "dase", "held out", &t->rivals.dase);
    doc_table(&doc, &table);
    doc_text(&doc,
             "Errors are absolute and relative to the true normalised progress. HSM (ASPLOS'20) "
             "section 6 measured 33.8 %% for Themis on mixes of its own (99.8 %% at worst, 69.9 %% "
             "uncapped), 6.8 %% for HSM and 17.9 %% for DASE.");
    return doc_finish(&doc);
}

static int train(struct training *t, const struct cli_args *args, struct ct_diags *diags) {
    struct output_file output = {0};
    int status = read_options(t, args, diags);
    if (status != CT_OK)
        return status;
    if (!output_file_open(&output, cli_value(args, "output"), diags))
        return CT_DATA;
    status = run_colocations(t, diags, args->quiet);
    if (status == CT_OK)
        status = fit(t, diags);
    if (status == CT_OK) {
        struct themis_file file = file_of(t);
        themis_file_write(output.file, &file);
    }
    status = output_file_close(&output, status, diags);
    return status != CT_OK || args->quiet ? status : print_errors(t);
}

static int cmd_train(struct cli_args *args, struct ct_diags *diags) {
    struct training training = {0};
    int status = train(&training, args, diags);
    colocation_samples_free(&training.learnt);
    colocation_samples_free(&training.held_out);
    ct_arena_free(&training.arena);
    return status;
}

CLI_COMMAND(train, "", 0, 0, "train the network of the policies themis-* on made-up co-locations");
