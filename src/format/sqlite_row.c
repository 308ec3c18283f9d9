#include "format/sqlite_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Behind the last FROM. */
static const char *source_of(const char *sql) {
    const char *source = NULL;
    for (const char *at = sql; at && (at = strstr(at, "FROM ")); at++)
        source = at + strlen("FROM ");
    return source ? source : "";
}

void sqlite_row_name(sqlite3_stmt *query, int column, int64_t row, char *text, size_t size) {
    const char *name = column < 0 ? NULL : sqlite3_column_name(query, column);
    char *sql = sqlite3_expanded_sql(query);
    snprintf(text, size, "%s%s%srow %" PRId64 " of '%s'", name ? "column '" : "", name ? name : "",
             name ? "' in " : "", row, source_of(sql));
    sqlite3_free(sql);
}
