#include "figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Applications are matched by name: policies run the same workload, in any order. */
static const struct report_app *app_named(const struct report *report, const char *name) {
    for (size_t i = 0; i < report->app_count; i++)
        if (strcmp(report->apps[i].name, name) == 0)
            return &report->apps[i];
    return NULL;
}

/* Names of the services with a target (or of all services), in the order of the first report. */
static size_t list_services(const struct report *report, bool with_target, const char **names) {
    size_t count = 0;
    for (size_t i = 0; i < report->app_count; i++) {
        const struct report_app *app = &report->apps[i];
        if (with_target ? !isnan(app->qos_ms) : app->role == REPORT_SERVICE)
            names[count++] = app->name;
    }
    return count;
}

static void begin_row(FILE *out, const struct report *report, size_t position) {
    fprintf(out, "%zu\t", position + 1);
    figure_write_label(out, report->policy);
}

/* One bar; an interval of what grows with the run means nothing. */
static void write_ratio(FILE *out, const struct report_app *app, struct figure_script *script) {
    bool bound = app && app->overloaded == REPORT_YES;
    double ratio = app ? app->p99_over_qos : NAN;
    double high = app && !bound ? app->p99_over_qos_high : NAN;
    figure_write_number(out, ratio);
    figure_write_number(out, app && !bound ? app->p99_over_qos_low : NAN);
    figure_write_number(out, high);
    fprintf(out, "\t%d", bound);
    script->top = fmax(script->top, fmax(ratio, high));
    script->bounds += bound;
    script->intervals += isfinite(high);
}

static int plot_p99(struct figure *figure, const char **names) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {.template = "p99.gp",
                                   .labels = names,
                                   .label_count =
                                       list_services(figure_report(input, 0), true, names),
                                   .target = NAN};
    if (!script.label_count)
        return CT_OK;
    if (!figure_begin(figure, "p99", NULL))
        return CT_DATA;
    fputs("# position, policy, then for each service p99 / target, low, high, 1 if a lower bound\n",
          figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, figure_report(input, i), i);
        for (size_t n = 0; n < script.label_count; n++)
            write_ratio(figure->data, app_named(figure_report(input, i), names[n]), &script);
        putc('\n', figure->data);
    }
    return figure_end(figure, &script);
}

static int plot_batch(struct figure *figure) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {.template = "batch.gp", .top = NAN, .target = NAN};
    for (size_t i = 0; i < input->run_count; i++)
        script.top = fmax(script.top, figure_report(input, i)->system.batch_throughput_normalised);
    if (isnan(script.top))
        return CT_OK;
    if (!figure_begin(figure, "batch", NULL))
        return CT_DATA;
    fputs("# position, policy, batch throughput over that without the services\n", figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, figure_report(input, i), i);
        figure_write_number(figure->data,
                            figure_report(input, i)->system.batch_throughput_normalised);
        putc('\n', figure->data);
    }
    return figure_end(figure, &script);
}

/* Late jobs of the worst service, in per cent; NAN without services that have a target. */
static double worst_late_pct(const struct report *report) {
    double worst = NAN;
    for (size_t i = 0; i < report->app_count; i++)
        if (!isnan(report->apps[i].qos_ms))
            worst = fmax(worst, 100 * report->apps[i].late_fraction);
    return worst;
}

/* No other policy is at least as good in both and better in one. */
static bool is_on_front(const struct report_plots_input *input, size_t i) {
    double late = worst_late_pct(figure_report(input, i)),
           stp = figure_report(input, i)->system.stp;
    for (size_t j = 0; j < input->run_count; j++) {
        double other_late = worst_late_pct(figure_report(input, j));
        double other_stp = figure_report(input, j)->system.stp;
        if (other_late <= late && other_stp >= stp && (other_late < late || other_stp > stp))
            return false;
    }
    return isfinite(late) && isfinite(stp);
}

