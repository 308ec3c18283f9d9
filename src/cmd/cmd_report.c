/* The report of stored results, in any form. */
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "results/result_apart.h"
#include "results/result_sweep.h"

#include <inttypes.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the report"},
    {"run", 'r', "N", "this run alone, by its number"},
    {"list", 'l', NULL, "the runs in the file with their numbers"},
    {0},
};

/* What was set for each run: for programs all of it, for readers what tells runs apart. NULL: no
 * memory. */
static const char **name_settings(struct result_set *set, bool whole) {
    size_t count = set->runs.count;
    struct result_named *named = ct_arena_array(&set->arena, count + 1, sizeof *named);
    const char **texts = ct_arena_array(&set->arena, count + 1, sizeof *texts);
    if (!named || !texts)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct result_run *run = &set->runs.items[i];
        named[i] = (struct result_named){.report = &run->report, .name = run->purpose};
        result_given_read(run, &set->arena, &named[i].given);
        texts[i] = whole ? result_given_line(&named[i].given, &set->arena) : "";
        if (!texts[i])
            return NULL;
    }
    return whole || result_settings_apart(named, count, &set->arena, texts) ? texts : NULL;
}

static int list_runs(struct result_set *set, int format, struct ct_diags *diags) {
    struct table table =
        table_start("run:0 | workload | policy | seed:0 | replication | set | kept for=purpose");
    bool whole = format != TABLE_TEXT && format != TABLE_MARKDOWN;
    const char **settings = name_settings(set, whole);
    for (size_t i = 0; i < set->runs.count && settings; i++) {
        const struct result_run *run = &set->runs.items[i];
        bool pooled = run->replication == RESULT_POOLED;
        table_row(&table, run->number, run->report.workload ? run->report.workload : "",
                  run->report.policy ? run->report.policy : "", run->report.seed,
                  table_words(&table, "%s%" PRId64, pooled ? "all " : "",
                              pooled ? run->report.reps : run->replication),
                  settings[i], run->purpose ? run->purpose : "report");
    }
    int status = cli_table_print(&table, (enum table_format)format);
    return status == CT_OK && settings ? CT_OK : ct_out_of_memory(diags);
}

/* Tells that what is shown is but one point of a sweep, and how the others are seen. */
static int tell_point(struct result_store *store, const struct result_comparison *shown,
                      struct ct_arena *arena, const char *path, struct ct_diags *diags) {
    struct result_points points = {0};
    int status = result_points_read(store, arena, &points, diags);
    for (size_t i = 0; i < points.count && points.count > 1 && shown && shown->run_count; i++)
        if (points.items[i].run_count && points.items[i].runs[0] == shown->runs[0])
            ct_notice(diags, path,
                      "shows point %zu of the %zu of sweep '%s': '--list' has the numbers of all "
                      "runs for '--run', and 'html' and 'plot' show all points",
                      i + 1, points.count, points.items[i].sweep);
    ct_vec_free(&points);
    return status;
}

static int write_shown(struct result_store *store, struct result_set *set, int format,
                       const char *path, struct ct_diags *diags) {
    const struct result_comparison *compared;
    size_t *indices = ct_arena_array(&set->arena, set->runs.count + 1, sizeof *indices);
    struct report *reports = ct_arena_array(&set->arena, set->runs.count + 1, sizeof *reports);
    if (!indices || !reports)
        return ct_out_of_memory(diags);
    size_t count = result_set_shown(set, indices, &compared);
    for (size_t i = 0; i < count; i++)
        reports[i] = set->runs.items[indices[i]].report;
    if (!count)
        return ct_data_error(diags, path, "has no finished run");
    struct report_comparison shown = {.reports = reports, .report_count = count};
    if (compared) {
        shown.differences = compared->differences;
        shown.difference_count = compared->difference_count;
    }
    int status = tell_point(store, compared, &set->arena, path, diags);
    if (status != CT_OK)
        return status;
    return cli_paint_reports((enum report_format)format, &shown, compared);
}

static int report_of(const struct cli_args *args, struct result_store *store, int64_t run,
                     int format, struct ct_diags *diags) {
    struct result_set set = {0};
    int status = result_store_read(store, run, 0, &set, diags);
    if (status == CT_OK && cli_has(args, "list"))
        status = list_runs(&set, format, diags);
    else if (status == CT_OK && run)
        status = cli_paint_reports(
            (enum report_format)format,
            &(struct report_comparison){&set.runs.items[0].report, 1, NULL, 0}, false);
    else if (status == CT_OK)
        status = write_shown(store, &set, format, args->operands[0], diags);
    result_set_free(&set);
    return status;
}

static int cmd_report(struct cli_args *args, struct ct_diags *diags) {
    int format = cli_choice(args, "format", report_format_names, REPORT_TEXT, diags);
    int64_t run = cli_int(args, "run", 1, INT64_MAX, 0, diags);
    if (diags->errors)
        return CT_USAGE;
    struct result_store *store = result_store_open(args->operands[0], RESULT_READ, diags);
    int status = store ? report_of(args, store, run, format, diags) : CT_DATA;
    result_store_close(store);
    return status;
}

CLI_COMMAND(report, "RESULTS.db", 1, 1,
            "print stored results: the newest comparison, or every run");
