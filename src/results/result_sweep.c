#include "results/result_sweep.h"

#include "results/result_apart.h"
#include "results/result_store_internal.h"

#include <stdlib.h>
#include <string.h>

/* What its point set for every run, members of pools too. */
#define SWEEP_VALUES                                                                               \
    " FROM (SELECT point, run FROM sweep_run UNION ALL"                                            \
    "  SELECT point, member.run FROM sweep_run JOIN member ON member.pool = sweep_run.run)"        \
    " JOIN sweep_value USING (point)"

bool result_sweep_tables(struct result_store *store) {
    return result_execute(store, result_sql_sweep) == SQLITE_OK &&
           result_execute(
               store,
               "CREATE VIEW IF NOT EXISTS v_sweep AS SELECT run, point, key, value" SWEEP_VALUES
               " ORDER BY run, position") == SQLITE_OK;
}

/* A store that is empty stays so until something is put into it. */
int result_sweep_prepare(struct result_store *store, struct ct_diags *diags) {
    store->sweeps = store->empty;
    if (store->empty || (result_begin(store) && result_sweep_tables(store) &&
                         result_execute(store, "COMMIT") == SQLITE_OK))
        return CT_OK;
    result_fail(store, "prepare the store for a sweep", "", diags);
    if (!sqlite3_get_autocommit(store->db))
        result_execute(store, "ROLLBACK");
    return CT_DATA;
}

/* Prepares the question that finds a key; of a store that is still empty one without an answer. */
static struct query prepare_find(struct result_store *store, const char *table, const char *sql,
                                 struct ct_hash key) {
    char text[CT_HASH_TEXT];
    bool has = true;
    ct_hash_print(key, text);
    if (store->empty && !query_has(store->db, table, &has))
        return (struct query){.failed = true};
    struct query query = result_prepare(store, has ? sql : "SELECT NULL WHERE ?1 IS NULL");
    if (!query.failed)
        query.failed =
            sqlite3_bind_text(query.statement, 1, text, -1, SQLITE_TRANSIENT) != SQLITE_OK;
    return query;
}

static bool copy_blob(struct query *query, unsigned char **bytes, size_t *size) {
    const void *blob = sqlite3_column_blob(query->statement, 0);
    *size = (size_t)sqlite3_column_bytes(query->statement, 0);
    *bytes = malloc(*size + 1);
    if (*bytes && blob)
        memcpy(*bytes, blob, *size);
    return *bytes;
}

int result_kept_find(struct result_store *store, struct ct_hash key, unsigned char **bytes,
                     size_t *size, struct ct_diags *diags) {
    *bytes = NULL;
    struct query query = prepare_find(store, "kept", "SELECT result FROM kept WHERE key = ?", key);
    if (query_next(&query) && !copy_blob(&query, bytes, size))
        query.failed = true;
    return query_end(&query) ? CT_OK : result_fail(store, "look for a kept result", "", diags);
}

int result_kept_add(struct result_store *store, struct ct_hash key, const unsigned char *bytes,
                    size_t size, struct ct_diags *diags) {
    char text[CT_HASH_TEXT];
    ct_hash_print(key, text);
    struct query query =
        result_prepare(store, "INSERT OR IGNORE INTO kept(key, result) VALUES(?, ?)");
    query_bind(&query, text);
    if (!query.failed &&
        sqlite3_bind_blob64(query.statement, query.column, bytes, size, SQLITE_STATIC) != SQLITE_OK)
        query.failed = true;
    query_insert(&query);
    return query_end(&query)
               ? CT_OK
               : result_fail(store, "keep a result", "; earlier results are intact", diags);
}

/* ---- Points ---- */

int64_t result_point_find(struct result_store *store, struct ct_hash key, struct ct_diags *diags) {
    int64_t number = 0;
    struct query query =
        prepare_find(store, "sweep_point", "SELECT number FROM sweep_point WHERE key = ?", key);
    if (query_next(&query))
        number = query_get_integer(&query);
    if (query_end(&query))
        return number;
    result_fail(store, "look for a point", "", diags);
    return -1;
}

static bool write_point(struct result_store *store, const struct result_point *point) {
    char text[CT_HASH_TEXT];
    ct_hash_print(point->key, text);
    struct query query = result_prepare(
        store, point->run_count > 1
                   ? "INSERT INTO sweep_point(key, sweep, comparison)"
                     " SELECT ?, ?, max(number) FROM comparison"
                   : "INSERT INTO sweep_point(key, sweep, comparison) VALUES(?, ?, NULL)");
    query_add(&query, text, point->sweep);
    return query_end(&query);
}

