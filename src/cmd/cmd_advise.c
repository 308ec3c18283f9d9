/* Which way of sharing a GPU to switch on. */
#include "cli/cli_experiment.h"
#include "cmd/commands.h"
#include "figures/html_frame.h"
#include "format/csv_reader.h"
#include "run/arrivals.h"
#include "study/advise.h"
#include "study/prices.h"

#include <math.h>
#include <string.h>

static const struct cli_option options[] = {
    {"gpus", 0, "NAME=PRICE,...",
     "types of GPU, each with its price per hour or without (the workload's)"},
    {"most", 0, "N", "the most GPUs of a type that are tried (1)"},
    {"every", 0, NULL,
     "run every setting to the end: slow, and what the rounds are checked against"},
    {"confidence", 0, "P", "of the verdicts, above 0.5 and below 1 (0.95)"},
    {"reps", 'n', "N", "replications of what is judged (5)"},
    {"max-reps", 0, "N", "the most replications of what is near its target (10)"},
    {"bands", 0, "N",
     "draws of unknown memory demand for the best of each way; 0: none (a few, if much is "
     "unknown)"},
    CLI_JOBS_OPTION,
    CLI_CACHE_OPTION,
    {"set", 's', "KEY=VALUE", "change the workload: apps.bfs.instances=8, gpu.sms=40"},
    {"seed", 0, "N", "of all random draws, instead of the workload's"},
    {"whole-page", 0, "FILE.html", "write a page with all candidates, for a browser"},
    {"format", 'f', "text|json|csv|markdown", "form of the advice; csv has all candidates"},
    {0},
};

struct advised {
    struct cli_experiment e; /* its progress and its request */
    struct advise advise;
    struct advise_result result;
    struct ct_arena arena;
};

/* "h100=2.5,a100": names and prices. */
static int read_gpus(struct advise *advise, const char *list, struct ct_arena *arena,
                     struct ct_diags *diags) {
    struct advise_gpu *gpus = ct_arena_array(arena, list ? strlen(list) + 1 : 1, sizeof *gpus);
    if (!gpus)
        return ct_out_of_memory(diags);
    advise->gpus = gpus;
    if (!list)
        gpus[advise->gpu_count++] = (struct advise_gpu){NULL, NAN};
    for (const char *next = list; next;) {
        size_t length = strcspn(next, ",");
        char *name = ct_arena_strndup(arena, next, length),
             *equals = name ? strchr(name, '=') : NULL;
        struct advise_gpu gpu = {name, NAN};
        next = next[length] ? next + length + 1 : NULL;
        if (!name)
            return ct_out_of_memory(diags);
        if (equals) {
            *equals = '\0';
            const char *end = csv_scan_number(equals + 1, &gpu.price_per_h);
            if (!end || *end || !price_is_sound(gpu.price_per_h))
                return ct_usage_error(diags, "--gpus", "'%s' is no price of '%s' per hour",
                                      equals + 1, name);
        }
        gpus[advise->gpu_count++] = gpu;
    }
    return CT_OK;
}

static void read_numbers(struct advise *advise, const struct cli_args *args,
                         struct ct_diags *diags) {
    advise->confidence = cli_double(args, "confidence", 0.501, 0.999999, 0.95, diags);
    int64_t reps = cli_int(args, "reps", 2, 10000, 5, diags);
    int64_t most_reps = cli_int(args, "max-reps", 2, 10000, 10, diags);
    advise->replications = (uint32_t)reps;
    advise->most_replications = (uint32_t)(most_reps < reps ? reps : most_reps);
    advise->most_gpus = (uint32_t)cli_int(args, "most", 1, 64, 1, diags);
    advise->threads = cli_threads(args, diags);
    advise->draws = cli_experiment_bands(args, diags);
    advise->every = cli_has(args, "every");
}

static int write_data(void *context, FILE *out) {
    const struct advised *advised = context;
    return advise_print_json(&advised->advise, &advised->result, true, out);
}

static int run(struct advised *advised, enum table_format format, const char *page,
               struct ct_diags *diags) {
    struct advise_result *result = &advised->result;
    advised->advise.listener = cli_listener(&advised->e.progress);
    cli_progress_begin(&advised->e.progress, "advise", 1, advised->e.quiet);
    int status = advise_run(&advised->advise, result, diags);
    cli_progress_end(&advised->e.progress);
    if (status == CT_OK || (status == CT_INTERRUPTED && result->guess)) {
        const struct workload *workload = &advise_shown(result)->scenario->workload;
        const struct html_frame frame = {workload->name, &html_asset_advice, write_data, advised,
                                         NULL};
        arrivals_notice_starts(workload, diags);
        int shown = advise_print(&advised->advise, result, format, stdout);
        if (shown == CT_OK && page)
            shown = html_frame_write_file(&frame, page, diags);
        status = shown == CT_OK ? status : shown;
    }
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted%s",
                   result->guess ? ": what is known so far is shown"
                                 : " before anything was known");
    else if (status == CT_OK && !result->best) /* a script must not take the nearest one */
        status = ct_data_error(
            diags, advised->e.request.workload,
            "no setting that was tried keeps the targets for sure: more GPUs (--most), other "
            "ones (--gpus), or a longer 'duration_s'");
    advise_result_free(result);
    return status;
}

static int cmd_advise(struct cli_args *args, struct ct_diags *diags) {
    struct advised advised = {0};
    enum table_format format = cli_format(args, diags);
    cli_experiment_request(&advised.e, args, diags);
    read_numbers(&advised.advise, args, diags);
    int status = read_gpus(&advised.advise, cli_value(args, "gpus"), &advised.arena, diags);
    advised.advise.request = &advised.e.request;
    if (status == CT_OK && !diags->errors) {
        const char *page = cli_value(args, "whole-page");
        advised.advise.cache = run_folder_find(&advised.e.folder, args);
        ct_files_note(diags->files, advised.e.request.workload); /* it is read in the search */
        status = cli_probe_output(page, diags);
        if (status == CT_OK)
            status = run(&advised, format, page, diags);
    }
    cli_experiment_close(&advised.e);
    ct_arena_free(&advised.arena);
    return status;
}

CLI_COMMAND(advise, "WORKLOAD.json", 1, 1,
            "find the way of sharing a GPU that keeps the targets, and what switches it on");
