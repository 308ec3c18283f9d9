# What the lint tests share. Sourced. Only sh, awk and grep: no interpreter that Debian may lack.
set -uo pipefail
export LC_ALL=C
lint_failures=0
lint_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${SOURCE_DIR:-$lint_folder/../..}" || exit 1

# lint_files REGEX: the files of the project whose path matches; outside a git checkout all but build folders.
lint_files() {
    { git -c safe.directory='*' ls-files --cached --others --exclude-standard 2>/dev/null ||
        find . -name .git -prune -o -name 'build*' -prune -o -type f -print | sed 's,^\./,,'; } |
        grep -E "$1" | sort -u | while IFS= read -r file; do
        if [ -f "$file" ]; then printf '%s\n' "$file"; fi
    done
}

# lint_strip FILE...: prints FILE:LINE:TEXT without comments and without what stands in strings.
lint_strip() {
    awk -f "$lint_folder/strip.awk" "$@"
}

lint_fail() {
    printf '%s\n' "$*"
    lint_failures=$((lint_failures + 1))
}

# lint_report LINES: each line is one failure.
lint_report() {
    local line
    while IFS= read -r line; do
        if [ -n "$line" ]; then lint_fail "$line"; fi
    done <<<"$1"
}

# lint_end WHAT COUNT: the verdict. A lint that looked at nothing has failed.
lint_end() {
    if [ "$2" -eq 0 ]; then
        lint_fail "nothing to look at: $1"
    fi
    echo "$1: $2 looked at, $lint_failures wrong"
    [ "$lint_failures" -eq 0 ]
}
