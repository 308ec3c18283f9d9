#!/usr/bin/env bash
# Every command of the documentation runs: each fenced block marked "sh" of every page is a script, and the blocks of a
# page run in their order in one empty folder beside the shipped workloads, traces and examples. Words behind the mark:
# "sh slow" takes longer than a test may: it is begun, so that what its commands do not take is found, and stopped after a second; with
# COTENANT_DOCS_SLOW=1 it runs to its end; "sh exit=3" ends with that code. A block marked "text"
# that follows one of these, with nothing but blank lines between, is what it prints; a line "..." there stands for any lines.
# A block marked with a language and a name, such as "c mine.c", is a part of that file. A line that starts with "cotenant " in another block is an error: nothing would run it. What a page takes for granted,
# such as the reader's own recordings, is made by tests/cli/docs/PAGE.bash.
# With names of pages as arguments, only these. COTENANT_DOCS_WRITE=1 renews what pages show.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit_s=600 # of a block: no command hangs
begun_s=1   # of a slow one
[ "${COTENANT_DOCS_SLOW:-0}" != 1 ] || limit_s=7200

# run_block BLOCK FOLDER SECONDS: the script stops at the first command that fails, and says which; code 124: it was stopped.
run_block() {
    {
        printf '%s\n' 'set -eo pipefail' "trap 'echo \"does not run: \$BASH_COMMAND\" >&3' ERR"
        cat "$1"
    } >"$1.sh"
    (cd "$2" && timeout "$3" bash "$1.sh" </dev/null >"$1.out" 2>"$1.err" 3>"$1.failed")
}

# check_block PAGE FOLDER BLOCK LINE MARK: runs a block and compares what it printed with what the page shows.
check_block() {
    local page=$1 folder=$2 block=$3 line=$4 mark=$5 expected=0 code=0
    [[ $mark =~ exit=([0-9]+) ]] && expected=${BASH_REMATCH[1]}
    if [[ $mark == *slow* && ${COTENANT_DOCS_SLOW:-0} != 1 ]]; then
        run_block "$block" "$folder" "$begun_s" || code=$?
        [ "$code" = 124 ] && return 0
    else
        run_block "$block" "$folder" "$limit_s" || code=$?
    fi
    if [ "$code" != "$expected" ]; then
        echo "$page:$line: ends with code $code, not $expected: $(cat "$block.failed")"
        tail -5 "$block.err"
        return 1
    fi
    [ ! -f "$block.text" ] && return 0
    awk -f "$here/doc_output.awk" "$block.text" "$block.out" >"$block.diff" && return 0
    echo "$page:$line: does not print what the page shows:"
    head -20 "$block.diff"
    [ "${COTENANT_DOCS_WRITE:-0}" != 1 ] || python3 "$here/doc_write.py" "$page" "$block.text" "$block.out"
    return 1
}

# check_page PAGE: prints what is wrong; writes the counts (commands, skipped, failures, outputs) to PAGE.count.
check_page() {
    local page=$1 name commands=0 skipped=0 failures=0 outputs=0 folder blocks number line count mark
    name=$(tr '/' '_' <<<"$page")
    folder=$scratch/$name
    blocks=$scratch/$name.blocks
    mkdir -p "$folder" "$blocks"
    for shipped in workloads traces examples; do
        ln -s "$SOURCE_DIR/$shipped" "$folder/$shipped"
    done
    if ! awk -v blocks="$blocks" -v folder="$folder" -v page="$page" -f "$here/doc_blocks.awk" "$SOURCE_DIR/$page" >"$scratch/$name.log"; then
        failures=$((failures + 1))
    fi
    if [ -f "$here/docs/$name.bash" ]; then
        # shellcheck source=/dev/null
        (cd "$folder" && . "$here/docs/$name.bash") || { echo "$page: cannot be prepared"; failures=$((failures + 1)); }
    fi >>"$scratch/$name.log" 2>&1
    while read -r number line count mark; do
        commands=$((commands + count))
        if [[ $mark == *slow* && ${COTENANT_DOCS_SLOW:-0} != 1 ]]; then
            skipped=$((skipped + count))
        elif [ -f "$blocks/$number.text" ]; then
            outputs=$((outputs + 1))
        fi
        check_block "$page" "$folder" "$blocks/$number" "$line" "$mark" >>"$scratch/$name.log" || failures=$((failures + 1))
    done <"$blocks/list"
    rm -rf "$folder"
    echo "$commands $skipped $failures $outputs" >"$scratch/$name.count"
}

if [ "${1-}" = --page ]; then
    check_page "$2"
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$COTENANT" "$scratch/bin/cotenant"
# Policies are built as a user does it, from what is installed.
cmake --install "$BUILD_DIR" --prefix "$scratch/installed" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/installed" -name cotenant.pc)")
export COTENANT_CACHE=$scratch/kept # what several pages simulate is simulated once
export scratch PKG_CONFIG_PATH PATH=$scratch/bin:$PATH COTENANT_SOURCE=$SOURCE_DIR
unset COTENANT_TRACE_PATH COLUMNS

cd "$SOURCE_DIR" || exit 1
pages=$*
[ -n "$pages" ] || pages=$(find . -name '*.md' -not -path './build/*' -not -path './tests/*' | sed 's|^\./||' | sort)
# shellcheck disable=SC2086  # file names have no blanks
printf '%s\n' $pages | xargs -P 2 -n 1 bash "${BASH_SOURCE[0]}" --page
commands=0 skipped=0 failures=0 outputs=0
for page in $pages; do
    name=$(tr '/' '_' <<<"$page")
    cat "$scratch/$name.log"
    read -r page_commands page_skipped page_failures page_outputs <"$scratch/$name.count" || page_failures=1
    commands=$((commands + page_commands)) skipped=$((skipped + page_skipped))
    failures=$((failures + page_failures)) outputs=$((outputs + page_outputs))
done
echo "$commands commands, of which $skipped are slow and only begun without COTENANT_DOCS_SLOW=1; $outputs outputs compared; $failures wrong"
[ "$commands" -gt 0 ] && [ "$failures" -eq 0 ]
