#include "format/sqlite_file.h"

#include "base/ct_files.h"
#include "format/query.h"
#include "format/sqlite_header.h"
#include "format/unpack_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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

int sqlite_file_open_reason(const char *path, int reason) {
    const char *slash = strrchr(path, '/');
    if (reason != ENOENT)
        return reason;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder && access(folder, W_OK) != 0)
        reason = errno;
    free(folder);
    return reason;
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
    case SQLITE_INTERRUPT:
        return "the file is not what it should be: a look at it takes too many steps";
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

void sqlite_file_remove_empty(const char *path) {
    static const char ending[] = "-journal";
    char journal[PATH_MAX + sizeof ending];
    struct stat status;
    size_t length = strlen(path);
    int file = length < PATH_MAX ? open(path, O_RDWR) : -1;
    if (file < 0)
        return;
    memcpy(journal, path, length);
    memcpy(journal + length, ending, sizeof ending);
    if (lock_out_others(file) && fstat(file, &status) == 0 &&
        (status.st_size == 0 || undoes_all(journal))) {
        unlink(journal);
        unlink(path);
    }
    close(file);
}

bool sqlite_file_is_gone(sqlite3 *db) {
    int gone = 0;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &gone) == SQLITE_OK && gone;
}

/* A file NAME-journal, which SQLite plays back, or takes for its own, and then deletes. */
struct journal {
    bool hot;          /* it may have to be played back */
    const char *fault; /* why SQLite must not see it; NULL: it may */
};

/*
 * Whoever plays back a journal that names a super-journal deletes the file of that name, whatever
 * it is. It ends then with the name's length, a checksum and the magic number again; any other ends
 * with a page's checksum or zeros (sqlite.org/fileformat2.html, section 3). No store of ours is
 * part of such a transaction. Until it counts, a journal begins with zeros.
 */
static struct journal look_at_journal(const char *path) {
    struct stat status;
    unsigned char begin[sizeof journal_magic] = {0}, end[sizeof journal_magic] = {0};
    struct journal journal = {0};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        journal.fault = "the file beside it whose name ends in '-journal' is no journal";
        return journal;
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        return journal;
    size_t got = fread(begin, 1, sizeof begin, file);
    journal.hot = got == sizeof begin && memcmp(begin, journal_magic, sizeof begin) == 0;
    if (fseek(file, -(long)sizeof end, SEEK_END) == 0 && fread(end, sizeof end, 1, file) == 1 &&
        memcmp(end, journal_magic, sizeof end) == 0)
        journal.fault = "SQLite would delete the file that its journal names (no store of cotenant "
                        "has such a journal)";
    else if (!journal.hot && begin[0])
        journal.fault = "SQLite would delete the file beside it whose name ends in '-journal', "
                        "which is no journal";
    fclose(file);
    return journal;
}

/* Computed columns run expressions of the file's, virtual tables what is built into SQLite. Of a
 * file that cannot be read, whoever reads it says why. The list is asked for once: SQLite parses
 * every view for it. */
static bool computes(sqlite3 *db) {
    static const char sql[] =
        "SELECT count(*) FROM pragma_table_list AS t WHERE type = 'virtual' OR (type = 'table' AND"
        " EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE hidden > 1))";
    int64_t programs = 0;
    return query_number(db, sql, &programs, NULL) && programs > 0;
}

/* Instructions of a statement that reads: some 10 s of them. Reading every row of a file of this
 * size takes less than half; of a larger one a reader may well take longer. */
enum { MOST_INSTRUCTIONS = 1000000000, LIMITED_BYTES = 16 << 20 };

static int give_up(void *unused) {
    (void)unused;
    return 1;
}

