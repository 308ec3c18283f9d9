/* Curves: distributions of latency, and on the way which jobs were the slowest; and use of the
 * device over time. */
#include "des/des_quantile.h"
#include "explain/explain.h"
#include "figures/html_page_internal.h"

#include <stdlib.h>
#include <string.h>

static struct html_detail *find_detail(struct html_page *page, size_t source, int64_t number) {
    for (size_t i = 0; i < page->details.count; i++)
        if (page->details.items[i].source == source && page->details.items[i].number == number)
            return &page->details.items[i];
    return NULL;
}

/* The slowest jobs of each application that explain tells about. */
static bool note_slowest(struct html_page *page, const struct result_run *run,
                         struct html_detail *detail) {
    const struct result_job **slowest =
        calloc(run->job_count + 1, sizeof(const struct result_job *));
    bool ok = slowest != NULL;
    for (size_t app = 0; ok && app < run->report.app_count; app++) {
        size_t count = explain_tells(&run->report, app) ? explain_slowest(run, app, slowest) : 0;
        for (size_t i = 0; ok && i < count && i < page->choice->worst; i++) {
            const struct result_job *job = slowest[i];
            const char *name = ct_arena_strdup(&page->arena, run->report.apps[app].name);
            ok = name &&
                 ct_vec_push(&detail->slowest,
                             (struct html_job){name, job->instance, job->number, job->arrival_ps});
        }
    }
    free((void *)slowest);
    return ok;
}

/* Adds one stored run to the latencies by application; `apps` NULL: to none. */
static int gather(struct html_page *page, size_t source, int64_t number,
                  const struct report *report, struct report_latencies *latencies) {
    struct result_set set = {0};
    struct html_detail *detail = find_detail(page, source, number);
    int status =
        result_store_read(page->sources[source].store, number, RESULT_JOBS, &set, page->diags);
    bool ok = true;
    for (size_t app = 0; status == CT_OK && ok && report && app < report->app_count; app++)
        if (explain_tells(report, app))
            ok = report_latencies_add(&set.runs.items[0], report->apps[app].name, &latencies[app]);
    if (status == CT_OK && ok && detail)
        ok = note_slowest(page, &set.runs.items[0], detail);
    result_set_free(&set);
    return ok ? status : ct_out_of_memory(page->diags);
}

static void write_percentiles(struct json_writer *json, const struct report_latencies *latencies) {
    static const struct {
        const char *key;
        double quantile;
    } percentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};
    json_writer_begin_object(json, "percentiles");
    for (size_t i = 0; i < CT_COUNT_OF(percentiles); i++)
        json_writer_double(json, percentiles[i].key,
                           html_rounded(des_quantile_sorted(latencies->items, latencies->count,
                                                            percentiles[i].quantile)));
    json_writer_end_object(json);
}

static bool write_curve(struct json_writer *json, size_t shown, const char *app,
                        struct report_latencies *latencies) {
    struct report_latency_curve curve = {0};
    bool ok = report_latencies_curve(latencies, &curve);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "run", shown, "app", app, "jobs", latencies->count, "unfinished",
                        latencies->unfinished);
    write_percentiles(json, latencies);
    json_writer_begin_array(json, "ms");
    for (size_t i = 0; i < curve.count; i++)
        json_writer_double(json, NULL, html_rounded(curve.items[i].ms));
    json_writer_end_array(json);
    json_writer_begin_array(json, "share");
    for (size_t i = 0; i < curve.count; i++)
        json_writer_double(json, NULL, html_rounded(curve.items[i].share));
    json_writer_end_array(json);
    json_writer_end_object(json);
    ct_vec_free(&curve);
    return ok;
}

/* All applications of a shown run, with its replications pooled. */
static int write_run(struct html_page *page, size_t index) {
    const struct html_shown *shown = &page->shown.items[index];
    const struct result_run *run = shown->run;
    const struct report *report = &run->report;
    struct report_latencies *latencies = calloc(report->app_count + 1, sizeof *latencies);
    if (!latencies)
        return ct_out_of_memory(page->diags);
    int status = CT_OK;
    if (!run->member_count)
        status = gather(page, shown->source, run->number, report, latencies);
    for (size_t i = 0; i < run->member_count && status == CT_OK; i++)
        status = gather(page, shown->source, run->members[i], report, latencies);
    for (size_t app = 0; app < report->app_count; app++) {
        if (status == CT_OK && latencies[app].count &&
            !write_curve(&page->json, index, report->apps[app].name, &latencies[app]))
            status = ct_out_of_memory(page->diags);
        ct_vec_free(&latencies[app]);
    }
    free(latencies);
    return status;
}

int html_write_curves(struct html_page *page) {
    int status = CT_OK;
    json_writer_begin_array(&page->json, "curves");
    for (size_t i = 0; i < page->shown.count && status == CT_OK; i++)
        status = write_run(page, i);
    json_writer_end_array(&page->json);
    for (size_t i = 0; i < page->details.count && status == CT_OK; i++) {
        const struct html_detail *detail = &page->details.items[i];
        if (detail->label == SIZE_MAX)
            status = gather(page, detail->source, detail->number, NULL, NULL);
    }
    return status;
}

/* ---- Use of the device over time, in bins ---- */

struct use {
    const char *name, *unit;
    int64_t app;
};

struct uses {
    CT_VEC(struct use);
};

/* Each stored curve once, in the order of their first samples. */
static bool list_uses(const struct result_run *run, struct uses *curves) {
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct result_sample *sample = &run->samples[i];
        size_t at = 0;
        while (at < curves->count && (curves->items[at].app != sample->app ||
                                      strcmp(curves->items[at].name, sample->name) != 0))
            at++;
        if (at == curves->count &&
            !ct_vec_push(curves, (struct use){sample->name, sample->unit, sample->app}))
            return false;
    }
    return true;
}

static void write_use(struct json_writer *json, const struct result_run *run,
                      const struct use *curve) {
    double bins[REPORT_BINS] = {0};
    report_sample_bins(run, curve->name, curve->app, run->report.duration_s * (double)CT_PS_PER_S,
                       bins);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "name", curve->name, "unit", curve->unit, "app", curve->app);
    json_writer_begin_array(json, "values");
    for (size_t i = 0; i < REPORT_BINS; i++)
        json_writer_double(json, NULL, html_rounded(bins[i]));
    json_writer_end_array(json);
    json_writer_end_object(json);
}

bool html_write_usage(struct json_writer *json, const struct result_run *run) {
    struct uses curves = {0};
    bool ok = list_uses(run, &curves);
    json_writer_begin_array(json, "usage");
    for (size_t i = 0; i < curves.count; i++)
        write_use(json, run, &curves.items[i]);
    json_writer_end_array(json);
    ct_vec_free(&curves);
    return ok;
}
