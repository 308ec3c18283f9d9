#!/usr/bin/env bash
# `trace list|show|check|export`: forms, names that are not there, files that are no store.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
store=$SOURCE_DIR/traces/h100-inference.db

refuse() { refuses "$1" "$2" trace "${@:3}"; } # STATUS TEXT ARGUMENT...

for action in list show check demand; do
    "$COTENANT" trace $action "$store" | awk '{ if (length($0) > 80) exit 1 }' || fail "$action is wider than 80 columns"
    "$COTENANT" trace $action "$store" --format json >form.json || fail "$action as JSON"
    head -c 1 form.json | grep >/dev/null '[[{]' || fail "$action is not JSON"
done
keys=$("$COTENANT" trace show "$store" --format json | grep -o '^      "[a-z0-9_]*"' | tr -d ' "' | head -15 | tr '\n' ' ')
[ "$keys" = "name gpu jobs kernels distinct_kernels memcpys memsets h2d_bytes d2h_bytes d2d_bytes kernel_time_ms copy_time_ms streams source licence " ] ||
    fail "keys of show: '$keys'"
# Text has the ten kernels that take longest and says how many there are besides; the other forms have all, whole.
"$COTENANT" trace show "$store" --app qwen05b >show.txt || fail "show"
says show.txt '^  [.]{3} and 19 more: '
! grep -E '^  (void |at::native::|[(]anonymous namespace[)]::)' show.txt || fail "names begin alike"
[ "$("$COTENANT" trace show "$store" --app qwen05b --format csv | wc -l)" = 30 ] || fail "29 kernels in CSV"
"$COTENANT" trace show "$store" --app qwen05b --format csv | grep >/dev/null ',"\{0,1\}void at::native::.*)' || fail "no whole name in CSV"
"$COTENANT" trace show "$store" --app qwen05b --format json >show.json
[ "$(sqlite3 :memory: "SELECT json_array_length(readfile('show.json'), '\$.apps[0].kernel_list'), sum(json_extract(value, '\$.launches')) FROM json_each(readfile('show.json'), '\$.apps[0].kernel_list')")" = "29|1029" ] || fail "kernels in JSON"

[ "$("$COTENANT" trace export "$store" --app vit | wc -l)" = 157 ] || fail "export: a heading and 156 tasks"
"$COTENANT" trace export "$store" --app vit --format json | grep -c '"schema": "cotenant.trace/1"' >/dev/null || fail "export as JSON"

refuse 2 "unknown action 'lst', did you mean 'list'" lst "$store"
refuse 2 "no application 'vitt': there are vit, timesformer, qwen05b, bertsmall" show "$store" --app vitt
refuse 2 "'trace' needs" show
refuse 3 "cannot open it" list nowhere.db
echo text >text.db
refuse 3 "not a trace store" list text.db
head -c 30000 "$store" >half.db
refuse 3 "truncated: 30000 of" show half.db
: >empty.db
refuse 3 "the file is empty" check empty.db

[ "$failures" -eq 0 ]
