#!/usr/bin/env bash
# Every command of the documentation runs: each line that starts with "cotenant " in a block marked "sh" in README.md
# and docs/, page by page in an empty folder beside the shipped workloads and traces. (Blocks with another mark, such as
# "text" or "console", show what needs the reader's own files.)
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$COTENANT" "$scratch/bin/cotenant"
export PATH=$scratch/bin:$PATH
failures=0
count=0

# commands_of PAGE: the lines, continued ones joined.
commands_of() {
    awk '/^```/ { inside = !inside && $0 == "```sh"; next }
         !inside { next }
         { line = line $0 }
         /\\$/ { sub(/\\$/, "", line); next }
         { if (line ~ /^cotenant /) print line; line = "" }' "$1"
}

# page_folder PAGE: a fresh folder to run in; prints its name.
page_folder() {
    local folder
    folder=$scratch/$(tr '/' '_' <<<"$1")
    mkdir -p "$folder"
    for shipped in workloads traces examples; do
        [ ! -d "$SOURCE_DIR/$shipped" ] || ln -s "$SOURCE_DIR/$shipped" "$folder/$shipped"
    done
    printf '%s\n' "$folder"
}

cd "$SOURCE_DIR" || exit 1
pages=$(find README.md docs -name '*.md' 2>/dev/null | grep -v '^docs/decisions/' | sort)
for page in $pages; do
    folder=$(page_folder "$page")
    while IFS= read -r command; do
        [ -n "$command" ] || continue
        count=$((count + 1))
        if ! (cd "$folder" && eval "$command") >"$scratch/out" 2>&1 </dev/null; then
            echo "$page: does not run: $command"
            tail -5 "$scratch/out"
            failures=$((failures + 1))
        fi
    done <<<"$(commands_of "$page")"
done
echo "$count commands, $failures fail"
[ "$count" -gt 0 ] || { echo "the documentation shows no command"; exit 77; }
[ "$failures" -eq 0 ]
