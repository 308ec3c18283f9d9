/* Many GPUs: placements and policies beside each other. */
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "figures/html_frame.h"
#include "format/output_file.h"
#include "study/cluster_job.h"

static const struct cli_option options[] = {
    {"policies", 'p', "A,B,...",
     "policies, one of them on every GPU, each NAME or NAME:KEY=VALUE (the file's, else mps)"},
    {"placement", 0, "A,B,...",
     "random, round-robin, best-profile, hungarian, best-fit, fgd, first-fit or worst-fit, instead "
     "of the file's"},
    {"place-only", 0, NULL, "place shares, slices and what comes and goes, and simulate no GPU"},
    {"balancer", 0, "NAME",
     "how a service's queries go to its GPUs: random, round-robin, least-outstanding, two-choices "
     "or predicted-finish"},
    {"reps", 'n', "N", "replications of each GPU, instead of the file's"},
    CLI_JOBS_OPTION,
    {"set", 's', "KEY=VALUE", "change the file: apps.bfs.instances=8, duration_s=5"},
    {"seed", 0, "N", "of all random draws, instead of the file's"},
    {"output", 'o', "DIR", "also write every table as CSV into this folder"},
    {"whole-page", 0, "FILE.html", "write a page with a map of the GPUs, for a browser"},
    {"table", 't', "summary|colocations|gpus|profiles|shares|fleet|copies|changes",
     "print this table alone"},
    {"format", 'f', "text|json|csv|markdown", "form of what is printed; json holds every table"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

struct cluster_command {
    struct cli_progress progress;
    uint64_t runs_done;
    const struct cli_args *args;
    struct cluster_job job;
};

static int open_job(struct cluster_command *c, struct ct_diags *diags) {
    const struct cli_args *args = c->args;
    struct cluster_request request = {.path = args->operands[0],
                                      .policies = cli_value(args, "policies"),
                                      .placements = cli_value(args, "placement"),
                                      .watch = args->watch,
                                      .place_only = cli_has(args, "place-only"),
                                      .trusts_files = cli_has(args, "allow-policy-files")};
    request.assignments = cli_values(args, "set", &request.assignment_count);
    request.seed = cli_int(args, "seed", 0, INT64_MAX, SCENARIO_OWN, diags);
    request.reps = cli_int(args, "reps", 1, 10000, SCENARIO_OWN, diags);
    uint32_t threads = cli_threads(args, diags);
    request.balancer = cli_choice(args, "balancer", cluster_balancers, SCENARIO_OWN, diags);
    int status = cluster_job_open(&c->job, &request, diags);
    c->job.params.threads = threads;
    return status;
}

/* ---- Running ---- */

static int run_all(struct cluster_command *c, struct ct_diags *diags) {
    uint64_t total = 0;
    int status = cluster_job_run_count(&c->job, &total, diags);
    if (status != CT_OK)
        return status;
    c->job.params.listener = cli_listener(&c->progress);
    c->job.params.runs_done = &c->runs_done;
    cli_progress_begin(&c->progress, "cluster", (double)total, c->args->quiet);
    status = cluster_job_run(&c->job, diags);
    cli_progress_end(&c->progress);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted: %zu of %zu placements and policies are finished",
                   c->job.done, c->job.count);
    return status;
}

/* ---- Results ---- */

static int write_table(const struct cluster_job *job, int table, const char *folder,
                       struct ct_diags *diags) {
    char path[4096];
    struct output_file output;
    int length = snprintf(path, sizeof path, "%s/%s.csv", folder, cluster_tables[table]);
    if (length < 0 || (size_t)length >= sizeof path)
        return ct_data_error(diags, folder, "the path is too long");
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    int status = cluster_print_table(job, (enum cluster_table)table, output.file, TABLE_CSV);
    return output_file_close(&output, status, diags);
}

static int write_data(void *context, FILE *out) {
    return cluster_print(context, TABLE_JSON, out);
}

static int show(struct cluster_command *c, enum table_format format, enum cluster_table table,
                struct ct_diags *diags) {
    struct cluster_job *job = &c->job;
    job->bold = cli_colour(stdout);
    const char *folder = cli_value(c->args, "output"), *page = cli_value(c->args, "whole-page");
    const struct html_frame frame = {job->cluster.workload.name, &html_asset_cluster, write_data,
                                     job, NULL};
    int status = page ? html_frame_write_file(&frame, page, diags) : CT_OK;
    for (int t = 0; folder && cluster_tables[t] && status == CT_OK; t++)
        if (cluster_has_table(job, (enum cluster_table)t))
            status = write_table(job, t, folder, diags);
    int printed = cli_has(c->args, "table") ? cluster_print_table(job, table, stdout, format)
                                            : cluster_print(job, format, stdout);
    return status == CT_OK ? printed : status;
}

static int cmd_cluster(struct cli_args *args, struct ct_diags *diags) {
    struct cluster_command c = {.args = args};
    enum table_format format = cli_format(args, diags);
    int table = cli_choice(args, "table", cluster_tables, CLUSTER_SUMMARY, diags);
    int status = open_job(&c, diags);
    if (status == CT_OK)
        status = cli_probe_output(cli_value(args, "whole-page"), diags);
    if (status == CT_OK)
        status = cli_make_folder(cli_value(args, "output"), diags);
    if (status == CT_OK) {
        status = run_all(&c, diags);
        int shown = c.job.done ? show(&c, format, (enum cluster_table)table, diags) : CT_OK;
        status = status == CT_OK ? shown : status;
    }
    cluster_job_close(&c.job);
    return status;
}

CLI_COMMAND(cluster, "CLUSTER.json", 1, 1,
            "place services and batch work on many GPUs, and simulate every one of them");
