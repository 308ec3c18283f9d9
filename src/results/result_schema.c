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

static const char *type_of(const struct report_field *field) {
    if (field->kind == REPORT_FIELD_TEXT)
        return "TEXT";
    return report_field_is_integer(field) ? "INTEGER" : "REAL";
}

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
        column(context, listed[i].name, type_of(listed[i].field));
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

static void write_table(FILE *out, const struct listed_table *table) {
    fprintf(out, "CREATE TABLE %s(", table->name);
    walk_columns(table, write_definition, &(struct listing){out, 0});
    fputs(table->end, out);
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

/* The latency of a job that has not ended is its age, a lower bound. */
#define LATENCY_VIEW                                                                               \
    "CREATE VIEW v_latency AS SELECT run.number AS run, policy, replication, app.name AS app,"     \
    " instance, job.number AS job, arrival_ps / 1e12 AS arrival_s,"                                \
    " (ifnull(end_ps, until_ps) - arrival_ps) / 1e9 AS latency_ms,"                                \
    " (end_ps - first_issue_ps) / 1e9 AS service_ms, end_ps IS NULL AS unfinished"                 \
    " FROM job JOIN run ON run.number = job.run"                                                   \
    " JOIN app ON app.run = job.run AND app.position = job.app;"

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
    static const char view[] = "DROP VIEW IF EXISTS v_latency; " LATENCY_VIEW;
    if (!look_for_columns(&extension) || !extension.lacks)
        return !extension.failed;
    extension.add = true;
    snprintf(version, sizeof version, "PRAGMA user_version = %d; COMMIT", RESULT_STORE_SCHEMA);
    return result_execute(store, "BEGIN IMMEDIATE") == SQLITE_OK && look_for_columns(&extension) &&
           result_execute(store, view) == SQLITE_OK && result_execute(store, version) == SQLITE_OK;
}

static const char fixed_tables[] =
    "CREATE TABLE member(pool INTEGER, position INTEGER, run INTEGER,"
    " PRIMARY KEY(pool, position)) WITHOUT ROWID;"
    "CREATE INDEX member_run ON member(run);"
    "CREATE TABLE device(run INTEGER, position INTEGER, key TEXT, value TEXT,"
    " PRIMARY KEY(run, position)) WITHOUT ROWID;"
    "CREATE TABLE counter(run INTEGER, position INTEGER, key TEXT, value REAL,"
    " PRIMARY KEY(run, position)) WITHOUT ROWID;"
    "CREATE TABLE notice(run INTEGER, position INTEGER, text TEXT,"
    " PRIMARY KEY(run, position)) WITHOUT ROWID;"
    "CREATE TABLE blame(run INTEGER, app INTEGER, position INTEGER, cause TEXT, ms REAL,"
    " PRIMARY KEY(run, app, position)) WITHOUT ROWID;"
    "CREATE TABLE blame_matrix(run INTEGER, app INTEGER, position INTEGER, delayed_by TEXT, ms "
    "REAL,"
    " PRIMARY KEY(run, app, position)) WITHOUT ROWID;"
    "CREATE TABLE comparison(number INTEGER PRIMARY KEY);"
    "CREATE TABLE comparison_run(comparison INTEGER, position INTEGER, run INTEGER,"
    " PRIMARY KEY(comparison, position)) WITHOUT ROWID;"
    "CREATE TABLE job_delay(run INTEGER, app INTEGER, instance INTEGER, job INTEGER,"
    " delayed_by INTEGER, ps INTEGER, PRIMARY KEY(run, app, instance, job, delayed_by))"
    " WITHOUT ROWID;"
    "CREATE TABLE kernel(number INTEGER PRIMARY KEY, name TEXT UNIQUE);"
    "CREATE TABLE task(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, task INTEGER,"
    " stream INTEGER, kind INTEGER, direction INTEGER, sm_group INTEGER, share INTEGER,"
    " blocks INTEGER, bytes INTEGER, ready_ps INTEGER, issued_ps INTEGER, queued_ps INTEGER,"
    " started_ps INTEGER, ended_ps INTEGER, kernel INTEGER,"
    " PRIMARY KEY(run, app, instance, job, task)) WITHOUT ROWID;"
    "CREATE TABLE decision_note(run INTEGER, decision INTEGER, position INTEGER, key TEXT,"
    " value REAL, PRIMARY KEY(run, decision, position)) WITHOUT ROWID;"
    "CREATE TABLE sample(run INTEGER, position INTEGER, time_ps INTEGER, name TEXT, unit TEXT,"
    " app INTEGER, value REAL, PRIMARY KEY(run, position)) WITHOUT ROWID;";

