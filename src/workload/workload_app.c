#include "trace/trace_store.h"
#include "workload/stamps_reader.h"
#include "workload/workload_reader.h"

#include "base/ct_search.h"
#include "base/ct_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct workload_loaded *find_loaded(const struct workload *workload, const char *path,
                                                 const char *name) {
    for (size_t i = 0; workload && i < workload->loaded.count; i++) {
        const struct workload_loaded *l = &workload->loaded.items[i];
        if (strcmp(l->path, path) == 0 && (name ? strcmp(l->app->name, name) == 0 : l->alone))
            return l;
    }
    return NULL;
}

static const struct trace_app *add_loaded(struct workload_reader *reader,
                                          struct workload_loaded loaded) {
    if (!ct_vec_push(&reader->workload->loaded, loaded))
        json_place_no_memory(&reader->place);
    return loaded.app;
}

/* The only application of what a store added to the set. */
static const struct trace_app *only_one(struct workload_reader *reader, const char *path,
                                        size_t before) {
    const struct trace_set *set = &reader->workload->traces;
    const char *names[64];
    char list[512];
    size_t count = 0;
    if (set->apps.count == before + 1)
        return set->apps.items[before];
    for (size_t i = before; i < set->apps.count && count < CT_COUNT_OF(names); i++)
        names[count++] = set->apps.items[i]->name;
    ct_text_join(list, sizeof list, names, count);
    workload_mistake(reader, "trace", "'%s' holds %zu applications, name one as %s#APP: %s", path,
                     set->apps.count - before, path, list);
    return NULL;
}

static const struct trace_app *load(struct workload_reader *reader, const char *path,
                                    const char *name) {
    struct trace_set *set = &reader->workload->traces;
    const struct workload_loaded *own = find_loaded(reader->workload, path, name);
    const struct workload_loaded *known = own ? NULL : find_loaded(reader->known, path, name);
    size_t before = set->apps.count;
    if (own || known)
        return own ? own->app : add_loaded(reader, *known);
    int status = trace_store_read(path, name, set, reader->place.diags);
    json_place_fail(&reader->place, status);
    if (status != CT_OK)
        return NULL;
    const struct trace_app *app = only_one(reader, path, before);
    if (app)
        add_loaded(reader, (struct workload_loaded){path, app, name == NULL});
    if (app && trace_app_totals(app).kernels == 0) {
        ct_error(reader->place.diags, json_place_member(&reader->place, "trace"),
                 "'%s' of '%s' holds no kernels", app->name, path);
        json_place_fail(&reader->place, CT_DATA);
    }
    return app;
}

/* A folder beside the workload. */
static bool is_folder(const char *workload, const char *name) {
    char path[4096];
    struct stat status;
    const char *slash = *name == '/' ? NULL : strrchr(workload, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - workload) + 1 : 0,
             slash ? workload : "", name);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void no_file(struct workload_reader *reader, const char *key, const char *name) {
    const char *where = json_place_member(&reader->place, key);
    if (is_folder(reader->workload->path, name))
        ct_error(reader->place.diags, where, "'%s' is a directory, where a file is meant", name);
    else
        ct_error(reader->place.diags, where,
                 "no file '%s' beside the workload, in COTENANT_TRACE_PATH or in the share folder",
                 name);
    json_place_fail(&reader->place, CT_DATA);
}

/* Cuts FILE#APP after the longest file that there is, since either may hold a '#'. NULL: there is
 * none, and what is left ends before the first '#'. */
static const char *cut_after_file(struct workload_reader *reader, char *text) {
    struct workload *w = reader->workload;
    for (;;) {
        const char *path =
            share_find(&w->arena, reader->place.diags->files, "traces", text, w->path);
        char *mark = path ? NULL : strrchr(text, '#');
        if (!mark)
            return path;
        *mark = '\0';
    }
}

