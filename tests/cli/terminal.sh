#!/usr/bin/env bash
# Manners on a terminal: 80 columns for every command, progress with the time left, colours that can be switched off, and
# what was meant by a misspelt name.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v script >/dev/null || { echo "no 'script' (Debian: bsdutils), which makes a terminal"; exit 77; }
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces
unset NO_COLOR CLICOLOR_FORCE
escape=$(printf '\033')

cat >w.json <<'JSON'
{"schema": "cotenant.workload/1", "gpu": "v100", "duration_s": 4, "warmup_s": 0.5, "apps": [
  {"name": "query", "role": "service", "qos_ms": 60, "synthetic": {"kernels": 3, "blocks": 160, "duration_ms": 1},
   "arrivals": {"process": "poisson", "rate_per_s": 30}},
  {"name": "solver", "instances": 2, "synthetic": {"blocks": 640, "duration_ms": 4}}]}
JSON
cat >s.json <<'JSON'
{"schema": "cotenant.sweep/1", "workload": "w.json", "policies": ["mps", "priority"],
 "reps": 2, "designs": [{"grid": {"apps.solver.instances": [1, 2]}}]}
JSON
cat >c.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 2, "policy": "priority",
 "profile_s": 1, "apps": [
  {"name": "query", "role": "service", "gpus": 1, "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 2},
   "arrivals": {"process": "poisson", "rate_per_s": 40}},
  {"name": "solver", "gpus": 1, "synthetic": {"blocks": 160, "duration_ms": 8}}]}
JSON
awk -v folder=. 'BEGIN {
    print "app,quota_pct,latency_ms,l2_util_pct,dram_util_pct" >"solo.csv"
    print "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms" >"pairs.csv"
    for (i = 0; i < 8; i++) printf "net%d,50,%d,%d,%d\n", i, 2 + i * 7 % 5, 5 + i * 13 % 41, 3 + i * 17 % 29 >"solo.csv"
    for (i = 0; i < 8; i++) for (j = i; j < 8; j++)
        printf "net%d,50,net%d,50,%g,%g\n", i, j, (2 + i * 7 % 5) * (1.05 + j / 100), (2 + j * 7 % 5) * (1.05 + i / 100) >"pairs.csv"
}'

# on_terminal COMMAND...: in a terminal of 80 columns; what it shows is in "seen".
on_terminal() {
    script -qec "stty cols 80 rows 24; $*" /dev/null </dev/null >seen.raw 2>&1
    local code=$?
    tr -d '\r' <seen.raw >seen
    return $code
}

