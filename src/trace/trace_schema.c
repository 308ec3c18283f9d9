/*
 * Times of an application are whole multiples of its unit_ps, the greatest that divides all of
 * them: small integers, which SQLite stores in one to three bytes. A task's launch is stored as the
 * distance from the launch before it in its job, and host_gap only where it differs from that. The
 * views give picoseconds and names.
 */
#include "trace/trace_schema.h"

#include <stddef.h>

const char *const trace_schema_sql[] = {
    "CREATE TABLE text(id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE app(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, gpu TEXT NOT NULL,"
    " source TEXT NOT NULL, licence TEXT NOT NULL, unit_ps INTEGER NOT NULL,"
    " resolution_ps INTEGER NOT NULL, streams INTEGER NOT NULL, carried_tasks INTEGER NOT NULL,"
    " stacks_recorded INTEGER NOT NULL, launches_recorded INTEGER NOT NULL);"
    "CREATE TABLE kernel(app INTEGER NOT NULL, id INTEGER NOT NULL, name INTEGER NOT NULL,"
    " grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,"
    " block_x INTEGER, block_y INTEGER, block_z INTEGER,"
    " registers INTEGER, static_smem INTEGER, dynamic_smem INTEGER,"
    " communication INTEGER NOT NULL, demand_provenance INTEGER NOT NULL,"
    " geometry_provenance INTEGER NOT NULL,"
    " dram_bytes_per_s REAL, dram_fraction REAL, dram_read_share REAL, row_hit_rate REAL,"
    " l2_fraction REAL, issue_slot_fraction REAL, unit_fraction REAL, sm_activity REAL,"
    " achieved_occupancy REAL, instructions REAL, PRIMARY KEY(app, id)) WITHOUT ROWID;"
    "CREATE TABLE curve(app INTEGER NOT NULL, kernel INTEGER NOT NULL,"
    " share_per_mille INTEGER NOT NULL, factor REAL NOT NULL,"
    " PRIMARY KEY(app, kernel, share_per_mille)) WITHOUT ROWID;"
    "CREATE TABLE job(app INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,"
    " first_task INTEGER NOT NULL, tasks INTEGER NOT NULL, input_bytes INTEGER NOT NULL,"
    " recorded INTEGER NOT NULL, PRIMARY KEY(app, id)) WITHOUT ROWID;"
    "CREATE TABLE task(app INTEGER NOT NULL, id INTEGER NOT NULL, code INTEGER NOT NULL,"
    " kernel INTEGER, stream INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " duration INTEGER NOT NULL, launch_step INTEGER NOT NULL, launch_call INTEGER NOT NULL,"
    " delay INTEGER NOT NULL, host_gap INTEGER, waited_for INTEGER,"
    " library_call INTEGER NOT NULL, PRIMARY KEY(app, id)) WITHOUT ROWID;"
    "CREATE TABLE dependency(app INTEGER NOT NULL, task INTEGER NOT NULL, on_task INTEGER NOT NULL,"
    " PRIMARY KEY(app, task, on_task)) WITHOUT ROWID;"
    "CREATE TABLE library_call(app INTEGER NOT NULL, id INTEGER NOT NULL, name INTEGER NOT NULL,"
    " PRIMARY KEY(app, id)) WITHOUT ROWID;",

    "CREATE VIEW v_tasks AS SELECT app.name AS app, job.name AS job, task.id - job.first_task AS "
    "task,"
    " CASE task.code & 3 WHEN 0 THEN 'kernel' WHEN 1 THEN 'copy' ELSE 'memset' END AS kind,"
    " CASE WHEN task.code & 3 = 1 THEN CASE task.code >> 2 & 3 WHEN 0 THEN 'h2d' WHEN 1 THEN 'd2h'"
    " ELSE 'd2d' END END AS direction,"
    " CASE WHEN task.code & 3 = 1 THEN CASE task.code >> 4 & 3 WHEN 0 THEN 'pageable'"
    " WHEN 1 THEN 'pinned' ELSE 'unknown' END END AS memory,"
    " text.value AS kernel, task.stream AS stream, task.bytes AS bytes,"
    " task.duration * app.unit_ps AS duration_ps,"
    " app.unit_ps * sum(task.launch_step) OVER job_so_far AS launch_begin_ps,"
    " app.unit_ps * (task.launch_call + sum(task.launch_step) OVER job_so_far) AS launch_end_ps,"
    " app.unit_ps * (task.delay + sum(task.launch_step) OVER job_so_far) AS start_ps,"
    " app.unit_ps * ifnull(task.host_gap, task.launch_step) AS host_gap_ps,"
    " task.code >> 6 & 1 AS sync, task.waited_for AS waited_for,"
    " task.code >> 7 & 1 AS host_gap_assumed, task.code >> 8 & 1 AS duration_assumed,"
    " task.code >> 9 & 1 AS host_gap_capped, task.code >> 10 & 1 AS carried,"
    " (SELECT t.value FROM library_call l JOIN text t ON t.id = l.name WHERE l.app = task.app"
    " AND l.id = task.library_call) AS library_call"
    " FROM app JOIN job ON job.app = app.id JOIN task ON task.app = app.id"
    " AND task.id >= job.first_task AND task.id < job.first_task + job.tasks"
    " LEFT JOIN kernel ON kernel.app = task.app AND kernel.id = task.kernel"
    " LEFT JOIN text ON text.id = kernel.name"
    " WINDOW job_so_far AS (PARTITION BY job.app, job.id ORDER BY task.id);",

    "CREATE VIEW v_kernels AS SELECT app.name AS app, kernel.id AS kernel, text.value AS name,"
    " grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, static_smem, dynamic_smem,"
    " (SELECT count(*) FROM task WHERE task.app = app.id AND task.kernel = kernel.id) AS launches,"
    " (SELECT sum(duration) FROM task WHERE task.app = app.id AND task.kernel = kernel.id)"
    " * app.unit_ps / 1e9 AS total_ms, communication,"
    " dram_bytes_per_s, dram_fraction, dram_read_share, row_hit_rate, l2_fraction,"
    " issue_slot_fraction, unit_fraction, sm_activity, achieved_occupancy, instructions"
    " FROM kernel JOIN app ON app.id = kernel.app JOIN text ON text.id = kernel.name;"

    "CREATE VIEW v_jobs AS SELECT app.name AS app, job.name AS job, job.tasks AS tasks,"
    " input_bytes, recorded * app.unit_ps / 1e9 AS recorded_ms,"
    " (SELECT sum(duration) FROM task WHERE task.app = app.id AND task.id >= job.first_task"
    " AND task.id < job.first_task + job.tasks) * app.unit_ps / 1e9 AS device_ms"
    " FROM job JOIN app ON app.id = job.app;"

    "CREATE VIEW v_apps AS SELECT name, gpu,"
    " (SELECT count(*) FROM job WHERE job.app = app.id) AS jobs,"
    " (SELECT count(*) FROM task WHERE task.app = app.id AND code & 3 = 0) AS kernels,"
    " (SELECT count(*) FROM kernel WHERE kernel.app = app.id) AS distinct_kernels,"
    " (SELECT count(*) FROM task WHERE task.app = app.id AND code & 3 = 1) AS copies,"
    " (SELECT count(*) FROM task WHERE task.app = app.id AND code & 3 = 2) AS memsets,"
    " (SELECT sum(duration) FROM task WHERE task.app = app.id AND code & 3 = 0) * unit_ps / 1e9"
    " AS kernel_ms, streams, resolution_ps, carried_tasks, source, licence FROM app;",
    NULL};

