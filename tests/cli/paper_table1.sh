#!/usr/bin/env bash
# C-QoS' suite table-1-repeated holds what the paper's Table 1 says of each application: the megabytes of all executions (of 2^20
# bytes, to 1 % where executions are drawn together), the share of copies, and no more instructions a second than the SMs of its
# blocks can issue (Table 2: 4 schedulers of 32 lanes, 1.4 GHz).
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# Application, MB (-: its copies are slower than the link), share of copies in %, instructions x 10^9, SMs of its blocks.
cat >table1.csv <<'EOF'
app,mb,copies,instructions,sms
BFS,268.75,30,2.37,16
BP,-,73,0.90,1
HS,600,49,37.70,16
SRAD,-,42,1.80,1
MD,3.52,5,0.30,1
CUTCP,-,4,63.93,16
SPMV,29.45,6,4.19,16
HISTO,11.85,9,0.7,16
MRI-Q,4.95,1,6.97,16
LBM,520.75,50,0.61,16
EOF
bad=$(sqlite3 :memory: ".import --csv table1.csv wanted" "
WITH suite AS (SELECT s.value AS j FROM json_each(readfile('$SOURCE_DIR/workloads/papers/cqos.json'), '\$.suites') AS s
    WHERE s.value ->> 'name' = 'table-1-repeated'),
app AS (SELECT a.value ->> 'name' AS name, a.value ->> 'solo_ms' AS solo, a.value -> '\$.app.synthetic' AS s
    FROM suite, json_each(j, '\$.apps') AS a),
part AS (SELECT name, solo, s ->> 'kernels' AS kernels, s ->> 'duration_ms' AS ms,
    (s ->> 'kernels') / coalesce(s ->> 'copies_around', s ->> 'kernels') * ((s ->> 'bytes_in') + (s ->> 'bytes_out')) AS bytes FROM app),
whole AS (SELECT name, solo, bytes, kernels * ms AS kernel_ms, bytes / 16e6 AS copy_ms FROM part)
SELECT app, bytes / 1048576.0, 100 * copy_ms / (copy_ms + kernel_ms), kernel_ms, solo
FROM wanted LEFT JOIN whole ON name = app
WHERE name IS NULL OR (mb <> '-' AND abs(bytes / 1048576.0 / mb - 1) > 0.01)
   OR abs(100 * copy_ms / (copy_ms + kernel_ms) - copies) > 0.05
   OR abs((copy_ms + kernel_ms) / solo - 1) > 1e-3
   OR instructions * 1e12 / kernel_ms > sms * 4 * 32 * 1.4e9 * 1.001") || fail "sqlite3"
[ -z "$bad" ] || fail "not as in Table 1 (application, MB, share of copies, ms of kernels, ms alone): $bad"
# Suite table-1-copies has the same bytes, in as many copies as an execution has (to 0.1 %: HISTO's are counted anew).
bad=$(sqlite3 :memory: "
WITH suite AS (SELECT s.value AS j FROM json_each(readfile('$SOURCE_DIR/workloads/papers/cqos.json'), '\$.suites') AS s),
whole AS (SELECT a.value ->> 'name' AS name, (a.value ->> '\$.app.synthetic.bytes_in') + (a.value ->> '\$.app.synthetic.bytes_out') AS bytes
    FROM suite, json_each(j, '\$.apps') AS a WHERE j ->> 'name' = 'table-1-repeated'),
copies AS (SELECT c.key AS name, (SELECT sum(value) FROM json_each(c.value, '\$.synthetic.bytes_in'))
        + (SELECT sum(value) FROM json_each(c.value, '\$.synthetic.bytes_out')) AS bytes
    FROM suite, json_each(j, '\$.change') AS c WHERE j ->> 'name' = 'table-1-copies')
SELECT name, whole.bytes, copies.bytes FROM whole LEFT JOIN copies USING (name)
WHERE copies.bytes IS NULL OR abs(copies.bytes / CAST(whole.bytes AS REAL) - 1) > 1e-3") || fail "sqlite3"
[ -z "$bad" ] || fail "not the bytes of table-1-repeated (application, its bytes, those of its copies): $bad"
[ "$failures" -eq 0 ]
