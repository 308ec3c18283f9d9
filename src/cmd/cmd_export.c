/* Stored results as tidy CSV, for programs that compute on. */
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "results/result_export.h"

#include <inttypes.h>

static const struct cli_option options[] = {
    {"output", 'o', "FOLDER", "where to put the tables (needed; made when missing)"},
    CLI_SWEEP_OPTION,
    {0},
};

static int cmd_export(struct cli_args *args, struct ct_diags *diags) {
    const char *folder = cli_output(args, diags);
    struct result_exported exported[RESULT_EXPORT_TABLES];
    if (!folder)
        return CT_USAGE;
    struct result_store *store = result_store_open(args->operands[0], RESULT_READ, diags);
    int status = store ? cli_choose_sweep(args, store, args->operands[0], diags) : CT_DATA;
    if (status == CT_OK)
        status = cli_make_folder(folder, diags);
    if (status == CT_OK)
        status = result_export(store, folder, exported, diags);
    for (int i = 0; i < RESULT_EXPORT_TABLES && status == CT_OK && !args->quiet; i++)
        printf("%s/%s.csv: %" PRIu64 " rows\n", folder, exported[i].table, exported[i].rows);
    result_store_close(store);
    return status;
}

CLI_COMMAND(export, "RESULTS.db", 1, 1,
            "write stored results as CSV: runs, applications, jobs, tasks, decisions, and a "
            "dictionary of the columns");
