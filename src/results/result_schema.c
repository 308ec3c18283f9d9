/*
 * The tables and views of the result store. Four tables take columns from lists: the numbers of a
 * report, and the parts of a job's time. Their columns are found by name, so that a store keeps its
 * meaning when the lists grow.
 */
#include "results/result_store_internal.h"

#include <stdlib.h>

/* A column and its type, to whoever walks over those of a table. */
typedef void column_function(void *context, const char *name, const char *type);

struct own_column {
    const char *name, *type; /* NULL ends the list */
};

static const struct listed_table {
    const char *name;
    struct own_column own[10]; /* before those of the lists */
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

static void walk_columns(const struct listed_table *table, column_function *column, void *context) {
    struct report_column listed[REPORT_COLUMNS_MOST];
    char name[REPORT_FIELD_NAME];
    size_t count = table->levels ? report_columns(table->levels, listed) : 0;
    for (const struct own_column *own = table->own; own->name; own++)
        column(context, own->name, own->type);
    for (size_t i = 0; i < count; i++)
        column(context, listed[i].name,
               listed[i].field->kind == REPORT_FIELD_TEXT ? "TEXT"
               : report_field_is_integer(listed[i].field) ? "INTEGER"
                                                          : "REAL");
    for (int part = 0; table->blame && part < CT_BLAME_COUNT; part++) {
        result_blame_column(part, name);
        column(context, name, "INTEGER");
    }
    if (table->blame) {
        column(context, RESULT_ALONE_COLUMN, "INTEGER");
        column(context, RESULT_SOLO_COLUMN, "INTEGER");
    }
    for (int part = 0; table->blame && part < CT_BLAME_COUNT; part++) {
        result_cost_column(part, name);
        column(context, name, "INTEGER");
    }
}

/* Columns on their way into a statement. */
struct listing {
    FILE *out;
    int count;
};

static void write_definition(void *context, const char *name, const char *type) {
    struct listing *listing = context;
    fprintf(listing->out, "%s%s %s", listing->count++ ? ", " : "", name, type);
}

static void write_name(void *context, const char *name, const char *type) {
    struct listing *listing = context;
    (void)type;
    fprintf(listing->out, "%s%s", listing->count++ ? ", " : "", name);
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
    struct listing listing = {out, 0};
    fprintf(out, "INSERT INTO %s(", tables[table].name);
    walk_columns(&tables[table], write_name, &listing);
    fputs(") VALUES(?", out);
    for (int i = 1; i < listing.count; i++)
        fputs(",?", out);
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

static void look_for_column(void *context, const char *name, const char *type) {
    struct extension *extension = context;
    char sql[2 * REPORT_FIELD_NAME + 64];
    if (extension->failed)
        return;
    struct query query = result_prepare(extension->store,
                                        "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?");
    query_bind(&query, extension->table, name);
    bool has = query_next(&query) && query_get_integer(&query) > 0;
    extension->failed = !query_end(&query);
    extension->lacks |= !has;
    if (has || extension->failed || !extension->add)
        return;
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s %s", extension->table, name, type);
    extension->failed = result_execute(extension->store, sql) != SQLITE_OK;
}

static bool look_for_columns(struct extension *extension) {
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++) {
        extension->table = tables[i].name;
        walk_columns(&tables[i], look_for_column, extension);
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
        fprintf(out, "CREATE TABLE %s(", tables[i].name);
        walk_columns(&tables[i], write_definition, &(struct listing){out, 0});
        fputs(tables[i].end, out);
    }
    fprintf(out, "%s%s%sCREATE VIEW v_notes %s%s", result_sql_tables, result_sql_views,
            result_sql_latency, result_sql_notes, result_sql_decisions);
    return finish(out, &sql);
}