static int compare_points(const void *a, const void *b) {
    const double *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* The second block: the front from left to right. */
static int write_front(struct figure *figure) {
    size_t count = 0;
    double(*points)[2] = calloc(figure->input->run_count, sizeof *points);
    if (!points)
        return ct_out_of_memory(figure->diags);
    for (size_t i = 0; i < figure->input->run_count; i++) {
        if (!is_on_front(figure->input, i))
            continue;
        points[count][0] = worst_late_pct(figure_report(figure->input, i));
        points[count++][1] = figure_report(figure->input, i)->system.stp;
    }
    qsort(points, count, sizeof *points, compare_points);
    fputs("\n\n# the front: late jobs in %, STP\n", figure->data);
    for (size_t i = 0; i < count; i++)
        fprintf(figure->data, "%.9g\t%.9g\n", points[i][0], points[i][1]);
    free(points);
    return CT_OK;
}

static int plot_tradeoff(struct figure *figure, const char **names) {
    const struct report_plots_input *input = figure->input;
    struct figure_script script = {
        .template = "tradeoff.gp", .labels = names, .label_count = input->run_count, .target = NAN};
    bool known = false;
    for (size_t i = 0; i < input->run_count; i++) {
        names[i] = figure_report(input, i)->policy;
        known = known || (isfinite(worst_late_pct(figure_report(input, i))) &&
                          isfinite(figure_report(input, i)->system.stp));
    }
    if (!known)
        return CT_OK;
    if (!figure_begin(figure, "tradeoff", NULL))
        return CT_DATA;
    fputs("# position, policy, late jobs of the worst service in %, STP\n", figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, figure_report(input, i), i);
        figure_write_number(figure->data, worst_late_pct(figure_report(input, i)));
        figure_write_number(figure->data, figure_report(input, i)->system.stp);
        putc('\n', figure->data);
        script.top = fmax(script.top, worst_late_pct(figure_report(input, i)));
    }
    return write_front(figure) == CT_OK ? figure_end(figure, &script) : CT_DATA;
}

/* Whether any policy lost time to this cause. */
static bool is_cause(const struct report_plots_input *input, const char *service, int cause) {
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = app_named(figure_report(input, i), service);
        if (app && app->blame_ms_p99[cause] > 0)
            return true;
    }
    return false;
}

static int plot_blame(struct figure *figure, const char *service) {
    const struct report_plots_input *input = figure->input;
    const char *names[REPORT_BLAME_COUNT];
    int causes[REPORT_BLAME_COUNT];
    struct figure_script script = {
        .template = "blame.gp", .labels = names, .service = service, .target = NAN};
    for (int cause = 0; cause < REPORT_BLAME_COUNT; cause++)
        if (is_cause(input, service, cause)) {
            causes[script.label_count] = cause;
            names[script.label_count++] = report_blame_name(cause);
        }
    if (!script.label_count)
        return CT_OK;
    if (!figure_begin(figure, "blame", service))
        return CT_DATA;
    fputs("# position, policy, then ms per job of the slowest 1 % for each of:", figure->data);
    for (size_t s = 0; s < script.label_count; s++)
        fprintf(figure->data, " %s", names[s]);
    putc('\n', figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = app_named(figure_report(input, i), service);
        begin_row(figure->data, figure_report(input, i), i);
        for (size_t s = 0; s < script.label_count; s++)
            figure_write_number(figure->data, app ? app->blame_ms_p99[causes[s]] : NAN);
        putc('\n', figure->data);
    }
    return figure_end(figure, &script);
}

struct latencies {
    CT_VEC(double);
};

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Latencies in ms of the jobs that arrived while the run was measured. */
static bool add_latencies(const struct result_run *run, const char *service,
                          struct latencies *latencies) {
    double begin = run->report.warmup_s, end = run->report.duration_s;
    for (size_t i = 0; i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        double arrival_s = ct_time_s(job->arrival_ps);
        bool counts = job->app < run->report.app_count && job->end_ps >= 0 &&
                      strcmp(run->report.apps[job->app].name, service) == 0 &&
                      !(arrival_s < begin) && !(arrival_s >= end);
        if (counts && !ct_vec_push(latencies, ct_time_ms(job->end_ps - job->arrival_ps)))
            return false;
    }
    return true;
}

/* Of one stored run. */
static int read_latencies(struct figure *figure, int64_t number, const char *service,
                          struct latencies *latencies) {
    struct result_set set = {0};
    int status = result_store_read(figure->input->store, number, RESULT_JOBS, &set, figure->diags);
    if (status == CT_OK && !add_latencies(&set.runs.items[0], service, latencies))
        status = ct_out_of_memory(figure->diags);
    result_set_free(&set);
    return status;
}

