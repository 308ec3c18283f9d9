#!/usr/bin/env bash
# What is committed as printed by the program is what the program prints: reference, schema, completion, man page.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# same FILE ARGUMENT...: the file holds the output.
same() {
    local file=$1
    shift
    diff -u --label "$file" --label "cotenant $*" "$SOURCE_DIR/$file" <("$COTENANT" "$@") ||
        fail "renew it with: cotenant $* > $file"
}

same docs/workload-reference.md list keys --format markdown
same docs/report-reference.md list measures --format markdown
same docs/schema/workload.schema.json list keys --format schema
same share/completion/cotenant.bash list commands --format bash
same share/completion/cotenant.fish list commands --format fish
same share/completion/_cotenant list commands --format zsh
same share/man/cotenant.1 list commands --format man
bash -n "$SOURCE_DIR/share/completion/cotenant.bash" || fail "the completion of bash"
[ "$failures" -eq 0 ]
