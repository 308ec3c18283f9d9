#include "figures/report_plots.h"
#include "figures/figure.h"
#include "figures/report_curves.h"

#include <string.h>

static bool has_target(const struct report_app *app) {
    return !isnan(app->qos_ms);
}

static bool is_service(const struct report_app *app) {
    return app->role == REPORT_SERVICE;
}

/* Names of the applications of all runs that are wanted (NULL: all), in the order in which they
 * come: by these they are matched, as policies run the same workload in any order. */
static size_t list_apps(const struct report_plots_input *input,
                        bool (*wanted)(const struct report_app *), const char **names) {
    size_t count = 0;
    for (size_t i = 0; i < input->run_count; i++)
        for (size_t a = 0; a < figure_report(input, i)->app_count; a++) {
            const struct report_app *app = &figure_report(input, i)->apps[a];
            if (!wanted || wanted(app))
                figure_index(names, &count, app->name);
        }
    return count;
}

/* An interval of what grows with the run means nothing. */
static struct plot_value ratio_of(const struct report_app *app) {
    if (!app)
        return (struct plot_value){NAN, NAN, NAN, FIGURE_EXACT};
    if (app->overloaded == REPORT_YES)
        return (struct plot_value){app->p99_over_qos, NAN, NAN, FIGURE_AT_LEAST};
    return (struct plot_value){app->p99_over_qos, app->p99_over_qos_low, app->p99_over_qos_high,
                               FIGURE_EXACT};
}

static void plot_p99(struct figure *figure, const char **names) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {.template = "p99.gp",
                                   .labels = names,
                                   .label_count = list_apps(input, has_target, names),
                                   .places = figure->run_names,
                                   .place_count = input->run_count,
                                   .target = NAN,
                                   .key_letters = sizeof "overloaded: at least" - 1,
                                   .positions = input->run_count};
    if (!script.label_count)
        return;
    script.bars = script.label_count;
    script.keys = script.label_count + 2;
    if (!figure_begin(figure, "p99", NULL,
                      "series,position,p99_over_target,low,high,bound,service,policy"))
        return;
    for (size_t i = 0; i < input->run_count; i++) {
        bool any = false;
        for (size_t n = 0; n < script.label_count; n++) {
            struct plot_value bar = ratio_of(report_app_named(figure_report(input, i), names[n]));
            figure_write_bar(figure, &script, n, i, bar);
            any |= isfinite(bar.value);
        }
        figure_list(figure, any, i);
    }
    figure_end(figure, &script);
}

/* A bar for each policy. */
static void plot_measure(struct figure *figure, const struct plot_measure *measure) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {.template = "measure.gp",
                                   .places = figure->run_names,
                                   .place_count = input->run_count,
                                   .service = measure->axis,
                                   .top = NAN,
                                   .target = NAN,
                                   .positions = input->run_count,
                                   .bars = 1};
    for (size_t i = 0; i < input->run_count; i++)
        script.top = fmax(script.top, plot_value_of(measure, figure_report(input, i)).value);
    if (isnan(script.top) || !figure_begin(figure, measure->name, NULL, "position,value,policy"))
        return;
    for (size_t i = 0; i < input->run_count; i++) {
        double value = plot_value_of(measure, figure_report(input, i)).value;
        figure_row(figure, i + 1, value, figure->run_names[i]);
        figure_list(figure, isfinite(value), i);
    }
    figure_end(figure, &script);
}

/* A figure of batch work where there are services, else those of STP, ANTT and fairness. */
static void plot_system(struct figure *figure, bool services) {
    for (size_t i = 0; i < PLOT_MEASURES; i++)
        if (i != PLOT_P99 && services == (i == PLOT_BATCH))
            plot_measure(figure, &plot_measures[i]);
}

/* How far each application came against running alone. */
static void plot_progress(struct figure *figure, const char **names) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script =
        figure_grouped(names, list_apps(input, NULL, names), figure->run_names,
                       "progress against running alone", NAN);
    bool any = false;
    for (size_t i = 0; i < input->run_count; i++)
        for (size_t n = 0; n < figure_report(input, i)->app_count; n++)
            any |= isfinite(figure_report(input, i)->apps[n].normalised_progress);
    if (!any || !figure_begin(figure, "progress", NULL,
                              "series,position,value,low,high,bound,application,policy"))
        return;
    for (size_t i = 0; i < input->run_count; i++)
        for (size_t n = 0; n < script.label_count; n++) {
            const struct report_app *app = report_app_named(figure_report(input, i), names[n]);
            bool is_known = app && isfinite(app->normalised_progress);
            figure_write_bar(
                figure, &script, n, i,
                (struct plot_value){is_known ? app->normalised_progress : NAN, NAN, NAN,
                                    is_known ? figure_progress_bound(app) : FIGURE_EXACT});
        }
    figure_group_rows(&script, input->run_count);
    figure_key_bounds(&script);
    figure_end(figure, &script);
}

