#include "trace/trace_store.h"

#include "base/ct_text.h"
#include "format/query.h"
#include "format/sqlite_link.h"
#include "trace/trace_schema.h"
#include "trace/trace_store_open.h"

#include <math.h>
#include <string.h>

/* What of an application is not in its tables as it is in memory. */
struct stored_app {
    int64_t id;
    ct_time_ps unit;
};

/* A store while it is read. */
struct reader {
    sqlite3 *store;
    const char *path;
    struct ct_diags *diags;
    struct trace_set *set;
    CT_VEC(struct stored_app) stored;
    struct trace_app *app; /* that is read */
    ct_time_ps unit;       /* of its times */
    const char *what;      /* is read of it */
    struct query_damage damage;
};

/* Why reading came to nothing. */
static int failed(const struct reader *r) {
    const char *where = r->damage.where;
    if (!r->damage.found || !r->app)
        return trace_store_failed(r->store, r->path, r->diags);
    return ct_data_error(r->diags, r->path, "damaged: %s of application '%s' makes no sense%s%s",
                         r->what, r->app->name, *where ? ": " : "", where);
}

/* What is read makes no sense together, whatever its rows say. */
static bool damaged(struct reader *r, const char *what) {
    r->what = what;
    r->damage.found = true;
    return false;
}

static void check(struct query *row, bool makes_sense) {
    if (!makes_sense)
        query_damaged(row);
}

static void check_column(struct query *row, bool makes_sense) {
    if (!makes_sense)
        query_damaged_column(row);
}

/* TRACE_NONE for null. */
static uint32_t get_number(struct query *row) {
    return query_skip_null(row) ? TRACE_NONE : (uint32_t)query_get_within(row, 0, TRACE_NONE - 1);
}

/* A number of many. */
static uint32_t get_index(struct query *row, size_t count) {
    uint32_t index = get_number(row);
    check(row, index < count);
    return index;
}

/* Rows of a list come in its order. */
static void get_place(struct query *row, size_t place) {
    check(row, get_number(row) == place);
}

static int64_t get_integer(struct query *row) {
    return query_get_within(row, INT64_MIN, INT64_MAX);
}

/* A time: so many units. */
static ct_time_ps get_span(struct reader *r, struct query *row) {
    ct_time_ps time = 0;
    check_column(row, !__builtin_mul_overflow(get_integer(row), r->unit, &time));
    return time;
}

static const char *get_name(struct reader *r, struct query *row) {
    return query_get_name(row, &r->set->arena);
}

/* What is read of each row of a query on the application. */
struct part {
    const char *what, *table; /* NULL: every store has it */
    const char *sql;
    void (*take)(struct reader *, struct query *row);
};

static bool each_row(struct reader *r, const struct part *part, struct value key) {
    struct query query = query_prepare(r->store, part->sql, &r->damage);
    r->what = part->what;
    query_bind(&query, key);
    while (query_next(&query))
        part->take(r, &query);
    return query_end(&query);
}

/* Whether it is as kernels are; names the column that is not. */
static void check_kernel(struct query *row, const struct trace_kernel *kernel) {
    struct trace_beyond beyond = trace_kernel_beyond(kernel);
    if (!beyond.words)
        return;
    row->column = beyond.column ? query_find_column(row, beyond.column) + 1 : 0;
    query_damaged_column(row);
}

static struct trace_metrics get_metrics(struct query *row) {
    struct trace_metrics metrics = {.fp32_fraction = NAN, .fp64_fraction = NAN};
    double *const numbers[] = {&metrics.dram_bytes_per_s,   &metrics.dram_fraction,
                               &metrics.dram_read_share,    &metrics.row_hit_rate,
                               &metrics.l2_fraction,        &metrics.issue_slot_fraction,
                               &metrics.unit_fraction,      &metrics.sm_activity,
                               &metrics.achieved_occupancy, &metrics.instructions};
    for (size_t i = 0; i < CT_COUNT_OF(numbers); i++)
        *numbers[i] = query_get_double(row);
    return metrics;
}

static uint8_t get_provenance(struct query *row) {
    return (uint8_t)query_get_within(row, 0, CT_PROVENANCE_COUNT - 1);
}

static void take_kernel(struct reader *r, struct query *row) {
    struct trace_kernel k = {0};
    get_place(row, r->app->kernels.count);
    k.name = get_name(r, row);
    for (int i = 0; i < 3; i++)
        k.grid[i] = get_number(row);
    for (int i = 0; i < 3; i++)
        k.block[i] = get_number(row);
    k.registers_per_thread = get_number(row);
    k.static_smem_bytes = get_number(row);
    k.dynamic_smem_bytes = get_number(row);
    k.communication = get_integer(row) != 0;
    k.demand_provenance = get_provenance(row);
    k.geometry_provenance = get_provenance(row);
    k.metrics = get_metrics(row);
    check_kernel(row, &k);
    trace_kernel_look(&k);
    row->failed = row->failed || !ct_vec_push(&r->app->kernels, k);
}

