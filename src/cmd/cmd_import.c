/* Profilers' recordings into the trace store: every file an application, metrics files beside them.
 */
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cmd/commands.h"
#include "cmd/import_kinds.h"
#include "format/doc_writer.h"
#include "format/sqlite_header.h"
#include "ingest/import_formats.h"
#include "ingest/sqlite_tables.h"
#include "trace/trace_lead.h"
#include "trace/trace_store.h"
#include "workload/gpu_catalogue.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "T.db", "the trace store; applications of the same name are replaced"},
    {"app", 'a', "NAME",
     "name of the application; otherwise the file's. Of a store: its only application's new name, "
     "or which of several is measured; the others are kept"},
    {"jobs", 0, "auto|whole|step|nvtx:NAME|from:NAME|gap:MS",
     "what a job is: a profiler's step, a named range, from one such range to the next, what an "
     "idle device separates; auto: steps where there are some, else the whole recording"},
    {"skip-jobs", 0, "N", "leave out the first N jobs of each application: warm-up"},
    {"from-launch", 0, NULL,
     "jobs of steps and ranges begin at their first launch and end with their last task, without "
     "what the host does around them (a profiler's start, the preparation of inputs)"},
    {"gpu", 'g', "PRESET",
     "the recorded GPU, where the file does not name it, or names it wrongly; of a network: the "
     "one to model"},
    {"gpu-file", 0, "NAME.json",
     "where the recorded GPU is no preset's, by its name, SMs, memory or bandwidth: write one "
     "there, of what the recording says"},
    {"device", 'd', "N", "this device only; otherwise each becomes an application"},
    {"column", 0, "NAME", "of arrivals: the column with the time stamps"},
    {"batch", 'b', "N", "of a network: inputs per query, instead of the file's"},
    {"compute-efficiency", 0, "F", "of a network: fraction of peak FLOP/s, assumed (0.5)"},
    {"memory-efficiency", 0, "F", "of a network: fraction of peak bandwidth, assumed (0.7)"},
    {"no-comm", 0, NULL, "leave out communication kernels (NCCL), which only wait for other GPUs"},
    {"source", 0, "TEXT", "where the recording is from; kept with the trace"},
    {"licence", 0, "TEXT", "its licence; kept with the trace"},
    {0},
};

#define FORMAT_NAME(name) " " #name
#define FORMAT_ONE(name) +1

/* What is imported besides recordings, and which of the options each reads besides --output. */
struct kind {
    const char *name;
    int (*import)(const struct cli_args *args, struct ct_diags *diags);
    const char *reads[11];
};
static const struct kind of_recordings = {"recording",
                                          NULL,
                                          {"app", "jobs", "skip-jobs", "from-launch", "gpu",
                                           "gpu-file", "device", "no-comm", "source", "licence"}};
static const struct kind of_stores = {"store", NULL, {"app", "skip-jobs", "source", "licence"}};
static const struct kind others[] = {
    {"network", import_network, {"app", "gpu", "batch", "compute-efficiency", "memory-efficiency"}},
    {"arrivals", import_arrivals, {"column"}},
};

struct job {
    const struct cli_args *args;
    const struct import_format *given; /* NULL: each file's own */
    struct import_options options;
    const char *const *files;
    struct import_content *contents; /* of each file */
    size_t count;
    char source[400];
    struct trace_set set;
    struct gpu_name_list gpus;
    struct ct_arena arena;
    struct ct_diags *diags;
};

/* The file's name without folder and known endings. */
static void name_from_file(const char *path, char *name, size_t size) {
    static const char *const endings[] = {".gz", ".json", ".csv", ".sqlite", ".txt", ".pt.trace"};
    snprintf(name, size, "%s", ct_text_file_name(path));
    for (size_t i = 0; i < CT_COUNT_OF(endings); i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            name[length - ending] = '\0';
    }
}

/* ---- options ---- */

