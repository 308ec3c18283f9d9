/* The figures of stored results: data and scripts, drawn by gnuplot. */
#include "cli.h"
#include "cli_commands.h"
#include "cli_draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "FOLDER",
     "where to put pictures, data and scripts (needed; made when missing)"},
    {"format", 'f', "svg|png|both", "form of the pictures (svg)"},
    {0},
};

const struct cli_command command_plot = {
    .name = "plot",
    .operands = "RESULTS.db",
    .summary = "draw stored results with gnuplot: p99 against target, latencies, batch work, "
               "trade-off, blame",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = cmd_plot,
};

static const char *const formats[] = {"svg", "png", "both", NULL};

enum { NOT_FOUND = 127 }; /* as the shell says it */

/* In the child: gnuplot in the folder, without the terminal to read from. */
static void become_gnuplot(const char *folder, const char *script, const char *format) {
    if (!freopen("/dev/null", "r", stdin))
        _exit(1);
    if (chdir(folder) != 0)
        _exit(1);
    execlp("gnuplot", "gnuplot", "-c", script, format, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* Draws one figure in one form; the exit code of gnuplot, NOT_FOUND without it. */
static int draw(const char *folder, const char *name, const char *format) {
    char script[256];
    int state = 0;
    snprintf(script, sizeof script, "%s.gp", name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, script, format);
    if (child < 0)
        return 1;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

int cli_draw_figures(const struct report_plots *plots, const char *folder, enum cli_picture picture,
                     struct ct_diags *diags) {
    for (size_t i = 0; i < plots->names.count; i++)
        for (int f = CLI_SVG; f <= CLI_PNG; f++) {
            if (picture != CLI_SVG_AND_PNG && (int)picture != f)
                continue;
            int code = draw(folder, plots->names.items[i], formats[f]);
            if (code == NOT_FOUND) {
                ct_error(diags, folder,
                         "gnuplot is not installed (Debian: gnuplot-nox); data and scripts are "
                         "written, 'gnuplot -c NAME.gp' draws them");
                return CT_DATA;
            }
            if (code) {
                ct_error(diags, folder, "gnuplot failed on '%s.gp'", plots->names.items[i]);
                return CT_DATA;
            }
        }
    return CT_OK;
}

static int plot_set(const struct cli_args *args, struct result_store *store,
                    const struct result_set *set, int format, struct ct_diags *diags) {
    const struct result_comparison *comparison;
    const char *folder = cli_value(args, "output");
    struct report_plots plots = {0};
    size_t *indices = calloc(set->runs.count + 1, sizeof *indices);
    if (!indices)
        return ct_out_of_memory(diags);
    size_t count = result_set_shown(set, indices, &comparison);
    const struct report_plots_input input = {set, indices, count, store};
    int status = report_plots_write(&input, folder, &plots, diags);
    if (status == CT_OK && !plots.names.count)
        ct_notice(diags, args->operands[0], "has nothing to plot");
    if (status == CT_OK)
        status = cli_draw_figures(&plots, folder, (enum cli_picture)format, diags);
    for (size_t i = 0; i < plots.names.count && status == CT_OK && !args->quiet; i++)
        printf("%s/%s.%s\n", folder, plots.names.items[i],
               format == CLI_SVG_AND_PNG ? "{svg,png}" : formats[format]);
    report_plots_free(&plots);
    free(indices);
    return status;
}

static int plot_store(const struct cli_args *args, struct result_store *store, int format,
                      struct ct_diags *diags) {
    struct result_set set = {0};
    const char *folder = cli_value(args, "output");
    int status = result_store_read(store, 0, 0, &set, diags);
    if (status == CT_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        ct_error(diags, folder, "cannot make the folder: %s", strerror(errno));
        status = CT_DATA;
    }
    if (status == CT_OK)
        status = plot_set(args, store, &set, format, diags);
    result_set_free(&set);
    return status;
}

int cmd_plot(int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, &command_plot, argc, argv);
    if (status != CLI_GO_ON)
        return status;
    int format = cli_choice(&args, "format", formats, CLI_SVG, &diags);
    if (!cli_value(&args, "output"))
        ct_error(&diags, "", "'plot' needs '-o FOLDER'");
    if (diags.errors)
        return cli_finish(&args, &diags, CT_USAGE);
    struct result_store *store = result_store_open(args.operands[0], RESULT_READ, &diags);
    status = store ? plot_store(&args, store, format, &diags) : CT_DATA;
    result_store_close(store);
    return cli_finish(&args, &diags, status);
}
