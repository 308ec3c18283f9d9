/* The validity envelope: what an answer assumes, where it extrapolates, and how it moves when the
 * model is off by a few per cent. */
#include "base/ct_text.h"
#include "run/arrivals.h"
#include "study/plan_internal.h"
#include "workload/setup_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under way; after a failure nothing more is added. */
struct envelope {
    const struct plan *plan;
    struct plan_result *result;
    struct ct_diags *diags;
    int status;
    const char *gpu_name; /* of `gpu`; NULL: none is set up yet */
    struct gpu gpu;
};

static void add(struct envelope *e, const char *kind, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add(struct envelope *e, const char *kind, const char *about, const char *format, ...) {
    va_list arguments;
    if (e->status != CT_OK)
        return;
    va_start(arguments, format);
    struct plan_caveat caveat = {kind, ct_arena_strdup(&e->result->arena, about),
                                 ct_arena_vformat(&e->result->arena, format, arguments)};
    va_end(arguments);
    if (!caveat.about || !caveat.text || !ct_vec_push(&e->result->caveats, caveat))
        e->status = ct_out_of_memory(e->diags);
}

/* ---- Applications ---- */

/* The provenance of one application alone: a workload of it. */
static void add_inputs(struct envelope *e, const struct workload *workload, size_t a) {
    struct workload one = *workload;
    struct setup setup;
    const struct workload_app *app = &workload->apps.items[a];
    one.apps.items = (struct workload_app *)app;
    one.apps.count = 1;
    e->status = setup_make(&one, &setup, e->diags);
    if (e->status != CT_OK)
        return;
    char parts[CT_INPUTS][120];
    bool measured = true;
    for (int kind = 0; kind < CT_INPUTS; kind++) {
        ct_coverage_print(&setup.inputs, kind, parts[kind], sizeof parts[kind]);
        measured = measured && setup.inputs.share[kind][CT_MEASURED] == 1;
    }
    if (!measured)
        add(e, "assumed", app->name,
            "by time on the GPU, durations %s; geometry %s; memory demand %s; use of units %s; "
            "host gaps %s",
            parts[CT_INPUT_DURATION], parts[CT_INPUT_GEOMETRY], parts[CT_INPUT_DEMAND],
            parts[CT_INPUT_UNITS], parts[CT_INPUT_HOST]);
    setup_free(&setup);
}

static bool has_curve(const struct trace_app *trace) {
    for (size_t i = 0; i < trace->kernels.count; i++)
        if (trace->kernels.items[i].curve_count > 0)
            return true;
    return false;
}

static void add_recording(struct envelope *e, const struct workload *w,
                          const struct workload_app *app) {
    if (!app->trace) {
        if (e->plan->goal == PLAN_PRESET)
            add(e, "extrapolated", app->name,
                "is made up, and its kernels take as long on every GPU");
        return;
    }
    if (strcmp(app->trace->gpu, w->gpu) != 0)
        add(e, "extrapolated", app->name,
            "was recorded on '%s'; its durations on '%s' are scaled by the model", app->trace->gpu,
            w->gpu);
    else if (w->gpu_settings.count > 0)
        add(e, "extrapolated", app->name,
            "was recorded on '%s' as it is, and the workload changes keys of the GPU", w->gpu);
    if (!workload_draw_is(&app->size, 1) || app->iterations != 1 || app->duration_scale != 1)
        add(e, "extrapolated", app->name,
            "its recorded jobs are changed by 'size', 'iterations' or 'duration_scale'");
    if (w->apps.count > 1 && !has_curve(app->trace))
        add(e, "extrapolated", app->name,
            "was recorded with the whole GPU alone; what a part of the SMs costs it is modelled");
}

static void add_arrivals(struct envelope *e, const struct workload_app *app) {
    const struct workload_arrivals *arrivals = &app->arrivals;
    if (app->role != CT_SERVICE || arrivals->process != WORKLOAD_TRACE)
        return;
    double recorded = arrivals_recorded_rate(arrivals);
    if (e->plan->goal == PLAN_RATE && app == &e->plan->workload->apps.items[e->plan->app])
        add(e, "extrapolated", app->name,
            "its arrivals were recorded at %.4g/s; other rates stretch the recording, with the "
            "same bursts",
            recorded);
    else if (arrivals->rate_per_s > 0 && arrivals->rate_per_s != recorded)
        add(e, "extrapolated", app->name,
            "its arrivals were recorded at %.4g/s and are stretched to %.4g/s", recorded,
            arrivals->rate_per_s);
}

static void add_progress(struct envelope *e, const struct workload_app *app) {
    if (app->np_target > 0)
        add(e, "unjudged", app->name,
            "its 'np_target' is known to the policies, and whether it is kept is not said: %s",
            plan_why_unjudged);
}

/* ---- The GPU ---- */

static bool names_key(const char *key) {
    return strstr(key, "dram") || strstr(key, "row_hit") || strstr(key, "contention") ||
           strstr(key, "pcie") || strstr(key, "copy") || strstr(key, "staging");
}

/* Keys of the preset that nobody measured, of those that decide what sharing costs. */
static void add_preset(struct envelope *e, const struct workload *w) {
    struct workload_settings keys = {0};
    char file[128], list[600] = "";
    snprintf(file, sizeof file, "%s.json", w->gpu);
    const char *path = share_find(&e->result->arena, e->diags->files, "gpus", file, NULL);
    if (path)
        e->status = settings_read(path, &e->result->arena, &keys, e->diags);
    for (size_t i = 0; i < keys.count; i++) {
        const struct workload_setting *key = &keys.items[i];
        if (strcmp(key->key, "assumed") == 0 && names_key(key->value))
            ct_text_add(list, sizeof list, ", ", "%s", key->value);
    }
    ct_vec_free(&keys);
    if (*list)
        add(e, "assumed", w->gpu, "keys of memory and link: %s", list);
}

/* The GPU of a workload, set up anew only where it is not the last one's: no load changes its
 * keys. NULL: it failed. */
static const struct gpu *gpu_of(struct envelope *e, const struct workload *w) {
    if (e->gpu_name && strcmp(e->gpu_name, w->gpu) == 0)
        return &e->gpu;
    e->status =
        setup_gpu(w->gpu, w->gpu_where, &w->gpu_settings, &e->result->arena, &e->gpu, e->diags);
    e->gpu_name = e->status == CT_OK ? w->gpu : NULL;
    return e->gpu_name ? &e->gpu : NULL;
}

static void add_gpu(struct envelope *e, const struct workload *w) {
    const struct gpu *gpu = gpu_of(e, w);
    if (!gpu)
        return;
    add_preset(e, w);
    if (w->apps.count > 1 && !*gpu->contention && gpu->contention_k == 0 && gpu->contention_k0 == 0)
        add(e, "extrapolated", w->gpu,
            "contention below saturation is not calibrated for it and left out: co-runners may "
            "cost more than is shown ('calibrate' fits it)");
}

/* Whether the GPU of an answer has the memory that it takes, where that is not known. */
static void add_memory(struct envelope *e, const struct workload *w) {
    char text[800];
    const struct gpu *gpu = e->status == CT_OK ? gpu_of(e, w) : NULL;
    if (!gpu || !setup_memory_doubt(w, gpu, text, sizeof text))
        return;
    for (size_t i = 0; i < e->result->caveats.count; i++)
        if (strcmp(e->result->caveats.items[i].about, gpu->name) == 0 &&
            strcmp(e->result->caveats.items[i].text, text) == 0)
            return;
    add(e, "unknown", gpu->name, "%s", text);
}

/* add_memory for what may hold, and for what surely does, under each policy. */
static void add_memories(struct envelope *e) {
    for (uint32_t p = 0; p < e->result->finished && e->status == CT_OK; p++) {
        const struct plan_answer *answer = &e->result->answers[p];
        const double loads[] = {answer->guess, answer->holds};
        for (size_t i = 0; i < CT_COUNT_OF(loads) && e->status == CT_OK; i++) {
            struct workload w;
            if (isnan(loads[i]))
                continue;
            if (plan_workload(e->plan, loads[i], 1, &w, &e->result->arena))
                add_memory(e, &w);
            else
                e->status = ct_out_of_memory(e->diags);
        }
    }
    if (!e->result->finished) /* of an advice */
        add_memory(e, e->plan->workload);
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
static void add_elasticity(struct envelope *e, const struct plan_answer *answer, double slower,
                           double faster) {
    if (e->plan->goal != PLAN_RATE || answer->stopped || !(faster >= slower))
        return;
    double ratio = log(faster / slower) / log((1 + e->plan->error) / (1 - e->plan->error));
    add(e, "sensitivity", answer->policy,
        "one per cent longer kernels lower the rate by about %.1f %%%s", ratio,
        ratio > 2 ? ": the answer is so close to saturation, or to the least latency, that a small "
                    "error of the model changes it much"
                  : "");
}

static void add_sensitivity(struct envelope *e, uint32_t p) {
    const struct plan_answer *answer = &e->result->answers[p],
                             *slower = plan_answer_at(e->result, p, PLAN_SLOWER),
                             *faster = plan_answer_at(e->result, p, PLAN_FASTER);
    char texts[3][64];
    if (isnan(answer->guess) || !slower->complete || !faster->complete || !slower->points.count ||
        !faster->points.count)
        return;
    bool settled = slower->settled && faster->settled;
    bool same = settled && slower->guess == answer->guess && faster->guess == answer->guess;
    add(e, "sensitivity", answer->policy,
        "kernels %g %% longer: %s; as they are: %s; %g %% shorter: %s%s", 100 * e->plan->error,
        answer_text(e->plan, slower, texts[0]), amount_text(e->plan, answer->guess, texts[1]),
        100 * e->plan->error, answer_text(e->plan, faster, texts[2]),
        same && !answer->stopped ? " (the answer does not move)" : coarse_text(answer));
    if (settled)
        add_elasticity(e, answer, slower->guess, faster->guess);
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
    *text = '\0';
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_loads(&loads[i], &loads[end]) == 0;)
            end++;
        ct_text_add(text, size, ", ", "%s in %.0f %%%s", amount_text(plan, loads[i], amount),
                    100.0 * (end - i) / count, i ? "" : " of the draws");
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

static void add_draws(struct envelope *e, uint32_t p) {
    const struct plan_result *result = e->result;
    const struct plan_answer *answer = &result->answers[p];
    double *loads = ct_arena_array(&e->result->arena, result->draws + 1u, sizeof *loads);
    char text[400], as_is[64], open[80] = "";
    uint32_t settled = 0;
    if (!loads) {
        e->status = ct_out_of_memory(e->diags);
        return;
    }
    for (uint32_t i = 0; i < result->draws; i++) {
        const struct plan_answer *drawn = plan_answer_at(result, p, PLAN_DRAWN + i);
        if (!drawn->complete || !drawn->points.count)
            return;
        if (drawn->settled)
            loads[settled++] = drawn->guess;
    }
    print_draws(e->plan, loads, settled, text, sizeof text);
    if (settled < result->draws)
        snprintf(open, sizeof open, "%s%u not settled by %s runs", settled ? "; " : "",
                 result->draws - settled, result->draws - settled == 1 ? "its" : "their");
    add(e, "demand", answer->policy,
        "unknown memory demand as none: %s; drawn %u times from what kernels of the same class "
        "were measured to ask for: %s%s%s",
        amount_text(e->plan, answer->guess, as_is), result->draws, text, open, coarse_text(answer));
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
    struct envelope e = {.plan = plan, .result = result, .diags = diags};
    struct workload w;
    if (!answered_workload(plan, result, &w))
        return ct_out_of_memory(diags);
    for (size_t a = 0; a < w.apps.count && e.status == CT_OK; a++) {
        add_inputs(&e, &w, a);
        add_recording(&e, &w, &w.apps.items[a]);
        add_arrivals(&e, &plan->workload->apps.items[a]);
        add_progress(&e, &w.apps.items[a]);
    }
    if (e.status == CT_OK)
        add_gpu(&e, &w);
    add_memories(&e);
    for (uint32_t p = 0; p < result->finished && e.status == CT_OK; p++)
        add_sensitivity(&e, p);
    for (uint32_t p = 0; p < result->finished && result->draws > 0 && e.status == CT_OK; p++)
        add_draws(&e, p);
    return e.status;
}
