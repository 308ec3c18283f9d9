#include "report_plots.h"

#include "ct_text.h"
#include "workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 160 };

/* One figure on its way into its two files. */
struct figure {
    const struct report_plots_input *input;
    const char *folder;
    struct report_plots *plots;
    struct ct_diags *diags;
    char name[NAME_SIZE], path[PATH_SIZE];
    FILE *data;
};

static const struct report *report_at(const struct report_plots_input *input, size_t i) {
    return &input->set->runs.items[input->runs[i]].report;
}

/* Applications are matched by name: policies run the same workload, in any order. */
static const struct report_app *app_named(const struct report *report, const char *name) {
    for (size_t i = 0; i < report->app_count; i++)
        if (strcmp(report->apps[i].name, name) == 0)
            return &report->apps[i];
    return NULL;
}

static FILE *open_file(struct figure *figure, const char *ending) {
    snprintf(figure->path, sizeof figure->path, "%s/%s.%s", figure->folder, figure->name, ending);
    FILE *file = fopen(figure->path, "w");
    if (!file)
        ct_error(figure->diags, figure->path, "cannot write it: %s", strerror(errno));
    return file;
}

static int close_file(struct figure *figure, FILE *file) {
    bool failed = ferror(file);
    if (fclose(file) == 0 && !failed)
        return CT_OK;
    ct_error(figure->diags, figure->path, "cannot write it: %s", strerror(errno));
    return CT_DATA;
}

/* "latency-vit" from "latency" and "vit": what is safe in a file name. */
static void name_figure(struct figure *figure, const char *kind, const char *app) {
    size_t used = (size_t)snprintf(figure->name, sizeof figure->name, "%s%s", kind, app ? "-" : "");
    for (; app && *app && used + 1 < sizeof figure->name; app++)
        figure->name[used++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789._-",
                                      *app)
                                   ? *app
                                   : '_';
    figure->name[used] = '\0';
}

static bool begin_figure(struct figure *figure, const char *kind, const char *app) {
    name_figure(figure, kind, app);
    figure->data = open_file(figure, "dat");
    return figure->data;
}

static void write_number(FILE *out, double number) {
    char text[40];
    if (isfinite(number))
        ct_text_double(text, sizeof text, number);
    fprintf(out, "\t%s", isfinite(number) ? text : "nan");
}

/* Text of a column: a tab or a line end would be another column. */
static void write_label(FILE *out, const char *text) {
    for (; text && *text; text++)
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

/* A string of gnuplot: in single quotes nothing is special but the quote. */
static void write_quoted(FILE *out, const char *text) {
    putc('\'', out);
    for (; text && *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void write_labels(FILE *out, const char *const *labels, size_t count) {
    fprintf(out, "array label[%zu] = [", count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        write_quoted(out, labels[i]);
    }
    fputs(count ? "]\n" : "'']\n", out);
}

static int append_template(struct figure *figure, FILE *script, const char *name) {
    const char *path = share_find(&figure->plots->arena, "plots", name, NULL);
    FILE *template = path ? fopen(path, "r") : NULL;
    if (!template) {
        ct_error(figure->diags, name, "the plot template is missing from the share folder");
        return CT_DATA;
    }
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, template)) > 0;)
        fwrite(buffer, 1, got, script);
    fclose(template);
    putc('\n', script);
    return CT_OK;
}

/* What a script is told beside its numbers. */
struct script {
    const char *template;
    const char *const *labels;
    size_t label_count;
    const char *service; /* NULL: of no service alone */
    double top, target;
    int bounds;         /* bars that are lower bounds */
    double least, most; /* latencies */
};

/* Whether the policies' names below the bars would run into each other: a line has room for some 60
 * letters. */
static bool labels_need_room(const struct report_plots_input *input) {
    enum { ROOM = 60 };
    size_t longest = 0;
    for (size_t i = 0; i < input->run_count; i++) {
        size_t length = strlen(report_at(input, i)->policy) + 2;
        longest = length > longest ? length : longest;
    }
    return longest * input->run_count > ROOM;
}

static void write_setting(FILE *out, const char *name, double number) {
    char text[40];
    ct_text_double(text, sizeof text, isfinite(number) ? number : 0);
    fprintf(out, "%s = %s\n", name, text);
}