const struct trace_app *workload_trace_load(struct workload_reader *reader, const char *text,
                                            const char **found) {
    char *file = json_place_keep(&reader->place, text);
    const char *path = file ? cut_after_file(reader, file) : NULL;
    if (file && !path)
        no_file(reader, "trace", file);
    if (!path)
        return NULL;
    const char *rest = text + strlen(file);
    *found = path;
    return load(reader, path, *rest ? rest + 1 : NULL);
}

bool workload_job_find(struct workload_reader *reader, const struct trace_app *trace,
                       const char *name, uint32_t *index) {
    const char *names[256];
    size_t count = 0;
    for (*index = 0; *index < trace->jobs.count; ++*index) {
        const char *known = trace->jobs.items[*index].name;
        if (known && strcmp(known, name) == 0)
            return true;
        if (known && count < CT_COUNT_OF(names))
            names[count++] = known;
    }
    char hint[CT_HINT_BYTES];
    return workload_mistake(reader, NULL, "'%s' has no job '%s'%s", trace->name, name,
                            ct_text_hint(hint, name, names, count));
}

/* A name, or an object with a name and a weight. */
static void read_job(struct workload_reader *reader, const json_t *value,
                     const struct workload_app *app, struct workload_job_choice *choice) {
    *choice = (struct workload_job_choice){.weight = 1};
    if (json_is_object(value))
        workload_table_read(reader, value, workload_job_keys, choice, false);
    else if (json_is_string(value))
        choice->job = json_place_keep(&reader->place, json_string_value(value));
    else
        workload_mistake(reader, NULL, "a job is neither a name nor an object");
    if (choice->job && app->trace)
        workload_job_find(reader, app->trace, choice->job, &choice->index);
}

void *workload_list_make(struct workload_reader *reader, const json_t *list, const char *key,
                         const char *of, size_t size) {
    if (!json_is_array(list) || json_array_size(list) == 0) {
        workload_mistake(reader, NULL, "'%s' is not an array of %s", key, of);
        return NULL;
    }
    return json_place_take(&reader->place, json_array_size(list), size);
}

static void read_jobs(struct workload_reader *reader, const json_t *list,
                      struct workload_app *app) {
    size_t length = json_place_enter(&reader->place, "jobs"), index;
    json_t *value;
    app->jobs = workload_list_make(reader, list, "jobs", "job names", sizeof *app->jobs);
    app->job_count = app->jobs ? json_array_size(list) : 0;
    json_array_foreach((json_t *)list, index, value) {
        size_t outer = json_place_enter_index(&reader->place, index);
        if (app->jobs)
            read_job(reader, value, app, &app->jobs[index]);
        json_place_leave(&reader->place, outer);
    }
    json_place_leave(&reader->place, length);
}

static bool inherits_before(const void *inherited, size_t i, const void *app) {
    return ((const struct workload_inherited *)inherited)[i].app < *(const size_t *)app;
}

/* The key of an application that came from `defaults`; NULL: it is its own. */
static struct workload_inherited *find_inherited(struct workload_reader *reader, size_t app,
                                                 const char *key) {
    struct workload_inherited *all = reader->inherited.items;
    size_t count = reader->inherited.count;
    for (size_t i = ct_lower_bound(all, count, inherits_before, &app);
         i < count && all[i].app == app; i++)
        if (strcmp(all[i].key, key) == 0)
            return &all[i];
    return NULL;
}

/* Patterns of `defaults` may match in some applications alone: one that matches nothing in any is
 * reported with those that change nothing. */
static void read_kernels(struct workload_reader *reader, const json_t *list, size_t number,
                         struct workload_app *app) {
    struct workload_inherited *inherited = find_inherited(reader, number, "kernels");
    size_t length = json_place_enter(&reader->place, "kernels"), matched = 0, index;
    json_t *value;
    app->kernels = workload_list_make(reader, list, "kernels", "objects", sizeof *app->kernels);
    app->kernels_count = app->kernels ? json_array_size(list) : 0;
    json_array_foreach((json_t *)list, index, value) {
        size_t outer = json_place_enter_index(&reader->place, index);
        if (app->kernels)
            matched += workload_kernels_read(reader, value, app->trace,
                                             inherited && index < inherited->elements,
                                             &app->kernels[index]);
        json_place_leave(&reader->place, outer);
    }
    json_place_leave(&reader->place, length);
    if (inherited && !matched)
        inherited->idle = true;
}

