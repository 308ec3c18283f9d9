/* SQLite files in gz: SQLite reads none, and gets what comes out of one in memory. */
#ifndef SQLITE_PACKED_H
#define SQLITE_PACKED_H

#include "base/ct_diag.h"

#include <sqlite3.h>

/* Whether an SQLite file in gz begins there; false, too, when the file cannot be read. */
bool sqlite_packed_is(const char *path);

/* Opens one for reading, with the distrust of sqlite_file_open and its codes: SQLITE_AUTH, with an
 * error and no `*db`, also where it is cut off, damaged, or unpacks to too much. */
int sqlite_packed_open(const char *path, sqlite3 **db, struct ct_diags *diags);

#endif
