#!/usr/bin/env bash
# Every listed policy that the device can serve, on a few workloads and GPUs: the integers of golden.csv, to the last one.
# A change of the model changes them on purpose: raise RESULTS_VERSION, or the revision of the policies that it changes alone
# (src/experiment/results_version.h), `tests/golden/golden.sh --update`, and the commit says why. With COTENANT_SMALL=1 fewer of them.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${SOURCE_DIR:-$here/../..}
cotenant=${COTENANT:-$source_dir/build/release/src/cli/cotenant}
golden=$here/golden.csv
cases="golden_mixed:rtx2080ti golden_mixed:v100 golden_mixed:cqos golden_mixed:h100 golden_recorded:v100 golden_recorded:h100 golden_copies:gtx1080ti"
((!${COTENANT_SMALL:-0})) || [ "${1:-}" = --update ] || cases="golden_mixed:v100 golden_copies:gtx1080ti"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Of one report: a line per application and one of the run. Latencies in picoseconds, blame of the slowest 1 % in all.
select_integers='
    function whole(text, factor) { return text == "" ? "-" : sprintf("%.0f", text * factor) }
    $6 == "app" && $8 == "role" { order[++apps] = $7 }
    $6 == "app" { app[$7, $8] = $9; if ($8 ~ /^blame_ms_p99_/ && $8 != "blame_ms_p99_solo_work") lost[$7] += $9 }
    $6 == "engine" || $6 == "system" || $6 == "checks" { run[$8] = $9 }
    END {
        if (!apps || run["conservation"] != "ok" || run["littles_law"] != "ok" || run["utilisation_law"] != "ok")
            exit 1
        for (i = 1; i <= apps; i++) {
            a = order[i]
            printf "%s,%s,%s,%s,%s,%s,%s,%s,%s\n", workload, gpu, policy, a, app[a, "jobs"],
                whole(app[a, "latency_ms_p50"], 1e9), whole(app[a, "latency_ms_p99"], 1e9),
                whole(app[a, "blame_ms_p99_solo_work"], 1e9), whole(lost[a], 1e9)
        }
        printf "%s,%s,%s,(run),%s,%s,%s,%s,%s\n", workload, gpu, policy, run["events"], run["kernels"],
            run["decisions"], run["rejected_verbs"], run["stale_events"]
    }'

# run_case WORKLOAD GPU POLICY
run_case() {
    "$cotenant" run "$here/$1.json" --policy "$3" --set gpu="$2" --format csv --quiet >"$scratch/report" 2>"$scratch/errors" ||
        { grep -q "policy '$3' needs .*, which GPU '$2' does not have" "$scratch/errors" && return; cat "$scratch/errors" >&2; echo "$1 on $2 under $3 failed"; return 1; }
    awk -F, -v workload="$1" -v gpu="$2" -v policy="$3" "$select_integers" "$scratch/report" ||
        { echo "$1 on $2 under $3: no applications, or a check failed"; return 1; }
}

export COTENANT_TRACE_PATH=$source_dir/traces
policies=$("$cotenant" list policies --format csv --quiet | awk -F, 'NR > 1 { print $1 }')
[ -n "$policies" ] || { echo "this program lists no policies"; exit 1; }
. "$source_dir/scripts/results-lib.sh"
version=$(results_versions "$source_dir")
[[ $version =~ ^[0-9]+,\ .*\ [0-9]+$ ]] || { echo "no RESULTS_VERSION in src/experiment/results_version.h"; exit 1; }
{
    echo "# Results version $version. Written by golden.sh --update. Rows of applications, then of the run: the second header line is theirs."
    echo "workload,gpu,policy,app,jobs,p50_ps,p99_ps,solo_of_p99_ps,lost_of_p99_ps"
    echo "workload,gpu,policy,(run),events,kernels,decisions,rejected_verbs,stale_events"
    for case in $cases; do
        for policy in $policies; do
            run_case "${case%%:*}" "${case##*:}" "$policy" || exit 1
        done
    done
} >"$scratch/new" || { tail -1 "$scratch/new"; exit 1; }

# Whether a row that was there before has other numbers now.
has_changed_rows() {
    ! awk -F, '/^#/ { next } NR == FNR { row[$1, $2, $3, $4] = $0; next }
        ($1, $2, $3, $4) in row && row[$1, $2, $3, $4] != $0 { exit 1 }' "$golden" "$scratch/new"
}

if [ "${1:-}" = --update ]; then
    # Kept results of sweeps would be taken for right.
    if [ "$(head -1 "$golden")" = "$(head -1 "$scratch/new")" ] && has_changed_rows; then
        echo "results have changed: raise a number of src/experiment/results_version.h, then --update again, and renew docs/paper-report*.md"
        exit 1
    fi
    cp "$scratch/new" "$golden" && echo "$(wc -l <"$golden") lines written to $golden"
    exit
fi
# Of what is not run here, nothing is said.
awk -F, -v cases="$cases" 'NR <= 3 || index(" " cases " ", " " $1 ":" $2 " ")' "$golden" >"$scratch/golden"
if ! cmp -s "$scratch/golden" "$scratch/new"; then
    echo "other integers than in golden.csv (first differences); if they are meant: raise a number of src/experiment/results_version.h where a row has changed, then tests/golden/golden.sh --update"
    diff "$scratch/golden" "$scratch/new" | head -20
    exit 1
fi
echo "$(wc -l <"$scratch/new") lines as before"