static void check_name(struct workload_reader *reader, const char *name) {
    const struct workload *w = reader->workload;
    if (!name)
        return;
    if (!*name || strpbrk(name, ".=,:# \t\n"))
        workload_mistake(reader, "name",
                         "'%s' is no name of an application: it is empty or has one of '.=,:#' or "
                         "a space, which paths, lists and instances need",
                         name);
    uint32_t number = ct_intern_text(&reader->names, name);
    if (number < reader->named.count)
        workload_mistake(reader, "name", "'%s' is already the name of apps[%zu]", name,
                         reader->named.items[number]);
    else if (number == UINT32_MAX || !ct_vec_push(&reader->named, w->apps.count))
        json_place_no_memory(&reader->place);
}

bool workload_app_copies(const struct workload_app *app) {
    if (!app->trace)
        return app->synthetic.bytes_in.count > 0 || app->synthetic.bytes_out.count > 0;
    return trace_app_totals(app->trace).copies > 0;
}

/* A key that is there and changes nothing; one that came from `defaults` may do so elsewhere, which
 * is known at the end. */
static void report_idle(struct workload_reader *reader, const json_t *object, size_t index,
                        const char *key, bool idle, const char *why) {
    if (!idle || !json_object_get(object, key))
        return;
    struct workload_inherited *inherited = find_inherited(reader, index, key);
    if (inherited)
        inherited->idle = true;
    else
        ct_warning(reader->place.diags, json_place_member(&reader->place, key),
                   "'%s' changes nothing: %s", key, why);
}

/* Whether the host waits for any task before it launches the next one. */
static bool host_waits(const struct workload_app *app) {
    bool waits = app->launches == WORKLOAD_LAUNCHES_ONE_BY_ONE;
    for (size_t i = 0; app->trace && i < app->trace->tasks.count && !waits; i++)
        waits = app->trace->tasks.items[i].flags & TRACE_SYNC;
    return waits;
}

static void read_source(struct workload_reader *reader, const json_t *object, size_t index,
                        struct workload_app *app) {
    const json_t *synthetic = json_object_get(object, "synthetic"),
                 *jobs = json_object_get(object, "jobs"),
                 *kernels = json_object_get(object, "kernels");
    if (app->server && app->server->continuous)
        workload_continuous_steps(reader, object, app);
    else if (app->server && app->server->batches.count)
        workload_server_batches(reader, object, app);
    else if (app->source && synthetic)
        workload_mistake(reader, NULL, "keys 'trace' and 'synthetic' exclude each other");
    else if (synthetic)
        workload_member_read(reader, object, "synthetic", workload_synthetic_keys, &app->synthetic);
    else if (app->source)
        app->trace = workload_trace_load(reader, app->source, &app->trace_path);
    else if (!json_object_get(object, "trace"))
        workload_mistake(reader, NULL, "key 'trace' or 'synthetic' is missing");
    if (jobs)
        read_jobs(reader, jobs, app);
    if (kernels)
        read_kernels(reader, kernels, index, app);
    if (synthetic)
        app->job_count = app->kernels_count = 0;
    report_idle(reader, object, index, "jobs", synthetic != NULL, "only a trace has several jobs");
    report_idle(reader, object, index, "kernels", synthetic != NULL,
                "'synthetic' says what its kernels ask for");
    if (app->trace || synthetic) {
        report_idle(reader, object, index, "copies", !workload_app_copies(app),
                    "the application copies nothing");
        report_idle(reader, object, index, "copy_memory", !workload_app_copies(app),
                    "the application copies nothing");
        report_idle(reader, object, index, "stall_ms", app->stall_ms > 0 && !host_waits(app),
                    "the host waits for no task");
    }
}

