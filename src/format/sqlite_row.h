/* Where in a database a number stands that makes no sense. */
#ifndef SQLITE_ROW_H
#define SQLITE_ROW_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* "column 'stp' in row 1 of 'system WHERE run = 1'": the last FROM of the statement with what is
 * bound to it, so that SELECT * FROM it finds the row; rows count from 1. A column below 0: the row
 * as a whole. */
void sqlite_row_name(sqlite3_stmt *query, int column, int64_t row, char *text, size_t size);

#endif
