/* Stored results as one page for a browser. */
#include "cli/cli.h"
#include "cli/cli_output.h"
#include "cmd/commands.h"
#include "cmd/html_live.h"
#include "figures/html_page.h"
#include "format/output_file.h"

#include <math.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE.html", "where to write it (needed)"},
    {"worst", 'w', "N", "how many of the slowest jobs of each service (10)"},
    {"budget", 0, "MB",
     "size of the jobs and decisions in it: the slowest are kept (1; 0: no limit)"},
    {"live", 0, NULL, "the page holds the program, and makes its runs again with other numbers"},
    {0},
};

static int write_file(const struct html_source *sources, size_t count,
                      const struct html_choice *choice, const char *path,
                      struct html_summary *summary, struct ct_diags *diags) {
    struct output_file output;
    if (!output_file_open(&output, path, diags))
        return CT_DATA;
    return output_file_close(
        &output, html_page_write(sources, count, choice, output.file, summary, diags), diags);
}

static void tell(const struct cli_args *args, const struct html_summary *s,
                 struct ct_diags *diags) {
    const char *path = cli_value(args, "output");
    if (s->runs_left_out)
        ct_notice(diags, path, "shows the first %zu of %zu runs", s->runs,
                  s->runs + s->runs_left_out);
    if (s->jobs_cut)
        ct_notice(diags, path, "the budget left out the tasks of %zu of %zu jobs", s->jobs_cut,
                  s->jobs);
    if (s->decisions_left_out)
        ct_notice(diags, path, "the budget left out %zu of %zu decisions", s->decisions_left_out,
                  s->decisions + s->decisions_left_out);
    if (!args->quiet)
        printf("%zu run%s, %zu jobs, %zu decisions, %.1f MB in %s\n", s->runs,
               s->runs == 1 ? "" : "s", s->jobs, s->decisions, (double)s->bytes / 1e6, path);
}

static int show_stores(const struct cli_args *args, struct html_choice choice,
                       struct html_source *sources, struct ct_diags *diags) {
    struct html_summary summary;
    struct html_live live = {0};
    struct ct_arena arena = {0};
    size_t count = (size_t)args->operand_count;
    int status = CT_OK;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        sources[i].path = args->operands[i];
        sources[i].store = result_store_open(args->operands[i], RESULT_READ, diags);
        status = sources[i].store ? CT_OK : CT_DATA;
    }
    if (status == CT_OK && cli_has(args, "live")) {
        choice.live = &live;
        status = html_live_read(sources, count, &live, &arena, diags);
    }
    if (status == CT_OK)
        status = write_file(sources, count, &choice, cli_value(args, "output"), &summary, diags);
    if (status == CT_OK)
        tell(args, &summary, diags);
    for (size_t i = 0; i < count; i++)
        result_store_close(sources[i].store);
    ct_arena_free(&arena);
    return status;
}

static int cmd_html(struct cli_args *args, struct ct_diags *diags) {
    int64_t worst = 10;
    double megabytes = HTML_BUDGET_MB;
    if (!cli_value(args, "output"))
        ct_error(diags, "", "'html' needs '-o FILE.html'");
    for (int i = 0; i < args->operand_count; i++)
        if (cli_same_file(cli_value(args, "output"), args->operands[i]))
            ct_error(diags, "--output", "'%s' is the store that is read", args->operands[i]);
    cli_int(args, "worst", 1, 1000, &worst, diags);
    cli_double(args, "budget", 0, 1000, &megabytes, diags);
    if (diags->errors)
        return CT_USAGE;
    const struct html_choice choice = {(uint64_t)worst, (uint64_t)ceil(megabytes * 1e6), NULL};
    struct html_source *sources = calloc((size_t)args->operand_count, sizeof *sources);
    int status = sources ? show_stores(args, choice, sources, diags) : ct_out_of_memory(diags);
    free(sources);
    return status;
}

CLI_COMMAND(html, "RESULTS.db...", 1, -1,
            "put stored results into one page for a browser: tables, charts, the slowest jobs, "
            "the decision log");
