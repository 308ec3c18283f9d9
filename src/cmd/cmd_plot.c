/* The figures of stored results: data and scripts, drawn by gnuplot. */
#include "cli/cli_results.h"
#include "cmd/commands.h"

#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "FOLDER",
     "where to put pictures, data and scripts (needed; made when missing)"},
    {"format", 'f', "svg|png|both", "form of the pictures (svg)"},
    CLI_SWEEP_OPTION,
    {0},
};

/* What the operands are: files of 'dram fit', by their ending, and result stores. */
struct plot_job {
    struct ct_arena arena;
    const char *folder;
    const char **memories;
    size_t memory_count;
    struct plot_source *sources;
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
    return job->memories && job->sources;
}

static int open_sources(struct plot_job *job, const struct cli_args *args, struct ct_diags *diags) {
    for (size_t i = 0; i < (size_t)args->operand_count; i++) {
        if (is_memory(args->operands[i])) {
            job->memories[job->memory_count++] = args->operands[i];
            continue;
        }
        struct plot_source *source = &job->sources[job->source_count];
        source->path = args->operands[i];
        source->store = result_store_open(args->operands[i], RESULT_READ, diags);
        if (!source->store)
            return CT_DATA;
        job->source_count++;
        int status = result_store_read(source->store, 0, 0, &source->set, diags);
        if (status != CT_OK)
            return status;
    }
    return CT_OK;
}

static void close_sources(struct plot_job *job) {
    for (size_t i = 0; i < job->source_count; i++) {
        result_set_free(&job->sources[i].set);
        result_store_close(job->sources[i].store);
    }
    report_plots_free(&job->plots);
    ct_arena_free(&job->arena);
}

/* Draws the runs of a point; NULL: the newest comparison of the store, or all its runs if it has
 * none. */
static int write_runs(struct plot_job *job, const struct result_point *point,
                      struct ct_diags *diags) {
    const struct result_comparison *comparison;
    const struct result_set *set = &job->sources[0].set;
    size_t of_point = point ? point->run_count : 0, count = 0;
    size_t *indices = ct_arena_array(&job->arena, set->runs.count + of_point + 1, sizeof *indices);
    if (!indices)
        return ct_out_of_memory(diags);
    if (!point)
        count = result_set_shown(set, indices, &comparison);
    for (size_t i = 0; i < of_point; i++) {
        const struct result_run *run = result_set_find(set, point->runs[i]);
        if (run)
            indices[count++] = (size_t)(run - set->runs.items);
    }
    const struct report_plots_input input = {set, indices, count, job->sources[0].store};
    return report_plots_write(&input, job->folder, &job->plots, diags);
}

/* The figures of one store: a sweep has those of all its points instead of those of its last. Of
 * several sweeps the newest one alone has a place among the co-locations then, too. */
static int write_store(struct plot_job *job, struct ct_diags *diags) {
    const struct plot_source *source = &job->sources[0];
    struct result_points points = {0};
    int status = result_points_read(source->store, &job->arena, &points, diags);
    if (status == CT_OK && points.count > 1)
        status = sweep_plots_write(&source->set, &points, job->folder, &job->plots, diags);
    else if (status == CT_OK)
        status = write_runs(job, points.count && points.chosen ? &points.items[0] : NULL, diags);
    if (status == CT_OK && points.count && !points.chosen)
        status = result_sweep_choose(source->store, points.items[0].sweep, diags);
    ct_vec_free(&points);
    return status;
}

static int write_figures(struct plot_job *job, const struct cli_args *args,
                         struct ct_diags *diags) {
    int status = cli_make_folder(job->folder, diags);
    if (status == CT_OK && job->source_count == 1)
        status = cli_choose_sweep(args, job->sources[0].store, job->sources[0].path, diags);
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
        status = write_figures(job, args, diags);
    bool nothing = status == CT_OK && !job->plots.names.count;
    if (nothing && job->source_count > 1)
        ct_notice(diags, args->operands[0],
                  "is of the same co-location as '%s': nothing stands side by side",
                  args->operands[1]);
    else if (nothing)
        ct_notice(diags, args->operands[0], "has nothing to plot");
    if (status == CT_OK)
        status = cli_draw_figures(&job->plots, job->folder, (enum cli_picture)format, diags);
    for (size_t i = 0; i < job->plots.names.count && status == CT_OK && !args->quiet; i++)
        printf("%s/%s.%s\n", job->folder, job->plots.names.items[i],
               format == CLI_SVG_AND_PNG ? "{svg,png}" : cli_pictures[format]);
    return status;
}

static int cmd_plot(struct cli_args *args, struct ct_diags *diags) {
    struct plot_job job = {0};
    int format = cli_choice(args, "format", cli_pictures, CLI_SVG, diags);
    job.folder = cli_output(args, diags);
    uint32_t stores = 0;
    for (int i = 0; i < args->operand_count; i++)
        stores += !is_memory(args->operands[i]);
    if (cli_has(args, "sweep") && stores > 1)
        ct_error(diags, "", "'--sweep' is of one store");
    if (diags->errors)
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
