# Latency distribution of one service, a line per policy; the upper axis is stretched so that the tail can be read.
# Columns: policy, latency in ms, share of jobs that took longer, its name; of policies that finished jobs (settings:
# "drawn", and "idle" for the others).
tail(share) = -log10(share)
set title heading(service . ": " . what) noenhanced
set xlabel "latency, ms"
set ylabel "jobs that are done, %"
if (most > 5 * least) {
    set logscale x
    if (most < 100 * least) {
        set xtics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, \
                   2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6)
    }
}
set xrange [least * 0.97:(target > most ? target : most) * 1.03] noextend
set yrange [0:top]
set ytics ("0" 0, "50" tail(0.5), "90" 1, "99" 2, "99.9" 3, "99.99" 4)
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
if (target > 0) {
    set arrow 1 from first target, graph 0 to first target, graph 1 nohead linewidth 1.5 linecolor rgb warning_colour \
        dashtype 2 back
}
target_title = target > 0 ? "target" : ""
# More lines than colours: points tell them apart.
marks = policies > |line_colour| ? 0.8 : 0
plot for [k = 1:words(drawn)] data using 2:(of(number(drawn, k), tail($3))) with linespoints linewidth 1.8 \
         pointtype (marks > 0 ? point(number(drawn, k)) : -1) pointsize marks pointnumber 5 linecolor rgb tint(number(drawn, k)) \
         dashtype dash(number(drawn, k)) title label[number(drawn, k)], \
     for [k = 1:words(idle)] NaN with lines linecolor rgb "white" title label[number(idle, k)] . ": no data", \
     NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title target_title
