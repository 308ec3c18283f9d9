#include "base/ct_sort.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"
#include "results/result_store_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int result_compare_places(struct result_place x, struct result_place y) {
    return ct_then(ct_order(x.app, y.app),
                   ct_then(ct_order(x.instance, y.instance), ct_order(x.job, y.job)));
}

int result_compare_jobs(const void *a, const void *b) {
    const struct result_job *x = a, *y = b;
    return result_compare_places(RESULT_PLACE(x, number), RESULT_PLACE(y, number));
}

int result_fail(struct result_store *store, const char *what, const char *outcome,
                struct ct_diags *diags) {
    const char *reason =
        store->damage.found ? "the file is damaged or cut off" : sqlite_file_reason(store->db);
    ct_error(diags, store->path, "cannot %s: %s%s%s%s", what, reason,
             *store->damage.where ? ": " : "", store->damage.where, outcome);
    return CT_DATA;
}

int result_execute(struct result_store *store, const char *sql) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

struct query result_prepare(struct result_store *store, const char *sql) {
    return query_prepare(store->db, sql, &store->damage);
}

/* A pragma's or query's one number. */
static bool read_number(struct result_store *store, const char *sql, int64_t *number) {
    return query_number(store->db, sql, number, &store->damage);
}

/* All tables, unless a second process made them first. */
static bool make_tables(struct result_store *store) {
    char ids[96];
    int64_t id = 0;
    if (!read_number(store, "PRAGMA application_id", &id))
        return false;
    if (id == RESULT_STORE_APPLICATION_ID)
        return true;
    char *schema = result_schema_sql();
    snprintf(ids, sizeof ids, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             RESULT_STORE_APPLICATION_ID, RESULT_STORE_SCHEMA);
    bool made = schema && result_execute(store, schema) == SQLITE_OK &&
                result_execute(store, ids) == SQLITE_OK;
    free(schema);
    return made;
}

/* SQLite notices a missing end only when it reads there. */
static bool check_length(struct result_store *store, struct ct_diags *diags) {
    struct stat status;
    int64_t pages = 0, page_size = 0;
    if (!read_number(store, "PRAGMA page_count", &pages) ||
        !read_number(store, "PRAGMA page_size", &page_size))
        return result_fail(store, "read it", "", diags) == CT_OK;
    if (stat(store->path, &status) != 0 || status.st_size >= pages * page_size)
        return true;
    ct_error(diags, store->path, "cannot read it: the file is damaged or cut off");
    return false;
}

static bool check_version(struct result_store *store, struct ct_diags *diags) {
    int64_t version = 0;
    if (!read_number(store, "PRAGMA user_version", &version))
        return result_fail(store, "read it", "", diags) == CT_OK;
    bool fits = version >= RESULT_STORE_OLDEST && version <= RESULT_STORE_SCHEMA;
    if (!fits)
        ct_error(diags, store->path,
                 "was written by %s cotenant: result schema %" PRId64
                 ", this one reads schemas %d to %d",
                 version > RESULT_STORE_SCHEMA ? "a newer" : "an older", version,
                 RESULT_STORE_OLDEST, RESULT_STORE_SCHEMA);
    return fits;
}

/* Reads two numbers of one moment: another process may be making the store just now. */
static bool read_identity(struct result_store *store, int64_t *id, int64_t *pages) {
    return result_execute(store, "BEGIN") == SQLITE_OK &&
           read_number(store, "PRAGMA application_id", id) &&
           read_number(store, "PRAGMA page_count", pages) &&
           result_execute(store, "COMMIT") == SQLITE_OK;
}

/* Said before a long run, not after it: a file that may not be written, a folder that takes no
 * journal. Nothing is changed; who writes just now will have ended. */
static bool check_writable(struct result_store *store, struct ct_diags *diags) {
    char same[96];
    snprintf(same, sizeof same, "BEGIN IMMEDIATE; PRAGMA user_version = %d; ROLLBACK",
             RESULT_STORE_SCHEMA);
    if (access(store->path, W_OK) != 0) {
        ct_file_error(diags, store->path, "write to it", errno);
        return false;
    }
    sqlite3_busy_timeout(store->db, 0);
    int code = result_execute(store, same) & 0xff;
    sqlite3_busy_timeout(store->db, SQLITE_LOCK_WAIT_MS);
    return code == SQLITE_OK || code == SQLITE_BUSY ||
           result_fail(store, "write to it", "", diags) == CT_OK;
}