static bool write_point_runs(struct result_store *store, const struct result_point *point,
                             int64_t number) {
    struct query query = result_prepare(store, "INSERT INTO sweep_run VALUES(?, ?, ?)");
    for (size_t i = 0; i < point->run_count; i++)
        query_add(&query, number, i, point->runs[i]);
    return query_end(&query);
}

static bool write_point_values(struct result_store *store, const struct result_point *point,
                               int64_t number) {
    struct query query = result_prepare(store, "INSERT INTO sweep_value VALUES(?, ?, ?, ?)");
    for (size_t i = 0; i < point->value_count; i++)
        query_add(&query, number, i, point->values[i].key, point->values[i].value);
    return query_end(&query);
}

int result_point_add(struct result_store *store, const struct result_point *point,
                     struct ct_diags *diags) {
    bool written = write_point(store, point);
    int64_t number = sqlite3_last_insert_rowid(store->db);
    written = written && write_point_runs(store, point, number) &&
              write_point_values(store, point, number);
    return written ? CT_OK
                   : result_fail(store, "store the point", "; earlier results are intact", diags);
}

/* The comparison of a point, 0 when it has one run; its runs into `runs`. */
static bool read_point(struct result_store *store, int64_t number, int64_t *comparison,
                       struct result_set *runs) {
    struct query query =
        result_prepare(store, "SELECT ifnull(comparison, 0), run FROM sweep_point JOIN sweep_run"
                              " ON point = number WHERE number = ? ORDER BY position");
    query_bind(&query, number);
    while (query_next(&query)) {
        struct result_run run = {0};
        *comparison = query_get_within(&query, 0, INT64_MAX);
        run.number = query_get_within(&query, 1, INT64_MAX);
        query.failed = query.failed || !ct_vec_push(&runs->runs, run);
    }
    return query_end(&query);
}

int result_point_read(struct result_store *store, int64_t number, struct result_set *set,
                      struct ct_diags *diags) {
    struct result_set runs = {0};
    struct result_comparison none = {0};
    int64_t comparison = 0;
    int status = read_point(store, number, &comparison, &runs)
                     ? CT_OK
                     : result_fail(store, "read a point", "", diags);
    for (size_t i = 0; i < runs.runs.count && status == CT_OK; i++)
        status = result_store_read(store, runs.runs.items[i].number, 0, set, diags);
    if (status == CT_OK && !(comparison ? result_read_comparison(store, comparison, set)
                                        : ct_vec_push(&set->comparisons, none)))
        status = result_fail(store, "read a comparison", "", diags);
    result_set_free(&runs);
    return status;
}

/* Deletes the rows of a table that are a sweep's. */
static bool forget(struct result_store *store, const char *sql, const char *sweep) {
    struct query query = result_prepare(store, sql);
    query_add(&query, sweep);
    return query_end(&query);
}

int result_points_list(struct result_store *store, const char *sweep, const int64_t *numbers,
                       size_t count, bool begin, struct ct_diags *diags) {
    bool ok = !begin || (result_execute(store, "DELETE FROM sweep_latest") == SQLITE_OK &&
                         forget(store, "DELETE FROM sweep_listed WHERE sweep = ?", sweep) &&
                         forget(store, "DELETE FROM sweep_failed WHERE sweep = ?", sweep));
    struct query latest = result_prepare(store, "INSERT OR IGNORE INTO sweep_latest VALUES(?)");
    struct query listed = result_prepare(store, "INSERT OR IGNORE INTO sweep_listed VALUES(?, ?)");
    for (size_t i = 0; i < count; i++)
        if (numbers[i]) {
            query_add(&latest, numbers[i]);
            query_add(&listed, sweep, numbers[i]);
        }
    ok = query_end(&latest) && ok;
    return query_end(&listed) && ok
               ? CT_OK
               : result_fail(store, "list the points", "; earlier results are intact", diags);
}

int result_failures_list(struct result_store *store, const char *sweep,
                         const struct result_failure *failures, size_t count,
                         struct ct_diags *diags) {
    bool ok = forget(store, "DELETE FROM sweep_failed WHERE sweep = ?", sweep);
    struct query query = result_prepare(store, "INSERT INTO sweep_failed VALUES(?, ?, ?)");
    for (size_t i = 0; i < count; i++)
        query_add(&query, sweep, failures[i].number, failures[i].error);
    return query_end(&query) && ok
               ? CT_OK
               : result_fail(store, "list what failed", "; earlier results are intact", diags);
}

/* Whether the store says which points the newest sweep has: older ones do not. False: it failed. */
static bool has_latest(struct result_store *store, bool *has) {
    if (!query_has(store->db, "sweep_latest", has))
        return false;
    if (!*has)
        return true;
    struct query query = result_prepare(store, "SELECT 1 FROM sweep_latest LIMIT 1");
    *has = query_next(&query);
    return query_end(&query);
}

