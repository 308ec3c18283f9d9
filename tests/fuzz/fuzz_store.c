#include "fuzz.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINES = 64, LINE_SIZE = 512, MOST_STEPS = 2000, MOST_OFFSET = 1 << 20 };

static void run(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return; /* what SQLite refuses changes nothing */
}

static sqlite3 *open_store(const char *path) {
    sqlite3 *db = NULL;
    FUZZ_OWES(sqlite3_open(path, &db) == SQLITE_OK);
    run(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
    return db;
}

struct fuzz_store fuzz_store_take(const char *path) {
    struct fuzz_store store = {0};
    sqlite3 *db = open_store(path);
    run(db, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, "
            "' NOT NULL', ''), ' UNIQUE', '') WHERE type = 'table' AND name NOT IN (SELECT "
            "tbl_name FROM sqlite_schema WHERE type = 'index')");
    sqlite3_close(db);
    FILE *file = fopen(path, "rb");
    FUZZ_OWES(file && fseek(file, 0, SEEK_END) == 0);
    store.size = (size_t)ftell(file);
    store.bytes = malloc(store.size);
    rewind(file);
    FUZZ_OWES(store.bytes && fread(store.bytes, 1, store.size, file) == store.size);
    fclose(file);
    return store;
}

/* No other file, and nothing that takes long. */
static int permit(void *context, int action, const char *a, const char *b, const char *c,
                  const char *d) {
    (void)context;
    (void)b;
    (void)c;
    (void)d;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
        return SQLITE_DENY;
    bool size = action == SQLITE_PRAGMA && a && strstr(a, "page_size");
    return size ? SQLITE_DENY : SQLITE_OK;
}

static int enough(void *context) {
    return --*(int *)context < 0;
}

/* The next number of a line, up to `most`; -1: none. */
static long take_number(const char **line, long most) {
    char *end;
    long number = strtol(*line, &end, 10);
    bool found = end != *line && number >= 0 && number <= most;
    *line = end;
    return found ? number : -1;
}

static void set_byte(const char *path, const char *numbers) {
    long offset = take_number(&numbers, MOST_OFFSET), value = take_number(&numbers, 255);
    FILE *file = fopen(path, "r+b");
    FUZZ_OWES(file);
    if (offset >= 0 && value >= 0 && fseek(file, offset, SEEK_SET) == 0)
        fputc((int)value, file);
    fclose(file);
}

static void edit_bytes(const char *path, const char *line) {
    if (strncmp(line, "BYTE ", 5) == 0) {
        set_byte(path, line + 5);
        return;
    }
    line += 4;
    long size = take_number(&line, MOST_OFFSET);
    FUZZ_OWES(size < 0 || truncate(path, size) == 0);
}

static bool next_line(const uint8_t **data, size_t *size, char line[LINE_SIZE]) {
    size_t length = 0;
    if (!*size)
        return false;
    while (length < *size && (*data)[length] != '\n')
        length++;
    size_t kept = length < LINE_SIZE - 1 ? length : LINE_SIZE - 1;
    memcpy(line, *data, kept);
    line[kept] = '\0';
    length += length < *size;
    *data += length;
    *size -= length;
    return true;
}

static bool is_of_bytes(const char *line) {
    return strncmp(line, "BYTE ", 5) == 0 || strncmp(line, "CUT ", 4) == 0;
}

static void edit(const char *path, const uint8_t *data, size_t size) {
    char line[LINE_SIZE];
    int steps = MOST_STEPS;
    sqlite3 *db = open_store(path);
    sqlite3_set_authorizer(db, permit, NULL);
    sqlite3_progress_handler(db, 100, enough, &steps);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 16);
    for (int i = 0; i < MOST_LINES && next_line(&data, &size, line); i++)
        if (!is_of_bytes(line))
            run(db, line);
    sqlite3_close(db);
}

const char *fuzz_store_edit(const struct fuzz_store *store, const char *name, const uint8_t *data,
                            size_t size) {
    char line[LINE_SIZE], journal[600];
    const char *path = fuzz_file(name, store->bytes, store->size);
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(journal);
    edit(path, data, size);
    for (int i = 0; i < MOST_LINES && next_line(&data, &size, line); i++)
        if (is_of_bytes(line))
            edit_bytes(path, line);
    return path;
}

bool fuzz_store_spoiled(const char *edited, const uint8_t *data, size_t size) {
    char line[LINE_SIZE], table[64], column[64], sql[2 * LINE_SIZE];
    sqlite3_stmt *query = NULL;
    if (!next_line(&data, &size, line) || size ||
        sscanf(line, "UPDATE %63s SET %63s = ", table, column) != 2)
        return false;
    sqlite3 *db = open_store(edited);
    /* Numbers that policies make up can be any. */
    snprintf(
        sql, sizeof sql,
        "SELECT EXISTS (SELECT 1 FROM pragma_table_info('%s') AS c JOIN %s AS t WHERE"
        " c.name = '%s' AND c.type IN ('INTEGER', 'REAL') AND (typeof(t.%s) IN ('text', 'blob')"
        " OR (c.type = 'REAL' AND abs(t.%s) BETWEEN 1e31 AND 1e308 AND '%s' NOT IN"
        " ('counter', 'decision', 'decision_note', 'sample'))))",
        table, table, column, column, column, table);
    bool spoiled = sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK &&
                   sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return spoiled;
}

void fuzz_import_edited(struct fuzz_store *store, const char *sql,
                        const struct import_format *format, const uint8_t *data, size_t size) {
    if (!store->bytes) {
        const char *path = fuzz_path("export.sqlite");
        sqlite3 *db;
        FUZZ_OWES(sqlite3_open(path, &db) == SQLITE_OK);
        FUZZ_OWES(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
        sqlite3_close(db);
        *store = fuzz_store_take(path);
    }
    const char *edited = fuzz_store_edit(store, "edited.sqlite", data, size);
    fuzz_import_file(format, edited, size ? data[size - 1] : 0);
}
