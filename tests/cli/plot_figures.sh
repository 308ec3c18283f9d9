#!/usr/bin/env bash
# The figures of a stored comparison: data and scripts are written, gnuplot draws them, its absence is told.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store
figures="p99 batch progress tradeoff latency-queries blame-queries"

# Without gnuplot the data and the scripts are still there.
mkdir empty
wants 3 'gnuplot is not installed' env PATH="$scratch/empty" "$COTENANT" plot results.db -o bare
for name in $figures; do
    [ -s bare/$name.dat ] || fail "$name.dat is missing"
    [ -s bare/$name.gp ] || fail "$name.gp is missing"
done

# The numbers are the report's.
want=$("$COTENANT" report results.db --format csv --run 1 | sed -n 's/.*,app,queries,p99_over_qos,//p')
awk -F'\t' -v want="$want" '$2 == "fifo" { found = $3 == want } END { exit !found }' bare/p99.dat ||
    fail "p99.dat does not hold $want: $(cat bare/p99.dat)"
[ "$(grep -c '^# ' bare/latency-queries.dat)" = 3 ] || fail "latency-queries.dat has no block per policy"

wants 2 "'plot' needs '-o FOLDER'" "$COTENANT" plot results.db
wants 3 'cannot make the folder' "$COTENANT" plot results.db -o missing/folder
echo text >text.db
wants 3 'not a result store' "$COTENANT" plot text.db -o other

if ! command -v gnuplot >/dev/null; then
    echo "gnuplot is not installed: pictures are not drawn"
    exit $((failures ? 1 : 77))
fi
wants 0 'figures/p99.{svg,png}' "$COTENANT" plot results.db -o figures --format both
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
for name in $figures; do
    grep -q '</svg>' figures/$name.svg || fail "$name.svg is not whole"
    [ "$(head -c 4 figures/$name.png | tail -c 3)" = PNG ] || fail "$name.png is no PNG"
done
# A cause has the same colour in figures and on the page, which tells all of them from white (tests/html).
sed -n '1,/@media/s/--cause-/\n/gp' "$SOURCE_DIR/src/figures/page/page.css" | sed -n 's/^\([a-z_]*\): \(#[0-9a-f]*\);.*/\1 \2/p' >colours.txt
[ "$(wc -l <colours.txt)" -ge 10 ] || fail "the page has no colours of causes"
while read -r cause colour; do
    grep -F -- "$cause $colour" "$SOURCE_DIR/plots/blame.gp" >/dev/null || fail "$cause is not $colour in blame.gp"
done <colours.txt
tr '\n' ' ' <figures/blame-queries.svg | grep -F 'waiting for earlier queries of its own' >/dev/null || fail "causes are not called as on the page"
# Where policies differ by more than a factor of ten, how much it is has a panel of its own, which is no strip.
mkdir apart && awk -F'\t' -v OFS='\t' '$2 == "fifo" { for (i = 3; i <= NF; i++) $i *= 1000 } /^#= most/ { $0 = "#= most = 100000" } /^#= widest/ { $0 = "#= widest = 40" } { print }' \
    figures/blame-queries.dat >apart/blame.dat
gnuplot -c "$SOURCE_DIR/plots/blame.gp" apart/blame.dat 2>err.txt && [ ! -s err.txt ] || fail "gnuplot complains: $(cat err.txt)"
sed -n "s/.*stroke='black'  *d='M\([0-9.]*\),\([0-9.]*\) L\1,\([0-9.]*\) L.*/\2 \3/p" apart/blame.svg | uniq |
    awk '{ height[NR] = $2 - $1 } END { exit !(NR == 2 && height[1] > height[2] / 2) }' || fail "of two panels one is a strip"
# Curves over time are those of a run that was stored alone.
"$COTENANT" run mix.json -p priority -q -o alone.db >/dev/null || fail "run -o"
wants 0 'time/usage.svg' "$COTENANT" plot alone.db -o time
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
awk -F'\t' '!/^#/ { sum = $2 + $3; if (sum < 0 || sum > 100.001) bad = 1; n++ } END { exit bad || n != 300 }' \
    time/usage.dat || fail "usage.dat has other than 300 bins of at most all SMs"
