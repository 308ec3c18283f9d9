/* Rows of a database that belong to rows of another table: who asks for those of an owner would
 * leave out the ones whose owner is a text, nothing, or not there. */
#ifndef SQLITE_LINK_H
#define SQLITE_LINK_H

#include <sqlite3.h>
#include <stdbool.h>

struct sqlite_link {
    const char *table, *column; /* whose values are */
    const char *owner, *number; /* those of this table's column */
    bool indexed; /* the column begins an index: its values are gone through without the rows */
};

/* SQLITE_OK: every row has its owner, or the table is not there. SQLITE_CORRUPT: one has none.
 * Another code: what SQLite says. */
int sqlite_link_check(sqlite3 *db, const struct sqlite_link *link);

#endif
