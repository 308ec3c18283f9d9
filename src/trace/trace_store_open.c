#include "trace/trace_store_open.h"

#include "base/ct_files.h"
#include "format/query.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"
#include "trace/trace_schema.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

int trace_store_failed(sqlite3 *store, const char *path, struct ct_diags *diags) {
    int code = sqlite3_errcode(store);
    if (code == SQLITE_NOMEM || code == SQLITE_OK ||
        code == SQLITE_ROW) /* nothing of SQLite's failed */
        return ct_out_of_memory(diags);
    if (code == SQLITE_CANTOPEN && sqlite3_system_errno(store))
        ct_file_error(diags, path, "open it",
                      sqlite_file_open_reason(path, sqlite3_system_errno(store)));
    else
        ct_error(diags, path, "the trace store cannot be used: %s", sqlite_file_reason(store));
    return CT_DATA;
}

/* Whether the file is a trace store, whole and of our schema. */
static bool check_header(const struct sqlite_header *header, const char *path,
                         struct ct_diags *diags) {
    if (!header->sqlite)
        return ct_false_error(diags, path, "not a trace store: not an SQLite file");
    if (header->bytes < header->promised)
        return ct_false_error(
            diags, path, "truncated: %" PRId64 " of %" PRId64 " bytes%s are there", header->bytes,
            header->promised, header->bytes < SQLITE_HEADER_BYTES ? " of its header" : "");
    if (header->application_id != TRACE_STORE_APPLICATION_ID)
        return ct_false_error(
            diags, path, "not a trace store, but %s",
            header->application_id == RESULT_STORE_APPLICATION_ID
                ? "a result store: 'cotenant report' reads it"
            : header->application_id == 0
                ? "another SQLite file: 'import nsys' reads Nsight Systems exports"
                : "another SQLite file");
    if (header->user_version != TRACE_STORE_SCHEMA)
        return ct_false_error(
            diags, path, "was written by %s: trace schema %" PRIu32 ", this one reads schema %d",
            header->user_version > TRACE_STORE_SCHEMA ? "a newer cotenant"
                                                      : "no cotenant that is known",
            header->user_version, TRACE_STORE_SCHEMA);
    return true;
}

static bool check_file(const char *path, enum trace_store_mode mode, struct ct_diags *diags) {
    struct sqlite_header header;
    bool read = sqlite_header_read(path, &header);
    if (mode == TRACE_STORE_WRITE && (read ? header.bytes == 0 : errno == ENOENT))
        return true;
    if (!read)
        ct_file_error(diags, path, "open it", errno);
    else if (header.bytes == 0)
        ct_error(diags, path, "not a trace store: the file is empty");
    return read && header.bytes > 0 && check_header(&header, path, diags);
}

/* What became of opening it: NULL, with an error, unless it did. */
static sqlite3 *opened(sqlite3 *store, int code, const char *path, struct ct_diags *diags) {
    if (code == SQLITE_OK)
        return store;
    if (store)
        trace_store_failed(store, path, diags);
    else if (code != SQLITE_AUTH)
        ct_out_of_memory(diags);
    sqlite3_close(store);
    return NULL;
}

/* A store that the caller has in memory. */
static sqlite3 *open_served(const char *path, const void *content, size_t size,
                            struct ct_diags *diags) {
    struct sqlite_header header = sqlite_header_of(content, size);
    sqlite3 *store = NULL;
    if (!check_header(&header, path, diags))
        return NULL;
    int code = sqlite_file_serve(path, content, size, &store, diags);
    return opened(store, code, path, diags);
}

sqlite3 *trace_store_open(const char *path, enum trace_store_mode mode, struct ct_diags *diags) {
    size_t size;
    const void *content =
        mode == TRACE_STORE_READ ? ct_files_content(diags->files, path, &size) : NULL;
    if (content)
        return open_served(path, content, size, diags);
    if (!sqlite_file_fits(path, diags))
        return NULL;
    sqlite3 *store = NULL;
    bool missing = access(path, F_OK) != 0;
    int code =
        sqlite_file_open(path, &store,
                         mode == TRACE_STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                   : SQLITE_OPEN_READONLY,
                         diags);
    store = opened(store, code, path, diags);
    if (store && check_file(path, mode, diags))
        return store;
    if (store && missing)
        sqlite_file_give_up(store, true);
    sqlite3_close(store);
    return NULL;
}

/* The header is not read from the file here: closing it would give up SQLite's locks. */
int trace_store_begin(sqlite3 *store, const char *path, bool *fresh, struct ct_diags *diags) {
    int64_t tables = 0, id = 0, version = 0;
    *fresh = false;
    if (sqlite3_exec(store, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
        !query_number(store, "SELECT count(*) FROM sqlite_master", &tables, NULL) ||
        !query_number(store, "PRAGMA application_id", &id, NULL) ||
        !query_number(store, "PRAGMA user_version", &version, NULL))
        return trace_store_failed(store, path, diags);
    const struct sqlite_header header = {
        .sqlite = true, .application_id = (uint32_t)id, .user_version = (uint32_t)version};
    *fresh = tables == 0 && id == 0;
    return *fresh || check_header(&header, path, diags) ? CT_OK : CT_DATA;
}
