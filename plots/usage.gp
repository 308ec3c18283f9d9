# What the applications hold of the SMs (areas, stacked) and what flows through memory and link, over time.
# Columns: application, time in s, SMs that it holds in %; behind the applications memory, link in, link out, in GB/s; unit, name.
height = height + key_height
lower = (190.0 + key_height) / height
eval canvas(height)
set datafile missing NaN # a line goes on behind what is of others
set multiplot title heading("use over time, " . service . ": " . what) noenhanced
unset title
set xrange [0:most]
set lmargin 10
set rmargin (key_beside ? (longest > 9 ? longest : 9) + 9 : 17)
set size 1, 1 - lower - (30 + title_height) / height
set origin 0, lower
set ylabel "SMs held, %"
set yrange [0:100]
set format x ""
set bmargin 1
# Rows are those of a time, application by application: what is held up to this row.
pile = 0
stack(s) = (pile = (column(1) == 1 ? 0 : pile) + column(3), of(s, pile))
plot for [s = series:1:-1] data using 2:(stack(s)) with filledcurves y1=0 fillcolor rgb colour(s) \
         linecolor rgb "black" linewidth 0.3 title label[s]
set bmargin room_below(1)
set key default
set key outside right top vertical Left reverse noenhanced spacing 1.15
set size 1, lower
set origin 0, 0
set format x "%g"
set xlabel "time, s"
set ylabel "bandwidth, GB/s"
set yrange [0:(top > 0 ? 1.05 * top : 1)]
# The strip has room for some four numbers: every 1, 2, 5 or 10 of a power of ten.
third = (top > 0 ? top : 1) / 3.0
power = 10.0 ** floor(log10(third))
set ytics power * (third <= power ? 1 : third <= 2 * power ? 2 : third <= 5 * power ? 5 : 10)
plot data using 2:(of(series + 1, $3)) with lines linewidth 1.4 linecolor rgb tint(1) title memory noenhanced, \
     data using 2:(of(series + 2, $3)) with lines linewidth 1.4 linecolor rgb tint(2) dashtype 2 title "link, in", \
     data using 2:(of(series + 3, $3)) with lines linewidth 1.4 linecolor rgb tint(4) dashtype 3 title "link, out"
unset multiplot