for name in usage quota; do
    grep 'time, s' time/$name.svg >/dev/null || fail "no unit below $name"
done
grep '^#= keys = 0' time/quota.dat >/dev/null || fail "quota, whose strips are named, leaves room for a key"
# A workload without services has figures of what is shared among equals, and their numbers are the report's.
cat >equals.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "equals", "gpu": "v100", "duration_s": 2, "warmup_s": 0.5, "apps": [
  {"name": "long", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "short", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}
JSON
"$COTENANT" compare equals.json --policies fifo,timeslice -q -o equals.db >/dev/null || fail "compare without services"
wants 0 'equals/progress.svg' "$COTENANT" plot equals.db -o equals
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
# Black lines are those around bars: an interval that is unknown is not one of no length.
grep "stroke='rgb(  0,   0,   0)'" equals/progress.svg | grep -v ' Z ' && fail "intervals that nobody knows"
for name in stp antt fairness; do
    want=$(sqlite3 equals.db "SELECT $name FROM system JOIN run ON run.number = system.run WHERE policy = 'timeslice'")
    [ -s equals/$name.svg ] && awk -F'\t' -v want="$want" '$2 == "timeslice" { found = ($3 - want) ^ 2 < 1e-12 } END { exit !found }' equals/$name.dat ||
        fail "$name.dat does not hold $want"
done
sum=$(awk -F'\t' '$2 == "timeslice" { print $3 + $7 }' equals/progress.dat)
awk -F'\t' -v sum="$sum" '$2 == "timeslice" { ok = ($3 - sum) ^ 2 < 1e-9 } END { exit !ok }' equals/stp.dat ||
    fail "progress does not add up to STP: $sum"
# A script draws on its own, wherever it lies.
mkdir copy && cp figures/p99.gp figures/p99.dat copy && (cd copy && gnuplot p99.gp && grep -q '</svg>' p99.svg) ||
    fail "p99.gp does not stand alone"
# It also does from elsewhere, and a script of plots/ draws the same from the data alone.
gnuplot -c copy/p99.gp png && [ -s copy/p99.png ] || fail "p99.gp does not draw from another folder"
rm copy/p99.svg && gnuplot -c "$SOURCE_DIR/plots/p99.gp" copy/p99.dat && cmp -s copy/p99.svg figures/p99.svg ||
    fail "plots/p99.gp and the script beside the data differ"
mkdir "it's one" && cp copy/p99.dat "it's one" && (cd "it's one" && gnuplot "$SOURCE_DIR/plots/p99.gp" && [ -s p99.svg ]) ||
    fail "plots/p99.gp draws nothing where it is called"
wants 3 'no such data' gnuplot "$SOURCE_DIR/plots/measure.gp"
for script in "$SOURCE_DIR"/plots/*.gp; do
    grep >/dev/null 'common.gp\|^# What every figure' "$script" || fail "$script does not find its settings"
done

# Letters that no font has are boxes in a PNG, which is said; an SVG has them as they are.
if command -v fc-list >/dev/null && [ -z "$(fc-list ':charset=10fffd' family)" ]; then
    mkdir boxes && sed "s/queries/$(printf '\364\217\277\275')/" figures/p99.dat >boxes/p99.dat
    gnuplot -c "$SOURCE_DIR/plots/p99.gp" boxes/p99.dat png 2>err.txt && grep 'no font here has 1 of the letters' err.txt >/dev/null || fail "boxes are drawn without a word: $(cat err.txt)"
    gnuplot -c "$SOURCE_DIR/plots/p99.gp" boxes/p99.dat svg 2>err.txt && [ ! -s err.txt ] || fail "an SVG needs no font: $(cat err.txt)"
fi

# Two marks on one place stand there both, and a line leads to the name that had to make way. No tick has fewer than no late jobs.
mkdir near && awk -F'\t' -v OFS='\t' '/^[12]\t[a-z]/ { $3 = 0; $4 = 1.5 } NF == 2 && !/^#/ { $1 = 0; $2 = 1.5 } /^#= top/ { $0 = "#= top = 0" } { print }' figures/tradeoff.dat |
    sed 's/^#= least.*/#= least = 1.5/; s/^#= most.*/#= most = 1.5/' >near/tradeoff.dat
gnuplot -c "$SOURCE_DIR/plots/tradeoff.gp" near/tradeoff.dat 2>err.txt && [ ! -s err.txt ] || fail "gnuplot complains: $(cat err.txt)"
[ "$(grep -o '<use [^>]*translate([^)]*)' near/tradeoff.svg | sed 's/.*translate//' | uniq -c | awk '{ print $1 }')" = 2 ] || fail "a mark is not at its place"
grep 'from a mark to its name' near/tradeoff.svg >/dev/null || fail "no line leads to a name"
grep '>-0' near/tradeoff.svg && fail "fewer than no late jobs"

# Runs of several GPUs and workloads in one store: names tell them apart, no title claims one of them for all, and no front joins them.
for gpu in v100 a100; do
    for policy in fifo priority; do
        "$COTENANT" run mix.json -p $policy --set gpu=$gpu -q -o places.db >/dev/null || fail "run -p $policy on $gpu"
    done
done
"$COTENANT" plot places.db -o gpus -q || fail "plot of two GPUs"
[ "$(sed -n 's/^[0-9]*\t\([^\t]*\)\t.*/\1/p' gpus/p99.dat | tr '\n' '|')" = 'fifo, v100|priority, v100|fifo, a100|priority, a100|' ] ||
    fail "bars of two GPUs are called $(cut -f 1-2 gpus/p99.dat)"
"$COTENANT" run equals.json -p fifo -q -o places.db >/dev/null && "$COTENANT" plot places.db -o places -q 2>err.txt || fail "plot of two workloads"
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
for place in "mix' ''" "several workloads' ''"; do
    case $place in mix*) file=gpus ;; *) file=places ;; esac
    for name in p99 progress tradeoff latency-queries; do
        [ "$(sed -n 's/^#= \(workload\|gpu\) = //p' $file/$name.dat | tr '\n' ' ')" = "'$place " ] || fail "$file/$name is called $(grep '^#= [wg]' $file/$name.dat)"
    done
