/* Many GPUs: placements and policies beside each other. */
#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "cli/cli_commands.h"
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cli/cli_output.h"
#include "cmd/cluster_print.h"
#include "cmd/cluster_settings.h"
#include "format/output_file.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"policies", 'p', "A,B,...",
     "policies, one of them on every GPU, each NAME or NAME:KEY=VALUE (the file's, else mps)"},
    {"placement", 0, "A,B,...",
     "random, round-robin, best-profile or hungarian, instead of the file's"},
    {"balancer", 0, "random|round-robin", "how a service's queries go to its GPUs"},
    {"reps", 'n', "N", "replications of each GPU, instead of the file's"},
    {"jobs", 'j', "N", "threads; the result is the same for any number (1)"},
    {"set", 's', "KEY=VALUE", "change the file: apps.bfs.instances=8, duration_s=5"},
    {"seed", 0, "N", "of all random draws, instead of the file's"},
    {"output", 'o', "DIR", "also write every table as CSV into this folder"},
    {"table", 't', "summary|colocations|gpus|profiles", "print this table alone"},
    {"format", 'f', "text|json|csv|markdown", "form of what is printed; json holds every table"},
    CLI_ISOLATE_OPTIONS,
    {0},
};

const struct cli_command command_cluster = {
    .name = "cluster",
    .operands = "CLUSTER.json",
    .summary = "place services and batch work on many GPUs, and simulate every one of them",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = cmd_cluster,
};

struct cluster_command {
    const struct cli_args *args;
    struct cluster cluster;
    struct scenario policies; /* the policies alone */
    struct cluster_params params;
    struct {
        CT_VEC(int32_t);
    } placements;
    struct cluster_scenario *scenarios;
    size_t done; /* of them */
    struct ct_arena arena;
    const char *settings; /* of the self-check; NULL: nothing to say */
    struct cli_progress progress;
    uint64_t runs_done;
};

/* ---- What is asked ---- */

static void add_placement(struct cluster_command *c, const char *name, size_t length,
                          struct ct_diags *diags) {
    char text[32];
    int found = -1;
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    size_t count = 0;
    for (; cluster_placements[count]; count++)
        if (strcmp(cluster_placements[count], text) == 0)
            found = (int)count;
    for (size_t i = 0; i < c->placements.count; i++)
        if (c->placements.items[i] == found)
            ct_error(diags, "--placement", "'%s' is named twice", text);
    if (found < 0)
        cli_unknown(diags, "placement", text, cluster_placements, count);
    else if (!ct_vec_push(&c->placements, found))
        ct_out_of_memory(diags);
}

static void read_placements(struct cluster_command *c, struct ct_diags *diags) {
    const char *list = cli_value(c->args, "placement");
    if (!list)
        list = cluster_placements[c->cluster.placement];
    for (const char *next = list; next;) {
        size_t length = strcspn(next, ",");
        add_placement(c, next, length, diags);
        next = next[length] ? next + length + 1 : NULL;
    }
}

static void read_numbers(struct cluster_command *c, struct ct_diags *diags) {
    int64_t seed = c->cluster.workload.seed, reps = c->cluster.reps, threads = 1;
    cli_int(c->args, "seed", 0, INT64_MAX, &seed, diags);
    cli_int(c->args, "reps", 1, 10000, &reps, diags);
    cli_int(c->args, "jobs", 1, 64, &threads, diags);
    int balancer = cli_choice(c->args, "balancer", cluster_balancers, c->cluster.balancer, diags);
    c->params = (struct cluster_params){.cluster = &c->cluster,
                                        .balancer = (enum cluster_balancer)balancer,
                                        .seed = (uint64_t)seed,
                                        .reps = (uint32_t)reps,
                                        .threads = (uint32_t)threads};
}

static int read_all(struct cluster_command *c, struct ct_diags *diags) {
    size_t count;
    const char **assignments = cli_values(c->args, "set", &count);
    if (!assignments)
        return ct_out_of_memory(diags);
    int status = cluster_read(c->args->operands[0], assignments, count, &c->cluster, diags);
    free(assignments);
    if (status != CT_OK)
        return status;
    c->policies.request = (struct scenario_request){.policies = cli_value(c->args, "policies"),
                                                    .watch = c->args->watch};
    c->policies.workload = c->cluster.workload; /* whose settings the policies take */
    status = scenario_add_policies(&c->policies, diags);
    if (status == CT_OK)
        status = scenario_check_options(&c->policies, diags);
    read_placements(c, diags);
    read_numbers(c, diags);
    if (status == CT_OK && diags->errors)
        status = CT_USAGE;
    for (size_t p = 0; p < c->policies.policies.items.count && status == CT_OK; p++)
        status = cluster_check(&c->cluster, c->policies.policies.items.items[p].policy, diags);
    return status;
}

/* ---- Running ---- */

static void run_is_done(void *context) {
    struct cluster_command *c = context;
    cli_progress_set(&c->progress, ++c->runs_done);
}

