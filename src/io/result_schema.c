/* The tables and views of the result store. Report levels take their columns from the field tables.
 */
#include "result_internal.h"

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
    "CREATE TABLE kernel(number INTEGER PRIMARY KEY, name TEXT UNIQUE);"
    "CREATE TABLE task(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, task INTEGER,"
    " stream INTEGER, kind INTEGER, direction INTEGER, sm_group INTEGER, share INTEGER,"
    " blocks INTEGER, bytes INTEGER, ready_ps INTEGER, issued_ps INTEGER, queued_ps INTEGER,"
    " started_ps INTEGER, ended_ps INTEGER, kernel INTEGER,"
    " PRIMARY KEY(run, app, instance, job, task)) WITHOUT ROWID;"
    "CREATE TABLE decision(run INTEGER, number INTEGER, time_ps INTEGER, hook TEXT, verb TEXT,"
    " app INTEGER, instance INTEGER, job INTEGER, task INTEGER,"
    " PRIMARY KEY(run, number)) WITHOUT ROWID;"
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
    " JOIN app ON app.run = job.run AND app.position = job.app;"
    "CREATE VIEW v_decisions AS SELECT decision.run AS run, policy, decision.number AS number,"
    " time_ps / 1e9 AS time_ms, hook, verb, app.name AS app, instance, job, task,"
    " (SELECT group_concat(key || '=' || value, ' ') FROM decision_note AS n WHERE"
    " n.run = decision.run AND n.decision = decision.number) AS notes"
    " FROM decision JOIN run ON run.number = decision.run"
    " LEFT JOIN app ON app.run = decision.run AND app.position = decision.app"
    " ORDER BY decision.run, decision.number;";

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
    fputs(views, out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(sql);
        return NULL;
    }
    return sql;
}
