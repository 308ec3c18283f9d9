#include "trace/trace_store.h"

#include "base/ct_tame.h"
#include "format/sqlite_link.h"
#include "format/sqlite_row.h"
#include "trace/trace_schema.h"
#include "trace/trace_store_open.h"

#include <stdio.h>
#include <string.h>

/* One application while it is read. */
struct reader {
    sqlite3 *store;
    const char *path;
    struct ct_diags *diags;
    struct trace_set *set;
    struct trace_app *app;
    int64_t id;
    ct_time_ps unit;
    sqlite3_stmt *row; /* that is read; NULL: none is */
    int64_t rows;      /* of its query, up to it */
    bool beyond;       /* a number or a time went beyond its range */
    int column;        /* first, there; -1: it is no column's */
};

static int damaged(const struct reader *r, const char *what) {
    char where[300] = "";
    if (r->row)
        sqlite_row_name(r->row, r->column, r->rows, where, sizeof where);
    ct_error(r->diags, r->path, "damaged: %s of application '%s' makes no sense%s%s", what,
             r->app->name, *where ? ": " : "", where);
    return CT_DATA;
}

static void note_beyond(struct reader *r, bool beyond, int column) {
    if (beyond && !r->beyond)
        r->column = column;
    r->beyond |= beyond;
}

