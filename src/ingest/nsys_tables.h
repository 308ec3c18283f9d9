/*
 * Tables of an Nsight Systems SQLite export, row by row: columns by name (versions add, drop and
 * reorder them), values checked for their type, errors with file, table and row.
 */
#ifndef NSYS_TABLES_H
#define NSYS_TABLES_H

#include "base/ct_diag.h"

#include <sqlite3.h>

/* Whether the file begins like a SQLite file; false, too, when it cannot be read. */
bool nsys_is_sqlite(const char *path);

/* Opens a SQLite file read-only. NULL, with an error recorded, when it cannot be opened or is cut
 * off. */
sqlite3 *nsys_open(const char *path, struct ct_diags *diags);

/* One scan over a table. Zero-initialise, set db, path and diags; ends with nsys_scan_end. */
struct nsys_scan {
    sqlite3 *db;
    const char *path;
    struct ct_diags *diags;
    const char *table;
    const char *const *columns;
    sqlite3_stmt *statement;
    uint64_t row;
    bool bad_row; /* a value of this row was no number or out of range */
    bool broken;  /* the scan ended with an error, which is recorded */
};

/* 1 when the table is there, 0 when not, -1 with an error recorded. */
int nsys_has_table(struct nsys_scan *scan, const char *table);

/*
 * Starts a scan of `count` columns. A column whose name begins with "?" reads as NULL where the
 * table lacks it; any other must be there. False with an error recorded.
 */
bool nsys_scan_begin(struct nsys_scan *scan, const char *table, const char *const *columns,
                     size_t count);

/* The next row; false at the end and when the file is damaged (`broken`). */
bool nsys_scan_next(struct nsys_scan *scan);

/* Integer of column i, `fallback` for NULL. Another type, or outside [least, most]: an error, and
 * `bad_row`. */
int64_t nsys_scan_int(struct nsys_scan *scan, int i, int64_t fallback, int64_t least, int64_t most);
bool nsys_scan_null(const struct nsys_scan *scan, int i);

/* Text of column i until the next row; NULL for NULL. */
const char *nsys_scan_text(struct nsys_scan *scan, int i);

/* "file: TABLE row 12" */
void nsys_scan_where(const struct nsys_scan *scan, char *text, size_t size);
void nsys_scan_end(struct nsys_scan *scan);

#endif
