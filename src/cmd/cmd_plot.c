/* The figures of stored results: data and scripts, drawn by gnuplot. */
#include "cli/cli.h"
#include "cli/cli_draw.h"
#include "cli/cli_output.h"
#include "cmd/commands.h"
#include "figures/figure.h"
#include "figures/plot_colocations.h"
#include "figures/plot_dram.h"
#include "figures/sweep_plots.h"
#include "format/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "FOLDER",
     "where to put pictures, data and scripts (needed; made when missing)"},
    {"format", 'f', "svg|png|both", "form of the pictures (svg)"},
    {0},
};

static const char *const formats[] = {"svg", "png", "both", NULL};

enum { NOT_FOUND = 127 }; /* as the shell says it */

/*
 * In the child: gnuplot in the folder, without the terminal to read from, its picture going to a
 * file. The data is opened once, so that a picture shows one writer's numbers whoever else writes.
 */
static void become_gnuplot(const char *folder, const char *name, const char *format, int picture) {
    char script[FIGURE_NAME_SIZE + 8], data[FIGURE_NAME_SIZE + 8];
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(data, sizeof data, "%s.dat", name);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!freopen("/dev/null", "r", stdin) || chdir(folder) != 0 || dup2(picture, STDOUT_FILENO) < 0)
        _exit(1);
    int file = open(data, O_RDONLY);
    if (file < 0)
        _exit(1);
    snprintf(data, sizeof data, "/proc/self/fd/%d", file);
    setenv("LC_ALL", "C.UTF-8", 1); /* the scripts are in it; elsewhere gnuplot warns of each */
    execlp("gnuplot", "gnuplot", "-d", "-c", script, format, data, "-", (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* Draws one figure in one form; the exit code of gnuplot, NOT_FOUND without it. */
static int draw(const char *folder, const char *name, const char *format, FILE *picture) {
    int state = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, name, format, fileno(picture));
    if (child < 0)
        return 1;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return 1;
        if (cli_interrupted())
            kill(child, SIGTERM);
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

/* gnuplot says nothing of a full disk. */
static bool is_whole(FILE *drawn, enum cli_picture form) {
    const char *end = form == CLI_SVG ? "</svg>" : "IEND";
    char path[40], tail[16] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(drawn));
    FILE *picture = fopen(path, "rb");
    bool whole = false;
    if (picture && fseek(picture, 1 - (long)sizeof tail, SEEK_END) == 0) {
        size_t got = fread(tail, 1, sizeof tail - 1, picture);
        for (size_t i = 0; i < got; i++)
            whole |= strncmp(tail + i, end, strlen(end)) == 0;
    }
    if (picture)
        fclose(picture);
    return whole;
}

static int draw_figure(const char *folder, const char *name, enum cli_picture form,
                       struct ct_diags *diags) {
    char path[FIGURE_PATH_SIZE];
    struct output_file picture;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, formats[form]);
    if (!output_file_open(&picture, path, diags))
        return CT_DATA;
    int code = draw(folder, name, formats[form], picture.file);
    bool whole = code == 0 && is_whole(picture.file, form);
    if (cli_interrupted())
        return output_file_close(&picture, CT_INTERRUPTED, diags);
    if (code == NOT_FOUND)
        ct_error(diags, folder,
                 "gnuplot is not installed (Debian: gnuplot-nox); data and scripts are written, "
                 "'gnuplot -c NAME.gp' draws them");
    else if (code)
        ct_error(diags, folder, "gnuplot failed on '%s.gp'", name);
    else if (!whole)
        ct_error(diags, folder, "gnuplot wrote '%s.%s' in part only; is the disk full?", name,
                 formats[form]);
    return output_file_close(&picture, whole ? CT_OK : CT_DATA, diags);
}

int cli_draw_figures(const struct report_plots *plots, const char *folder, enum cli_picture picture,
                     struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < plots->names.count && status == CT_OK; i++)
        for (int f = CLI_SVG; f <= CLI_PNG && status == CT_OK; f++)
            if (picture == CLI_SVG_AND_PNG || (int)picture == f)
                status = cli_interrupted() ? CT_INTERRUPTED
                                           : draw_figure(folder, plots->names.items[i],
                                                         (enum cli_picture)f, diags);
    return status;
}

/* What the operands are: files of 'dram fit', by their ending, and result stores. */
struct plot_job {
    struct ct_arena arena;
    const char *folder;
    const char **memories;
    size_t memory_count;
    struct plot_source *sources;
    struct result_set *sets; /* one for each source */
    size_t source_count;
    struct report_plots plots;
};

