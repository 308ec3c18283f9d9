#!/usr/bin/env bash
# Stores and workloads of strangers: reading them deletes nothing, writes nothing, runs nothing, and ends.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
command -v sqlite3 >/dev/null || { echo "no sqlite3 here"; exit 77; }
workload 1
"$COTENANT" run w.json --policy baymax -o clean.db -q >/dev/null 2>&1 || fail "no result store was made"
"$COTENANT" run w.json -o clean.db --set duration_s=0.5 -q >/dev/null 2>&1 || fail "no second run was stored"
cp "$SOURCE_DIR/traces/h100-inference.db" traces.db

# refused PATTERN COMMAND...: exit code 1 to 3 within 20 s, and what standard error says.
refused() {
    local pattern=$1 is
    shift
    timeout 20 "$@" >out.txt 2>err.txt
    is=$?
    checks=$((checks + 1))
    [ $is -ge 1 ] && [ $is -le 3 ] || fail "$*: exit code $is: $(head -c 300 err.txt)"
    grep -E -- "$pattern" err.txt >/dev/null || fail "$*: no '$pattern' in: $(head -c 300 err.txt)"
}

# A journal whose last page is the super-journal's name: magic number, count of pages, nonce, pages before, sector, page size.
# journal DATABASE NAME
journal() {
    local sum=0 i
    for ((i = 0; i < ${#2}; i++)); do sum=$((sum + $(printf '%d' "'${2:i:1}"))); done
    {
        printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7'
        printf '\0\0\0\0\0\0\0\1'
        printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((pages >> 24 & 255)) $((pages >> 16 & 255)) $((pages >> 8 & 255)) $((pages & 255)))"
        printf '\0\0\2\0\0\0\x10\0'
        head -c 484 /dev/zero
        printf '\x40\0\0\0%s' "$2"
        printf "$(printf '\\x00\\x00\\x%02x\\x%02x' $((${#2} >> 8)) $((${#2} & 255)))"
        printf "$(printf '\\x00\\x00\\x%02x\\x%02x' $((sum >> 8 & 255)) $((sum & 255)))"
        printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7'
    } >"$1-journal"
}

for store in clean.db traces.db; do
    cp $store victim.db
    pages=$(sqlite3 victim.db 'PRAGMA page_count')
    echo "years of work" >precious.txt
    journal victim.db "$PWD/precious.txt"
    cp victim.db-journal kept-journal
    # The reproducer is one: SQLite itself deletes the file.
    sqlite3 victim.db 'PRAGMA schema_version' >/dev/null 2>&1
    [ -e precious.txt ] && fail "$store: the crafted journal deletes nothing: this test proves nothing"
    readers=("report" "explain" "html -o x.html" "plot -o x" "timeline -o x.json")
    [ $store = traces.db ] && readers=("trace show" "trace check")
    for command in "${readers[@]}"; do
        cp $store victim.db
        cp kept-journal victim.db-journal
        echo "years of work" >precious.txt
        # shellcheck disable=SC2086  # one word per word
        refused "not opened: SQLite would delete the file that its journal names" "$COTENANT" $command victim.db
        expect "$command: the file that the journal names" "years of work" "$(cat precious.txt 2>&1)"
        ln -sf victim.db link.db
        # shellcheck disable=SC2086
        refused "not opened: SQLite would delete" "$COTENANT" $command link.db
    done
done
cp clean.db victim.db
cp kept-journal victim.db-journal
refused "not opened: SQLite would delete" "$COTENANT" run w.json -o victim.db
expect "run -o: the file that the journal names" "years of work" "$(cat precious.txt 2>&1)"
rm -f victim.db-journal

# Reading leaves the store as it was, and needs no right to write.
cp clean.db still.db
chmod 444 still.db
touch -d 2001-01-01 still.db
for command in report explain; do
    "$COTENANT" $command still.db >/dev/null 2>&1 || fail "$command of a store that is read-only"
done
expect "a store that was read" "$(stat -c %Y clean.db | xargs -I{} echo 978307200)" "$(TZ=UTC stat -c %Y still.db)"
cmp clean.db still.db || fail "reading changed the store"

# Not even the files that SQLite makes beside a store with a write-ahead log; nor is a user's file taken for a journal.
mkdir beside
cp clean.db beside/wal.db && cp traces.db beside/traces.db
sqlite3 beside/wal.db 'PRAGMA journal_mode = WAL' >/dev/null && sqlite3 beside/traces.db 'PRAGMA journal_mode = WAL' >/dev/null
for command in "report beside/wal.db" "explain beside/wal.db" "html beside/wal.db -o x.html" "plot beside/wal.db -o x" \
    "trace show beside/traces.db" "trace check beside/traces.db"; do
    # shellcheck disable=SC2086
    "$COTENANT" $command >/dev/null 2>err.txt || fail "$command: $(cat err.txt)"
    expect "$command: files beside it" "traces.db wal.db" "$(ls beside | tr '\n' ' ' | sed 's/ $//')"
done
echo changes >beside/wal.db-wal
refused "changes to it lie in the file beside it" "$COTENANT" report beside/wal.db
expect "what was taken for a log" changes "$(cat beside/wal.db-wal)"
# Nor is a pipe waited for, beside a store or by a name that stands in a file.
mkfifo clean.db-journal pipe pipe.json
for command in "report clean.db" "run w.json -o clean.db"; do
    # shellcheck disable=SC2086
    refused "the file beside it whose name ends in '-journal' is no journal" "$COTENANT" $command
done
rm clean.db-journal
for key in '"gpu": {"base": "v100", "dram": "pipe"}' '"gpu": {"base": "v100", "contention": "pipe.json"}'; do
    sed "s|\"gpu\": \"v100\"|$key|" w.json >waits.json
    refused "pipe" "$COTENANT" check waits.json
done
sed 's|"poisson", "rate_per_s": 100|"trace", "file": "pipe", "column": "s"|' w.json >waits.json
refused "no file 'pipe'" "$COTENANT" check waits.json
echo '{"schema": "cotenant.sweep/1", "name": "s", "workload": "pipe", "policies": ["mps"], "designs": [{"grid": {"seed": [1]}}]}' >waits.json
refused "no workload 'pipe'" "$COTENANT" sweep waits.json -o s.db
cp clean.db forged.db
sqlite3 forged.db "UPDATE run SET config = replace(config, '\"workload\":\"w.json\"', '\"workload\":\"pipe\"')"
refused "the run was made from 'pipe', which is no file" "$COTENANT" explain forged.db --run 1 --what-if \
    "$(sqlite3 clean.db "SELECT min(d.number) FROM decision AS d JOIN decision_kind AS k ON k.number = d.kind WHERE run = 1 AND verb LIKE 'issue%'")"
: >empty.db
for store in clean.db empty.db; do
    echo "years of work" >$store-journal
    for command in "report" "run w.json -o"; do
        # shellcheck disable=SC2086
        refused "would delete the file beside it" "$COTENANT" $command $store
    done
    expect "what was taken for a journal of $store" "years of work" "$(cat $store-journal 2>&1)"
    rm -f $store-journal
done

# forge SQL: the store of results with something of a stranger's in it, forged.db.
forge() {
    cp clean.db forged.db
    sqlite3 forged.db "$1" || fail "sqlite3: $1"
}

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT'
forge "DROP TABLE notice; CREATE VIEW notice AS $endless 1 AS run, i AS position, 'x' AS text FROM n"
refused "cannot read the results: (access to view|no such table)" "$COTENANT" report forged.db
forge "DROP VIEW v_notes; CREATE VIEW v_notes AS $endless 1 AS run, i AS decision, 0 AS position, 'k' AS key, 1 AS value FROM n"
timeout 20 "$COTENANT" explain forged.db >/dev/null 2>&1 || fail "a view of the file's own was read, or it is missed"
forge "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM job; END"
"$COTENANT" run w.json -o forged.db --set seed=2 -q >/dev/null 2>&1 || fail "run into a store with a trigger"
expect "jobs that a trigger would delete" 1 "$(sqlite3 forged.db 'SELECT count(*) > 100 FROM job WHERE run = 1')"
forge "DROP TABLE notice; CREATE VIRTUAL TABLE notice USING fts5(run, position, text)"
refused "virtual tables or computed columns" "$COTENANT" report forged.db
forge "ALTER TABLE run ADD COLUMN heavy AS (hex(zeroblob(100000000)))"
refused "virtual tables or computed columns" "$COTENANT" report forged.db
forge "DROP TABLE notice; CREATE TABLE notice(run, position, text); DELETE FROM blame; DROP TABLE blame;
    CREATE TABLE blame(run, app, position, cause, ms)"
"$COTENANT" report forged.db >/dev/null 2>&1 || fail "tables of other types, without rows, are no damage"

# Whatever table it stands for, a view is not read, and what is said of it is not that memory ran out.
"$COTENANT" compare w.json --policies mps,fifo --reps 2 -q -o compared.db >/dev/null || fail "no comparison was stored"
for table in $(sqlite3 compared.db "SELECT name FROM sqlite_master WHERE type = 'table'"); do
    cp compared.db forged.db
    sqlite3 forged.db "CREATE TEMP TABLE c AS SELECT group_concat('i AS ' || name) AS names FROM pragma_table_info('$table')" \
        "SELECT 'DROP TABLE $table; CREATE VIEW $table AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '
            || names || ' FROM n' FROM c" >forge.sql && sqlite3 forged.db <forge.sql || fail "sqlite3: a view $table"
    for command in report explain "html -o x.html"; do
        # shellcheck disable=SC2086
        timeout 20 "$COTENANT" $command forged.db >out.txt 2>err.txt
        is=$?
        [ $is -eq 0 ] || [ $is -eq 3 ] || fail "$command of a view $table: exit code $is"
        grep -q "out of memory" err.txt && fail "$command of a view $table: $(cat err.txt)"
    done
done
cp clean.db forged.db
sqlite3 forged.db "CREATE TABLE long(a); PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE long(a) /*' || hex(zeroblob(1000000)) || '*/' WHERE name = 'long'"
refused "damaged" "$COTENANT" report forged.db

# Text where a number stands is damage, not 0; so are numbers that cannot be.
for column in "system SET stp = 'x'" "system SET antt = x'00'" "run SET reps = -3" "run SET reps = 'many'" "app SET qos_met = 7" \
    "app SET role = 9" "app SET jobs = 'all'" "run SET key = 'x'" "run SET duration_s = 'long'" "app SET run = 'x' || run" \
    "app SET position = position + 10" "device SET run = run - 5" "counter SET run = 1e300 * run" "counter SET position = 'x' || position" \
    "blame SET app = 'x' || app" "notice SET run = run + 99"; do
    forge "UPDATE $column"
    refused "damaged" "$COTENANT" report forged.db
done
# Nor are numbers that no report has: the reader names the column, the row and the table.
for number in -1 1e300 -9e999; do
    for column in system.stp system.fairness app.latency_ms_p99 app.throughput_per_s app.late_fraction blame.ms \
        kernels.time_fraction run.warmup_s difference.p; do
        cp "$([ $column = difference.p ] && echo compared.db || echo clean.db)" forged.db
        sqlite3 forged.db "UPDATE ${column%.*} SET ${column#*.} = $number" || fail "sqlite3: $column"
        refused "damaged or cut off: column '${column#*.}' in row 1 of '${column%.*} " "$COTENANT" report forged.db
    done
done
forge "UPDATE system SET fairness = 1.01"
refused "column 'fairness' in row 1 of 'system WHERE run = 1'" "$COTENANT" report forged.db
# More SMs and bandwidth than there are, which a run's own check of conservation would have found.
for column in sm_utilisation dram_utilisation; do
    forge "UPDATE system SET $column = 1.01"
    refused "damaged" "$COTENANT" report forged.db
    forge "UPDATE system SET $column = 1.01, conservation = 'more SMs or bandwidth were used than there are'"
    "$COTENANT" report forged.db >/dev/null || fail "a run that breaks its check of conservation by $column"
done
# What nobody did is infinitely slow; what a policy counts itself can be any number.
forge "UPDATE system SET antt = 9e999; UPDATE counter SET value = -1e300"
"$COTENANT" report forged.db >/dev/null || fail "an infinite slowdown, and a policy's own number"
for number in -1 1e300 9e999 -9e999; do
    for column in dram_bytes_per_s dram_fraction row_hit_rate unit_fraction achieved_occupancy instructions; do
        cp traces.db forged.db
        sqlite3 forged.db "UPDATE kernel SET $column = $number WHERE id = 2"
        refused "damaged: a kernel of application .* makes no sense: column '$column' in row 3 of 'kernel " "$COTENANT" trace show forged.db
    done
done

cp traces.db forged.db
for column in "kernel SET grid_x = 'x'" "kernel SET name = 'x'" "job SET app = app + 100" "task SET app = 'x' || app"; do
    cp traces.db forged.db
    sqlite3 forged.db "UPDATE $column"
    for command in show check; do refused "damaged" "$COTENANT" trace $command forged.db; done
done

# Data runs no code: an object that a file names is not loaded, wherever it stands.
object=$BUILD_DIR/tests/contract/policy_dies_loading.so
if [ -f "$object" ]; then
    cp "$object" evil.so
    for name in ./evil.so evil.so "$PWD/evil.so"; do
        sed "s|\"gpu\"|\"policy\": \"$name\", \"gpu\"|" w.json >policy.json
        for command in check run "compare --reps 1" plan; do
            # shellcheck disable=SC2086
            refused "policy.*: policy '$name' is code, which no file may choose to run" "$COTENANT" $command policy.json
        done
    done
    echo '{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps", "./evil.so"],
        "designs": [{"grid": {"duration_s": [1, 2]}}]}' >sweep.json
    refused "is code, which no file may choose to run" "$COTENANT" sweep sweep.json -o sweep.db
    "$COTENANT" run policy.json --allow-policy-files --isolate-policy -q >out.txt 2>err.txt
    expect "an object that was allowed is loaded: exit code" 4 $?
    mine=$BUILD_DIR/tests/contract/policy_misbehaves.so
    cp "$mine" mine.so
    "$COTENANT" run w.json --policy ./mine.so -o own.db -q >/dev/null 2>&1 || fail "run of an own policy"
    decision=$(sqlite3 own.db "SELECT d.number FROM decision AS d JOIN decision_kind AS k ON k.number = d.kind WHERE verb LIKE 'issue%' LIMIT 1")
    refused "is code, which no file may choose to run" "$COTENANT" explain own.db --what-if "${decision:-1}"
    "$COTENANT" run w.json --policy mine.so -q >/dev/null 2>err.txt || fail "an object of this folder by its name: $(cat err.txt)"
    for way in exit quick; do
        # Whose last exit counts, of many threads at once, was chance.
        for ((i = 0; i < ${COTENANT_ROUNDS:-3}; i++)); do
            "$COTENANT" compare w.json --policies "./mine.so:fault=$way,./mine.so:fault=$way:after_ms=1" --reps 16 --jobs 16 -q >out.txt 2>err.txt
            expect "many threads of a policy that end the program by $way: exit code" 4 $?
        done
        "$COTENANT" run w.json --policy ./mine.so:fault=$way -q >out.txt 2>err.txt
        expect "a policy that ends the program by $way: exit code" 4 $?
        grep -q "policy fault: it ended the program" err.txt || fail "nothing says that a policy ended the program: $(cat err.txt)"
    done
fi

# A byte order mark, as some editors write one, is no part of a text.
{ printf '\xef\xbb\xbf' && cat w.json; } >mark.json
"$COTENANT" check mark.json -q >/dev/null || fail "a byte order mark is refused"

# What import accepts, the reader reads: one table of bounds, and nothing is cut without a word.
# kineto NAME ARGUMENTS [DURATION]: a recording of one kernel.
kineto() {
    echo '{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [{"ph": "X", "cat": "kernel",
        "name": "'"$1"'", "ts": 10, "dur": '"${3:-5}"', "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1],
        '"$2"'}}]}' >one.json
}
for most in '"registers per thread": 255' '"shared memory": 2147483647'; do
    kineto k "$most"
    rm -f one.db
    "$COTENANT" import kineto one.json -o one.db -q || fail "import of $most"
    "$COTENANT" trace show one.db >/dev/null && "$COTENANT" trace check one.db >/dev/null || fail "a store with $most"