static bool has_tradeoff(const struct report *report) {
    return isfinite(report_worst_late_pct(report)) && isfinite(report->system.stp);
}

/* The front that each run is on, from 1, one for each setting; 0: another policy in the same
 * setting is at least as good in both and better in one. NULL: no memory. Their number to `count`.
 */
static size_t *list_fronts(const struct report_plots_input *input, struct ct_arena *arena,
                           size_t *count) {
    size_t *firsts = ct_arena_array(arena, input->run_count, sizeof *firsts);
    size_t *fronts = ct_arena_array(arena, input->run_count, sizeof *fronts);
    size_t *numbers = ct_arena_array(arena, input->run_count, sizeof *numbers);
    const struct report **reports = ct_arena_array(arena, input->run_count, sizeof *reports);
    for (size_t i = 0; i < input->run_count && reports; i++)
        reports[i] = figure_report(input, i);
    if (!firsts || !fronts || !numbers || !reports ||
        !report_list_settings(reports, input->run_count, arena, firsts))
        return NULL;
    *count = 0;
    for (size_t i = 0; i < input->run_count; i++) {
        bool on = has_tradeoff(reports[i]);
        for (size_t j = 0; j < input->run_count && on; j++)
            on = firsts[j] != firsts[i] || !report_dominates(reports[j], reports[i]);
        if (on && !numbers[firsts[i]])
            numbers[firsts[i]] = ++*count;
        fronts[i] = on ? numbers[firsts[i]] : 0;
    }
    return fronts;
}

/* Nothing is left of a figure that is not wanted, or whose data failed. */
static void end_or_drop(struct figure *figure, bool wanted, const struct figure_script *script) {
    if (wanted && figure->status == CT_OK)
        figure_end(figure, script);
    else
        output_file_drop(&figure->file);
}

/* Policies without data are marked in the key. */
static void mark_idle(const struct figure *figure, struct figure_script *script) {
    if (figure->used[1] > 0)
        script->key_letters = figure->name_letters + sizeof ": no data" - 1;
}

static void plot_tradeoff(struct figure *figure) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {.template = "tradeoff.gp",
                                   .labels = figure->run_names,
                                   .label_count = input->run_count,
                                   .target = NAN,
                                   .least = INFINITY,
                                   .most = 0,
                                   .keys = 2, /* and those without data */
                                   .key_letters = sizeof "from a mark to its name" - 1};
    bool known = false;
    for (size_t i = 0; i < input->run_count; i++)
        known = known || has_tradeoff(figure_report(input, i));
    if (!known ||
        !figure_begin(figure, "tradeoff", NULL, "position,late_pct,stp,bound,front,policy"))
        return;
    const size_t *fronts = list_fronts(input, &figure->plots->arena, &script.fronts);
    if (!fronts)
        figure_out_of_memory(figure);
    for (size_t i = 0; i < input->run_count && fronts; i++) {
        double late = report_worst_late_pct(figure_report(input, i));
        struct plot_value stp = plot_value_of(&plot_measures[PLOT_STP], figure_report(input, i));
        bool has_data = has_tradeoff(figure_report(input, i));
        figure_row(figure, i + 1, late, stp.value, stp.bound, fronts[i] ? (double)fronts[i] : NAN,
                   figure->run_names[i]);
        figure_list(figure, has_data, i);
        script.keys += !has_data;
        script.uppers += has_data && stp.bound == FIGURE_AT_MOST;
        script.top = fmax(script.top, late);
        script.least = fmin(script.least, stp.value);
        script.most = fmax(script.most, stp.value);
    }
    script.keys += script.uppers > 0;
    mark_idle(figure, &script);
    end_or_drop(figure, true, &script);
}

/* Whether any policy lost time to this cause. */
static bool is_cause(const struct report_plots_input *input, const char *service, int cause) {
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = report_app_named(figure_report(input, i), service);
        if (app && app->blame_ms_p99[cause] > 0)
            return true;
    }
    return false;
}

