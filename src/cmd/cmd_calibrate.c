/* The contention model of a GPU, fitted to measured co-locations. */
#include "cli/cli.h"
#include "cli/cli_coloc.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"
#include "format/output_file.h"
#include "models/device/contention_fit.h"
#include "models/device/contention_validate.h"
#include "workload/contention_file.h"
#include "workload/setup.h"

#include <inttypes.h>

static const struct cli_option options[] = {
    {"output", 'o', "M.json", "where to write the model (needed)"},
    {"gpu", 'g', "NAME", "the GPU on which the co-locations were measured, kept in the model"},
    {0},
};

/* What the fit found. */
struct fit {
    const char *gpu; /* on which the co-locations were measured; NULL: not said */
    struct contention_model model;
    struct contention_apps apps; /* the model points to it */
    unsigned terms;
    double median_slowdown;
    struct contention_errors errors; /* on the rows that it was fitted to */
};

static int fit_all(const struct cli_coloc *coloc, struct fit *fit, struct ct_diags *diags) {
    const struct contention_sample *samples = coloc->samples.items;
    size_t count = coloc->samples.count;
    int status =
        contention_fit(samples, count, &fit->model, &fit->terms, coloc->set.pairs_path, diags);
    if (status == CT_OK)
        status = contention_apps_fit(samples, count, &fit->model, &fit->apps, diags);
    if (status != CT_OK)
        return status;
    fit->model.apps = &fit->apps;
    fit->median_slowdown = contention_median_slowdown(samples, count);
    if (isnan(fit->median_slowdown))
        return ct_out_of_memory(diags);
    return contention_score(samples, count, &fit->model, fit->median_slowdown, &fit->errors, NULL,
                            diags);
}

/* The applications that take part in a co-location, in the order of SOLO.csv; NULL when memory ran
 * out. */
static struct contention_app *list_apps(const struct cli_coloc *coloc, const struct fit *fit,
                                        size_t *count, struct ct_arena *arena) {
    const struct coloc_set *set = &coloc->set;
    const struct contention_apps *apps = &fit->apps;
    struct contention_app *list = ct_arena_array(arena, set->apps.count + 1, sizeof *list);
    bool *used = ct_arena_array(arena, set->apps.count + 1, sizeof *used);
    *count = 0;
    if (!list || !used)
        return NULL;
    for (size_t i = 0; i < coloc->samples.count; i++)
        used[coloc->samples.items[i].app] = used[coloc->samples.items[i].other_app] = true;
    for (uint32_t i = 0; i < set->apps.count; i++)
        if (used[i])
            list[(*count)++] = (struct contention_app){
                set->apps.items[i], contention_apps_factor(apps->sensitivity, apps->count, i),
                contention_apps_factor(apps->pressure, apps->count, i)};
    return list;
}

static int write_model(const struct cli_args *args, const struct cli_coloc *coloc,
                       const struct fit *fit, struct ct_arena *arena, struct ct_diags *diags) {
    const struct contention_errors *e = &fit->errors;
    size_t app_count;
    struct contention_app *apps = list_apps(coloc, fit, &app_count, arena);
    if (!apps)
        return ct_out_of_memory(diags);
    struct contention_file file = {
        .gpu = fit->gpu,
        .contention_k0 = fit->model.k0,
        .contention_k = fit->model.k,
        .launch_delay_us = fit->model.launch_delay_us,
        .own_sensitivity = fit->model.sensitivity == CONTENTION_SENSITIVITY_OWN,
        .fitted = {fit->terms & CONTENTION_TERM_K0, fit->terms & CONTENTION_TERM_K,
                   fit->terms & CONTENTION_TERM_DELAY},
        .rows = e->rows,
        .latencies = e->latencies,
        .median_slowdown = fit->median_slowdown,
        .mean_error = e->mean,
        .median_error = e->median,
        .p90_error = e->p90,
        .max_error = e->max,
        .shrinkage = fit->apps.shrinkage,
        .apps = apps,
        .app_count = app_count,
        .solo_path = coloc->set.solo_path,
        .pairs_path = coloc->set.pairs_path,
    };
    ct_hash_print(coloc->set.solo_hash, file.solo_hash);
    ct_hash_print(coloc->set.pairs_hash, file.pairs_hash);
    struct output_file output;
    if (!output_file_open(&output, cli_value(args, "output"), diags))
        return CT_DATA;
    contention_file_write(output.file, &file);
    return output_file_close(&output, CT_OK, diags);
}