static bool is_memory(const char *path) {
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static bool make_room(struct plot_job *job, size_t count) {
    job->memories = ct_arena_array(&job->arena, count, sizeof *job->memories);
    job->sources = ct_arena_array(&job->arena, count, sizeof *job->sources);
    job->sets = ct_arena_array(&job->arena, count, sizeof *job->sets);
    return job->memories && job->sources && job->sets;
}

static int open_sources(struct plot_job *job, const struct cli_args *args, struct ct_diags *diags) {
    for (size_t i = 0; i < (size_t)args->operand_count; i++) {
        if (is_memory(args->operands[i])) {
            job->memories[job->memory_count++] = args->operands[i];
            continue;
        }
        struct plot_source *source = &job->sources[job->source_count];
        source->set = &job->sets[job->source_count];
        source->store = result_store_open(args->operands[i], RESULT_READ, diags);
        if (!source->store)
            return CT_DATA;
        int status = result_store_read(source->store, 0, 0, &job->sets[job->source_count++], diags);
        if (status != CT_OK)
            return status;
    }
    return CT_OK;
}

static void close_sources(struct plot_job *job) {
    for (size_t i = 0; i < job->source_count; i++) {
        result_set_free(&job->sets[i]);
        result_store_close(job->sources[i].store);
    }
    report_plots_free(&job->plots);
    ct_arena_free(&job->arena);
}

/* Draws the newest comparison of the store, or all its runs if it has none. */
static int write_runs(struct plot_job *job, struct ct_diags *diags) {
    const struct result_comparison *comparison;
    const struct result_set *set = job->sources[0].set;
    size_t *indices = calloc(set->runs.count + 1, sizeof *indices);
    if (!indices)
        return ct_out_of_memory(diags);
    size_t count = result_set_shown(set, indices, &comparison);
    const struct report_plots_input input = {set, indices, count, job->sources[0].store};
    int status = report_plots_write(&input, job->folder, &job->plots, diags);
    free(indices);
    return status;
}

/* The figures of one store: a sweep has those of all its points instead of those of its last. */
static int write_store(struct plot_job *job, struct ct_diags *diags) {
    const struct plot_source *source = &job->sources[0];
    struct result_points points = {0};
    int status = result_points_read(source->store, &job->arena, &points, diags);
    if (status == CT_OK && points.count > 1)
        status = sweep_plots_write(source->set, &points, job->folder, &job->plots, diags);
    else if (status == CT_OK)
        status = write_runs(job, diags);
    ct_vec_free(&points);
    return status;
}

static int write_figures(struct plot_job *job, struct ct_diags *diags) {
    int status = cli_make_folder(job->folder, diags);
    if (status == CT_OK && job->source_count == 1)
        status = write_store(job, diags);
    if (status == CT_OK)
        status = plot_colocations(job->sources, job->source_count, job->folder, &job->plots, diags);
    if (status == CT_OK && job->memory_count)
        status = plot_dram(job->memories, job->memory_count, job->folder, &job->plots, diags);
    return status;
}

static int plot_all(struct plot_job *job, const struct cli_args *args, int format,
                    struct ct_diags *diags) {
    int status = open_sources(job, args, diags);
    if (status == CT_OK)
        status = write_figures(job, diags);
    if (status == CT_OK && !job->plots.names.count)
        ct_notice(diags, args->operands[0], "has nothing to plot");
    if (status == CT_OK)
        status = cli_draw_figures(&job->plots, job->folder, (enum cli_picture)format, diags);
    for (size_t i = 0; i < job->plots.names.count && status == CT_OK && !args->quiet; i++)
        printf("%s/%s.%s\n", job->folder, job->plots.names.items[i],
               format == CLI_SVG_AND_PNG ? "{svg,png}" : formats[format]);
    return status;
}

static int cmd_plot(struct cli_args *args, struct ct_diags *diags) {
    struct plot_job job = {0};
    int format = cli_choice(args, "format", formats, CLI_SVG, diags);
    job.folder = cli_value(args, "output");
    if (!job.folder)
        ct_error(diags, "", "'plot' needs '-o FOLDER'");
    if (!job.folder || diags->errors)
        return CT_USAGE;
    int status = make_room(&job, (size_t)args->operand_count) ? plot_all(&job, args, format, diags)
                                                              : ct_out_of_memory(diags);
    close_sources(&job);
    return status;
}

CLI_COMMAND(plot, "RESULTS.db|D.json...", 1, -1,
            "draw stored results with gnuplot: p99 against target, latencies, batch work, "
            "trade-off, blame; of several stores or a sweep, the co-locations side by side; of "
            "'dram fit', utilisation against row hits");