/* Rows come by kernel and rising share; each point goes behind those of its kernel in the arena. */
static void take_point(struct reader *r, struct query *row) {
    struct trace_curve_point point;
    uint32_t index = get_index(row, r->app->kernels.count);
    point.share = (ct_share)query_get_within(row, 1, CT_SHARE_FULL);
    point.factor = query_get_double(row);
    check_column(row, point.factor > 0 && point.factor <= TRACE_MOST_FACTOR);
    if (row->failed)
        return;
    struct trace_kernel *k = &r->app->kernels.items[index];
    struct trace_curve_point *curve =
        ct_arena_array(&r->set->arena, k->curve_count + 1, sizeof *curve);
    row->failed = !curve;
    if (!curve)
        return;
    if (k->curve_count)
        memcpy(curve, k->curve, k->curve_count * sizeof *curve);
    curve[k->curve_count++] = point;
    k->curve = curve;
}

static void take_job(struct reader *r, struct query *row) {
    const struct trace_app *app = r->app;
    const struct trace_job *last = app->jobs.count ? &app->jobs.items[app->jobs.count - 1] : NULL;
    struct trace_job job = {0};
    get_place(row, app->jobs.count);
    job.name = get_name(r, row);
    job.first_task = get_number(row);
    job.task_count = get_number(row);
    job.input_bytes = query_get_count(row);
    job.recorded_ps = get_span(r, row);
    check(row, job.first_task == (last ? last->first_task + last->task_count : 0) &&
                   job.task_count > 0 && job.recorded_ps >= 0);
    row->failed = row->failed || !ct_vec_push(&r->app->jobs, job);
}

static bool task_is_sound(const struct trace_app *app, const struct trace_task *t) {
    bool kernel = t->kind == TRACE_KERNEL;
    return t->kind <= TRACE_MEMSET && t->direction <= TRACE_DEVICE_TO_DEVICE &&
           t->memory <= TRACE_MEMORY_UNKNOWN &&
           (kernel ? t->kernel < app->kernels.count : t->kernel == TRACE_NONE) &&
           t->stream < app->stream_count && t->duration_ps > 0 && t->host_gap_ps >= 0;
}

/* Times become absolute when the jobs are known: here the launch is still the step from the task
 * before. */
static void take_task(struct reader *r, struct query *row) {
    struct trace_task t = {0};
    get_place(row, r->app->tasks.count);
    int64_t code = get_integer(row);
    t.kind = code >> TRACE_CODE_KIND & 3;
    t.direction = code >> TRACE_CODE_DIRECTION & 3;
    t.memory = code >> TRACE_CODE_MEMORY & 3;
    t.flags = (uint8_t)(code >> TRACE_CODE_FLAGS);
    t.kernel = get_number(row);
    t.stream = get_number(row);
    t.bytes = query_get_count(row);
    t.duration_ps = get_span(r, row);
    t.launch_begin_ps = get_span(r, row);
    t.launch_end_ps = get_span(r, row);
    t.start_ps = get_span(r, row);
    t.host_gap_ps = query_skip_null(row) ? t.launch_begin_ps : get_span(r, row);
    t.waited_for = get_number(row);
    t.library_call = get_number(row);
    check(row, task_is_sound(r->app, &t));
    row->failed = row->failed || !ct_vec_push(&r->app->tasks, t);
}

static bool later(ct_time_ps time, ct_time_ps by, ct_time_ps *sum) {
    return !__builtin_add_overflow(time, by, sum);
}

/* Task `index` of its job, launched a step after the one before it. */
static bool settle_task(const struct trace_app *app, struct trace_task *t, uint32_t index,
                        ct_time_ps *launch) {
    const uint32_t *dependencies = app->dependencies.items;
    ct_time_ps end;
    bool sound = later(*launch, t->launch_begin_ps, launch) &&
                 later(*launch, t->launch_end_ps, &t->launch_end_ps) &&
                 later(*launch, t->start_ps, &t->start_ps) &&
                 later(t->start_ps, t->duration_ps, &end) && t->start_ps >= 0 &&
                 t->launch_end_ps >= *launch && t->library_call <= app->library_calls.count &&
                 (t->waited_for == TRACE_NONE || t->waited_for < index);
    t->launch_begin_ps = *launch;
    for (uint32_t i = 0; i < t->dependency_count; i++)
        sound = sound && dependencies[t->first_dependency + i] < index;
    return sound;
}

