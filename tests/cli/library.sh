#!/usr/bin/env bash
# An installed copy is enough for a program: the C example builds with pkg-config, shared and static, and says the same as
# the program; Python's module gives rows that a data frame takes.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
installed=$scratch/opt/cotenant
cmake --install "$BUILD_DIR" --prefix "$installed" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
pc=$(find "$installed" -name cotenant.pc)
export PKG_CONFIG_PATH=${pc%/*}
library=$(pkg-config --variable=libdir cotenant)
unset COTENANT_TRACE_PATH COTENANT_SHARE
cp "$SOURCE_DIR/examples/library/compare.c" "$SOURCE_DIR/examples/library/cotenant.py" .
[ "$(wc -l <compare.c)" -lt 60 ] || fail "the example has grown to $(wc -l <compare.c) lines"

# shellcheck disable=SC2046  # words of options
"${CC:-gcc}" -std=c17 -Wall -Wextra -Werror compare.c $(pkg-config --cflags --libs cotenant) -o shared || fail "the example does not build"
# shellcheck disable=SC2046
"${CC:-gcc}" -std=c17 compare.c $(pkg-config --cflags cotenant) "$library/libcotenant.a" \
    $(pkg-config --static --libs cotenant | sed 's/-lcotenant//') -o static || fail "the example does not build with libcotenant.a"
LD_LIBRARY_PATH=$library ./shared >shared.txt 2>log || fail "the example: $(cat log)"
COTENANT_SHARE=$installed/share/cotenant ./static >static.txt 2>log || fail "the static example: $(cat log)"
cmp shared.txt static.txt || fail "shared and static differ"
LD_LIBRARY_PATH=$library ./shared apps.serch.qos_ms=3 >out 2>log && fail "a wrong key is no error"
says log "did you mean 'search'"

# The same numbers as the program's.
sed -n 's/^ *"\(.*\)".*/\1/p' compare.c | grep '^{\|^ ' | tr -d '\\\n' >mine.json
"$installed/bin/cotenant" compare mine.json --policies mps,mps-priority,baymax --reps 3 --format json --quiet >compare.json 2>log ||
    fail "compare: $(cat log)"
sqlite3 :memory: "SELECT format('%-13s p99 %6.2f ms of 12, training at %3.0f %%, STP %.2f', json_extract(r.value, '$.policy'),
        json_extract(r.value, '$.apps[0].latency_ms.p99'), 100 * json_extract(r.value, '$.apps[1].normalised_progress'),
        json_extract(r.value, '$.system.stp'))
    FROM json_each(CAST(readfile('compare.json') AS TEXT), '$.reports') r" >program.txt
diff program.txt shared.txt || fail "the library says other numbers than the program"

# Its comparison and its report are the program's, byte for byte, and what it warns of is what the program does.
cat >report.c <<'EOF'
#include <cotenant.h>
#include <ct_policy.h>
#include <stdio.h>
#include <string.h>
static void decide(struct ct_context *context, uint32_t why) {
    (void)why;
    for (const struct ct_task *t = context->host->ready_next(context, NULL); t; t = context->host->ready_next(context, t))
        context->host->issue(context, t, NULL);
}
static const struct ct_policy own = {.abi = CT_POLICY_ABI, .size = sizeof own, .name = "own", .decide = decide};
int main(int argc, char **argv) { /* POLICIES FORM RATE [BASELINE MEASURES]; own STORE RATE */
    bool mine = strcmp(argv[1], "own") == 0;
    struct ct_run_options options = {.size = sizeof options, .seed = -1, .reps = 3, .self_check = !mine};
    options.baseline = argc > 4 ? argv[4] : NULL;
    options.measures = argc > 5 ? argv[5] : NULL;
    options.store = mine ? argv[2] : NULL;
    options.record = mine ? CT_RECORD_DECISIONS : 0;
    struct ct_scenario *s = ct_scenario_file("mine.json");
    ct_scenario_set(s, "duration_s=2");
    ct_scenario_set(s, argv[3]);
    if (mine)
        ct_scenario_policy(s, &own);
    else
        ct_scenario_policies(s, argv[1]);
    struct ct_results *r = ct_scenario_run(s, &options);
    char *text = r && !mine ? ct_results_report(r, argv[2]) : NULL;
    for (size_t i = 0; i < ct_scenario_message_count(s); i++) {
        struct ct_message m = ct_scenario_message(s, i);
        fprintf(stderr, "%s: %s: %s\n", m.where, m.kind == CT_MESSAGE_WARNING ? "warning" : "?", m.text);
    }
    if (text)
        fputs(text, stdout);
    ct_text_free(text);
    ct_results_free(r);
    ct_scenario_free(s);
    return 0;
}
EOF
# shellcheck disable=SC2046
"${CC:-gcc}" -std=c17 -Wall -Wextra -Werror report.c $(pkg-config --cflags --libs cotenant) -o report || fail "report.c does not build"
rate=apps.search.arrivals.rate_per_s
compare_with() { # FORM RATE BASELINE MEASURES
    LD_LIBRARY_PATH=$library ./report mps,mps-priority,baymax "$1" "$rate=$2" "${@:3}" >library.txt 2>library.err
    "$installed/bin/cotenant" compare mine.json --policies mps,mps-priority,baymax --reps 3 --set duration_s=2 --set "$rate=$2" \
        ${3:+--baseline "$3" --measures "$4"} --format "$1" --quiet >program.txt 2>program.err
    cmp library.txt program.txt || fail "compare ${*}: the library's differs"
    diff library.err program.err || fail "compare ${*}: the library (<) and the program (>) warn of different things"
}
for form in text json csv markdown; do compare_with "$form" 80; done
compare_with csv 80 all all
compare_with csv 80 baymax targets
compare_with text 2000
grep >/dev/null 'search.*overloaded under mps' program.err || fail "nothing is overloaded"
LD_LIBRARY_PATH=$library ./report mps text "$rate=80" >library.txt
"$installed/bin/cotenant" run mine.json -p mps --reps 3 --set duration_s=2 --set "$rate=80" --quiet >program.txt
cmp library.txt program.txt || fail "run: the library's differs"

# What was in the memory of a program is not here.
LD_LIBRARY_PATH=$library ./report own own.db "$rate=80"
"$installed/bin/cotenant" explain own.db --what-if 5 >out 2>log && fail "a policy of another program's memory runs"
says log "'own' was in the memory of the program"

# What a symbol table shows is what the header declares.
grep -oE '\bct_(version|text_free|scenario_[a-z_]+|results_[a-z_]+|study_[a-z_]+)\(' "$SOURCE_DIR/src/api/cotenant.h" | tr -d '(' | sort -u >declared
nm -D --defined-only "$library/libcotenant.so" | awk '{ print $3 }' | sort -u >shown
diff declared shown || fail "declared (<) and shown (>) functions"
nm -g --defined-only "$library/libcotenant.a" | awk 'NF == 3 && $3 !~ /^_/ { print $3 }' | sort -u >shown
diff declared shown || fail "declared (<) and shown (>) functions of libcotenant.a"

# No state of its own: nothing can be written but what belongs to a thread, and what compilers and checkers put there.
objdump -t "$library/libcotenant.so" | awk '/ \.(data|bss)\t/ && $NF !~ /^(\.|_|completed\.)/' >state
[ ! -s state ] || fail "state outside the objects: $(cat state)"

cat >frame.py <<'EOF'
import sys
import warnings
import cotenant
told = []
rows = cotenant.run("mine.json", policies="mps,baymax", reps=2, set=["duration_s=2"], store="r.db", progress=told.append)
assert told and told[-1] <= 1, told
try:
    cotenant.run({"gpu": "a100", "apps": []})
    sys.exit("no error")
except cotenant.Error as error:
    assert error.messages[0][0] == "error", error.messages
for given, error, said in (({"reps": -1}, ValueError, "reps cannot be -1"), ({"seed": 2**64 + 7}, ValueError, "seed cannot be"),
                           ({"reps": 10**9}, cotenant.Error, "1000000000 replications are asked for, of 100000 at most")):
    try:
        sys.exit(f"{given}, and gives {cotenant.run('mine.json', **given)}")
    except error as raised:
        assert said in str(raised), raised
compared = cotenant.compare("mine.json", "mps,baymax,fifo", reps=2, set=["duration_s=2"], baseline="fifo")
assert {(row["policy_a"], row["policy_b"]) for row in compared} == {("fifo", "mps"), ("fifo", "baymax")}, compared
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    cotenant.run("mine.json", set=["duration_s=2", "apps.search.arrivals.rate_per_s=2000"])
assert ["overloaded" in str(w.message) and w.filename == __file__ for w in warned] == [True], warned
ended = cotenant.run("mine.json", reps=50, progress=lambda done: done < 0.1)
assert any(row["measure"] == "stp" for row in ended)
jobs = cotenant.records("mine.json", policies="mps,baymax", reps=2, set=["duration_s=2"])
assert {(job["policy"], job["replication"]) for job in jobs} == {(p, r) for p in ("mps", "baymax") for r in (0, 1)}
longest = max(job["end_ps"] - job["arrival_ps"] for job in jobs
              if job["policy"] == "mps" and job["app"] == "search" and job["arrival_ps"] > 5e11)
most = [row["value"] for row in rows if row["policy"] == "mps" and row["measure"] == "latency_ms_max" and row["app"] == "search"]
assert longest / 1e9 == most[0], (longest, most)
decisions = cotenant.records("mine.json", "decision", policies="baymax", set=["duration_s=2"])
assert any(d["notes"] for d in decisions if d["decision"] == "issue"), decisions[:3]
assert {t["kind"] for t in cotenant.records("mine.json", "task", set=["duration_s=2"])} == {"kernel"}
plan = cotenant.plan("mine.json", "batch-instances:train", policies="mps", reps=2, set=["duration_s=2"])
assert plan and {row["verdict"] for row in plan} <= {"holds", "misses", "open"}, plan
def refuse(done):
    raise ValueError("no more")
sweep = {"schema": "cotenant.sweep/1", "name": "sweep", "workload": "mine.json", "policies": ["mps"], "set": {"duration_s": 2},
         "designs": [{"grid": {"apps.train.synthetic.duration_ms": [0.5, 1, 2]}}]}
ended = cotenant.sweep(sweep, "ended.db", progress=lambda done: done < 0.6)
assert {row["point"] for row in ended} == {"1", "2"}, ended
for progress, error, said in ((refuse, ValueError, "no more"), (lambda done: False, cotenant.Error, "stopped")):
    for study in (lambda: cotenant.run("mine.json", progress=progress), lambda: cotenant.sweep(sweep, "none.db", progress=progress)):
        try:
            sys.exit(f"ended, and gives {study()}")
        except error as raised:
            assert said in str(raised), raised
cluster = {"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 1,
           "apps": [{"name": "b", "gpus": 2, "synthetic": {"duration_ms": 5}}]}
assert len(cotenant.cluster(cluster)) == 1
try:
    import pandas
except ImportError:
    print("no pandas here: the data frame is not tried")
    sys.exit()
frame = pandas.DataFrame(rows)
p99 = frame[(frame.measure == "latency_ms_p99") & (frame.app == "search")].set_index("policy").value.astype(float)
assert list(p99.index) == ["mps", "baymax"] and (p99 > 0).all(), p99
EOF
if [ -x /usr/bin/python3 ]; then
    COTENANT_LIBRARY=$library/libcotenant.so /usr/bin/python3 frame.py || fail "Python"
    [ "$(sqlite3 r.db 'SELECT count(*) FROM run')" = 6 ] || fail "two policies, two replications and their pools are not in the store"
else
    echo "no python3 here: its module is not tried"
fi
[ "$failures" -eq 0 ] && echo "a program and Python use an installed copy"