static const char views[] =
    "CREATE VIEW v_p99 AS SELECT run.number AS run, workload, gpu, policy, seed, reps, replication,"
    " app.name AS app, jobs, latency_ms_p99 AS p99_ms, latency_ms_p99_ci95_low AS p99_ms_low,"
    " latency_ms_p99_ci95_high AS p99_ms_high, qos_ms, p99_over_qos, late_fraction, qos_met,"
    " overloaded FROM run JOIN app ON app.run = run.number ORDER BY run.number, app.position;"
    "CREATE VIEW v_blame AS SELECT run.number AS run, policy, replication, app.name AS app, cause,"
    " ms, 100.0 * ms / (SELECT sum(ms) FROM blame AS b WHERE b.run = blame.run AND"
    " b.app = blame.app) AS percent FROM blame JOIN run ON run.number = blame.run"
    " JOIN app ON app.run = blame.run AND app.position = blame.app"
    " ORDER BY run.number, app.position, blame.position;" LATENCY_VIEW;

/* Clients are numbered in the order of the workload: all instances of an application, then the next
 * one's. */
static const char client_view[] =
    "CREATE VIEW v_clients AS SELECT run, position AS app_number, name AS app, role,"
    " sum(instances) OVER before - instances AS first_client,"
    " sum(instances) OVER before - 1 AS last_client FROM app"
    " WINDOW before AS (PARTITION BY run ORDER BY position);";

/* A hold ends when another reason holds its task, or that is issued. What held it, and whose, is
 * what was noted first. Notes that the views know have a meaning for every policy (ct_policy.h,
 * CT_NOTE_). */
static const char hold_view[] =
    "CREATE VIEW v_holds AS WITH"
    " step AS (SELECT decision.*, verb, key0, lead(time_ps) OVER later AS until_ps,"
    " max(CASE verb WHEN 'issue' THEN decision.number END) OVER whole AS issue,"
    " max(CASE verb WHEN 'issue' THEN time_ps END) OVER whole AS issued_ps,"
    " sum(verb = 'hold') OVER whole AS holds"
    " FROM decision JOIN decision_kind ON decision_kind.number = kind"
    " WHERE verb IN ('hold', 'issue')"
    " WINDOW whole AS (PARTITION BY run, app, instance, job, task),"
    " later AS (PARTITION BY run, app, instance, job, task ORDER BY decision.number))"
    " SELECT hold.run AS run, policy, replication, app.name AS app, hold.instance AS instance,"
    " hold.job AS job, hold.task AS task, kernel.name AS kernel, hold.number AS decision,"
    " hold.time_ps / 1e9 AS held_from_ms, hold.issued_ps / 1e9 AS issued_ms,"
    " (hold.until_ps - hold.time_ps) / 1e9 AS held_ms, key0 AS reason, value0 AS number,"
    " CASE WHEN key0 GLOB '*_ps' THEN value0 / 1e9 END AS number_ms,"
    " (SELECT value / 1e9 FROM v_notes AS n WHERE n.run = hold.run AND"
    " n.decision IN (hold.number, hold.issue) AND n.key IN ('" CT_NOTE_HELD_PREDICTION
    "', '" CT_NOTE_ISSUE_PREDICTION "') LIMIT 1) AS predicted_ms,"
    " (SELECT c.app FROM v_notes AS n JOIN v_clients AS c ON c.run = n.run AND"
    " n.value BETWEEN c.first_client AND c.last_client WHERE n.run = hold.run AND"
    " n.decision = hold.number AND n.key = '" CT_NOTE_HELD_CLIENT
    "') AS limited_by, hold.holds AS holds"
    " FROM step AS hold JOIN run ON run.number = hold.run"
    " JOIN app ON app.run = hold.run AND app.position = hold.app"
    " LEFT JOIN task AS t ON t.run = hold.run AND t.app = hold.app AND"
    " t.instance = hold.instance AND t.job = hold.job AND t.task = hold.task"
    " LEFT JOIN kernel ON kernel.number = t.kernel WHERE verb = 'hold';";

/* Shares of queries (Laius) and caps of clients; SMs by client, where the policy notes them. What
 * was rejected or withheld (ct_verb_text: a verb of two words) changed nothing. */
