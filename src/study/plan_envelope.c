/* The validity envelope: what an answer assumes, where it extrapolates, and how it moves when the
 * model is off by a few per cent. */
#include "run/arrivals.h"
#include "study/plan_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct plan_result *result, const char *kind, const char *about,
               struct ct_diags *diags, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static int add(struct plan_result *result, const char *kind, const char *about,
               struct ct_diags *diags, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    struct plan_caveat caveat = {kind, ct_arena_strdup(&result->arena, about),
                                 ct_arena_vformat(&result->arena, format, arguments)};
    va_end(arguments);
    if (!caveat.about || !caveat.text || !ct_vec_push(&result->caveats, caveat))
        return ct_out_of_memory(diags);
    return CT_OK;
}

/* ---- Applications ---- */

/* The provenance of one application alone: a workload of it. */
static int add_inputs(const struct workload *workload, size_t a, struct plan_result *result,
                      struct ct_diags *diags) {
    struct workload one = *workload;
    struct setup setup;
    const struct workload_app *app = &workload->apps.items[a];
    one.apps.items = (struct workload_app *)app;
    one.apps.count = 1;
    int status = setup_make(&one, &setup, diags);
    if (status != CT_OK)
        return status;
    char parts[CT_INPUTS][120];
    bool measured = true;
    for (int kind = 0; kind < CT_INPUTS; kind++) {
        ct_coverage_print(&setup.inputs, kind, parts[kind], sizeof parts[kind]);
        measured = measured && setup.inputs.share[kind][CT_MEASURED] == 1;
    }
    if (!measured)
        status = add(result, "assumed", app->name, diags,
                     "by time on the GPU, durations %s; geometry %s; memory demand %s; use of "
                     "units %s; host gaps %s",
                     parts[CT_INPUT_DURATION], parts[CT_INPUT_GEOMETRY], parts[CT_INPUT_DEMAND],
                     parts[CT_INPUT_UNITS], parts[CT_INPUT_HOST]);
    setup_free(&setup);
    return status;
}

static bool has_curve(const struct trace_app *trace) {
    for (size_t i = 0; i < trace->kernels.count; i++)
        if (trace->kernels.items[i].curve_count > 0)
            return true;
    return false;
}

static int add_recording(const struct plan *plan, const struct workload *w,
                         const struct workload_app *app, struct plan_result *result,
                         struct ct_diags *diags) {
    int status = CT_OK;
    if (!app->trace)
        return plan->goal == PLAN_PRESET
                   ? add(result, "extrapolated", app->name, diags,
                         "is made up, and its kernels take as long on every GPU")
                   : CT_OK;
    if (strcmp(app->trace->gpu, w->gpu) != 0)
        status = add(result, "extrapolated", app->name, diags,
                     "was recorded on '%s'; its durations on '%s' are scaled by the model",
                     app->trace->gpu, w->gpu);
    else if (w->gpu_settings.count > 0)
        status =
            add(result, "extrapolated", app->name, diags,
                "was recorded on '%s' as it is, and the workload changes keys of the GPU", w->gpu);
    if (status == CT_OK &&
        (!workload_draw_is(&app->size, 1) || app->iterations != 1 || app->duration_scale != 1))
        status = add(result, "extrapolated", app->name, diags,
                     "its recorded jobs are changed by 'size', 'iterations' or 'duration_scale'");
    if (status == CT_OK && w->apps.count > 1 && !has_curve(app->trace))
        status = add(result, "extrapolated", app->name, diags,
                     "was recorded with the whole GPU alone; what a part of the SMs costs it is "
                     "modelled");
    return status;
}

static int add_arrivals(const struct plan *plan, const struct workload_app *app,
                        struct plan_result *result, struct ct_diags *diags) {
    const struct workload_arrivals *arrivals = &app->arrivals;

    if (app->role != CT_SERVICE || arrivals->process != WORKLOAD_TRACE)
        return CT_OK;
    double recorded = arrivals_recorded_rate(arrivals);
    if (plan->goal == PLAN_RATE && app == &plan->workload->apps.items[plan->app])
        return add(result, "extrapolated", app->name, diags,
                   "its arrivals were recorded at %.4g/s; other rates stretch the recording, "
                   "with the same bursts",
                   recorded);
    return arrivals->rate_per_s > 0 && arrivals->rate_per_s != recorded
               ? add(result, "extrapolated", app->name, diags,
                     "its arrivals were recorded at %.4g/s and are stretched to %.4g/s", recorded,
                     arrivals->rate_per_s)
               : CT_OK;
}

