/* How much load the targets allow, and how sure that is. */
#include "base/ct_quantity.h"
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "experiment/scenario.h"
#include "figures/figure.h"
#include "figures/html_frame.h"
#include "format/csv_reader.h"
#include "study/plan.h"
#include "study/prices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"find", 0, "WHAT",
     "max-rate:APP, gpus, batch-instances:APP, or gpu:PRESET,PRESET (the cheapest first, by "
     "--prices if given); needed"},
    {"policies", 'p', "A,B,...", "policies, each NAME or NAME:KEY=VALUE (the workload's own)"},
    {"confidence", 0, "P", "of the verdict on each point, above 0.5 and below 1 (0.95)"},
    {"reps", 'n', "N", "replications of every point (5)"},
    {"max-reps", 0, "N", "the most replications of a point, which then grow longer (40)"},
    {"budget", 0, "EVENTS|TIME",
     "what the search may cost: events for each policy, such as 400M (200M), or a time for "
     "everything, such as 60s, 5min"},
    {"tolerance", 0, "PCT", "how closely a rate is found, in per cent (2)"},
    {"error", 0, "PCT", "how much longer and shorter kernels show what the answer leans on (5)"},
    {"most", 0, "N", "the most instances or GPUs that are tried (64)"},
    {"spare", 0, "N", "GPUs that may fail while the others keep the targets (0); of gpus"},
    {"load", 0, "TIMES", "growth: services get so many times their rates (1)"},
    {"prices", 0, "FILE.json", "what GPUs cost an hour: {\"h100\": 2.5, \"a100\": 1.8}"},
    CLI_BANDS_OPTION,
    CLI_JOBS_OPTION,
    CLI_CACHE_OPTION,
    {"set", 's', "KEY=VALUE",
     "change the workload: apps.bfs.instances=8, gpu.sms=40; a bare key is the policies'"},
    {"seed", 0, "N", "of all random draws, instead of the workload's"},
    {"whole-page", 0, "FILE.html", "write a page with the frontier, for a browser"},
    {"frontier", 'o', "FOLDER", "draw the frontier there: capacity.svg, .csv and .gp"},
    {"format", 'f', "text|json|csv|markdown", "form of the plan"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

/* "200M" events, "60s", "5min" or "5m". */
static void read_budget(struct plan *plan, const char *text, struct ct_diags *diags) {
    static const struct {
        const char *unit;
        double factor;
    } counts[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
    double amount, events = 0, seconds = 0;
    if (!text)
        return;
    const char *unit = csv_scan_number(text, &amount);
    for (size_t i = 0; unit && i < CT_COUNT_OF(counts); i++)
        if (strcmp(unit, counts[i].unit) == 0)
            events = amount * counts[i].factor;
    if (unit && strcmp(unit, "m") == 0) /* no unit elsewhere: it could be metres */
        seconds = amount * 60;
    else if (ct_quantity_has_unit(text) && !ct_quantity_read(text, "s", &seconds))
        seconds = 0;
    if (!(events > 0 || seconds > 0) || fmax(events, seconds) >= 1e15) {
        ct_error(diags, "",
                 "'%s' of '--budget' is neither events, such as 200M, nor a time, such as 60s or "
                 "5min",
                 text);
        return;
    }
    *(events > 0 ? &plan->budget : &plan->budget_s) = fmax(events, seconds);
    plan->seconds_now = cli_seconds_now;
}

struct planned {
    struct cli_experiment e;
    struct plan plan;
    struct plan_result result;
    const char *settings; /* which of them change nothing; NULL: nobody asked */
};

static void read_numbers(struct plan *plan, const struct cli_args *args, struct ct_diags *diags) {
    size_t before = diags->errors;
    *plan = plan_standard();
    plan->confidence = cli_double(args, "confidence", 0, 1, plan->confidence, diags);
    if (!(plan->confidence > 0.5 && plan->confidence < 1))
        ct_error(diags, "", "'%g' of '--confidence' is not above 0.5 and below 1",
                 plan->confidence);
    int64_t reps = cli_int(args, "reps", 2, 10000, plan->replications, diags);
    int64_t most_reps = cli_int(args, "max-reps", 2, 10000, plan->most_replications, diags);
    bool bounded = cli_has(args, "max-reps");
    if (bounded && most_reps < reps && !cli_has(args, "reps"))
        reps = most_reps;
    plan->replications = (uint32_t)reps;
    plan->most_replications = (uint32_t)most_reps;
    plan->tolerance = cli_double(args, "tolerance", 0.1, 50, 100 * plan->tolerance, diags) / 100;
    plan->error = cli_double(args, "error", 0, 50, 100 * plan->error, diags) / 100;
    plan->most = (uint32_t)cli_int(args, "most", 1, 1024, plan->most, diags);
    plan->threads = cli_threads(args, diags);
    plan->spare = (uint32_t)cli_int(args, "spare", 0, 1023, 0, diags);
    plan->growth = cli_double(args, "load", 0.001, 1000, plan->growth, diags);
    read_budget(plan, cli_value(args, "budget"), diags);
    plan->draws = cli_experiment_bands(args, diags);
    if (diags->errors == before && bounded && most_reps < reps)
        ct_error(diags, "", "'--max-reps' %d is less than '--reps' %d", (int)most_reps, (int)reps);
}

/* The presets by price, those without one last, else as they were listed, into `presets`. */
static void order_presets(struct plan *plan, double *per_h, const char **presets) {
    for (uint32_t i = 0; i < plan->preset_count; i++) {
        double price = per_h[i];
        uint32_t at = i;
        for (; at > 0 && !isnan(price) && !(per_h[at - 1] <= price); at--) {
            presets[at] = presets[at - 1];
            per_h[at] = per_h[at - 1];
        }
        presets[at] = plan->presets[i];
        per_h[at] = price;
    }
    plan->presets = presets;
}

/* Reads the prices of the presets, by their position, or the one of the workload's GPU. */
static bool read_prices(struct plan *plan, const char *path, const struct setup *setup,
                        struct ct_arena *arena, struct ct_diags *diags) {
    struct prices prices = {0};
    bool listed = plan->goal == PLAN_PRESET;
    size_t count = listed ? plan->preset_count : 1;
    if (!path)
        return true;
    double *per_h = ct_arena_array(arena, count, sizeof *per_h);
    const char **presets = ct_arena_array(arena, count, sizeof *presets);
    if (!per_h || !presets) {
        ct_out_of_memory(diags);
        return false;
    }
    bool ok = prices_read(path, &prices, arena, diags) == CT_OK;
    for (size_t i = 0; ok && i < count; i++) {
        const char *gpu = listed ? plan->presets[i] : setup->gpu.name;
        per_h[i] = prices_of(&prices, gpu);
        if (isnan(per_h[i]))
            ct_warning(diags, path, "has no price of '%s'", gpu);
    }
    if (ok && listed)
        order_presets(plan, per_h, presets);
    ct_vec_free(&prices);
    plan->prices_per_h = per_h;
    return ok;
}

/* ---- The frontier as a figure: p99 / target over the load, with error bars ---- */

/* Where curves leave the figure: beyond three times the target nobody needs the number. */
#define HIGHEST 3.0

static void measure_point(const struct plan *plan, const struct plan_point *point,
                          struct figure_script *script) {
    double amount = plan_amount(plan, point->load);
    script->least = fmin(script->least, amount);
    script->most = fmax(script->most, amount);
    script->top = fmax(script->top, fmax(point->p99_over_qos, point->p99_high));
    script->intervals |= !isnan(point->p99_high);
    script->bounds |= !isnan(point->batch_work);
}

static int write_figure(struct figure *figure, const struct plan *plan,
                        const struct plan_result *result, const char **labels) {
    static const char *const axes[] = {NULL, "number of GPUs", NULL, "GPU"};
    char axis[200];
    struct figure_script script = {.template = "capacity.gp",
                                   .labels = labels,
                                   .label_count = result->finished,
                                   .places = plan->goal == PLAN_PRESET ? plan->presets : NULL,
                                   .place_count = plan->preset_count,
                                   .service = axis,
                                   .top = 1,
                                   .target = plan->goal == PLAN_PRESET,
                                   .least = INFINITY,
                                   .most = -INFINITY,
                                   .keys = result->finished + 2};
    size_t longest = 0;
    const struct workload_app *app = &plan->workload->apps.items[plan->app];
    snprintf(axis, sizeof axis,
             plan->goal != PLAN_RATE ? "instances of %s"
             : app->instances > 1    ? "arrival rate of each instance of %s, 1/s"
                                     : "arrival rate of %s, 1/s",
             app->name);
    if (axes[plan->goal])
        script.service = axes[plan->goal];
    if (!figure_begin(figure, "capacity", NULL,
                      "series,amount,p99_over_target,low,high,batch_work,answer,bound,policy,gpu"))
        return CT_DATA;
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        labels[p] = answer->policy;
        longest = strlen(answer->policy) > longest ? strlen(answer->policy) : longest;
        for (size_t i = 0; i < answer->points.count; i++) {
            const struct plan_point *point = &answer->points.items[i];
            figure_row(figure, p + 1, plan_amount(plan, point->load), point->p99_over_qos,
                       point->p99_low, point->p99_high, point->batch_work,
                       point->load == answer->holds,
                       point->reason == PLAN_BY_OVERLOAD || point->is_bound, answer->policy,
                       plan->goal == PLAN_PRESET ? plan->presets[(size_t)point->load]
                                                 : plan->workload->gpu);
            measure_point(plan, point, &script);
        }
    }
    script.top = fmin(script.top, HIGHEST);
    if (script.bounds) { /* each policy's batch work has an entry of its own */
        script.keys += result->finished;
        script.key_letters = longest + sizeof ": batch work" - 1;
    }
    return figure_end(figure, &script);
}

static bool has_p99(const struct plan_result *result) {
    bool has = false;
    for (uint32_t p = 0; p < result->finished; p++)
        for (size_t i = 0; i < result->answers[p].points.count; i++)
            has |= !isnan(result->answers[p].points.items[i].p99_over_qos);
    return has;
}

static int plot(const struct plan *plan, const struct plan_result *result, const char *folder,
                struct ct_diags *diags) {
    struct report_plots plots = {0};
    struct figure figure = {.title = plan->workload->name,
                            .gpu = plan->goal == PLAN_PRESET ? "several GPUs" : plan->workload->gpu,
                            .policies = 1,
                            .folder = folder,
                            .plots = &plots,
                            .diags = diags};
    if (!has_p99(result)) {
        ct_warning(diags, folder, "no figure: no point has a p99 to draw");
        return CT_OK;
    }
    const char **labels = calloc(result->finished, sizeof *labels);
    int status = labels ? write_figure(&figure, plan, result, labels) : ct_out_of_memory(diags);
    free(labels);
    if (status == CT_OK)
        status = cli_draw_figures(&plots, folder, CLI_SVG, diags);
    report_plots_free(&plots);
    return status;
}

/* ---- Running it ---- */

/* Where something is open, how long it took, and how much longer would tell: of this run, so not
 * part of the plan, which is the same on every machine. Nothing where some of it was run before. */
static void tell_time(const struct plan *plan, const struct plan_result *result, double took_s,
                      struct ct_diags *diags) {
    char spent[40], more[40];
    double s_per_event = took_s / fmax(plan_events(result), 1);
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        if (answer->wanted > 0)
            ct_notice(diags, plan->workload->path, "%s: so far %s; some %s more would tell",
                      answer->policy, cli_time_text(took_s, spent),
                      cli_time_text(answer->wanted * s_per_event, more));
    }
}

