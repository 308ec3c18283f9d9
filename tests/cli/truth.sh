#!/usr/bin/env bash
# docs/truth.md is of the rules, workloads, presets and published files at hand, nobody has touched its rows, and those
# that are quick to make come out as they stand. Where the published files are not there, what needs them is left out.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

page=$SOURCE_DIR/docs/truth.md
mark='<!-- Below: printed by scripts/truth --write. -->'
data=${COTENANT_TRUTH_DATA:-$SOURCE_DIR/../shared/data}
truth() { "$SOURCE_DIR/scripts/truth" --program "$COTENANT" --data "$data" "$@"; }

made_of=$(truth --inputs)
last=$(tail -1 "$page")
[ "${last%, data *}" = "${made_of%, data *}" ] || fail "docs/truth.md is not of: $made_of. Renew it with scripts/truth --write"
# What stands between the mark, with the empty line after it, and the last line.
rows=$(awk -v mark="$mark" '$0 == mark { found = NR } found && NR > found + 1' "$page" | head -n -1 | head -c -1 |
    sha256sum | cut -c1-16)
[ "${last##*rows }" = "$rows" ] || fail "the rows of docs/truth.md are not those that scripts/truth wrote"

# rows_of SET: each row of it, as the page has it.
rows_of() {
    local row count=0
    while IFS= read -r row; do
        grep -Fxq -- "$row" "$page" || fail "not in docs/truth.md: $row"
        count=$((count + 1))
    done < <(truth --set "$1" | grep -E '\| (holds|missed|missed, in band) \|$')
    [ "$count" -eq "$2" ] || fail "$count rows of $1 instead of $2"
}
rows_of slices 3
if [ "${made_of##*data }" = absent ]; then
    echo "no published files at '$data' (COTENANT_TRUTH_DATA): hashes and the rows of time slices alone were looked at"
else
    [ "$(sed 's/.*data \([0-9a-f]*\),.*/\1/' <<<"$last")" = "${made_of##*data }" ] || fail "other published files: $made_of"
    rows_of v100 10
fi
[ "$failures" -eq 0 ]
