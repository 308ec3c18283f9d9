/* The time line of a stored run, for Perfetto. */
#include "cli/cli.h"
#include "cmd/commands.h"
#include "explain/timeline.h"
#include "format/output_file.h"

#include <inttypes.h>
#include <math.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE.json", "where to write it (needed); FILE.json.gz is compressed"},
    {"run", 'r', "N",
     "this run, by its number (see 'report --list'); else the newest with task times"},
    {"timeline-budget", 0, "MB",
     "size of the file: the slowest jobs are kept whole (64; 0: no limit)"},
    {0},
};

enum { PARTS = RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS | RESULT_SAMPLES };

static void tell(const struct cli_args *args, const struct result_run *run, const char *path,
                 const struct timeline_summary *s, struct ct_diags *diags) {
    if (s->jobs_left_out)
        ct_notice(diags, path, "the budget left out the %zu fastest of %zu jobs", s->jobs_left_out,
                  s->jobs + s->jobs_left_out);
    if (s->tasks_without_job)
        ct_notice(diags, path, "%zu tasks of jobs that came after its duration are left out",
                  s->tasks_without_job);
    if (!args->quiet)
        printf("run %" PRId64 " (%s): %zu jobs, %.1f MB%s in %s; open it at ui.perfetto.dev\n",
               run->number, run->report.policy, s->jobs, (double)s->bytes / 1e6,
               output_file_is_packed(path) ? ", compressed," : "", path);
}

/* One run, if it has tasks. */
static int try_run(const struct cli_args *args, struct result_store *store, int64_t number,
                   uint64_t budget, bool *done, struct ct_diags *diags) {
    struct result_set set = {0};
    struct timeline_summary summary;
    struct output_file output = {0};
    const char *path = cli_value(args, "output");
    int status = result_store_read(store, number, PARTS, &set, diags);
    *done = status != CT_OK || set.runs.items[0].task_count > 0;
    if (status == CT_OK && *done) {
        status = CT_DATA;
        if (output_file_open(&output, path, diags))
            status = timeline_write(&set.runs.items[0], budget, output.file, &summary, diags);
        status = output_file_close(&output, status, diags);
        if (status == CT_OK)
            tell(args, &set.runs.items[0], path, &summary, diags);
    }
    result_set_free(&set);
    return status;
}

/* The run that was asked for (of a pooled one its replications), or else the newest first. */
static int find_run(const struct cli_args *args, struct result_store *store, int64_t number,
                    uint64_t budget, struct ct_diags *diags) {
    struct result_set set = {0};
    bool done = false;
    int status = result_store_read(store, number, 0, &set, diags);
    for (size_t i = set.runs.count; i-- > 0 && status == CT_OK && !done;) {
        const struct result_run *run = &set.runs.items[i];
        status = try_run(args, store, run->number, budget, &done, diags);
        for (size_t m = 0; m < run->member_count && status == CT_OK && !done; m++)
            status = try_run(args, store, run->members[m], budget, &done, diags);
    }
    result_set_free(&set);
    if (status != CT_OK || done)
        return status;
    return ct_data_error(diags, args->operands[0],
                         "%s without task times: 'run --timeline' records them",
                         number ? "this run was stored" : "its runs were stored");
}

static int cmd_timeline(struct cli_args *args, struct ct_diags *diags) {
    cli_output(args, diags);
    int64_t run = cli_int(args, "run", 1, INT64_MAX, 0, diags);
    double megabytes = cli_double(args, "timeline-budget", 0, 1000000, TIMELINE_BUDGET_MB, diags);
    if (diags->errors)
        return CT_USAGE;
    struct result_store *store = result_store_open(args->operands[0], RESULT_READ, diags);
    int status =
        store ? find_run(args, store, run, (uint64_t)ceil(megabytes * 1e6), diags) : CT_DATA;
    result_store_close(store);
    return status;
}

CLI_COMMAND(timeline, "RESULTS.db", 1, 1,
            "draw a stored run's jobs, kernels, copies and decisions as a time line for Perfetto");