/* Of charts of lost time: what a neutral stand-in for unknown demand does to them. */
static const char *demand_note(const struct report_plots_input *input) {
    bool lacks = false;
    for (size_t i = 0; i < input->run_count; i++)
        lacks |= ct_coverage_lacks_demand(&figure_report(input, i)->inputs);
    return lacks ? "; memory demand not all known: time lost to it is a lower bound" : NULL;
}

static void plot_blame(struct figure *figure, const char *service) {
    const struct report_plots_input *input = figure->input;
    const char *keys[CT_BLAME_COUNT], *words[CT_BLAME_COUNT];
    int causes[CT_BLAME_COUNT];
    struct figure_script script = {.template = "blame.gp",
                                   .labels = words,
                                   .parts = keys,
                                   .places = figure->run_names,
                                   .place_count = input->run_count,
                                   .service = service,
                                   .note = demand_note(input),
                                   .target = NAN,
                                   .least = INFINITY,
                                   .positions = input->run_count,
                                   .bars = 1};
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        if (is_cause(input, service, cause)) {
            causes[script.label_count] = cause;
            keys[script.label_count] = ct_blame_key(cause);
            words[script.label_count++] = ct_blame_words[cause].part;
        }
    script.keys = script.label_count;
    if (!script.label_count ||
        !figure_begin(figure, "blame", service, "series,position,ms_per_job,cause,policy"))
        return;
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = report_app_named(figure_report(input, i), service);
        double whole = 0;
        for (size_t s = 0; s < script.label_count; s++) {
            double ms = app ? app->blame_ms_p99[causes[s]] : NAN;
            figure_row(figure, s + 1, i + 1, ms, keys[s], figure->run_names[i]);
            whole += fmax(ms, 0); /* of NAN: 0 */
        }
        figure_list(figure, whole > 0, i);
        script.least = whole > 0 ? fmin(script.least, whole) : script.least;
        script.most = fmax(script.most, whole);
    }
    figure_end(figure, &script);
}

/* Adds a service's latencies in one stored run. */
static void read_latencies(struct figure *figure, int64_t number, const char *service,
                           struct report_latencies *latencies) {
    struct result_set set = {0};
    if (figure->status == CT_OK)
        figure->status =
            result_store_read(figure->input->store, number, RESULT_JOBS, &set, figure->diags);
    if (figure->status == CT_OK && !report_latencies_add(&set.runs.items[0], service, latencies))
        figure_out_of_memory(figure);
    result_set_free(&set);
}

/* One curve; returns the decades of the tail that it spans. */
static double write_curve(struct figure *figure, const struct report_latency_curve *curve,
                          size_t series, const char *policy) {
    for (size_t i = 0; i < curve->count; i++)
        figure_row(figure, series + 1, curve->items[i].ms, curve->items[i].share, policy);
    return curve->count ? -log10(curve->items[curve->count - 1].share) : 0;
}

/* The name of a curve of lower bounds says so. */
static const char *curve_name(struct figure *figure, const char *policy,
                              const struct report_latencies *latencies) {
    if (!latencies->unfinished)
        return policy;
    const char *name = ct_arena_format(&figure->plots->arena, "%s (at least)", policy);
    return name ? name : policy;
}

static void write_curves(struct figure *figure, const char *service, struct figure_script *script,
                         const char **names) {
    for (size_t i = 0; i < figure->input->run_count && figure->status == CT_OK; i++) {
        struct report_latencies latencies = {0};
        struct report_latency_curve curve = {0};
        const struct result_run *run = figure_run(figure->input, i);
        read_latencies(figure, run->number, service, &latencies);
        for (size_t m = 0; m < run->member_count; m++) /* of one that is pooled */
            read_latencies(figure, run->members[m], service, &latencies);
        if (figure->status == CT_OK && !report_latencies_curve(&latencies, &curve))
            figure_out_of_memory(figure);
        names[i] = curve_name(figure, figure->run_names[i], &latencies);
        script->top = fmax(script->top, write_curve(figure, &curve, i, names[i]));
        figure_list(figure, curve.count > 0, i);
        if (curve.count) {
            script->least = fmin(script->least, curve.items[0].ms);
            script->most = fmax(script->most, curve.items[curve.count - 1].ms);
        }
        ct_vec_free(&curve);
        ct_vec_free(&latencies);
    }
}

/* The target of a service's jobs; NAN: they have none, as a step in which tokens are generated has
 * not that of a whole request, or workloads have several. */
static double common_target(const struct report_plots_input *input, const char *service) {
    double target = NAN;
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = report_app_named(figure_report(input, i), service);
        if (!app || report_generates(app))
            continue;
        if (!isnan(target) && app->qos_ms != target)
            return NAN;
        target = app->qos_ms;
    }
    return target;
}

