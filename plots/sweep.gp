# A measure of every point of a sweep over one of its axes: a line per policy with its 95 % interval as a band (a line
# through the mark, where neighbours have none), a panel for each value of the other axes. Where points share no axis
# ("joined" is 0), points alone and a panel for each axis.
# Columns: series (policies, panel by panel), place, value, low, high, 1 if it is a lower bound, -1 if an upper one, names
# of policy and panel.
# Series with intervals; of the others the band is the line.
ranged = " "
do for [b = 1:|panel| * series] {
    with_range = 0
    stats data using (with_range = with_range + (column(1) == b && valid(4)), 0) nooutput
    if (with_range) { ranged = ranged . sprintf("%d ", b) }
}
most_across = joined ? 3 : 2
across_panels = |panel| < most_across ? |panel| : most_across
rows = ceil(real(|panel|) / across_panels)
if (target > 0 && top > 8) {
    stats data using (lowest = lower(3), 0) nooutput
    set logscale y
    set yrange [foot_of_axis(lowest):top * 2]
    service = service . ", log scale"
} else {
    set yrange [0:(top > target ? top : target) * 1.1]
}
# Steps of 1, 2 or 5, at most eight, and as wide as their numbers.
power(x) = 10 ** floor(log10(x))
nice(x) = x <= power(x) ? power(x) : x <= 2 * power(x) ? 2 * power(x) : x <= 5 * power(x) ? 5 * power(x) : 10 * power(x)
longer(a, b) = a > b ? a : b
letters(x) = strlen(sprintf("%g", x))
numbers = joined ? longer(longer(letters(least), letters(most)), letters(nice((most - least) / 4))) : 3
right_margin = numbers / 2.0 + 0.5
if (joined) {
    set xrange [least - 0.03 * (most - least):most + 0.03 * (most - least)]
    steps = (width / across_panels - (10 + right_margin) * letter) / ((numbers + 1.5) * letter)
    set xtics nice((most - least) / (steps < 8 ? steps : 8.0))
}
if (target > 0) {
    set arrow 1 from graph 0, first target to graph 1, first target nohead linewidth 1.5 \
        linecolor rgb warning_colour dashtype 2 back
}
has(k) = strstrt(" " . drawn, sprintf(" %d ", k)) > 0
# gnuplot would complain of a series without numbers: the first one that has some is drawn in no size instead.
at(p, s) = of(has((p - 1) * series + s) ? (p - 1) * series + s : number(drawn, 1), column(2))
size(p, s) = has((p - 1) * series + s) ? 0.8 : 0.01
edge(p, s, c) = strstrt(ranged, sprintf(" %d ", (p - 1) * series + s)) == 0 ? column(3) : valid(c) ? column(c) : NaN
style = joined ? "lines dashtype dash(s)" : "dots" # so that one line shows below another
foot = key_height + 10
height = 80 + rows * panel_height + title_height + foot
eval canvas(height)
set style fill transparent solid 0.18 noborder
set multiplot title heading(service . ": " . what) noenhanced
strip = (height - 50.0 - title_height - foot) / rows
set lmargin 9
set rmargin right_margin
set tmargin 2
set bmargin 3.4
unset key
set title
set size 1.0 / across_panels, strip / height
do for [p = 1:|panel|] {
    set origin real((p - 1) % across_panels) / across_panels, (foot + (rows - 1 - (p - 1) / across_panels) * strip) / height
    set title (joined ? spaced(panel[p]) : "") noenhanced offset 0, -0.5
    set xlabel spaced(joined ? across : panel[p]) noenhanced
    plot for [s = 1:series] data using (at(p, s)):(edge(p, s, 4)):(edge(p, s, 5)) \
             with filledcurves linecolor rgb tint(s) notitle, \
         for [s = 1:series] data using (at(p, s)):(edge(p, s, 4)):(0):(edge(p, s, 5) - edge(p, s, 4)) \
             with vectors nohead linecolor rgb tint(s) linewidth (has((p - 1) * series + s) ? 1 : 0) notitle, \
         for [s = 1:series] data using (at(p, s)):3 with @style linecolor rgb tint(s) \
             linewidth (has((p - 1) * series + s) ? 1.6 : 0) notitle, \
         for [s = 1:series] data using (at(p, s)):3:(size(p, s)) with points pointtype point(s) \
             pointsize variable linecolor rgb tint(s) notitle, \
         for [s = 1:series] data using (at(p, s)):3:(bounds && $6 > 0 ? 1.5 : 0.01) with points pointtype 8 \
             pointsize variable linecolor rgb tint(s) notitle, \
         for [s = 1:series] data using (at(p, s)):3:(uppers && $6 < 0 ? 1.5 : 0.01) with points pointtype 10 \
             pointsize variable linecolor rgb tint(s) notitle
}
# The key of all panels below them.
set size 1, foot / height
set origin 0, 0
set tmargin 0
set bmargin 0
unset title
unset xlabel
unset tics
unset border
unset arrow 1
unset logscale y
set xrange [0:1]
set yrange [0:1]
eval place_key
style = joined ? "linespoints linewidth 1.6 dashtype dash(s)" : "points"
plot for [s = 1:series] NaN with @style pointtype point(s) pointsize 0.8 linecolor rgb tint(s) \
         title label[s], \
     NaN with points pointtype 8 pointsize 1.5 linecolor rgb "black" title (bounds ? "overloaded: at least" : ""), \
     NaN with points pointtype 10 pointsize 1.5 linecolor rgb "black" title (uppers ? "overloaded: at most" : ""), \
     NaN with lines linewidth 1.5 linecolor rgb warning_colour dashtype 2 title (target > 0 ? "target" : "")
unset multiplot
