#include "cmd/html_live.h"

#include "base/ct_files.h"
#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "cmd/run_given.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live_files {
    struct ct_arena *arena;
    CT_VEC(const char *) paths; /* that were asked for */
    bool failed;
};

static bool is_listed(const struct live_files *files, const char *path) {
    for (size_t i = 0; i < files->paths.count; i++)
        if (strcmp(files->paths.items[i], path) == 0)
            return true;
    return false;
}

/* Serves nothing, and notes who was asked for (ct_files.h). */
static const void *note_path(void *context, const char *path, size_t *size) {
    struct live_files *files = context;
    (void)size;
    if (!is_listed(files, path)) {
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
    if (!core || !text) {
        ct_error(diags, "--live",
                 "the program as WebAssembly is not there: 'scripts/lessons --core' builds it, and "
                 "'cmake --install' puts it into the share folder");
        return CT_DATA;
    }
    int status = read_whole(text, &version, arena, diags);
    if (status == CT_OK)
        status = read_whole(core, &live->core, arena, diags);
    if (status != CT_OK || !version.bytes)
        return CT_DATA;
    live->version = COTENANT_VERSION;
    size_t length = strcspn(version.bytes, "\n");
    if (length == strlen(live->version) && memcmp(version.bytes, live->version, length) == 0)
        return CT_OK;
    ct_error(diags, text, "is version %.*s of the program as WebAssembly, this is %s", (int)length,
             (const char *)version.bytes, live->version);
    return CT_DATA;
}

/* Opens what made a run; `files` notes what that reads. */
static int open_given(const struct result_run *run, const struct result_given *given,
                      struct live_files *files, struct ct_diags *diags) {
    const struct ct_files noting = {files, note_path};
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
    ct_error(diags, path, "keeps of no run what made it, so that none can be made again");
    return CT_DATA;
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
            if (strcmp(read[k].name, ct_text_file_name(path)) == 0) {
                ct_error(diags, path, "another recording of this page is called '%s', too",
                         read[k].name);
                status = CT_DATA;
            }
        if (status == CT_OK)
            status = read_whole(path, &read[live->file_count], files->arena, diags);
        bytes += status == CT_OK ? read[live->file_count++].size : 0;
    }
    live->files = read;
    if (status != CT_OK || bytes <= HTML_LIVE_MOST_MB * (size_t)1000000)
        return status;
    ct_error(diags, "--live",
             "the recordings of these runs are %.1f MB, more than the %d MB that a page holds",
             (double)bytes / 1e6, HTML_LIVE_MOST_MB);
    return CT_DATA;
}

int html_live_read(const struct html_source *sources, size_t count, struct html_live *live,
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