/* The presets that recordings may name, and the one that the user does. enum ct_status. */
static int parse_gpu(struct job *job) {
    const char *text = cli_value(job->args, "gpu");
    if (gpu_catalogue_read(&job->arena, &job->gpus) != CT_OK)
        return ct_out_of_memory(job->diags);
    if (job->gpus.count == 0)
        return gpu_catalogue_none(&job->arena, job->diags);
    job->options.gpu = text ? gpu_catalogue_find(text, "--gpu", &job->arena, job->diags) : NULL;
    if (text && !job->options.gpu && !job->diags->no_memory)
        gpu_catalogue_unknown(text, "--gpu", &job->arena, job->diags);
    const char *file = cli_value(job->args, "gpu-file");
    job->options.unknown_gpu = file ? import_gpu_name(file, &job->arena, job->diags) : NULL;
    return CT_OK;
}

/* Why a file was not recognised: it cannot be read, is empty, or is something else. */
static int unrecognised(const char *path, struct ct_diags *diags) {
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ct_file_error(diags, path, "open it", errno);
    bool is_empty = fgetc(file) == EOF;
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason)
        return ct_file_error(diags, path, "read it", reason);
    if (is_empty)
        return ct_data_error(diags, path, "the file is empty");
    const char *hint = import_report_hint(path);
    return ct_usage_error(diags, path, "%s",
                          hint ? hint
                               : "no recording that is recognised: name its format as "
                                 "'cotenant import FORMAT FILE' ('cotenant import --help'); "
                                 "of a file with the times of requests that is 'arrivals', of "
                                 "a network's layers 'network'");
}

/* Finds the format of each file: the one that was given, else what the file says. enum ct_status.
 */
static int find_formats(struct job *job) {
    int status = CT_OK;
    for (size_t i = 0; i < job->count; i++) {
        job->contents[i] = import_content_of(job->files[i]);
        if (job->given)
            job->contents[i].format = job->given;
        int own = job->contents[i].format ? CT_OK : unrecognised(job->files[i], job->diags);
        status = own > status ? own : status;
    }
    return status;
}

/* What the format does not read would be ignored in silence. */
static void refuse_options(const struct cli_args *args, const struct kind *kind, const char *name,
                           struct ct_diags *diags) {
    for (const struct cli_option *o = options; o->name; o++) {
        bool read = strcmp(o->name, "output") == 0;
        for (size_t i = 0; i < CT_COUNT_OF(kind->reads) && kind->reads[i]; i++)
            read = read || strcmp(o->name, kind->reads[i]) == 0;
        if (!read && cli_has(args, o->name))
            ct_error(diags, "", "'--%s' changes nothing: 'import %s' does not read it", o->name,
                     name);
    }
}

static int parse_options(struct job *job) {
    const char *jobs = cli_value(job->args, "jobs");
    int status = find_formats(job);
    job->options.gpus = &job->gpus;
    import_parse_jobs(jobs ? jobs : "auto", "--jobs", &job->options, job->diags);
    bool store = false, recording = false;
    for (size_t i = 0; i < job->count; i++) {
        bool own = job->contents[i].format == &import_format_store;
        store = store || own;
        recording = recording || !own;
    }
    if (recording && status == CT_OK)
        status = parse_gpu(job);
    const char *name = store ? "store" : job->given ? job->given->name : "nsys";
    refuse_options(job->args, store ? &of_stores : &of_recordings, name, job->diags);
    job->options.device = (int)cli_int(job->args, "device", 0, 1023, -1, job->diags);
    job->options.skip_jobs = cli_int(job->args, "skip-jobs", 0, UINT32_MAX, 0, job->diags);
    job->options.no_communication = cli_has(job->args, "no-comm");
    job->options.from_launch = cli_has(job->args, "from-launch");
    job->options.licence = cli_value(job->args, "licence");
    if (!cli_value(job->args, "output"))
        ct_error(job->diags, "", "'import' needs '-o T.db': where the traces go");
    return status == CT_OK && job->diags->errors ? CT_USAGE : status;
}

/* ---- which metrics file belongs to which recording ---- */

static size_t common_ending(const char *a, const char *b) {
    size_t i = strlen(a), k = strlen(b), length = 0;
    while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
        i--;
        k--;
        length++;
    }
    return length;
}

/* The recording whose name ends most like the metrics file's; among equals the last before it, else
 * the first. */
