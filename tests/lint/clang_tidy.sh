#!/usr/bin/env bash
# clang-tidy over every C file of the build, with the checks of .clang-tidy; only Debian 12's version, 14, judges.
# A file that passed is not checked again until it, a header that it includes, or the checks change.
# The path-sensitive analyzer, which takes nearly all of the time, is left to `scripts/check tidy`: COTENANT_TIDY_NODES is how many
# states of a function it visits there (docs/testing.md says what that costs and finds).
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

program=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "clang-tidy is missing"; exit 77; }
if ! "$program" --version | grep >/dev/null 'version 14\.'; then
    echo "not version 14"
    exit 77
fi
database=$BUILD_DIR/compile_commands.json
[ -f "$database" ] || { echo "no compile commands in the build folder"; exit 77; }
stamps=$BUILD_DIR/clang-tidy
mkdir -p "$stamps"

# tidy_depends FILE: the file and its headers, by the file's own command line.
tidy_depends() {
    local command
    command=$(grep -F -- "-c $PWD/$1\"" "$database" | head -1 |
        sed 's/^ *"command": "//; s/",\{0,1\}$//; s/ -o .*//; s/\\"/"/g; s/\\\\/\\/g')
    eval "$command -MM -c '$PWD/$1'" 2>/dev/null | tr -d '\\' | tr ' ' '\n' | grep '^/' | sort -u
}

# tidy_key FILE OPTION...: names what the verdict depends on: the contents of the checks, the file and its headers. Or nothing.
tidy_key() {
    local depends
    depends=$(tidy_depends "$1")
    [ -n "$depends" ] || return 0
    # shellcheck disable=SC2086  # file names have no blanks
    { echo "${@:2}"; cat .clang-tidy $depends; } | sha256sum | cut -d' ' -f1
}

# tidy_check FILE: silent when clean.
tidy_check() {
    local key message options
    options=(--checks=-clang-analyzer-*)
    if [ -n "${COTENANT_TIDY_NODES:-}" ]; then
        options=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes="$COTENANT_TIDY_NODES")
    fi
    key=$(tidy_key "$1" "${options[@]}")
    if [ -n "$key" ] && [ -f "$stamps/$key" ]; then
        return 0
    fi
    if message=$("$program" --quiet -p "$BUILD_DIR" "${options[@]}" "$1" 2>/dev/null); then
        if [ -n "$key" ]; then : >"$stamps/$key"; fi
    else
        printf '%s\n' "$message"
        return 1
    fi
}
export -f tidy_depends tidy_key tidy_check
export program database stamps BUILD_DIR

# Stand-ins for the C library have the C library's reserved names.
files=$(lint_files '^(src|tests)/.*\.c$' | grep -vE 'fault/(failing_calls|jumping_clock)\.c$' | while IFS= read -r file; do
    if grep -qF -- "\"$PWD/$file\"" "$database"; then printf '%s\n' "$file"; fi
done)
xargs -r -P "$(nproc)" -I{} bash -c 'tidy_check "$1"' tidy {} <<<"$files" || lint_fail "clang-tidy complains (above)"
lint_end "clang-tidy" "$(grep -c . <<<"$files")"
