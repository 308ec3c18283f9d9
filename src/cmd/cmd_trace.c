/* A look at a trace store: what is in it, and what it is good for. */
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "cmd/trace_check.h"
#include "format/json_writer.h"
#include "trace/trace_export.h"
#include "trace/trace_store.h"
#include "workload/setup.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"app", 'a', "NAME", "this application only"},
    {"format", 'f', "text|json|csv", "form of the output; export: json or csv, the default"},
    {0},
};

const struct cli_command command_trace = {
    .name = "trace",
    .operands = "list|show|check|export T.db",
    .summary =
        "look at a trace store; check says what a simulation can and cannot conclude from it",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .run = cmd_trace,
};

/* ---- list ---- */

static int list_apps(const struct trace_set *set, enum cli_format format, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"application", "name", false},
                                                {"gpu", "gpu", false},
                                                {"jobs", "jobs", true},
                                                {"kernels", "kernels", true},
                                                {"kernel ms", "kernel_time_ms", true},
                                                {"licence", "licence", false}};
    struct cli_table table;
    (void)diags;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < set->apps.count; i++) {
        const struct trace_app *app = set->apps.items[i];
        struct trace_totals totals = trace_app_totals(app);
        cli_table_cell(&table, "%s", app->name);
        cli_table_cell(&table, "%s", app->gpu);
        cli_table_cell(&table, "%zu", app->jobs.count);
        cli_table_cell(&table, "%llu", (unsigned long long)totals.kernels);
        cli_table_number(&table, ct_time_ms(totals.kernel_ps), 3);
        cli_table_cell(&table, "%s", app->licence);
    }
    return cli_table_print(&table, stdout, format);
}

/* ---- show ---- */

static void show_app_json(struct json_writer *json, const struct trace_app *app) {
    struct trace_totals t = trace_app_totals(app);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", app->name);
    json_writer_string(json, "gpu", app->gpu);
    json_writer_integer(json, "jobs", (int64_t)app->jobs.count);
    json_writer_integer(json, "kernels", (int64_t)t.kernels);
    json_writer_integer(json, "distinct_kernels", (int64_t)app->kernels.count);
    json_writer_integer(json, "memcpys", (int64_t)t.copies);
    json_writer_integer(json, "memsets", (int64_t)t.memsets);
    json_writer_integer(json, "h2d_bytes", (int64_t)t.h2d_bytes);
    json_writer_integer(json, "d2h_bytes", (int64_t)t.d2h_bytes);
    json_writer_integer(json, "d2d_bytes", (int64_t)t.d2d_bytes);
    json_writer_double(json, "kernel_time_ms", ct_time_ms(t.kernel_ps));
    json_writer_double(json, "copy_time_ms", ct_time_ms(t.copy_ps));
    json_writer_integer(json, "streams", app->stream_count);
    json_writer_string(json, "source", app->source);
    json_writer_string(json, "licence", app->licence);
    if (app->notes.count) {
        json_writer_begin_object(json, "notes");
        for (size_t i = 0; i < app->notes.count; i++)
            json_writer_string(json, app->notes.items[i].name, app->notes.items[i].value);
        json_writer_end_object(json);
    }
    json_writer_end_object(json);
}

static int show_json(const struct trace_set *set) {
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "apps");
    for (size_t i = 0; i < set->apps.count; i++)
        show_app_json(&json, set->apps.items[i]);
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    putchar('\n');
    return CT_OK;
}

