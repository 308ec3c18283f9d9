/* The key `server` of an application, and which applications feed the stages of a pipeline. */
#include "workload/setup_types.h"
#include "workload/workload_reader.h"

#include "base/ct_sort.h"
#include "base/ct_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- The object ---- */

void workload_keys_exclude(struct workload_reader *reader, const json_t *object,
                           const char *const *keys, size_t count, const char *other) {
    for (size_t i = 0; i < count; i++)
        if (json_object_get(object, keys[i]))
            workload_mistake(reader, keys[i], "keys '%s' and '%s' exclude each other", keys[i],
                             other);
}

/* Each element of a list of the object into a record of `size` bytes; what a record has before it
 * is read is `fresh`. Returns how many. */
static size_t read_list(struct workload_reader *reader, const json_t *object, const char *key,
                        const struct workload_key *keys, const void *fresh, size_t size,
                        void **records) {
    const json_t *list = json_object_get(object, key);
    json_t *value;
    size_t index;
    *records = list ? workload_list_make(reader, list, key, "objects", size) : NULL;
    if (!*records)
        return 0;
    size_t length = json_place_enter(&reader->place, key);
    json_array_foreach((json_t *)list, index, value) {
        size_t outer = json_place_enter_index(&reader->place, index);
        char *record = (char *)*records + index * size;
        memcpy(record, fresh, size);
        if (json_is_object(value))
            workload_table_read(reader, value, keys, record, false);
        else
            workload_mistake(reader, NULL, "an element of '%s' is not an object", key);
        json_place_leave(&reader->place, outer);
    }
    json_place_leave(&reader->place, length);
    return json_array_size(list);
}

void workload_steps_read(struct workload_reader *reader, const json_t *object, const char *key,
                         const struct workload_key *keys, struct workload_steps *steps) {
    const struct workload_step fresh = {.job = NULL};
    void *items;
    steps->count = read_list(reader, object, key, keys, &fresh, sizeof *steps->items, &items);
    steps->items = items;
}

/* One level where none is given. */
static void read_levels(struct workload_reader *reader, const json_t *object,
                        struct workload_server *server) {
    struct workload_level fresh = {1, server->max_queue, server->timeout_ms,
                                   server->timeout_action};
    void *levels;
    server->level_count =
        read_list(reader, object, "levels", workload_level_keys, &fresh, sizeof fresh, &levels);
    server->levels = levels;
    if (server->level_count)
        return;
    server->levels = json_place_take(&reader->place, 1, sizeof fresh);
    server->level_count = server->levels ? 1 : 0;
    if (server->levels)
        server->levels[0] = fresh;
}

static void check_preferred(struct workload_reader *reader, const struct workload_server *server) {
    const struct workload_array *sizes = &server->preferred;
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->numbers[i] > server->max_batch)
            workload_mistake(reader, "preferred", "%lld is above 'max_batch', %lld",
                             (long long)sizes->numbers[i], (long long)server->max_batch);
        else if (i && sizes->numbers[i] <= sizes->numbers[i - 1])
            workload_mistake(reader, "preferred", "the sizes do not rise: %lld after %lld",
                             (long long)sizes->numbers[i], (long long)sizes->numbers[i - 1]);
}

static void check_timeouts(struct workload_reader *reader, const json_t *object,
                           const struct workload_server *server) {
    bool any = false;
    for (size_t i = 0; i < server->level_count; i++)
        any |= server->levels[i].timeout_ms > 0;
    if (!any && json_object_get(object, "timeout_action"))
        ct_warning(reader->place.diags, json_place_member(&reader->place, "timeout_action"),
                   "'timeout_action' changes nothing: no request has a timeout, 'timeout_ms'");
    if (server->max_batch == 1 && server->queue_delay_ms > 0)
        ct_warning(reader->place.diags, json_place_member(&reader->place, "queue_delay_ms"),
                   "'queue_delay_ms' changes nothing: a batch is one request, 'max_batch'");
}

void workload_server_read(struct workload_reader *reader, const json_t *object,
                          struct workload_app *app) {
    size_t length;
    const json_t *given = workload_object_enter(reader, object, "server", &length);
    struct workload_server *server =
        given ? json_place_take(&reader->place, 1, sizeof *server) : NULL;
    if (!server)
        return;
    workload_table_read(reader, given, workload_server_keys, server, false);
    read_levels(reader, given, server);
    workload_steps_read(reader, given, "batches", workload_batch_keys, &server->batches);
    server->held_out_error = NAN;
    workload_continuous_read(reader, given, server);
    check_preferred(reader, server);
    check_timeouts(reader, given, server);
    json_place_leave(&reader->place, length);
    app->server = server;
}

/* ---- Recordings of batches ---- */

static int compare_parts(const void *a, const void *b) {
    return ct_order(((const struct batch_part *)a)->size, ((const struct batch_part *)b)->size);
}

