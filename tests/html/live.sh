#!/usr/bin/env bash
# `html --live`: how it ends where the program as WebAssembly is missing, is another version, or a recording is too large or another; and
# the page in headless Chromium. Where scripts/lessons has not built that program, the native one answers.
. "$SOURCE_DIR/tests/browser_case.bash"
. "$SOURCE_DIR/tests/cli/stored_results.bash"

cat >live.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "live", "gpu": "h100", "duration_s": 1, "warmup_s": 0.1, "apps": [
  {"name": "q", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 50}, "trace": "folder/own.db#vit"},
  {"name": "b", "synthetic": {"blocks": 8640, "threads": 256, "duration_ms": 20}}]}
JSON
mkdir folder && cp "$SOURCE_DIR/traces/h100-inference.db" folder/own.db
"$COTENANT" run live.json --policy mps-caps:caps=q=60+b=40 -q -o live.db >/dev/null || fail "run"

"$COTENANT" compare live.json --policies hsm-qos,mps-priority,baymax-plus,mps-caps:caps=q=60+b=40 --reps 2 -q -o compared.db >/dev/null || fail "compare"

# A share folder of the test's own, in which the program is as the test wants it.
share() {
    rm -rf share && mkdir share && cp -r "$BUILD_DIR/share/cotenant/." share/
    rm -rf share/lessons && mkdir share/lessons
    export COTENANT_SHARE=$PWD/share
}
own=$SOURCE_DIR/build/lessons
if [ ! -f "$own/core.tar.gz" ]; then
    wants 3 'scripts/lessons --core' "$COTENANT" html live.db --live -o page.html
    [ ! -e page.html ] || fail "a page without the program"
    share
    "$COTENANT" --version | grep -o '[0-9.]*[0-9]' | head -n 1 >share/lessons/version
    echo "no program" >share/lessons/core.tar.gz
    native=native
    echo "not tried: the program as WebAssembly (scripts/lessons); the native one answers"
fi
wants 0 '1 run,' "$COTENANT" html live.db --live -o page.html
"$COTENANT" html compared.db --live -q -o compared.html || fail "html of a comparison"
"$COTENANT" html live.db -q -o plain.html || fail "html"
grep -q openEmbeddedCore plain.html && fail "a plain page holds what opens the program"
node "$SOURCE_DIR/tests/html/live.mjs" "$modules" "$chromium" "$PWD/page.html" "$PWD/compared.html" "$COTENANT" "$SOURCE_DIR" ${native-} || fail "in the browser (above)"

sqlite3 folder/own.db "CREATE TABLE padding(bytes); INSERT INTO padding VALUES (zeroblob(17000000))"
wants 3 'more than the 16 MB' "$COTENANT" html live.db --live -o large.html
sed -i 's/"duration_ms": 20/"duration_ms": 21/' live.json
wants 3 'have changed since run 1' "$COTENANT" html live.db --live -o changed.html
share
echo 0.0.0 >share/lessons/version && echo "no program" >share/lessons/core.tar.gz
wants 3 'is version 0.0.0' "$COTENANT" html live.db --live -o other.html
exit $((failures > 0))