static int show_csv(const struct trace_set *set) {
    static const struct cli_column columns[] = {{"name", "name", false},
                                                {"gpu", "gpu", false},
                                                {"jobs", "jobs", true},
                                                {"kernels", "kernels", true},
                                                {"distinct", "distinct_kernels", true},
                                                {"memcpys", "memcpys", true},
                                                {"memsets", "memsets", true},
                                                {"h2d bytes", "h2d_bytes", true},
                                                {"d2h bytes", "d2h_bytes", true},
                                                {"d2d bytes", "d2d_bytes", true},
                                                {"kernel ms", "kernel_time_ms", true},
                                                {"copy ms", "copy_time_ms", true},
                                                {"streams", "streams", true},
                                                {"source", "source", false},
                                                {"licence", "licence", false}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < set->apps.count; i++) {
        const struct trace_app *app = set->apps.items[i];
        struct trace_totals t = trace_app_totals(app);
        const unsigned long long counts[] = {app->jobs.count, t.kernels,  app->kernels.count,
                                             t.copies,        t.memsets,  t.h2d_bytes,
                                             t.d2h_bytes,     t.d2d_bytes};
        cli_table_cell(&table, "%s", app->name);
        cli_table_cell(&table, "%s", app->gpu);
        for (size_t k = 0; k < CT_COUNT_OF(counts); k++)
            cli_table_cell(&table, "%llu", counts[k]);
        cli_table_number(&table, ct_time_ms(t.kernel_ps), 6);
        cli_table_number(&table, ct_time_ms(t.copy_ps), 6);
        cli_table_cell(&table, "%u", app->stream_count);
        cli_table_cell(&table, "%s", app->source);
        cli_table_cell(&table, "%s", app->licence);
    }
    return cli_table_print(&table, stdout, CLI_CSV);
}

struct kernel_time {
    uint32_t kernel;
    uint64_t launches;
    ct_time_ps total_ps;
};

static int compare_kernel_times(const void *a, const void *b) {
    const struct kernel_time *x = a, *y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps > y->total_ps ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

enum { KERNELS_SHOWN = 10, JOBS_SHOWN = 10 };

static int show_kernels(const struct trace_app *app, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"kernel", "kernel", false},
                                                {"blocks", "blocks", true},
                                                {"threads", "threads", true},
                                                {"launches", "launches", true},
                                                {"total ms", "total_ms", true}};
    struct kernel_time *times = calloc(app->kernels.count + 1, sizeof *times);
    struct cli_table table;
    if (!times)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < app->kernels.count; i++)
        times[i].kernel = (uint32_t)i;
    for (size_t i = 0; i < app->tasks.count; i++)
        if (app->tasks.items[i].kind == TRACE_KERNEL) {
            times[app->tasks.items[i].kernel].launches++;
            times[app->tasks.items[i].kernel].total_ps += app->tasks.items[i].duration_ps;
        }
    qsort(times, app->kernels.count, sizeof *times, compare_kernel_times);
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < app->kernels.count && i < KERNELS_SHOWN; i++) {
        const struct trace_kernel *k = &app->kernels.items[times[i].kernel];
        cli_table_cell(&table, "%.38s", k->name);
        cli_table_cell(&table, "%llu", (unsigned long long)trace_kernel_blocks(k));
        cli_table_cell(&table, "%u", trace_kernel_threads(k));
        cli_table_cell(&table, "%llu", (unsigned long long)times[i].launches);
        cli_table_number(&table, ct_time_ms(times[i].total_ps), 3);
    }
    free(times);
    return cli_table_print(&table, stdout, CLI_TEXT);
}

static int show_jobs(const struct trace_app *app) {
    static const struct cli_column columns[] = {{"job", "job", false},
                                                {"tasks", "tasks", true},
                                                {"input MB", "input_mb", true},
                                                {"recorded ms", "recorded_ms", true}};
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < app->jobs.count && i < JOBS_SHOWN; i++) {
        const struct trace_job *job = &app->jobs.items[i];
        cli_table_cell(&table, "%s", job->name);
        cli_table_cell(&table, "%u", job->task_count);
        cli_table_number(&table, (double)job->input_bytes / 1e6, 3);
        cli_table_number(&table, ct_time_ms(job->recorded_ps), 3);
    }
    int status = cli_table_print(&table, stdout, CLI_TEXT);
    if (app->jobs.count > JOBS_SHOWN)
        printf("... and %zu more\n", app->jobs.count - JOBS_SHOWN);
    return status;
}

