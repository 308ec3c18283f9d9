/* Everything that `run` would refuse, and what it would rather warn of. */
#include "base/ct_text.h"
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "run/arrivals.h"
#include "run/solo.h"

#include <stdlib.h>

static const struct cli_option options[] = {
    {"set", 's', "KEY=VALUE",
     "change the workload: apps.bfs.instances=8, gpu.sms=40; a bare key is the policy's"},
    {"policy", 'p', "NAME[:KEY=VALUE...]", "check with this policy instead of the workload's"},
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    CLI_ISOLATE_OPTIONS,
    {0},
};

const struct cli_command command_check = {
    .name = "check",
    .operands = "WORKLOAD.json",
    .summary =
        "read a workload with all that it names and say what is wrong with it, without running it",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = cmd_check,
};

static double offered_load(const struct workload_app *app, struct solo solo) {
    return arrivals_mean_rate(&app->arrivals) * solo.mean_ms / 1e3 / (double)app->workers;
}

static void warn_of(const struct workload *workload, size_t index, struct solo solo,
                    struct ct_diags *diags) {
    const struct workload_app *app = &workload->apps.items[index];
    double load = offered_load(app, solo);
    char where[600];
    snprintf(where, sizeof where, "%s: apps[%zu]", workload->path, index);
    if (load >= 1)
        ct_warning(diags, where,
                   "'%s' is overloaded even alone: its arrivals ask for %.2f times what an "
                   "instance can serve, a job "
                   "takes %.4g ms",
                   app->name, load, solo.mean_ms);
    if (app->role == CT_SERVICE && app->qos_ms == 0 && app->np_target == 0)
        ct_notice(diags, where, "'%s' has no target: neither 'qos_ms' nor 'np_target' is given",
                  app->name);
}

/* Legal, but whoever looks for PCIe effects should know. */
static void notice_copies(const struct workload *workload, struct ct_diags *diags) {
    const char *names[64];
    char list[512];
    size_t count = 0;
    for (size_t i = 0; i < workload->apps.count && count < CT_COUNT_OF(names); i++)
        if (workload->apps.items[i].trace && !workload_app_copies(&workload->apps.items[i]))
            names[count++] = workload->apps.items[i].name;
    if (!count)
        return;
    ct_text_join(list, sizeof list, names, count);
    ct_notice(diags, workload->path, "no copies are recorded of %s: PCIe effects are absent there",
              list);
}

static int print_apps(const struct workload *workload, const struct solo *solos,
                      enum cli_format format) {
    static const struct cli_column columns[] = {
        {"application", "app", false},
        {"role", "role", false},
        {"n", "instances", true},
        {"jobs", "jobs", true},
        {"solo ms", "solo_ms", true},
        {"jobs/s", "rate_per_s", true},
        {"load alone", "offered_load", true},
        {"target ms", "qos_ms", true},
    };
    struct cli_table table;
    cli_table_begin(&table, columns, CT_COUNT_OF(columns));
    for (size_t i = 0; i < workload->apps.count; i++) {
        const struct workload_app *app = &workload->apps.items[i];
        cli_table_cell(&table, "%s", app->name);
        cli_table_cell(&table, "%s", app->role == CT_SERVICE ? "service" : "batch");
        cli_table_cell(&table, "%lld", (long long)app->instances);
        cli_table_number(&table, app->trace ? (double)app->trace->jobs.count : NAN, 0);
        cli_table_number(&table, solos[i].median_ms, 3);
        cli_table_number(&table, arrivals_mean_rate(&app->arrivals), 3);
        cli_table_number(&table, offered_load(app, solos[i]), 3);
        cli_table_number(&table, app->qos_ms > 0 ? app->qos_ms : NAN, 3);
    }
    return cli_table_print(&table, stdout, format);
}

static int measure_solos(const struct cli_experiment *e, struct solo *solos,
                         struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t i = 0; i < e->scenario.setup.app_count && status == CT_OK; i++)
        status = solo_measure(&e->scenario.setup, i, e->scenario.experiment.seed, &solos[i], diags);
    return status;
}

static int check_apps(const struct cli_experiment *e, const struct cli_args *args, int format,
                      struct ct_diags *diags) {
    struct solo *solos = calloc(e->scenario.setup.app_count, sizeof *solos);
    if (!solos)
        return ct_out_of_memory(diags);
    int status = measure_solos(e, solos, diags);
    for (size_t i = 0; i < e->scenario.workload.apps.count && status == CT_OK; i++)
        warn_of(&e->scenario.workload, i, solos[i], diags);
    if (status == CT_OK)
        status = cli_experiment_warn_targets(e, diags);
    if (status == CT_OK)
        notice_copies(&e->scenario.workload, diags);
    if (status == CT_OK && !args->quiet)
        status = print_apps(&e->scenario.workload, solos, (enum cli_format)format);
    free(solos);
    return status;
}

static int check(struct cli_experiment *e, const struct cli_args *args, int format,
                 struct ct_diags *diags) {
    int status = cli_experiment_open(e, args, diags);
    for (size_t i = 0; i < e->scenario.policies.items.count && status == CT_OK; i++)
        status = sim_check_needs(e->scenario.policies.items.items[i].policy, &e->scenario.setup.gpu,
                                 diags);
    return status == CT_OK ? check_apps(e, args, format, diags) : status;
}

int cmd_check(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    struct cli_experiment e;
    int status = cli_parse(&args, &command_check, argc, argv);
    if (status != CLI_GO_ON || !cli_isolate(&args, NULL, &status))
        return status;
    int format = cli_choice(&args, "format", cli_formats, CLI_TEXT, &diags);
    if (format < 0)
        return cli_finish(&args, &diags, CT_USAGE);
    status = check(&e, &args, format, &diags);
    cli_experiment_close(&e);
    return cli_finish(&args, &diags, status);
}