static void write_settings(const struct figure *figure, const struct script *script, FILE *out) {
    const struct report *first = report_at(figure->input, 0);
    fprintf(out, "# gnuplot -c %s.gp [svg|png] draws %s.dat.\nname = '%s'\ndata = '%s.dat'\n",
            figure->name, figure->name, figure->name, figure->name);
    fputs("workload = ", out);
    write_quoted(out, first->workload);
    fputs("\ngpu = ", out);
    write_quoted(out, first->gpu);
    fputs("\nservice = ", out);
    write_quoted(out, script->service);
    fprintf(out, "\nturned = %d\npolicies = %zu\nseries = %zu\nbounds = %d\n",
            labels_need_room(figure->input), figure->input->run_count, script->label_count,
            script->bounds);
    write_setting(out, "top", script->top);
    write_setting(out, "target", script->target);
    write_setting(out, "least", script->least);
    write_setting(out, "most", script->most);
    write_labels(out, script->labels, script->label_count);
}

/* Closes the data, writes the script, and notes the figure. */
static int end_figure(struct figure *figure, const struct script *script) {
    int status = close_file(figure, figure->data);
    FILE *out = status == CT_OK ? open_file(figure, "gp") : NULL;
    if (!out)
        return CT_DATA;
    write_settings(figure, script, out);
    status = append_template(figure, out, "common.gp");
    if (status == CT_OK)
        status = append_template(figure, out, script->template);
    if (close_file(figure, out) != CT_OK || status != CT_OK)
        return CT_DATA;
    const char *name = ct_arena_strdup(&figure->plots->arena, figure->name);
    if (!name || !ct_vec_push(&figure->plots->names, name))
        return ct_out_of_memory(figure->diags);
    return CT_OK;
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
    write_label(out, report->policy);
}

/* One bar; an interval of what grows with the run means nothing. */
static void write_ratio(FILE *out, const struct report_app *app, struct script *script) {
    bool bound = app && app->overloaded == REPORT_YES;
    double ratio = app ? app->p99_over_qos : NAN;
    double high = app && !bound ? app->p99_over_qos_high : NAN;
    write_number(out, ratio);
    write_number(out, app && !bound ? app->p99_over_qos_low : NAN);
    write_number(out, high);
    fprintf(out, "\t%d", bound);
    script->top = fmax(script->top, fmax(ratio, high));
    script->bounds += bound;
}

static int plot_p99(struct figure *figure, const char **names) {
    const struct report_plots_input *input = figure->input;
    struct script script = {.template = "p99.gp",
                            .labels = names,
                            .label_count = list_services(report_at(input, 0), true, names),
                            .target = NAN};
    if (!script.label_count)
        return CT_OK;
    if (!begin_figure(figure, "p99", NULL))
        return CT_DATA;
    fputs("# position, policy, then for each service p99 / target, low, high, 1 if a lower bound\n",
          figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, report_at(input, i), i);
        for (size_t n = 0; n < script.label_count; n++)
            write_ratio(figure->data, app_named(report_at(input, i), names[n]), &script);
        putc('\n', figure->data);
    }
    return end_figure(figure, &script);
}

static int plot_batch(struct figure *figure) {
    const struct report_plots_input *input = figure->input;
    struct script script = {.template = "batch.gp", .top = NAN, .target = NAN};
    for (size_t i = 0; i < input->run_count; i++)
        script.top = fmax(script.top, report_at(input, i)->system.batch_throughput_normalised);
    if (isnan(script.top))
        return CT_OK;
    if (!begin_figure(figure, "batch", NULL))
        return CT_DATA;
    fputs("# position, policy, batch throughput over that without the services\n", figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, report_at(input, i), i);
        write_number(figure->data, report_at(input, i)->system.batch_throughput_normalised);
        putc('\n', figure->data);
    }
    return end_figure(figure, &script);
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
    double late = worst_late_pct(report_at(input, i)), stp = report_at(input, i)->system.stp;
    for (size_t j = 0; j < input->run_count; j++) {
        double other_late = worst_late_pct(report_at(input, j));
        double other_stp = report_at(input, j)->system.stp;
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
        points[count][0] = worst_late_pct(report_at(figure->input, i));
        points[count++][1] = report_at(figure->input, i)->system.stp;
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
    struct script script = {
        .template = "tradeoff.gp", .labels = names, .label_count = input->run_count, .target = NAN};
    bool known = false;
    for (size_t i = 0; i < input->run_count; i++) {
        names[i] = report_at(input, i)->policy;
        known = known || (isfinite(worst_late_pct(report_at(input, i))) &&
                          isfinite(report_at(input, i)->system.stp));
    }
    if (!known)
        return CT_OK;
    if (!begin_figure(figure, "tradeoff", NULL))
        return CT_DATA;
    fputs("# position, policy, late jobs of the worst service in %, STP\n", figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        begin_row(figure->data, report_at(input, i), i);
        write_number(figure->data, worst_late_pct(report_at(input, i)));
        write_number(figure->data, report_at(input, i)->system.stp);
        putc('\n', figure->data);
        script.top = fmax(script.top, worst_late_pct(report_at(input, i)));
    }
    return write_front(figure) == CT_OK ? end_figure(figure, &script) : CT_DATA;
}

