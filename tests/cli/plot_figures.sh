#!/usr/bin/env bash
# The figures of a stored comparison: data and scripts are written, gnuplot draws them, its absence is told.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store
figures="p99 batch progress tradeoff latency-queries blame-queries"

# ask FILE.csv SQL: of its rows, as a reader of CSV sees them ("t", all columns text).
ask() { sqlite3 :memory: ".import --csv '$1' t" "$2"; }
# named FILE.csv COLUMN: its values, each once, in their order.
named() { ask "$1" "SELECT $2 FROM t GROUP BY $2 ORDER BY min(rowid)" | tr '\n' '|'; }

# Without gnuplot the data and the scripts are still there.
mkdir empty
wants 3 'gnuplot is not installed' env PATH="$scratch/empty" "$COTENANT" plot results.db -o bare
for name in $figures; do
    [ -s bare/$name.csv ] || fail "$name.csv is missing"
    [ -s bare/$name.gp ] || fail "$name.gp is missing"
done

# The numbers are the report's.
want=$("$COTENANT" report results.db --format csv --run 1 | sed -n 's/.*,app,queries,p99_over_qos,//p')
[ "$(ask bare/p99.csv "SELECT p99_over_target FROM t WHERE policy = 'fifo'")" = "$want" ] || fail "p99.csv does not hold $want: $(cat bare/p99.csv)"
[ "$(named bare/latency-queries.csv policy)" = "fifo|priority|" ] || fail "latency-queries.csv has not a curve for each policy"

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
mkdir apart && awk -F, -v OFS=, '$5 == "fifo" { $3 *= 1000 } { print }' figures/blame-queries.csv >apart/blame-queries.csv
sed 's/^most = .*/most = 100000/; s/^widest = .*/widest = 40/' figures/blame-queries.gp >apart/blame-queries.gp
gnuplot apart/blame-queries.gp 2>err.txt && [ ! -s err.txt ] || fail "gnuplot complains: $(cat err.txt)"
sed -n "s/.*stroke='black'  *d='M\([0-9.]*\),\([0-9.]*\) L\1,\([0-9.]*\) L.*/\2 \3/p" apart/blame-queries.svg | uniq |
    awk '{ height[NR] = $2 - $1 } END { exit !(NR == 2 && height[1] > height[2] / 2) }' || fail "of two panels one is a strip"
# Curves over time are those of a run that was stored alone.
"$COTENANT" run mix.json -p priority -q -o alone.db >/dev/null || fail "run -o"
wants 0 'time/usage.svg' "$COTENANT" plot alone.db -o time
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
[ "$(ask time/usage.csv "SELECT count(*), min(sum) >= 0, max(sum) <= 100.001
    FROM (SELECT sum(value) AS sum FROM t WHERE unit = '% of SMs' GROUP BY time_s)")" = '300|1|1' ] || fail "usage.csv has other than 300 bins of at most all SMs"
for name in usage quota; do
    grep 'time, s' time/$name.svg >/dev/null || fail "no unit below $name"
done
grep '^keys = 0' time/quota.gp >/dev/null || fail "quota, whose strips are named, leaves room for a key"
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
    want=$(sqlite3 equals.db "SELECT $name FROM system JOIN run ON run.number = system.run WHERE policy = 'timeslice' LIMIT 1")
    [ -s equals/$name.svg ] && [ "$(ask equals/$name.csv "SELECT abs(value - $want) < 1e-6 FROM t WHERE policy = 'timeslice'")" = 1 ] ||
        fail "$name.csv does not hold $want"
done
sum=$(ask equals/progress.csv "SELECT sum(value) FROM t WHERE policy = 'timeslice'")
[ "$(ask equals/stp.csv "SELECT abs(value - $sum) < 1e-4 FROM t WHERE policy = 'timeslice'")" = 1 ] ||
    fail "progress does not add up to STP: $sum"
# A script draws on its own, wherever it lies, and from elsewhere.
mkdir copy && cp figures/p99.gp figures/p99.csv copy && (cd copy && gnuplot p99.gp) && cmp -s copy/p99.svg figures/p99.svg ||
    fail "p99.gp does not stand alone"
gnuplot -c copy/p99.gp png && [ -s copy/p99.png ] || fail "p99.gp does not draw from another folder"
rm copy/p99.svg && mv copy "it's one" && gnuplot "it's one/p99.gp" && [ -s "it's one/p99.svg" ] || fail "p99.gp does not draw in a folder with a quote"
rm "it's one/p99.csv" && wants 3 'no such data' gnuplot "it's one/p99.gp"

