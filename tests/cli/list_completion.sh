#!/usr/bin/env bash
# The completion offers commands, choices and options, as bash itself would ask for them.
set -uo pipefail
. "$SOURCE_DIR/share/completion/cotenant.bash"
failures=0

# offers WORDS... EXPECTED: the last word is being typed.
offers() {
    local expected=${*: -1}
    COMP_WORDS=("${@:1:$#-1}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _cotenant
    if [ "${COMPREPLY[*]}" != "$expected" ]; then
        echo "FAILED: '${COMP_WORDS[*]}' offers '${COMPREPLY[*]}' instead of '$expected'"
        failures=$((failures + 1))
    fi
}

cd "$(mktemp -d)" || exit 1
offers cotenant che "check"
offers cotenant --v "--version"
offers cotenant list p "policies predictors"
offers cotenant show g "gpu"
offers cotenant list --format "" "text json csv markdown"
offers cotenant list -f j "json"
offers cotenant check --se "--set"
touch mix.json
offers cotenant check mi "mix.json"
rm mix.json
rmdir "$PWD"
[ "$failures" -eq 0 ]