static int write_data(void *context, FILE *out) {
    const struct planned *planned = context;
    return plan_print(&planned->plan, &planned->result, planned->settings, TABLE_JSON, out);
}

/* Settings are asked about where there is time. */
static int show(struct planned *planned, const struct cli_args *args, enum table_format format,
                bool late, struct ct_diags *diags) {
    const char *folder = cli_value(args, "frontier"), *page = cli_value(args, "whole-page");
    const struct plan *plan = &planned->plan;
    struct plan_result *result = &planned->result;
    int status = late || cli_interrupted() ? CT_OK
                                           : cli_experiment_settings(&planned->e, &result->arena,
                                                                     &planned->settings, diags);
    if (status != CT_OK)
        return status;
    status = plan_print(plan, result, planned->settings, format, stdout);
    const struct html_frame frame = {plan->workload->name, &html_asset_plan, write_data, planned,
                                     NULL};
    if (status == CT_OK && page)
        status = html_frame_write_file(&frame, page, diags);
    int plotted = folder ? plot(plan, result, folder, diags) : CT_OK;
    return status == CT_OK ? plotted : status;
}

static int run(struct planned *planned, const struct cli_args *args, enum table_format format,
               struct ct_diags *diags) {
    struct plan *plan = &planned->plan;
    struct plan_result *result = &planned->result;
    int status = cli_experiment_say_targets(&planned->e, true);
    if (status != CT_OK)
        return status;
    plan->listener = cli_listener(&planned->e.progress);
    double began_s = cli_seconds_now();
    cli_progress_begin(&planned->e.progress, "plan", 0, args->quiet);
    status = plan_run(plan, result, diags);
    cli_progress_end(&planned->e.progress);
    double took_s = cli_seconds_now() - began_s;
    if (!planned->e.folder.taken)
        tell_time(plan, result, took_s, diags);
    if (status == CT_OK || status == CT_INTERRUPTED) {
        bool late = plan->budget_s > 0 && took_s >= plan->budget_s;
        int shown = show(planned, args, format, late, diags);
        int answered = status == CT_OK ? plan_tell_answer(plan, result, CT_ERROR, diags) : status;
        status = shown != CT_OK ? shown : answered;
    }
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted: what is known so far is shown");
    plan_result_free(result);
    return status;
}

