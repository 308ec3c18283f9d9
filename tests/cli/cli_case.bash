# Sourced by tests of commands, beside what every script has. A test ends with `[ "$failures" -eq 0 ]`.
. "$(dirname "${BASH_SOURCE[0]}")/../script_case.bash"

# under PROGRAM: the path of a script that runs it under what the tests run under, as "$COTENANT" does.
under() {
    local script=$scratch/under-${1##*/}
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${COTENANT_UNDER:-}" "$1" >"$script" && chmod +x "$script" && echo "$script"
}

# says FILE PATTERN
says() { grep -E -- "$2" "$1" >/dev/null || { fail "no '$2' in $1:"; cat "$1"; }; }

# refuses STATUS TEXT ARGUMENT...: the program ends so, with this fixed text in `err` and nothing in `out`.
refuses() {
    local status=$1 text=$2 is
    shift 2
    "$COTENANT" "$@" >out 2>err
    is=$?
    [ "$is" = "$status" ] || fail "'$*' ended with $is instead of $status"
    [ ! -s out ] || fail "'$*' printed a result"
    grep -F -- "$text" err >/dev/null || fail "no '$text' of '$*' in: $(cat err)"
}

# narrow ARGUMENT...: standard output has at most 80 columns, in a pipe, and no colours there.
narrow() {
    "$COTENANT" "$@" >piped 2>notes || fail "'$*' ends with $?: $(cat notes)"
    [ -s piped ] || fail "'$*' prints nothing"
    awk 'length($0) > 80' piped >wide
    [ -s wide ] && fail "'$*' is wider than 80 columns: $(head -1 wide)"
    ! grep "$(printf '\033')" piped >/dev/null || fail "'$*' has escape sequences in a pipe"
    ! grep "$(printf '\033')" notes >/dev/null || fail "'$*' has escape sequences in piped notes"
    ! grep "$(printf '\r')" notes >/dev/null || fail "'$*' draws a bar in a pipe"
}

# report_is_of PAGE INPUTS: a paper's report is of these inputs, as its last line says.
report_is_of() {
    local last
    last=$(tail -1 "$SOURCE_DIR/docs/$1")
    [ "$last" = "$2" ] || fail "docs/$1 is of: $last, not of: $2"
}