/* What an earlier program wrote lacks the columns of numbers that came later. */
static bool extend(struct result_store *store, struct ct_diags *diags) {
    if (result_schema_extend(store))
        return true;
    result_fail(store, "add columns to it", "; earlier results are intact", diags);
    if (!sqlite3_get_autocommit(store->db))
        result_execute(store, "ROLLBACK");
    return false;
}

/* An empty file becomes a store when it is to be written; anything else must be one. */
static bool check_store(struct result_store *store, enum result_mode mode, struct ct_diags *diags) {
    int64_t id = 0, pages = 0;
    if (!read_identity(store, &id, &pages)) {
        if ((sqlite3_errcode(store->db) & 0xff) == SQLITE_NOTADB)
            ct_error(diags, store->path, "not a result store: it is no SQLite file");
        else
            result_fail(store, "read it", "", diags);
        return false;
    }
    store->empty = pages == 0 && mode == RESULT_WRITE;
    if (store->empty)
        return true;
    if (id != RESULT_STORE_APPLICATION_ID) {
        ct_error(diags, store->path, "not a result store: %s",
                 pages == 0 ? "the file is empty"
                 : id == TRACE_STORE_APPLICATION_ID
                     ? "it is a trace store, which 'cotenant trace show' reads"
                     : "it is another program's SQLite file");
        return false;
    }
    return check_version(store, diags) && check_length(store, diags) &&
           (mode == RESULT_READ || (check_writable(store, diags) && extend(store, diags)));
}

static bool open_file(struct result_store *store, enum result_mode mode, struct ct_diags *diags) {
    int flags =
        mode == RESULT_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (mode == RESULT_READ && access(store->path, F_OK) != 0) {
        ct_file_error(diags, store->path, "open it", errno);
        return false;
    }
    if (!sqlite_file_fits(store->path, diags))
        return false;
    int code = sqlite_file_open(store->path, &store->db, flags, diags);
    if (code != SQLITE_OK && code != SQLITE_AUTH) {
        int reason = store->db
                         ? sqlite_file_open_reason(store->path, sqlite3_system_errno(store->db))
                         : ENOMEM;
        ct_error(diags, store->path, "cannot open it: %s",
                 reason ? strerror(reason) : sqlite3_errmsg(store->db));
    }
    return code == SQLITE_OK;
}

/* The file that has its place now. Where that cannot be, the first write says what is wrong. */
static bool open_again(struct result_store *store) {
    struct result_store again = {.path = store->path, .made = access(store->path, F_OK) != 0};
    struct ct_diags unsaid = {0};
    bool opened = open_file(&again, RESULT_WRITE, &unsaid);
    if (opened && check_store(&again, RESULT_WRITE, &unsaid)) {
        sqlite3_close(store->db);
        store->db = again.db;
        store->empty = again.empty;
        store->made |= again.made;
    } else {
        sqlite3_close(again.db);
        opened = false;
    }
    ct_diags_free(&unsaid);
    return opened;
}

/* A store that somebody else had made, and left empty, may have gone with them. */
bool result_begin(struct result_store *store) {
    bool begun;
    if (store->together)
        return true;
    do
        begun = result_execute(store, "BEGIN IMMEDIATE") == SQLITE_OK;
    while (store->empty && sqlite_file_is_gone(store->db) && open_again(store));
    return begun && (!store->empty ||
                     (make_tables(store) && (!store->sweeps || result_sweep_tables(store))));
}

struct result_store *result_store_open(const char *path, enum result_mode mode,
                                       struct ct_diags *diags) {
    struct result_store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        ct_out_of_memory(diags);
        return NULL;
    }
    bool made = mode == RESULT_WRITE && access(path, F_OK) != 0;
    bool opened = open_file(store, mode, diags);
    store->made = opened && made;
    if (opened && check_store(store, mode, diags))
        return store;
    result_store_close(store);
    return NULL;
}

void result_store_close(struct result_store *store) {
    if (!store)
        return;
    if (store->made)
        sqlite_file_give_up(store->db, true);
    sqlite3_close(store->db);
    free(store->chosen);
    free(store->path);
    free(store);
}