done
grep "^#= workload = 'mix'" places/usage.dat >/dev/null && grep "^#= gpu = 'v100'" places/usage.dat >/dev/null || fail "the run of usage is not named"
grep -F "'fifo, mix on v100', 'priority, mix on v100', 'fifo, mix on a100', 'priority, mix on a100', 'fifo, equals on v100'" places/tradeoff.dat >/dev/null ||
    fail "marks of two workloads are called $(grep 'array label' places/tradeoff.dat)"
grep -F "['queries', 'solver', 'long', 'short']" places/progress.dat >/dev/null || fail "applications of the second workload have no bar"
awk -F'\t' 'function at(late, stp) { return sprintf("%.9g %.9g", late, stp) }
    /^[0-9]+\t[a-z]/ { place[at($3, $4)] = $2; sub(/.* on /, "", place[at($3, $4)]) } /^# the front/ { front = 1 } /^$/ { last = "" }
    front && NF == 2 { gpu = place[at($1, $2)]; if (last != "" && gpu != last) bad = 1; last = gpu; seen[gpu] = 1 }
    END { exit bad || !("v100" in seen) || !("a100" in seen) }' places/tradeoff.dat || fail "a front goes across GPUs: $(grep -v '^#=' places/tradeoff.dat)"

# Nor do runs of other settings have a front together, but those whose policies have other options.
for rate in 10 60; do
    for policy in fifo priority; do
        "$COTENANT" run mix.json -p $policy --set apps.queries.arrivals.rate_per_s=$rate -q -o fronts.db >/dev/null || fail "run -p $policy at $rate"
    done
    "$COTENANT" run mix.json -p baymax --set margin=0.$rate -q -o options.db >/dev/null || fail "run with a margin of 0.$rate"
