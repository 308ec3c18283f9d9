/* What the contention model predicts of co-locations that it has not seen. */
#include "cli/cli.h"
#include "cli/cli_coloc.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"
#include "format/output_file.h"
#include "models/device/contention_fit.h"
#include "models/device/contention_validate.h"
#include "workload/contention_file.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"model", 'm', "M.json", "test this model on every row, instead of fitting a part of them"},
    {"holdout", 0, "FRACTION", "part of the rows that is tested and not fitted (0.5)"},
    {"seed", 0, "N", "which rows are held out (1)"},
    {"output", 'o', "ROWS.csv", "every tested latency: measured and predicted"},
    {"format", 'f', "text|json|markdown", "form of the result"},
    {0},
};

static const char *const formats[] = {"text", "json", "markdown", NULL};
enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

struct result {
    struct contention_errors known, unseen;
    struct contention_predictions known_rows, unseen_rows;
    const char *model; /* its file; NULL: fitted here */
};

/* ---- with a model: every row is a test row ---- */

/* Factors of the applications of the set; those that the model was not fitted to have 1. */
static void match_apps(const struct cli_coloc *coloc, const struct contention_file *file,
                       struct contention_apps *apps, bool *is_known) {
    for (size_t i = 0; i < coloc->set.apps.count; i++) {
        apps->sensitivity[i] = apps->pressure[i] = 1.0;
        for (size_t k = 0; k < file->app_count && !is_known[i]; k++) {
            if (strcmp(coloc->set.apps.items[i], file->apps[k].name) != 0)
                continue;
            is_known[i] = true;
            apps->sensitivity[i] = file->apps[k].sensitivity;
            apps->pressure[i] = file->apps[k].pressure;
        }
    }
}

/* The samples with an application that the model was not fitted to. */
static size_t copy_unseen(const struct cli_coloc *coloc, const bool *is_known,
                          struct contention_sample *unseen) {
    size_t count = 0;
    for (size_t i = 0; i < coloc->samples.count; i++) {
        const struct contention_sample *s = &coloc->samples.items[i];
        if (!is_known[s->app] || !is_known[s->other_app])
            unseen[count++] = *s;
    }
    return count;
}

static int score_model(const struct cli_coloc *coloc, const struct contention_file *file,
                       struct result *result, struct ct_arena *arena, struct ct_diags *diags) {
    size_t app_count = coloc->set.apps.count;
    struct contention_apps apps = {ct_arena_array(arena, app_count + 1, sizeof(double)),
                                   ct_arena_array(arena, app_count + 1, sizeof(double)), app_count,
                                   file->shrinkage};
    const struct contention_model model = {
        file->contention_k0, file->contention_k, file->launch_delay_us,
        file->own_sensitivity ? CONTENTION_SENSITIVITY_OWN : CONTENTION_SENSITIVITY_ONE, &apps};
    const struct contention_samples *all = &coloc->samples;
    struct contention_sample *unseen = ct_arena_array(arena, all->count + 1, sizeof *unseen);
    bool *is_known = ct_arena_array(arena, app_count + 1, sizeof *is_known);
    if (!apps.sensitivity || !apps.pressure || !unseen || !is_known)
        return ct_out_of_memory(diags);
    match_apps(coloc, file, &apps, is_known);
    size_t unseen_count = copy_unseen(coloc, is_known, unseen);
    int status = contention_score(all->items, all->count, &model, file->median_slowdown,
                                  &result->known, &result->known_rows, diags);
    return status == CT_OK ? contention_score(unseen, unseen_count, &model, file->median_slowdown,
                                              &result->unseen, &result->unseen_rows, diags)
                           : status;
}

/* Terms of the model that the rows cannot feed. */
static void warn_of_columns(const struct cli_coloc *coloc, const struct contention_file *file,
                            struct ct_diags *diags) {
    const struct contention_columns *c = &coloc->columns;
    if (file->contention_k > 0 && !c->dram.used && !c->l2.used)
        ct_warning(diags, coloc->set.solo_path,
                   "the model counts utilisation, which is not known here: 0 is taken");
    if (file->launch_delay_us > 0 && !c->launches.used)
        ct_warning(diags, coloc->set.solo_path,
                   "the model counts launches, which are not known here: 0 is taken");
}