static void settle_tail(const struct trace_app *app, struct trace_job *job) {
    ct_time_ps last = trace_last_end(app->tasks.items + job->first_task, job->task_count);
    job->tail_ps = job->recorded_ps > last ? job->recorded_ps - last : 0;
}

static bool settle_times(struct reader *r) {
    struct trace_app *app = r->app;
    size_t next = 0;
    for (size_t j = 0; j < app->jobs.count; j++) {
        ct_time_ps launch = 0;
        struct trace_job *job = &app->jobs.items[j];
        if (job->task_count > app->tasks.count - next)
            return damaged(r, "a job");
        for (uint32_t i = 0; i < job->task_count; i++)
            if (!settle_task(app, &app->tasks.items[next++], i, &launch))
                return damaged(r, "a task");
        settle_tail(app, job);
    }
    return next == app->tasks.count || damaged(r, "the list of jobs");
}

/* What only the whole tells: every stream has a task, every curve ends with the whole GPU. */
static bool check_whole(struct reader *r) {
    const struct trace_app *app = r->app;
    for (size_t i = 0; i < app->kernels.count; i++) {
        const struct trace_kernel *k = &app->kernels.items[i];
        if (k->curve_count && k->curve[k->curve_count - 1].share != CT_SHARE_FULL)
            return damaged(r, "a curve");
    }
    return app->stream_count <= app->tasks.count || damaged(r, "the number of streams");
}

static void take_dependency(struct reader *r, struct query *row) {
    uint32_t index = get_index(row, r->app->tasks.count), on = get_number(row);
    if (row->failed)
        return;
    struct trace_task *task = &r->app->tasks.items[index];
    if (task->dependency_count++ == 0)
        task->first_dependency = (uint32_t)r->app->dependencies.count;
    row->failed = !ct_vec_push(&r->app->dependencies, on);
}

static void take_call(struct reader *r, struct query *row) {
    get_place(row, r->app->library_calls.count + 1);
    const char *name = get_name(r, row);
    row->failed = row->failed || !ct_vec_push(&r->app->library_calls, name);
}

static void take_note(struct reader *r, struct query *row) {
    struct trace_note note;
    get_place(row, r->app->notes.count);
    note.name = get_name(r, row);
    note.value = get_name(r, row);
    row->failed = row->failed || !ct_vec_push(&r->app->notes, note);
}

static void take_unit(struct reader *r, struct query *row) {
    uint32_t id = get_index(row, r->app->kernels.count);
    if (row->failed)
        return;
    struct trace_kernel *kernel = &r->app->kernels.items[id];
    kernel->metrics.fp32_fraction = query_get_double(row);
    kernel->metrics.fp64_fraction = query_get_double(row);
    check_kernel(row, kernel);
}

/* A kernel alone can come early. */
static void take_lag(struct reader *r, struct query *row) {
    uint32_t index = get_index(row, r->app->tasks.count);
    ct_time_ps lag = get_span(r, row);
    if (row->failed)
        return;
    struct trace_task *task = &r->app->tasks.items[index];
    check(row, lag >= (task->kind == TRACE_KERNEL ? -CT_TIME_NEVER : 0));
    task->lag_ps = lag;
}

static void take_flops(struct reader *r, struct query *row) {
    uint32_t id = get_index(row, r->app->kernels.count);
    double rate = query_get_double(row);
    check_column(row, rate > 0 && rate <= TRACE_MOST_RATE);
    if (!row->failed)
        r->app->kernels.items[id].flops_per_s = rate;
}

static const struct part parts[] = {
    {"a kernel", NULL,
     "SELECT k.id, t.value, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers,"
     " static_smem, dynamic_smem, communication, demand_provenance, geometry_provenance,"
     " dram_bytes_per_s, dram_fraction, dram_read_share, row_hit_rate, l2_fraction,"
     " issue_slot_fraction, unit_fraction, sm_activity, achieved_occupancy, instructions"
     " FROM kernel k LEFT JOIN text t ON t.id = k.name WHERE app = ? ORDER BY k.id",
     take_kernel},
    {"a curve", NULL,
     "SELECT kernel, share_per_mille, factor FROM curve WHERE app = ?"
     " ORDER BY kernel, share_per_mille",
     take_point},
    {"a job", NULL,
     "SELECT id, name, first_task, tasks, input_bytes, recorded FROM job WHERE app = ? ORDER BY id",
     take_job},
    {"a library call", NULL,
     "SELECT l.id, t.value FROM library_call l LEFT JOIN text t ON t.id = l.name WHERE app = ?"
     " ORDER BY l.id",
     take_call},
    {"a task", NULL,
     "SELECT id, code, kernel, stream, bytes, duration, launch_step, launch_call, delay,"
     " host_gap, waited_for, library_call FROM task WHERE app = ? ORDER BY id",
     take_task},
    {"a dependency", NULL,
     "SELECT task, on_task FROM dependency WHERE app = ? ORDER BY task, on_task", take_dependency},
    {"the lag of a task", "lag", "SELECT task, lag FROM lag WHERE app = ? ORDER BY task", take_lag},
    {"the units of a kernel", "unit",
     "SELECT kernel, fp32_fraction, fp64_fraction FROM unit WHERE app = ? ORDER BY kernel",
     take_unit},
    {"the operations of a kernel", "flops",
     "SELECT kernel, flops_per_s FROM flops WHERE app = ? ORDER BY kernel", take_flops},
    {"a note", "note", "SELECT id, name, value FROM note WHERE app = ? ORDER BY id", take_note},
};

