#!/usr/bin/env bash
# The shipped traces: sums that do not come from this program, and that they hold nothing private.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
traces=$SOURCE_DIR/traces

# same STORE APP COLUMNS EXPECTED: columns of `trace show --format csv`. The numbers of gtx1080ti were summed up from
# the CSV files by another program, the others counted in the JSON files.
same() {
    local got
    got=$("$COTENANT" trace show "$traces/$1" --app "$2" --format csv | sed -n 2p | cut -d, -f"$3")
    [ "$got" = "$4" ] || fail "$1#$2: '$got' instead of '$4'"
}
same h100-inference.db vit 2,3,4,6,7 h100,1,154,0,2
same h100-inference.db timesformer 4,6,7 446,2,86
same h100-inference.db qwen05b 4,6,7 1029,1,168
same h100-inference.db bertsmall 4,6,7 60,1,0
same v100-training.db resnet50-train 2,3,4,6,7 v100,6,8772,12,312
same v100-training.db resnet-ddp-train 3,4,6,7 5,4350,1600,145
same gtx1080ti.db parboil_lbm 2,4 gtx1080ti,1
same gtx1080ti.db cudasdk_scan 4 3300
same gtx1080ti.db poly_fdtd2d 4 1500
same gtx1080ti.db rodinia_needle 4 382

ms() { # STORE APP MILLISECONDS: kernel time to two digits, as design tables print it
    local got
    got=$("$COTENANT" trace show "$traces/$1" --app "$2" --format csv | sed -n 2p | cut -d, -f11)
    [ "$(printf '%.2f' "$got")" = "$3" ] || fail "$1#$2: $got ms instead of $3"
}
ms gtx1080ti.db parboil_lbm 1.09
ms gtx1080ti.db cudasdk_BlackScholes 115.08
ms gtx1080ti.db rodinia_heartwall 114.46
ms gtx1080ti.db poly_correlation 1289.96

for store in "$traces"/*.db; do
    "$COTENANT" trace check "$store" >/dev/null || fail "check of $store"
    "$COTENANT" trace show "$store" --format csv | sed 1d | awk -F, '$14 == "" || $15 == "" { exit 1 }' ||
        fail "$store: an application without source or licence"
    private=$("$COTENANT" trace export "$store" | grep -cE '/(home|root|mnt|tmp|usr|Users)/|[A-Za-z0-9_.]@[A-Za-z0-9-]+\.[a-z]')
    [ "$private" = 0 ] || fail "$store: $private lines with a path or an address"
done
[ "$(du -cb "$traces"/*.db | tail -1 | cut -f1)" -lt 6000000 ] || fail "the shipped traces take more than 6 MB"

# PolyBench's kernels with rows of unequal length are pointed out; those with equal ones are not.
"$COTENANT" trace check "$traces/gtx1080ti.db" --app poly_correlation --format csv | grep -c 'balance,uneven' >/dev/null || fail "uneven"
"$COTENANT" trace check "$traces/gtx1080ti.db" --app poly_fdtd2d --format csv | grep -c 'balance,uneven' >/dev/null && fail "even"
"$COTENANT" trace check "$traces/h100-inference.db" --app qwen05b --format csv | grep -c 'carried,moved,"\?509 tasks' >/dev/null || fail "carried"

# Alone all recordings with launches and known copies take the time that was recorded, but those whose steps wait for what no recording names.
for store in h100-apps h100-second h200-apps h100-inference rtx2080ti v100-training v100-orion; do
    "$COTENANT" trace check "$traces/$store.db" --format csv | grep ',replay,' | grep -v ',replay,close,' | cut -d, -f1
done | tr '\n' ' ' >astray
[ "$(cat astray)" = "resnet-ddp-train dlrm-train " ] || fail "replayed alone these are not as recorded: $(cat astray)"
"$COTENANT" trace check "$traces/gtx1080ti.db" --app cudasdk_FDTD3d --format csv | grep -c 'replay,doubtful,.*copies' >/dev/null || fail "replay"

[ "$failures" -eq 0 ]
