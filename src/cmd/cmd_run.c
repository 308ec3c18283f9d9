/* One policy, one report. */
#include "cli/cli_experiment.h"
#include "cli/cli_isolate.h"
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "explain/timeline.h"
#include "format/output_file.h"

#include <math.h>
#include <string.h>

static const struct cli_option options[] = {
    {"policy", 'p', "NAME[:KEY=VALUE]",
     "instead of the workload's; a path ending in .so loads your own"},
    {"set", 's', "KEY=VALUE",
     "change the workload: apps.bfs.instances=8, gpu.sms=40; a bare key is the policy's"},
    {"seed", 0, "N", "of all random draws, instead of the workload's"},
    {"reps", 'n', "N", "replications, each with other arrivals, pooled in one report (1)"},
    {"precision", 0, "PCT",
     "instead: until every service's p99 is within so many per cent on either side (2%)"},
    {"max-reps", 0, "N", "the most replications that --precision may take (200)"},
    CLI_JOBS_OPTION,
    {"fidelity", 0, "fluid|block", "of the device model, instead of the workload's"},
    {"output", 'o', "R.db", "add the run with its jobs to a result store"},
    {"format", 'f', "text|json|csv|markdown", "form of the report"},
    {"timeline", 0, "T.json",
     "write a time line in Chrome's trace format; T.json.gz is compressed"},
    {"timeline-budget", 0, "MB", "size of the time line; the slow jobs stay whole"},
    {"blocks", 0, "B.csv",
     "in block fidelity: write which thread blocks came to which SMs, and when they ended"},
    {"timing", 0, NULL, "add the time that the run took, which differs from run to run"},
    {"no-blame", 0, NULL, "do not account for lost time: faster"},
    CLI_BANDS_OPTION,
    CLI_CACHE_OPTION,
    {"dump-at", 0, "SECONDS", "print the policy's state at this simulated time"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

/* Before the work begins, so that a wrong path costs nothing. enum ct_status. */
static int open_file(const char *path, struct output_file *file, struct ct_diags *diags) {
    return !path || output_file_open(file, path, diags) ? CT_OK : CT_DATA;
}

/* What is written beside the report: of the first replication. */
struct files {
    struct output_file timeline, blocks;
};

static int open_files(const struct cli_experiment *e, const struct cli_args *args,
                      struct files *files, struct ct_diags *diags) {
    if (cli_has(args, "blocks") && e->scenario.workload.fidelity != DEVICE_BLOCK)
        return ct_usage_error(
            diags, "", "'--blocks' needs '--fidelity block': in fluid, blocks have no places");
    if (cli_has(args, "blocks") && cli_has(args, "timeline") &&
        strcmp(cli_value(args, "blocks"), cli_value(args, "timeline")) == 0)
        return ct_usage_error(diags, "", "'--blocks' and '--timeline' name the same file");
    int status = open_file(cli_value(args, "timeline"), &files->timeline, diags);
    return status == CT_OK ? open_file(cli_value(args, "blocks"), &files->blocks, diags) : status;
}

static int write_timeline(const struct cli_experiment *e, const struct output_file *timeline,
                          double budget_mb, struct ct_diags *diags) {
    struct timeline_summary summary;
    int status = timeline_write(&e->result.runs[0], (uint64_t)ceil(budget_mb * 1e6), timeline->file,
                                &summary, diags);
    if (status == CT_OK && summary.jobs_left_out)
        ct_notice(diags, timeline->path,
                  "%zu of %zu jobs are left out to keep the time line below %g MB",
                  summary.jobs_left_out, summary.jobs + summary.jobs_left_out, budget_mb);
    return status;
}

struct choices {
    int format;
    double budget_mb;
    int64_t bands;
    double dump_at_s;
};

static void read_choices(const struct cli_args *args, struct choices *c, struct ct_diags *diags) {
    c->format = cli_choice(args, "format", report_format_names, REPORT_TEXT, diags);
    c->budget_mb = cli_double(args, "timeline-budget", 1, 100000, TIMELINE_BUDGET_MB, diags);
    c->bands = cli_experiment_bands(args, diags);
    c->dump_at_s = cli_double(args, "dump-at", 0, 9e6, NAN, diags);
}

static void set_recording(struct cli_experiment *e, const struct cli_args *args,
                          const struct choices *c) {
    if (cli_has(args, "output"))
        e->scenario.experiment.record = RESULT_JOBS | RESULT_DECISIONS | RESULT_SAMPLES;
    if (cli_has(args, "timeline"))
        e->scenario.experiment.record =
            RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS | RESULT_SAMPLES;
    if (cli_has(args, "blocks"))
        e->scenario.experiment.record |= RESULT_BLOCKS;
    if (!isnan(c->dump_at_s))
        e->scenario.experiment.dump_at_ps = ct_time_of_s(c->dump_at_s);
}

static int write_files(const struct cli_experiment *e, const struct choices *c, struct files *files,
                       struct ct_diags *diags) {
    int status = CT_OK;
    if (files->timeline.file)
        status = output_file_close(&files->timeline,
                                   write_timeline(e, &files->timeline, c->budget_mb, diags), diags);
    if (status == CT_OK && files->blocks.file)
        status = output_file_close(
            &files->blocks, timeline_write_blocks(&e->result.runs[0], files->blocks.file, diags),
            diags);
    return status;
}

static int show(struct cli_experiment *e, const struct cli_args *args, const struct choices *c,
                struct files *files, double wall_s, struct ct_diags *diags) {
    struct report *report = &e->result.pooled[0];
    if (cli_has(args, "timing")) {
        report->engine.wall_s = wall_s;
        report->engine.events_per_s = (double)report->engine.events / wall_s;
    }
    int status = cli_experiment_store(e, diags);
    if (status == CT_OK)
        status = write_files(e, c, files, diags);
    int written = cli_paint_reports((enum report_format)c->format,
                                    &(struct report_comparison){report, 1, NULL, 0}, false);
    return status != CT_OK ? status : written;
}

static int cmd_run(struct cli_args *args, struct ct_diags *diags) {
    struct cli_experiment e;
    struct choices choices;
    struct files files = {0};
    read_choices(args, &choices, diags);
    bool wrong = diags->errors > 0;
    int status = cli_experiment_open(&e, args, diags);
    wrong |= !cli_experiment_extent(&e, args, 1, diags);
    if (status == CT_OK && !wrong)
        status = open_files(&e, args, &files, diags);
    if (status == CT_OK && !wrong) {
        double begin = cli_seconds_now();
        set_recording(&e, args, &choices);
        status = cli_experiment_run(&e, args, "run", diags);
        double wall_s = cli_seconds_now() - begin;
        if (status == CT_OK)
            status = cli_experiment_add_bands(&e, choices.bands, diags);
        if (status == CT_OK && (choices.format != REPORT_CSV || e.store)) /* CSV has no notices */
            status = cli_experiment_settings(&e, NULL, NULL, diags);
        if (e.result.finished > 0) { /* after Ctrl-C: of what is finished */
            int shown = show(&e, args, &choices, &files, wall_s, diags);
            status = status == CT_OK ? shown : status;
        }
    }
    int unfinished = status == CT_OK ? CT_DATA : status;
    output_file_close(&files.timeline, unfinished, diags);
    output_file_close(&files.blocks, unfinished, diags);
    cli_experiment_close(&e);
    return wrong ? CT_USAGE : status;
}

CLI_COMMAND(run, "WORKLOAD.json", 1, 1,
            "run a workload under one policy and report what every application got");