/* ---- The GPU ---- */

static bool names_key(const char *key) {
    return strstr(key, "dram") || strstr(key, "row_hit") || strstr(key, "contention") ||
           strstr(key, "pcie") || strstr(key, "copy") || strstr(key, "staging");
}

/* Keys of the preset that nobody measured, of those that decide what sharing costs. */
static int add_preset(const struct workload *w, struct plan_result *result,
                      struct ct_diags *diags) {
    struct workload_settings keys = {0};
    char file[128], list[600] = "";
    snprintf(file, sizeof file, "%s.json", w->gpu);
    const char *path = share_find(&result->arena, diags->files, "gpus", file, NULL);
    int status = path ? settings_read(path, &result->arena, &keys, diags) : CT_OK;
    for (size_t i = 0; i < keys.count; i++) {
        const struct workload_setting *key = &keys.items[i];
        size_t used = strlen(list);
        if (strcmp(key->key, "assumed") == 0 && names_key(key->value))
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", key->value);
    }
    ct_vec_free(&keys);
    if (status == CT_OK && *list)
        status = add(result, "assumed", w->gpu, diags, "keys of memory and link: %s", list);
    return status;
}

static int add_gpu(const struct workload *w, struct plan_result *result, struct ct_diags *diags) {
    struct gpu gpu;
    int status = setup_gpu(w->gpu, w->gpu_where, &w->gpu_settings, &result->arena, &gpu, diags);
    if (status == CT_OK)
        status = add_preset(w, result, diags);
    if (status == CT_OK && w->apps.count > 1 && !*gpu.contention && gpu.contention_k == 0 &&
        gpu.contention_k0 == 0)
        status = add(result, "extrapolated", w->gpu, diags,
                     "contention below saturation is not calibrated for it and left out: "
                     "co-runners may cost more than is shown ('calibrate' fits it)");
    return status;
}

/* ---- Sensitivity ---- */

static const char *amount_text(const struct plan *plan, double load, char text[64]) {
    if (isnan(load))
        return "none that was tried";
    if (plan->goal == PLAN_PRESET)
        return plan->presets[(size_t)load];
    snprintf(text, 64, "%.4g", plan_amount(plan, load));
    return text;
}

/* What a search says of its answer. */
static const char *answer_text(const struct plan *plan, const struct plan_answer *answer,
                               char text[64]) {
    return answer->settled ? amount_text(plan, answer->guess, text) : "not settled by its runs";
}

/* Searches from an answer on are finer than one that the budget ended. */
static const char *coarse_text(const struct plan_answer *answer) {
    return answer->stopped ? " (the budget ended the search of the answer: what differs may be how "
                             "far each search came)"
                           : "";
}

/* Changes of a rate per change of the durations; of counts and presets no ratio says anything, nor
 * where the search of the answer ended early, or chance in the draws moved more than the change. */
static int add_elasticity(const struct plan *plan, const struct plan_answer *answer, double slower,
                          double faster, struct plan_result *result, struct ct_diags *diags) {
    if (plan->goal != PLAN_RATE || answer->stopped || !(faster >= slower))
        return CT_OK;
    double ratio = log(faster / slower) / log((1 + plan->error) / (1 - plan->error));
    return add(result, "sensitivity", answer->policy, diags,
               "one per cent longer kernels lower the rate by about %.1f %%%s", ratio,
               ratio > 2
                   ? ": the answer is so close to saturation, or to the least latency, that a "
                     "small error of the model changes it much"
                   : "");
}

static int add_sensitivity(const struct plan *plan, uint32_t p, struct plan_result *result,
                           struct ct_diags *diags) {
    const struct plan_answer *answer = &result->answers[p], *slower = &result->slower[p],
                             *faster = &result->faster[p];
    char texts[3][64];
    if (isnan(answer->guess) || !slower->complete || !faster->complete || !slower->points.count ||
        !faster->points.count)
        return CT_OK;
    bool settled = slower->settled && faster->settled;
    bool same = settled && slower->guess == answer->guess && faster->guess == answer->guess;
    int status =
        add(result, "sensitivity", answer->policy, diags,
            "kernels %g %% longer: %s; as they are: %s; %g %% shorter: %s%s", 100 * plan->error,
            answer_text(plan, slower, texts[0]), amount_text(plan, answer->guess, texts[1]),
            100 * plan->error, answer_text(plan, faster, texts[2]),
            same && !answer->stopped ? " (the answer does not move)" : coarse_text(answer));
    return status == CT_OK && settled
               ? add_elasticity(plan, answer, slower->guess, faster->guess, result, diags)
               : status;
}