done
# fronts FOLDER: how many there are.
fronts() { awk '/^# the front/ { front = 1; last = "" } front && /^[0-9]/ && last !~ /^[0-9]/ { n++ } { last = $0 } END { print n + 0 }' "$1/tradeoff.dat"; }
for case in fronts:2 options:1; do
    "$COTENANT" plot "${case%:*}.db" -o "${case%:*}" -q || fail "plot of ${case%:*}"
    [ "$(fronts "${case%:*}")" = "${case#*:}" ] || fail "${case%:*}: $(fronts "${case%:*}") fronts: $(grep -v '^#=' "${case%:*}/tradeoff.dat")"
done

# Several co-locations: of a sweep, and of several stores; the worst service's number is the report's.
cat >load.json <<'JSON'
{"schema": "cotenant.sweep/1", "name": "load", "workload": "mix.json", "policies": ["fifo", "priority"],
 "set": {"duration_s": 2}, "designs": [{"grid": {"apps.queries.arrivals.rate_per_s": [10, 20]}}]}
JSON
"$COTENANT" sweep load.json -o load.db -q --format csv >load.csv || fail "sweep"
wants 0 'points/colocations-p99.svg' "$COTENANT" plot load.db -o points
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
want=$(awk -F, '$2 == "20" && /,priority,queries,/ { print $14 }' load.csv)
awk -F'\t' -v want="$want" '$2 == "rate per s 20" { found = want != "" && $7 == want } END { exit !found }' \
    points/colocations-p99.dat || fail "colocations-p99.dat does not hold $want: $(cat points/colocations-p99.dat)"
awk -F'\t' '$2 ~ /^rate/ { sum += $3 } $2 == "mean" { mean = $3 } END { exit !(mean > 0 && (sum / 2 - mean) ^ 2 < 1e-12) }' \
    points/colocations-batch.dat || fail "the mean is none: $(cat points/colocations-batch.dat)"
# A sweep has lines over its axis, one per policy, and not the figures of its last point.
[ -e points/p99.svg ] && fail "a figure of one point of a sweep under the sweep's name"
[ -s points/sweep-p99.svg ] || fail "no figure over the axis of a sweep"
[ "$(grep -o "stroke-dasharray='[^']*'" points/sweep-stp.svg | sort -u | wc -l)" -ge 2 ] || fail "one line of a sweep would hide another"
[ "$(grep -c '^# : ' points/sweep-p99.dat)" = 2 ] || fail "not a line for each policy: $(cat points/sweep-p99.dat)"
awk -F'\t' -v want="$want" '/^# : / { policy = $0 } policy == "# : priority" && $1 == 20 { found = want != "" && $2 == want && $3 == "nan" && $4 == "nan" }
    END { exit !found }' points/sweep-p99.dat || fail "sweep-p99.dat does not hold $want: $(cat points/sweep-p99.dat)"