done
for beyond in 256 4294967328 288230376151711744; do
    kineto k '"registers per thread": '$beyond
    refused "kernel 'k' has $beyond registers per thread, of at most 255" "$COTENANT" import kineto one.json -o two.db
done
for beyond in 2147483648 4294967296 288230376151711744; do
    kineto k '"shared memory": '$beyond
    refused "kernel 'k' has $beyond bytes of shared memory, of at most 2147483647" "$COTENANT" import kineto one.json -o two.db
done
# An amount that is none is not taken for one that is not recorded.
for key in "registers per thread" "shared memory" bytes; do
    for wrong in -1 '"x"' true '[32]' '{"of": 32}' 1e30; do
        kineto k "\"$key\": $wrong"
        refused "event 1, 'k', has no usable '$key'" "$COTENANT" import kineto one.json -o two.db
    done
    kineto k "\"$key\": null"
    rm -f one.db
    "$COTENANT" import kineto one.json -o one.db -q || fail "import of '$key' that is null"
done
for file in '==PROF== Connected to process 9' '==WARNING== No kernels were profiled.'; do
    echo "$file" >none.csv
    for format in "" ncu; do
        # shellcheck disable=SC2086
        refused "none.csv: error: holds no kernels: ncu profiled none" "$COTENANT" import $format none.csv -o two.db --gpu v100
    done
