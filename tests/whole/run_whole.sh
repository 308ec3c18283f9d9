#!/usr/bin/env bash
# Every folder SYSTEM/CASE beside this file is a whole system: a workload file, run by the program under the policy that
# `args` names, and what must be in its results, computed by hand; README.md says how. run_whole.sh SYSTEM[/CASE]...: only these.
. "$(dirname "${BASH_SOURCE[0]}")/../script_case.bash"
here=$SOURCE_DIR/tests/whole
unset COTENANT_SHARE
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces LC_ALL=C

# Every task: who, when it was handed to the device, began and ended, in milliseconds; what never came to that is "-".
tasks_query="
    SELECT format('%s %d %d %d %s %s %s', a.name, t.instance, t.job, t.task, i.ms, s.ms, e.ms)
    FROM task t JOIN app a ON a.run = t.run AND a.position = t.app, ms i, ms s, ms e
    WHERE i.ps IS t.issued_ps AND s.ps IS t.started_ps AND e.ps IS t.ended_ps
    ORDER BY t.issued_ps, a.name, t.instance, t.job, t.task"
times="
    CREATE TEMP VIEW time AS SELECT issued_ps AS ps FROM task UNION SELECT started_ps FROM task UNION SELECT ended_ps FROM task;
    CREATE TEMP VIEW ms AS SELECT ps, CASE WHEN ps IS NULL OR ps < 0 THEN '-' ELSE rtrim(rtrim(format('%.9f', ps / 1e9), '0'), '.') END AS ms FROM time;"

# whole_case FOLDER [FIDELITY]: copies, prepares, runs (at that fidelity), asks the results.
whole_case() {
    local name=${1#"$here"/}${2+, $2} work=$scratch/case query=$tasks_query expected=expected
    rm -rf "$work" && cp -r "$1" "$work" && cd "$work" || return
    if [ -f prepare ] && ! bash prepare >log 2>&1; then
        fail "$name: prepare: $(tail -1 log)"
        return
    fi
    # shellcheck disable=SC2046  # one word per argument
    if ! "$COTENANT" run workload.json $(cat args) ${2+--fidelity "$2"} --quiet -o results.db --timeline timeline.json >/dev/null 2>log; then
        fail "$name: $(tail -1 log)"
        return
    fi
    if [ -f query ]; then query=$(cat "$1/../$(cat query).sql"); fi
    [ ! -f query.sql ] || query=$(cat query.sql)
    [ ! -f "expected-${2-}" ] || expected=expected-$2
    printf '%s\n%s;\n' "$times" "$query" | sqlite3 results.db 2>&1 | tr -s ' ' >got
    sed -E '/^#/d; s/[ \t]*#.*//; s/[ \t]+/ /g; /^$/d' "$expected" >wanted
    diff -u --label "$name, by hand" --label "$name, simulated" wanted got || fail "$name"
}

count=0
for folder in "$here"/*/*/; do
    folder=${folder%/}
    case " ${*:-${folder#"$here"/}} " in *" ${folder#"$here"/} "* | *" $(basename "$(dirname "$folder")") "*) ;; *) continue ;; esac
    whole_case "$folder"
    count=$((count + 1))
    for fidelity in $(cat "$folder/also-at" 2>/dev/null); do
        whole_case "$folder" "$fidelity"
        count=$((count + 1))
    done
done
echo "$count systems, $failures failed"
[ $count -gt 0 ] && [ $failures -eq 0 ]
