# p99 / target by policy, one bar per service, 95 % intervals, the target as a line.
# Columns: service, position, p99 / target, low, high, 1 if it is a lower bound, name of the service, policy.
set ylabel "p99 latency / target"
set xrange [0.4:positions + 0.6]
if (top > 8) {
    stats data using (lowest = lower(3), 0) nooutput
    set logscale y
    set yrange [foot_of_axis(lowest):top * 2]
    set ylabel "p99 latency / target (log scale)"
} else {
    set yrange [0:(top > 1 ? top : 1) * 1.15]
}
bound_title(s) = s == series && bounds > 0 ? "overloaded: at least" : ""
bar = 0.8 / series
# Without intervals there are none of no length, which would look like sure ones.
span = intervals ? "4:5:(bar * 0.92) with boxerrorbars" : "(bar * 0.92) with boxes"
at(s) = column(2) + (s - (series + 1) / 2.0) * bar
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.5 linecolor rgb warning_colour dashtype 2 front
plot for [s = 1:series] data using (at(s)):(of(s, $3)):(bar * 0.92) with boxes \
         linecolor rgb "black" fillcolor rgb colour(s) title label[s], \
     for [s = 1:series] data using (at(s)):(of(s, $3)):@span \
         linecolor rgb "black" fillcolor rgb colour(s) notitle, \
     data using 2:(1):xtic(place[int($2)]) with points pointtype -1 notitle, \
     for [s = 1:series] data using (at(s)):(of(s, $6 > 0 || !bounds ? $3 : NaN)) with points \
         pointtype (bounds ? 9 : -1) pointsize 1.4 linecolor rgb "black" title bound_title(s), \
     NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title "target"
