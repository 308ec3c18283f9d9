/* A look at a trace store: what is in it, and what it is good for. */
#include "cli/cli.h"
#include "cmd/commands.h"
#include "cmd/trace_judge.h"
#include "format/json_writer.h"
#include "trace/kernel_class.h"
#include "trace/trace_export.h"
#include "trace/trace_store.h"
#include "workload/setup.h"

#include <stdlib.h>

static const struct cli_option options[] = {
    {"app", 'a', "NAME", "this application only"},
    {"format", 'f', "text|json|csv", "form of the output; export: json or csv, the default"},
    {0},
};

/* What is looked at. */
struct look {
    const char *store;
    const struct trace_set *set;
    enum table_format format;
    struct ct_diags *diags;
};

/* ---- list ---- */

static int list_apps(const struct look *look) {
    const struct trace_set *set = look->set;
    struct table table = table_start(
        "application=name | gpu | jobs:0 | kernels:0 | kernel ms=kernel_time_ms:3 | licence");
    for (size_t i = 0; i < set->apps.count; i++) {
        const struct trace_app *app = set->apps.items[i];
        struct trace_totals totals = trace_app_totals(app);
        table_row(&table, app->name, app->gpu, app->jobs.count, totals.kernels,
                  ct_time_ms(totals.kernel_ps), app->licence);
    }
    return cli_table_print(&table, look->format);
}

/* ---- show ---- */

/* An application's kernels by the time that they take, the longest first; NULL when memory ran out.
 */
static struct kernel_time *sorted_kernels(const struct trace_app *app) {
    struct kernel_time *times = trace_kernel_times(app);
    if (times)
        qsort(times, app->kernels.count, sizeof *times, trace_compare_times);
    return times;
}

/* All kernels, with their whole names. */
static void show_kernels_json(struct json_writer *json, const struct trace_app *app,
                              const struct kernel_time *times) {
    json_writer_begin_array(json, "kernel_list");
    for (size_t i = 0; i < app->kernels.count; i++) {
        const struct trace_kernel *k = &app->kernels.items[times[i].kernel];
        json_writer_object(json, NULL, "kernel", k->name, "blocks", trace_kernel_blocks(k),
                           "threads", trace_kernel_threads(k), "launches", times[i].launches,
                           "total_ms", ct_time_ms(times[i].total_ps));
    }
    json_writer_end_array(json);
}

static void show_app_json(struct json_writer *json, const struct trace_app *app,
                          const struct kernel_time *times) {
    struct trace_totals t = trace_app_totals(app);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "name", app->name, "gpu", app->gpu, "jobs", app->jobs.count,
                        "kernels", t.kernels, "distinct_kernels", app->kernels.count, "memcpys",
                        t.copies, "memsets", t.memsets, "h2d_bytes", t.h2d_bytes, "d2h_bytes",
                        t.d2h_bytes, "d2d_bytes", t.d2d_bytes, "kernel_time_ms",
                        ct_time_ms(t.kernel_ps), "copy_time_ms", ct_time_ms(t.copy_ps), "streams",
                        app->stream_count, "source", app->source, "licence", app->licence);
    show_kernels_json(json, app, times);
    if (app->notes.count) {
        json_writer_begin_object(json, "notes");
        for (size_t i = 0; i < app->notes.count; i++)
            json_writer_string(json, app->notes.items[i].name, app->notes.items[i].value);
        json_writer_end_object(json);
    }
    json_writer_end_object(json);
}

static int show_json(const struct trace_set *set, struct ct_diags *diags) {
    int status = CT_OK;
    struct json_writer json = json_writer_start(stdout, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "apps");
    for (size_t i = 0; i < set->apps.count && status == CT_OK; i++) {
        struct kernel_time *times = sorted_kernels(set->apps.items[i]);
        if (times)
            show_app_json(&json, set->apps.items[i], times);
        else
            status = ct_out_of_memory(diags);
        free(times);
    }
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    putchar('\n');
    return status;
}

/* A row for each kernel, behind what is said of its application. */
static int show_csv(const struct trace_set *set, struct ct_diags *diags) {
    int status = CT_OK;
    struct table table =
        table_start("=name | =gpu | =jobs:0 | =kernels:0 | =distinct_kernels:0 | =memcpys:0 | "
                    "=memsets:0 | =h2d_bytes:0 | =d2h_bytes:0 | =d2d_bytes:0 | =kernel_time_ms:6 | "
                    "=copy_time_ms:6 | =streams:0 | =source | =licence | "
                    "=kernel | =blocks:0 | =threads:0 | =launches:0 | =total_ms:6");
    for (size_t i = 0; i < set->apps.count && status == CT_OK; i++) {
        const struct trace_app *app = set->apps.items[i];
        struct trace_totals t = trace_app_totals(app);
        struct kernel_time *times = sorted_kernels(app);
        status = times ? CT_OK : ct_out_of_memory(diags);
        for (size_t n = 0; n < app->kernels.count && times; n++) {
            const struct trace_kernel *k = &app->kernels.items[times[n].kernel];
            table_row(&table, app->name, app->gpu, app->jobs.count, t.kernels, app->kernels.count,
                      t.copies, t.memsets, t.h2d_bytes, t.d2h_bytes, t.d2d_bytes,
                      ct_time_ms(t.kernel_ps), ct_time_ms(t.copy_ps), app->stream_count,
                      app->source, app->licence, k->name, trace_kernel_blocks(k),
                      trace_kernel_threads(k), times[n].launches, ct_time_ms(times[n].total_ps));
        }
        free(times);
    }
    int printed = cli_table_print(&table, TABLE_CSV);
    return status == CT_OK ? printed : status;
}

