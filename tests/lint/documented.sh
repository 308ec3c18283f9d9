#!/usr/bin/env bash
# Every key of every option table, and all that a rule can read, stands in the documentation, between backticks. The tables of verbs
# and reads for authors of policies have what struct ct_host has. Numbers in the sentences that answer the questions stand in their pages.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

pages=$(lint_files '^(README\.md|docs/.*\.md)$' | grep -v '^docs/decisions/')
if [ -z "$(grep '^docs/' <<<"$pages")" ]; then
    echo "no documentation here"
    exit 77
fi
sources=$(lint_files '^src/.*\.[ch]$')
# shellcheck disable=SC2086  # file names have no blanks
keys=$(awk '
    FNR == 1 { row = "" }
    {
        row = row $0
        while (match(row, /\{[ \t]*"[a-z0-9_.-]+",[ \t]*CT_OPTION_/)) {
            key = substr(row, RSTART, RLENGTH)
            sub(/^[^"]*"/, "", key)
            sub(/".*/, "", key)
            print key, FILENAME ":" FNR
            row = substr(row, RSTART + RLENGTH)
        }
        row = substr(row, length(row) > 200 ? length(row) - 200 : 1)
    }
    match($0, /X\([A-Z_]+, "[a-z.]+"\)/) { split(substr($0, RSTART), part, "\""); print part[2], FILENAME ":" FNR }' $sources | sort -u)
while read -r key place; do
    # shellcheck disable=SC2086
    if [ -n "$key" ] && ! grep -qF -- "\`$key\`" $pages; then
        lint_fail "$place: the option \`$key\` is documented nowhere in docs"
    fi
done <<<"$keys"

header=src/abi/ct_policy.h guide=docs/policy-authors-guide.md
if [ -f "$guide" ]; then
    lint_report "$(diff <(sed -n '/^struct ct_host {/,/^};/s/.*(\*\([a-z_]*\)).*/\1/p' "$header" | sort) \
        <(awk -F'|' '/^\| verb /, /^## / { if (!/^\|/) gsub(/`[a-z_]+`/, ""); print /^\|/ ? $2 : $0 }' "$guide" | grep -oE '`[a-z_]+(\(|`)' | tr -d '`(' | sort) |
        sed -n "s|^< \(.*\)|$header: '\1' is in no table of $guide|p; s|^> \(.*\)|$guide: struct ct_host has no '\1'|p")"
fi

questions=docs/questions
if [ -f "$questions/README.md" ]; then
    while IFS='|' read -r _ _ sentence page _; do
        page=$questions/$(sed 's/.*(\(.*\)).*/\1/' <<<"$page")
        for number in $(sed 's/`[^`]*`//g' <<<"$sentence" | grep -oE '[0-9]+\.[0-9]+|[0-9]+ (%|ms|s)' | sed 's/ .*//'); do
            grep -qE "(^|[^0-9.])${number/./\\.}([^0-9]|\$)" "$page" ||
                lint_fail "$questions/README.md: $number stands in the answer, and not in $page"
        done
    done < <(grep -E '\.md\) \|$' "$questions/README.md")
fi
lint_end "options" "$(grep -c . <<<"$keys")"
