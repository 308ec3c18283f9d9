#!/usr/bin/env bash
# doc_output.awk tells a page that shows what was printed from one that does not.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# compare RESULT SHOWN PRINTED: 0 where the page is right, 1 where it is wrong.
compare() {
    printf '%b' "$2" >shown
    printf '%b' "$3" >printed
    timeout 10 awk -f "$SOURCE_DIR/tests/cli/doc_output.awk" shown printed >/dev/null
    [ $? -eq "$1" ] || fail "'$2' shown, '$3' printed: not $1"
}

compare 0 'a\nb\n' 'a\nb\n'
compare 1 'a\nb\n' 'a\nb\nc\n'
compare 1 'a\nb\n' 'a\nB\n'
compare 1 'a\n' ''
compare 0 'a\n' '\na  \n\n'
compare 0 '\na\n\n' 'a\n'
compare 0 'a\n...\n' 'a\nb\nc\n'
compare 0 'a\nb\n...\n' 'a\nb\n'
compare 1 'b\n...\n' 'a\nb\nc\n'
compare 0 '...\nc\n' 'a\nb\nc\n'
compare 1 '...\nb\n' 'a\nb\nc\n'
compare 0 '...\nb\n...\n' 'a\nb\nc\n'
compare 1 '...\nx\n...\n' 'a\nb\nc\n'
compare 0 'a\n...\nc\n' 'a\nb\nc\n'
compare 1 'a\n...\nb\n' 'a\nb\nc\n'
compare 1 'a\n...\na\n' 'a\n'
compare 1 '...\nc\n...\na\n' 'a\nb\nc\n'
compare 0 '...\nb\nb\n' 'a\nb\nb\nb\n'
[ "$failures" -eq 0 ]
