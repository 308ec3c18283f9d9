# Where the slowest 1 % of a service's jobs spend their time, stacked, by policy.
# Columns: position, policy, then one per cause, ms per job.
set title "slowest 1 % of " . service . ": " . workload . " on " . gpu noenhanced
set ylabel "time, ms per job"
set xrange [0.4:policies + 0.6]
set yrange [0:*]
set key invert
plot for [s = series:1:-1] data using 1:(sum [k = 1:s] column(k + 2)):(0.6):xtic(2) with boxes \
         linecolor rgb "black" fillcolor rgb colour(s) title label[s]
