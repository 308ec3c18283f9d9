-- The statements that make a result store, beside the tables whose columns follow from the lists of a report
-- (result_schema.c). The build makes a text of each section, with one blank where here are several or a line
-- ends, which SQLite keeps in the file; {CT_NOTE_...} is that note's key (ct_policy.h).

-- [tables]
CREATE TABLE member(pool INTEGER, position INTEGER, run INTEGER, PRIMARY KEY(pool, position)) WITHOUT ROWID;
CREATE INDEX member_run ON member(run);
CREATE TABLE device(run INTEGER, position INTEGER, key TEXT, value TEXT,
                    PRIMARY KEY(run, position)) WITHOUT ROWID;
CREATE TABLE counter(run INTEGER, position INTEGER, key TEXT, value REAL,
                     PRIMARY KEY(run, position)) WITHOUT ROWID;
CREATE TABLE notice(run INTEGER, position INTEGER, text TEXT, PRIMARY KEY(run, position)) WITHOUT ROWID;
CREATE TABLE blame(run INTEGER, app INTEGER, position INTEGER, cause TEXT, ms REAL,
                   PRIMARY KEY(run, app, position)) WITHOUT ROWID;
CREATE TABLE blame_matrix(run INTEGER, app INTEGER, position INTEGER, delayed_by TEXT, ms REAL,
                          PRIMARY KEY(run, app, position)) WITHOUT ROWID;
CREATE TABLE comparison(number INTEGER PRIMARY KEY);
CREATE TABLE comparison_run(comparison INTEGER, position INTEGER, run INTEGER,
                            PRIMARY KEY(comparison, position)) WITHOUT ROWID;
CREATE TABLE job_delay(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, delayed_by INTEGER, ps INTEGER,
                       PRIMARY KEY(run, app, instance, job, delayed_by)) WITHOUT ROWID;
