/* Stored results as one page for a browser. */
#include "base/ct_files.h"
#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "cli/cli_results.h"
#include "cmd/commands.h"
#include "cmd/run_again.h"
#include "figures/html_page.h"
#include "format/output_file.h"
#include "workload/workload.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE.html", "where to write it (needed)"},
    {"worst", 'w', "N", "how many of the slowest jobs of each service (10)"},
    {"budget", 0, "MB",
     "size of the jobs and decisions in it: the slowest are kept (1; 0: no limit)"},
    CLI_SWEEP_OPTION,
    {"live", 0, NULL, "the page holds the program, and makes its runs again with other numbers"},
    {0},
};

/* ---- what a page carries in which runs can be made again: the program, and recordings ---- */

/* Most that the recordings of a page may take in all: what can be mailed. Chosen. */
enum { MOST_LIVE_MB = 16 };

struct live_files {
    struct ct_arena *arena;
    CT_VEC(const char *) paths; /* that were asked for */
    bool failed;
};

/* Serves nothing, and notes who was asked for (ct_files.h). */
static const void *note_path(void *context, const char *path, size_t *size) {
    struct live_files *files = context;
    (void)size;
    if (ct_text_index(path, files->paths.items, files->paths.count) == files->paths.count) {
        const char *copy = ct_arena_strdup(files->arena, path);
        files->failed |= !copy || !ct_vec_push(&files->paths, copy);
    }
    return NULL;
}

/* Stores of traces and tables of arrivals. The rest, JSON, is in the configuration that a run keeps
 * or ships with the program. */
static bool is_recording(const char *path) {
    const char *dot = strrchr(path, '.');
    return (!dot || strcmp(dot, ".json") != 0) && access(path, R_OK) == 0;
}

static int read_whole(const char *path, struct html_file *file, struct ct_arena *arena,
                      struct ct_diags *diags) {
    FILE *in = fopen(path, "rb");
    ct_files_note(diags->files, path);
    long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    char *bytes = size >= 0 ? ct_arena_alloc(arena, (size_t)size + 1) : NULL;
    int status = size >= 0 && !bytes ? ct_out_of_memory(diags) : CT_OK;
    if (bytes)
        rewind(in);
    if (size < 0 || (bytes && fread(bytes, 1, (size_t)size, in) != (size_t)size))
        status = ct_file_error(diags, path, "read it", 0);
    if (bytes)
        bytes[size] = '\0';
    if (in)
        fclose(in);
    *file = (struct html_file){ct_text_file_name(path), bytes, status == CT_OK ? (size_t)size : 0};
    return status;
}

/* The program and its version, which must be this one: its numbers would be others. */
static int find_core(struct html_live *live, struct ct_arena *arena, struct ct_diags *diags) {
    struct html_file version;
    const char *core = share_find(arena, NULL, "lessons", "core.tar.gz", NULL);
    const char *text = share_find(arena, NULL, "lessons", "version", NULL);
    if (!core || !text)
        return ct_data_error(
            diags, "--live",
            "the program as WebAssembly is not there: 'scripts/lessons --core' builds it, and "
            "'cmake --install' puts it into the share folder");
    int status = read_whole(text, &version, arena, diags);
    if (status == CT_OK)
        status = read_whole(core, &live->core, arena, diags);
    if (status != CT_OK || !version.bytes)
        return CT_DATA;
    live->version = COTENANT_VERSION;
    size_t length = strcspn(version.bytes, "\n");
    if (length == strlen(live->version) && memcmp(version.bytes, live->version, length) == 0)
        return CT_OK;
    return ct_data_error(diags, text, "is version %.*s of the program as WebAssembly, this is %s",
                         (int)length, (const char *)version.bytes, live->version);
}

/* Opens what made a run; `files` notes what that reads. */
static int open_given(const struct result_run *run, const struct result_given *given,
                      struct live_files *files, struct ct_diags *diags) {
    const struct ct_files noting = {files, note_path, diags->files ? diags->files->read : NULL};
    struct ct_diags own = {.files = &noting}; /* what it warns of was said by the run */
    struct scenario scenario = {0};
    struct scenario_request request;
    int status = run_given_request(given, NULL, "--live", &request, &own);
    if (status == CT_OK)
        status = scenario_open(&scenario, &request, &own);
    if (status == CT_OK)
        status = run_given_check(&scenario, given, run, "--live", &own);
    scenario_close(&scenario);
    if (status != CT_OK)
        ct_diags_add(diags, &own);
    ct_diags_free(&own);
    return files->failed ? ct_out_of_memory(diags) : status;
}

