# System throughput against late jobs: a policy is on the front when no other is at least as good in both.
# Blocks: position, policy, late jobs of the worst service in %, STP; then late jobs and STP along the front.
if (!exists("data")) { name = "tradeoff"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
# What the front dominates lies right of it and below: its ends go down and to the right.
stats data index 1 using 1 nooutput name "LATE"
stats data index 1 using 2 nooutput name "STP"
set xlabel "late jobs of the worst service, %"
set ylabel "system throughput (STP)"
room = most - least > 0.2 * most ? 0.1 * (most - least) : 0.1 * most
set xrange [-0.03 * top - 0.02:(1.05 * top + 0.1 > 100 ? 100 : 1.05 * top + 0.1)]
set yrange [(least - room < 0 ? 0 : least - room):most + room]
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
set arrow 1 from LATE_min, graph 0 to LATE_min, first STP_min nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070"
set arrow 2 from LATE_max, STP_max to graph 1, first STP_max nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070"
# Who is drawn first is larger, so that nobody hides another on the same place.
size(k) = 1.1 + 0.9 * (words(drawn) - k) / words(drawn)
plot data index 1 using 1:2 with steps linewidth 1.2 dashtype 2 linecolor rgb "#707070" title "Pareto front", \
     for [k = 1:words(drawn)] data index 0 using ($1 == number(drawn, k) ? $3 : NaN):4 with points \
         pointtype point(number(drawn, k)) pointsize size(k) linewidth 1.2 linecolor rgb tint(number(drawn, k)) \
         title label[number(drawn, k)], \
     for [k = 1:words(idle)] NaN with lines linecolor rgb "white" title label[number(idle, k)] . ": no data"
