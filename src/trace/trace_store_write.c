#include "format/output_file.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"
#include "trace/trace_schema.h"
#include "trace/trace_store.h"
#include "trace/trace_store_open.h"

#include <stdio.h>
#include <unistd.h>

enum statement {
    ADD_TEXT,
    ADD_APP,
    ADD_KERNEL,
    ADD_CURVE,
    ADD_JOB,
    ADD_TASK,
    ADD_DEPENDENCY,
    ADD_CALL,
    STATEMENT_COUNT
};

static const char *const statement_sql[STATEMENT_COUNT] = {
    [ADD_TEXT] = "INSERT INTO text(id, value) VALUES(?, ?)",
    [ADD_APP] = "INSERT INTO app VALUES(?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_KERNEL] = "INSERT INTO kernel VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_CURVE] = "INSERT INTO curve VALUES(?,?,?,?)",
    [ADD_JOB] = "INSERT INTO job VALUES(?,?,?,?,?,?,?)",
    [ADD_TASK] = "INSERT INTO task VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_DEPENDENCY] = "INSERT INTO dependency VALUES(?,?,?)",
    [ADD_CALL] = "INSERT INTO library_call VALUES(?,?,?)",
};

struct writer {
    sqlite3 *store;
    sqlite3_stmt *add[STATEMENT_COUNT];
    sqlite3_stmt *find_text;
    int64_t next_text;
    bool failed;
};

