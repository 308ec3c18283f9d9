#!/usr/bin/env bash
# docs/measured.md, measured-h100.md and measured-second.md say what is predicted now: of all rows those in time slices and their summary, of
# one GPU in fluid fidelity, with COTENANT_MEASURED=all of both GPUs, block fidelity's summary too; and what they rest on by hash. The
# others cost a minute:
# tools/measure/predict workloads/measured/h200.json tools/measure/h200/SHARED.csv --page PAGE.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces PYTHONDONTWRITEBYTECODE=1

# printed_of GPU PAGE: rows and summary as the page has them, without it.
printed_of() {
    local page=$SOURCE_DIR/docs/$2
    "$SOURCE_DIR/tools/measure/predict" "$SOURCE_DIR/workloads/measured/$1.json" "$SOURCE_DIR/tools/measure/$1/SHARED.csv" \
        --program "$COTENANT" --modes slices >printed || fail "$1: predict ends with $?"
    sed -n '/^slices,/ { s/,/ | /g; s/^/| /; s/$/ |/; p }' printed | sort >rows
    [ "$(grep -c '^| slices | [a-z]' rows)" = 64 ] || fail "$1: not 64 rows: $(grep -c '^| slices | [a-z]' rows)"
    { grep '^| slices | [a-z]' "$page" && sed -n '/^## Fluid fidelity/,/^## Block/ { /^| slices /p }' "$page"; } | sort >wanted
    diff wanted rows >differences || fail "$2 has other rows: $(head -8 differences)"
}

# rows_of GPU PAGE: the page is printed anew.
rows_of() {
    local page=$SOURCE_DIR/docs/$2
    cp "$page" page.md
    "$SOURCE_DIR/tools/measure/predict" "$SOURCE_DIR/workloads/measured/$1.json" "$SOURCE_DIR/tools/measure/$1/SHARED.csv" \
        --program "$COTENANT" --modes slices --page page.md || fail "$1: predict ends with $?"
    [ "$(grep -c '^| slices | [a-z]' page.md)" = 64 ] || fail "$1: not 64 rows: $(grep -c '^| slices | [a-z]' page.md)"
    diff <(grep '^| slices ' "$page") <(grep '^| slices ' page.md) >differences || fail "$2 has other rows: $(head -8 differences)"
}

# inputs_of PAGE WORKLOAD TABLE TRACES: nothing that a row was predicted from has changed without the others being made anew.
inputs_of() {
    local made_of
    made_of=$(cd "$SOURCE_DIR" && cat "workloads/measured/$2.json" "tools/measure/$3.csv" "traces/$4.db" | sha256sum | cut -c1-16)
    grep "^Made of inputs $made_of\.$" "$SOURCE_DIR/docs/$1" >/dev/null || fail "$1 is not of inputs $made_of"
}
# README's errors are those of the pages: median errors of the p99 in fluid, of the program and of no slowdown.
# in_readme PAGE MODE WORDS
in_readme() {
    local row
    row=$(sed -n "/^## Fluid fidelity/,/^## Block/ s/^| $2 | [0-9]* | \([0-9.]*\) |.*| \([0-9.]*\) | [0-9.]* | [0-9.]* | [0-9.]* |\$/\1 % | \2 %/p" "$SOURCE_DIR/docs/$1")
    awk -v page="($1)" -v row="| $3 | $row |" '/^\|/ { if (/\(docs/) here = index($0, "(docs/" substr(page, 2)) } here && index($0, row) { found = 1 }
        END { exit !found }' "$SOURCE_DIR/README.md" || fail "README.md has other errors than $1, $2: $row"
}
for page in measured.md measured-h100.md; do
    in_readme "$page" slices "time slices"
    in_readme "$page" mps MPS
done
in_readme measured-second.md all "streams, MPS, MPS with half of the SMs each"

if [ "${COTENANT_MEASURED:-}" = all ]; then
    rows_of h200 measured.md
    rows_of h100 measured-h100.md
else
    printed_of h200 measured.md
fi
inputs_of measured.md h200 h200/SHARED h200-apps
inputs_of measured-h100.md h100 h100/SHARED h100-apps
inputs_of measured-second.md h100-second h100/SECOND h100-second
[ "$failures" = 0 ] && echo "measured pages: all as expected"
[ "$failures" = 0 ]
