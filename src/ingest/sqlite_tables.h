/*
 * Tables of a profiler's SQLite file, row by row: columns by name (versions add, drop and reorder
 * them), values checked for their type, errors with file, table and row.
 */
#ifndef SQLITE_TABLES_H
#define SQLITE_TABLES_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_types.h"
#include "base/ct_vec.h"

#include <sqlite3.h>

/* Whether the file, gz or not, begins like a SQLite file; false, too, when it cannot be read. */
bool sqlite_tables_recognised(const char *path);

/* Opens a SQLite file, gz or not, read-only. NULL, with an error recorded, when it cannot be opened
 * or is cut off. */
sqlite3 *sqlite_tables_open(const char *path, struct ct_diags *diags);

/* One scan over a table. Zero-initialise, set db, path and diags; ends with sqlite_scan_end. */
struct sqlite_scan {
    sqlite3 *db;
    const char *path;
    struct ct_diags *diags;
    int64_t base_ns; /* from which times count: our 0 */
    const char *table;
    sqlite3_stmt *statement; /* NULL: the table is absent */
    uint64_t row;
    bool bad_row;           /* a value of this row was no number or out of range */
    struct ct_arena mended; /* texts of this scan that had a character 0 */
    bool broken;            /* the scan ended with an error, which is recorded */
};

/* 1 when the table is there, 0 when not, -1 with an error recorded. */
int sqlite_tables_has(struct sqlite_scan *scan, const char *table);

/* Opens one to look what it holds. NULL: it is none, or whoever reads it will say what is wrong. */
sqlite3 *sqlite_tables_look(const char *path);

/* Whether there is a table whose name begins so; false of NULL, and when it cannot be read. */
bool sqlite_tables_holds(sqlite3 *db, const char *beginning);

/*
 * The table behind `name` among those whose names begin so, in the order of their names; "" for the
 * first. 1 with the name in `name`, 0 when there is none, -1 with an error recorded.
 */
int sqlite_tables_next(struct sqlite_scan *scan, const char *beginning, char *name, size_t size);

/*
 * Starts a scan of columns, whose names have blanks between them. A column whose name begins with
 * "?" reads as NULL where the table lacks it; any other must be there. A table that is absent has
 * no rows.
 */
void sqlite_scan_begin(struct sqlite_scan *scan, const char *table, const char *columns);

/* The next row; false at the end and after an error (`broken`). */
bool sqlite_scan_next(struct sqlite_scan *scan);

/* Integer of column i, `fallback` for NULL. Another type, or outside [least, most]: an error, and
 * `bad_row`. */
int64_t sqlite_scan_int(struct sqlite_scan *scan, int i, int64_t fallback, int64_t least,
                        int64_t most);
/* Any integer. */
int64_t sqlite_scan_any(struct sqlite_scan *scan, int i, int64_t fallback);
/* A time of the row, in picoseconds from `base_ns` on. Outside the simulator's range: an error, and
 * `bad_row`, and 0. */
ct_time_ps sqlite_scan_time(struct sqlite_scan *scan, int64_t ns);
/* Two such times. An end before the start: an error, `bad_row`, and the start. */
struct sqlite_span {
    ct_time_ps begin_ps, end_ps;
};
struct sqlite_span sqlite_scan_span(struct sqlite_scan *scan, int64_t start_ns, int64_t end_ns);
bool sqlite_scan_null(const struct sqlite_scan *scan, int i);

/* Text of column i until the next row, with '?' for each character 0, which would cut it; NULL for
 * NULL, or after an error. */
const char *sqlite_scan_text(struct sqlite_scan *scan, int i);

/* "file: TABLE row 12" */
void sqlite_scan_where(const struct sqlite_scan *scan, char *text, size_t size);
/* False: an error is recorded. */
bool sqlite_scan_end(struct sqlite_scan *scan);

/* What a table says of each of its numbers. Zero-initialise; free with sqlite_names_free. */
struct sqlite_name {
    int64_t id, number;
    const char *text; /* NULL: none */
};
struct sqlite_names {
    CT_VEC(struct sqlite_name);
    struct ct_arena arena;
};

/* Adds what the scan's row says; false where that is wrong, or memory ran out (recorded). */
bool sqlite_names_add(struct sqlite_names *names, struct sqlite_scan *scan, int64_t id,
                      int64_t number, const char *text);
/* Before they are looked up. */
void sqlite_names_sort(struct sqlite_names *names);
/* NULL: there is none. */
const struct sqlite_name *sqlite_names_find(const struct sqlite_names *names, int64_t id);
void sqlite_names_free(struct sqlite_names *names);

#endif
