#include "ingest/sqlite_tables.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "base/ct_text.h"
#include "format/query.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SQL = 4096 };

/* The latest time, from the recording's begin on, to which the simulator's picoseconds reach: 106
 * days. */
#define MOST_NS (INT64_MAX / CT_PS_PER_NS)

bool sqlite_tables_recognised(const char *path) {
    struct sqlite_header header;
    return (sqlite_header_read(path, &header) && header.sqlite) || sqlite_file_is_packed(path);
}

static int open_either(const char *path, sqlite3 **db, struct ct_diags *diags) {
    return sqlite_file_is_packed(path) ? sqlite_file_open_packed(path, db, diags)
                                       : sqlite_file_open(path, db, SQLITE_OPEN_READONLY, diags);
}

sqlite3 *sqlite_tables_open(const char *path, struct ct_diags *diags) {
    struct sqlite_header header;
    sqlite3 *db = NULL;
    if (!sqlite_header_read(path, &header)) {
        ct_file_error(diags, path, errno == EISDIR ? "read it" : "open it", errno);
        return NULL;
    }
    if (header.bytes < header.promised)
        return ct_null_error(diags, path, "is cut off: %" PRId64 " of %" PRId64 " bytes",
                             header.bytes, header.promised);
    int code = open_either(path, &db, diags);
    if (code == SQLITE_OK)
        return db;
    if (code != SQLITE_AUTH)
        ct_error(diags, path, "cannot open it: %s", sqlite3_errstr(code));
    sqlite3_close(db);
    return NULL;
}

static void fail(struct sqlite_scan *scan, int code) {
    if (code == SQLITE_NOMEM)
        ct_out_of_memory(scan->diags);
    else
        ct_error(scan->diags, scan->path, "cannot read %s: %s; is the file cut off or damaged?",
                 scan->table ? scan->table : "it", sqlite3_errstr(code));
    scan->broken = true;
}

/* 1 when the query has a row for these values, 0 when not, -1 with an error recorded. */
static int has_row(struct sqlite_scan *scan, const char *sql, const struct value *values) {
    struct query query = query_prepare(scan->db, sql, NULL);
    query_bind_values(&query, values);
    bool has = query_next(&query);
    if (query_end(&query))
        return has;
    fail(scan, sqlite3_errcode(scan->db));
    return -1;
}

int sqlite_tables_has(struct sqlite_scan *scan, const char *table) {
    return has_row(scan, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                   VALUES(table));
}

/* The table behind `before`: SQLITE_ROW with its name, SQLITE_DONE, or what went wrong. */
static int step_name(sqlite3 *db, const char *beginning, const char *before, char *name,
                     size_t size) {
    struct query query =
        query_prepare(db,
                      "SELECT min(name) FROM sqlite_master WHERE type = 'table' AND name > "
                      "?2 AND substr(name, 1, length(?1)) = ?1 AND instr(name, char(34)) = 0",
                      NULL);
    query_bind(&query, beginning, before);
    const char *found =
        query_next(&query) ? (const char *)sqlite3_column_text(query.statement, 0) : NULL;
    bool fits = found && strlen(found) < size;
    if (fits)
        snprintf(name, size, "%s", found);
    return !query_end(&query) ? sqlite3_errcode(db) : fits ? SQLITE_ROW : SQLITE_DONE;
}

bool sqlite_tables_holds(sqlite3 *db, const char *beginning) {
    char name[256];
    return db && step_name(db, beginning, "", name, sizeof name) == SQLITE_ROW;
}

sqlite3 *sqlite_tables_look(const char *path) {
    sqlite3 *db = NULL;
    struct ct_diags unsaid = {0};
    if (sqlite_tables_recognised(path) && open_either(path, &db, &unsaid) != SQLITE_OK) {
        sqlite3_close(db);
        db = NULL;
    }
    ct_diags_free(&unsaid);
    return db;
}

int sqlite_tables_next(struct sqlite_scan *scan, const char *beginning, char *name, size_t size) {
    int code = step_name(scan->db, beginning, name, name, size);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return code == SQLITE_ROW;
    fail(scan, code);
    return -1;
}

/* SELECT "start", NULL, ... FROM "TABLE" */
static bool write_select(struct sqlite_scan *scan, const char *columns, char sql[MOST_SQL]) {
    size_t used = (size_t)snprintf(sql, MOST_SQL, "SELECT "), length;
    const char *comma = "";
    for (const char *column; used < MOST_SQL && (column = ct_text_word(&columns, &length));) {
        char name[64];
        bool needed = *column != '?';
        snprintf(name, sizeof name, "%.*s", (int)length - !needed, column + !needed);
        int known = has_row(scan, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2",
                            VALUES(scan->table, name));
        if (known == 0 && needed)
            ct_error(scan->diags, scan->path, "table '%s' has no column '%s'", scan->table, name);
        if (known < 0 || (known == 0 && needed))
            return false;
        used += (size_t)(known ? snprintf(sql + used, MOST_SQL - used, "%s\"%s\"", comma, name)
                               : snprintf(sql + used, MOST_SQL - used, "%sNULL", comma));
        comma = ", ";
    }
    if (used < MOST_SQL)
        snprintf(sql + used, MOST_SQL - used, " FROM \"%s\"", scan->table);
    return true;
}