static int validate_model(const struct cli_coloc *coloc, struct result *result,
                          struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct contention_file file;
    int status = contention_file_read(result->model, &file, &arena, diags);
    if (status == CT_OK) {
        warn_of_columns(coloc, &file, diags);
        status = score_model(coloc, &file, result, &arena, diags);
    }
    ct_arena_free(&arena);
    return status;
}

/* ---- without: a part is fitted ---- */

/* Each application is predicted by a fit to all rows of the others. */
static bool can_leave_out(const struct cli_coloc *coloc, const uint32_t *families,
                          struct ct_diags *diags) {
    /* Rows in all fits together: some 10 s (chosen). */
    enum { MOST_FITTED = 10000000 };
    uint32_t last = 0;
    for (size_t i = 0; i < coloc->set.apps.count; i++)
        last = families[i] > last ? families[i] : last;
    bool can = ((double)last + 1) * (double)coloc->samples.count <= MOST_FITTED;
    if (!can)
        ct_notice(diags, coloc->set.pairs_path,
                  "no application is left out: %u applications in %zu latencies are too many",
                  last + 1, coloc->samples.count);
    return can;
}

static int validate_fit(const struct cli_coloc *coloc, double holdout, uint64_t seed,
                        struct result *result, struct ct_diags *diags) {
    const struct contention_samples *all = &coloc->samples;
    uint32_t *families = calloc(coloc->set.apps.count + 1, sizeof *families);
    if (!families)
        return ct_out_of_memory(diags);
    coloc_families(&coloc->set, families);
    int status = contention_validate_held_out(all->items, all->count, holdout, seed, &result->known,
                                              &result->known_rows, coloc->set.pairs_path, diags);
    bool leaves_out = status == CT_OK && can_leave_out(coloc, families, diags);
    if (leaves_out)
        status = contention_validate_unseen(all->items, all->count, families, &result->unseen,
                                            &result->unseen_rows, diags);
    if (status == CT_OK && leaves_out && result->unseen.latencies == 0)
        ct_notice(diags, coloc->set.pairs_path,
                  "no application can be left out: fewer than %d co-locations would remain",
                  CONTENTION_ROWS_LEAST);
    free(families);
    return status;
}

/* ---- rows ---- */

/* Which of a pair's latencies a sample is. */
static int side_of(const struct coloc_set *set, const struct contention_sample *sample) {
    const struct coloc_pair *pair = &set->pairs.items[sample->row];
    return set->solos.items[pair->solos[0]].app != sample->app ||
           pair->latency_ms[0] != sample->shared_ms;
}

static void add_rows(struct table *table, const struct coloc_set *set, const char *test,
                     const struct contention_predictions *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const struct contention_sample *sample = &rows->items[i].sample;
        const struct coloc_pair *pair = &set->pairs.items[sample->row];
        int side = side_of(set, sample);
        const struct coloc_solo *own = &set->solos.items[pair->solos[side]],
                                *other = &set->solos.items[pair->solos[!side]];
        double predicted_ms = rows->items[i].predicted_ms;
        table_row(table, test, set->apps.items[own->app], own->quota_pct,
                  set->apps.items[other->app], other->quota_pct, sample->solo_ms, sample->shared_ms,
                  predicted_ms, 100 * (predicted_ms / sample->shared_ms - 1));
    }
}

static int write_file(const char *path, const struct cli_coloc *coloc, const struct result *result,
                      struct ct_diags *diags) {
    struct output_file output = {0};
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    struct table table =
        table_start("=test | =app | =quota_pct:* | =beside | =beside_quota_pct:* | =alone_ms:* | "
                    "=measured_ms:* | =predicted_ms:* | =error_pct:*");
    add_rows(&table, &coloc->set, result->model ? "all" : "held out", &result->known_rows);
    add_rows(&table, &coloc->set, "unseen app", &result->unseen_rows);
    int status = table_print(&table, output.file, TABLE_CSV);
    return output_file_close(&output, status, diags);
}

/* ---- output ---- */

