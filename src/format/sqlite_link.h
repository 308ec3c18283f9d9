/* Rows of a database that belong to rows of another table: who asks for those of an owner would
 * leave out the ones whose owner is a text, nothing, or not there. */
#ifndef SQLITE_LINK_H
#define SQLITE_LINK_H

#include <sqlite3.h>

/* What is looked at: every row; or, of a column that begins an index, every value of it, or the
 * least and the greatest, which costs nothing and sees what is no number. */
enum sqlite_link_look { SQLITE_LINK_ROWS, SQLITE_LINK_VALUES, SQLITE_LINK_ENDS };

struct sqlite_link {
    const char *table, *column; /* whose values are */
    const char *owner, *number; /* those of this table's column */
    enum sqlite_link_look look;
};

/* SQLITE_OK: every row has its owner, or the table is not there. SQLITE_CORRUPT: one has none.
 * Another code: what SQLite says. */
int sqlite_link_check(sqlite3 *db, const struct sqlite_link *link);

#endif
