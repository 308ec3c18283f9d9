# One number of a whole run, by policy: batch work over that without the services, STP, ANTT, fairness.
# Columns: position, the number, policy.
set ylabel service noenhanced
set xrange [0.4:positions + 0.6]
set yrange [0:(top > 1 ? top : 1) * (upright ? 1.14 : 1.08)]
set style textbox noborder
plot data using 1:2:(0.6):xtic(place[int($1)]) with boxes linecolor rgb "black" fillcolor rgb colour(2) notitle, \
     data using 1:2:(sprintf("%.2f", $2)):(upright ? 90 : 0) with labels rotate variable \
         offset (upright ? 0.15 : 0), (upright ? 1.5 : 0.7) notitle