/* All runs of a store; replications of one experiment are opened once. */
static int open_runs(const struct result_set *set, const char *path, struct live_files *files,
                     struct ct_diags *diags) {
    const char *last = "";
    int status = CT_OK;
    bool any = false;
    for (size_t i = 0; i < set->runs.count && status == CT_OK; i++) {
        const struct result_run *run = &set->runs.items[i];
        struct result_given given;
        if (run->purpose || !result_given_read(run, files->arena, &given))
            continue;
        any = true;
        if (strcmp(given.inputs, last) != 0)
            status = open_given(run, &given, files, diags);
        last = given.inputs;
    }
    if (status != CT_OK || any)
        return status;
    return ct_data_error(diags, path,
                         "keeps of no run what made it, so that none can be made again");
}

static int read_files(const struct live_files *files, struct html_live *live,
                      struct ct_diags *diags) {
    struct html_file *read = ct_arena_array(files->arena, files->paths.count + 1, sizeof *read);
    size_t bytes = 0;
    int status = read ? CT_OK : ct_out_of_memory(diags);
    for (size_t i = 0; i < files->paths.count && status == CT_OK; i++) {
        const char *path = files->paths.items[i];
        if (!is_recording(path))
            continue;
        for (size_t k = 0; k < live->file_count && status == CT_OK; k++)
            if (strcmp(read[k].name, ct_text_file_name(path)) == 0)
                status =
                    ct_data_error(diags, path, "another recording of this page is called '%s', too",
                                  read[k].name);
        if (status == CT_OK)
            status = read_whole(path, &read[live->file_count], files->arena, diags);
        bytes += status == CT_OK ? read[live->file_count++].size : 0;
    }
    live->files = read;
    if (status != CT_OK || bytes <= MOST_LIVE_MB * (size_t)1000000)
        return status;
    return ct_data_error(
        diags, "--live",
        "the recordings of these runs are %.1f MB, more than the %d MB that a page holds",
        (double)bytes / 1e6, MOST_LIVE_MB);
}

/*
 * Finds the program (share folder, "lessons"), opens the workload of each run of the stores as it
 * was given, and reads the recordings that this asked for. All of `live` is in the arena. CT_DATA
 * when the program is not installed, a run keeps not what made it, an input has changed, two
 * recordings have one name, or together they are larger than MOST_LIVE_MB.
 */
static int read_live(const struct html_source *sources, size_t count, struct html_live *live,
                     struct ct_arena *arena, struct ct_diags *diags) {
    struct live_files files = {.arena = arena};
    int status = find_core(live, arena, diags);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct result_set set = {0};
        status = result_store_read(sources[i].store, 0, 0, &set, diags);
        if (status == CT_OK)
            status = open_runs(&set, sources[i].path, &files, diags);
        result_set_free(&set);
    }
    if (status == CT_OK)
        status = read_files(&files, live, diags);
    ct_vec_free(&files.paths);
    return status;
}

/* ---- the page ---- */

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
                       struct ct_arena *arena, struct ct_diags *diags) {
    struct html_summary summary;
    struct html_live live = {0};
    struct output_file output = {0};
    size_t count = (size_t)args->operand_count;
    struct html_source *sources = ct_arena_array(arena, count, sizeof *sources);
    int status = CT_OK;
    if (!sources)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        sources[i].path = args->operands[i];
        sources[i].store = result_store_open(args->operands[i], RESULT_READ, diags);
        status = sources[i].store ? CT_OK : CT_DATA;
    }
    if (status == CT_OK && count == 1)
        status = cli_choose_sweep(args, sources[0].store, sources[0].path, diags);
    if (status == CT_OK && cli_has(args, "live")) {
        choice.live = &live;
        status = read_live(sources, count, &live, arena, diags);
    }
    if (status == CT_OK && !output_file_open(&output, cli_value(args, "output"), diags))
        status = CT_DATA;
    if (status == CT_OK)
        status = html_page_write(sources, count, &choice, output.file, &summary, diags);
    status = output_file_close(&output, status, diags);
    if (status == CT_OK)
        tell(args, &summary, diags);
    for (size_t i = 0; i < count; i++)
        result_store_close(sources[i].store);
    return status;
}

static int cmd_html(struct cli_args *args, struct ct_diags *diags) {
    cli_output(args, diags);
    int64_t worst = cli_int(args, "worst", 1, 1000, 10, diags);
    double megabytes = cli_double(args, "budget", 0, 1000, HTML_BUDGET_MB, diags);
    if (cli_has(args, "sweep") && args->operand_count > 1)
        ct_error(diags, "", "'--sweep' is of one store");
    if (diags->errors)
        return CT_USAGE;
    const struct html_choice choice = {(uint64_t)worst, (uint64_t)ceil(megabytes * 1e6), NULL};
    struct ct_arena arena = {0};
    int status = show_stores(args, choice, &arena, diags);
    ct_arena_free(&arena);
    return status;
}

CLI_COMMAND(html, "RESULTS.db...", 1, -1,
            "put stored results into one page for a browser: tables, charts, the slowest jobs, "
            "the decision log");
