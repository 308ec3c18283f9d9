# The part of the SMs that each application may hold, over time, a strip for each.
# Columns: application, time in s, part in %, unit, name.
height = height + 34 # of the label below
eval canvas(height)
set datafile missing NaN # a line goes on behind what is of others
set multiplot title heading("SMs that may be held, " . service . ": " . what) noenhanced
unset title
unset key
set xrange [0:most]
set yrange [0:100]
set ytics 0, 50, 100
set lmargin 10
set rmargin 3
set tmargin 0
set bmargin 0
set ylabel "%" offset 1
set format x ""
head = 45 + title_height
do for [s = 1:series] {
    if (s == series) { set format x "%g"; set xlabel "time, s" }
    set size 1, (panel_height - 26.0) / height
    set origin 0, 1 - (head + s * panel_height) / height
    set label 1 label[s] at graph 0, 1.14 left noenhanced font small
    plot data using 2:(of(s, $3)) with fillsteps fillcolor rgb "#bcd6ee" notitle, \
         data using 2:(of(s, $3)) with steps linewidth 1.2 linecolor rgb tint(1) notitle
}
unset multiplot