bool workload_step_load(struct workload_reader *reader, struct workload_app *app,
                        const struct workload_step *step, struct batch_part *part) {
    const struct trace_app *trace =
        step->source ? workload_trace_load(reader, step->source, &app->trace_path) : NULL;
    uint32_t job = TRACE_NONE;
    if (!trace || step->size <= 0 ||
        (step->job && !workload_job_find(reader, trace, step->job, &job)))
        return false;
    *part = batch_part_of((uint32_t)step->size, trace, job);
    return true;
}

/* Each batch's recording; false after a mistake. */
static bool load_parts(struct workload_reader *reader, struct workload_app *app,
                       struct batch_part *parts) {
    const struct workload_steps *batches = &app->server->batches;
    bool ok = true;
    for (size_t i = 0; i < batches->count; i++) {
        size_t length = json_place_enter_index(&reader->place, i);
        ok = workload_step_load(reader, app, &batches->items[i], &parts[i]) && ok;
        if (ok && strcmp(parts[i].trace->gpu, parts[0].trace->gpu) != 0) {
            workload_mistake(reader, "trace", "recorded on '%s', and the first one on '%s'",
                             parts[i].trace->gpu, parts[0].trace->gpu);
            ok = false;
        }
        json_place_leave(&reader->place, length);
    }
    return ok;
}

/* Sorted parts, none twice, and enough of them. */
static bool check_parts(struct workload_reader *reader, const struct workload_server *server,
                        const struct batch_part *parts) {
    size_t count = server->batches.count, within = 0;
    for (size_t i = 0; i < count; i++) {
        within += parts[i].size <= (uint64_t)server->max_batch;
        if (i && parts[i].size == parts[i - 1].size)
            return workload_mistake(reader, NULL, "size %u is there twice", parts[i].size);
    }
    if (count < 2 && within < (uint64_t)server->max_batch)
        return workload_mistake(
            reader, NULL,
            "one size tells nothing of the others up to %lld, 'max_batch': name a "
            "second one",
            (long long)server->max_batch);
    if (batch_trace_tasks(parts, count, (uint32_t)server->max_batch) <= SETUP_MOST_TASKS)
        return true;
    return workload_mistake(reader, NULL, "the batches have more than %d tasks in all",
                            SETUP_MOST_TASKS);
}

static void make_trace(struct workload_reader *reader, struct workload_app *app,
                       struct batch_part *parts) {
    struct workload_server *server = app->server;
    size_t count = server->batches.count;
    qsort(parts, count, sizeof *parts, compare_parts);
    if (!check_parts(reader, server, parts))
        return;
    server->jobs = json_place_take(&reader->place, (size_t)server->max_batch, sizeof *server->jobs);
    server->held_out_error = batch_trace_error(parts, count);
    if (server->jobs)
        app->trace = batch_trace_make(&reader->workload->traces, app->name ? app->name : "", parts,
                                      count, (uint32_t)server->max_batch, server->jobs);
    if (!app->trace)
        json_place_no_memory(&reader->place);
}

void workload_server_batches(struct workload_reader *reader, const json_t *object,
                             struct workload_app *app) {
    static const char *const others[] = {"trace", "synthetic", "jobs"};
    struct batch_part *parts =
        json_place_take(&reader->place, app->server->batches.count, sizeof *parts);
    if (!parts)
        return;
    workload_keys_exclude(reader, object, others, CT_COUNT_OF(others), "server.batches");
    size_t length = json_place_enter(&reader->place, "server");
    json_place_enter(&reader->place, "batches");
    if (load_parts(reader, app, parts))
        make_trace(reader, app, parts);
    json_place_leave(&reader->place, length);
}

/* ---- The whole application ---- */

void workload_server_check(struct workload_reader *reader, const struct workload_app *app) {
    bool stage = app->arrivals.process == WORKLOAD_STAGE;
    if ((app->server || stage) && app->role != CT_SERVICE)
        workload_mistake(reader, "role", "'%s' is of services alone", stage ? "stage" : "server");
    if (stage && !app->server)
        workload_mistake(reader, NULL, "key 'server' is missing: a stage needs it");
    if (app->server && app->stop == WORKLOAD_STOP_FIRST_RUN)
        workload_mistake(reader, "stop", "'first-run' and 'server' exclude each other");
    workload_continuous_check(reader, app);
}

/* ---- Stages ---- */

/* The number of the application; the count of all: none is called so, a mistake. */
static size_t find_feeder(struct workload_reader *reader, const char *name) {
    const struct workload *w = reader->workload;
    const char *names[256];
    size_t found = w->apps.count, count = 0;
    for (size_t i = 0; i < w->apps.count; i++) {
        if (strcmp(w->apps.items[i].name, name) == 0)
            found = i;
        if (count < CT_COUNT_OF(names))
            names[count++] = w->apps.items[i].name;
    }
    char hint[CT_HINT_BYTES];
    if (found == w->apps.count)
        workload_mistake(reader, "after", "no application is called '%s'%s", name,
                         ct_text_hint(hint, name, names, count));
    return found;
}

