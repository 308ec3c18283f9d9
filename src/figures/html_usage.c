/* Use of the device over time, in as many bins as a chart can show. */
#include "figures/html_page_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 300 };

struct curve {
    const char *name, *unit;
    int64_t app;
};

struct curves {
    CT_VEC(struct curve);
};

/* Each stored curve once, in the order of their first samples. */
static bool list_curves(const struct result_run *run, struct curves *curves) {
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct result_sample *sample = &run->samples[i];
        size_t at = 0;
        while (at < curves->count && (curves->items[at].app != sample->app ||
                                      strcmp(curves->items[at].name, sample->name) != 0))
            at++;
        if (at == curves->count &&
            !ct_vec_push(curves, (struct curve){sample->name, sample->unit, sample->app}))
            return false;
    }
    return true;
}

static void write_curve(struct json_writer *json, const struct result_run *run,
                        const struct curve *curve) {
    double bins[BINS] = {0};
    report_sample_bins(run, curve->name, curve->app, run->report.duration_s * (double)CT_PS_PER_S,
                       bins, BINS);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "name", curve->name, "unit", curve->unit, "app", curve->app);
    json_writer_begin_array(json, "values");
    for (size_t i = 0; i < BINS; i++)
        json_writer_double(json, NULL, html_rounded(bins[i]));
    json_writer_end_array(json);
    json_writer_end_object(json);
}

bool html_write_usage(struct json_writer *json, const struct result_run *run) {
    struct curves curves = {0};
    bool ok = list_curves(run, &curves);
    json_writer_begin_array(json, "usage");
    for (size_t i = 0; i < curves.count; i++)
        write_curve(json, run, &curves.items[i]);
    json_writer_end_array(json);
    ct_vec_free(&curves);
    return ok;
}
