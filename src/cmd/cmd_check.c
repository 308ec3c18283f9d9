/* Everything that `run` would refuse, and what it would rather warn of. */
#include "base/ct_text.h"
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "experiment/scenario.h"
#include "format/json_place.h"
#include "run/arrivals.h"
#include "run/solo.h"
#include "study/cluster_job.h"
#include "study/plan.h"
#include "study/sweep_job.h"
#include "workload/setup_memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"set", 's', "KEY=VALUE",
     "change the workload: apps.bfs.instances=8, gpu.sms=40; a bare key is the policy's"},
    {"policy", 'p', "NAME[:KEY=VALUE...]", "check with this policy instead of the workload's"},
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

/* What an application takes alone: a job, and a request at best (solo.h). */
struct alone {
    struct solo job;
    double request_ms;
};

static double offered_load(const struct workload_app *app, const struct alone *alone) {
    return arrivals_mean_rate(&app->arrivals) * alone->request_ms / 1e3 / (double)app->workers;
}

static void warn_of(const struct workload *workload, size_t index, const struct alone *alone,
                    struct ct_diags *diags) {
    const struct workload_app *app = &workload->apps.items[index];
    double load = offered_load(app, alone);
    char where[600];
    snprintf(where, sizeof where, "%s: apps[%zu]", workload->path, index);
    if (isnan(alone->job.mean_ms))
        ct_notice(diags, where,
                  "'%s' is not measured alone: its jobs and those before it take more than %.0f "
                  "million events",
                  app->name, (double)SOLO_EVENTS / 1e6);
    if (load >= 1)
        ct_warning(diags, where,
                   "'%s' is overloaded even alone: its arrivals ask for %.2f times what an "
                   "instance can serve, a %s takes %.4g ms",
                   app->name, load, app->server ? "request in its best batch" : "job",
                   alone->request_ms);
    if (app->role == CT_SERVICE && plan_target_count(app) == 0 && app->np_target == 0)
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

/* Whether several programs share the GPU, and so its memory. */
static bool is_shared(const struct workload *workload) {
    int64_t instances = 0;
    for (size_t i = 0; i < workload->apps.count; i++)
        instances += workload->apps.items[i].instances;
    return instances > 1;
}

/* The target of the latency: given, or what a job takes alone over the progress that is wanted.
 * NAN: none. */
static double target_ms(const struct workload_app *app, struct solo solo) {
    if (app->qos_ms > 0)
        return app->qos_ms;
    return app->np_target > 0 ? solo.mean_ms / app->np_target : NAN;
}

static int print_apps(const struct workload *workload, const struct alone *alone,
                      enum table_format format) {
    struct table table =
        table_start("application=app | role | n=instances:0 | jobs:0 | solo ms=solo_ms:3 | "
                    "jobs/s=rate_per_s:3 | load alone=offered_load:3 | target ms=qos_ms:3");
    bool progress = false;
    for (size_t i = 0; i < workload->apps.count; i++) {
        const struct workload_app *app = &workload->apps.items[i];
        progress |= app->np_target > 0;
        table_row(&table, app->name, app->role == CT_SERVICE ? "service" : "batch", app->instances,
                  app->trace ? (double)app->trace->jobs.count : NAN, alone[i].job.issued_ms,
                  arrivals_mean_rate(&app->arrivals), offered_load(app, &alone[i]),
                  target_ms(app, alone[i].job));
    }
    int status = cli_table_print(&table, format);
    if (format == TABLE_TEXT) {
        fputs("\nsolo ms: mean of a job alone, from the issue of its first kernel to its end;\n"
              "load alone: jobs/s times the time from arrival to end, alone, per instance and\n"
              "worker; 1: saturated. For a server: per request, in its best batch size;\n"
              "target ms: given, or that time of a job over 'np_target'.\n",
              stdout);
        if (progress)
            fputs("To that target policies hold a job; what a report judges is\n"
                  "the progress of each instance, not a latency.\n",
                  stdout);
    }
    return status;
}

static int measure_alone(const struct cli_experiment *e, struct alone *alone,
                         struct ct_diags *diags) {
    const struct setup *setup = &e->scenario.setup;
    uint64_t events = SOLO_EVENTS;
    int status = CT_OK;
    for (uint32_t i = 0; i < setup->app_count && status == CT_OK; i++) {
        status = solo_measure(setup, i, e->scenario.experiment.seed, &events, &alone[i].job, diags);
        if (status == CT_OK)
            status = solo_of_request(setup, i, alone[i].job, &events, &alone[i].request_ms, diags);
    }
    return status;
}

static int check_apps(const struct cli_experiment *e, const struct cli_args *args,
                      enum table_format format, struct ct_diags *diags) {
    struct alone *alone = calloc(e->scenario.setup.app_count, sizeof *alone);
    if (!alone)
        return ct_out_of_memory(diags);
    int status = measure_alone(e, alone, diags);
    for (size_t i = 0; i < e->scenario.workload.apps.count && status == CT_OK; i++)
        warn_of(&e->scenario.workload, i, &alone[i], diags);
    for (uint32_t i = 0; i < e->scenario.setup.app_count && status == CT_OK; i++)
        scenario_warn_target(&e->scenario, i, alone[i].job, diags);
    if (status == CT_OK) {
        arrivals_notice_starts(&e->scenario.workload, diags);
        notice_copies(&e->scenario.workload, diags);
        arrivals_notice_ends(&e->scenario.workload, diags);
    }
    if (status == CT_OK)
        setup_memory_say_doubt(&e->scenario.workload, &e->scenario.setup.gpu, diags);
    if (status == CT_OK && is_shared(&e->scenario.workload))
        setup_memory_notice(&e->scenario.workload, diags);
    if (status == CT_OK && !args->quiet)
        status = print_apps(&e->scenario.workload, alone, format);
    free(alone);
    return status;
}

/* Slices are given when a run begins: one that ends at once finds what does not fit into them. */
static int check_slices(const struct setup *setup, const struct experiment_policy *policy,
                        uint64_t seed, struct ct_diags *diags) {
    struct sim_params params = {.setup = setup,
                                .policy = policy->policy,
                                .policy_options = policy->options,
                                .seed = seed,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = 1,
                                .dump_at_ps = CT_TIME_NEVER};
    struct sim_result result;
    if (!(policy->policy->needs & CT_NEED_SLICES) || policy->policy->features & CT_PREDICTS)
        return CT_OK;
    int status = sim_run(&params, &result, diags);
    sim_result_free(&result);
    return status;
}

static int check(struct cli_experiment *e, const struct cli_args *args, enum table_format format,
                 struct ct_diags *diags) {
    int status = cli_experiment_open(e, args, diags);
    for (size_t i = 0; i < e->scenario.policies.items.count && status == CT_OK; i++) {
        const struct experiment_policy *policy = &e->scenario.policies.items.items[i];
        status = sim_check_needs(policy->policy, policy->options, &e->scenario.setup.gpu, diags);
        if (status == CT_OK)
            status = check_slices(&e->scenario.setup, policy, e->scenario.experiment.seed, diags);
    }
    return status == CT_OK ? check_apps(e, args, format, diags) : status;
}

/* ---- Files of many runs ---- */

static int check_sweep(const struct cli_args *args, struct ct_diags *diags) {
    static const char *const none[] = {"set", "policy", "format"};
    for (size_t i = 0; i < CT_COUNT_OF(none); i++)
        if (cli_has(args, none[i]))
            ct_error(diags, "", "'--%s' is not for a sweep: its file says everything", none[i]);
    if (diags->errors)
        return CT_USAGE;
    struct sweep_job job;
    int status = sweep_job_open(&job, args->operands[0], NULL, args->watch,
                                cli_has(args, "allow-policy-files"), diags);
    if (status == CT_OK && !args->quiet)
        printf("%s: a sweep of %" PRIu64 " points and %zu policies, up to %" PRIu64 " runs\n",
               job.file.name, job.file.points, job.file.policy_count, job.most_runs);
    sweep_job_close(&job);
    return status;
}

static int check_cluster(const struct cli_args *args, struct ct_diags *diags) {
    struct cluster_request request = {.path = args->operands[0],
                                      .policies = cli_value(args, "policy"),
                                      .seed = SCENARIO_OWN,
                                      .reps = SCENARIO_OWN,
                                      .balancer = SCENARIO_OWN,
                                      .watch = args->watch,
                                      .trusts_files = cli_has(args, "allow-policy-files")};
    struct cluster_job job;
    request.assignments = cli_values(args, "set", &request.assignment_count);
    int status = cluster_job_open(&job, &request, diags);
    if (status == CT_OK)
        status = cluster_job_check_places(&job, diags);
    if (status == CT_OK)
        setup_memory_notice(&job.cluster.workload, diags);
    if (status == CT_OK && !args->quiet)
        printf("%s: a cluster of %" PRIu32 " GPUs and %zu applications\n",
               job.cluster.workload.name, job.cluster.gpu_count, job.cluster.workload.apps.count);
    cluster_job_close(&job);
    return status;
}

static int cmd_check(struct cli_args *args, struct ct_diags *diags) {
    struct cli_experiment e;
    enum table_format format = cli_format(args, diags);
    if (diags->errors)
        return CT_USAGE;
    if (json_place_is(args->operands[0], SWEEP_SCHEMA, diags->files))
        return check_sweep(args, diags);
    if (json_place_is(args->operands[0], CLUSTER_SCHEMA, diags->files))
        return check_cluster(args, diags);
    int status = check(&e, args, format, diags);
    cli_experiment_close(&e);
    return status;
}

CLI_COMMAND(check, "FILE.json", 1, 1,
            "read a workload, a sweep or a cluster with all that it names and say what is wrong "
            "with it, without running it");
