#include "sqlite_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sqlite_file_fits(const char *path, struct ct_diags *diags) {
    struct stat status;
    if (*path && (stat(path, &status) != 0 || S_ISREG(status.st_mode)))
        return true;
    if (!*path || S_ISDIR(status.st_mode))
        ct_file_error(diags, path, "open it", *path ? EISDIR : ENOENT);
    else
        ct_error(diags, path, "cannot open it: a device or a pipe holds no store");
    return false;
}

int sqlite_file_open(const char *path, sqlite3 **db, int flags) {
    *db = NULL;
    char *plain = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
    int code = plain ? sqlite3_open_v2(plain, db, flags, NULL) : SQLITE_NOMEM;
    sqlite3_free(plain);
    return code;
}

/* A journal that is read-only is opened for reading, and then written to. */
static const char *reason_of_disk(int system_error) {
    return system_error == EBADF ? "its journal is read-only"
           : system_error        ? strerror(system_error)
                                 : "the disk refuses (full, or a size limit?)";
}

const char *sqlite_file_reason(sqlite3 *db) {
    switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "the file is damaged or cut off";
    case SQLITE_FULL:
        return "no space left on the disk";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program keeps it locked";
    case SQLITE_READONLY:
        return sqlite3_extended_errcode(db) == SQLITE_READONLY_DBMOVED
                   ? "it was moved or deleted meanwhile"
                   : "it or its folder, which takes a journal, is read-only";
    case SQLITE_CANTOPEN:
        return "its journal cannot be opened";
    case SQLITE_IOERR:
        return reason_of_disk(sqlite3_system_errno(db));
    case SQLITE_OK:
        return "out of memory";
    default:
        return sqlite3_errmsg(db);
    }
}

/* Whether there is no table; false also when it cannot be read. */
static bool is_empty(sqlite3 *db) {
    sqlite3_stmt *tables = NULL;
    bool empty =
        sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master", -1, &tables, NULL) == SQLITE_OK &&
        sqlite3_step(tables) == SQLITE_DONE;
    sqlite3_finalize(tables);
    return empty;
}

/* After a failed write SQLite leaves a journal, which whoever looks at the file next plays back. To
 * begin on an empty file writes one, for which there may be no space: it stays in memory. */
void sqlite_file_give_up(sqlite3 *db, bool made) {
    static const char *const lock_out = "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE";
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_busy_timeout(db, 0);
    if (is_empty(db) && made && sqlite3_exec(db, lock_out, NULL, NULL, NULL) == SQLITE_OK &&
        is_empty(db))
        unlink(sqlite3_db_filename(db, "main"));
}