/* Of a run and, when it is pooled, of all its replications; sorted. */
static int collect_latencies(struct figure *figure, const struct result_run *run,
                             const char *service, struct latencies *latencies) {
    int status = read_latencies(figure, run->number, service, latencies);
    for (size_t i = 0; i < run->member_count && status == CT_OK; i++)
        status = read_latencies(figure, run->members[i], service, latencies);
    if (latencies->count)
        qsort(latencies->items, latencies->count, sizeof *latencies->items, compare_doubles);
    return status;
}

/*
 * One curve: where it moves by less than a two-hundredth of a decade of the tail, points are left
 * out. Returns the decades that it spans.
 */
static double write_curve(FILE *out, const struct latencies *latencies, const char *policy) {
    double n = (double)latencies->count, last = -1, tail = 0;
    fputs("# ", out);
    figure_write_label(out, policy);
    putc('\n', out);
    if (!latencies->count)
        fputs("nan\tnan\n", out);
    for (size_t i = 0; i < latencies->count; i++) {
        double share = (n - (double)i - 0.5) / n;
        tail = -log10(share);
        if (tail - last < 0.005 && i + 1 < latencies->count)
            continue;
        fprintf(out, "%.9g\t%.9g\n", latencies->items[i], share);
        last = tail;
    }
    fputs("\n\n", out);
    return tail;
}

static int write_curves(struct figure *figure, const char *service, struct figure_script *script,
                        size_t *jobs) {
    int status = CT_OK;
    for (size_t i = 0; i < figure->input->run_count && status == CT_OK; i++) {
        const struct result_run *run = &figure->input->set->runs.items[figure->input->runs[i]];
        struct latencies latencies = {0};
        status = collect_latencies(figure, run, service, &latencies);
        script->top = fmax(script->top, write_curve(figure->data, &latencies, run->report.policy));
        *jobs += latencies.count;
        if (latencies.count) {
            script->least = fmin(script->least, latencies.items[0]);
            script->most = fmax(script->most, latencies.items[latencies.count - 1]);
        }
        ct_vec_free(&latencies);
    }
    return status;
}

static int plot_latency(struct figure *figure, const char *service, const char **names) {
    const struct report_app *app = app_named(figure_report(figure->input, 0), service);
    struct figure_script script = {.template = "latency.gp",
                                   .labels = names,
                                   .label_count = figure->input->run_count,
                                   .service = service,
                                   .top = 2.2, /* at least up to 99.4 % */
                                   .target = app->qos_ms,
                                   .least = INFINITY};
    size_t jobs = 0;
    for (size_t i = 0; i < figure->input->run_count; i++)
        names[i] = figure_report(figure->input, i)->policy;
    if (!figure_begin(figure, "latency", service))
        return CT_DATA;
    fputs("# one block per policy: latency in ms, share of jobs that took longer\n", figure->data);
    int status = write_curves(figure, service, &script, &jobs);
    if (status == CT_OK && jobs)
        return figure_end(figure, &script);
    figure_drop(figure); /* no jobs were stored */
    return status;
}

static int plot_services(struct figure *figure, const char **services, const char **names) {
    size_t count = list_services(figure_report(figure->input, 0), false, services);
    int status = CT_OK;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        status = plot_latency(figure, services[i], names);
        if (status == CT_OK)
            status = plot_blame(figure, services[i]);
    }
    return status;
}

int report_plots_write(const struct report_plots_input *input, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags) {
    struct figure figure = {.input = input, .folder = folder, .plots = plots, .diags = diags};
    if (!input->run_count)
        return CT_OK;
    size_t room = input->run_count + figure_report(input, 0)->app_count;
    const char **names = ct_arena_array(&plots->arena, room, sizeof *names);
    const char **services = ct_arena_array(&plots->arena, room, sizeof *services);
    if (!names || !services)
        return ct_out_of_memory(diags);
    int status = plot_p99(&figure, names);
    if (status == CT_OK)
        status = plot_batch(&figure);
    if (status == CT_OK)
        status = plot_tradeoff(&figure, names);
    if (status == CT_OK)
        status = report_plots_time(&figure);
    return status == CT_OK ? plot_services(&figure, services, names) : status;
}

void report_plots_free(struct report_plots *plots) {
    ct_arena_free(&plots->arena);
    ct_vec_free(&plots->names);
}