static void read_stamps(struct workload_reader *reader, struct workload_arrivals *arrivals) {
    struct workload *w = reader->workload;
    const char *found =
        share_find(&w->arena, reader->place.diags->files, "traces", arrivals->path, w->path);
    if (!found) {
        no_file(reader, "file", arrivals->path);
        return;
    }
    arrivals->found = found;
    struct stamps stamps = {.columns = {arrivals->prompt_column, arrivals->output_column}};
    int status = stamps_read(found, arrivals->column, &stamps, &w->arena, reader->place.diags);
    arrivals->stamps = stamps.times;
    arrivals->stamp_count = stamps.count;
    arrivals->span_ps = stamps.span_ps;
    arrivals->prompts = stamps.numbers[0];
    arrivals->outputs = stamps.numbers[1];
    json_place_fail(&reader->place, status);
    if (status == CT_OK && (arrivals->stamp_count < 2 || arrivals->span_ps <= 0)) {
        ct_error(reader->place.diags, json_place_member(&reader->place, "file"),
                 "'%s' spans no time: at least two different time stamps are needed", found);
        json_place_fail(&reader->place, CT_DATA);
    }
}

static void read_process(struct workload_reader *reader, const json_t *object,
                         struct workload_arrivals *arrivals) {
    size_t errors = reader->place.diags->errors;
    arrivals->process = -1;
    workload_table_read(reader, object, workload_arrivals_keys, arrivals, false);
    if (arrivals->process < 0) {
        arrivals->process = WORKLOAD_ONCE;
        return;
    }
    workload_table_kind(reader, object, workload_arrivals_keys, arrivals->process,
                        workload_processes[arrivals->process]);
    if (arrivals->replayed && json_object_get(object, "rate_per_s"))
        workload_mistake(reader, "rate_per_s", "keys 'rate_per_s' and 'replay' exclude each other");
    if (arrivals->process == WORKLOAD_TRACE && errors == reader->place.diags->errors)
        read_stamps(reader, arrivals);
}

static void read_arrivals(struct workload_reader *reader, const json_t *app, int role,
                          struct workload_arrivals *arrivals) {
    size_t length;
    const json_t *object = workload_object_enter(reader, app, "arrivals", &length);
    *arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED,
                                           .clients = 1,
                                           .delay_ms = {.kind = WORKLOAD_FIXED},
                                           .think_ms = {.kind = WORKLOAD_FIXED}};
    if (object) {
        read_process(reader, object, arrivals);
        json_place_leave(&reader->place, length);
    } else if (role == CT_SERVICE && !json_object_get(app, "arrivals")) {
        workload_mistake(reader, NULL, "key 'arrivals' is missing: a service needs it");
    }
}

/* All at the same instants would be no arrivals of their own. */
static void check_replayed(struct workload_reader *reader, const struct workload_app *app) {
    const struct workload_arrivals *arrivals = &app->arrivals;
    if (app->role == CT_SERVICE && arrivals->replayed && app->instances > 1 && arrivals->split < 2)
        workload_mistake(reader, "arrivals.replay",
                         "each of the %lld 'instances' of '%s' would get the whole recording, at "
                         "the same instants: with 'split' %lld each gets a part at random, with "
                         "'workers' instead one program has as many queries at a time, and "
                         "'cotenant cluster' spreads the recording over GPUs",
                         (long long)app->instances, app->name, (long long)app->instances);
}

void workload_app_read(struct workload_reader *reader, const json_t *object, size_t index) {
    struct workload_app app = {0};
    workload_table_read(reader, object, workload_app_keys, &app, false);
    check_name(reader, app.name);
    report_idle(reader, object, index, "worker_streams", app.workers == 1,
                "an instance has one worker");
    report_idle(reader, object, index, "host_threads", !reader->workload->host.cores,
                "without 'host' every thread has a core");
    workload_server_read(reader, object, &app);
    read_source(reader, object, index, &app);
    read_arrivals(reader, object, app.role, &app.arrivals);
    workload_server_check(reader, &app);
    if (!app.name)
        app.name = "";
    check_replayed(reader, &app);
    if (!ct_vec_push(&reader->workload->apps, app))
        json_place_no_memory(&reader->place);
}