static bool execute(sqlite3 *store, const char *sql) {
    return sqlite3_exec(store, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* After a failure nothing more is asked of SQLite, which tells the reason of its last call only. */
static void bind_integer(struct writer *w, enum statement s, int column, int64_t number) {
    if (!w->failed)
        w->failed = sqlite3_bind_int64(w->add[s], column, number) != SQLITE_OK;
}

static void bind_optional(struct writer *w, enum statement s, int column, bool known,
                          int64_t number) {
    if (known)
        bind_integer(w, s, column, number);
    else if (!w->failed)
        w->failed = sqlite3_bind_null(w->add[s], column) != SQLITE_OK;
}

static void bind_real(struct writer *w, enum statement s, int column, double number) {
    if (isnan(number))
        bind_optional(w, s, column, false, 0);
    else if (!w->failed)
        w->failed = sqlite3_bind_double(w->add[s], column, number) != SQLITE_OK;
}

static void bind_text(struct writer *w, enum statement s, int column, const char *text) {
    if (!w->failed)
        w->failed = sqlite3_bind_text(w->add[s], column, text, -1, SQLITE_STATIC) != SQLITE_OK;
}

static void add(struct writer *w, enum statement s) {
    if (!w->failed)
        w->failed = sqlite3_step(w->add[s]) != SQLITE_DONE || sqlite3_reset(w->add[s]) != SQLITE_OK;
}

/* The number of a name; names are shared between applications. */
static int64_t text_id(struct writer *w, const char *text) {
    int64_t id = 0;
    if (!w->failed)
        w->failed = sqlite3_bind_text(w->find_text, 1, text, -1, SQLITE_STATIC) != SQLITE_OK;
    if (!w->failed && sqlite3_step(w->find_text) == SQLITE_ROW)
        id = sqlite3_column_int64(w->find_text, 0);
    if (!w->failed)
        w->failed = sqlite3_reset(w->find_text) != SQLITE_OK;
    if (id)
        return id;
    bind_integer(w, ADD_TEXT, 1, w->next_text);
    bind_text(w, ADD_TEXT, 2, text);
    add(w, ADD_TEXT);
    return w->next_text++;
}

static ct_time_ps common_divisor(ct_time_ps a, ct_time_ps b) {
    while (b) {
        ct_time_ps rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* The greatest unit that divides all times of the application. */
static ct_time_ps time_unit(const struct trace_app *app) {
    ct_time_ps unit = 0;
    for (size_t i = 0; i < app->tasks.count && unit != 1; i++) {
        const struct trace_task *t = &app->tasks.items[i];
        unit = common_divisor(unit, t->duration_ps);
        unit = common_divisor(unit, t->start_ps);
        unit = common_divisor(unit, t->launch_begin_ps);
        unit = common_divisor(unit, t->launch_end_ps);
        unit = common_divisor(unit, t->host_gap_ps);
        unit = common_divisor(unit, t->lag_ps);
    }
    for (size_t i = 0; i < app->jobs.count; i++)
        unit = common_divisor(unit, app->jobs.items[i].recorded_ps);
    return unit ? unit : 1;
}

static void add_app(struct writer *w, const struct trace_app *app, int64_t id, ct_time_ps unit) {
    bind_integer(w, ADD_APP, 1, id);
    bind_text(w, ADD_APP, 2, app->name);
    bind_text(w, ADD_APP, 3, app->gpu);
    bind_text(w, ADD_APP, 4, app->source);
    bind_text(w, ADD_APP, 5, app->licence);
    bind_integer(w, ADD_APP, 6, unit);
    bind_integer(w, ADD_APP, 7, app->resolution_ps);
    bind_integer(w, ADD_APP, 8, app->stream_count);
    bind_integer(w, ADD_APP, 9, (int64_t)app->carried_tasks);
    bind_integer(w, ADD_APP, 10, app->stacks_recorded);
    bind_integer(w, ADD_APP, 11, app->launches_recorded);
    add(w, ADD_APP);
}

static void add_curve(struct writer *w, const struct trace_kernel *kernel, int64_t app, size_t id) {
    for (uint32_t i = 0; i < kernel->curve_count; i++) {
        bind_integer(w, ADD_CURVE, 1, app);
        bind_integer(w, ADD_CURVE, 2, (int64_t)id);
        bind_integer(w, ADD_CURVE, 3, kernel->curve[i].share);
        bind_real(w, ADD_CURVE, 4, kernel->curve[i].factor);
        add(w, ADD_CURVE);
    }
}

static void bind_metrics(struct writer *w, const struct trace_metrics *m, int column) {
    const double numbers[] = {m->dram_bytes_per_s, m->dram_fraction, m->dram_read_share,
                              m->row_hit_rate,     m->l2_fraction,   m->issue_slot_fraction,
                              m->unit_fraction,    m->sm_activity,   m->achieved_occupancy,
                              m->instructions};
    for (size_t i = 0; i < CT_COUNT_OF(numbers); i++)
        bind_real(w, ADD_KERNEL, column + (int)i, numbers[i]);
}

static void add_kernel(struct writer *w, const struct trace_kernel *kernel, int64_t app,
                       size_t id) {
    int64_t name = text_id(w, kernel->name);
    bind_integer(w, ADD_KERNEL, 1, app);
    bind_integer(w, ADD_KERNEL, 2, (int64_t)id);
    bind_integer(w, ADD_KERNEL, 3, name);
    for (int i = 0; i < 3; i++) {
        bind_integer(w, ADD_KERNEL, 4 + i, kernel->grid[i]);
        bind_integer(w, ADD_KERNEL, 7 + i, kernel->block[i]);
    }
    bind_integer(w, ADD_KERNEL, 10, kernel->registers_per_thread);
    bind_integer(w, ADD_KERNEL, 11, kernel->static_smem_bytes);
    bind_integer(w, ADD_KERNEL, 12, kernel->dynamic_smem_bytes);
    bind_integer(w, ADD_KERNEL, 13, kernel->communication);
    bind_integer(w, ADD_KERNEL, 14, kernel->demand_provenance);
    bind_integer(w, ADD_KERNEL, 15, kernel->geometry_provenance);
    bind_metrics(w, &kernel->metrics, 16);
    add(w, ADD_KERNEL);
    add_curve(w, kernel, app, id);
}

static void add_task(struct writer *w, int64_t app, size_t id, const struct trace_task *t,
                     ct_time_ps launch_before, ct_time_ps unit) {
    ct_time_ps step = t->launch_begin_ps - launch_before;
    bind_integer(w, ADD_TASK, 1, app);
    bind_integer(w, ADD_TASK, 2, (int64_t)id);
    bind_integer(
        w, ADD_TASK, 3,
        (int64_t)t->kind << TRACE_CODE_KIND | (int64_t)t->direction << TRACE_CODE_DIRECTION |
            (int64_t)t->memory << TRACE_CODE_MEMORY | (int64_t)t->flags << TRACE_CODE_FLAGS);
    bind_optional(w, ADD_TASK, 4, t->kernel != TRACE_NONE, t->kernel);
    bind_integer(w, ADD_TASK, 5, t->stream);
    bind_integer(w, ADD_TASK, 6, (int64_t)t->bytes);
    bind_integer(w, ADD_TASK, 7, t->duration_ps / unit);
    bind_integer(w, ADD_TASK, 8, step / unit);
    bind_integer(w, ADD_TASK, 9, (t->launch_end_ps - t->launch_begin_ps) / unit);
    bind_integer(w, ADD_TASK, 10, (t->start_ps - t->launch_begin_ps) / unit);
    bind_optional(w, ADD_TASK, 11, t->host_gap_ps != step, t->host_gap_ps / unit);
    bind_optional(w, ADD_TASK, 12, t->waited_for != TRACE_NONE, t->waited_for);
    bind_integer(w, ADD_TASK, 13, t->library_call);
    add(w, ADD_TASK);
}

static void add_dependencies(struct writer *w, const struct trace_app *app, int64_t id,
                             size_t number) {
    const struct trace_task *task = &app->tasks.items[number];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        bind_integer(w, ADD_DEPENDENCY, 1, id);
        bind_integer(w, ADD_DEPENDENCY, 2, (int64_t)number);
        bind_integer(w, ADD_DEPENDENCY, 3, app->dependencies.items[task->first_dependency + i]);
        add(w, ADD_DEPENDENCY);
    }
}

static void add_job(struct writer *w, const struct trace_app *app, int64_t id, size_t number,
                    ct_time_ps unit) {
    const struct trace_job *job = &app->jobs.items[number];
    ct_time_ps launch = 0;
    bind_integer(w, ADD_JOB, 1, id);
    bind_integer(w, ADD_JOB, 2, (int64_t)number);
    bind_text(w, ADD_JOB, 3, job->name);
    bind_integer(w, ADD_JOB, 4, job->first_task);
    bind_integer(w, ADD_JOB, 5, job->task_count);
    bind_integer(w, ADD_JOB, 6, (int64_t)job->input_bytes);
    bind_integer(w, ADD_JOB, 7, job->recorded_ps / unit);
    add(w, ADD_JOB);
    for (size_t i = job->first_task; i < (size_t)job->first_task + job->task_count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        add_task(w, id, i, task, launch, unit);
        add_dependencies(w, app, id, i);
        launch = task->launch_begin_ps;
    }
}

static void add_notes(struct writer *w, const struct trace_app *app, int64_t id) {
    sqlite3_stmt *add_note = NULL;
    if (!app->notes.count || w->failed)
        return;
    w->failed = !execute(w->store, trace_schema_notes_sql) ||
                sqlite3_prepare_v2(w->store, "INSERT INTO note VALUES(?,?,?,?)", -1, &add_note,
                                   NULL) != SQLITE_OK;
    for (size_t i = 0; i < app->notes.count && !w->failed; i++) {
        const struct trace_note *note = &app->notes.items[i];
        w->failed = sqlite3_bind_int64(add_note, 1, id) != SQLITE_OK ||
                    sqlite3_bind_int64(add_note, 2, (int64_t)i) != SQLITE_OK ||
                    sqlite3_bind_text(add_note, 3, note->name, -1, SQLITE_STATIC) != SQLITE_OK ||
                    sqlite3_bind_text(add_note, 4, note->value, -1, SQLITE_STATIC) != SQLITE_OK ||
                    sqlite3_step(add_note) != SQLITE_DONE || sqlite3_reset(add_note) != SQLITE_OK;
    }
    sqlite3_finalize(add_note);
}

static bool has_units(const struct trace_kernel *kernel) {
    return !isnan(kernel->metrics.fp32_fraction) || !isnan(kernel->metrics.fp64_fraction);
}

static bool bind_fraction(sqlite3_stmt *add_unit, int column, double fraction) {
    int status = isnan(fraction) ? sqlite3_bind_null(add_unit, column)
                                 : sqlite3_bind_double(add_unit, column, fraction);
    return status == SQLITE_OK;
}

static bool add_unit(struct writer *w, const struct trace_kernel *kernel, int64_t app, size_t id) {
    static const char sql[] = "INSERT INTO unit VALUES(?,?,?,?)";
    sqlite3_stmt *add = NULL;
    bool added = execute(w->store, trace_schema_units_sql) &&
                 sqlite3_prepare_v2(w->store, sql, -1, &add, NULL) == SQLITE_OK &&
                 sqlite3_bind_int64(add, 1, app) == SQLITE_OK &&
                 sqlite3_bind_int64(add, 2, (int64_t)id) == SQLITE_OK &&
                 bind_fraction(add, 3, kernel->metrics.fp32_fraction) &&
                 bind_fraction(add, 4, kernel->metrics.fp64_fraction) &&
                 sqlite3_step(add) == SQLITE_DONE;
    sqlite3_finalize(add);
    return added;
}

static bool add_lag(struct writer *w, int64_t lag, int64_t app, size_t id) {
    sqlite3_stmt *add = NULL;
    bool added = execute(w->store, trace_schema_lags_sql) &&
                 sqlite3_prepare_v2(w->store, "INSERT INTO lag VALUES(?,?,?)", -1, &add, NULL) ==
                     SQLITE_OK &&
                 sqlite3_bind_int64(add, 1, app) == SQLITE_OK &&
                 sqlite3_bind_int64(add, 2, (int64_t)id) == SQLITE_OK &&
                 sqlite3_bind_int64(add, 3, lag) == SQLITE_OK && sqlite3_step(add) == SQLITE_DONE;
    sqlite3_finalize(add);
    return added;
}

static void add_lags(struct writer *w, const struct trace_app *app, int64_t id, ct_time_ps unit) {
    for (size_t i = 0; i < app->tasks.count && !w->failed; i++)
        if (app->tasks.items[i].lag_ps != 0)
            w->failed = !add_lag(w, app->tasks.items[i].lag_ps / unit, id, i);
}

static void add_units(struct writer *w, const struct trace_app *app, int64_t id) {
    for (size_t i = 0; i < app->kernels.count && !w->failed; i++)
        if (has_units(&app->kernels.items[i]))
            w->failed = !add_unit(w, &app->kernels.items[i], id, i);
}

static void add_flops(struct writer *w, const struct trace_app *app, int64_t id) {
    sqlite3_stmt *add_rate = NULL;
    for (size_t i = 0; i < app->kernels.count && !w->failed; i++) {
        double rate = app->kernels.items[i].flops_per_s;
        if (rate == 0)
            continue;
        w->failed = (!add_rate && (!execute(w->store, trace_schema_flops_sql) ||
                                   sqlite3_prepare_v2(w->store, "INSERT INTO flops VALUES(?,?,?)",
                                                      -1, &add_rate, NULL) != SQLITE_OK)) ||
                    sqlite3_bind_int64(add_rate, 1, id) != SQLITE_OK ||
                    sqlite3_bind_int64(add_rate, 2, (int64_t)i) != SQLITE_OK ||
                    sqlite3_bind_double(add_rate, 3, rate) != SQLITE_OK ||
                    sqlite3_step(add_rate) != SQLITE_DONE || sqlite3_reset(add_rate) != SQLITE_OK;
    }
    sqlite3_finalize(add_rate);
}

static void add_everything(struct writer *w, const struct trace_app *app, int64_t id) {
    ct_time_ps unit = time_unit(app);
    add_app(w, app, id, unit);
    for (size_t i = 0; i < app->kernels.count && !w->failed; i++)
        add_kernel(w, &app->kernels.items[i], id, i);
    for (size_t i = 0; i < app->jobs.count && !w->failed; i++)
        add_job(w, app, id, i, unit);
    for (size_t i = 0; i < app->library_calls.count && !w->failed; i++) {
        int64_t name = text_id(w, app->library_calls.items[i]);
        bind_integer(w, ADD_CALL, 1, id);
        bind_integer(w, ADD_CALL, 2, (int64_t)i + 1);
        bind_integer(w, ADD_CALL, 3, name);
        add(w, ADD_CALL);
    }
    add_lags(w, app, id, unit);
    add_units(w, app, id);
    add_flops(w, app, id);
    add_notes(w, app, id);
}

/* Removes the rows of an application from a table that not every store has; `question` finds a row
 * where it is there. */
static bool remove_from(struct writer *w, const char *table, const char *question, int64_t app) {
    char sql[100];
    int64_t there = 0;
    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE app = %lld", table, (long long)app);
    return trace_store_integer(w->store, question, &there) && (!there || execute(w->store, sql));
}

/* An application of the same name makes way; its number is used again. */
static int64_t remove_app(struct writer *w, const char *name) {
    static const char *const tables[] = {"kernel",     "curve",        "job", "task",
                                         "dependency", "library_call", NULL};
    char sql[100];
    char *query = sqlite3_mprintf("SELECT id FROM app WHERE name = %Q", name);
    int64_t id = 0;
    w->failed |= !query || !trace_store_integer(w->store, query, &id);
    sqlite3_free(query);
    if (w->failed) /* no further statement, which would replace SQLite's reason */
        return 0;
    if (id == 0) {
        w->failed |= !trace_store_integer(w->store, "SELECT ifnull(max(id), 0) + 1 FROM app", &id);
        return id;
    }
    for (size_t i = 0; tables[i] && !w->failed; i++) {
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE app = %lld", tables[i], (long long)id);
        w->failed = !execute(w->store, sql);
    }
    snprintf(sql, sizeof sql, "DELETE FROM app WHERE id = %lld", (long long)id);
    w->failed = w->failed || !execute(w->store, sql) ||
                !remove_from(w, "lag", TRACE_SCHEMA_HAS_LAGS, id) ||
                !remove_from(w, "note", TRACE_SCHEMA_HAS_NOTES, id) ||
                !remove_from(w, "unit", TRACE_SCHEMA_HAS_UNITS, id) ||
                !remove_from(w, "flops", TRACE_SCHEMA_HAS_FLOPS, id);
    return id;
}

static bool writer_prepare(struct writer *w) {
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (sqlite3_prepare_v2(w->store, statement_sql[i], -1, &w->add[i], NULL) != SQLITE_OK)
            return false;
    return trace_store_integer(w->store, "SELECT ifnull(max(id), 0) + 1 FROM text",
                               &w->next_text) &&
           execute(w->store, "CREATE TEMP TABLE known(value TEXT PRIMARY KEY, id INTEGER);"
                             "INSERT INTO known SELECT value, min(id) FROM text GROUP BY value;"
                             "CREATE TEMP TRIGGER learn AFTER INSERT ON main.text BEGIN"
                             " INSERT INTO known VALUES(new.value, new.id); END;") &&
           sqlite3_prepare_v2(w->store, "SELECT id FROM known WHERE value = ?", -1, &w->find_text,
                              NULL) == SQLITE_OK;
}

static void writer_finish(struct writer *w) {
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(w->add[i]);
    sqlite3_finalize(w->find_text);
}

static bool create_schema(sqlite3 *store) {
    char pragmas[100];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             TRACE_STORE_APPLICATION_ID, TRACE_STORE_SCHEMA);
    if (!execute(store, pragmas))
        return false;
    for (size_t i = 0; trace_schema_sql[i]; i++)
        if (!execute(store, trace_schema_sql[i]))
            return false;
    return true;
}

static bool write_apps(struct writer *w, const struct trace_set *set, bool fresh) {
    if ((fresh && !create_schema(w->store)) || !writer_prepare(w))
        return false;
    for (size_t i = 0; i < set->apps.count && !w->failed; i++) {
        int64_t id = remove_app(w, set->apps.items[i]->name);
        if (!w->failed)
            add_everything(w, set->apps.items[i], id);
    }
    return !w->failed &&
           execute(w->store, "DELETE FROM text WHERE id NOT IN (SELECT name FROM kernel)"
                             " AND id NOT IN (SELECT name FROM library_call)") &&
           execute(w->store, "COMMIT");
}

/* A store that somebody else had made, and left empty, may have gone with them. */
static int begin(struct writer *w, const char *path, bool *made, bool *fresh,
                 struct ct_diags *diags) {
    for (;;) {
        *made = access(path, F_OK) != 0;
        w->store = trace_store_open(path, TRACE_STORE_WRITE, diags);
        int status = w->store ? trace_store_begin(w->store, path, fresh, diags) : CT_DATA;
        if (status != CT_OK || !*fresh || !sqlite_file_is_gone(w->store))
            return status;
        sqlite3_close(w->store);
    }
}

int trace_store_write(const char *path, const struct trace_set *set, struct ct_diags *diags) {
    bool made, fresh;
    struct writer w = {0};
    int status = begin(&w, path, &made, &fresh, diags);
    if (!w.store)
        return CT_DATA;
    if (status == CT_OK && !write_apps(&w, set, fresh))
        status = trace_store_failed(w.store, path, diags);
    writer_finish(&w);
    if (status != CT_OK)
        sqlite_file_give_up(w.store, made);
    sqlite3_close(w.store);
    return status;
}

/* A file that is not there is not made: another writer may have just begun with it. */
int trace_store_probe(const char *path, struct ct_diags *diags) {
    if (access(path, F_OK) != 0 && sqlite_file_fits(path, diags))
        return output_file_probe(path, diags) ? CT_OK : CT_DATA;
    sqlite3 *store = trace_store_open(path, TRACE_STORE_WRITE, diags);
    sqlite3_close(store);
    return store ? CT_OK : CT_DATA;
}
