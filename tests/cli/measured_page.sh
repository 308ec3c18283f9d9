#!/usr/bin/env bash
# docs/measured.md says what is predicted now: of all rows those in time slices, and what they rest on by hash. The others
# cost a minute: tools/measure/predict workloads/measured/h200.json tools/measure/h200/SHARED.csv --page docs/measured.md.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces PYTHONDONTWRITEBYTECODE=1
page=$SOURCE_DIR/docs/measured.md
cp "$page" page.md
"$SOURCE_DIR/tools/measure/predict" "$SOURCE_DIR/workloads/measured/h200.json" "$SOURCE_DIR/tools/measure/h200/SHARED.csv" --program "$COTENANT" \
    --modes slices --page page.md || fail "predict ends with $?"
[ "$(grep -c '^| slices | [a-z]' page.md)" = 64 ] || fail "not 64 rows: $(grep -c '^| slices | [a-z]' page.md)"
diff <(grep '^| slices ' "$page") <(grep '^| slices ' page.md) >differences || fail "the page has other rows: $(head -8 differences)"

# Nothing that a row was predicted from has changed without the others being made anew.
made_of=$(cat "$SOURCE_DIR"/workloads/measured/h200.json "$SOURCE_DIR"/tools/measure/h200/SHARED.csv "$SOURCE_DIR"/traces/h200-apps.db |
    sha256sum | cut -c1-16)
grep "^Made of inputs $made_of\.$" "$page" >/dev/null || fail "the page is not of inputs $made_of"
[ "$failures" = 0 ] && echo "measured page: all as expected"
[ "$failures" = 0 ]