static struct cluster_params params_of(const struct cluster_command *c, size_t scenario) {
    struct cluster_params params = c->params;
    size_t policies = c->policies.policies.items.count;
    params.policy = &c->policies.policies.items.items[scenario % policies];
    params.placement = (enum cluster_placement)c->placements.items[scenario / policies];
    return params;
}

static int count_runs(const struct cluster_command *c, size_t scenarios, uint64_t *total,
                      struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < scenarios && status == CT_OK; i++) {
        struct cluster_params params = params_of(c, i);
        uint64_t count = 0;
        status = cluster_run_count(&params, &count, diags);
        *total += count;
    }
    return status;
}

static int ask_settings(struct cluster_command *c, size_t scenarios, struct ct_diags *diags) {
    struct cluster_params *params = ct_arena_array(&c->arena, scenarios, sizeof *params);
    if (!params)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < scenarios; i++)
        params[i] = params_of(c, i);
    return cluster_settings_ask(c->args, params, scenarios, c->policies.policies.items.count,
                                &c->arena, &c->settings, diags);
}

static int run_all(struct cluster_command *c, struct ct_diags *diags) {
    size_t scenarios = c->placements.count * c->policies.policies.items.count;
    uint64_t total = 0;
    c->scenarios = calloc(scenarios + 1, sizeof *c->scenarios);
    int status = c->scenarios ? count_runs(c, scenarios, &total, diags) : ct_out_of_memory(diags);
    cli_catch_interrupt();
    c->params.interrupted = cli_is_interrupted;
    c->params.progress = run_is_done;
    c->params.context = c;
    cli_progress_begin(&c->progress, "cluster", total, c->args->quiet);
    for (size_t i = 0; i < scenarios && status == CT_OK; i++) {
        struct cluster_params params = params_of(c, i);
        struct cluster_scenario *scenario = &c->scenarios[i];
        scenario->policy = params.policy->label;
        scenario->placement = cluster_placements[params.placement];
        status = cluster_run(&params, &scenario->result, diags);
        if (status == CT_OK)
            c->done++;
        else
            cluster_result_free(&scenario->result);
    }
    cli_progress_end(&c->progress);
    if (status == CT_OK)
        status = ask_settings(c, scenarios, diags);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted: %zu of %zu placements and policies are finished",
                   c->done, scenarios);
    return status;
}

/* ---- Results ---- */

static int write_table(const struct cluster_report *report, int table, const char *folder,
                       struct ct_diags *diags) {
    char path[4096];
    struct output_file output;
    int length = snprintf(path, sizeof path, "%s/%s.csv", folder, cluster_tables[table]);
    if (length < 0 || (size_t)length >= sizeof path) {
        ct_error(diags, folder, "the path is too long");
        return CT_DATA;
    }
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    int status = cluster_print_table(report, (enum cluster_table)table, output.file, TABLE_CSV);
    return output_file_close(&output, status, diags);
}

static int show(const struct cluster_command *c, int format, int table, struct ct_diags *diags) {
    struct cluster_report report = {.cluster = &c->cluster,
                                    .balancer = cluster_balancers[c->params.balancer],
                                    .seed = c->params.seed,
                                    .reps = c->params.reps,
                                    .scenarios = c->scenarios,
                                    .settings = c->settings,
                                    .count = c->done};
    const char *folder = cli_value(c->args, "output");
    int status = CT_OK;
    for (int t = 0; folder && cluster_tables[t] && status == CT_OK; t++)
        status = write_table(&report, t, folder, diags);
    int printed;
    if (format == TABLE_JSON && !cli_has(c->args, "table"))
        printed = cluster_print_json(&report, stdout);
    else if (format == TABLE_TEXT && !cli_has(c->args, "table"))
        printed = cluster_print_text(&report, stdout);
    else
        printed = cluster_print_table(&report, (enum cluster_table)table, stdout,
                                      (enum table_format)format);
    return status == CT_OK ? printed : status;
}

static void close_all(struct cluster_command *c) {
    for (size_t i = 0; i < c->done; i++)
        cluster_result_free(&c->scenarios[i].result);
    free(c->scenarios);
    ct_vec_free(&c->placements);
    c->policies.workload = (struct workload){0}; /* the cluster's */
    scenario_close(&c->policies);
    cluster_free(&c->cluster);
    ct_arena_free(&c->arena);
}

int cmd_cluster(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    struct cluster_command c = {.args = &args};
    int status = cli_parse(&args, &command_cluster, argc, argv);
    if (status != CLI_GO_ON || !cli_isolate(&args, NULL, &status))
        return status;
    int format = cli_choice(&args, "format", cli_formats, TABLE_TEXT, &diags);
    int table = cli_choice(&args, "table", cluster_tables, CLUSTER_SUMMARY, &diags);
    const char *folder = cli_value(&args, "output");
    status = read_all(&c, &diags);
    if (status == CT_OK)
        status = cli_make_folder(folder, &diags);
    if (status == CT_OK) {
        status = run_all(&c, &diags);
        int shown = c.done ? show(&c, format, table, &diags) : CT_OK;
        status = status == CT_OK ? shown : status;
    }
    close_all(&c);
    return cli_finish(&args, &diags, status);
}