static int show_app(const struct trace_app *app, struct ct_diags *diags) {
    struct trace_totals t = trace_app_totals(app);
    printf("%s on %s\n", app->name, app->gpu);
    printf("  source    %s\n  licence   %s\n", app->source, *app->licence ? app->licence : "-");
    printf("  kernels   %llu (%zu distinct), %.3f ms, %u streams\n", (unsigned long long)t.kernels,
           app->kernels.count, ct_time_ms(t.kernel_ps), app->stream_count);
    printf("  copies    %llu, %.3f ms: %.3f MB in, %.3f MB out, %.3f MB inside\n",
           (unsigned long long)t.copies, ct_time_ms(t.copy_ps), (double)t.h2d_bytes / 1e6,
           (double)t.d2h_bytes / 1e6, (double)t.d2d_bytes / 1e6);
    printf("  memsets   %llu\n", (unsigned long long)t.memsets);
    for (size_t i = 0; i < app->notes.count; i++)
        printf("  %s: %s\n", app->notes.items[i].name, app->notes.items[i].value);
    putchar('\n');
    int status = show_jobs(app);
    putchar('\n');
    return status == CT_OK ? show_kernels(app, diags) : status;
}

static int show_apps(const struct trace_set *set, enum cli_format format, struct ct_diags *diags) {
    if (format == CLI_JSON)
        return show_json(set);
    if (format == CLI_CSV)
        return show_csv(set);
    int status = CT_OK;
    for (size_t i = 0; i < set->apps.count && status == CT_OK; i++) {
        if (i)
            putchar('\n');
        status = show_app(set->apps.items[i], diags);
    }
    return status;
}

/* ---- check, export ---- */

static int check_apps(const struct trace_set *set, enum cli_format format, struct ct_diags *diags) {
    static const struct cli_column columns[] = {{"application", "app", false},
                                                {"subject", "subject", false},
                                                {"verdict", "verdict", false},
                                                {"finding", "finding", false}};
    struct cli_table table;
    struct ct_arena arena = {0};
    int status = CT_OK;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < set->apps.count; i++) {
        struct gpu gpu;
        int found =
            setup_gpu(set->apps.items[i]->gpu, set->apps.items[i]->name, NULL, &arena, &gpu, diags);
        status = found == CT_OK ? status : found;
        if (found == CT_OK)
            trace_check_app(set->apps.items[i], &gpu, &table);
    }
    int printed = cli_table_print(&table, stdout, format);
    ct_arena_free(&arena);
    return status == CT_OK ? printed : status;
}

static int export_apps(const struct trace_set *set, enum cli_format format,
                       struct ct_diags *diags) {
    (void)diags;
    (format == CLI_JSON ? trace_export_json : trace_export_csv)(set, stdout);
    return CT_OK;
}

static int trace_action(const struct cli_args *args, struct ct_diags *diags) {
    static const struct {
        const char *name;
        int (*act)(const struct trace_set *, enum cli_format, struct ct_diags *);
    } actions[] = {
        {"list", list_apps}, {"show", show_apps}, {"check", check_apps}, {"export", export_apps}};
    static const char *const forms[] = {"text", "json", "csv", NULL};
    const char *names[CT_COUNT_OF(actions)];
    struct trace_set set = {0};
    int format = cli_choice(args, "format", forms, CLI_TEXT, diags);
    for (size_t i = 0; i < CT_COUNT_OF(actions); i++) {
        names[i] = actions[i].name;
        if (strcmp(args->operands[0], names[i]) != 0)
            continue;
        if (format < 0)
            return CT_USAGE;
        int status = trace_store_read(args->operands[1], cli_value(args, "app"), &set, diags);
        if (status == CT_OK)
            status = actions[i].act(&set, (enum cli_format)format, diags);
        trace_set_free(&set);
        return status;
    }
    ct_unknown(diags, "action", args->operands[0], names, CT_COUNT_OF(names));
    return CT_USAGE;
}

int cmd_trace(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, &command_trace, argc, argv);
    if (status != CLI_GO_ON)
        return status;
    status = trace_action(&args, &diags);
    return cli_finish(&args, &diags, status);
}
