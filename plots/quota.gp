# The part of the SMs that each application may hold, over time.
# Columns: time in s, then one per application, in %.
set title "quota over time, " . service . ": " . workload . " on " . gpu noenhanced
set xrange [0:most]
set xtics norotate
set xlabel "time, s"
set ylabel "part of the SMs allowed, %"
set yrange [0:105]
plot for [s = 1:series] data using 1:(column(s + 1)) with steps linewidth 1.6 \
         linecolor rgb line_colour[(s - 1) % |line_colour| + 1] dashtype s title label[s]