static void json_errors(struct json_writer *json, const struct contention_errors *e) {
    json_writer_members(json, "rows", e->rows, "mean_error", e->mean, "median_error", e->median,
                        "p90_error", e->p90, "max_error", e->max, "baseline_none", e->baseline_none,
                        "baseline_median", e->baseline_median);
}

static int print_json(const struct result *result) {
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_errors(&json, &result->known);
    json_writer_begin_object(&json, "unseen");
    json_errors(&json, &result->unseen);
    json_writer_end_object(&json);
    json_writer_end_object(&json);
    putchar('\n');
    return CT_OK;
}

static void errors_row(struct table *table, const char *what, const struct contention_errors *e) {
    table_row(table, what, e->rows, 100 * e->mean, 100 * e->median, 100 * e->p90, 100 * e->max,
              100 * e->baseline_none, 100 * e->baseline_median);
}

static void print_verdict(struct doc *doc, const char *what, const struct contention_errors *e) {
    if (e->latencies == 0)
        doc_item(doc, "%s: nothing to test.", what);
    else if (contention_is_worth_it(e))
        doc_item(doc, "%s: the model is better than both baselines.", what);
    else
        doc_item(doc,
                 "%s: the model does not beat both baselines and is not worth its parameters here; "
                 "%s is as good.",
                 what,
                 e->baseline_none < e->baseline_median ? "assuming no slowdown"
                                                       : "one slowdown for all, the median,");
}

static int print_text(const struct result *result, bool markdown) {
    struct table table = table_start("rows tested | rows:0 | mean:2 | median:2 | p90:2 | worst:2 | "
                                     "no slowdown:2 | median slowd.:2");
    struct doc doc = doc_start(stdout, markdown);
    doc_text(&doc, "Error of the co-located latency in %%, absolute and relative; the last two "
                   "columns are mean errors of baselines: latency alone, and latency alone times "
                   "the median slowdown of the training rows.");
    errors_row(&table, result->model ? "all" : "held out", &result->known);
    errors_row(&table, "unseen app", &result->unseen);
    doc_table(&doc, &table);
    print_verdict(&doc, result->model ? "All rows" : "Rows held out", &result->known);
    print_verdict(&doc,
                  result->model ? "Rows with an application that the model has not seen"
                                : "Applications left out one by one",
                  &result->unseen);
    doc_gap(&doc);
    doc_text(&doc, "%s", cli_coloc_advice);
    return doc_finish(&doc);
}

static int validate(const struct cli_args *args, struct cli_coloc *coloc, struct result *result,
                    struct ct_diags *diags) {
    int format = cli_choice(args, "format", formats, FORMAT_TEXT, diags);
    double holdout = cli_double(args, "holdout", 0.01, 0.99, 0.5, diags);
    int64_t seed = cli_int(args, "seed", 0, INT64_C(9000000000000000000), 1, diags);
    const char *rows = cli_value(args, "output");
    result->model = cli_value(args, "model");
    if (result->model && (cli_has(args, "holdout") || cli_has(args, "seed")))
        ct_notice(diags, "", "'--model' tests every row: '--holdout' and '--seed' change nothing");
    if (diags->errors)
        return CT_USAGE;
    int status = cli_coloc_open(coloc, args->operands[0], args->operands[1], diags);
    if (status == CT_OK)
        status = result->model ? validate_model(coloc, result, diags)
                               : validate_fit(coloc, holdout, (uint64_t)seed, result, diags);
    if (status == CT_OK && rows)
        status = write_file(rows, coloc, result, diags);
    if (status != CT_OK)
        return status;
    if (!result->model)
        cli_coloc_warn_few(coloc, diags);
    return format == FORMAT_JSON ? print_json(result)
                                 : print_text(result, format == FORMAT_MARKDOWN);
}

static int cmd_validate(struct cli_args *args, struct ct_diags *diags) {
    struct cli_coloc coloc = {0};
    struct result result = {0};
    int status = validate(args, &coloc, &result, diags);
    ct_vec_free(&result.known_rows);
    ct_vec_free(&result.unseen_rows);
    cli_coloc_close(&coloc);
    return status;
}

CLI_COMMAND(validate, "SOLO.csv PAIRS.csv", 2, 2,
            "test the contention model on measured co-locations that it was not fitted to, "
            "beside two baselines");
