/* Statements on an SQLite database: a running column to bind or to read, the first failure kept,
 * and where a row stands that makes no sense. */
#ifndef QUERY_H
#define QUERY_H

#include "base/ct_arena.h"
#include "format/value.h"

#include <sqlite3.h>

/* The first row of a database that made no sense. */
struct query_damage {
    bool found;
    char where[400]; /* "column 'stp' in row 1 of 'system WHERE run = 1'", where it is known */
};

/* A statement under way. The first failure is kept, later calls do nothing. */
struct query {
    struct query_damage *damage; /* of the database; NULL: nobody asks */
    sqlite3_stmt *statement;
    int column;  /* next to bind (from 1) or to read (from 0) */
    int64_t row; /* that was read last, from 1 */
    bool failed;
};

struct query query_prepare(sqlite3 *db, const char *sql, struct query_damage *damage);
/* "INSERT INTO table VALUES(?, ?, ...)" */
struct query query_prepare_insert(sqlite3 *db, const char *table, int columns);

/* Binds the next columns: texts, numbers and whole numbers; no text, and NAN, are null. */
#define query_bind(query, ...) query_bind_values(query, VALUES(__VA_ARGS__))
void query_bind_values(struct query *query, const struct value *values);
/* One row from what was bound, then ready for the next; or from these values. */
void query_insert(struct query *query);
#define query_add(query, ...) (query_bind(query, __VA_ARGS__), query_insert(query))

bool query_next(struct query *query);  /* a row to read */
void query_reset(struct query *query); /* to be bound again */
/* Where a column of this name is, the next one first; -1: there is none. */
int query_find_column(struct query *query, const char *name);

/* The value of the next column. A value of another type, or out of range, is damage to the
 * database, and the query fails. */
int64_t query_get_integer(struct query *query); /* null: 0 */
int64_t query_get_within(struct query *query, int64_t least, int64_t most);
uint64_t query_get_count(struct query *query);                           /* not negative */
double query_get_double(struct query *query);                            /* null: NAN */
const char *query_get_text(struct query *query, struct ct_arena *arena); /* null: NULL */
const char *query_get_name(struct query *query, struct ct_arena *arena); /* never null */
bool query_skip_null(struct query *query); /* whether it is null, and is read with that */
/* The row makes no sense, or the column of it that was read last. */
void query_damaged(struct query *query);
void query_damaged_column(struct query *query);

/* Ends the statement; false when it, or a call on it, failed. */
bool query_end(struct query *query);

/* The number that a statement gives first; it stays as it was when there is no row. False when the
 * statement failed. */
bool query_number(sqlite3 *db, const char *sql, int64_t *number, struct query_damage *damage);

/* Whether there is a table or view of this name; false when that cannot be told. */
bool query_has(sqlite3 *db, const char *name, bool *has);

#endif