#define WAS_DONE " AND (SELECT verb NOT GLOB '* *' FROM decision_kind AS k WHERE k.number = d.kind)"
static const char change_views[] =
    "CREATE VIEW v_quotas AS SELECT d.run AS run, policy, replication, d.number AS decision,"
    " d.time_ps / 1e9 AS time_ms, app.name AS app, instance, job, task,"
    " CASE n.key WHEN '" CT_NOTE_CAP "' THEN 'cap' ELSE 'query' END AS what,"
    " n.value / 10 AS percent, (SELECT value / 1e9 FROM v_notes AS l WHERE l.run = d.run AND"
    " l.decision = d.number AND l.key = '" CT_NOTE_LAG "') AS lag_ms FROM v_notes AS n"
    " JOIN decision AS d ON d.run = n.run AND d.number = n.decision"
    " JOIN run ON run.number = d.run JOIN app ON app.run = d.run AND app.position = d.app"
    " WHERE n.key IN ('" CT_NOTE_QUOTA "', '" CT_NOTE_CAP "')" WAS_DONE ";"
    "CREATE VIEW v_partitions AS SELECT d.run AS run, policy, replication, d.number AS decision,"
    " d.time_ps / 1e9 AS time_ms, c.app AS app,"
    " CAST(who.value AS INTEGER) - c.first_client AS instance, CAST(n.value AS INTEGER) AS sms"
    " FROM v_notes AS n JOIN v_notes AS who ON who.run = n.run AND who.decision = n.decision AND"
    " who.position = n.position - 1 AND who.key = '" CT_NOTE_CLIENT "'"
    " JOIN decision AS d ON d.run = n.run AND d.number = n.decision"
    " JOIN run ON run.number = d.run JOIN v_clients AS c ON c.run = d.run AND"
    " who.value BETWEEN c.first_client AND c.last_client WHERE n.key = '" CT_NOTE_SMS "'" WAS_DONE
    ";";

static void write_decision_tables(FILE *out) {
    fputs("CREATE TABLE decision(run INTEGER, number INTEGER, time_ps INTEGER, kind INTEGER,"
          " app INTEGER, instance INTEGER, job INTEGER, task INTEGER",
          out);
    for (int i = 0; i < RESULT_OWN_NOTES; i++)
        fprintf(out, ", value%d REAL", i);
    fputs(", PRIMARY KEY(run, number)) WITHOUT ROWID;"
          "CREATE TABLE decision_kind(number INTEGER PRIMARY KEY, hook TEXT, verb TEXT",
          out);
    for (int i = 0; i < RESULT_OWN_NOTES; i++)
        fprintf(out, ", key%d TEXT", i);
    fputs(");", out);
}

/* Run, decision, position, key and value of every note. */
static void write_notes_query(FILE *out) {
    for (int i = 0; i < RESULT_OWN_NOTES; i++)
        fprintf(out,
                "SELECT run, decision.number AS decision, %d AS position, key%d AS key, value%d AS"
                " value FROM decision JOIN decision_kind ON decision_kind.number = kind"
                " WHERE key%d IS NOT '' UNION ALL ",
                i, i, i, i);
    fputs("SELECT run, decision, position, key, value FROM decision_note;", out);
}

char *result_notes_view_sql(void) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out)
        return NULL;
    fputs("CREATE TEMP VIEW IF NOT EXISTS notes AS ", out);
    write_notes_query(out);
    return finish(out, &sql);
}

static void write_decision_views(FILE *out) {
    fputs("CREATE VIEW v_notes AS ", out);
    write_notes_query(out);
    fputs("CREATE VIEW v_decisions AS SELECT decision.run AS run, policy, replication,"
          " decision.number AS number, time_ps / 1e9 AS time_ms, hook, verb, app.name AS app,"
          " instance, job, task, ltrim(''",
          out);
    for (int i = 0; i < RESULT_OWN_NOTES; i++)
        fprintf(out,
                " || CASE key%d WHEN '' THEN '' ELSE ' ' || key%d || '=' ||"
                " ifnull(value%d, 'unknown') END",
                i, i, i);
    fputs(" || ifnull((SELECT group_concat(' ' || key || '=' || ifnull(value, 'unknown'), '')"
          " FROM decision_note AS n WHERE n.run = decision.run AND n.decision = decision.number),"
          " '')) AS notes FROM decision JOIN decision_kind ON decision_kind.number = kind"
          " JOIN run ON run.number = decision.run"
          " LEFT JOIN app ON app.run = decision.run AND app.position = decision.app"
          " ORDER BY decision.run, decision.number;",
          out);
    fputs(client_view, out);
    fputs(hold_view, out);
    fputs(change_views, out);
}

char *result_schema_sql(void) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++)
        write_table(out, &tables[i]);
    fputs(fixed_tables, out);
    write_decision_tables(out);
    fputs(views, out);
    write_decision_views(out);
    return finish(out, &sql);
}
