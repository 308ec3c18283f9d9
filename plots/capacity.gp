# p99 / target of the service that decides, over the load: error bars are the bounds of the verdicts, the large point
# is the answer; batch work, where there is any, dashed on the right. "target" is 1 for a list of GPUs.
# Blocks: a policy each. Columns: amount, p99 / target, low, high, batch work, 1 for the answer, name.
if (!exists("data")) { name = "capacity"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
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
# Where nothing has an interval, gnuplot would complain of a series without points.
end(c) = intervals ? column(c) : column(2)
if (target) { set xtics () }
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.5 linecolor rgb warning_colour dashtype 2 front
curves = "for [i = 1:series] data index i - 1 using 1:2 with linespoints pointtype point(i) pointsize 0.7 \
linewidth 1.3 linecolor rgb tint(i) title label[i]"
ranges = "for [i = 1:series] data index i - 1 using 1:2:(end(3)):(end(4)) with yerrorbars pointtype point(i) pointsize 0.7 \
linecolor rgb tint(i) notitle"
# What is no answer is drawn again within its own point: readers of SVG refuse pictures with points of no size.
answers = "for [i = 1:series] data index i - 1 using 1:2:($6 > 0 ? 1.6 : 0.3) with points pointtype point(i) \
pointsize variable linecolor rgb tint(i) notitle"
rest = "NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title 'target'"
if (bounds) {
    rest = rest . ", for [i = 1:series] data index i - 1 using 1:5 axes x1y2 with lines dashtype 3 \
linewidth 1.2 linecolor rgb tint(i) title label[i] . ': batch work'"
}
if (target) {
    rest = rest . ", data index 0 using 1:(0):xtic(7) with points pointtype -1 notitle"
}
plot @curves, @ranges, @answers, @rest