/* Whether any policy lost time to this cause. */
static bool is_cause(const struct report_plots_input *input, const char *service, int cause) {
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = app_named(report_at(input, i), service);
        if (app && app->blame_ms_p99[cause] > 0)
            return true;
    }
    return false;
}

static int plot_blame(struct figure *figure, const char *service) {
    const struct report_plots_input *input = figure->input;
    const char *names[REPORT_BLAME_COUNT];
    int causes[REPORT_BLAME_COUNT];
    struct script script = {
        .template = "blame.gp", .labels = names, .service = service, .target = NAN};
    for (int cause = 0; cause < REPORT_BLAME_COUNT; cause++)
        if (is_cause(input, service, cause)) {
            causes[script.label_count] = cause;
            names[script.label_count++] = report_blame_name(cause);
        }
    if (!script.label_count)
        return CT_OK;
    if (!begin_figure(figure, "blame", service))
        return CT_DATA;
    fputs("# position, policy, then ms per job of the slowest 1 % for each of:", figure->data);
    for (size_t s = 0; s < script.label_count; s++)
        fprintf(figure->data, " %s", names[s]);
    putc('\n', figure->data);
    for (size_t i = 0; i < input->run_count; i++) {
        const struct report_app *app = app_named(report_at(input, i), service);
        begin_row(figure->data, report_at(input, i), i);
        for (size_t s = 0; s < script.label_count; s++)
            write_number(figure->data, app ? app->blame_ms_p99[causes[s]] : NAN);
        putc('\n', figure->data);
    }
    return end_figure(figure, &script);
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
    write_label(out, policy);
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

static int write_curves(struct figure *figure, const char *service, struct script *script,
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
    const struct report_app *app = app_named(report_at(figure->input, 0), service);
    struct script script = {.template = "latency.gp",
                            .labels = names,
                            .label_count = figure->input->run_count,
                            .service = service,
                            .top = 2.2, /* at least up to 99.4 % */
                            .target = app->qos_ms,
                            .least = INFINITY};
    size_t jobs = 0;
    for (size_t i = 0; i < figure->input->run_count; i++)
        names[i] = report_at(figure->input, i)->policy;
    if (!begin_figure(figure, "latency", service))
        return CT_DATA;
    fputs("# one block per policy: latency in ms, share of jobs that took longer\n", figure->data);
    int status = write_curves(figure, service, &script, &jobs);
    if (status == CT_OK && jobs)
        return end_figure(figure, &script);
    fclose(figure->data); /* no jobs were stored: no figure */
    snprintf(figure->path, sizeof figure->path, "%s/%s.dat", figure->folder, figure->name);
    remove(figure->path);
    return status;
}

static int plot_services(struct figure *figure, const char **services, const char **names) {
    size_t count = list_services(report_at(figure->input, 0), false, services);
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
    size_t room = input->run_count + report_at(input, 0)->app_count;
    const char **names = ct_arena_array(&plots->arena, room, sizeof *names);
    const char **services = ct_arena_array(&plots->arena, room, sizeof *services);
    if (!names || !services)
        return ct_out_of_memory(diags);
    int status = plot_p99(&figure, names);
    if (status == CT_OK)
        status = plot_batch(&figure);
    if (status == CT_OK)
        status = plot_tradeoff(&figure, names);
    return status == CT_OK ? plot_services(&figure, services, names) : status;
}

void report_plots_free(struct report_plots *plots) {
    ct_arena_free(&plots->arena);
    ct_vec_free(&plots->names);
}
