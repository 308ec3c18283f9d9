#include "format/query.h"

#include "base/ct_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct query query_prepare(sqlite3 *db, const char *sql, struct query_damage *damage) {
    struct query query = {.damage = damage, .column = 1};
    query.failed = sqlite3_prepare_v2(db, sql, -1, &query.statement, NULL) != SQLITE_OK;
    return query;
}

struct query query_prepare_insert(sqlite3 *db, const char *table, int columns) {
    char sql[1024];
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", table);
    for (int i = 1; i < columns; i++)
        ct_text_add(sql, sizeof sql, ",", "?");
    ct_text_add(sql, sizeof sql, "", ")");
    return query_prepare(db, sql, NULL);
}

static void keep(struct query *query, int code) {
    if (code != SQLITE_OK)
        query->failed = true;
}

static int bind(sqlite3_stmt *statement, int column, const struct value *value) {
    if (value->kind == VALUE_TEXT) /* SQLite stores NULL, and NAN, as null */
        return sqlite3_bind_text(statement, column, value->text, -1, SQLITE_STATIC);
    if (value->kind == VALUE_NUMBER)
        return sqlite3_bind_double(statement, column, value->number);
    return sqlite3_bind_int64(statement, column, value->integer);
}

void query_bind_values(struct query *query, const struct value *values) {
    for (; values->kind != VALUE_END && !query->failed; values++)
        keep(query, bind(query->statement, query->column++, values));
}

void query_reset(struct query *query) {
    if (!query->failed)
        keep(query, sqlite3_reset(query->statement));
    query->column = 1;
}

void query_insert(struct query *query) {
    if (!query->failed)
        query->failed = sqlite3_step(query->statement) != SQLITE_DONE;
    query_reset(query);
}

bool query_next(struct query *query) {
    if (query->failed)
        return false;
    int code = sqlite3_step(query->statement);
    query->failed = code != SQLITE_ROW && code != SQLITE_DONE;
    query->column = 0;
    query->row++;
    return code == SQLITE_ROW;
}

int query_find_column(struct query *query, const char *name) {
    int count = query->failed ? 0 : sqlite3_column_count(query->statement);
    for (int i = 0; i < count; i++) {
        int at = (query->column + i) % count;
        const char *is = sqlite3_column_name(query->statement, at);
        query->failed |= !is;
        if (is && strcmp(is, name) == 0)
            return at;
    }
    return -1;
}

/* Behind the last FROM. */
static const char *source_of(const char *sql) {
    const char *source = NULL;
    for (const char *at = sql; at && (at = strstr(at, "FROM ")); at++)
        source = at + strlen("FROM ");
    return source ? source : "";
}

/* The last FROM of the statement with what is bound to it, so that SELECT * FROM it finds the row.
 * A column below 0: the row as a whole. */
static void name_row(const struct query *query, int column, char *text, size_t size) {
    const char *name = column < 0 ? NULL : sqlite3_column_name(query->statement, column);
    char *sql = sqlite3_expanded_sql(query->statement);
    snprintf(text, size, "%s%s%srow %" PRId64 " of '%s'", name ? "column '" : "", name ? name : "",
             name ? "' in " : "", query->row, source_of(sql));
    sqlite3_free(sql);
}

/* What follows a failure, such as memory that ran out, says nothing about the file. */
static void damaged(struct query *query, int column) {
    struct query_damage *damage = query->damage;
    if (!query->failed && damage && !damage->found) {
        name_row(query, column, damage->where, sizeof damage->where);
        damage->found = true;
    }
    query->failed = true;
}

void query_damaged(struct query *query) {
    damaged(query, -1);
}

void query_damaged_column(struct query *query) {
    damaged(query, query->column - 1);
}

/* SQLite would make a number of any text. */
static bool is_type(struct query *query, int type, int other) {
    int is = sqlite3_column_type(query->statement, query->column);
    if (is != type && is != other)
        damaged(query, query->column);
    return is == type;
}

int64_t query_get_integer(struct query *query) {
    is_type(query, SQLITE_INTEGER, SQLITE_NULL);
    return sqlite3_column_int64(query->statement, query->column++);
}

int64_t query_get_within(struct query *query, int64_t least, int64_t most) {
    bool known = is_type(query, SQLITE_INTEGER, SQLITE_INTEGER);
    int64_t value = query_get_integer(query);
    if (known && value >= least && value <= most)
        return value;
    query_damaged_column(query);
    return least;
}

double query_get_double(struct query *query) {
    if (sqlite3_column_type(query->statement, query->column) == SQLITE_INTEGER)
        return (double)query_get_integer(query);
    bool known = is_type(query, SQLITE_FLOAT, SQLITE_NULL);
    double value = sqlite3_column_double(query->statement, query->column++);
    return known ? value : NAN;
}

uint64_t query_get_count(struct query *query) {
    return (uint64_t)query_get_within(query, 0, INT64_MAX);
}

bool query_skip_null(struct query *query) {
    bool null = sqlite3_column_type(query->statement, query->column) == SQLITE_NULL;
    query->column += null;
    return null;
}

const char *query_get_text(struct query *query, struct ct_arena *arena) {
    is_type(query, SQLITE_TEXT, SQLITE_NULL);
    int column = query->column++;
    const unsigned char *text = sqlite3_column_text(query->statement, column);
    if (!text) { /* null, or out of memory */
        query->failed |= sqlite3_column_type(query->statement, column) != SQLITE_NULL;
        return NULL;
    }
    char *copy = ct_arena_strdup(arena, (const char *)text);
    if (copy)
        ct_tame(copy);
    query->failed = query->failed || !copy;
    return copy;
}

const char *query_get_name(struct query *query, struct ct_arena *arena) {
    const char *text = query_get_text(query, arena);
    if (!text)
        query_damaged_column(query);
    return text ? text : "";
}

bool query_end(struct query *query) {
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    return !query->failed;
}

bool query_number(sqlite3 *db, const char *sql, int64_t *number, struct query_damage *damage) {
    struct query query = query_prepare(db, sql, damage);
    if (query_next(&query))
        *number = query_get_integer(&query);
    return query_end(&query);
}

bool query_has(sqlite3 *db, const char *name, bool *has) {
    struct query query =
        query_prepare(db, "SELECT count(*) FROM sqlite_master WHERE name = ?", NULL);
    query_bind(&query, name);
    *has = query_next(&query) && query_get_integer(&query) > 0;
    return query_end(&query);
}