# An interval that one policy has at one point is drawn there, and gnuplot does not complain of the other policies.
mkdir lonely && sed 's/\tnan\tnan\t/\t0.1\t0.9\t/' points/colocations-p99.dat >lonely/colocations-p99.dat
awk -F'\t' -v OFS='\t' '$1 == 10 && !done++ { $3 = 0.1; $4 = 0.9 } { print }' points/sweep-p99.dat >lonely/sweep-p99.dat
for name in colocations sweep; do
    gnuplot -c "$SOURCE_DIR/plots/$name.gp" lonely/$name-p99.dat 2>err.txt || fail "$name.gp draws no single interval"
    [ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
done
sed -n "s/.* d='M\([0-9.]*\),\([0-9.]*\) L\1,\([0-9.]*\) *'.*/\2 \3/p" lonely/sweep-p99.svg |
    awk '($1 - $2) ^ 2 > 400 { found = 1 } END { exit !found }' || fail "an interval without neighbours is not drawn"
# What is far below its target beside what is far above has bars and marks as well, on an axis in logarithms.
mkdir far
for name in p99 colocations sweep; do
    case $name in p99) near=figures/p99 columns='3' ;; colocations) near=points/colocations-p99 columns='3 7' ;; *) near=points/sweep-p99 columns='2' ;; esac
    awk -F'\t' -v OFS='\t' -v columns="$columns" '/^#= top/ { $0 = "#= top = 20" }
        /^[0-9]/ { for (i = split(columns, c, " "); i > 0; i--) if ($c[i] != "nan") $c[i] = n++ ? 0.03 : 20 } { print }' $near.dat >far/$name.dat
    gnuplot -c "$SOURCE_DIR/plots/$name.gp" far/$name.dat 2>err.txt || fail "$name.gp draws nothing that is far apart"
    [ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
    [ "$(grep -c '<polygon\|<use' far/$name.svg)" = "$(grep -c '<polygon\|<use' $near.svg)" ] ||
        fail "$name: $(grep -c '<polygon\|<use' far/$name.svg) bars and marks, $(grep -c '<polygon\|<use' $near.svg) where values are near"
done
# A second axis makes panels; where points share no value, there is a panel for each axis; without numbers there is no line.
for design in '"grid": {"gpu": ["v100", "a100"], "apps.queries.arrivals.rate_per_s": [40, 10]}' \
    '"random": {"gpu.sms": {"integers": [60, 80]}, "apps.queries.arrivals.rate_per_s": {"uniform": [10, 40]}}, "points": 3' \
    '"grid": {"gpu": ["v100", "a100"]}'; do
    rm -rf design.db over
    echo '{"schema": "cotenant.sweep/1", "workload": "mix.json", "policies": ["fifo", "priority"], "set": {"duration_s": 2},
        "designs": [{'"$design"'}]}' >design.json
    "$COTENANT" sweep design.json -o design.db -q >/dev/null && "$COTENANT" plot design.db -o over -q 2>err.txt || fail "sweep of $design"
    [ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
    grep -h '^#= array panel\|^# ' over/sweep-stp.dat >>designs.txt 2>/dev/null
    sed -n 's/^\([0-9][^\t]*\)\t.*/\1/p' over/sweep-stp.dat 2>/dev/null | tr '\n' ' ' >>places.txt
    [ -e over/colocations-stp.svg ] || fail "no bars of $design"
    cut -f 2 over/colocations-stp.dat >>design-places.txt
done
grep -F "panel[2] = ['gpu v100', 'gpu a100']" designs.txt >/dev/null || fail "no panel for each GPU: $(cat designs.txt)"
grep -F "panel[2] = ['sms', 'rate per s']" designs.txt >/dev/null || fail "no panel for each axis: $(cat designs.txt)"
[ "$(grep -c 'array panel' designs.txt)" = 2 ] || fail "a line over names"
[ "$(cut -d' ' -f1-8 places.txt)" = '10 40 10 40 10 40 10 40' ] || fail "a line goes back: $(cat places.txt)"
# Three panels beside each other leave the numbers of their axes room: eight points of the canvas for a letter.
echo '{"schema": "cotenant.sweep/1", "workload": "mix.json", "policies": ["fifo", "priority"], "set": {"duration_s": 1, "warmup_s": 0},
    "designs": [{"grid": {"apps.solver.instances": [1, 2, 4], "apps.queries.arrivals.rate_per_s": [20, 100, 200, 300, 400, 600]}}]}' >three.json
"$COTENANT" sweep three.json -o three.db -q >/dev/null && "$COTENANT" plot three.db -o three -q || fail "sweep of three panels"
sed -n '/text-anchor="middle"/{N;s/.*translate(\([0-9.]*\),\([0-9.]*\)).*<text> *\([0-9]*\)<.*/\2 \1 \3/p}' three/sweep-stp.svg |
    awk '$1 == line && $2 - at < 8 * length($3) + 4 { bad = 1 } { line = $1; at = $2 } END { exit bad || NR < 6 }' || fail "numbers of an axis run together"
