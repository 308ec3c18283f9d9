#!/usr/bin/env bash
# Results of runs are kept from one call to the next: the same bytes with and without, from one or from several at a time; what decides
# a result makes another one; and nothing that is wrong with the folder is wrong with a run.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_CACHE=$PWD/cache/deep/in
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces

cat >w.json <<'END'
{"schema": "cotenant.workload/1", "gpu": "h100", "duration_s": 0.5, "warmup_s": 0.1,
 "apps": [{"name": "q", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 60},
           "synthetic": {"kernels": 4, "blocks": 132, "threads": 256, "duration_ms": 1}},
          {"name": "b", "synthetic": {"kernels": 10, "blocks": 400, "threads": 256, "duration_ms": {"dist": "lognormal", "mean": 2, "cv": 0.5}}}]}
END
"$COTENANT" check w.json -q >/dev/null 2>err || fail "the workload: $(cat err)"

files() { find cache -type f | wc -l; }
# told ARGUMENT...: what the program says of it, on both streams, with its exit code.
told() { "$COTENANT" "$@" -q >out 2>&1; echo "$?" >>out; cat out; }
# same ARGUMENT...: as without the folder, twice.
same() {
    COTENANT_CACHE='' told "$@" >wanted
    [ "$(tail -1 wanted)" = 0 ] || fail "$*: $(tail -2 wanted)"
    told "$@" | cmp -s - wanted || fail "$*: other bytes than without the folder"
    local before
    before=$(files)
    told "$@" | cmp -s - wanted || fail "$*: other bytes the second time"
    [ "$(files)" = "$before" ] || fail "$*: the second time runs anew"
}

# Every policy of this GPU, reports in every form.
for policy in $("$COTENANT" list policies --format csv -q | awk -F, 'NR > 1 { print $1 }'); do
    same run w.json --policy "$policy" --format json
done
for form in text csv markdown; do same run w.json --policy mps --format $form; done
same compare w.json --policies mps,priority,baymax,laius --reps 3
same run w.json --precision 20% --max-reps 12
same run w.json --fidelity block
[ "$(files)" -gt 50 ] || fail "$(files) files are kept"

# What is kept is taken: nothing is run that takes long.
long=(run w.json --policy baymax --set duration_s=200 -q)
"$COTENANT" "${long[@]}" >out1 || fail "the long one"
([ "${COTENANT_SMALL:-0}" = 0 ] && ulimit -t 1 # of a core; sanitizers and valgrind take many times as long
    exec "$COTENANT" "${long[@]}") >out2 || fail "the long one again takes more than a second"
cmp -s out1 out2 || fail "the long one again: other bytes"

# What decides a result: each makes another one, here and without the folder.
# shellcheck disable=SC2089,SC2090  # words without blanks
for changed in "--seed 2" "--set gpu=a100" "--set apps.q.qos_ms=1" "--set apps.q.arrivals.rate_per_s=61" "--set duration_s=0.6" "--fidelity block" "--policy mps-even" \
    "--policy baymax:margin=0.3" "--set apps.b.kernels=[{\"match\":\"*\",\"dram_fraction\":0.9}]" "--set predictor=oracle" "--no-blame"; do
    # shellcheck disable=SC2086,SC2090
    same run w.json $changed
done
echo "first: app.service" >mine.rule
echo "pass: no kernel(\"*\") or issued.service + issued.batch < 1" >other.rule
told run w.json --policy rule:file=mine.rule >first
cp other.rule mine.rule
told run w.json --policy rule:file=mine.rule >second
cmp -s first second && fail "both rules do the same, so that nothing is tried"
COTENANT_CACHE='' told run w.json --policy rule:file=mine.rule | cmp -s - second || fail "an edited rule"

# What is wanted besides is run: records, and the user's own code.
"$COTENANT" run w.json --policy mps -q -o r.db >/dev/null && [ "$(sqlite3 r.db 'SELECT count(*) FROM job')" -gt 0 ] || fail "no jobs in the store"
"$COTENANT" run w.json --policy mps -q --timeline t.json >/dev/null && [ -s t.json ] || fail "no time line"

