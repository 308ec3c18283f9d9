# What the applications hold of the SMs (areas, stacked) and what flows through memory and link, over time.
# Columns: time in s, SMs held by each application in %, then GB/s of memory, link in, link out.
set multiplot layout 2, 1 title "use over time, " . service . ": " . workload . " on " . gpu noenhanced
unset title
set xrange [0:most]
set xtics norotate
set lmargin 9
set rmargin 22
set ylabel "SMs held, %"
set yrange [0:100]
set format x ""
held(s) = (sum [k = 1:s] column(k + 1))
plot for [s = series:1:-1] data using 1:(held(s)) with filledcurves y1=0 fillcolor rgb colour(s) \
         linecolor rgb "black" linewidth 0.3 title label[s]
set format x "%g"
set xlabel "time, s"
set ylabel "bandwidth, GB/s"
set yrange [0:(top > 0 ? 1.05 * top : 1)]
plot data using 1:(column(series + 2)) with lines linewidth 1.4 linecolor rgb line_colour[1] title "memory", \
     data using 1:(column(series + 3)) with lines linewidth 1.4 linecolor rgb line_colour[2] dashtype 2 title "link, in", \
     data using 1:(column(series + 4)) with lines linewidth 1.4 linecolor rgb line_colour[4] dashtype 3 title "link, out"
unset multiplot
