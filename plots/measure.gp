# One number of a whole run, by policy: batch work over that without the services, STP, ANTT, fairness.
# Columns: position, policy, the number.
if (!exists("data")) { name = "measure"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
set ylabel service noenhanced
set xrange [0.4:positions + 0.6]
set yrange [0:(top > 1 ? top : 1) * (upright ? 1.14 : 1.08)]
set style textbox noborder
plot data using 1:3:(0.6):xtic(2) with boxes linecolor rgb "black" fillcolor rgb colour(2) notitle, \
     data using 1:3:(sprintf("%.2f", $3)):(upright ? 90 : 0) with labels rotate variable \
         offset (upright ? 0.15 : 0), (upright ? 1.5 : 0.7) notitle