static bool read_parts(struct reader *r, int64_t id) {
    for (size_t i = 0; i < CT_COUNT_OF(parts); i++) {
        bool has = true;
        if (parts[i].table && !query_has(r->store, parts[i].table, &has))
            return false;
        if (has && !each_row(r, &parts[i], value_of_integer(id)))
            return false;
    }
    return settle_times(r) && check_whole(r);
}

static void take_app(struct reader *r, struct query *row) {
    struct stored_app stored = {.id = get_integer(row)};
    struct trace_app *app = r->app = trace_set_add(r->set, get_name(r, row));
    if (!app) {
        row->failed = true;
        return;
    }
    app->gpu = get_name(r, row);
    app->source = get_name(r, row);
    app->licence = get_name(r, row);
    stored.unit = query_get_within(row, 1, INT64_MAX);
    app->resolution_ps = (ct_time_ps)query_get_count(row);
    app->stream_count = get_number(row);
    app->carried_tasks = query_get_count(row);
    app->stacks_recorded = get_integer(row) != 0;
    app->launches_recorded = get_integer(row) != 0;
    row->failed = row->failed || !ct_vec_push(&r->stored, stored);
}

static void unknown_app(const struct reader *r, const char *name) {
    char names[400] = "";
    struct query query = query_prepare(r->store, "SELECT name FROM app ORDER BY id", NULL);
    while (query_next(&query))
        ct_text_add(names, sizeof names, ", ", "%s", query_get_name(&query, &r->set->arena));
    query_end(&query);
    ct_error(r->diags, r->path, "no application '%s': there are %s", name, names);
}

/* Every row is some application's. Where one is read of many, not all of them are gone through. */
static int check_owners(const struct reader *r, bool one) {
    for (size_t i = 0; i < TRACE_TABLE_COUNT; i++) {
        const char *table = trace_tables[i].name;
        const struct sqlite_link link = {table, trace_tables[i].app, "app", "id",
                                         one ? SQLITE_LINK_ENDS : SQLITE_LINK_VALUES};
        int code = sqlite_link_check(r->store, &link);
        if (code == SQLITE_CORRUPT)
            return ct_data_error(r->diags, r->path,
                                 "damaged: a row of table '%s' is no application's", table);
        if (code != SQLITE_OK)
            return trace_store_failed(r->store, r->path, r->diags);
    }
    return CT_OK;
}

static bool read_apps(struct reader *r, const char *name) {
    static const struct part apps = {
        "a number", NULL,
        "SELECT id, name, gpu, source, licence, unit_ps, resolution_ps, streams,"
        " carried_tasks, stacks_recorded, launches_recorded FROM app"
        " WHERE ?1 IS NULL OR name = ?1 ORDER BY id",
        take_app};
    size_t before = r->set->apps.count;
    bool read = each_row(r, &apps, value_of_text(name));
    for (size_t i = 0; read && i < r->stored.count; i++) {
        r->app = r->set->apps.items[before + i];
        r->unit = r->stored.items[i].unit;
        read = read_parts(r, r->stored.items[i].id);
    }
    return read;
}

int trace_store_read(const char *path, const char *app, struct trace_set *set,
                     struct ct_diags *diags) {
    sqlite3 *store = trace_store_open(path, TRACE_STORE_READ, diags);
    if (!store)
        return CT_DATA;
    struct reader r = {.store = store, .path = path, .diags = diags, .set = set};
    int status = check_owners(&r, app != NULL);
    if (status == CT_OK && !read_apps(&r, app))
        status = failed(&r);
    if (status == CT_OK && app && !r.stored.count) {
        unknown_app(&r, app);
        status = CT_USAGE;
    }
    ct_vec_free(&r.stored);
    sqlite3_close(store);
    return status;
}
