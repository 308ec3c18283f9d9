#!/usr/bin/env bash
# Every key of every option table, and all that a rule can read, stands in the documentation, between backticks.
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
lint_end "options" "$(grep -c . <<<"$keys")"