CREATE TABLE kernel(number INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE task(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, task INTEGER, stream INTEGER,
                  kind INTEGER, direction INTEGER, sm_group INTEGER, share INTEGER, blocks INTEGER, bytes INTEGER,
                  ready_ps INTEGER, issued_ps INTEGER, queued_ps INTEGER, started_ps INTEGER, ended_ps INTEGER,
                  kernel INTEGER, PRIMARY KEY(run, app, instance, job, task)) WITHOUT ROWID;
CREATE TABLE decision_note(run INTEGER, decision INTEGER, position INTEGER, key TEXT, value REAL,
                           PRIMARY KEY(run, decision, position)) WITHOUT ROWID;
CREATE TABLE sample(run INTEGER, position INTEGER, time_ps INTEGER, name TEXT, unit TEXT, app INTEGER, value REAL,
                    PRIMARY KEY(run, position)) WITHOUT ROWID;
CREATE TABLE decision(run INTEGER, number INTEGER, time_ps INTEGER, kind INTEGER, app INTEGER, instance INTEGER,
                      job INTEGER, task INTEGER, value0 REAL, value1 REAL, value2 REAL, value3 REAL,
                      PRIMARY KEY(run, number)) WITHOUT ROWID;
CREATE TABLE decision_kind(number INTEGER PRIMARY KEY, hook TEXT, verb TEXT,
                           key0 TEXT, key1 TEXT, key2 TEXT, key3 TEXT);

-- [views]
CREATE VIEW v_p99 AS
SELECT run.number AS run, workload, gpu, policy, seed, reps, replication, app.name AS app, jobs,
       latency_ms_p99 AS p99_ms, latency_ms_p99_ci95_low AS p99_ms_low, latency_ms_p99_ci95_high AS p99_ms_high,
       qos_ms, p99_over_qos, late_fraction, qos_met, overloaded
FROM run JOIN app ON app.run = run.number ORDER BY run.number, app.position;
CREATE VIEW v_blame AS
SELECT run.number AS run, policy, replication, app.name AS app, cause, ms,
       100.0 * ms / (SELECT sum(ms) FROM blame AS b WHERE b.run = blame.run AND b.app = blame.app) AS percent
FROM blame JOIN run ON run.number = blame.run JOIN app ON app.run = blame.run AND app.position = blame.app
ORDER BY run.number, app.position, blame.position;

-- The latency of a job that has not ended is its age, a lower bound.
-- [latency]
CREATE VIEW v_latency AS
SELECT run.number AS run, policy, replication, app.name AS app, instance, job.number AS job,
       arrival_ps / 1e12 AS arrival_s, (ifnull(end_ps, until_ps) - arrival_ps) / 1e9 AS latency_ms,
       (end_ps - first_issue_ps) / 1e9 AS service_ms, end_ps IS NULL AS unfinished
FROM job JOIN run ON run.number = job.run JOIN app ON app.run = job.run AND app.position = job.app;

-- Run, decision, position, key and value of every note, as a view whose name is put before it.
-- [notes]
AS SELECT run, decision.number AS decision, 0 AS position, key0 AS key, value0 AS value
FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE key0 IS NOT ''
UNION ALL SELECT run, decision.number AS decision, 1 AS position, key1 AS key, value1 AS value
FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE key1 IS NOT ''
UNION ALL SELECT run, decision.number AS decision, 2 AS position, key2 AS key, value2 AS value
FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE key2 IS NOT ''
UNION ALL SELECT run, decision.number AS decision, 3 AS position, key3 AS key, value3 AS value
FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE key3 IS NOT ''
UNION ALL SELECT run, decision, position, key, value FROM decision_note;

-- [decisions]
CREATE VIEW v_decisions AS
SELECT decision.run AS run, policy, replication, decision.number AS number, time_ps / 1e9 AS time_ms, hook, verb,
       app.name AS app, instance, job, task,
       ltrim('' || CASE key0 WHEN '' THEN '' ELSE ' ' || key0 || '=' || ifnull(value0, 'unknown') END
                || CASE key1 WHEN '' THEN '' ELSE ' ' || key1 || '=' || ifnull(value1, 'unknown') END
                || CASE key2 WHEN '' THEN '' ELSE ' ' || key2 || '=' || ifnull(value2, 'unknown') END
                || CASE key3 WHEN '' THEN '' ELSE ' ' || key3 || '=' || ifnull(value3, 'unknown') END
                || ifnull((SELECT group_concat(' ' || key || '=' || ifnull(value, 'unknown'), '')
                           FROM decision_note AS n WHERE n.run = decision.run AND n.decision = decision.number),
                          '')) AS notes
FROM decision JOIN decision_kind ON decision_kind.number = kind JOIN run ON run.number = decision.run
LEFT JOIN app ON app.run = decision.run AND app.position = decision.app
ORDER BY decision.run, decision.number;

-- Clients are numbered in the order of the workload: all instances of an application, then the next one's.
CREATE VIEW v_clients AS
SELECT run, position AS app_number, name AS app, role,
       sum(instances) OVER before - instances AS first_client, sum(instances) OVER before - 1 AS last_client
FROM app WINDOW before AS (PARTITION BY run ORDER BY position);

-- A hold ends when another reason holds its task, or that is issued. What held it, and whose, is what was noted
-- first. Notes that the views know have a meaning for every policy (ct_policy.h, CT_NOTE_).
CREATE VIEW v_holds AS
WITH step AS (SELECT decision.*, verb, key0, lead(time_ps) OVER later AS until_ps,
                     max(CASE verb WHEN 'issue' THEN decision.number END) OVER whole AS issue,
                     max(CASE verb WHEN 'issue' THEN time_ps END) OVER whole AS issued_ps,
                     sum(verb = 'hold') OVER whole AS holds
              FROM decision JOIN decision_kind ON decision_kind.number = kind WHERE verb IN ('hold', 'issue')
              WINDOW whole AS (PARTITION BY run, app, instance, job, task),
                     later AS (PARTITION BY run, app, instance, job, task ORDER BY decision.number))
SELECT hold.run AS run, policy, replication, app.name AS app, hold.instance AS instance, hold.job AS job,
       hold.task AS task, kernel.name AS kernel, hold.number AS decision, hold.time_ps / 1e9 AS held_from_ms,
       hold.issued_ps / 1e9 AS issued_ms, (hold.until_ps - hold.time_ps) / 1e9 AS held_ms, key0 AS reason,
       value0 AS number, CASE WHEN key0 GLOB '*_ps' THEN value0 / 1e9 END AS number_ms,
       (SELECT value / 1e9 FROM v_notes AS n
        WHERE n.run = hold.run AND n.decision IN (hold.number, hold.issue) AND
              n.key IN ('{CT_NOTE_HELD_PREDICTION}', '{CT_NOTE_ISSUE_PREDICTION}') LIMIT 1) AS predicted_ms,
       (SELECT c.app FROM v_notes AS n
        JOIN v_clients AS c ON c.run = n.run AND n.value BETWEEN c.first_client AND c.last_client
        WHERE n.run = hold.run AND n.decision = hold.number AND n.key = '{CT_NOTE_HELD_CLIENT}') AS limited_by,
       hold.holds AS holds
FROM step AS hold JOIN run ON run.number = hold.run JOIN app ON app.run = hold.run AND app.position = hold.app
LEFT JOIN task AS t ON t.run = hold.run AND t.app = hold.app AND t.instance = hold.instance AND
                       t.job = hold.job AND t.task = hold.task
LEFT JOIN kernel ON kernel.number = t.kernel WHERE verb = 'hold';

-- Shares of queries (Laius) and caps of clients; SMs by client, where the policy notes them. What was rejected or
-- withheld (ct_verb_text: a verb of two words) changed nothing.
CREATE VIEW v_quotas AS
SELECT d.run AS run, policy, replication, d.number AS decision, d.time_ps / 1e9 AS time_ms, app.name AS app,
       instance, job, task, CASE n.key WHEN '{CT_NOTE_CAP}' THEN 'cap' ELSE 'query' END AS what,
       n.value / 10 AS percent,
       (SELECT value / 1e9 FROM v_notes AS l
        WHERE l.run = d.run AND l.decision = d.number AND l.key = '{CT_NOTE_LAG}') AS lag_ms
FROM v_notes AS n JOIN decision AS d ON d.run = n.run AND d.number = n.decision
JOIN run ON run.number = d.run JOIN app ON app.run = d.run AND app.position = d.app
WHERE n.key IN ('{CT_NOTE_QUOTA}', '{CT_NOTE_CAP}') AND
      (SELECT verb NOT GLOB '* *' FROM decision_kind AS k WHERE k.number = d.kind);
CREATE VIEW v_partitions AS
SELECT d.run AS run, policy, replication, d.number AS decision, d.time_ps / 1e9 AS time_ms, c.app AS app,
       CAST(who.value AS INTEGER) - c.first_client AS instance, CAST(n.value AS INTEGER) AS sms
FROM v_notes AS n JOIN v_notes AS who ON who.run = n.run AND who.decision = n.decision AND
                                         who.position = n.position - 1 AND who.key = '{CT_NOTE_CLIENT}'
JOIN decision AS d ON d.run = n.run AND d.number = n.decision JOIN run ON run.number = d.run
JOIN v_clients AS c ON c.run = d.run AND who.value BETWEEN c.first_client AND c.last_client
WHERE n.key = '{CT_NOTE_SMS}' AND (SELECT verb NOT GLOB '* *' FROM decision_kind AS k WHERE k.number = d.kind);

-- Tables that the first run makes which has rows for them: stores of before do without.

-- What sharing cost the slowest 1 %: by cause, then by application (cause empty; nobody's doing: due_to empty,
-- too). Cause `alone` has what they would have taken.
-- [sharing]
CREATE TABLE IF NOT EXISTS sharing(run INTEGER, app INTEGER, position INTEGER, cause TEXT, due_to TEXT, ms REAL,
                                   PRIMARY KEY(run, app, position)) WITHOUT ROWID;

-- [kernels]
CREATE TABLE IF NOT EXISTS kernels(run INTEGER, app INTEGER, position INTEGER, class TEXT, launch TEXT, source TEXT,
                                   time_fraction REAL, dram_fraction REAL,
                                   PRIMARY KEY(run, app, position)) WITHOUT ROWID;

-- Beside the one of before, whose columns stay.
-- [units]
CREATE TABLE IF NOT EXISTS kernel_units(run INTEGER, app INTEGER, position INTEGER, unit_fraction REAL,
                                        units_source TEXT, PRIMARY KEY(run, app, position)) WITHOUT ROWID;

-- By the first run with a server.
-- [batches]
CREATE TABLE IF NOT EXISTS batch_size(run INTEGER, app INTEGER, size INTEGER, count INTEGER,
                                      PRIMARY KEY(run, app, size)) WITHOUT ROWID;

-- Who made a job's costs; of nobody's doing: -1.
-- [costs]
CREATE TABLE IF NOT EXISTS job_sharing(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, due_to INTEGER,
                                       ps INTEGER, PRIMARY KEY(run, app, instance, job, due_to)) WITHOUT ROWID;

-- [presences]
CREATE TABLE IF NOT EXISTS presence(run INTEGER, app INTEGER, instance INTEGER, job INTEGER, task INTEGER,
                                    first_sm INTEGER, last_sm INTEGER, began_ps INTEGER, ended_ps INTEGER,
                                    PRIMARY KEY(run, app, instance, job, task, first_sm)) WITHOUT ROWID;

-- [reasons]
CREATE TABLE IF NOT EXISTS reason(run INTEGER, position INTEGER, verb TEXT, key TEXT, sentence TEXT,
                                  PRIMARY KEY(run, position)) WITHOUT ROWID;

-- Those of a sweep. Values are numbers where they look like numbers: NUMERIC.
-- [sweep]
CREATE TABLE IF NOT EXISTS kept(key TEXT PRIMARY KEY, result BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sweep_point(number INTEGER PRIMARY KEY, key TEXT UNIQUE, sweep TEXT, comparison INTEGER);
CREATE TABLE IF NOT EXISTS sweep_run(point INTEGER, position INTEGER, run INTEGER,
                                     PRIMARY KEY(point, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sweep_value(point INTEGER, position INTEGER, key TEXT, value NUMERIC,
                                       PRIMARY KEY(point, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sweep_latest(point INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS sweep_listed(sweep TEXT, point INTEGER, PRIMARY KEY(sweep, point)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sweep_failed(sweep TEXT, number INTEGER, error TEXT,
                                        PRIMARY KEY(sweep, number)) WITHOUT ROWID;