# Letters that no font has are boxes in a PNG, which is said; an SVG has them as they are.
if command -v fc-list >/dev/null && [ -z "$(fc-list ':charset=10fffd' family)" ]; then
    mkdir boxes && cp figures/p99.csv boxes && sed "s/queries/$(printf '\364\217\277\275')/" figures/p99.gp >boxes/p99.gp
    gnuplot -c boxes/p99.gp png 2>err.txt && grep 'no font here has 1 of the letters' err.txt >/dev/null || fail "boxes are drawn without a word: $(cat err.txt)"
    gnuplot -c boxes/p99.gp svg 2>err.txt && [ ! -s err.txt ] || fail "an SVG needs no font: $(cat err.txt)"
fi

# Names that a reader of CSV, a spreadsheet or gnuplot could take for something else: they are drawn as they are, and columns stay apart.
cp results.db names.db
sqlite3 names.db "UPDATE app SET name = '=a, ''\"b\" #c,%' WHERE name = 'queries'; UPDATE app SET name = '#\"x, y' WHERE name = 'solver'; UPDATE run SET policy = policy || ', \"q\" #'"
"$COTENANT" plot names.db -o names -q 2>err.txt || fail "plot of names"
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
[ "$(named names/progress.csv application)$(named names/progress.csv policy)" = "'=a, '\"b\" #c,%|#\"x, y|fifo, \"q\" #|priority, \"q\" #|" ] || fail "names of a table: $(cat names/progress.csv)"
for text in '=a, '"'"'"b" #c,%' '#"x, y' 'fifo, "q" #'; do
    sed 's/&quot;/"/g; s/&#39;/'"'"'/g' names/progress.svg | grep -F -- "$text" >/dev/null || fail "no '$text' in the picture"
done
[ "$(grep -c '<polygon\|<use' names/progress.svg)" = "$(grep -c '<polygon\|<use' figures/progress.svg)" ] || fail "names take bars away"

# Two marks on one place stand there both, and a line leads to the name that had to make way. No tick has fewer than no late jobs.
mkdir near && awk -F, -v OFS=, 'NR > 1 { $2 = 0; $3 = 1.5; $5 = 1 } { print }' figures/tradeoff.csv >near/tradeoff.csv
sed 's/^top = .*/top = 0/; s/^least = .*/least = 1.5/; s/^most = .*/most = 1.5/' figures/tradeoff.gp >near/tradeoff.gp
gnuplot near/tradeoff.gp 2>err.txt && [ ! -s err.txt ] || fail "gnuplot complains: $(cat err.txt)"
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
[ "$(named gpus/p99.csv policy)" = 'fifo, v100|priority, v100|fifo, a100|priority, a100|' ] || fail "bars of two GPUs are called $(named gpus/p99.csv policy)"
grep -F "place[4] = ['fifo, v100', 'priority, v100', 'fifo, a100', 'priority, a100']" gpus/p99.gp >/dev/null || fail "p99.gp calls them $(grep '^array place' gpus/p99.gp)"
"$COTENANT" run equals.json -p fifo -q -o places.db >/dev/null && "$COTENANT" plot places.db -o places -q 2>err.txt || fail "plot of two workloads"
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
for place in "mix' ''" "several workloads' ''"; do
    case $place in mix*) file=gpus ;; *) file=places ;; esac
    for name in p99 progress tradeoff latency-queries; do
        [ "$(sed -n 's/^\(workload\|gpu\) = //p' $file/$name.gp | tr '\n' ' ')" = "'$place " ] || fail "$file/$name is called $(grep '^\(workload\|gpu\) =' $file/$name.gp)"
    done
done
grep "^workload = 'mix'" places/usage.gp >/dev/null && grep "^gpu = 'v100'" places/usage.gp >/dev/null || fail "the run of usage is not named"
grep -F "'fifo, mix on v100', 'priority, mix on v100', 'fifo, mix on a100', 'priority, mix on a100', 'fifo, equals on v100'" places/tradeoff.gp >/dev/null ||
    fail "marks of two workloads are called $(grep 'array label' places/tradeoff.gp)"
grep -F "['queries', 'solver', 'long', 'short']" places/progress.gp >/dev/null || fail "applications of the second workload have no bar"
[ "$(ask places/tradeoff.csv "SELECT count(DISTINCT front), count(DISTINCT front || substr(policy, -4)) FROM t WHERE front <> ''")" = '2|2' ] ||
    fail "a front goes across GPUs: $(cat places/tradeoff.csv)"

# Nor do runs of other settings have a front together, but those whose policies have other options.
for rate in 10 60; do
    for policy in fifo priority; do
        "$COTENANT" run mix.json -p $policy --set apps.queries.arrivals.rate_per_s=$rate -q -o fronts.db >/dev/null || fail "run -p $policy at $rate"
    done
    "$COTENANT" run mix.json -p baymax --set margin=0.$rate -q -o options.db >/dev/null || fail "run with a margin of 0.$rate"
