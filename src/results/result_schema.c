/*
 * The tables and views of the result store. Four tables take columns from lists: the numbers of a
 * report, and the parts of a job's time. Their columns are found by name, so that a store keeps its
 * meaning when the lists grow.
 */
#include "results/result_store_internal.h"

#include <stdlib.h>

struct column {
    char name[REPORT_FIELD_NAME];
    const char *type; /* NULL ends a list of a table's own */
};
enum { OWN_MOST = 10, COLUMNS_MOST = OWN_MOST + REPORT_COLUMNS_MOST + 2 * CT_BLAME_COUNT + 2 };

static const struct listed_table {
    const char *name;
    struct column own[OWN_MOST]; /* before those of the lists */
    const struct report_level *levels;
    bool blame;      /* the parts of a job's time, and of what sharing cost it */
    const char *end; /* what the table's definition ends with */
} tables[] = {
    [RESULT_TABLE_RUN] = {"run",
                          {{"number", "INTEGER PRIMARY KEY"},
                           {"key", "TEXT"},
                           {"config", "TEXT"},
                           {"replication", "INTEGER"},
                           {"purpose", "TEXT"}},
                          report_head,
                          false,
                          "); CREATE INDEX run_key ON run(key);"},
    [RESULT_TABLE_SYSTEM] =
        {"system", {{"run", "INTEGER PRIMARY KEY"}}, report_sections, false, ");"},
    [RESULT_TABLE_APP] = {"app",
                          {{"run", "INTEGER"}, {"position", "INTEGER"}},
                          report_of_app,
                          false,
                          ", PRIMARY KEY(run, position)) WITHOUT ROWID;"},
    [RESULT_TABLE_JOB] = {"job",
                          {{"run", "INTEGER"},
                           {"app", "INTEGER"},
                           {"instance", "INTEGER"},
                           {"number", "INTEGER"},
                           {"arrival_ps", "INTEGER"},
                           {"first_issue_ps", "INTEGER"},
                           {"end_ps", "INTEGER"},
                           {"requests", "INTEGER"},
                           {"until_ps", "INTEGER"}},
                          NULL,
                          true,
                          ", PRIMARY KEY(run, app, instance, number)) WITHOUT ROWID;"},
    [RESULT_TABLE_DIFFERENCE] = {"difference",
                                 {{"comparison", "INTEGER"}, {"position", "INTEGER"}},
                                 report_of_difference,
                                 false,
                                 ", PRIMARY KEY(comparison, position)) WITHOUT ROWID;"},
};

void result_blame_column(int part, char name[REPORT_FIELD_NAME]) {
    snprintf(name, REPORT_FIELD_NAME, "%s_ps", ct_blame_key(part));
}

void result_cost_column(int part, char name[REPORT_FIELD_NAME]) {
    snprintf(name, REPORT_FIELD_NAME, "sharing_%s_ps", ct_blame_key(part));
}

/* All columns of a table, in their order. Returns how many. */
static size_t list_columns(const struct listed_table *table, struct column columns[COLUMNS_MOST]) {
    struct report_column listed[REPORT_COLUMNS_MOST];
    size_t numbers = table->levels ? report_columns(table->levels, listed) : 0, count = 0;
    for (const struct column *own = table->own; own->type; own++)
        columns[count++] = *own;
    for (size_t i = 0; i < numbers; i++) {
        snprintf(columns[count].name, REPORT_FIELD_NAME, "%s", listed[i].name);
        columns[count++].type = listed[i].field->kind == REPORT_FIELD_TEXT ? "TEXT"
                                : report_field_is_integer(listed[i].field) ? "INTEGER"
                                                                           : "REAL";
    }
    if (!table->blame)
        return count;
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        result_blame_column(part, columns[count++].name);
    snprintf(columns[count++].name, REPORT_FIELD_NAME, RESULT_ALONE_COLUMN);
    snprintf(columns[count++].name, REPORT_FIELD_NAME, RESULT_SOLO_COLUMN);
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        result_cost_column(part, columns[count++].name);
    for (size_t i = count - 2 * CT_BLAME_COUNT - 2; i < count; i++)
        columns[i].type = "INTEGER";
    return count;
}

/* What was written into `*text`; NULL when memory ran out. */
static char *finish(FILE *out, char **text) {
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return *text;
    free(*text);
    return NULL;
}

struct query result_prepare_row(struct result_store *store, enum result_table table) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out)
        return (struct query){.failed = true};
    struct column columns[COLUMNS_MOST];
    size_t count = list_columns(&tables[table], columns);
    fprintf(out, "INSERT INTO %s(", tables[table].name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "", columns[i].name);
    for (size_t i = 0; i < count; i++)
        fputs(i ? ",?" : ") VALUES(?", out);
    fputs(")", out);
    sql = finish(out, &sql);
    if (!sql)
        return (struct query){.failed = true};
    struct query query = result_prepare(store, sql);
    free(sql);
    return query;
}

/* ---- Stores of earlier programs ---- */

struct extension {
    struct result_store *store;
    const char *table;
    bool add, lacks, failed;
};

static void look_for_column(struct extension *extension, const struct column *column) {
    char sql[2 * REPORT_FIELD_NAME + 64];
    if (extension->failed)
        return;
    struct query query = result_prepare(extension->store,
                                        "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?");
    query_bind(&query, extension->table, column->name);
    bool has = query_next(&query) && query_get_integer(&query) > 0;
    extension->failed = !query_end(&query);
    extension->lacks |= !has;
    if (has || extension->failed || !extension->add)
        return;
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %.63s %s", extension->table, column->name,
             column->type);
    extension->failed = result_execute(extension->store, sql) != SQLITE_OK;
}

static bool look_for_columns(struct extension *extension) {
    struct column columns[COLUMNS_MOST];
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++) {
        size_t count = list_columns(&tables[i], columns);
        extension->table = tables[i].name;
        for (size_t c = 0; c < count; c++)
            look_for_column(extension, &columns[c]);
    }
    return !extension->failed;
}

bool result_schema_extend(struct result_store *store) {
    struct extension extension = {.store = store};
    char version[64];
    if (!look_for_columns(&extension) || !extension.lacks)
        return !extension.failed;
    extension.add = true;
    snprintf(version, sizeof version, "PRAGMA user_version = %d; COMMIT", RESULT_STORE_SCHEMA);
    return result_execute(store, "BEGIN IMMEDIATE") == SQLITE_OK && look_for_columns(&extension) &&
           result_execute(store, "DROP VIEW IF EXISTS v_latency") == SQLITE_OK &&
           result_execute(store, result_sql_latency) == SQLITE_OK &&
           result_execute(store, version) == SQLITE_OK;
}

char *result_schema_sql(void) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++) {
        struct column columns[COLUMNS_MOST];
        size_t count = list_columns(&tables[i], columns);
        fprintf(out, "CREATE TABLE %s(", tables[i].name);
        for (size_t c = 0; c < count; c++)
            fprintf(out, "%s%s %s", c ? ", " : "", columns[c].name, columns[c].type);
        fputs(tables[i].end, out);
    }
    fprintf(out, "%s%s%sCREATE VIEW v_notes %s%s", result_sql_tables, result_sql_views,
            result_sql_latency, result_sql_notes, result_sql_decisions);
    return finish(out, &sql);
}
