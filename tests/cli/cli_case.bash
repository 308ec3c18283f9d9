# Sourced by tests of commands, beside what every script has. A test ends with `[ "$failures" -eq 0 ]`.
. "$(dirname "${BASH_SOURCE[0]}")/../script_case.bash"

# under PROGRAM: the path of a script that runs it under what the tests run under, as "$COTENANT" does.
under() {
    local script=$scratch/under-${1##*/}
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${COTENANT_UNDER:-}" "$1" >"$script" && chmod +x "$script" && echo "$script"
}

# says FILE PATTERN
says() { grep -E -- "$2" "$1" >/dev/null || { fail "no '$2' in $1:"; cat "$1"; }; }