done
# A metric that no memory has is refused as it is imported: it would make the whole store damaged.
refused "the memory throughput of kernel 'gemm.*' is impossible" "$COTENANT" import ncu \
    "$SOURCE_DIR/tests/fuzz/corpus/ncu/throughput_beyond_any_memory.csv" -o two.db --gpu v100
kineto 'a\u0000b' '"registers per thread": 1'
rm -f one.db
"$COTENANT" import kineto one.json -o one.db -q || fail "import of a name with a character 0"
expect "kernels whose name goes on behind a character 0" 1 "$("$COTENANT" trace show one.db --app one 2>&1 | grep -c 'a?b')"
# What ends before it begins is said, in every format: work is refused; of the host it counts as cut off.
kineto k '"registers per thread": 1' -5
refused "'k' has a negative duration" "$COTENANT" import kineto one.json -o two.db
sed 's/^30000,500,/30000,-500,/' "$SOURCE_DIR/tests/fuzz/corpus/nsys_csv/stats.csv" >ends.csv
refused "ends.csv:3: error: the duration is negative" "$COTENANT" import nsys ends.csv -o two.db --gpu v100
sed 's/602.605858,671.425/602.605858,-671.425/' "$SOURCE_DIR/tests/fuzz/corpus/nvprof/trace.csv" >ends.csv
refused "ends.csv:4: error: the duration is negative" "$COTENANT" import nvprof ends.csv -o two.db --gpu v100
sed 's/^Conv,1,0,98,102656/Conv,1,0,98,-102656/' "$SOURCE_DIR/tests/fuzz/corpus/orion/profile.csv" >ends.csv
refused "ends.csv:2: error: the duration is negative" "$COTENANT" import orion ends.csv -o two.db --gpu v100
# made FORMAT: the SQLite recording that the fuzz target of this format begins with, made.db.
made() {
    rm -f made.db
    sed -n '/^static const char schema/,/;$/s/^ *"\(.*\)".*/\1/p' "$SOURCE_DIR/tests/fuzz/target_$1.c" | sed 's/\\"/"/g' | sqlite3 made.db
}
while read -r format table; do
    made "$format"
    sqlite3 made.db "UPDATE $table SET end = start - 1"
    refused "made.db: $table row [0-9]+: error: the duration is negative: 'end' is before 'start'" "$COTENANT" import "$format" made.db -o two.db --gpu v100
