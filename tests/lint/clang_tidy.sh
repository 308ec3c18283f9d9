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
passed=$BUILD_DIR/clang-tidy-passed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

options=--checks=-clang-analyzer-*
if [ -n "${COTENANT_TIDY_NODES:-}" ]; then
    options="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$COTENANT_TIDY_NODES"
fi

# tidy_keys: "KEY FILE" of each file that was compiled. The key names what its verdict depends on: the contents of the checks, the file
# and its headers, as the compiler told ninja.
tidy_keys() {
    mkdir "$scratch/keys"
    ninja -C "$BUILD_DIR" -t deps 2>/dev/null >"$scratch/deps"
    { sed -n 's/^    //p' "$scratch/deps" | sort -u; echo "$PWD/.clang-tidy"; } | (cd "$BUILD_DIR" && xargs sha256sum) >"$scratch/sums"
    sed -n 's/.* -o \([^ ]*\) -c '"${PWD//\//\\/}"'\/\([^ ]*\)".*/\1 \2/p' "$database" >"$scratch/objects"
    awk -v keys="$scratch/keys/" -v options="$options" '
        FILENAME ~ /sums$/ { sum[$2] = $1; if ($2 ~ /\.clang-tidy$/) checks = $1; next }
        FILENAME ~ /objects$/ { file[$1 ":"] = $2; next }
        /^[^ ]/ { if (name) close(keys name); name = file[$1]; gsub("/", "!", name); if (name) print options, checks >(keys name) }
        /^ / && name { print sum[$1] >(keys name) }' "$scratch"/{sums,objects,deps}
    (cd "$scratch/keys" && find . -type f -exec sha256sum {} +) | sed 's,  \./, ,; s,!,/,g'
}

# tidy_check KEY FILE...: silent when the files, which share the time that the program takes to start, are clean.
tidy_check() {
    local files=() lines=() message
    while [ $# -gt 0 ]; do
        files+=("$2")
        lines+=("$1 $2")
        shift 2
    done
    # shellcheck disable=SC2086  # one word per option
    if message=$("$program" --quiet -p "$BUILD_DIR" $options "${files[@]}" 2>/dev/null); then
        printf '%s\n' "${lines[@]}" >>"$passed"
    else
        printf '%s\n' "$message"
        return 1
    fi
}
export -f tidy_check
export program passed options BUILD_DIR

# Stand-ins for the C library have the C library's reserved names.
files=$(comm -12 <(lint_files '^(src|tests)/.*\.c$' | grep -vE 'fault/(failing_calls|jumping_clock)\.c$' | sort) \
    <(sed -n 's,^ *"file": "'"$PWD"'/\(.*\)".*,\1,p' "$database" | sort -u))
tidy_keys >"$scratch/list"
touch "$passed"
# What was not compiled yet has no key, and nothing that it passed.
awk 'FILENAME != "-" { key[$2] = $1; next } { print ($1 in key ? key[$1] : "-"), $1 }' "$scratch/list" - <<<"$files" | sort >"$scratch/now"
sort -u "$passed" | comm -12 - "$scratch/now" | grep -v '^- ' >"$scratch/still"
cp "$scratch/still" "$passed"
comm -23 "$scratch/now" "$scratch/still" | xargs -r -P "$(nproc)" -n 20 bash -c 'tidy_check "$@"' tidy ||
    lint_fail "clang-tidy complains (above)"
lint_end "clang-tidy" "$(grep -c . <<<"$files")"
