# p99 / target of the service that decides, over the load: error bars are the bounds of the verdicts, the large point
# is the answer; batch work, where there is any, dashed on the right. "target" is 1 for a list of GPUs. Beyond three
# times the target nobody needs the number: such points stand at the edge.
# Columns: policy, amount, p99 / target, low, high, batch work, 1 for the answer, 1 if it is a lower bound, name, GPU.
set title heading(what) noenhanced
set xlabel service noenhanced
set ylabel "p99 latency / target"
set xrange [least - 0.04 * (most - least) - (target ? 0.4 : 0.001):most + 0.04 * (most - least) + (target ? 0.4 : 0.001)]
set yrange [0:(top > 1 ? top : 1) * 1.1]
if (bounds) {
    set y2range [0:1.1]
    set y2tics 0, 0.25, 1
    set y2label "batch work / without services"
    set border 11
}
edge = 3
shown(c) = column(c) > edge ? edge : column(c)
if (top >= edge) { set ytics add ("≥ 3" edge) }
# The series with intervals, with batch work and with lower bounds: gnuplot complains of those without.
ranged = ""
working = ""
bounded = ""
do for [i = 1:series] {
    with_range = 0
    with_work = 0
    with_bound = 0
    stats data using (mine = column(1) == i, with_range = with_range + (mine && valid(5)), \
        with_work = with_work + (mine && valid(6)), with_bound = with_bound + (mine && valid(3) && $8 > 0), 0) nooutput
    if (with_range) { ranged = ranged . sprintf(" %d", i) }
    if (with_work) { working = working . sprintf(" %d", i) }
    if (with_bound) { bounded = bounded . sprintf(" %d", i) }
}
if (target) { set xtics () }
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.5 linecolor rgb warning_colour dashtype 2 front
curves = "for [i = 1:series] data using 2:(of(i, shown(3))) with linespoints pointtype point(i) pointsize 0.7 \
linewidth 1.3 linecolor rgb tint(i) title label[i]"
ranges = "for [i in ranged] data using 2:(of(int(i), shown(3))):(shown(4)):(shown(5)) with yerrorbars \
pointtype point(int(i)) pointsize 0.7 linecolor rgb tint(int(i)) notitle"
hollow(i) = point(i) > 4 ? point(i) - point(i) % 2 : point(i) # answers at one place stay apart
# What is no answer is drawn again within its own point: readers of SVG refuse pictures with points of no size.
answers = "for [i = 1:series] data using 2:(of(i, shown(3))):($7 > 0 ? 1.6 : 0.3) with points pointtype hollow(i) \
pointsize variable linecolor rgb tint(i) notitle"
rest = "NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title 'target'"
if (bounds) {
    rest = rest . ", for [i in working] data using 2:(of(int(i), $6)) axes x1y2 with lines dashtype 3 \
linewidth 1.2 linecolor rgb tint(int(i)) title label[int(i)] . ': batch work'"
}
if (target) {
    rest = rest . ", data using 2:(0):xtic(place[int($2) + 1]) with points pointtype -1 notitle"
}
if (words(bounded)) {
    rest = rest . ", for [i in bounded] data using 2:(of(int(i), $8 > 0 ? shown(3) : NaN)) with points pointtype 8 \
pointsize 1.4 linecolor rgb 'black' title (i eq word(bounded, 1) ? 'overloaded: at least' : '')"
}
if (words(ranged)) { rest = rest . ", " . ranges }
plot @curves, @answers, @rest
