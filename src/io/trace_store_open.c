#include "trace_store_open.h"

#include "file_reason.h"
#include "trace_schema.h"
#include "trace_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_BYTES = 100, LOCK_WAIT_MS = 5000 };

int trace_store_failed(sqlite3 *store, const char *path, struct ct_diags *diags) {
    int code = sqlite3_errcode(store);
    if (code == SQLITE_NOMEM || code == SQLITE_OK) /* nothing of SQLite's failed */
        return ct_out_of_memory(diags);
    if (code == SQLITE_BUSY)
        ct_error(diags, path, "the trace store is in use by another program");
    else if (code == SQLITE_CANTOPEN && sqlite3_system_errno(store))
        ct_error(diags, path, "cannot be opened: %s",
                 strerror(file_reason(path, sqlite3_system_errno(store))));
    else if (code == SQLITE_FULL)
        ct_error(diags, path, "no space is left for the trace store");
    else
        ct_error(diags, path, "the trace store cannot be used: %s", sqlite3_errmsg(store));
    return CT_DATA;
}

bool trace_store_integer(sqlite3 *store, const char *sql, int64_t *number) {
    sqlite3_stmt *query = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store, sql, -1, &query, NULL) == SQLITE_OK)
        step = sqlite3_step(query);
    if (step == SQLITE_ROW)
        *number = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return step == SQLITE_ROW || step == SQLITE_DONE;
}

static uint32_t big_endian(const unsigned char *bytes, int count) {
    uint32_t number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Offsets: SQLite's file format, "The Database Header". */
static bool header_is_whole(const unsigned char *header, long size, const char *path,
                            struct ct_diags *diags) {
    if (memcmp(header, "SQLite format 3", 16) != 0) {
        ct_error(diags, path, "not a trace store: not an SQLite file");
        return false;
    }
    int64_t page = (int64_t)big_endian(header + 16, 2);
    int64_t expected = (page == 1 ? 65536 : page) * (int64_t)big_endian(header + 28, 4);
    if (size < expected) {
        ct_error(diags, path, "truncated: %ld of %lld bytes are there", size, (long long)expected);
        return false;
    }
    if (big_endian(header + 68, 4) != TRACE_STORE_APPLICATION_ID) {
        ct_error(diags, path, "not a trace store, but another SQLite file%s",
                 big_endian(header + 68, 4) == 0 ? ": 'import nsys' reads Nsight Systems exports"
                                                 : "");
        return false;
    }
    int64_t version = (int64_t)big_endian(header + 60, 4);
    if (version != TRACE_STORE_SCHEMA) {
        ct_error(diags, path, "written by a newer version: schema %lld, this one knows %d",
                 (long long)version, TRACE_STORE_SCHEMA);
        return false;
    }
    return true;
}

/* Looks at the file without SQLite, which would take much for a database. */
static bool check_file(const char *path, enum trace_store_mode mode, bool *fresh,
                       struct ct_diags *diags) {
    unsigned char header[HEADER_BYTES] = {0};
    FILE *file = fopen(path, "rb");
    *fresh = false;
    if (!file) {
        *fresh = errno == ENOENT && mode == TRACE_STORE_WRITE;
        if (*fresh)
            return true;
        ct_error(diags, path, "cannot be opened: %s", strerror(errno));
        return false;
    }
    size_t got = fread(header, 1, sizeof header, file);
    if (ferror(file)) {
        ct_error(diags, path, "cannot be read: %s", strerror(errno));
        fclose(file);
        return false;
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    *fresh = size == 0 && mode == TRACE_STORE_WRITE;
    if (*fresh)
        return true;
    if (size <= 0 || (got < sizeof header && memcmp(header, "SQLite format 3", 16) == 0)) {
        ct_error(diags, path, size == 0 ? "not a trace store: the file is empty" : "truncated");
        return false;
    }
    return header_is_whole(header, size, path, diags);
}

static sqlite3 *open_and_wait(const char *path, int flags, struct ct_diags *diags) {
    sqlite3 *store = NULL;
    if (sqlite3_open_v2(path, &store, flags, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(store, LOCK_WAIT_MS);
        return store;
    }
    if (store)
        trace_store_failed(store, path, diags);
    else
        ct_out_of_memory(diags);
    sqlite3_close(store);
    return NULL;
}

/* A writer that was killed leaves a journal: the first reader puts the file back as it was before.
 */
static bool recover(const char *path, struct ct_diags *diags) {
    size_t size = strlen(path) + sizeof "-journal";
    char *journal = malloc(size);
    if (!journal)
        return ct_out_of_memory(diags), false;
    snprintf(journal, size, "%s-journal", path);
    bool there = access(journal, F_OK) == 0;
    free(journal);
    if (!there)
        return true;
    sqlite3 *store = open_and_wait(path, SQLITE_OPEN_READWRITE, diags);
    int64_t version;
    if (store) /* any look at the file does it; what is wrong with the file is told afterwards */
        trace_store_integer(store, "PRAGMA schema_version", &version);
    sqlite3_close(store);
    return store != NULL;
}

/* Also for reading the file is opened for writing where that is allowed: a writer may be killed
 * just now. */
sqlite3 *trace_store_open(const char *path, enum trace_store_mode mode, bool *fresh,
                          struct ct_diags *diags) {
    if (!recover(path, diags) || !check_file(path, mode, fresh, diags))
        return NULL;
    int create = mode == TRACE_STORE_WRITE ? SQLITE_OPEN_CREATE : 0;
    return open_and_wait(path, SQLITE_OPEN_READWRITE | create, diags);
}

int trace_store_probe(const char *path, struct ct_diags *diags) {
    bool fresh, missing = access(path, F_OK) != 0;
    sqlite3 *store = trace_store_open(path, TRACE_STORE_WRITE, &fresh, diags);
    sqlite3_close(store);
    if (store && missing)
        unlink(path);
    return store ? CT_OK : CT_DATA;
}