static void plot_latency(struct figure *figure, const char *service, const char **names) {
    struct figure_script script = {.template = "latency.gp",
                                   .labels = names,
                                   .label_count = figure->input->run_count,
                                   .service = service,
                                   .top = 2.2, /* at least up to 99.4 % */
                                   .target = common_target(figure->input, service),
                                   .least = INFINITY,
                                   .keys = figure->input->run_count + 1};
    if (!figure_begin(figure, "latency", service, "series,latency_ms,longer_fraction,policy"))
        return;
    write_curves(figure, service, &script, names);
    mark_idle(figure, &script);
    end_or_drop(figure, figure->used[0] > 0, &script); /* nothing where no jobs were stored */
}

static void plot_services(struct figure *figure, const char **services, const char **names) {
    size_t count = list_apps(figure->input, is_service, services);
    for (size_t i = 0; i < count; i++) {
        plot_latency(figure, services[i], names);
        plot_blame(figure, services[i]);
    }
}

/* ---- What applications hold and move over time: samples of one run ---- */

/* A stored curve as its mean in each bin. */
struct binned {
    double bins[REPORT_BINS];
};

static double largest(const struct binned *curves, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t bin = 0; bin < REPORT_BINS; bin++)
            most = fmax(most, curves[i].bins[bin]);
    return most;
}

struct plotted {
    const char *figure, *template;
    const char *by_app;    /* curve of every application, in % of the SMs */
    const char *device[3]; /* curves of the device, after those, in GB/s */
    size_t panel_height;   /* of a strip for each application; 0: two panels */
};

static void write_bins(struct figure *figure, const struct plotted *plotted,
                       const struct binned *curves, size_t count, const char **labels, size_t apps,
                       double end_ps) {
    for (size_t bin = 0; bin < REPORT_BINS; bin++)
        for (size_t i = 0; i < count; i++)
            figure_row(figure, i + 1, ((double)bin + 0.5) * end_ps / REPORT_BINS / 1e12,
                       curves[i].bins[bin], i < apps ? "% of SMs" : "GB/s",
                       i < apps ? labels[i] : plotted->device[i - apps]);
}

/* Points that each of two panels is high. */
enum { TWO_PANELS = 220 };

static void plot_run(struct figure *figure, const struct plotted *plotted,
                     const struct result_run *run, const char *name) {
    size_t apps = run->report.app_count, count = apps;
    double end_ps = run->report.duration_s * (double)CT_PS_PER_S;
    struct ct_arena *arena = &figure->plots->arena;
    struct binned *curves =
        ct_arena_array(arena, apps + CT_COUNT_OF(plotted->device), sizeof *curves);
    const char **labels = ct_arena_array(arena, apps + 1, sizeof *labels);
    if (!curves || !labels) {
        figure_out_of_memory(figure);
        return;
    }
    const char *memory =
        ct_coverage_lacks_demand(&run->report.inputs) ? "memory, known demand" : "memory";
    bool any = false;
    for (size_t i = 0; i < apps; i++) {
        labels[i] = run->report.apps[i].name;
        any |= report_sample_bins(run, plotted->by_app, (int64_t)i, end_ps, curves[i].bins);
    }
    for (size_t i = 0; i < CT_COUNT_OF(plotted->device) && plotted->device[i]; i++) {
        report_sample_bins(run, plotted->device[i], -1, end_ps, curves[count++].bins);
    }
    if (!any || !figure_begin(figure, plotted->figure, NULL, "series,time_s,value,unit,curve"))
        return;
    write_bins(figure, plotted, curves, count, labels, apps, end_ps);
    struct figure_script script = {.template = plotted->template,
                                   .labels = labels,
                                   .label_count = apps,
                                   .service = name,
                                   .memory = memory,
                                   .key_letters = strlen(memory),
                                   .top = largest(curves + apps, count - apps),
                                   .target = NAN,
                                   .least = 0,
                                   .most = run->report.duration_s,
                                   .keys = plotted->panel_height ? 0 : apps,
                                   .panels = plotted->panel_height ? apps : 2,
                                   .panel_height =
                                       plotted->panel_height ? plotted->panel_height : TWO_PANELS};
    figure_end(figure, &script);
}