done
for case in fronts:2 options:1; do
    "$COTENANT" plot "${case%:*}.db" -o "${case%:*}" -q || fail "plot of ${case%:*}"
    [ "$(ask "${case%:*}/tradeoff.csv" "SELECT count(DISTINCT front) FROM t WHERE front <> ''")" = "${case#*:}" ] || fail "${case%:*}: fronts: $(cat "${case%:*}/tradeoff.csv")"
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
[ -n "$want" ] && [ "$(ask points/colocations-p99.csv "SELECT value FROM t WHERE co_location = 'rate per s 20' AND policy = 'priority'")" = "$want" ] ||
    fail "colocations-p99.csv does not hold $want: $(cat points/colocations-p99.csv)"
[ "$(ask points/colocations-batch.csv "SELECT abs(avg(value) FILTER (WHERE co_location <> 'mean') - sum(value) FILTER (WHERE co_location = 'mean')) < 1e-6
    FROM t GROUP BY policy" | uniq)" = 1 ] || fail "the mean is none: $(cat points/colocations-batch.csv)"
# A sweep has lines over its axis, one per policy, and not the figures of its last point.
[ -e points/p99.svg ] && fail "a figure of one point of a sweep under the sweep's name"
[ -s points/sweep-p99.svg ] || fail "no figure over the axis of a sweep"
[ "$(grep -o "stroke-dasharray='[^']*'" points/sweep-stp.svg | sort -u | wc -l)" -ge 2 ] || fail "one line of a sweep would hide another"
[ "$(named points/sweep-p99.csv policy)" = 'fifo|priority|' ] || fail "not a line for each policy: $(cat points/sweep-p99.csv)"
[ "$(ask points/sweep-p99.csv "SELECT value, low, high FROM t WHERE policy = 'priority' AND place = '20'")" = "$want||" ] ||
    fail "sweep-p99.csv does not hold $want: $(cat points/sweep-p99.csv)"