#define POINT_COLUMNS "SELECT number, ifnull(comparison, 0), "
#define NOTHING_NEWER                                                                              \
    " AND (SELECT ifnull(max(comparison), 0) FROM sweep_point)"                                    \
    " = (SELECT ifnull(max(number), 0) FROM comparison) ORDER BY number"

/* The sweep that has all the newest one's points, and no other: where it shares some, a point bears
 * the name of the sweep that stored it first. */
#define NEWEST_NAME                                                                                \
    "ifnull((SELECT sweep FROM sweep_listed GROUP BY sweep HAVING count(*) ="                      \
    " (SELECT count(*) FROM sweep_latest) AND min(point IN (SELECT point FROM sweep_latest))),"    \
    " sweep)"

#define IN_LATEST " WHERE number IN (SELECT point FROM sweep_latest)"
#define STORED_LAST " WHERE sweep = (SELECT sweep FROM sweep_point ORDER BY number DESC LIMIT 1)"

/* Asks for the points of the newest sweep, unless something was compared after it; an older store
 * gives all that were stored under its name. */
static struct query ask_newest(struct result_store *store, bool latest) {
    bool listed = false;
    if (latest && !query_has(store->db, "sweep_listed", &listed))
        return (struct query){.failed = true};
    return result_prepare(
        store, !latest  ? POINT_COLUMNS "sweep FROM sweep_point" STORED_LAST NOTHING_NEWER
               : listed ? POINT_COLUMNS NEWEST_NAME " FROM sweep_point" IN_LATEST NOTHING_NEWER
                        : POINT_COLUMNS "sweep FROM sweep_point" IN_LATEST NOTHING_NEWER);
}

/* Whether the store lists the points of the chosen sweep: else all that were stored under its name
 * are. False: it failed. */
static bool has_listed(struct result_store *store, bool *has) {
    if (!query_has(store->db, "sweep_listed", has) || !*has)
        return !*has;
    struct query query =
        result_prepare(store, "SELECT 1 FROM sweep_listed WHERE sweep = ? LIMIT 1");
    query_bind(&query, store->chosen);
    *has = query_next(&query);
    return query_end(&query);
}

static struct query ask_chosen(struct result_store *store) {
    bool has;
    if (!has_listed(store, &has))
        return (struct query){.failed = true};
    struct query query = result_prepare(
        store, has ? POINT_COLUMNS
                   "?1 FROM sweep_point WHERE number IN"
                   " (SELECT point FROM sweep_listed WHERE sweep = ?1) ORDER BY number"
                   : POINT_COLUMNS "sweep FROM sweep_point WHERE sweep = ?1 ORDER BY number");
    query_bind(&query, store->chosen);
    return query;
}

static bool list_points(struct result_store *store, struct ct_arena *arena,
                        struct result_points *points) {
    bool listed = false;
    if (!store->chosen && !has_latest(store, &listed))
        return false;
    struct query query = store->chosen ? ask_chosen(store) : ask_newest(store, listed);
    while (query_next(&query)) {
        struct result_point point = {.number = query_get_integer(&query)};
        point.comparison = query_get_integer(&query);
        point.sweep = query_get_text(&query, arena);
        query.failed = query.failed || !ct_vec_push(points, point);
    }
    return query_end(&query);
}

int result_sweeps_read(struct result_store *store, struct ct_arena *arena,
                       struct result_sweeps *sweeps, struct ct_diags *diags) {
    bool has = false, listed = false;
    bool ok =
        query_has(store->db, "sweep_point", &has) && query_has(store->db, "sweep_listed", &listed);
    if (!ok || !has)
        return ok ? CT_OK : result_fail(store, "look for sweeps", "", diags);
    struct query query = result_prepare(
        store, listed
                   ? "SELECT sweep FROM sweep_listed UNION SELECT sweep FROM sweep_point ORDER BY 1"
                   : "SELECT DISTINCT sweep FROM sweep_point ORDER BY 1");
    while (query_next(&query)) {
        const char *name = query_get_name(&query, arena);
        query.failed = query.failed || !ct_vec_push(sweeps, name);
    }
    return query_end(&query) ? CT_OK : result_fail(store, "list the sweeps", "", diags);
}

int result_sweep_choose(struct result_store *store, const char *sweep, struct ct_diags *diags) {
    free(store->chosen);
    store->chosen = strdup(sweep);
    return store->chosen ? CT_OK : ct_out_of_memory(diags);
}

