# One measure of many co-locations, a group of bars each, one bar per policy: p99 / target, batch work or throughput. In
# as many rows of groups as the canvas needs.
# Columns: policy, position, value, low, high, 1 if it is a lower bound, -1 if an upper one, names of policy and co-location.
set ylabel service noenhanced
rows = panels > 0 ? panels : 1
# The policies with intervals: gnuplot complains of those without, and of zeros once the axis is in logarithms.
ranged = ""
do for [s = 1:series] {
    with_range = 0
    stats data using (with_range = with_range + (column(1) == s && valid(4)), 0) nooutput
    if (with_range) { ranged = ranged . sprintf(" %d", s) }
}
log_scale = target > 0 && top > 8
if (log_scale) {
    stats data using (lowest = lower(3), 0) nooutput
    set logscale y
    set yrange [foot_of_axis(lowest):top * 2]
    set ylabel service . " (log scale)" noenhanced
} else {
    set yrange [0:(top > target ? top : target) * 1.1]
}
bar = 0.84 / series
ranges = words(ranged) == 0 ? "" : "for [i in ranged] data using (at(int(i))):(of(int(i), $3)):4:5:(bar * 0.94) \
with boxerrorbars linewidth 0.5 linecolor rgb 'black' fillcolor rgb colour(int(i)) notitle,"
at(s) = column(2) + (s - (series + 1) / 2.0) * bar
if (target > 0) {
    set arrow 1 from graph 0, first target to graph 1, first target nohead linewidth 1.5 \
        linecolor rgb warning_colour dashtype 2 front
}
if (exists("shaded")) {
    set object 1 rectangle from first shaded - 0.5, graph 0 to first shaded_end + 0.5, graph 1 behind \
        fillcolor rgb "#e6e6e6" fillstyle solid noborder
}
height = height + key_height
eval canvas(height)
set multiplot title heading(what) noenhanced
unset title
set lmargin (top >= 5000 ? 12 : 10)
set rmargin (key_beside ? longest + 9 : 3)
strip = (height - 45.0 - title_height - key_height) / rows
do for [r = 1:rows] {
    set xrange [(r - 1) * positions + 0.45:r * positions + 0.55]
    set size 1, strip / height
    set origin 0, (key_height + (rows - r) * strip) / height
    set bmargin upright ? 1.6 + names_height / row * 1.04 : 2 + names_height / row * 1.15
    set tmargin 0.8
    if (r > 1) { unset key }
    plot for [s = 1:series] data using (at(s)):(of(s, $3)):(bar * 0.94) with boxes linewidth 0.5 \
             linecolor rgb "black" fillcolor rgb colour(s) title label[s], \
         @ranges \
         data using 2:(1):xtic(wrap(place[int($2)], 34)) with points pointtype -1 notitle, \
         for [s = 1:series] data using (at(s)):(of(s, $6 > 0 || !bounds ? $3 : NaN)) with points \
             pointtype (bounds ? 9 : -1) pointsize 0.8 linecolor rgb "black" \
             title (s == series && bounds ? "overloaded: at least" : ""), \
         for [s = 1:series] data using (at(s)):(of(s, $6 < 0 || !uppers ? $3 : NaN)) with points \
             pointtype (uppers ? 11 : -1) pointsize 0.8 linecolor rgb "black" \
             title (s == series && uppers ? "overloaded: at most" : ""), \
         NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title (target > 0 ? "target" : "")
}
unset multiplot