/* Use and quotas over time, of the first run that was sampled. */
static void plot_time(struct figure *figure) {
    static const struct plotted plotted[] = {
        {"usage", "usage.gp", "sm_share", {"dram_bandwidth", "pcie_h2d", "pcie_d2h"}, 0},
        {"quota", "quota.gp", "quota", {NULL}, 86}};
    bool sampled = false;
    for (size_t i = 0; i < figure->input->run_count && !sampled && figure->status == CT_OK; i++) {
        const struct result_run *shown = figure_run(figure->input, i);
        bool one_place = figure->gpu && figure->title == figure_report(figure->input, 0)->workload;
        const char *name = one_place ? figure->run_names[i] : shown->report.policy;
        struct figure of_run = *figure;
        struct result_set set = {0};
        of_run.title = shown->report.workload;
        of_run.gpu = shown->report.gpu;
        of_run.status = result_store_read(figure->input->store, shown->number, RESULT_SAMPLES, &set,
                                          figure->diags);
        sampled = of_run.status == CT_OK && set.runs.items[0].sample_count > 0;
        for (size_t p = 0; p < CT_COUNT_OF(plotted) && sampled; p++)
            plot_run(&of_run, &plotted[p], &set.runs.items[0], name);
        result_set_free(&set);
        figure->status = of_run.status;
    }
}

/* ---- All of them ---- */

/* A bar for each service in every run, for which the jobs of all applications are read (chosen). */
static bool are_too_many(const struct figure *figure) {
    enum { MOST_READ = 1000000 };
    size_t most = 0;
    double read = 0;
    for (size_t i = 0; i < figure->input->run_count; i++) {
        const struct result_run *run = figure_run(figure->input, i);
        size_t services = run->report.app_count;
        read += (double)services * (double)(1 + run->member_count) * (double)services;
        most = services > most ? services : most;
    }
    if (read > MOST_READ)
        ct_notice(figure->diags, "plot",
                  "%zu applications in so many runs are not drawn one by one", most);
    return read > MOST_READ;
}

/* Its title, and names of the runs by which they are told apart. */
static bool name_runs(struct figure *figure) {
    const struct report_plots_input *input = figure->input;
    struct ct_arena *arena = &figure->plots->arena;
    struct report_places places = {0};
    struct result_named *named = ct_arena_array(arena, input->run_count, sizeof *named);
    figure->run_names = ct_arena_array(arena, input->run_count, sizeof *figure->run_names);
    for (size_t i = 0; i < input->run_count; i++)
        report_places_add(&places, figure_report(input, i));
    figure->title = places.workload ? places.workload : "several workloads";
    figure->gpu = places.gpu;
    for (size_t i = 0; i < input->run_count && named; i++) {
        const struct report *report = figure_report(input, i);
        const char *place = report_place_name(&places, report, arena);
        named[i].report = report;
        result_given_read(figure_run(input, i), arena, &named[i].given);
        named[i].name =
            place ? ct_arena_format(arena, "%s%s%s", report->policy, *place ? ", " : "", place)
                  : NULL;
        if (!named[i].name)
            return false;
    }
    if (!named || !figure->run_names ||
        !report_names_apart(named, input->run_count, arena, figure->run_names))
        return false;
    for (size_t i = 0; i < input->run_count; i++) {
        size_t length = strlen(figure->run_names[i]);
        figure->name_letters = length > figure->name_letters ? length : figure->name_letters;
    }
    return true;
}

int report_plots_write(const struct report_plots_input *input, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags) {
    if (!input->run_count)
        return CT_OK;
    struct figure figure = {.input = input,
                            .policies = input->run_count,
                            .folder = folder,
                            .plots = plots,
                            .diags = diags};
    size_t room = input->run_count;
    for (size_t i = 0; i < input->run_count; i++)
        room += figure_report(input, i)->app_count;
    const char **names = ct_arena_array(&plots->arena, room, sizeof *names);
    const char **services = ct_arena_array(&plots->arena, room, sizeof *services);
    if (!names || !services || !name_runs(&figure))
        return ct_out_of_memory(diags);
    bool crowded = are_too_many(&figure);
    if (!crowded)
        plot_p99(&figure, names);
    plot_system(&figure, list_apps(input, is_service, services) > 0);
    if (!crowded)
        plot_progress(&figure, names);
    plot_tradeoff(&figure);
    if (!crowded) {
        plot_time(&figure);
        plot_services(&figure, services, names);
    }
    return figure.status;
}

void report_plots_free(struct report_plots *plots) {
    ct_arena_free(&plots->arena);
    ct_vec_free(&plots->names);
    if (plots->is_held)
        output_folder_release(plots->held);
}
