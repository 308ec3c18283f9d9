#include "format/sqlite_link.h"

#include "format/query.h"

#include <stddef.h>

/* 1: a row has no owner. */
static char *question(const struct sqlite_link *l) {
    if (l->look == SQLITE_LINK_ENDS)
        return sqlite3_mprintf(
            "SELECT EXISTS (SELECT 1 FROM %s WHERE %s IS NULL) OR ifnull((SELECT min(%s) FROM %s) <"
            " (SELECT min(%s) FROM %s), 0) OR ifnull((SELECT max(%s) FROM %s) >"
            " (SELECT max(%s) FROM %s), 0)",
            l->table, l->column, l->column, l->table, l->number, l->owner, l->column, l->table,
            l->number, l->owner);
    if (l->look == SQLITE_LINK_ROWS)
        return sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM %s AS t WHERE NOT EXISTS"
                               " (SELECT 1 FROM %s WHERE %s = t.%s))",
                               l->table, l->owner, l->number, l->column);
    return sqlite3_mprintf(
        "WITH RECURSIVE value(x) AS (SELECT min(%s) FROM %s UNION ALL"
        " SELECT (SELECT min(%s) FROM %s WHERE %s > x) FROM value WHERE x NOT NULL)"
        " SELECT EXISTS (SELECT 1 FROM %s WHERE %s IS NULL) OR EXISTS"
        " (SELECT 1 FROM value WHERE x NOT NULL AND NOT EXISTS (SELECT 1 FROM %s WHERE %s = x))",
        l->column, l->table, l->column, l->table, l->column, l->table, l->column, l->owner,
        l->number);
}

int sqlite_link_check(sqlite3 *db, const struct sqlite_link *link) {
    int64_t orphans = 0;
    int code =
        sqlite3_table_column_metadata(db, NULL, link->table, NULL, NULL, NULL, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return code == SQLITE_ERROR ? SQLITE_OK : code;
    char *sql = question(link);
    bool asked = sql && query_number(db, sql, &orphans, NULL);
    sqlite3_free(sql);
    return asked ? (orphans ? SQLITE_CORRUPT : SQLITE_OK)
           : sql ? sqlite3_errcode(db)
                 : SQLITE_NOMEM;
}
