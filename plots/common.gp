# What every figure starts with. The lines above say what is drawn: name, workload, gpu, series, label[], policies.

format = (exists("ARG1") && strlen(ARG1)) ? ARG1 : "svg"
if (!exists("width")) width = 760
if (!exists("height")) height = 460
if (format eq "png") {
    set terminal pngcairo size 2 * width, 2 * height font "sans-serif,13" fontscale 2 linewidth 2 pointscale 2
} else {
    set terminal svg size width, height font "sans-serif,13" background rgb "white"
}
set output name . "." . format
set encoding utf8

# Neighbours differ in lightness, so that they stay apart in grey.
array fill = ["#4a7ab0", "#bcd6ee", "#e08e45", "#e6e6e6", "#5b7f3a", "#c3dba8", "#7a3e65", "#dfb7d2", "#707070", \
              "#f4d58d", "#3b3b3b", "#b08968", "#a8dadc"]
colour(i) = fill[(i - 1) % |fill| + 1]
array line_colour = ["#27476e", "#e08e45", "#5b7f3a", "#7a3e65", "#4a9bd1", "#000000", "#a05a2c", "#8a8a8a"]

set border 3 linewidth 0.8
set tics nomirror out scale 0.6
set grid ytics linewidth 0.5 linecolor rgb "#c8c8c8"
set boxwidth 0.8 relative
set style fill solid 1.0 border rgb "black"
set key outside right top vertical Left reverse noenhanced spacing 1.15
set title workload . " on " . gpu noenhanced
set datafile separator "\t"
set datafile missing "nan"

if (turned) { set xtics rotate by -30 noenhanced } else { set xtics noenhanced }
