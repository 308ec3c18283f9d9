#!/usr/bin/env bash
# SQLite files of profilers, packed by gzip or not, are one recording.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v sqlite3 >/dev/null || exit 77
. "$SOURCE_DIR/tests/cli/docs/recordings.bash"

# Whoever writes with a log marks the file, which no database in memory can have.
cp app.sqlite log.sqlite
sqlite3 log.sqlite 'PRAGMA journal_mode = WAL' >/dev/null
gzip -k app.sqlite app.db log.sqlite
for file in app.sqlite app.db log.sqlite; do
    for form in "$file" "$file.gz"; do
        "$COTENANT" import "$form" --app a -o "$form.traces" --quiet || fail "import of $form"
        "$COTENANT" trace show "$form.traces" >"$form.shown"
    done
    cmp "$file.shown" "$file.gz.shown" || fail "$file is another recording in gz"
done
"$COTENANT" import nsys - --app a -o piped.traces --quiet <app.sqlite.gz || fail "from the standard input"
"$COTENANT" trace show piped.traces | cmp - app.sqlite.shown || fail "the standard input holds another recording"
"$COTENANT" import rocpd app.sqlite.gz -o wrong.traces 2>err && fail "the wrong reader"
says err "app.sqlite.gz: error: an SQLite file that looks like 'nsys': try 'cotenant import nsys'"

# A table of zeros is no recording.
sqlite3 zeros.sqlite 'CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (0, zeroblob(100000000))'
gzip zeros.sqlite
"$COTENANT" import zeros.sqlite.gz -o zeros.traces 2>err && fail "a file that unpacks to too much"
says err 'zeros.sqlite.gz: error: it unpacks to more than 256 times its size'
[ "$failures" -eq 0 ]
