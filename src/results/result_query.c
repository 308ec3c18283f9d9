/* Statements with a running column and the first failure kept. */
#include "base/ct_tame.h"
#include "format/sqlite_row.h"
#include "results/result_store_internal.h"

#include <string.h>

int result_execute(struct result_store *store, const char *sql) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

struct result_query result_prepare(struct result_store *store, const char *sql) {
    struct result_query query = {.store = store, .column = 1};
    query.failed = sqlite3_prepare_v2(store->db, sql, -1, &query.statement, NULL) != SQLITE_OK;
    return query;
}

static void keep(struct result_query *query, int code) {
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

void result_bind_values(struct result_query *query, const struct value *values) {
    for (; values->kind != VALUE_END && !query->failed; values++)
        keep(query, bind(query->statement, query->column++, values));
}

void result_insert(struct result_query *query) {
    if (query->failed)
        return;
    if (sqlite3_step(query->statement) != SQLITE_DONE)
        query->failed = true;
    else
        keep(query, sqlite3_reset(query->statement));
    query->column = 1;
}

bool result_next(struct result_query *query) {
    if (query->failed)
        return false;
    int code = sqlite3_step(query->statement);
    query->failed = code != SQLITE_ROW && code != SQLITE_DONE;
    query->column = 0;
    query->row++;
    return code == SQLITE_ROW;
}

int result_find_column(struct result_query *query, const char *name) {
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

/* What follows a failure, such as memory that ran out, says nothing about the file. */
static void damaged(struct result_query *query, int column) {
    struct result_store *store = query->store;
    if (!query->failed && !store->damaged)
        sqlite_row_name(query->statement, column, query->row, store->damage, sizeof store->damage);
    store->damaged |= !query->failed;
    query->failed = true;
}

void result_damaged(struct result_query *query) {
    damaged(query, -1);
}

void result_damaged_column(struct result_query *query) {
    damaged(query, query->column - 1);
}

/* SQLite would make a number of any text. */
static bool is_type(struct result_query *query, int type, int other) {
    int is = sqlite3_column_type(query->statement, query->column);
    if (is != type && is != other)
        damaged(query, query->column);
    return is == type;
}

int64_t result_get_integer(struct result_query *query) {
    is_type(query, SQLITE_INTEGER, SQLITE_NULL);
    return sqlite3_column_int64(query->statement, query->column++);
}

int64_t result_get_within(struct result_query *query, int64_t least, int64_t most) {
    bool known = is_type(query, SQLITE_INTEGER, SQLITE_INTEGER);
    int64_t value = result_get_integer(query);
    if (known && value >= least && value <= most)
        return value;
    result_damaged_column(query);
    return least;
}

int64_t result_get_known(struct result_query *query) {
    if (sqlite3_column_type(query->statement, query->column) == SQLITE_NULL) {
        query->column++;
        return REPORT_UNKNOWN;
    }
    return result_get_integer(query);
}

ct_time_ps result_get_time(struct result_query *query, ct_time_ps least) {
    bool null = sqlite3_column_type(query->statement, query->column) == SQLITE_NULL;
    if (null && least == RESULT_NEVER)
        return result_get_known(query);
    return result_get_within(query, least, CT_TIME_NEVER - 1);
}

double result_get_double(struct result_query *query) {
    if (sqlite3_column_type(query->statement, query->column) == SQLITE_INTEGER)
        return (double)result_get_integer(query);
    bool known = is_type(query, SQLITE_FLOAT, SQLITE_NULL);
    double value = sqlite3_column_double(query->statement, query->column++);
    return known ? value : NAN;
}

double result_get_of_kind(struct result_query *query, enum report_field_kind kind) {
    double value = result_get_double(query);
    if (!report_field_can_be(kind, value))
        result_damaged_column(query);
    return value;
}

const char *result_get_text(struct result_query *query, struct ct_arena *arena) {
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

const char *result_get_name(struct result_query *query, struct ct_arena *arena) {
    const char *text = result_get_text(query, arena);
    if (!text)
        result_damaged_column(query);
    return text ? text : "";
}

int result_get_blame(struct result_query *query) {
    is_type(query, SQLITE_TEXT, SQLITE_TEXT);
    const unsigned char *text = sqlite3_column_text(query->statement, query->column++);
    return text ? ct_blame_find((const char *)text) : -1;
}

bool result_end(struct result_query *query) {
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    return !query->failed;
}

bool result_has(struct result_store *store, const char *name, bool *has) {
    struct result_query query =
        result_prepare(store, "SELECT count(*) FROM sqlite_master WHERE name = ?");
    result_bind(&query, name);
    *has = result_next(&query) && result_get_integer(&query) > 0;
    return result_end(&query);
}