static int cmd_plan(struct cli_args *args, struct ct_diags *diags) {
    struct planned planned = {0};
    struct ct_arena arena = {0};
    struct plan *plan = &planned.plan;
    enum table_format format = cli_format(args, diags);
    read_numbers(plan, args, diags);
    int status = cli_experiment_open(&planned.e, args, diags);
    if (status == CT_OK && !(plan->budget_s > 0)) /* time is for what nobody ran yet */
        planned.e.scenario.experiment.cache = run_folder_find(&planned.e.folder, args);
    plan_take(plan, &planned.e.scenario);
    if (status == CT_OK &&
        !(plan_find(plan, cli_value(args, "find"), &arena, diags) &&
          plan_check(plan, "--find", diags) == CT_OK &&
          read_prices(plan, cli_value(args, "prices"), &planned.e.scenario.setup, &arena, diags)))
        status = CT_USAGE;
    if (status == CT_OK)
        status = cli_probe_output(cli_value(args, "whole-page"), diags);
    if (status == CT_OK)
        status = cli_make_folder(cli_value(args, "frontier"), diags);
    if (status == CT_OK)
        status = run(&planned, args, format, diags);
    cli_experiment_close(&planned.e);
    ct_arena_free(&arena);
    return status;
}

CLI_COMMAND(plan, "WORKLOAD.json", 1, 1,
            "find the most load, or the least hardware, that keeps every service's target");
