/* The tables and views of the result store. Report levels take their columns from the field tables.
 */
#include "results/result_store_internal.h"

#include <stdlib.h>

const struct report_field *const result_run_columns[] = {report_head_fields, NULL};
const struct report_field *const result_system_columns[] = {
    report_system_fields, report_input_fields, report_engine_fields, report_check_fields, NULL};
const struct report_field *const result_app_columns[] = {report_app_fields, NULL};

int result_column_count(const struct report_field *const *tables) {
    int count = 0;
    for (; *tables; tables++)
        for (const struct report_field *field = *tables; field->path; field++)
            count += field->kind == REPORT_FIELD_INTERVAL ? 2 : 1;
    return count;
}

static const char *type_of(const struct report_field *field) {
    if (field->kind == REPORT_FIELD_TEXT)
        return "TEXT";
    return report_field_is_integer(field) ? "INTEGER" : "REAL";
}

static void write_columns(FILE *out, const struct report_field *const *tables) {
    char name[REPORT_FIELD_NAME];
    for (; *tables; tables++)
        for (const struct report_field *field = *tables; field->path; field++) {
            bool interval = field->kind == REPORT_FIELD_INTERVAL;
            report_field_column(field, interval ? "_low" : "", name);
            fprintf(out, ", %s %s", name, type_of(field));
            if (interval) {
                report_field_column(field, "_high", name);
                fprintf(out, ", %s REAL", name);
            }
        }
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
    "CREATE TABLE difference(comparison INTEGER, position INTEGER, measure TEXT, app TEXT,"
    " policy_a TEXT, policy_b TEXT, mean_a REAL, mean_b REAL, difference REAL, ci95_low REAL,"
    " ci95_high REAL, p REAL, p_holm REAL, verdict INTEGER, more_reps INTEGER,"
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
    " ORDER BY run.number, app.position, blame.position;"
    "CREATE VIEW v_latency AS SELECT run.number AS run, policy, replication, app.name AS app,"
    " instance, job.number AS job, arrival_ps / 1e12 AS arrival_s,"
    " (end_ps - arrival_ps) / 1e9 AS latency_ms, (end_ps - first_issue_ps) / 1e9 AS service_ms"
    " FROM job JOIN run ON run.number = job.run"
    " JOIN app ON app.run = job.run AND app.position = job.app;";

/* Clients are numbered in the order of the workload: all instances of an application, then the next
 * one's. */
static const char client_view[] =
    "CREATE VIEW v_clients AS SELECT run, position AS app_number, name AS app, role,"
    " sum(instances) OVER before - instances AS first_client,"
    " sum(instances) OVER before - 1 AS last_client FROM app"
    " WINDOW before AS (PARTITION BY run ORDER BY position);";

/* A hold ends when its task is issued. What held it, and whose, is what was noted first. */
static const char hold_view[] =
    "CREATE VIEW v_holds AS WITH"
    " hold AS (SELECT run, app, instance, job, task, min(decision.number) AS first,"
    " count(*) AS holds FROM decision JOIN decision_kind ON decision_kind.number = kind"
    " WHERE verb = 'hold' GROUP BY run, app, instance, job, task),"
    " issue AS (SELECT run, app, instance, job, task, decision.number AS number, time_ps"
    " FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE verb = 'issue')"
    " SELECT first.run AS run, policy, replication, app.name AS app, first.instance AS instance,"
    " first.job AS job, first.task AS task, kernel.name AS kernel, first.number AS decision,"
    " first.time_ps / 1e9 AS held_from_ms, issue.time_ps / 1e9 AS issued_ms,"
    " (issue.time_ps - first.time_ps) / 1e9 AS held_ms, key0 AS reason, value0 AS number,"
    " CASE WHEN key0 GLOB '*_ps' THEN value0 / 1e9 END AS number_ms,"
    " (SELECT value / 1e9 FROM v_notes AS n WHERE n.run = first.run AND"
    " n.decision IN (first.number, issue.number) AND n.key IN ('held_t_ps', 'issue_t_ps')"
    " LIMIT 1) AS predicted_ms,"
    " (SELECT c.app FROM v_notes AS n JOIN v_clients AS c ON c.run = n.run AND"
    " n.value BETWEEN c.first_client AND c.last_client WHERE n.run = first.run AND"
    " n.decision = first.number AND n.key = 'held_client') AS limited_by, hold.holds AS holds"
    " FROM hold JOIN decision AS first ON first.run = hold.run AND first.number = hold.first"
    " JOIN decision_kind ON decision_kind.number = first.kind JOIN run ON run.number = first.run"
    " JOIN app ON app.run = first.run AND app.position = first.app"
    " LEFT JOIN issue ON issue.run = hold.run AND issue.app = hold.app AND"
    " issue.instance = hold.instance AND issue.job = hold.job AND issue.task = hold.task"
    " LEFT JOIN task AS t ON t.run = hold.run AND t.app = hold.app AND"
    " t.instance = hold.instance AND t.job = hold.job AND t.task = hold.task"
    " LEFT JOIN kernel ON kernel.number = t.kernel;";

/* Shares of queries (Laius) and caps of clients; SMs by client, where the policy notes them. */
static const char change_views[] =
    "CREATE VIEW v_quotas AS SELECT d.run AS run, policy, replication, d.number AS decision,"
    " d.time_ps / 1e9 AS time_ms, app.name AS app, instance, job, task,"
    " CASE n.key WHEN 'cap_per_mille' THEN 'cap' ELSE 'query' END AS what,"
    " n.value / 10 AS percent, (SELECT value / 1e9 FROM v_notes AS l WHERE l.run = d.run AND"
    " l.decision = d.number AND l.key = 'lag_ps') AS lag_ms FROM v_notes AS n"
    " JOIN decision AS d ON d.run = n.run AND d.number = n.decision"
    " JOIN run ON run.number = d.run JOIN app ON app.run = d.run AND app.position = d.app"
    " WHERE n.key IN ('quota_per_mille', 'cap_per_mille');"
    "CREATE VIEW v_partitions AS SELECT d.run AS run, policy, replication, d.number AS decision,"
    " d.time_ps / 1e9 AS time_ms, c.app AS app,"
    " CAST(who.value AS INTEGER) - c.first_client AS instance, CAST(n.value AS INTEGER) AS sms"
    " FROM v_notes AS n JOIN v_notes AS who ON who.run = n.run AND who.decision = n.decision AND"
    " who.position = n.position - 1 AND who.key = 'client'"
    " JOIN decision AS d ON d.run = n.run AND d.number = n.decision"
    " JOIN run ON run.number = d.run JOIN v_clients AS c ON c.run = d.run AND"
    " who.value BETWEEN c.first_client AND c.last_client WHERE n.key = 'sms';";

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

static void write_decision_views(FILE *out) {
    fputs("CREATE VIEW v_notes AS ", out);
    for (int i = 0; i < RESULT_OWN_NOTES; i++)
        fprintf(out,
                "SELECT run, decision.number AS decision, %d AS position, key%d AS key, value%d AS"
                " value FROM decision JOIN decision_kind ON decision_kind.number = kind"
                " WHERE key%d <> '' UNION ALL ",
                i, i, i, i);
    fputs("SELECT run, decision, position, key, value FROM decision_note;"
          "CREATE VIEW v_decisions AS SELECT decision.run AS run, policy, replication,"
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

static void write_job_table(FILE *out) {
    fputs("CREATE TABLE job(run INTEGER, app INTEGER, instance INTEGER, number INTEGER,"
          " arrival_ps INTEGER, first_issue_ps INTEGER, end_ps INTEGER",
          out);
    for (int cause = 0; cause < REPORT_BLAME_COUNT; cause++)
        fprintf(out, ", %s_ps INTEGER", report_blame_name(cause));
    fputs(", PRIMARY KEY(run, app, instance, number)) WITHOUT ROWID;", out);
}

char *result_schema_sql(void) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out)
        return NULL;
    fputs("CREATE TABLE run(number INTEGER PRIMARY KEY, key TEXT, config TEXT,"
          " replication INTEGER, purpose TEXT",
          out);
    write_columns(out, result_run_columns);
    fputs("); CREATE INDEX run_key ON run(key);"
          "CREATE TABLE system(run INTEGER PRIMARY KEY",
          out);
    write_columns(out, result_system_columns);
    fputs("); CREATE TABLE app(run INTEGER, position INTEGER", out);
    write_columns(out, result_app_columns);
    fputs(", PRIMARY KEY(run, position)) WITHOUT ROWID;", out);
    write_job_table(out);
    fputs(fixed_tables, out);
    write_decision_tables(out);
    fputs(views, out);
    write_decision_views(out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(sql);
        return NULL;
    }
    return sql;
}
