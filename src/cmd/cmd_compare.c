/* Several policies on the same workload, replication by replication. */
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cli/cli_results.h"
#include "cmd/commands.h"

static const struct cli_option options[] = {
    {"policies", 'p', "A,B,...",
     "policies, each NAME or NAME:KEY=VALUE; a path ending in .so loads your own"},
    {"reps", 'n', "N", "replications: the same arrivals for every policy, others in each (5)"},
    {"precision", 0, "PCT",
     "instead: until every service's p99 is within so many per cent on either side (2%)"},
    {"max-reps", 0, "N", "the most replications that --precision may take (200)"},
    {"baseline", 0, "NAME|all",
     "the policy that the others are compared with (the first); all pairs"},
    {"measures", 0, "targets|all", "by what: targets and throughput, or everything (targets)"},
    CLI_JOBS_OPTION,
    {"set", 's', "KEY=VALUE",
     "change the workload: apps.bfs.instances=8, gpu.sms=40; a bare key is the policies'"},
    {"seed", 0, "N", "of all random draws, instead of the workload's"},
    {"output", 'o', "R.db", "add all runs with their jobs to a result store"},
    {"format", 'f', "text|json|csv|markdown", "form of the comparison"},
    {"no-blame", 0, NULL, "do not account for lost time: faster"},
    CLI_BANDS_OPTION,
    CLI_CACHE_OPTION,
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

static int show(const struct cli_experiment *e, int format, struct ct_diags *diags) {
    struct report_comparison comparison = {e->result.pooled, e->scenario.experiment.policy_count,
                                           e->result.differences, e->result.difference_count};
    int status = cli_experiment_store(e, diags);
    int written = cli_paint_reports((enum report_format)format, &comparison, true);
    return status != CT_OK ? status : written;
}

static int cmd_compare(struct cli_args *args, struct ct_diags *diags) {
    static const char *const measures_names[] = {"targets", "all", NULL};
    struct cli_experiment e;
    int format = cli_choice(args, "format", report_format_names, REPORT_TEXT, diags);
    int measures = cli_choice(args, "measures", measures_names, 0, diags);
    int64_t bands = cli_experiment_bands(args, diags);
    if (!cli_has(args, "policies"))
        ct_error(diags, "", "compare needs --policies A,B,...");
    bool wrong = diags->errors > 0;
    int status = cli_experiment_open(&e, args, diags);
    wrong |= !cli_experiment_extent(&e, args, 5, diags);
    if (status == CT_OK && !wrong)
        status = scenario_compare(&e.scenario, cli_value(args, "baseline"), measures == 1, diags);
    if (status == CT_OK && !wrong) {
        e.scenario.experiment.record = cli_has(args, "output") ? RESULT_JOBS : 0;
        status = cli_experiment_run(&e, args, "compare", diags);
        if (status == CT_OK)
            status = cli_experiment_add_bands(&e, bands, diags);
        if (status == CT_OK && (format != REPORT_CSV || e.store)) /* CSV has no notices */
            status = cli_experiment_settings(&e, NULL, NULL, diags);
        if (e.result.finished > 0) {
            int shown = show(&e, format, diags);
            status = status == CT_OK ? shown : status;
        }
    }
    cli_experiment_close(&e);
    return wrong ? CT_USAGE : status;
}

CLI_COMMAND(
    compare, "WORKLOAD.json", 1, 1,
    "run a workload under several policies with common random numbers, and say which differ");
