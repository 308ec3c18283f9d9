#!/usr/bin/env bash
# Every workload that ships is sound: it runs, its checks hold, and each service alone stays below 0.6 of its target, but for
# those of the questions (docs/questions), where the load may be what is asked about.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
brief=()
((!${COTENANT_SMALL:-0})) || brief=(--set duration_s=3 --set warmup_s=0.5)
for workload in "$SOURCE_DIR"/workloads/*.json "$SOURCE_DIR"/workloads/questions/*.json; do
    name=$(basename "$workload" .json)
    [[ $workload == */workloads/questions/* ]] && brief=(--set duration_s=2 --set warmup_s=0.5)
    if ! "$COTENANT" run "$workload" --policy mps-priority --no-blame --quiet --format csv "${brief[@]}" \
        >"$name.csv" 2>"$name.err"; then
        fail "$name does not run: $(cat "$name.err")"
        continue
    fi
    [ "$(grep -cE 'checks,,(conservation|littles_law|utilisation_law),ok' "$name.csv")" -eq 3 ] ||
        fail "$name: a check does not hold: $(grep checks "$name.csv")"
    [[ $workload == */workloads/questions/* ]] || awk -F, -v name="$name" '
        $6 == "app" && $8 == "alone_p99_ms" { alone[$7] = $9 }
        $6 == "app" && $8 == "qos_ms" && $9 != "" { target[$7] = $9 }
        END {
            for (app in target)
                if (alone[app] == "" || alone[app] > 0.6 * target[app]) {
                    printf "%s: %s alone has a p99 of %s ms, target %s ms\n", name, app, alone[app], target[app]
                    bad = 1
                }
            exit bad
        }' "$name.csv" || fail "$name: too loaded"
done
[ "$failures" -eq 0 ]