static double real(struct reader *r, sqlite3_stmt *row, int column) {
    int type = sqlite3_column_type(row, column);
    note_beyond(r, type != SQLITE_NULL && type != SQLITE_FLOAT && type != SQLITE_INTEGER, column);
    return type == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

static bool is_null(sqlite3_stmt *row, int column) {
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

/* SQLite would make a number of any text, and of null. */
static int64_t integer(struct reader *r, sqlite3_stmt *row, int column) {
    note_beyond(r, sqlite3_column_type(row, column) != SQLITE_INTEGER, column);
    return sqlite3_column_int64(row, column);
}

/* A count that is not negative. */
static uint64_t count(struct reader *r, sqlite3_stmt *row, int column) {
    int64_t value = integer(r, row, column);
    note_beyond(r, value < 0, column);
    return (uint64_t)value;
}

/* TRACE_NONE for null. */
static uint32_t number(struct reader *r, sqlite3_stmt *row, int column) {
    if (is_null(row, column))
        return TRACE_NONE;
    uint64_t value = count(r, row, column);
    note_beyond(r, value >= TRACE_NONE, column);
    return (uint32_t)value;
}

/* A time: so many units. */
static ct_time_ps span(struct reader *r, sqlite3_stmt *row, int column) {
    ct_time_ps time = 0;
    note_beyond(r, __builtin_mul_overflow(integer(r, row, column), r->unit, &time), column);
    return time;
}

static ct_time_ps later(struct reader *r, ct_time_ps time, ct_time_ps by) {
    ct_time_ps sum = 0;
    note_beyond(r, __builtin_add_overflow(time, by, &sum), -1);
    return sum;
}

/* NULL: out of memory. */
static const char *text(struct reader *r, sqlite3_stmt *row, int column) {
    bool is = sqlite3_column_type(row, column) == SQLITE_TEXT;
    const char *value = is ? (const char *)sqlite3_column_text(row, column) : "";
    note_beyond(r, !is, column);
    char *copy = value ? ct_arena_strdup(&r->set->arena, value) : NULL;
    if (copy)
        ct_tame(copy);
    return copy;
}

/* Calls `take` for each row of a query on the application. */
static int each_row(struct reader *r, const char *sql,
                    int (*take)(struct reader *, sqlite3_stmt *)) {
    sqlite3_stmt *row = NULL;
    int status = CT_OK, step = SQLITE_DONE;
    if (sqlite3_prepare_v2(r->store, sql, -1, &row, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(row, 1, r->id) != SQLITE_OK)
        status = trace_store_failed(r->store, r->path, r->diags);
    r->row = row;
    r->rows = 0;
    r->column = -1;
    while (status == CT_OK && (step = sqlite3_step(row)) == SQLITE_ROW) {
        r->rows++;
        status = take(r, row);
    }
    if (status == CT_OK && step != SQLITE_DONE)
        status = trace_store_failed(r->store, r->path, r->diags);
    r->row = NULL;
    sqlite3_finalize(row);
    return status;
}

/* Whether it is as kernels are; names the column that is not. */
static bool is_possible(struct reader *r, sqlite3_stmt *row, const struct trace_kernel *kernel) {
    struct trace_beyond beyond = trace_kernel_beyond(kernel);
    for (int i = 0; beyond.column && i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        if (name && strcmp(name, beyond.column) == 0)
            note_beyond(r, true, i);
    }
    return !beyond.words;
}

static struct trace_metrics take_metrics(struct reader *r, sqlite3_stmt *row, int column) {
    return (struct trace_metrics){.dram_bytes_per_s = real(r, row, column),
                                  .dram_fraction = real(r, row, column + 1),
                                  .dram_read_share = real(r, row, column + 2),
                                  .row_hit_rate = real(r, row, column + 3),
                                  .l2_fraction = real(r, row, column + 4),
                                  .issue_slot_fraction = real(r, row, column + 5),
                                  .unit_fraction = real(r, row, column + 6),
                                  .fp32_fraction = NAN,
                                  .fp64_fraction = NAN,
                                  .sm_activity = real(r, row, column + 7),
                                  .achieved_occupancy = real(r, row, column + 8),
                                  .instructions = real(r, row, column + 9)};
}

static uint8_t provenance(struct reader *r, sqlite3_stmt *row, int column) {
    uint32_t value = number(r, row, column);
    note_beyond(r, value >= CT_PROVENANCE_COUNT, column);
    return (uint8_t)value;
}

static int take_kernel(struct reader *r, sqlite3_stmt *row) {
    struct trace_kernel k = {.name = text(r, row, 1),
                             .registers_per_thread = number(r, row, 8),
                             .static_smem_bytes = number(r, row, 9),
                             .dynamic_smem_bytes = number(r, row, 10),
                             .communication = integer(r, row, 11) != 0,
                             .demand_provenance = provenance(r, row, 12),
                             .geometry_provenance = provenance(r, row, 13),
                             .metrics = take_metrics(r, row, 14)};
    for (int i = 0; i < 3; i++) {
        k.grid[i] = number(r, row, 2 + i);
        k.block[i] = number(r, row, 5 + i);
    }
    if (!k.name)
        return ct_out_of_memory(r->diags);
    if (r->beyond || number(r, row, 0) != r->app->kernels.count || !is_possible(r, row, &k))
        return damaged(r, "a kernel");
    trace_kernel_look(&k);
    return ct_vec_push(&r->app->kernels, k) ? CT_OK : ct_out_of_memory(r->diags);
}

/* Rows come by kernel and rising share; each point goes behind those of its kernel in the arena. */
static int take_point(struct reader *r, sqlite3_stmt *row) {
    uint32_t index = number(r, row, 0), share = number(r, row, 1);
    struct trace_curve_point point = {(ct_share)share, real(r, row, 2)};
    note_beyond(r, share == 0 || share > CT_SHARE_FULL, 1);
    note_beyond(r, !(point.factor > 0 && point.factor <= TRACE_MOST_FACTOR), 2);
    if (r->beyond || index >= r->app->kernels.count)
        return damaged(r, "a curve");
    struct trace_kernel *k = &r->app->kernels.items[index];
    struct trace_curve_point *curve =
        ct_arena_array(&r->set->arena, k->curve_count + 1, sizeof *curve);
    if (!curve)
        return ct_out_of_memory(r->diags);
    if (k->curve_count)
        memcpy(curve, k->curve, k->curve_count * sizeof *curve);
    curve[k->curve_count++] = point;
    k->curve = curve;
    return CT_OK;
}

static int take_job(struct reader *r, sqlite3_stmt *row) {
    struct trace_job job = {.name = text(r, row, 1),
                            .first_task = number(r, row, 2),
                            .task_count = number(r, row, 3),
                            .input_bytes = count(r, row, 4),
                            .recorded_ps = span(r, row, 5)};
    size_t last = r->app->jobs.count;
    uint32_t expected =
        last ? r->app->jobs.items[last - 1].first_task + r->app->jobs.items[last - 1].task_count
             : 0;
    if (r->beyond || number(r, row, 0) != last || job.first_task != expected ||
        job.task_count == 0 || job.recorded_ps < 0)
        return damaged(r, "a job");
    return job.name && ct_vec_push(&r->app->jobs, job) ? CT_OK : ct_out_of_memory(r->diags);
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
static int take_task(struct reader *r, sqlite3_stmt *row) {
    int64_t code = integer(r, row, 1);
    ct_time_ps step = span(r, row, 6);
    struct trace_task t = {.kind = code >> TRACE_CODE_KIND & 3,
                           .direction = code >> TRACE_CODE_DIRECTION & 3,
                           .memory = code >> TRACE_CODE_MEMORY & 3,
                           .flags = (uint8_t)(code >> TRACE_CODE_FLAGS),
                           .kernel = number(r, row, 2),
                           .stream = number(r, row, 3),
                           .bytes = count(r, row, 4),
                           .duration_ps = span(r, row, 5),
                           .launch_begin_ps = step,
                           .launch_end_ps = span(r, row, 7),
                           .start_ps = span(r, row, 8),
                           .host_gap_ps = is_null(row, 9) ? step : span(r, row, 9),
                           .waited_for = number(r, row, 10),
                           .library_call = number(r, row, 11)};
    if (r->beyond || number(r, row, 0) != r->app->tasks.count || !task_is_sound(r->app, &t))
        return damaged(r, "a task");
    return ct_vec_push(&r->app->tasks, t) ? CT_OK : ct_out_of_memory(r->diags);
}

/* Task `index` of its job, launched a step after the one before it. */
static bool settle_task(struct reader *r, struct trace_task *t, uint32_t index,
                        ct_time_ps *launch) {
    const uint32_t *dependencies = r->app->dependencies.items;
    *launch = later(r, *launch, t->launch_begin_ps);
    t->launch_begin_ps = *launch;
    t->launch_end_ps = later(r, *launch, t->launch_end_ps);
    t->start_ps = later(r, *launch, t->start_ps);
    later(r, t->start_ps, t->duration_ps);
    bool sound = !r->beyond && t->start_ps >= 0 && t->launch_end_ps >= t->launch_begin_ps &&
                 t->library_call <= r->app->library_calls.count &&
                 (t->waited_for == TRACE_NONE || t->waited_for < index);
    for (uint32_t i = 0; i < t->dependency_count; i++)
        sound = sound && dependencies[t->first_dependency + i] < index;
    return sound;
}

static void settle_tail(const struct trace_app *app, struct trace_job *job) {
    ct_time_ps last = trace_last_end(app->tasks.items + job->first_task, job->task_count);
    job->tail_ps = job->recorded_ps > last ? job->recorded_ps - last : 0;
}

static int settle_times(struct reader *r) {
    struct trace_app *app = r->app;
    size_t next = 0;
    for (size_t j = 0; j < app->jobs.count; j++) {
        ct_time_ps launch = 0;
        struct trace_job *job = &app->jobs.items[j];
        if (job->task_count > app->tasks.count - next)
            return damaged(r, "a job");
        for (uint32_t i = 0; i < job->task_count; i++)
            if (!settle_task(r, &app->tasks.items[next++], i, &launch))
                return damaged(r, "a task");
        settle_tail(app, job);
    }
    return next == app->tasks.count ? CT_OK : damaged(r, "the list of jobs");
}

/* What only the whole tells: every stream has a task, every curve ends with the whole GPU. */
static int check_whole(struct reader *r) {
    const struct trace_app *app = r->app;
    for (size_t i = 0; i < app->kernels.count; i++) {
        const struct trace_kernel *k = &app->kernels.items[i];
        if (k->curve_count && k->curve[k->curve_count - 1].share != CT_SHARE_FULL)
            return damaged(r, "a curve");
    }
    return app->stream_count <= app->tasks.count ? CT_OK : damaged(r, "the number of streams");
}

static int take_dependency(struct reader *r, sqlite3_stmt *row) {
    uint32_t index = number(r, row, 0);
    if (r->beyond || index >= r->app->tasks.count)
        return damaged(r, "a dependency");
    struct trace_task *task = &r->app->tasks.items[index];
    if (task->dependency_count++ == 0)
        task->first_dependency = (uint32_t)r->app->dependencies.count;
    return ct_vec_push(&r->app->dependencies, number(r, row, 1)) ? CT_OK
                                                                 : ct_out_of_memory(r->diags);
}

static int take_call(struct reader *r, sqlite3_stmt *row) {
    const char *name = text(r, row, 1);
    if (r->beyond || number(r, row, 0) != r->app->library_calls.count + 1)
        return damaged(r, "a library call");
    return name && ct_vec_push(&r->app->library_calls, name) ? CT_OK : ct_out_of_memory(r->diags);
}

static int take_note(struct reader *r, sqlite3_stmt *row) {
    struct trace_note note = {text(r, row, 1), text(r, row, 2)};
    if (r->beyond || number(r, row, 0) != r->app->notes.count)
        return damaged(r, "a note");
    return note.name && note.value && ct_vec_push(&r->app->notes, note)
               ? CT_OK
               : ct_out_of_memory(r->diags);
}

static int take_unit(struct reader *r, sqlite3_stmt *row) {
    uint32_t id = number(r, row, 0);
    if (r->beyond || id >= r->app->kernels.count)
        return damaged(r, "the units of a kernel");
    struct trace_metrics *metrics = &r->app->kernels.items[id].metrics;
    metrics->fp32_fraction = real(r, row, 1);
    metrics->fp64_fraction = real(r, row, 2);
    return !r->beyond && is_possible(r, row, &r->app->kernels.items[id])
               ? CT_OK
               : damaged(r, "the units of a kernel");
}

/* A kernel alone can come early. */
static int take_lag(struct reader *r, sqlite3_stmt *row) {
    uint32_t index = number(r, row, 0);
    ct_time_ps lag = span(r, row, 1);
    if (r->beyond || index >= r->app->tasks.count ||
        (lag < 0 && r->app->tasks.items[index].kind != TRACE_KERNEL) || lag < -CT_TIME_NEVER)
        return damaged(r, "the lag of a task");
    r->app->tasks.items[index].lag_ps = lag;
    return CT_OK;
}

static int take_flops(struct reader *r, sqlite3_stmt *row) {
    uint32_t id = number(r, row, 0);
    double rate = real(r, row, 1);
    note_beyond(r, !(rate > 0 && rate <= TRACE_MOST_RATE), 1);
    if (r->beyond || id >= r->app->kernels.count)
        return damaged(r, "the operations of a kernel");
    r->app->kernels.items[id].flops_per_s = rate;
    return CT_OK;
}

/* Rows of a table that not every store has; `question` finds it. */
static int read_optional(struct reader *r, const char *question, const char *sql,
                         int (*take)(struct reader *, sqlite3_stmt *)) {
    int64_t there = 0;
    if (!trace_store_integer(r->store, question, &there))
        return trace_store_failed(r->store, r->path, r->diags);
    return there ? each_row(r, sql, take) : CT_OK;
}

static int read_parts(struct reader *r) {
    static const struct {
        const char *sql;
        int (*take)(struct reader *, sqlite3_stmt *);
    } parts[] = {
        {"SELECT k.id, t.value, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers,"
         " static_smem, dynamic_smem, communication, demand_provenance, geometry_provenance,"
         " dram_bytes_per_s, dram_fraction, dram_read_share, row_hit_rate, l2_fraction,"
         " issue_slot_fraction, unit_fraction, sm_activity, achieved_occupancy, instructions"
         " FROM kernel k LEFT JOIN text t ON t.id = k.name WHERE app = ? ORDER BY k.id",
         take_kernel},
        {"SELECT kernel, share_per_mille, factor FROM curve WHERE app = ?"
         " ORDER BY kernel, share_per_mille",
         take_point},
        {"SELECT id, name, first_task, tasks, input_bytes, recorded FROM job WHERE app = ? ORDER "
         "BY id",
         take_job},
        {"SELECT l.id, t.value FROM library_call l LEFT JOIN text t ON t.id = l.name WHERE app = ?"
         " ORDER BY l.id",
         take_call},
        {"SELECT id, code, kernel, stream, bytes, duration, launch_step, launch_call, delay,"
         " host_gap, waited_for, library_call FROM task WHERE app = ? ORDER BY id",
         take_task},
        {"SELECT task, on_task FROM dependency WHERE app = ? ORDER BY task, on_task",
         take_dependency},
    };
    int status = CT_OK;
    for (size_t i = 0; i < CT_COUNT_OF(parts) && status == CT_OK; i++)
        status = each_row(r, parts[i].sql, parts[i].take);
    if (status == CT_OK)
        status = read_optional(r, TRACE_SCHEMA_HAS_LAGS,
                               "SELECT task, lag FROM lag WHERE app = ? ORDER BY task", take_lag);
    if (status == CT_OK)
        status = read_optional(r, TRACE_SCHEMA_HAS_UNITS,
                               "SELECT kernel, fp32_fraction, fp64_fraction FROM unit WHERE app = ?"
                               " ORDER BY kernel",
                               take_unit);
    if (status == CT_OK)
        status = read_optional(
            r, TRACE_SCHEMA_HAS_FLOPS,
            "SELECT kernel, flops_per_s FROM flops WHERE app = ? ORDER BY kernel", take_flops);
    if (status == CT_OK)
        status =
            read_optional(r, TRACE_SCHEMA_HAS_NOTES,
                          "SELECT id, name, value FROM note WHERE app = ? ORDER BY id", take_note);
    if (status == CT_OK)
        status = settle_times(r);
    return status == CT_OK ? check_whole(r) : status;
}

static int read_app(struct reader *r, sqlite3_stmt *row) {
    const char *name = text(r, row, 1);
    struct trace_app *app = r->app = name ? trace_set_add(r->set, name) : NULL;
    if (!app)
        return ct_out_of_memory(r->diags);
    r->id = integer(r, row, 0);
    r->unit = integer(r, row, 5);
    app->gpu = text(r, row, 2);
    app->source = text(r, row, 3);
    app->licence = text(r, row, 4);
    app->resolution_ps = (ct_time_ps)count(r, row, 6);
    app->stream_count = number(r, row, 7);
    app->carried_tasks = count(r, row, 8);
    app->stacks_recorded = integer(r, row, 9) != 0;
    app->launches_recorded = integer(r, row, 10) != 0;
    if (!app->gpu || !app->source || !app->licence)
        return ct_out_of_memory(r->diags);
    note_beyond(r, r->unit <= 0, 5);
    return r->beyond ? damaged(r, "a number") : read_parts(r);
}

static void unknown_app(const struct reader *r, const char *name) {
    sqlite3_stmt *row = NULL;
    char names[400];
    size_t used = 0;
    names[0] = '\0';
    if (sqlite3_prepare_v2(r->store, "SELECT name FROM app ORDER BY id", -1, &row, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(row) == SQLITE_ROW && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    ct_error(r->diags, r->path, "no application '%s': there are %s", name, names);
}

/* Every row is some application's. Where one is read of many, not all of them are gone through. */
static int check_owners(const struct reader *r, bool one) {
    static const char *const tables[] = {"kernel",       "curve", "job",  "task",  "dependency",
                                         "library_call", "lag",   "unit", "flops", "note"};
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++) {
        const struct sqlite_link link = {tables[i], "app", "app", "id",
                                         one ? SQLITE_LINK_ENDS : SQLITE_LINK_VALUES};
        int code = sqlite_link_check(r->store, &link);
        if (code == SQLITE_CORRUPT) {
            ct_error(r->diags, r->path, "damaged: a row of table '%s' is no application's",
                     tables[i]);
            return CT_DATA;
        }
        if (code != SQLITE_OK)
            return trace_store_failed(r->store, r->path, r->diags);
    }
    return CT_OK;
}

static int read_apps(struct reader *r, const char *name) {
    sqlite3_stmt *row = NULL;
    int status = CT_OK, step = SQLITE_DONE;
    size_t before = r->set->apps.count;
    if (sqlite3_prepare_v2(r->store,
                           "SELECT id, name, gpu, source, licence, unit_ps, resolution_ps, streams,"
                           " carried_tasks, stacks_recorded, launches_recorded FROM app"
                           " WHERE ?1 IS NULL OR name = ?1 ORDER BY id",
                           -1, &row, NULL) != SQLITE_OK ||
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
        status = trace_store_failed(r->store, r->path, r->diags);
    for (int64_t rows = 1; status == CT_OK && (step = sqlite3_step(row)) == SQLITE_ROW; rows++) {
        r->row = row;
        r->rows = rows;
        r->column = -1;
        status = read_app(r, row);
    }
    r->row = NULL;
    if (status == CT_OK && step != SQLITE_DONE)
        status = trace_store_failed(r->store, r->path, r->diags);
    sqlite3_finalize(row);
    if (status == CT_OK && name && r->set->apps.count == before) {
        unknown_app(r, name);
        status = CT_USAGE;
    }
    return status;
}

int trace_store_read(const char *path, const char *app, struct trace_set *set,
                     struct ct_diags *diags) {
    sqlite3 *store = trace_store_open(path, TRACE_STORE_READ, diags);
    if (!store)
        return CT_DATA;
    struct reader r = {.store = store, .path = path, .diags = diags, .set = set};
    int status = check_owners(&r, app != NULL);
    if (status == CT_OK)
        status = read_apps(&r, app);
    sqlite3_close(store);
    return status;
}
