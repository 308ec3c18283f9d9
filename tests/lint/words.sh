#!/usr/bin/env bash
# No notes of unfinished work, no paths of one machine, no tabs or blanks at the end of a line in text files.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

# Written so that this file does not find itself.
unfinished='TO''DO|FIX''ME|XX''X|HA''CK'
machine='(^|[^A-Za-z0-9_.])/(wo''rk|ho''me|tm''p/build|ro''ot)(/|$|[^A-Za-z0-9_])'
files=$(lint_files '\.([ch]|sh|bash|awk|md|json|txt|cmake|gp|gnuplot|in|1|m?js|css|html)$|^(scripts|\.ci)/')
files=$(grep -vE '^(src/figures/page/plot\.js|tests/fuzz/corpus|tests/[a-z]+/data)/' <<<"$files")
# shellcheck disable=SC2086  # file names have no blanks
lint_report "$(grep -nEw "$unfinished" $files /dev/null | sed 's|$|   <- unfinished|')"
# shellcheck disable=SC2086
lint_report "$(grep -nE "$machine" $files /dev/null | sed 's|$|   <- a path of one machine|')"
# shellcheck disable=SC2086
lint_report "$(grep -nE '[[:blank:]]+$' $files /dev/null | sed 's|$|   <- blanks at the end|')"
lint_end "words" "$(wc -w <<<"$files")"
