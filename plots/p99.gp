# p99 / target by policy, one bar per service, 95 % intervals, the target as a line.
# Columns: position, policy, then for each service: p99 / target, low, high, 1 if it is a lower bound.
if (!exists("data")) { name = "p99"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
set ylabel "p99 latency / target"
set xrange [0.4:positions + 0.6]
if (top > 8) {
    do for [s = 1:series] { stats data using (lowest = lower(4 * s - 1), 0) nooutput }
    set logscale y
    set yrange [foot_of_axis(lowest):top * 2]
    set ylabel "p99 latency / target (log scale)"
} else {
    set yrange [0:(top > 1 ? top : 1) * 1.15]
}
bound_title(s) = s == series && bounds > 0 ? "overloaded: at least" : ""
bar = 0.8 / series
# Without intervals there are none of no length, which would look like sure ones.
span = intervals ? "(column(4 * s)):(column(4 * s + 1)):(bar * 0.92) with boxerrorbars" : "(bar * 0.92) with boxes"
at(s) = (s - (series + 1) / 2.0) * bar
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linewidth 1.5 linecolor rgb warning_colour dashtype 2 front
plot for [s = 1:series] data using ($1 + at(s)):(column(4 * s - 1)):(bar * 0.92) with boxes \
         linecolor rgb "black" fillcolor rgb colour(s) title label[s], \
     for [s = 1:series] data using ($1 + at(s)):(column(4 * s - 1)):@span \
         linecolor rgb "black" fillcolor rgb colour(s) notitle, \
     data using 1:(1):xtic(2) with points pointtype -1 notitle, \
     for [s = 1:series] data using ($1 + at(s)):(column(4 * s + 2) > 0 || !bounds ? column(4 * s - 1) : NaN) with points \
         pointtype (bounds ? 9 : -1) pointsize 1.4 linecolor rgb "black" title bound_title(s), \
     NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title "target"