/* ---- Over the unknown memory demand ---- */

/* Hardest first; none last. */
static int compare_loads(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

/* "2 in 80 % of the draws, 3 in 20 %", of loads in their order. */
static void count_amounts(const struct plan *plan, const double *loads, uint32_t count, char *text,
                          size_t size) {
    char amount[64];
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0, end; i < count && used < size; i = end) {
        for (end = i + 1; end < count && compare_loads(&loads[i], &loads[end]) == 0;)
            end++;
        int more = snprintf(text + used, size - used, "%s%s in %.0f %%%s", i ? ", " : "",
                            amount_text(plan, loads[i], amount), 100.0 * (end - i) / count,
                            i ? "" : " of the draws");
        used += more > 0 ? (size_t)more : 0;
    }
}

/* What the answer is over the draws whose searches settled it, hardest first: by amount, or of a
 * rate the least and the most. */
static void print_draws(const struct plan *plan, double *loads, uint32_t count, char *text,
                        size_t size) {
    char ends[2][64];
    qsort(loads, count, sizeof *loads, compare_loads);
    if (plan->goal == PLAN_RATE && count > 0 && compare_loads(&loads[0], &loads[count - 1]) != 0)
        snprintf(text, size, "%s to %s", amount_text(plan, loads[count - 1], ends[0]),
                 amount_text(plan, loads[0], ends[1]));
    else
        count_amounts(plan, loads, count, text, size);
}

static int add_draws(const struct plan *plan, uint32_t p, struct plan_result *result,
                     struct ct_diags *diags) {
    const struct plan_answer *answer = &result->answers[p];
    double *loads = ct_arena_array(&result->arena, result->draws + 1u, sizeof *loads);
    char text[400], as_is[64], open[80] = "";
    uint32_t settled = 0;
    if (!loads)
        return ct_out_of_memory(diags);
    for (uint32_t i = 0; i < result->draws; i++) {
        const struct plan_answer *drawn = plan_answer_at(result, p, PLAN_DRAWN + i);
        if (!drawn->complete || !drawn->points.count)
            return CT_OK;
        if (drawn->settled)
            loads[settled++] = drawn->guess;
    }
    print_draws(plan, loads, settled, text, sizeof text);
    if (settled < result->draws)
        snprintf(open, sizeof open, "%s%u not settled by %s runs", settled ? "; " : "",
                 result->draws - settled, result->draws - settled == 1 ? "its" : "their");
    return add(result, "demand", answer->policy, diags,
               "unknown memory demand as none: %s; drawn %u times from what kernels of the same "
               "class were measured to ask for: %s%s%s",
               amount_text(plan, answer->guess, as_is), result->draws, text, open,
               coarse_text(answer));
}

/* ---- The whole ---- */

/* The workload at the answer of the first policy that has one; of presets, at that preset. */
static bool answered_workload(const struct plan *plan, struct plan_result *result,
                              struct workload *w) {
    double load = NAN;
    for (uint32_t p = 0; p < result->finished && isnan(load); p++)
        load = result->answers[p].guess;
    *w = *plan->workload;
    return plan->goal != PLAN_PRESET || isnan(load) ||
           plan_workload(plan, load, 1, w, &result->arena);
}

int plan_envelope(const struct plan *plan, struct plan_result *result, struct ct_diags *diags) {
    struct workload w;
    if (!answered_workload(plan, result, &w))
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (size_t a = 0; a < w.apps.count && status == CT_OK; a++) {
        status = add_inputs(&w, a, result, diags);
        if (status == CT_OK)
            status = add_recording(plan, &w, &w.apps.items[a], result, diags);
        if (status == CT_OK)
            status = add_arrivals(plan, &plan->workload->apps.items[a], result, diags);
    }
    if (status == CT_OK)
        status = add_gpu(&w, result, diags);
    for (uint32_t p = 0; p < result->finished && status == CT_OK; p++)
        status = add_sensitivity(plan, p, result, diags);
    for (uint32_t p = 0; p < result->finished && result->draws > 0 && status == CT_OK; p++)
        status = add_draws(plan, p, result, diags);
    return status;
}