const struct trace_table_schema trace_tables[] = {
    [TRACE_TABLE_KERNEL] = {"kernel", "app", 25, NULL},
    [TRACE_TABLE_CURVE] = {"curve", "app", 4, NULL},
    [TRACE_TABLE_JOB] = {"job", "app", 7, NULL},
    [TRACE_TABLE_TASK] = {"task", "app", 13, NULL},
    [TRACE_TABLE_DEPENDENCY] = {"dependency", "app", 3, NULL},
    [TRACE_TABLE_LIBRARY_CALL] = {"library_call", "app", 3, NULL},
    [TRACE_TABLE_APP] = {"app", "id", 11, NULL},
    [TRACE_TABLE_LAG] =
        {"lag", "app", 3,
         "CREATE TABLE IF NOT EXISTS lag(app INTEGER NOT NULL, task INTEGER NOT NULL,"
         " lag INTEGER NOT NULL, PRIMARY KEY(app, task)) WITHOUT ROWID"},
    [TRACE_TABLE_NOTE] =
        {"note", "app", 4,
         "CREATE TABLE IF NOT EXISTS note(app INTEGER NOT NULL, id INTEGER NOT NULL,"
         " name TEXT NOT NULL,"
         " value TEXT NOT NULL, PRIMARY KEY(app, id)) WITHOUT ROWID"},
    [TRACE_TABLE_UNIT] =
        {"unit", "app", 4,
         "CREATE TABLE IF NOT EXISTS unit(app INTEGER NOT NULL, kernel INTEGER NOT NULL,"
         " fp32_fraction REAL, fp64_fraction REAL, PRIMARY KEY(app, kernel)) WITHOUT ROWID"},
    [TRACE_TABLE_FLOPS] =
        {"flops", "app", 3,
         "CREATE TABLE IF NOT EXISTS flops(app INTEGER NOT NULL, kernel INTEGER NOT NULL,"
         " flops_per_s REAL NOT NULL, PRIMARY KEY(app, kernel)) WITHOUT ROWID"},
};
