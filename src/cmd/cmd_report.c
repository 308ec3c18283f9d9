/* The report of stored results, in any form. */
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "results/result_store.h"

#include <inttypes.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the report"},
    {"run", 'r', "N", "this run alone, by its number"},
    {"list", 'l', NULL, "the runs in the file with their numbers"},
    {0},
};

static int list_runs(const struct result_set *set, int format, struct ct_diags *diags) {
    struct table table =
        table_start("run:0 | workload | policy | seed:0 | replication | kept for=purpose");
    for (size_t i = 0; i < set->runs.count; i++) {
        const struct result_run *run = &set->runs.items[i];
        bool pooled = run->replication == RESULT_POOLED;
        table_row(&table, run->number, run->report.workload ? run->report.workload : "",
                  run->report.policy ? run->report.policy : "", run->report.seed,
                  table_words(&table, "%s%" PRId64, pooled ? "all " : "",
                              pooled ? run->report.reps : run->replication),
                  run->purpose ? run->purpose : "report");
    }
    return cli_table_print(&table, (enum table_format)format) == CT_OK ? CT_OK
                                                                       : ct_out_of_memory(diags);
}

static int write_shown(struct result_set *set, int format, const char *path,
                       struct ct_diags *diags) {
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
        status = write_shown(&set, format, args->operands[0], diags);
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
