# DRAM utilisation against the row-buffer hit rate: points of the bank-level model, the curve and the straight line that
# were fitted to them ('cotenant dram fit'), by memory.
# Columns: series, row hit rate, utilisation, memory, of what; two series for each memory, its points and the curve.
# "slope[]", "base[]": the lines, utilisation = slope x rate + base.
set xlabel "row-buffer hit rate"
set ylabel "utilisation of the data bus"
set xrange [0:1]
set yrange [0:1]
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
line(i, x) = slope[i] * x + base[i]
plot for [i = 1:series] data using 2:(of(2 * i, $3)) with lines linewidth 1.4 linecolor rgb tint(i) notitle, \
     for [i = 1:series] line(i, x) with lines linewidth 1.0 dashtype 3 linecolor rgb tint(i) notitle, \
     for [i = 1:series] data using 2:(of(2 * i - 1, $3)) with points pointtype point(i) pointsize 0.9 \
         linecolor rgb tint(i) title label[i], \
     NaN with lines linewidth 1.4 linecolor rgb "black" title "curve", \
     NaN with lines linewidth 1.0 dashtype 3 linecolor rgb "black" title "straight line"