enum { KERNELS_SHOWN = 10, JOBS_SHOWN = 10 };

static int show_kernels(const struct trace_app *app, struct ct_diags *diags) {
    struct kernel_time *times = sorted_kernels(app);
    if (!times)
        return ct_out_of_memory(diags);
    struct table table = table_start("kernel | blocks:0 | threads:0 | launches:0 | total ms:3");
    for (size_t i = 0; i < app->kernels.count && i < KERNELS_SHOWN; i++) {
        const struct trace_kernel *k = &app->kernels.items[times[i].kernel];
        table_row(&table, kernel_brief_name(k->name), trace_kernel_blocks(k),
                  trace_kernel_threads(k), times[i].launches, ct_time_ms(times[i].total_ps));
    }
    free(times);
    table.in_document = true;
    int status = cli_table_print(&table, TABLE_TEXT);
    if (app->kernels.count > KERNELS_SHOWN)
        printf("  ... and %zu more: --format csv and json have all, with their whole names\n",
               app->kernels.count - KERNELS_SHOWN);
    return status;
}

static int show_jobs(const struct trace_app *app) {
    struct table table = table_start("job | tasks:0 | input MB:3 | recorded ms:3");
    for (size_t i = 0; i < app->jobs.count && i < JOBS_SHOWN; i++) {
        const struct trace_job *job = &app->jobs.items[i];
        table_row(&table, job->name, job->task_count, (double)job->input_bytes / 1e6,
                  ct_time_ms(job->recorded_ps));
    }
    table.in_document = true;
    int status = cli_table_print(&table, TABLE_TEXT);
    if (app->jobs.count > JOBS_SHOWN)
        printf("  ... and %zu more\n", app->jobs.count - JOBS_SHOWN);
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

static int show_apps(const struct look *look) {
    if (look->format == TABLE_JSON)
        return show_json(look->set, look->diags);
    if (look->format == TABLE_CSV)
        return show_csv(look->set, look->diags);
    int status = CT_OK;
    for (size_t i = 0; i < look->set->apps.count && status == CT_OK; i++) {
        if (i)
            putchar('\n');
        status = show_app(look->set->apps.items[i], look->diags);
    }
    return status;
}

/* ---- check, export ---- */

static void judge_all(const struct look *look, const struct trace_judged *j) {
    (void)look;
    trace_check_app(j);
    trace_replay_check(j);
    trace_demand_check(j);
}

static void judge_demand(const struct look *look, const struct trace_judged *j) {
    trace_demand_kernels(j, look->format == TABLE_TEXT ? KERNELS_SHOWN : SIZE_MAX);
}

/* One table of all applications, or, `apart`, one for each in text, below its name. */
static int judge_apps(const struct look *look, const char *columns,
                      void (*judge)(const struct look *look, const struct trace_judged *j),
                      bool apart) {
    struct ct_arena arena = {0};
    struct demand_file file;
    struct table table = {0};
    int status = demand_file_shipped(&file, &arena, look->diags);
    bool known = status == CT_OK;
    apart = apart && look->format == TABLE_TEXT;
    if (known && !apart)
        table = table_start(columns);
    for (size_t i = 0; i < look->set->apps.count && known; i++) {
        const struct trace_app *app = look->set->apps.items[i];
        struct gpu gpu;
        int result = setup_gpu(app->gpu, app->name, NULL, &arena, &gpu, look->diags);
        status = result == CT_OK ? status : result;
        if (result != CT_OK)
            continue;
        if (apart) {
            printf("%s%s on %s\n\n", i ? "\n" : "", app->name, app->gpu);
            table = table_start(columns);
        }
        struct trace_judged judged = {
            look->store, app, &gpu, &file, trace_kernel_times(app), trace_app_totals(app), &table};
        if (judged.times)
            judge(look, &judged);
        table.failed |= !judged.times;
        free(judged.times);
        if (apart)
            result = cli_table_print(&table, look->format);
        status = result == CT_OK ? status : result;
    }
    int printed = known && !apart ? cli_table_print(&table, look->format) : CT_OK;
    ct_arena_free(&arena);
    return status == CT_OK ? printed : status;
}

static int check_apps(const struct look *look) {
    return judge_apps(look, "application=app | subject | verdict | finding", judge_all, false);
}

static int demand_apps(const struct look *look) {
    return judge_apps(look, TRACE_DEMAND_COLUMNS, judge_demand, true);
}

static int export_apps(const struct look *look) {
    (look->format == TABLE_JSON ? trace_export_json : trace_export_csv)(look->set, stdout);
    return CT_OK;
}

static int cmd_trace(struct cli_args *args, struct ct_diags *diags) {
    static const char *const names[] = {"list", "show", "check", "demand", "export"};
    static int (*const actions[])(const struct look *) = {list_apps, show_apps, check_apps,
                                                          demand_apps, export_apps};
    static const char *const forms[] = {"text", "json", "csv", NULL};
    struct trace_set set = {0};
    int format = cli_choice(args, "format", forms, TABLE_TEXT, diags);
    size_t action = cli_index("action", args->operands[0], names, CT_COUNT_OF(names), diags);
    if (diags->errors)
        return CT_USAGE;
    int status = trace_store_read(args->operands[1], cli_value(args, "app"), &set, diags);
    if (status == CT_OK)
        status = actions[action](
            &(struct look){args->operands[1], &set, (enum table_format)format, diags});
    trace_set_free(&set);
    return status;
}

CLI_COMMAND(trace, "list|show|check|demand|export T.db", 2, 2,
            "look at a trace store; check says what a simulation can and cannot conclude from it, "
            "demand what each kernel asks of the memory");
