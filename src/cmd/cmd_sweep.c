/* Grid and random designs over the keys of a workload, each run once. */
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "cmd/sweep_mpi.h"

#include <inttypes.h>
#include <time.h>

static const struct cli_option options[] = {
    {"output", 'o', "R.db", "the result store: what is in it already is not run again"},
    CLI_JOBS_OPTION,
    {"format", 'f', "text|json|csv|markdown", "form of the table; CSV for plots"},
    CLI_ISOLATE_OPTIONS,
    CLI_TRUST_OPTION,
    {0},
};

struct sweep_command {
    struct cli_progress progress; /* first */
    struct sweep_job job;
    int64_t written_s; /* second of the last transaction */
};

/* A kill costs what was finished within the last second. */
static bool is_due(void *context) {
    struct sweep_command *c = context;
    int64_t now_s = (int64_t)time(NULL);
    bool due = now_s != c->written_s;
    c->written_s = now_s;
    return due;
}

static void say_extent(const struct sweep_job *job, bool quiet) {
    if (!quiet)
        fprintf(stderr,
                "sweep: %" PRIu64 " point%s, up to %" PRIu64
                " runs; none is run that the store has\n",
                job->file.points, job->file.points == 1 ? "" : "s", job->most_runs);
}

static void say_end(const struct sweep_job *job, int status, bool quiet, struct ct_diags *diags) {
    uint64_t stored = sweep_job_stored(job);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "",
                   "interrupted: %" PRIu64 " of %" PRIu64
                   " points are stored; the same command goes on from there",
                   stored, job->file.points);
    if (job->failures.count)
        ct_warning(diags, "",
                   "%zu of %" PRIu64
                   " points failed, of which table sweep_failed of the store says "
                   "why; the same command tries them again",
                   job->failures.count, job->file.points);
    if (!quiet && job->cache.store)
        fprintf(stderr, "sweep: %" PRIu64 " point%s stored, %" PRIu64 " runs, %" PRIu64 " reused\n",
                stored, stored == 1 ? "" : "s", job->cache.ran, job->cache.reused);
}

/* What is finished is kept, however it ends. */
static int run_points(struct sweep_job *job, uint32_t threads, struct sweep_mpi *mpi,
                      struct ct_diags *diags) {
    int status = mpi->processes > 1 ? sweep_mpi_lead(mpi, job, diags)
                                    : sweep_points_run(job, threads, diags);
    int written = sweep_job_end(job, diags);
    return status == CT_OK ? written : status;
}

static int lead(struct sweep_command *c, const struct cli_args *args, struct sweep_mpi *mpi,
                uint32_t threads, int format, struct ct_diags *diags) {
    struct sweep_job *job = &c->job;
    cli_makes_store(cli_value(args, "output"));
    struct result_store *store = result_store_open(cli_value(args, "output"), RESULT_WRITE, diags);
    int status = store ? sweep_job_store(job, store, is_due, diags) : CT_DATA;
    if (status == CT_OK) {
        say_extent(job, args->quiet);
        cli_catch_interrupt();
        cli_progress_begin(&c->progress, "sweep", (double)job->file.points, args->quiet);
        status = run_points(job, threads, mpi, diags);
        cli_progress_end(&c->progress);
        say_end(job, status, args->quiet, diags);
    } else {
        sweep_mpi_dismiss(mpi);
    }
    int shown = status != CT_INTERRUPTED && sweep_job_stored(job) > 0
                    ? sweep_print(job, (enum report_format)format, stdout, diags)
                    : CT_OK;
    status = status == CT_OK ? shown : status;
    result_store_close(store);
    return status;
}

static void check(const struct cli_args *args, const struct sweep_mpi *mpi, int *format,
                  uint32_t *threads, struct ct_diags *diags) {
    *format = cli_choice(args, "format", report_format_names, REPORT_TEXT, diags);
    *threads = cli_threads(args, diags);
    if (!cli_has(args, "output"))
        ct_error(diags, "", "sweep needs --output R.db: results are kept there");
    if (mpi->processes > 1 && cli_has(args, "jobs"))
        ct_error(diags, "",
                 "'--jobs' and mpirun exclude each other: every process works on one point");
    if (mpi->processes > 1 && cli_has(args, "isolate-policy"))
        ct_error(diags, "", "'--isolate-policy' and mpirun exclude each other");
    if (mpi->processes > 1)
        *threads = 1;
}

static int cmd_sweep(struct cli_args *args, struct ct_diags *diags) {
    struct sweep_command c = {0};
    struct sweep_mpi mpi;
    int format = REPORT_TEXT;
    uint32_t threads = 1;
    int status = sweep_mpi_open(&mpi, diags);
    if (status == CT_OK)
        check(args, &mpi, &format, &threads, diags);
    bool ok = !diags->errors;
    if (ok)
        status = sweep_job_open(&c.job, args->operands[0], NULL, args->watch,
                                cli_has(args, "allow-policy-files"), diags);
    c.job.listener = (struct ct_listener){cli_is_interrupted, cli_progress_set, &c};
    bool begins = ok && status == CT_OK;
    if (mpi.rank > 0) { /* it has no store, and the first process says what is wrong */
        cli_catch_interrupt();
        sweep_mpi_follow(begins ? &c.job : NULL, diags);
        ct_diags_free(diags);
        status = CT_OK;
    } else if (begins)
        status = lead(&c, args, &mpi, threads, format, diags);
    else
        sweep_mpi_dismiss(&mpi);
    sweep_job_close(&c.job);
    sweep_mpi_close(&mpi);
    return ok || status != CT_OK ? status : CT_USAGE;
}

CLI_COMMAND(sweep, "SWEEP.json", 1, 1,
            "compare policies at every point of a grid or random design; goes on where it was "
            "interrupted");