done <<'END'
nsys CUPTI_ACTIVITY_KIND_KERNEL
nsys CUPTI_ACTIVITY_KIND_MEMCPY
nsys CUPTI_ACTIVITY_KIND_MEMSET
nsys NVTX_EVENTS
rocpd rocpd_kernel_dispatch_a
rocpd rocpd_memory_copy_a
rocpd rocpd_region_a
END
# cut_off HOW-SAID COMMAND...
cut_off() {
    local said=$1
    shift
    rm -f one.db
    "$COTENANT" import "$@" -o one.db --app a --gpu v100 >out.txt 2>&1 || fail "import of a host call that was cut off: $(cat out.txt)"
    grep -q "$said" out.txt || fail "no '$said' in: $(cat out.txt)"
}
made nsys
sqlite3 made.db "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = start - 1 WHERE rowid = 2"
cut_off "1 host calls end before they begin" nsys made.db
made rocpd
sqlite3 made.db "UPDATE rocpd_region_a SET end = start - 1 WHERE event_id = 2"
cut_off "1 host calls end before they begin" rocpd made.db
kineto k '"registers per thread": 1'
sed 's/"traceEvents": \[/&{"ph": "X", "cat": "cpu_op", "name": "o", "pid": 1, "tid": 1, "ts": 9, "dur": -1},/' one.json >ends.json
cut_off "host event that ends before it begins 1" kineto ends.json
expect "stores of refused recordings" "" "$(ls two.db* 2>/dev/null)"

