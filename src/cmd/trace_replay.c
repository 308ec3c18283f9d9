#include "cmd/trace_judge.h"

#include "experiment/scenario.h"
#include "format/json_writer.h"
#include "run/solo.h"
#include "trace/trace_lead.h"
#include "trace/trace_overlap.h"

#include <stdlib.h>

/* Alone on the GPU that was recorded. */
static char *workload_of(const char *source, const struct trace_app *app) {
    struct json_text text;
    if (!json_text_open(&text))
        return NULL;
    struct json_writer *json = &text.writer;
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "schema", "cotenant.workload/1", "gpu", app->gpu, "duration_s", 1.0);
    json_writer_begin_array(json, "apps");
    json_writer_object(json, NULL, "name", "alone", "role", "batch", "trace", source);
    json_writer_end_array(json);
    json_writer_end_object(json);
    return json_text_close(&text);
}

/* NAN: it cannot be run, or takes too long to. */
static double replayed(const char *text) {
    struct scenario scenario;
    struct ct_diags diags = {0};
    struct scenario_request request = {.workload = "alone.json",
                                       .text = text,
                                       .fidelity = SCENARIO_OWN,
                                       .seed = SCENARIO_OWN,
                                       .version = ""};
    uint64_t events = SOLO_EVENTS;
    double ratio = NAN;
    if (scenario_open(&scenario, &request, &diags) == CT_OK &&
        solo_of_recorded(&scenario.setup, 0, &events, &ratio, &diags) != CT_OK)
        ratio = NAN;
    scenario_close(&scenario);
    ct_diags_free(&diags);
    return ratio;
}

/* Copies whose time is not taken from the recording. */
static bool has_unknown_copies(const struct trace_app *app) {
    for (size_t i = 0; i < app->tasks.count; i++)
        if (trace_task_crosses_link(&app->tasks.items[i]) &&
            app->tasks.items[i].memory == TRACE_MEMORY_UNKNOWN)
            return true;
    return false;
}

/* Tasks that began before their launch did, which no GPU does. */
struct early {
    size_t tasks;
    ct_time_ps most_ps;
    double all_ps;
};

static struct early early_of(const struct trace_app *app) {
    struct early early = {0};
    for (size_t i = 0; i < app->tasks.count; i++) {
        ct_time_ps by_ps = app->tasks.items[i].launch_begin_ps - app->tasks.items[i].start_ps;
        if (by_ps <= 0)
            continue;
        early.tasks++;
        early.all_ps += (double)by_ps;
        early.most_ps = by_ps > early.most_ps ? by_ps : early.most_ps;
    }
    return early;
}

static bool has_run_ahead(const struct trace_app *app) {
    for (size_t i = 0; i < app->tasks.count && app->jobs.count > 1; i++)
        if (app->tasks.items[i].flags & TRACE_BEHIND_OTHERS)
            return true;
    return false;
}

/* What the recording shows of why its jobs take so much longer alone than they did: what could cost
 * as much. */
static const char *reason_longer(struct table *table, const struct trace_app *app, double ratio) {
    struct early early = early_of(app);
    double beside = trace_app_overlap(app), recorded_ps = 0;
    for (size_t i = 0; i < app->jobs.count; i++)
        recorded_ps += (double)app->jobs.items[i].recorded_ps;
    double longer_ps = (ratio - 1) * recorded_ps;
    if (early.all_ps >= longer_ps)
        return table_words(table,
                           "%zu of its tasks begin before their launch, by %.6g us at most: the "
                           "clocks of host and GPU differ",
                           early.tasks, (double)early.most_ps / (double)CT_PS_PER_US);
    if (beside * (double)trace_app_totals(app).kernel_ps >= longer_ps)
        return table_words(table,
                           "the %.0f %% of its kernel time that was recorded beside other kernels "
                           "is slowed twice",
                           100 * beside);
    return has_run_ahead(app) ? "its host ran ahead of the device from one job to the next"
                              : "the recording does not show why";
}

static const char *reason(struct table *table, const struct trace_app *app, double ratio) {
    if (has_unknown_copies(app))
        return "its copies take what the preset's link does";
    return ratio < 1
               ? "it holds waits whose cause was not recorded (other streams, programs, GPUs), "
                 "or jobs that overlap"
               : reason_longer(table, app, ratio);
}

void trace_replay_check(const struct trace_judged *j) {
    struct ct_arena arena = {0};
    const char *source = ct_arena_format(&arena, "%s#%s", j->store, j->app->name);
    char *text = source ? workload_of(source, j->app) : NULL;
    double ratio = text ? replayed(text) : NAN;
    free(text);
    ct_arena_free(&arena);
    if (isnan(ratio))
        trace_row(j, "replay", "unknown",
                  "it cannot be replayed ('cotenant run' says why), or takes too long to");
    else if (fabs(ratio - 1) <= TRACE_CLOSE)
        trace_row(j, "replay", "close", "alone, a job takes %.3f of its recorded time", ratio);
    else
        trace_row(j, "replay", "doubtful", "alone, a job takes %.3f of its recorded time: %s",
                  ratio, reason(j->table, j->app, ratio));
}