# --no-cache keeps nothing.
rm -rf cache
"$COTENANT" run w.json --no-cache -q >out && [ ! -e cache ] || fail "--no-cache"
cmp -s out <(COTENANT_CACHE='' "$COTENANT" run w.json -q) || fail "--no-cache gives other bytes"

# Damage is as if nothing was there, whatever it is.
"$COTENANT" run w.json -q >wanted
for damage in 'truncate -s 10' 'truncate -s -1' 'truncate -s 0' "sed -i s/ctrun/ctruN/" "sed -i 1s/\$/x/" 'cp /bin/true' 'rm -f'; do
    find cache -type f | while read -r file; do
        case $damage in cp*) cp /bin/true "$file" ;; *) $damage "$file" ;; esac
    done
    "$COTENANT" run w.json -q 2>err | cmp -s - wanted || fail "after '$damage': other bytes, $(cat err)"
    [ ! -s err ] || fail "after '$damage' it says $(cat err)"
done
first=$(find cache -type f | head -1)
for other in $(find cache -type f | tail -n +2); do cp "$other" "$first"; done
"$COTENANT" run w.json -q | cmp -s - wanted || fail "a result under another's name was taken"
find cache -type f -exec sh -c 'rm "$1"; mkdir "$1"' _ {} \;
"$COTENANT" run w.json -q | cmp -s - wanted || fail "folders in place of files"
rm -rf cache && mkdir -p cache/deep && : >cache/deep/in
"$COTENANT" run w.json -q 2>err | cmp -s - wanted || fail "a file in place of the folder"
[ ! -s err ] || fail "a file in place of the folder: it says $(cat err)"
rm -rf cache

# Beyond 512 MiB those that were used longest ago are removed, and no file of another name.
"$COTENANT" run w.json -q >/dev/null
truncate -s 300M "cache/deep/in/$(printf '%032d' 1).run" "cache/deep/in/$(printf '%032d' 2).run" cache/deep/in/mine
touch -d '2 days ago' cache/deep/in/*1.run
"$COTENANT" run w.json --policy priority -q >/dev/null
[ ! -e "cache/deep/in/$(printf '%032d' 1).run" ] && [ ! -e "cache/deep/in/$(printf '%032d' 2).run" ] && [ -e cache/deep/in/mine ] ||
    fail "too much is kept: $(ls -s cache/deep/in)"
rm -rf cache

# Eight at a time, from nothing.
for i in 1 2 3 4 5 6 7 8; do "$COTENANT" run w.json -q >at$i & done
wait
for i in 1 2 3 4 5 6 7 8; do cmp -s at$i wanted || fail "of eight at a time, the ${i}th"; done

# Without a folder of one's own: XDG_CACHE_HOME, or ~/.cache.
env -u COTENANT_CACHE XDG_CACHE_HOME="$PWD/x" HOME="$PWD/h" "$COTENANT" run w.json -q >/dev/null
[ -d x/cotenant/runs ] && [ ! -e h ] || fail "XDG_CACHE_HOME"
env -u COTENANT_CACHE -u XDG_CACHE_HOME HOME="$PWD/h" "$COTENANT" run w.json -q >/dev/null
[ -n "$(ls h/.cache/cotenant/runs)" ] || fail "~/.cache"
env -u COTENANT_CACHE -u XDG_CACHE_HOME -u HOME "$COTENANT" run w.json -q | cmp -s - wanted || fail "without a home"

# Another GSL draws and fits otherwise: what is kept of one is not of the other. (A program that is linked with it for good knows one.)
rm -rf cache
"$COTENANT" run w.json -q >/dev/null
before=$(files)
echo 'const char *gsl_version = "9.9";' >gsl.c
if ldd "${BUILD_DIR:-.}/src/cli/cotenant" 2>/dev/null | grep libgsl >/dev/null && cc -shared -fPIC -o gsl.so gsl.c 2>/dev/null &&
    LD_PRELOAD=$PWD/gsl.so "$COTENANT" --version >/dev/null 2>&1; then
    LD_PRELOAD=$PWD/gsl.so "$COTENANT" run w.json -q | cmp -s - wanted || fail "with a GSL of another name"
    [ "$(files)" = $((2 * before)) ] || fail "$(files) files, not twice $before, of another GSL"
fi
[ "$failures" -eq 0 ]