# What is compared after a sweep is shown by itself.
"$COTENANT" compare mix.json --policies fifo,priority -q -o load.db >/dev/null && "$COTENANT" plot load.db -o newest -q || fail "plot of a comparison after a sweep"
[ -e newest/p99.svg ] && [ ! -e newest/sweep-p99.svg ] || fail "the sweep is shown instead of the newer comparison"
rm -rf load.db && "$COTENANT" sweep load.json -o load.db -q >/dev/null || fail "sweep again"

# A sweep that was edited has its new points alone, whatever it shares its store with, and the old ones when it is as before.
cp load.db edited.db && sed 's/\[10, 20\]/[15, 20]/; s/"duration_s": 2/"duration_s": 3/' load.json >edited.json
for sweep in edited:15 load:10; do
    "$COTENANT" sweep "${sweep%:*}.json" -o edited.db >/dev/null 2>err.txt && "$COTENANT" plot edited.db -o "${sweep%:*}" -q || fail "sweep $sweep"
    [ "$(awk '/^[0-9]/ { print $1 }' "${sweep%:*}/sweep-p99.dat" | tr '\n' ' ')" = "${sweep#*:} 20 ${sweep#*:} 20 " ] ||
        fail "$sweep: its line goes through $(grep '^[0-9]' "${sweep%:*}/sweep-p99.dat")"
    [ "$(awk -F'\t' '/^[0-9]/ { print $2 }' "${sweep%:*}/colocations-p99.dat" | tr '\n' '|')" = "rate per s ${sweep#*:}|rate per s 20|mean|" ] ||
        fail "$sweep: its bars are $(cut -f 1-2 "${sweep%:*}/colocations-p99.dat")"
done
grep ' 0 runs' err.txt >/dev/null || fail "the sweep as before ran something: $(cat err.txt)"
# A store of an older version does not say which points are the newest: all of that name.
sqlite3 edited.db 'DROP TABLE sweep_latest' && "$COTENANT" plot edited.db -o older -q || fail "plot of an older sweep"
[ "$(grep -c '^[0-9]' older/sweep-p99.dat)" = 8 ] || fail "older/sweep-p99.dat: $(cat older/sweep-p99.dat)"

# Stores of one workload with other settings are co-locations of their own, named by what differs; alike, they are one.
for rate in 10 20; do
    "$COTENANT" compare mix.json --policies fifo,priority --set duration_s=2 --set apps.queries.arrivals.rate_per_s=$rate -q -o rate$rate.db >/dev/null || fail "compare at $rate"
done
wants 0 'sets/colocations-stp.svg' "$COTENANT" plot rate10.db rate20.db -o sets
[ "$(awk -F'\t' '/^[0-9]/ { print $2 }' sets/colocations-stp.dat | tr '\n' '|')" = "rate_per_s=10|rate_per_s=20|mean|" ] ||
    fail "bars of two settings are $(cut -f 1-2 sets/colocations-stp.dat)"
# So are runs of one store, in every figure; the rate is one's alone no more where there are two services.
sed 's/{"name": "solver",/{"name": "solver", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 5},/' mix.json >services.json
for rate in 10 20; do "$COTENANT" run services.json -p fifo --set duration_s=2 --set apps.queries.arrivals.rate_per_s=$rate -q -o rates.db >/dev/null || fail "run at $rate"; done
wants 0 'rates/p99.svg' "$COTENANT" plot rates.db -o rates
[ "$(awk -F'\t' '/^[0-9]/ { print $2 }' rates/p99.dat | tr '\n' '|')" = "fifo, queries.rate_per_s=10|fifo, queries.rate_per_s=20|" ] ||
    fail "bars of two runs are $(cut -f 1-2 rates/p99.dat)"
cp rate10.db twin.db
wants 0 "rate10.db: notice: is of the same co-location as 'twin.db'" "$COTENANT" plot rate10.db twin.db -o twins