static size_t recording_of(const struct job *job, size_t metrics) {
    size_t best = job->count, longest = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (job->contents[i].metrics)
            continue;
        size_t length =
            common_ending(ct_text_file_name(job->files[i]), ct_text_file_name(job->files[metrics]));
        if (best == job->count || length > longest || (length == longest && i < metrics)) {
            best = i;
            longest = length;
        }
    }
    return best;
}

static size_t look_at_files(struct job *job) {
    size_t recordings = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (job->given == &import_format_ncu && job->contents[i].metrics == job->given)
            job->contents[i].metrics = NULL; /* its durations make an application */
        recordings += !job->contents[i].metrics;
    }
    if (recordings == 0)
        ct_error(job->diags, job->files[0], "metrics only: name the recording that they belong to");
    if (recordings > 1 && cli_has(job->args, "app")) {
        ct_error(job->diags, "", "'--app' names one application, but there are %zu recordings",
                 recordings);
        recordings = 0;
    }
    return recordings;
}

/* ---- the work ---- */

static int read_metrics(const struct job *job, size_t recording, struct import_builder *builder) {
    int status = CT_OK;
    for (size_t i = 0; i < job->count && status == CT_OK; i++) {
        const struct import_format *metrics = job->contents[i].metrics;
        if (metrics && recording_of(job, i) == recording)
            status = metrics->attach(builder, job->files[i], job->diags);
    }
    return status;
}

/* Per cent of the kernel time whose memory demand follows from the shapes of operators' inputs. */
static double percent_from_shapes(const struct trace_app *app, const struct trace_totals *totals) {
    double known = 0;
    for (size_t i = 0; i < app->tasks.count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        if (task->kind == TRACE_KERNEL &&
            app->kernels.items[task->kernel].demand_provenance == CT_SHAPES)
            known += (double)task->duration_ps;
    }
    return 100 * known / (double)totals->kernel_ps;
}

static void print_app(const struct trace_app *app) {
    struct trace_totals t = trace_app_totals(app);
    printf("%s: %zu job%s, %llu kernels (%zu distinct), %llu copies, %llu memsets on %s\n",
           app->name, app->jobs.count, app->jobs.count == 1 ? "" : "s",
           (unsigned long long)t.kernels, app->kernels.count, (unsigned long long)t.copies,
           (unsigned long long)t.memsets, app->gpu);
    double from_shapes = percent_from_shapes(app, &t);
    if (from_shapes > 0)
        printf("  memory demand of %.1f %% of the kernel time from operators' shapes\n",
               from_shapes);
}

/* What the host did before the first launch is of the job, but not always of the application. */
static void tell_lead(const struct job *job, const struct trace_app *app) {
    char text[300];
    if (trace_app_lead(app, text, sizeof text))
        ct_notice(job->diags, app->name, "%s", text);
}

static void print_summary(const struct import_summary *s) {
    char text[1000];
    snprintf(text, sizeof text, "read %llu = kept %llu + left out %llu",
             (unsigned long long)s->read, (unsigned long long)s->kept,
             (unsigned long long)s->left_out);
    for (size_t i = 0; i < s->reasons.count; i++)
        ct_text_add(text, sizeof text, i ? ", " : ": ", "%s %llu", s->reasons.items[i].reason,
                    (unsigned long long)s->reasons.items[i].records);
    doc_print_wrapped(stdout, text, 4, 80);
    putchar('\n');
    printf("  %.1f %% of the GPU's tasks and %.1f %% of its time kept\n",
           import_share_kept(s->tasks), import_share_kept(s->gpu_ps));
    if (s->metrics_attached || s->metrics_unmatched)
        printf("  metrics of %llu launch%s attached to %llu kernel%s, of %llu not found in the "
               "recording\n",
               (unsigned long long)s->metrics_attached, s->metrics_attached == 1 ? "" : "es",
               (unsigned long long)s->metrics_kernels, s->metrics_kernels == 1 ? "" : "s",
               (unsigned long long)s->metrics_unmatched);
    if (s->metrics_alike)
        printf("  of these %llu by names that agree, but for how they are written\n",
               (unsigned long long)s->metrics_alike);
}