static void check_feeder(struct workload_reader *reader, const struct workload_app *feeder,
                         const struct workload_app *stage) {
    if (!feeder->server)
        workload_mistake(reader, "after", "'%s' feeds a stage and lacks the key 'server'",
                         feeder->name);
    if (feeder->instances != stage->instances)
        workload_mistake(reader, "after", "'%s' has %lld instances, and this stage %lld",
                         feeder->name, (long long)feeder->instances, (long long)stage->instances);
    if (feeder->arrivals.process == WORKLOAD_CLOSED)
        workload_mistake(reader, "after",
                         "'%s' has closed arrivals, which would not wait for the stages behind it",
                         feeder->name);
}

static void connect_stage(struct workload_reader *reader, size_t number) {
    struct workload_app *stage = &reader->workload->apps.items[number];
    struct workload_arrivals *arrivals = &stage->arrivals;
    size_t count = arrivals->after.count;
    if (count > reader->workload->apps.count) {
        workload_mistake(reader, "after", "%zu names, of %zu applications", count,
                         reader->workload->apps.count);
        return;
    }
    arrivals->feeders = json_place_take(&reader->place, count, sizeof *arrivals->feeders);
    for (size_t i = 0; arrivals->feeders && i < count; i++) {
        const char *name = arrivals->after.texts[i];
        size_t feeder = name ? find_feeder(reader, name) : reader->workload->apps.count;
        if (feeder == reader->workload->apps.count)
            continue;
        arrivals->feeders[i] = (uint32_t)feeder;
        size_t first = 0;
        while (arrivals->feeders[first] != feeder)
            first++;
        if (first < i)
            workload_mistake(reader, "after", "'%s' is there twice", name);
        check_feeder(reader, &reader->workload->apps.items[feeder], stage);
    }
}

/* Whether all feeders of a stage are known to lie in no circle. */
static bool feeders_are_known(const struct workload *w, const struct workload_arrivals *arrivals) {
    for (size_t i = 0; i < arrivals->after.count; i++) {
        const struct workload_arrivals *feeder = &w->apps.items[arrivals->feeders[i]].arrivals;
        if (feeder->process == WORKLOAD_STAGE && !feeder->before)
            return false;
    }
    return true;
}

static bool note_before(struct workload_reader *reader, struct workload_arrivals *arrivals) {
    const struct workload *w = reader->workload;
    arrivals->before = json_place_take(&reader->place, w->apps.count, sizeof *arrivals->before);
    for (size_t i = 0; arrivals->before && i < arrivals->after.count; i++) {
        const struct workload_arrivals *feeder = &w->apps.items[arrivals->feeders[i]].arrivals;
        arrivals->before[arrivals->feeders[i]] = true;
        for (size_t a = 0; feeder->before && a < w->apps.count; a++)
            arrivals->before[a] |= feeder->before[a];
    }
    return arrivals->before;
}

/* Stage by stage, those first that wait for none; what is left over is a circle. */
static void order_stages(struct workload_reader *reader) {
    struct workload *w = reader->workload;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < w->apps.count; i++) {
            struct workload_arrivals *arrivals = &w->apps.items[i].arrivals;
            if (arrivals->process != WORKLOAD_STAGE || arrivals->before ||
                !feeders_are_known(w, arrivals))
                continue;
            more |= note_before(reader, arrivals);
        }
    }
}

/* Where requests of a stage come from first. */
static size_t root_of(const struct workload *w, size_t app) {
    while (w->apps.items[app].arrivals.after.count)
        app = w->apps.items[app].arrivals.feeders[0];
    return app;
}

static void check_stage(struct workload_reader *reader, size_t number) {
    const struct workload *w = reader->workload;
    const struct workload_arrivals *arrivals = &w->apps.items[number].arrivals;
    for (size_t i = 0; i < arrivals->after.count; i++)
        if (root_of(w, arrivals->feeders[i]) != root_of(w, number))
            workload_mistake(reader, "after",
                             "requests of '%s' are not those of '%s': they begin elsewhere",
                             arrivals->after.texts[i], arrivals->after.texts[0]);
}

/* What each stage, entered, is asked. */
static void visit_stages(struct workload_reader *reader,
                         void (*visit)(struct workload_reader *reader, size_t number)) {
    for (size_t i = 0; i < reader->workload->apps.count; i++) {
        if (reader->workload->apps.items[i].arrivals.process != WORKLOAD_STAGE)
            continue;
        size_t length = json_place_enter_index(&reader->place, i);
        json_place_enter(&reader->place, "arrivals");
        visit(reader, i);
        json_place_leave(&reader->place, length);
    }
}

static void check_circle(struct workload_reader *reader, size_t number) {
    if (!reader->workload->apps.items[number].arrivals.before)
        workload_mistake(reader, "after", "the stages before '%s' are a circle",
                         reader->workload->apps.items[number].name);
}

void workload_stages_connect(struct workload_reader *reader) {
    size_t errors = reader->place.diags->errors;
    visit_stages(reader, connect_stage);
    if (errors != reader->place.diags->errors)
        return;
    order_stages(reader);
    if (errors == reader->place.diags->errors)
        visit_stages(reader, check_circle);
    if (errors == reader->place.diags->errors)
        visit_stages(reader, check_stage);
}
