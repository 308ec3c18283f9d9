/* The report of stored results, in any form. */
#include "cli/cli.h"
#include "cli/cli_paint.h"
#include "cmd/commands.h"
#include "results/result_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"format", 'f', "text|json|csv|markdown", "form of the report"},
    {"run", 'r', "N", "this run alone, by its number"},
    {"list", 'l', NULL, "the runs in the file with their numbers"},
    {0},
};

const struct cli_command command_report = {
    .name = "report",
    .operands = "RESULTS.db",
    .summary = "print stored results: the newest comparison, or every run",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = cmd_report,
};

static int list_runs(const struct result_set *set, int format, struct ct_diags *diags) {
    static const struct cli_column columns[] = {
        {"run", "run", true},
        {"workload", "workload", false},
        {"policy", "policy", false},
        {"seed", "seed", true},
        {"replication", "replication", false},
        {"kept for", "purpose", false},
    };
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < set->runs.count; i++) {
        const struct result_run *run = &set->runs.items[i];
        cli_table_cell(&table, "%" PRId64, run->number);
        cli_table_cell(&table, "%s", run->report.workload ? run->report.workload : "");
        cli_table_cell(&table, "%s", run->report.policy ? run->report.policy : "");
        cli_table_cell(&table, "%" PRId64, run->report.seed);
        if (run->replication == RESULT_POOLED)
            cli_table_cell(&table, "all %" PRId64, run->report.reps);
        else
            cli_table_cell(&table, "%" PRId64, run->replication);
        cli_table_cell(&table, "%s", run->purpose ? run->purpose : "report");
    }
    return cli_table_print(&table, stdout, (enum cli_format)format) == CT_OK
               ? CT_OK
               : ct_out_of_memory(diags);
}

static int write_shown(const struct result_set *set, int format, const char *path,
                       struct ct_diags *diags) {
    const struct result_comparison *compared;
    size_t *indices = calloc(set->runs.count + 1, sizeof *indices);
    struct report *reports = calloc(set->runs.count + 1, sizeof *reports);
    size_t count = indices && reports ? result_set_shown(set, indices, &compared) : 0;
    int status = indices && reports ? CT_OK : ct_out_of_memory(diags);
    for (size_t i = 0; i < count; i++)
        reports[i] = set->runs.items[indices[i]].report;
    if (status == CT_OK && !count) {
        ct_error(diags, path, "has no finished run");
        status = CT_DATA;
    } else if (status == CT_OK && compared) {
        const struct report_comparison comparison = {reports, count, compared->differences,
                                                     compared->difference_count};
        status = cli_paint_comparison((enum report_format)format, &comparison);
    } else if (status == CT_OK) {
        status = cli_paint_reports((enum report_format)format, reports, count);
    }
    free(indices);
    free(reports);
    return status;
}

static int report_of(const struct cli_args *args, struct result_store *store, int64_t run,
                     int format, struct ct_diags *diags) {
    struct result_set set = {0};
    int status = result_store_read(store, run, 0, &set, diags);
    if (status == CT_OK && cli_has(args, "list"))
        status = list_runs(&set, format, diags);
    else if (status == CT_OK && run)
        status = cli_paint_reports((enum report_format)format, &set.runs.items[0].report, 1);
    else if (status == CT_OK)
        status = write_shown(&set, format, args->operands[0], diags);
    result_set_free(&set);
    return status;
}

int cmd_report(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int64_t run = 0;
    int status = cli_parse(&args, &command_report, argc, argv);
    if (status != CLI_GO_ON)
        return status;
    int format = cli_choice(&args, "format", report_format_names, REPORT_TEXT, &diags);
    if (!cli_int(&args, "run", 1, INT64_MAX, &run, &diags) || format < 0)
        return cli_finish(&args, &diags, CT_USAGE);
    struct result_store *store = result_store_open(args.operands[0], RESULT_READ, &diags);
    status = store ? report_of(&args, store, run, format, &diags) : CT_DATA;
    result_store_close(store);
    return cli_finish(&args, &diags, status);
}