# What hangs on the length of the run, as a service is overloaded: p99 and ANTT are at least that (1), progress, STP and fairness at
# most (-1), in every figure, and no mean has them.
cat >over.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "over", "gpu": "v100", "duration_s": 2, "warmup_s": 0.2, "seed": 1, "apps": [
  {"name": "hot", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 40}, "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "solver", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}}]}
JSON
echo '{"schema": "cotenant.sweep/1", "name": "load", "workload": "over.json", "policies": ["mps"], "designs": [{"grid": {"apps.hot.arrivals.rate_per_s": [5, 40]}}]}' >over-sweep.json
"$COTENANT" run over.json -p mps -q -o over.db >/dev/null 2>&1 && "$COTENANT" sweep over-sweep.json -q -o over-load.db >/dev/null 2>&1 || fail "an overloaded service"
"$COTENANT" plot over.db -o over-one -q 2>err.txt && "$COTENANT" plot over-load.db -o over-all -q 2>>err.txt || fail "figures of an overloaded service"
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
flags() { awk -F'\t' -v at="$2" '/^[0-9]/ && $at != "" { printf "%s ", $at }' "$1"; }
[ "$(flags over-one/p99.dat 6)" = "1 " ] && [ "$(flags over-one/progress.dat 6)$(flags over-one/progress.dat 10)" = "-1 0 " ] && [ "$(flags over-one/tradeoff.dat 5)" = "-1 " ] ||
    fail "bounds of one run: $(grep -h '^[0-9]' over-one/{p99,progress,tradeoff}.dat)"
for case in p99:1 antt:1 stp:-1 fairness:-1; do
    [ "$(flags "over-all/sweep-${case%:*}.dat" 5)" = "0 ${case#*:} " ] || fail "bounds of a sweep's ${case%:*}: $(grep '^[0-9]' "over-all/sweep-${case%:*}.dat")"
    [ "$(flags "over-all/colocations-${case%:*}.dat" 6)" = "0 ${case#*:} " ] || fail "bounds of co-locations, ${case%:*}: $(grep '^[0-9]' "over-all/colocations-${case%:*}.dat")"
    grep '	mean' "over-all/colocations-${case%:*}.dat" >/dev/null && fail "a mean of bounds: ${case%:*}"
done
grep '>overloaded: at most<' over-one/progress.svg >/dev/null && grep '>overloaded: at most<' over-all/sweep-stp.svg >/dev/null || fail "no key says what a triangle that points down is"

wants 0 'both/colocations-stp.svg' "$COTENANT" plot load.db results.db -o both
[ "$(grep -c '^[0-9]' both/colocations-stp.dat)" = 4 ] || fail "not three co-locations and their mean"
[ -e both/p99.svg ] && fail "a figure of one store out of several"

# A point that says its GPU says it once, and the key of a trade-off stands below the label of its axis.
[ "$(grep -c 'a100.*a100\|v100.*v100' design-places.txt)" = 0 ] && grep 'gpu a100' design-places.txt >/dev/null || fail "a GPU twice, or not: $(cat design-places.txt)"
axis=$(grep -B3 'late jobs of the worst' rates/tradeoff.svg | sed -n 's/.*translate([0-9.]*,\([0-9.]*\)).*/\1/p') key=$(grep -B3 '>Pareto front<' rates/tradeoff.svg | sed -n 's/.*translate([0-9.]*,\([0-9.]*\)).*/\1/p')
awk -v axis="$axis" -v key="$key" 'BEGIN { exit !(axis > 0 && key > axis + 20) }' || fail "the key at $key, the axis' label at $axis"
grep '^#= service = .p99 / target of the worst service' over-all/sweep-p99.dat >/dev/null || fail "whose p99 a sweep shows: $(grep '#= service' over-all/sweep-p99.dat)"

# Memories: the file's points, curve and line.
"$COTENANT" dram fit --preset hbm2 --requests 5000 -o hbm2.json -q && "$COTENANT" dram fit --preset gddr6 --requests 5000 -o gddr6.json -q || fail "dram fit"
wants 0 'memories/dram.svg' "$COTENANT" plot hbm2.json gddr6.json -o memories
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
[ "$(grep -c '^[0-9]' memories/dram.dat)" = 84 ] || fail "not 21 points and 21 points of the curve of each memory"
wants 2 'mix.json' "$COTENANT" plot mix.json -o other
exit $((failures > 0))
