# The picture of an exercise: bars over an axis, a lane each; of a time line with what is going on, else with values.
# Columns: lane, from, to, 1 if it waits, label, name of the lane. No label has a comma or a quote.
set title heading(workload . " (" . gpu . ")") noenhanced
set xlabel (target ? "time, " : "") . service noenhanced
set xrange [0:most * (target ? 1.06 : 1.12)]
set yrange [series + 0.6:0.4]
unset grid
set grid xtics linewidth 0.5 linecolor rgb "#c8c8c8"
set xtics norotate
set ytics scale 0 noenhanced
set ytics ("" 0)
do for [i = 1:series] { set ytics add (as_tic(label[i]) i) }
unset key
position = target ? "center" : "left offset 0.6,0"
# A label stands inside a bar that has room for it, else it is left out; values stand behind their bars.
room(a, b, s) = (b - a) / most > 0.012 * (strlen(s) + 1)
text(n) = target ? strcol(5) : sprintf("%.4g", column(3))
plot data using 2:1:2:3:($1 - 0.36):($1 + 0.36) with boxxyerror fillcolor rgb colour(2) linecolor rgb "black", \
     data using 2:($4 > 0 ? $1 : NaN):2:3:($1 - 0.36):($1 + 0.36) with boxxyerror fillcolor rgb "white" \
         fillstyle pattern 4 border rgb "black" linecolor rgb "#707070", \
     data using (target ? ($2 + $3) / 2 : $3):1:(target && !room($2, $3, text(0)) ? "" : text(0)) \
         with labels noenhanced @position
