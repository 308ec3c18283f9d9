/* What trace stores and result stores owe the files that they lie in. */
#ifndef SQLITE_FILE_H
#define SQLITE_FILE_H

#include "base/ct_diag.h"

#include <sqlite3.h>

/* How long a store waits for another program's transaction. */
enum { SQLITE_LOCK_WAIT_MS = 60000 };

/* Whether a store can lie at `path`; false, with an error, for a folder, a device or a pipe. (To
 * read the header of a pipe would wait for somebody to write.) */
bool sqlite_file_fits(const char *path, struct ct_diags *diags);

/*
 * sqlite3_open_v2, to which a path is a path: ":memory:" and "file:..." mean files, too. What a
 * writer that was killed left half done is rolled back first. Nothing else is written where only
 * reading was asked for, not even the files that SQLite makes beside one with a write-ahead log.
 *
 * A file may come from a stranger: its views and triggers do nothing, its schema calls no function
 * that has side effects, and a statement of unreasonable length is given up. SQLITE_AUTH, with an
 * error and no `*db`: its tables are programs (virtual, or with computed columns), its journal
 * would have another file deleted, or is none; or a log holds changes, which a reader would put in.
 */
int sqlite_file_open(const char *path, sqlite3 **db, int flags, struct ct_diags *diags);

/* Opens a database that lies in memory, and stays there and unchanged until it is closed; to be
 * read with the distrust of sqlite_file_open, and with its codes. */
int sqlite_file_serve(const char *path, const void *content, size_t size, sqlite3 **db,
                      struct ct_diags *diags);

/* Whether an SQLite file in gz begins there; false, too, when the file cannot be read. */
bool sqlite_file_is_packed(const char *path);

/* Opens one for reading, of which SQLite gets what comes out in memory, with the distrust of
 * sqlite_file_open and its codes: SQLITE_AUTH, with an error and no `*db`, also where it is cut
 * off, damaged, or unpacks to too much. */
int sqlite_file_open_packed(const char *path, sqlite3 **db, struct ct_diags *diags);

/* Why SQLite's last call on a file that was opened failed, in words. */
const char *sqlite_file_reason(sqlite3 *db);

/* A better errno than `reason`, with which SQLite failed to make the file at `path`: it tries once
 * more without making it, and then knows only that it is not there (ENOENT). */
int sqlite_file_open_reason(const char *path, int reason);

/*
 * After a write that failed: gives up what is under way, and leaves the file as it was before. One
 * that was `made` is taken away, with everybody else locked out and only if nothing is in it, since
 * another program may have filled it meanwhile.
 */
void sqlite_file_give_up(sqlite3 *db, bool made);

/* Takes away a store that was made, with its journal, if nothing is in it or its first transaction
 * is under way, and nobody else's. A signal handler may call it before the program ends at once. */
void sqlite_file_remove_empty(const char *path);

/* Whether its file has another name than it was opened by, or none: who had made it has taken it
 * away. Asked within a transaction that writes, it does not go any more where it is there. */
bool sqlite_file_is_gone(sqlite3 *db);

#endif