/*
 * Lets the reader read a file. Of one that another reader recognises, only that is said: what its
 * own reader found wrong with it is no help.
 */
static int read_recording(struct job *job, size_t file, struct import_builder *builder) {
    const struct import_format *format = job->contents[file].format, *other = NULL;
    const char *path = job->files[file];
    struct ct_diags found = {.files = job->diags->files};
    int status = format->read(builder, path, &found);
    if (status != CT_OK && !found.no_memory)
        other = import_content_of(path).format;
    if (other && other != format)
        ct_error(job->diags, path, "%s looks like '%s': try 'cotenant import %s'",
                 sqlite_tables_recognised(path) ? "an SQLite file that" : "it", other->name,
                 other->name);
    else
        ct_diags_add(job->diags, &found);
    ct_diags_free(&found);
    return status;
}

static int write_gpu(struct job *job, const struct import_gpu *gpu) {
    const char *path = cli_value(job->args, "gpu-file");
    if (gpu->title)
        return import_gpu_write(path, job->options.unknown_gpu, gpu, &job->gpus, &job->arena,
                                job->diags);
    ct_notice(job->diags, path, "is not written: the GPU of the recording is a preset's");
    return CT_OK;
}

static int import_one(struct job *job, size_t file) {
    char name[300];
    struct import_options own = job->options;
    struct import_summary summary = {0};
    size_t before = job->set.apps.count;
    const struct import_format *format = job->contents[file].format;
    const char *source = cli_value(job->args, "source");
    bool store = format == &import_format_store;
    snprintf(job->source, sizeof job->source, "%s%s%s", format->name, source ? ": " : "",
             source ? source : "");
    own.source = store ? source : job->source;
    name_from_file(job->files[file], name, sizeof name);
    own.place = job->files[file];
    own.interrupted = before ? cli_is_interrupted : NULL;
    own.app_name = cli_has(job->args, "app") ? cli_value(job->args, "app") : store ? NULL : name;
    struct import_builder *builder = import_begin(&own, job->diags);
    if (!builder)
        return CT_DATA;
    int status = read_recording(job, file, builder);
    if (status == CT_OK)
        status = read_metrics(job, file, builder);
    bool interrupted = before && cli_interrupted();
    if (status != CT_OK || interrupted) {
        import_abandon(builder);
        return interrupted ? CT_INTERRUPTED : status;
    }
    status = import_finish(builder, &job->set, &summary);
    for (size_t i = before; i < job->set.apps.count && status == CT_OK && !store; i++)
        tell_lead(job, job->set.apps.items[i]);
    if (status == CT_OK && own.unknown_gpu)
        status = write_gpu(job, &summary.gpu);
    if (status == CT_OK && !job->args->quiet) {
        for (size_t i = before; i < job->set.apps.count; i++)
            print_app(job->set.apps.items[i]);
        print_summary(&summary);
    }
    import_summary_free(&summary);
    return status;
}

/* Ctrl-C ends it at once while there is nothing to keep, and later with what is finished. */
static int import_all(struct job *job) {
    int status = look_at_files(job) ? CT_OK : CT_USAGE;
    if (status == CT_OK)
        status = trace_store_probe(cli_value(job->args, "output"), job->diags);
    for (size_t i = 0; i < job->count && status == CT_OK; i++)
        if (!job->contents[i].metrics)
            status = import_one(job, i);
    bool keeps = (status == CT_OK || status == CT_INTERRUPTED) && job->set.apps.count;
    bool interrupted = keeps && cli_interrupted();
    if (keeps)
        cli_makes_store(cli_value(job->args, "output"));
    int written =
        keeps ? trace_store_write(cli_value(job->args, "output"), &job->set, job->diags) : status;
    return written == CT_OK && interrupted ? CT_INTERRUPTED : written;
}

/* ---- The standard input ---- */

#define STANDARD_INPUT "/dev/stdin"

/*
 * Recordings are read more than once, first to recognise them: what a pipe gives is kept in a file
 * without a name, which is the standard input from then on. enum ct_status.
 */
