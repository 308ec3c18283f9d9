#include "figures/report_curves.h"

#include "base/ct_intern.h"
#include "base/ct_sort.h"

#include <string.h>

bool report_latencies_add(const struct result_run *run, const char *app,
                          struct report_latencies *latencies) {
    double begin = run->report.warmup_s, end = run->report.duration_s;
    for (size_t i = 0; i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        double arrival_s = ct_time_s(job->arrival_ps);
        ct_time_ps until = result_job_until(job);
        bool counts = job->app < run->report.app_count && until >= 0 &&
                      strcmp(run->report.apps[job->app].name, app) == 0 && !(arrival_s < begin) &&
                      !(arrival_s >= end);
        if (counts && !ct_vec_push(latencies, ct_time_ms(until - job->arrival_ps)))
            return false;
        latencies->unfinished += counts && job->end_ps < 0;
    }
    return true;
}

bool report_latencies_curve(struct report_latencies *latencies,
                            struct report_latency_curve *curve) {
    double n = (double)latencies->count, last = -1;
    ct_sort_doubles(latencies->items, latencies->count);
    for (size_t i = 0; i < latencies->count; i++) {
        double share = (n - (double)i - 0.5) / n, tail = -log10(share);
        if (tail - last < 0.005 && i + 1 < latencies->count)
            continue;
        if (!ct_vec_push(curve, (struct report_latency_point){latencies->items[i], share}))
            return false;
        last = tail;
    }
    return true;
}

static double overlap(double from, double to, double begin, double end) {
    return fmax(0, fmin(to, end) - fmax(from, begin));
}

static void add_level(double *bins, double value, double from, double to, double width) {
    for (size_t bin = (size_t)fmax(0, from / width); bin < REPORT_BINS && (double)bin * width < to;
         bin++)
        bins[bin] +=
            value * overlap(from, to, (double)bin * width, (double)(bin + 1) * width) / width;
}

bool report_sample_bins(const struct result_run *run, const char *name, int64_t app, double end_ps,
                        double bins[REPORT_BINS]) {
    double level = 0, since = 0, width = end_ps / REPORT_BINS;
    bool any = false;
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct result_sample *sample = &run->samples[i];
        if (sample->app != app || strcmp(sample->name, name) != 0)
            continue;
        add_level(bins, level, since, (double)sample->time_ps, width);
        level = sample->value;
        since = (double)sample->time_ps;
        any = true;
    }
    add_level(bins, level, since, end_ps, width);
    return any;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *common(const char *all, const char *one) {
    return same_text(all, one) ? all : NULL;
}

void report_places_add(struct report_places *places, const struct report *report) {
    bool first = places->count++ == 0;
    places->workload = first ? report->workload : common(places->workload, report->workload);
    places->gpu = first ? report->gpu : common(places->gpu, report->gpu);
}

const char *report_place_name(const struct report_places *places, const struct report *report,
                              struct ct_arena *arena) {
    const char *workload = places->workload || !report->workload ? "" : report->workload;
    const char *gpu = places->gpu || !report->gpu ? "" : report->gpu;
    return ct_arena_format(arena, "%s%s%s", workload, *workload && *gpu ? " on " : "", gpu);
}

/* How many names are like this one, and which of them it is. */
static const char *with_number(const char *const *names, size_t count, size_t of,
                               struct ct_arena *arena) {
    size_t alike = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        alike += strcmp(names[i], names[of]) == 0;
        number = i == of ? alike : number;
    }
    return alike > 1 ? ct_arena_format(arena, "%s%s%zu of %zu", names[of], *names[of] ? ", " : "",
                                       number, alike)
                     : names[of];
}

bool report_names_apart(const struct result_named *named, size_t count, struct ct_arena *arena,
                        const char **names) {
    const char **longer = ct_arena_array(arena, count + 1, sizeof *longer);
    bool ok = longer && result_settings_apart(named, count, arena, longer);
    for (size_t i = 0; i < count && ok; i++) {
        const char *name = named[i].name, *set = longer[i];
        if (*set)
            longer[i] = ct_arena_format(arena, "%s%s%s", name, *name ? ", " : "", set);
        else
            longer[i] = name;
        ok = longer[i] != NULL;
    }
    for (size_t i = 0; i < count && ok; i++)
        ok = (names[i] = with_number(longer, count, i, arena));
    return ok;
}

bool report_same_place(const struct report *a, const struct report *b) {
    return same_text(a->workload, b->workload) && same_text(a->gpu, b->gpu);
}

bool report_list_settings(const struct report *const *reports, size_t count, struct ct_arena *arena,
                          size_t *firsts) {
    struct ct_intern settings = {0};
    size_t *first_of = ct_arena_array(arena, count + 1, sizeof *first_of), known = 0;
    bool ok = first_of != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        const char *text = result_given_setting(reports[i], arena);
        uint32_t setting = text ? ct_intern_text(&settings, text) : UINT32_MAX;
        ok = setting != UINT32_MAX;
        if (ok && setting == known)
            first_of[known++] = i;
        if (ok)
            firsts[i] = first_of[setting];
    }
    ct_intern_free(&settings);
    return ok;
}

bool report_dominates(const struct report *a, const struct report *b) {
    double late_a = report_worst_late_pct(a), late_b = report_worst_late_pct(b);
    double stp_a = a->system.stp, stp_b = b->system.stp;
    return late_a <= late_b && stp_a >= stp_b && (late_a < late_b || stp_a > stp_b);
}