static bool fill_runs(struct result_store *store, struct ct_arena *arena,
                      struct result_point *point) {
    int64_t *runs = NULL;
    struct query query = result_prepare(
        store, "SELECT count(*) OVER (), run FROM sweep_run WHERE point = ? ORDER BY position");
    query_bind(&query, point->number);
    while (query_next(&query)) {
        size_t count = (size_t)query_get_integer(&query);
        runs = runs ? runs : ct_arena_array(arena, count, sizeof *runs);
        query.failed |= !runs;
        if (runs)
            runs[point->run_count++] = query_get_integer(&query);
    }
    point->runs = runs;
    return query_end(&query);
}

static bool fill_values(struct result_store *store, struct ct_arena *arena,
                        struct result_point *point) {
    struct report_setting *values = NULL;
    struct query query =
        result_prepare(store, "SELECT count(*) OVER (), key, CAST(value AS TEXT) FROM sweep_value"
                              " WHERE point = ? ORDER BY position");
    query_bind(&query, point->number);
    while (query_next(&query)) {
        size_t count = (size_t)query_get_integer(&query);
        const char *key = query_get_text(&query, arena), *value = query_get_text(&query, arena);
        values = values ? values : ct_arena_array(arena, count, sizeof *values);
        query.failed |= !values;
        if (values)
            values[point->value_count++] =
                (struct report_setting){key ? key : "", value ? value : ""};
    }
    point->values = values;
    return query_end(&query);
}

int result_points_read(struct result_store *store, struct ct_arena *arena,
                       struct result_points *points, struct ct_diags *diags) {
    bool has = false, ok = query_has(store->db, "sweep_value", &has);
    points->chosen = store->chosen;
    if (ok && has)
        ok = list_points(store, arena, points);
    for (size_t i = 0; i < points->count && ok; i++)
        ok = fill_runs(store, arena, &points->items[i]) &&
             fill_values(store, arena, &points->items[i]);
    return ok ? CT_OK : result_fail(store, "read the points of a sweep", "", diags);
}

/* Whether a run is of a point that the chosen sweep has not. */
static bool is_others(struct result_store *store, int64_t run, bool *others) {
    bool has;
    if (!has_listed(store, &has))
        return false;
    struct query query = result_prepare(
        store, has ? "SELECT 1 FROM sweep_run WHERE run = ? AND point NOT IN"
                     " (SELECT point FROM sweep_listed WHERE sweep = ?)"
                   : "SELECT 1 FROM sweep_run JOIN sweep_point ON point = number WHERE run = ?"
                     " AND sweep <> ?");
    query_bind(&query, run, store->chosen);
    *others = query_next(&query);
    return query_end(&query);
}

/* Whether a run is of a point that its sweep has no more, or of another sweep than the chosen one.
 */
static bool is_left(struct result_store *store, int64_t run, bool *left) {
    bool listed = false;
    if (store->chosen)
        return is_others(store, run, left);
    if (!has_latest(store, &listed))
        return false;
    if (!listed)
        return true;
    struct query query = result_prepare(
        store, "SELECT 1 FROM sweep_run JOIN sweep_point ON point = number WHERE run = ?"
               " AND number NOT IN (SELECT point FROM sweep_latest) AND sweep IN (SELECT sweep"
               " FROM sweep_point WHERE number IN (SELECT point FROM sweep_latest))");
    query_bind(&query, run);
    *left = query_next(&query);
    return query_end(&query);
}

int result_point_label(struct result_store *store, const struct result_run *run,
                       struct ct_arena *arena, const char **label, struct ct_diags *diags) {
    const char *text = "";
    bool has = false, left = false;
    *label = "";
    if (!query_has(store->db, "sweep_value", &has) || (has && !is_left(store, run->number, &left)))
        return result_fail(store, "look for points", "", diags);
    if (left)
        *label = NULL;
    if (!has || left)
        return CT_OK;
    struct query query =
        result_prepare(store, "SELECT position, key, CASE typeof(value) WHEN 'blob' THEN value ELSE"
                              " CAST(value AS TEXT) END" SWEEP_VALUES " WHERE run = ?"
                              " ORDER BY position");
    query_bind(&query, run->number);
    while (query_next(&query)) {
        query_get_within(&query, 0, INT64_MAX);
        const char *key = query_get_name(&query, arena), *value = query_get_name(&query, arena);
        const char *words = key ? result_key_words(&run->report, key, arena) : NULL;
        text = words && value
                   ? ct_arena_format(arena, "%s%s%s %s", text, *text ? ", " : "", words, value)
                   : NULL;
        query.failed |= !text;
        text = text ? text : "";
    }
    if (!query_end(&query))
        return result_fail(store, "read the values of a point", "", diags);
    *label = text;
    return CT_OK;
}