# An interval that one policy has at one point is drawn there, and gnuplot does not complain of the other policies.
mkdir lonely && cp points/{colocations,sweep}-p99.gp lonely
for name in colocations sweep; do
    awk -F, -v OFS=, 'NR == 2 { $4 = 0.1; $5 = 0.9 } { print }' points/$name-p99.csv >lonely/$name-p99.csv
    gnuplot lonely/$name-p99.gp 2>err.txt || fail "$name.gp draws no single interval"
    [ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
done
sed -n "s/.* d='M\([0-9.]*\),\([0-9.]*\) L\1,\([0-9.]*\) *'.*/\2 \3/p" lonely/sweep-p99.svg |
    awk '($1 - $2) ^ 2 > 400 { found = 1 } END { exit !found }' || fail "an interval without neighbours is not drawn"
# What is far below its target beside what is far above has bars and marks as well, on an axis in logarithms.
mkdir far
for name in p99 colocations sweep; do
    case $name in p99) near=figures/p99 ;; *) near=points/$name-p99 ;; esac
    awk -F, -v OFS=, 'NR > 1 && $3 != "" { $3 = n++ ? 0.03 : 20 } { print }' $near.csv >far/${near#*/}.csv
    sed 's/^top = .*/top = 20/' $near.gp >far/${near#*/}.gp
    gnuplot far/${near#*/}.gp 2>err.txt || fail "$name.gp draws nothing that is far apart"
    [ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
    [ "$(grep -c '<polygon\|<use' far/${near#*/}.svg)" = "$(grep -c '<polygon\|<use' $near.svg)" ] ||
        fail "$name: $(grep -c '<polygon\|<use' far/${near#*/}.svg) bars and marks, $(grep -c '<polygon\|<use' $near.svg) where values are near"
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
    grep -h '^array panel' over/sweep-stp.gp >>designs.txt 2>/dev/null
    [ ! -e over/sweep-stp.csv ] || ask over/sweep-stp.csv "SELECT place FROM t" | tr '\n' ' ' >>places.txt
    [ -e over/colocations-stp.svg ] || fail "no bars of $design"
    named over/colocations-stp.csv co_location | tr '|' '\n' >>design-places.txt
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
    [ "$(ask "${sweep%:*}/sweep-p99.csv" "SELECT place FROM t" | tr '\n' ' ')" = "${sweep#*:} 20 ${sweep#*:} 20 " ] ||
        fail "$sweep: its line goes through $(cat "${sweep%:*}/sweep-p99.csv")"
    [ "$(named "${sweep%:*}/colocations-p99.csv" co_location)" = "rate per s ${sweep#*:}|rate per s 20|mean|" ] ||
        fail "$sweep: its bars are $(cat "${sweep%:*}/colocations-p99.csv")"
done
grep ' 0 runs' err.txt >/dev/null || fail "the sweep as before ran something: $(cat err.txt)"
# A store of an older version does not say which points are the newest: all of that name.
sqlite3 edited.db 'DROP TABLE sweep_latest' && "$COTENANT" plot edited.db -o older -q || fail "plot of an older sweep"
[ "$(grep -c '^[0-9]' older/sweep-p99.csv)" = 8 ] || fail "older/sweep-p99.csv: $(cat older/sweep-p99.csv)"

# Stores of one workload with other settings are co-locations of their own, named by what differs; alike, they are one.
for rate in 10 20; do
    "$COTENANT" compare mix.json --policies fifo,priority --set duration_s=2 --set apps.queries.arrivals.rate_per_s=$rate -q -o rate$rate.db >/dev/null || fail "compare at $rate"
done
wants 0 'sets/colocations-stp.svg' "$COTENANT" plot rate10.db rate20.db -o sets
[ "$(named sets/colocations-stp.csv co_location)" = "rate_per_s=10|rate_per_s=20|mean|" ] ||
    fail "bars of two settings are $(named sets/colocations-stp.csv co_location)"
# So are runs of one store, in every figure; the rate is one's alone no more where there are two services.
sed 's/{"name": "solver",/{"name": "solver", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 5},/' mix.json >services.json
for rate in 10 20; do "$COTENANT" run services.json -p fifo --set duration_s=2 --set apps.queries.arrivals.rate_per_s=$rate -q -o rates.db >/dev/null || fail "run at $rate"; done
wants 0 'rates/p99.svg' "$COTENANT" plot rates.db -o rates
[ "$(named rates/p99.csv policy)" = "fifo, queries.rate_per_s=10|fifo, queries.rate_per_s=20|" ] ||
    fail "bars of two runs are $(named rates/p99.csv policy)"
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
flags() { ask "$1" "SELECT bound FROM t" | tr '\n' ' '; }
[ "$(flags over-one/p99.csv)$(flags over-one/progress.csv)$(flags over-one/tradeoff.csv)" = "1 -1 0 -1 " ] ||
    fail "bounds of one run: $(cat over-one/{p99,progress,tradeoff}.csv)"
for case in p99:1 antt:1 stp:-1 fairness:-1; do
    [ "$(flags "over-all/sweep-${case%:*}.csv")" = "0 ${case#*:} " ] || fail "bounds of a sweep's ${case%:*}: $(cat "over-all/sweep-${case%:*}.csv")"
    [ "$(flags "over-all/colocations-${case%:*}.csv")" = "0 ${case#*:} " ] || fail "bounds of co-locations, ${case%:*}: $(cat "over-all/colocations-${case%:*}.csv")"
    grep ',mean$' "over-all/colocations-${case%:*}.csv" >/dev/null && fail "a mean of bounds: ${case%:*}"
done
grep '>overloaded: at most<' over-one/progress.svg >/dev/null && grep '>overloaded: at most<' over-all/sweep-stp.svg >/dev/null || fail "no key says what a triangle that points down is"

wants 0 'both/colocations-stp.svg' "$COTENANT" plot load.db results.db -o both
[ "$(ask both/colocations-stp.csv "SELECT count(DISTINCT position) FROM t")" = 4 ] || fail "not three co-locations and their mean"
[ -e both/p99.svg ] && fail "a figure of one store out of several"

# A point that says its GPU says it once, and the key of a trade-off stands below the label of its axis.
[ "$(grep -c 'a100.*a100\|v100.*v100' design-places.txt)" = 0 ] && grep 'gpu a100' design-places.txt >/dev/null || fail "a GPU twice, or not: $(cat design-places.txt)"
axis=$(grep -B3 'late jobs of the worst' rates/tradeoff.svg | sed -n 's/.*translate([0-9.]*,\([0-9.]*\)).*/\1/p') key=$(grep -B3 '>Pareto front<' rates/tradeoff.svg | sed -n 's/.*translate([0-9.]*,\([0-9.]*\)).*/\1/p')
awk -v axis="$axis" -v key="$key" 'BEGIN { exit !(axis > 0 && key > axis + 20) }' || fail "the key at $key, the axis' label at $axis"
grep '^service = .p99 / target of the worst service' over-all/sweep-p99.gp >/dev/null || fail "whose p99 a sweep shows: $(grep '^service =' over-all/sweep-p99.gp)"

# Memories: the file's points, curve and line.
"$COTENANT" dram fit --preset hbm2 --requests 5000 -o hbm2.json -q && "$COTENANT" dram fit --preset gddr6 --requests 5000 -o gddr6.json -q || fail "dram fit"
wants 0 'memories/dram.svg' "$COTENANT" plot hbm2.json gddr6.json -o memories
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
[ "$(grep -c '^[0-9]' memories/dram.csv)" = 84 ] || fail "not 21 points and 21 points of the curve of each memory"
wants 2 'mix.json' "$COTENANT" plot mix.json -o other
exit $((failures > 0))