static int keep_input(struct ct_diags *diags) {
    char bytes[1 << 16] = "";
    size_t size, all = 0;
    FILE *kept = tmpfile();
    while (kept && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        if (all == 0 && sqlite_header_of(bytes, size).sqlite) {
            fclose(kept);
            return ct_data_error(diags, "-",
                                 "is an SQLite file, which needs a name: write it to a file first");
        }
        all += fwrite(bytes, 1, size, kept);
    }
    bool done = kept && !ferror(stdin) && !ferror(kept) && fflush(kept) == 0 &&
                dup2(fileno(kept), STDIN_FILENO) >= 0;
    int status = done ? CT_OK : ct_file_error(diags, "-", "keep what it gives", 0);
    if (kept)
        fclose(kept);
    return status;
}

/* "-" among the files is what the standard input gives. enum ct_status. */
static int name_input(struct job *job) {
    const char **files = ct_arena_array(&job->arena, job->count + 1, sizeof *files);
    bool kept = false;
    for (size_t i = 0; files && i < job->count; i++) {
        bool input = strcmp(job->files[i], "-") == 0;
        int status = input && !kept ? keep_input(job->diags) : CT_OK;
        if (input && kept)
            return ct_usage_error(job->diags, "-", "the standard input is there once only");
        if (status != CT_OK)
            return status;
        kept = kept || input;
        files[i] = input ? STANDARD_INPUT : job->files[i];
    }
    job->files = files;
    return files ? CT_OK : ct_out_of_memory(job->diags);
}

/* ---- All ---- */

/* Recordings, of a format that is named first or of the files' own. */
static int import_recordings(struct job *job) {
    job->contents = ct_arena_array(&job->arena, job->count + 1, sizeof *job->contents);
    if (!job->contents)
        return ct_out_of_memory(job->diags);
    int status = name_input(job);
    if (status == CT_OK)
        status = parse_options(job);
    if (status == CT_OK)
        status = import_all(job);
    trace_set_free(&job->set);
    return status;
}

static int unknown_format(const char *name, struct ct_diags *diags) {
    const char *names[0 IMPORT_FORMATS(FORMAT_ONE) + CT_COUNT_OF(others)];
    size_t count = 0;
    for (; import_formats[count]; count++)
        names[count] = import_formats[count]->name;
    for (size_t i = 0; i < CT_COUNT_OF(others); i++)
        names[count++] = others[i].name;
    ct_unknown(diags, "format", name, names, count);
    return CT_USAGE;
}

static int cmd_import(struct cli_args *args, struct ct_diags *diags) {
    const char *first = args->operands[0];
    const struct import_format *format = import_format_find(first);
    const struct kind *kind = &of_recordings;
    for (size_t i = 0; i < CT_COUNT_OF(others); i++)
        if (strcmp(first, others[i].name) == 0)
            kind = &others[i];
    bool named = format || kind != &of_recordings;
    struct job job = {.args = args,
                      .given = format,
                      .files = (const char *const *)(args->operands + named),
                      .count = (size_t)args->operand_count - named,
                      .diags = diags};
    if (cli_has(args, "app") && !*cli_value(args, "app"))
        return ct_usage_error(diags, "--app", "'' is no name of an application: it is empty");
    bool is_file = strpbrk(first, "./") || strcmp(first, "-") == 0 || access(first, F_OK) == 0;
    if (!named && !is_file)
        return unknown_format(first, diags);
    if (named && job.count == 0)
        return ct_usage_error(diags, "", "'import %s' needs a FILE", first);
    if (kind == &of_recordings) {
        int status = import_recordings(&job);
        ct_arena_free(&job.arena);
        return status;
    }
    refuse_options(args, kind, kind->name, diags);
    return diags->errors ? CT_USAGE : kind->import(args, diags);
}

CLI_COMMAND(import, "[FORMAT] FILE...", 1, -1,
            "read recorded applications from profilers' files into a trace store; "
            "FORMAT:" IMPORT_FORMATS(FORMAT_NAME) ", else what the file looks like; network; "
                                                  "arrivals. The FILE - is the standard input");
