#include "format/output_file.h"
#include "format/query.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"
#include "trace/trace_schema.h"
#include "trace/trace_store.h"
#include "trace/trace_store_open.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

struct writer {
    sqlite3 *store;
    struct query add[TRACE_TABLE_COUNT]; /* each prepared before its first row */
    struct query add_text, find_text;
    int64_t next_text;
    bool failed;
};

static bool execute(sqlite3 *store, const char *sql) {
    return sqlite3_exec(store, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* After a failure nothing more is asked of SQLite, which tells the reason of its last call only. */
static void insert(struct writer *w, struct query *query, const struct value *values) {
    if (w->failed)
        return;
    query_bind_values(query, values);
    query_insert(query);
    w->failed = query->failed;
}

static void insert_into(struct writer *w, enum trace_table table, const struct value *values) {
    const struct trace_table_schema *schema = &trace_tables[table];
    struct query *query = &w->add[table];
    if (!w->failed && !query->statement) {
        w->failed = schema->sql && !execute(w->store, schema->sql);
        if (!w->failed)
            *query = query_prepare_insert(w->store, schema->name, schema->columns);
    }
    insert(w, query, values);
}

/* A row of a table. */
#define ADD(w, table, ...) insert_into((w), (table), VALUES(__VA_ARGS__))

/* Null unless it is known. */
static struct value optional(bool known, int64_t number) {
    return known ? value_of_integer(number) : value_of_text(NULL);
}

/* The number of a name; names are shared between applications. */
static int64_t text_id(struct writer *w, const char *text) {
    int64_t id = 0;
    if (w->failed)
        return 0;
    query_bind(&w->find_text, text);
    if (query_next(&w->find_text))
        id = query_get_integer(&w->find_text);
    query_reset(&w->find_text);
    w->failed = w->find_text.failed;
    if (id)
        return id;
    insert(w, &w->add_text, VALUES(w->next_text, text));
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
    ADD(w, TRACE_TABLE_APP, id, app->name, app->gpu, app->source, app->licence, unit,
        app->resolution_ps, app->stream_count, app->carried_tasks, app->stacks_recorded,
        app->launches_recorded);
}

static void add_curve(struct writer *w, const struct trace_kernel *kernel, int64_t app, size_t id) {
    for (uint32_t i = 0; i < kernel->curve_count; i++)
        ADD(w, TRACE_TABLE_CURVE, app, id, kernel->curve[i].share, kernel->curve[i].factor);
}

static void add_kernel(struct writer *w, const struct trace_kernel *k, int64_t app, size_t id) {
    const struct trace_metrics *m = &k->metrics;
    ADD(w, TRACE_TABLE_KERNEL, app, id, text_id(w, k->name), k->grid[0], k->grid[1], k->grid[2],
        k->block[0], k->block[1], k->block[2], k->registers_per_thread, k->static_smem_bytes,
        k->dynamic_smem_bytes, k->communication, k->demand_provenance, k->geometry_provenance,
        m->dram_bytes_per_s, m->dram_fraction, m->dram_read_share, m->row_hit_rate, m->l2_fraction,
        m->issue_slot_fraction, m->unit_fraction, m->sm_activity, m->achieved_occupancy,
        m->instructions);
    add_curve(w, k, app, id);
}

static void add_task(struct writer *w, int64_t app, size_t id, const struct trace_task *t,
                     ct_time_ps launch_before, ct_time_ps unit) {
    ct_time_ps step = t->launch_begin_ps - launch_before;
    int64_t code = (int64_t)t->kind << TRACE_CODE_KIND |
                   (int64_t)t->direction << TRACE_CODE_DIRECTION |
                   (int64_t)t->memory << TRACE_CODE_MEMORY | (int64_t)t->flags << TRACE_CODE_FLAGS;
    ADD(w, TRACE_TABLE_TASK, app, id, code, optional(t->kernel != TRACE_NONE, t->kernel), t->stream,
        t->bytes, t->duration_ps / unit, step / unit,
        (t->launch_end_ps - t->launch_begin_ps) / unit, (t->start_ps - t->launch_begin_ps) / unit,
        optional(t->host_gap_ps != step, t->host_gap_ps / unit),
        optional(t->waited_for != TRACE_NONE, t->waited_for), t->library_call);
}

static void add_dependencies(struct writer *w, const struct trace_app *app, int64_t id,
                             size_t number) {
    const struct trace_task *task = &app->tasks.items[number];
    for (uint32_t i = 0; i < task->dependency_count; i++)
        ADD(w, TRACE_TABLE_DEPENDENCY, id, number,
            app->dependencies.items[task->first_dependency + i]);
}

static void add_job(struct writer *w, const struct trace_app *app, int64_t id, size_t number,
                    ct_time_ps unit) {
    const struct trace_job *job = &app->jobs.items[number];
    ct_time_ps launch = 0;
    ADD(w, TRACE_TABLE_JOB, id, number, job->name, job->first_task, job->task_count,
        job->input_bytes, job->recorded_ps / unit);
    for (size_t i = job->first_task; i < (size_t)job->first_task + job->task_count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        add_task(w, id, i, task, launch, unit);
        add_dependencies(w, app, id, i);
        launch = task->launch_begin_ps;
    }
}

/* What most applications have nothing of. */
static void add_rarer(struct writer *w, const struct trace_app *app, int64_t id, ct_time_ps unit) {
    for (size_t i = 0; i < app->tasks.count; i++)
        if (app->tasks.items[i].lag_ps != 0)
            ADD(w, TRACE_TABLE_LAG, id, i, app->tasks.items[i].lag_ps / unit);
    for (size_t i = 0; i < app->kernels.count; i++) {
        const struct trace_metrics *m = &app->kernels.items[i].metrics;
        if (!isnan(m->fp32_fraction) || !isnan(m->fp64_fraction))
            ADD(w, TRACE_TABLE_UNIT, id, i, m->fp32_fraction, m->fp64_fraction);
    }
    for (size_t i = 0; i < app->kernels.count; i++)
        if (app->kernels.items[i].flops_per_s != 0)
            ADD(w, TRACE_TABLE_FLOPS, id, i, app->kernels.items[i].flops_per_s);
    for (size_t i = 0; i < app->notes.count; i++)
        ADD(w, TRACE_TABLE_NOTE, id, i, app->notes.items[i].name, app->notes.items[i].value);
}

static void add_everything(struct writer *w, const struct trace_app *app, int64_t id) {
    ct_time_ps unit = time_unit(app);
    add_app(w, app, id, unit);
    for (size_t i = 0; i < app->kernels.count && !w->failed; i++)
        add_kernel(w, &app->kernels.items[i], id, i);
    for (size_t i = 0; i < app->jobs.count && !w->failed; i++)
        add_job(w, app, id, i, unit);
    for (size_t i = 0; i < app->library_calls.count && !w->failed; i++)
        ADD(w, TRACE_TABLE_LIBRARY_CALL, id, i + 1, text_id(w, app->library_calls.items[i]));
    add_rarer(w, app, id, unit);
}

/* Removes the rows of an application from a table, if the store has it. */
static bool remove_from(struct writer *w, const struct trace_table_schema *table, int64_t app) {
    char sql[100];
    bool has = false;
    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s = %lld", table->name, table->app,
             (long long)app);
    return query_has(w->store, table->name, &has) && (!has || execute(w->store, sql));
}

/* An application of the same name makes way; its number is used again. */
static int64_t remove_app(struct writer *w, const char *name) {
    char *query = sqlite3_mprintf("SELECT id FROM app WHERE name = %Q", name);
    int64_t id = 0;
    w->failed |= !query || !query_number(w->store, query, &id, NULL);
    sqlite3_free(query);
    if (w->failed) /* no further statement, which would replace SQLite's reason */
        return 0;
    if (id == 0) {
        w->failed = !query_number(w->store, "SELECT ifnull(max(id), 0) + 1 FROM app", &id, NULL);
        return id;
    }
    for (size_t i = 0; i < TRACE_TABLE_COUNT && !w->failed; i++)
        w->failed = !remove_from(w, &trace_tables[i], id);
    return id;
}

static bool writer_prepare(struct writer *w) {
    w->add_text = query_prepare_insert(w->store, "text", 2);
    return !w->add_text.failed &&
           query_number(w->store, "SELECT ifnull(max(id), 0) + 1 FROM text", &w->next_text, NULL) &&
           execute(w->store, "CREATE TEMP TABLE known(value TEXT PRIMARY KEY, id INTEGER);"
                             "INSERT INTO known SELECT value, min(id) FROM text GROUP BY value;"
                             "CREATE TEMP TRIGGER learn AFTER INSERT ON main.text BEGIN"
                             " INSERT INTO known VALUES(new.value, new.id); END;") &&
           !(w->find_text = query_prepare(w->store, "SELECT id FROM known WHERE value = ?", NULL))
                .failed;
}

static void writer_finish(struct writer *w) {
    for (int i = 0; i < TRACE_TABLE_COUNT; i++)
        query_end(&w->add[i]);
    query_end(&w->add_text);
    query_end(&w->find_text);
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