static void parameter_row(struct table *table, const char *name, const char *unit, double value,
                          bool fitted, const char *what) {
    table_row(table, name, value, unit,
              !fitted     ? "not told by the data"
              : value > 0 ? "fitted"
                          : "at its bound",
              what);
}

static int print_fit(const struct cli_args *args, const struct fit *fit) {
    const struct contention_errors *e = &fit->errors;
    struct doc doc = doc_start(stdout, false);
    struct table table = table_start("parameter | value:* | unit | how | what");
    parameter_row(&table, "contention_k0", "", fit->model.k0, fit->terms & CONTENTION_TERM_K0,
                  "beside anybody");
    parameter_row(&table, "contention_k", "", fit->model.k, fit->terms & CONTENTION_TERM_K,
                  "per pressure on L2 and DRAM");
    parameter_row(&table, "launch_delay_us", "us", fit->model.launch_delay_us,
                  fit->terms & CONTENTION_TERM_DELAY, "per launch");
    doc_table(&doc, &table);
    doc_text(&doc, "%s",
             fit->model.sensitivity == CONTENTION_SENSITIVITY_OWN
                 ? "An application feels k0 and k in proportion to its own use of DRAM and L2: "
                   "here that is clearly better than the same for all."
                 : "Every application feels k0 and k alike.");
    doc_text(&doc, "%s",
             fit->apps.shrinkage > 0
                 ? "Applications differ beyond that: each has a factor for what it feels and one "
                   "for what it does to others, which hold on rows that were left out."
                 : "No application has a factor of its own: on rows that were left out it would "
                   "not pay.");
    doc_text(&doc,
             "Fitted to %" PRIu64 " co-locations (%" PRIu64
             " latencies) and off by %.2f %% on average on these same rows, %.2f %% at the 90th "
             "percentile, %.2f %% at worst. What it is worth on rows that it has not seen says "
             "'cotenant validate %s %s'.",
             e->rows, e->latencies, 100 * e->mean, 100 * e->p90, 100 * e->max, args->operands[0],
             args->operands[1]);
    doc_text(&doc, "%s", cli_coloc_advice);
    return doc_finish(&doc);
}

static int calibrate(const struct cli_args *args, struct cli_coloc *coloc, struct ct_diags *diags) {
    struct fit fit = {0};
    struct ct_arena arena = {0};
    struct gpu gpu = {0};
    int status = cli_has(args, "gpu")
                     ? setup_gpu(cli_value(args, "gpu"), "--gpu", NULL, &arena, &gpu, diags)
                     : CT_OK;
    fit.gpu = gpu.name;
    if (status == CT_OK)
        status = cli_coloc_open(coloc, args->operands[0], args->operands[1], diags);
    if (status == CT_OK)
        status = fit_all(coloc, &fit, diags);
    if (status == CT_OK)
        status = write_model(args, coloc, &fit, &arena, diags);
    if (status == CT_OK)
        cli_coloc_warn_few(coloc, diags);
    if (status == CT_OK && !args->quiet)
        status = print_fit(args, &fit);
    contention_apps_free(&fit.apps);
    ct_arena_free(&arena);
    return status;
}

static int cmd_calibrate(struct cli_args *args, struct ct_diags *diags) {
    struct cli_coloc coloc = {0};
    if (!cli_output(args, diags))
        return CT_USAGE;
    int status = calibrate(args, &coloc, diags);
    cli_coloc_close(&coloc);
    return status;
}

CLI_COMMAND(calibrate, "SOLO.csv PAIRS.csv", 2, 2,
            "fit the contention model of a GPU to measured co-locations; 16 random ones are "
            "nearly as good as hundreds, 32 are comfortable");