export LC_ALL=C.UTF-8
narrow run w.json -o r.db --timeline run.json
narrow compare w.json --policies mps,priority --reps 3 -o compared.db
narrow sweep s.json -o swept.db
narrow plan w.json --find batch-instances:solver --policies mps --reps 4 --max-reps 4 --most 2 --set duration_s=15
narrow advise w.json --reps 2 --set duration_s=15
narrow cluster c.json
narrow report r.db
narrow report compared.db
narrow report r.db --list
narrow explain r.db --worst 2
narrow timeline r.db -o t.json
narrow html r.db -o r.html
narrow export r.db -o tables
command -v gnuplot >/dev/null && narrow plot r.db -o figures
narrow check w.json
narrow list workloads
narrow list traces
narrow show policy laius
narrow show gpu h100
narrow trace list "$SOURCE_DIR/traces/gtx1080ti.db"
narrow trace show "$SOURCE_DIR/traces/gtx1080ti.db"
narrow trace check "$SOURCE_DIR/traces/h100-inference.db"
narrow import network "$SOURCE_DIR/workloads/networks/lenet5.json" --gpu v100 -o net.db
narrow predict "$SOURCE_DIR/traces/gtx1080ti.db"
narrow calibrate solo.csv pairs.csv -o model.json --gpu v100
narrow validate solo.csv pairs.csv
narrow dram --requests 2000
narrow train --gpu gtx1080ti --colocations 20 --rounds 10 -o net.json
narrow paper hsm --list
narrow exercise
narrow exercise waves -c
commands=$("$COTENANT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
    narrow "$command" --help
    grep -E "^(command -v gnuplot .* )?narrow $command( |\$)" "$SOURCE_DIR/tests/cli/terminal.sh" >/dev/null || fail "'$command' is not looked at here"
done

# ---- wider terminals ----
long=priority:holds=unfinished:ahead=1
compared="compare w.json --policies $long,priority:holds=waiting:ahead=1 --reps 2 --quiet"
# shellcheck disable=SC2086  # words
narrow $compared
says piped "^  [a-z~:=]*~[a-z~:=1]* "
script -qec "stty cols 120 rows 24; $COTENANT $compared" /dev/null </dev/null | tr -d '\r' >seen
says seen "$long "
# shellcheck disable=SC2086
COLUMNS=120 "$COTENANT" $compared >piped
says piped "^  $long "
# A line of 160 columns has room for longer labels of a sweep's points, and Markdown, which is read elsewhere, does not go by it.
sed 's/"apps.solver.instances": \[1, 2\]/"apps.solver.synthetic.duration_ms": [2, 4], "apps.query.synthetic.duration_ms": [1]/' s.json >labels.json
"$COTENANT" sweep labels.json -q -o labels.db >narrow.txt || fail "a sweep with long labels"
says narrow.txt "^  1  +mps "
COLUMNS=160 "$COTENANT" sweep labels.json -q -o labels.db >piped
says piped "^  [a-z.]*duration_ms=2 [a-z.]*duration_ms=1  +mps "
"$COTENANT" sweep labels.json -q -o labels.db --format markdown >narrow.md
COLUMNS=160 "$COTENANT" sweep labels.json -q -o labels.db --format markdown >wide.md
cmp narrow.md wide.md || fail "Markdown goes by the width of the terminal"

# ---- progress ----
run="compare w.json --policies mps,mps-even,priority,timeslice --reps 8"
on_terminal "$COTENANT $run >/dev/null" || fail "compare on a terminal"
grep -E '#+\.*\] +[0-9]+ %  [0-9]+ s left' seen.raw >/dev/null || fail "no time left on a terminal"
[ "$(wc -l <seen)" -le 1 ] || fail "progress takes more than one line of a terminal"
grep -E '^settings +\[#*\.*\] +[0-9]+ %' <(tr '\r' '\n' <seen.raw) >/dev/null || fail "questions about settings show no progress"
tr '\r' '\n' <seen.raw | awk 'length($0) > 80 { exit 1 }' || fail "progress is wider than 80 columns"
# shellcheck disable=SC2086  # words
"$COTENANT" $run 2>notes >/dev/null
grep -E '^(compare|settings)' notes >/dev/null && fail "progress of less than a minute in a pipe: $(cat notes)"
# shellcheck disable=SC2086
"$COTENANT" $run --quiet 2>notes >/dev/null
[ -s notes ] && fail "--quiet is not silent: $(cat notes)"
on_terminal "$COTENANT $run --quiet >/dev/null"
[ -s seen ] && fail "--quiet is not silent on a terminal"

# ---- colours ----
# coloured yes|no COMMAND: the report of a missed target, and a warning on standard error.
coloured() {
    local wanted=$1 red
    shift
    on_terminal "$*"
    red=$(grep -c "$escape\[31mVIOLATED$escape\[0m" seen)
    grep VIOLATED seen >/dev/null || fail "'$*' shows no missed target"
    if [ "$wanted" = yes ]; then
        [ "$red" -ge 1 ] || fail "'$*' has no colours"
    else
        ! grep "$escape" seen >/dev/null || fail "'$*' has colours"
    fi
}
missed="$COTENANT run w.json -q --set apps.query.qos_ms=4"
export TERM=xterm
coloured yes "$missed"
coloured no "NO_COLOR=1 $missed"
coloured no "TERM=dumb $missed"
coloured no "$missed --color never"
coloured no "CLICOLOR_FORCE=1 $missed --color never"
coloured yes "NO_COLOR=1 $missed --color always"
coloured yes "$missed --color always | cat"
coloured no "$missed --color auto | cat"
coloured yes "CLICOLOR_FORCE=1 $missed | cat"
$missed --color always --format json >report.json
! grep "$escape" report.json >/dev/null || fail "colours in JSON"
# Without its colours the coloured report is the plain one.
$missed >plain
$missed --color always | sed "s/$escape\[[0-9]*m//g" >painted
cmp plain painted || fail "colours change more than colours"
on_terminal "$COTENANT report compared.db"
grep -E "$escape\[3[12]m(better|worse)$escape" seen >/dev/null || fail "no coloured verdict"
on_terminal "$COTENANT run nowhere.json"
grep "$escape\[31merror$escape" seen >/dev/null || fail "no coloured error"

# ---- misspelt names ----
# meant NAME ARGUMENT...: exit code 2, and the name is suggested.
meant() {
    local name=$1
    shift
    "$COTENANT" "$@" >/dev/null 2>notes
    [ $? -eq 2 ] || fail "'$*' does not end with 2"
    grep -F "did you mean '$name'?" notes >/dev/null || fail "'$*' does not suggest '$name': $(cat notes)"
}
sed 's/"qos_ms"/"qos_m"/' w.json >key.json
sed 's/"v100"/"v10"/' w.json >gpu.json
sed 's/"query", "role"/"query", "rol"/' w.json >role.json
meant compare comapre w.json
meant --format run w.json --formt json
meant json run w.json --format jsn
meant never run w.json --color nevr
meant baymax run w.json --policy bymax
meant priority compare w.json --policies mps,prioriy
meant margin run w.json --policy baymax:margn=0.1
meant mps compare w.json --policies mps,priority --baseline mp
meant qos_ms check key.json
meant role check role.json
meant v100 check gpu.json
meant solver run w.json --set apps.solvr.instances=2
meant instances run w.json --set apps.solver.instnces=2
meant laius show policy lauis
meant h100 show gpu h10
meant policies list policys
meant kineto import kinetto f -o t.db
meant hungarian cluster c.json --placement hungarin
meant hsm-hbm dram --preset hsm-hmb
meant solver plan w.json --find batch-instances:solvr --policies mps
meant hsm paper hsn
meant check trace chek net.db
meant leftover exercise leftovr
meant query explain r.db --app qery
[ "$failures" -eq 0 ]