# Names are data: nothing that a terminal obeys is printed, and gnuplot runs nothing of them.
sed 's/"q"/"q\\u001b[31m"/' w.json >escape.json
refused "w?escape.json:[0-9]+: error: a text has a control character" "$COTENANT" check escape.json
cp clean.db forged.db
sqlite3 forged.db "UPDATE app SET name = char(27) || '[31m' || name; UPDATE run SET workload = 'w' || char(155, 7, 127)"
for command in "report" "report --format csv" "report --format markdown" "explain"; do
    # shellcheck disable=SC2086
    "$COTENANT" $command forged.db >out.txt 2>&1
    LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out.txt >/dev/null && fail "$command prints control characters"
    grep -q '?\[31mq' out.txt || fail "$command lacks the name: $(head -3 out.txt)"
done
cp traces.db forged.db
sqlite3 forged.db "UPDATE text SET value = value || char(27) || ']0;x' || char(7); UPDATE app SET name = name || char(27, 7, 155)"
for command in "show" "list" "list --format csv" "export" "check"; do
    # shellcheck disable=SC2086
    "$COTENANT" trace $command forged.db >out.txt 2>&1
    LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out.txt >/dev/null && fail "trace $command prints control characters"
    grep -q 'vit??' out.txt || fail "trace $command lacks the name: $(head -3 out.txt)"
