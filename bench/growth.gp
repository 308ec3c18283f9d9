# Cost per kernel (event of thread blocks, query of a cluster) by applications, kernels and GPUs; called by bench/growth with
# csv and out.
# A hundred queries are hardly more than the program's start: left out.
set datafile separator ","
set terminal svg size 1200,340 font "sans,12" background rgb "white"
set output out
set multiplot layout 1,4
set logscale x
set key at graph 0.04, graph 0.97 left top Left reverse samplen 2
set grid ytics lc rgb "#dddddd"
set yrange [0:*]
set format x "10^{%T}"
per(column, name) = sprintf("< awk -F, -v OFS=, '$1 == \"%s\" && $5 > 0 && $3 > 100 { print $2, 1e6 * $5 / $%d }' %s", name, column, csv)
axis(name) = per(3, name)
set title "two applications"
set xlabel "kernels in the run"
set ylabel "processor time per kernel, us"
plot axis("kernels") using 1:2 with linespoints pt 7 lc rgb "#0072b2" notitle
set format x "%g"
set offsets graph 0, 0, graph 0.2, 0
set title "by applications"
set xlabel "applications on the GPU"
plot axis("applications") using 1:2 with linespoints pt 7 lc rgb "#0072b2" title "without blame", \
     axis("applications with blame") using 1:2 with linespoints pt 5 dt 2 lc rgb "#d55e00" title "with blame"
set title "thread blocks, by applications"
set ylabel "processor time per event, us"
plot per(4, "applications in blocks") using 1:2 with linespoints pt 7 lc rgb "#0072b2" notitle
set format x "10^{%T}"
set title "a service and a batch job on each"
set xlabel "GPUs of the cluster"
set ylabel "processor time per query, us"
plot axis("GPUs") using 1:2 with linespoints pt 7 lc rgb "#0072b2" notitle
unset multiplot
