#include "format/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
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

/*
 * Without SQLite, which needs memory and a journal to look at a file: the bytes that it locks
 * (sqlite.org/fileformat2.html, section 1.10), and the header of a journal (section 3), which says
 * how many pages the file had before.
 */
enum { LOCKED_FROM = 0x40000000, LOCKED_BYTES = 512, PAGES_AT = 16 };
static const unsigned char journal_magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

static bool lock_out_others(int file) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_FROM, .l_len = LOCKED_BYTES};
    return fcntl(file, F_SETLK, &lock) == 0;
}

/* Whether whoever plays this journal back finds nothing in the file. */
static bool undoes_all(const char *journal) {
    static const unsigned char none[4];
    unsigned char header[PAGES_AT + sizeof none];
    int file = open(journal, O_RDONLY);
    bool undoes = file >= 0 && read(file, header, sizeof header) == sizeof header &&
                  memcmp(header, journal_magic, sizeof journal_magic) == 0 &&
                  memcmp(header + PAGES_AT, none, sizeof none) == 0;
    if (file >= 0)
        close(file);
    return undoes;
}

static void remove_if_empty(const char *path, const char *journal) {
    struct stat status;
    int file = open(path, O_RDWR);
    if (file < 0)
        return;
    if (lock_out_others(file) && fstat(file, &status) == 0 &&
        (status.st_size == 0 || undoes_all(journal))) {
        unlink(journal);
        unlink(path);
    }
    close(file);
}

int sqlite_file_open(const char *path, sqlite3 **db, int flags) {
    struct stat status;
    bool missing = lstat(path, &status) != 0;
    *db = NULL;
    char *plain = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
    int code = plain ? sqlite3_open_v2(plain, db, flags, NULL) : SQLITE_NOMEM;
    sqlite3_free(plain);
    if (code != SQLITE_OK && missing) /* memory may run out when it has just been made */
        remove_if_empty(path, "");
    return code;
}

void sqlite_file_give_up(sqlite3 *db, bool made) {
    const char *path = sqlite3_db_filename(db, "main");
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (made)
        remove_if_empty(path, sqlite3_filename_journal(path));
    else /* whoever looks at the file next plays back the journal that a failed write may leave */
        sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
}