done
for words in "report" "html clean.db -o" "import kineto one.json -o x.db --app"; do
    # shellcheck disable=SC2086
    refused "'a\?\[31m' has a control character" "$COTENANT" $words $'a\e[31m'
done
# What a spreadsheet would run is text.
kineto k '"registers per thread": 1'
rm -f one.db
"$COTENANT" import kineto one.json -o one.db --app "=1+1" -q || fail "import of an application '=1+1'"
expect "a cell that a spreadsheet would run" "\"'=1+1\"" "$("$COTENANT" trace list one.db --format csv | sed -n '2s/,.*//p')"
if command -v gnuplot >/dev/null; then
    sed "s|\"q\"|\"a/''b;system('touch_pwned')\"|; s|\"b\", \"syn|\"a_''b;system('touch_pwned')\", \"syn|" w.json |
        sed 's|{"name": "a_.*"synthetic"|&|' >names.json
    mkdir home && echo 'system("touch started")' >home/.gnuplot
    "$COTENANT" compare names.json --policies mps,fifo --reps 2 -q -o names.db >/dev/null 2>err.txt || fail "compare: $(cat err.txt)"
    HOME=$PWD/home "$COTENANT" plot names.db -o figures >/dev/null 2>err.txt || fail "plot of names with quotes: $(cat err.txt)"
    [ -n "$(find . -name 'touch_pwned' -o -name started)" ] && fail "a name or the user's start-up file ran in gnuplot"
    [ -e "figures/latency-a=2f=27=27b=3bsystem=28=27touch_pwned=27=29.svg" ] || fail "figures: $(ls figures)"
fi

# Outputs are whole, whoever writes beside: a user's own file, a link, a second writer.
"$COTENANT" run w.json --timeline a.json -q >/dev/null && "$COTENANT" run w.json --timeline b.json --policy fifo -q >/dev/null
echo mine >t.json.part
ln -s precious.txt t.json.1-0.part
for ((i = 0; i < 20; i++)); do
    "$COTENANT" run w.json --timeline t.json -q >/dev/null &
    "$COTENANT" run w.json --timeline t.json --policy fifo -q >/dev/null &
    wait
    cmp -s t.json a.json || cmp -s t.json b.json || fail "two writers made a file that is neither's"
done
expect "a user's own file beside the output" mine "$(cat t.json.part)"
expect "what a link beside the output leads to" "years of work" "$(cat precious.txt)"
for signal in INT TERM KILL; do
    can_hold || break
    held COTENANT_HOLD_ASKED run w.json --set duration_s=1e6 --timeline killed.json -q
    kill -$signal $pid
    exec 3>&-
    wait $pid 2>/dev/null
    expect "left behind by SIG$signal" "" "$(find . -name 'killed.json*' | tr '\n' ' ')"
done
finish hostile_files