void sqlite_scan_begin(struct sqlite_scan *scan, const char *table, const char *columns) {
    char sql[MOST_SQL];
    scan->broken = false;
    if (sqlite_tables_has(scan, table) != 1)
        return;
    scan->table = table;
    scan->row = 0;
    scan->broken = !write_select(scan, columns, sql);
    int code =
        scan->broken ? SQLITE_OK : sqlite3_prepare_v2(scan->db, sql, -1, &scan->statement, NULL);
    if (code != SQLITE_OK)
        fail(scan, code);
}

bool sqlite_scan_next(struct sqlite_scan *scan) {
    if (scan->broken || !scan->statement)
        return false;
    int code = sqlite3_step(scan->statement);
    scan->row++;
    scan->bad_row = false;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail(scan, code);
    return code == SQLITE_ROW;
}

int64_t sqlite_scan_int(struct sqlite_scan *scan, int i, int64_t fallback, int64_t least,
                        int64_t most) {
    char where[512];
    int type = sqlite3_column_type(scan->statement, i);
    int64_t value = sqlite3_column_int64(scan->statement, i);
    if (type == SQLITE_NULL)
        return fallback;
    if (type == SQLITE_INTEGER && value >= least && value <= most)
        return value;
    sqlite_scan_where(scan, where, sizeof where);
    const char *name = sqlite3_column_name(scan->statement, i);
    if (type != SQLITE_INTEGER)
        ct_error(scan->diags, where, "'%s' is no whole number", name);
    else
        ct_error(scan->diags, where, "'%s' is %" PRId64 ", outside %" PRId64 " to %" PRId64, name,
                 value, least, most);
    scan->bad_row = true;
    return fallback;
}

int64_t sqlite_scan_any(struct sqlite_scan *scan, int i, int64_t fallback) {
    return sqlite_scan_int(scan, i, fallback, INT64_MIN, INT64_MAX);
}

ct_time_ps sqlite_scan_time(struct sqlite_scan *scan, int64_t ns) {
    uint64_t since = (uint64_t)ns - (uint64_t)scan->base_ns;
    if (since <= (uint64_t)MOST_NS)
        return (ct_time_ps)since * CT_PS_PER_NS;
    char where[512];
    sqlite_scan_where(scan, where, sizeof where);
    ct_error(scan->diags, where,
             "the time %lld ns is more than 106 days from the recording's begin", (long long)ns);
    scan->bad_row = true;
    return 0;
}

struct sqlite_span sqlite_scan_span(struct sqlite_scan *scan, int64_t start_ns, int64_t end_ns) {
    struct sqlite_span span = {.begin_ps = sqlite_scan_time(scan, start_ns)};
    if (end_ns < start_ns) {
        char where[512];
        sqlite_scan_where(scan, where, sizeof where);
        ct_error(scan->diags, where, "the duration is negative: 'end' is before 'start'");
        scan->bad_row = true;
    }
    span.end_ps = sqlite_scan_time(scan, end_ns < start_ns ? start_ns : end_ns);
    return span;
}

bool sqlite_scan_null(const struct sqlite_scan *scan, int i) {
    return sqlite3_column_type(scan->statement, i) == SQLITE_NULL;
}

/* A copy in which '?' stands for each character 0. NULL: memory ran out. */
static const char *without_zeros(struct sqlite_scan *scan, const char *text, size_t size) {
    char *copy = ct_arena_strndup(&scan->mended, text, size);
    for (char *at = copy; copy && at < copy + size; at++)
        *at = *at ? *at : '?';
    if (!copy) {
        ct_out_of_memory(scan->diags);
        scan->bad_row = true;
    }
    return copy;
}

const char *sqlite_scan_text(struct sqlite_scan *scan, int i) {
    const char *text = (const char *)sqlite3_column_text(scan->statement, i);
    size_t size = (size_t)sqlite3_column_bytes(scan->statement, i);
    return !text || strlen(text) == size ? text : without_zeros(scan, text, size);
}

void sqlite_scan_where(const struct sqlite_scan *scan, char *text, size_t size) {
    snprintf(text, size, "%s: %s row %" PRIu64, scan->path, scan->table, scan->row);
}

bool sqlite_scan_end(struct sqlite_scan *scan) {
    sqlite3_finalize(scan->statement);
    scan->statement = NULL;
    ct_arena_free(&scan->mended);
    return !scan->broken;
}

/* ---- names by their numbers ---- */

static int compare_names(const void *left, const void *right) {
    const struct sqlite_name *a = left, *b = right;
    return ct_order(a->id, b->id);
}

bool sqlite_names_add(struct sqlite_names *names, struct sqlite_scan *scan, int64_t id,
                      int64_t number, const char *text) {
    struct sqlite_name name = {id, number, text ? ct_arena_strdup(&names->arena, text) : NULL};
    if ((text && !name.text) || !ct_vec_push(names, name))
        return ct_out_of_memory(scan->diags) == CT_OK;
    return !scan->bad_row;
}

void sqlite_names_sort(struct sqlite_names *names) {
    ct_vec_sort(names, compare_names);
}

const struct sqlite_name *sqlite_names_find(const struct sqlite_names *names, int64_t id) {
    const struct sqlite_name wanted = {.id = id};
    size_t place = ct_vec_lower(names, compare_names, &wanted);
    return place < names->count && names->items[place].id == id ? &names->items[place] : NULL;
}

void sqlite_names_free(struct sqlite_names *names) {
    ct_vec_free(names);
    ct_arena_free(&names->arena);
}
