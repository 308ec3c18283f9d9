# System throughput against late jobs: a policy is on the front when no other is at least as good in both.
# Blocks: position, policy, late jobs of the worst service in %, STP; then late jobs and STP along the front.
set xlabel "late jobs of the worst service, %"
set ylabel "system throughput (STP)"
set xtics norotate
set xrange [-0.03 * top - 0.01:1.05 * top + 0.1]
set offsets 0, 0, graph 0.08, graph 0.08
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
point(i) = word("7 5 9 11 13 15 6 4 8 10 12 14 1 2 3", (i - 1) % 15 + 1) + 0
plot "tradeoff.dat" index 1 using 1:2 with lines linewidth 1.2 dashtype 2 \
         linecolor rgb "#707070" title "Pareto front", \
     for [i = 1:policies] "tradeoff.dat" index 0 using ($1 == i ? $3 : NaN):4 with points pointtype point(i) pointsize 1.3 \
         linewidth 1.2 linecolor rgb line_colour[(i - 1) % |line_colour| + 1] title label[i]
