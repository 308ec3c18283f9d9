# DRAM utilisation against the row-buffer hit rate: points of the bank-level model, the curve and the straight line that
# were fitted to them ('cotenant dram fit'), by memory.
# Blocks: two per memory: row hit rate, utilisation of each point; the same of the curve. "line_c1[]", "line_c2[]": the
# lines, utilisation = c1 x rate + c2.
if (!exists("data")) { name = "dram"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
set xlabel "row-buffer hit rate"
set ylabel "utilisation of the data bus"
set xrange [0:1]
set yrange [0:1]
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
line(i, x) = line_c1[i] * x + line_c2[i]
plot for [i = 1:series] data index 2 * i - 1 using 1:2 with lines linewidth 1.4 linecolor rgb tint(i) notitle, \
     for [i = 1:series] line(i, x) with lines linewidth 1.0 dashtype 3 linecolor rgb tint(i) notitle, \
     for [i = 1:series] data index 2 * i - 2 using 1:2 with points pointtype point(i) pointsize 0.9 \
         linecolor rgb tint(i) title label[i], \
     NaN with lines linewidth 1.4 linecolor rgb "black" title "curve", \
     NaN with lines linewidth 1.0 dashtype 3 linecolor rgb "black" title "straight line"