/* Beyond what any store has: texts, statements of its schema and what they are made into. */
static const struct limit {
    int what, most;
} limits[] = {{SQLITE_LIMIT_LENGTH, 256 << 20},
              {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
              {SQLITE_LIMIT_EXPR_DEPTH, 200},
              {SQLITE_LIMIT_VDBE_OP, 1000000},
              {SQLITE_LIMIT_ATTACHED, 0}};

static void distrust(sqlite3 *db) {
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW};
    for (size_t i = 0; i < CT_COUNT_OF(off); i++)
        sqlite3_db_config(db, off[i], 0, NULL);
    for (size_t i = 0; i < CT_COUNT_OF(limits); i++)
        sqlite3_limit(db, limits[i].what, limits[i].most);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

static void limit_reading(sqlite3 *db, int64_t bytes) {
    if (bytes < LIMITED_BYTES)
        sqlite3_progress_handler(db, MOST_INSTRUCTIONS, give_up, NULL);
}

/* One thread at a time uses a connection, which need not lock itself at every column. */
static int open_connection(const char *name, sqlite3 **db, int flags) {
    return sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

static int open_plain(const char *path, sqlite3 **db, int flags) {
    *db = NULL;
    char *plain = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
    int code = plain ? open_connection(plain, db, flags) : SQLITE_NOMEM;
    sqlite3_free(plain);
    if (code == SQLITE_OK)
        sqlite3_busy_timeout(*db, SQLITE_LOCK_WAIT_MS);
    return code;
}

/* As SQLite's readers are told that nobody writes: they make no files beside it then. */
static int open_unchanging(const char *path, sqlite3 **db) {
    sqlite3_str *name = sqlite3_str_new(NULL);
    sqlite3_str_appendall(name, *path == '/' ? "file:" : "file:./");
    for (; *path; path++)
        sqlite3_str_appendf(name, "%%%02x", (unsigned char)*path);
    sqlite3_str_appendall(name, "?immutable=1");
    char *uri = sqlite3_str_finish(name);
    int code =
        uri ? open_connection(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) : SQLITE_NOMEM;
    sqlite3_free(uri);
    return code;
}

/* The first who looks at the file and may write to it plays back the journal. */
static void play_back(const char *path) {
    sqlite3 *db;
    if (open_plain(path, &db, SQLITE_OPEN_READWRITE) == SQLITE_OK)
        sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
    sqlite3_close(db);
}

static int refuse(sqlite3 **db, struct ct_diags *diags, const char *path, const char *why) {
    ct_error(diags, path, "not opened: %s", why);
    sqlite3_close(*db);
    *db = NULL;
    return SQLITE_AUTH;
}

static int refuse_programs(sqlite3 **db, struct ct_diags *diags, const char *path) {
    distrust(*db);
    return computes(*db)
               ? refuse(db, diags, path,
                        "it has virtual tables or computed columns, and no such store has")
               : SQLITE_OK;
}

/* Before SQLite looks at the file, at which links end. */
static int prepare_reading(const char *path, sqlite3 **db, struct ct_diags *diags) {
    const char *file = sqlite3_db_filename(*db, "main");
    struct sqlite_header header;
    bool read = sqlite_header_read(file, &header);
    if (read && header.sqlite && look_at_journal(sqlite3_filename_journal(file)).hot)
        play_back(path);
    if (read && header.wal && access(sqlite3_filename_wal(file), F_OK) == 0)
        return refuse(db, diags, path,
                      "changes to it lie in the file beside it whose name ends in '-wal' ('PRAGMA "
                      "journal_mode = DELETE' of its program puts them in)");
    int code = SQLITE_OK;
    if (read && header.wal) {
        sqlite3_close(*db);
        code = open_unchanging(path, db);
    }
    if (read && code == SQLITE_OK)
        limit_reading(*db, header.bytes);
    return code;
}

int sqlite_file_open(const char *path, sqlite3 **db, int flags, struct ct_diags *diags) {
    struct stat status;
    bool missing = lstat(path, &status) != 0;
    int code = open_plain(path, db, flags);
    if (code != SQLITE_OK && missing) /* memory may run out when it has just been made */
        sqlite_file_remove_empty(path);
    if (code != SQLITE_OK)
        return code;
    ct_files_note(diags->files, path);
    const char *file = sqlite3_db_filename(*db, "main");
    const char *fault = look_at_journal(sqlite3_filename_journal(file)).fault;
    if (fault)
        return refuse(db, diags, path, fault);
    if (flags & SQLITE_OPEN_READONLY)
        code = prepare_reading(path, db, diags);
    return code == SQLITE_OK ? refuse_programs(db, diags, path) : code;
}

/* `owned`: to be freed by SQLite, whatever happens. */
static int serve(const char *path, unsigned char *content, size_t size, bool owned, sqlite3 **db,
                 struct ct_diags *diags) {
    unsigned flags = SQLITE_DESERIALIZE_READONLY | (owned ? SQLITE_DESERIALIZE_FREEONCLOSE : 0u);
    int code = open_connection(":memory:", db, SQLITE_OPEN_READWRITE);
    if (code == SQLITE_OK)
        code = sqlite3_deserialize(*db, "main", content, (sqlite3_int64)size, (sqlite3_int64)size,
                                   flags);
    else if (owned)
        sqlite3_free(content);
    if (code != SQLITE_OK)
        return code;
    limit_reading(*db, (int64_t)size);
    return refuse_programs(db, diags, path);
}

int sqlite_file_serve(const char *path, const void *content, size_t size, sqlite3 **db,
                      struct ct_diags *diags) {
    /* SQLite takes a pointer to what it might write; it is told that it must not. */
    return serve(path, (unsigned char *)(uintptr_t)content, size, false, db, diags);
}

void sqlite_file_give_up(sqlite3 *db, bool made) {
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (made)
        sqlite_file_remove_empty(sqlite3_db_filename(db, "main"));
    else /* whoever looks at the file next plays back the journal that a failed write may leave */
        sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
}

/* ---- in gz ---- */

enum { CHUNK_BYTES = 1 << 20 };
#define MOST_BYTES UINT64_C(2147483391) /* SQLite hands out no larger piece of memory */

/* What has come out of a file, in memory of SQLite's. */
struct content {
    unsigned char *bytes;
    uint64_t size, room;
};

bool sqlite_file_is_packed(const char *path) {
    unsigned char begin[SQLITE_HEADER_BYTES];
    gzFile file = gzopen(path, "rb");
    int got = file ? gzread(file, begin, sizeof begin) : 0;
    bool packed = got > 0 && !gzdirect(file) && sqlite_header_of(begin, (size_t)got).sqlite;
    if (file)
        gzclose(file);
    return packed;
}

static bool grow(struct content *content, const char *path, struct ct_diags *diags) {
    uint64_t room = content->room ? 2 * content->room : CHUNK_BYTES;
    room = room < MOST_BYTES ? room : MOST_BYTES;
    if (content->room == MOST_BYTES)
        return ct_false_error(diags, path,
                              "unpacks to more than 2 GB, which are not read from gz: unpack it");
    unsigned char *more = sqlite3_realloc64(content->bytes, room);
    if (!more) {
        ct_out_of_memory(diags);
        return false;
    }
    content->bytes = more;
    content->room = room;
    return true;
}

/* Whether the end was reached in order; an error if not. */
static bool unpack(gzFile file, struct content *content, const char *path, struct ct_diags *diags) {
    int got = 1, code = Z_OK;
    while (got > 0) {
        if (content->size == content->room && !grow(content, path, diags))
            return false;
        uint64_t left = content->room - content->size;
        got = gzread(file, content->bytes + content->size,
                     left < CHUNK_BYTES ? (unsigned)left : CHUNK_BYTES);
        content->size += got > 0 ? (uint64_t)got : 0;
        if (unpack_is_too_much(file, content->size))
            return ct_false_error(diags, path, "%s", UNPACK_TOO_MUCH);
    }
    gzerror(file, &code);
    if (got < 0 || code == Z_BUF_ERROR)
        ct_error(diags, path, "the compressed data is cut off or damaged");
    return got == 0 && code != Z_BUF_ERROR;
}

static bool is_whole(const struct content *content, const char *path, struct ct_diags *diags) {
    struct sqlite_header header = sqlite_header_of(content->bytes, content->size);
    if (header.bytes < header.promised)
        ct_error(diags, path, "is cut off: %" PRId64 " of %" PRId64 " bytes, unpacked",
                 header.bytes, header.promised);
    return header.bytes >= header.promised;
}

int sqlite_file_open_packed(const char *path, sqlite3 **db, struct ct_diags *diags) {
    struct content content = {0};
    gzFile file = gzopen(path, "rb");
    *db = NULL;
    if (!file) {
        ct_file_error(diags, path, "open it", errno ? errno : ENOMEM);
        return SQLITE_AUTH;
    }
    ct_files_note(diags->files, path);
    bool good = unpack(file, &content, path, diags) && is_whole(&content, path, diags);
    gzclose(file);
    if (good) {
        sqlite_header_forget_log(content.bytes, content.size);
        return serve(path, content.bytes, content.size, true, db, diags);
    }
    sqlite3_free(content.bytes);
    return SQLITE_AUTH;
}
