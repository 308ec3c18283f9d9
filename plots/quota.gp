# The part of the SMs that each application may hold, over time, a strip for each.
# Columns: time in s, then one per application, in %.
if (!exists("data")) { name = "quota"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
height = height + 34 # of the label below
eval canvas(height)
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
    plot data using 1:(column(s + 1)) with fillsteps fillcolor rgb "#bcd6ee" notitle, \
         data using 1:(column(s + 1)) with steps linewidth 1.2 linecolor rgb tint(1) notitle
}
unset multiplot
