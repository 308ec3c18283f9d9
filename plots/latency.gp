# Latency distribution of one service, a line per policy; the upper axis is stretched so that the tail can be read.
# Blocks: one per policy. Columns: latency in ms, share of jobs that took longer.
tail(share) = -log10(share)
set title service . ": " . workload . " on " . gpu noenhanced
set xlabel "latency, ms"
set ylabel "jobs that are done, %"
set logscale x
set xtics norotate
if (most < 100 * least) {
    set xtics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, \
               5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6)
}
set xrange [*:*] noextend
set yrange [0:top]
set ytics ("0" 0, "50" tail(0.5), "90" 1, "99" 2, "99.9" 3, "99.99" 4)
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
if (target > 0) {
    set arrow 1 from first target, graph 0 to first target, graph 1 nohead linewidth 1.5 linecolor rgb "#b00020" \
        dashtype 2 back
}
dash(i) = (i - 1) % 5 + 1
target_title = target > 0 ? "target" : ""
plot for [i = 1:policies] data index i - 1 using 1:(tail($2)) with lines linewidth 1.8 \
         linecolor rgb line_colour[(i - 1) % |line_colour| + 1] dashtype dash(i) title label[i], \
     NaN with lines linewidth 1.5 linecolor rgb "#b00020" dashtype 2 title target_title
