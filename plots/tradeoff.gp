# System throughput against late jobs: a policy is on the front when no other is at least as good in both.
# Blocks: position, policy, late jobs of the worst service in %, STP; then late jobs and STP along the front.
if (!exists("data")) { name = "tradeoff"; script = ARG0; first = ARGC > 0 ? ARG1 : ""; second = ARGC > 1 ? ARG2 : ""; beside = ""
    load script[1:strlen(script) - strlen(name) - 3] . "common.gp" }
marks = words(drawn)
line = 17.0
if (marks > 12) { height = height + (marks - 12) * line }
eval canvas(height)
# What the front dominates lies right of it and below: its ends go down and to the right.
stats data index 1 using 1 nooutput name "LATE"
stats data index 1 using 2 nooutput name "STP"
set xlabel "late jobs of the worst service, %"
set ylabel "system throughput (STP)"
room = most - least > 0.2 * most ? 0.1 * (most - least) : 0.1 * most
right = 1.05 * top + 0.1 > 100 ? 100 : 1.05 * top + 0.1
left = -0.03 * right # less than from one tick to the next: there is none below 0
low = least - room < 0 ? 0 : least - room
high = most + room
set xrange [left:right]
set yrange [low:high]
set grid xtics ytics linewidth 0.5 linecolor rgb "#c8c8c8"
set arrow 1 from LATE_min, graph 0 to LATE_min, first STP_min nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070"
# The room of the marks in points of the canvas, of which a letter takes `letter`.
across = width - 117.0
up = height - 105.0 - key_height - title_height
set lmargin at screen 92.0 / width
set rmargin at screen 1 - 25.0 / width
set bmargin at screen (65.0 + key_height) / height
set tmargin at screen 1 - (40.0 + title_height) / height
# Where each mark stands, with its name right or left of it: at its place or, where it would hide another mark or name, as near
# below it (or above it, where there is no room) as it can, joined to its place by a line. The highest are placed first.
array late[policies]
array stp[policies]
array across_at[policies]
array begin[policies]
array end[policies]
array stands[policies]
stats data index 0 using (late[int($1)] = $3, stp[int($1)] = $4) nooutput
up_at(i) = (stp[i] - low) / (high - low) * up
between(at, a, b) = (at > a && at < b) || (at < a && at > b)
apart(j, from, to, at) = begin[j] > to || from > end[j] || abs(stands[j] - at) >= line
line_free(j, from, to, at) = across_at[j] < from || across_at[j] > to || !between(at, up_at(j), stands[j])
own_line_free(j, i, at) = across_at[i] < begin[j] || across_at[i] > end[j] || !between(stands[j], up_at(i), at)
moved = 0
placed = ""
do for [k = 1:marks] {
    i = 0
    do for [m = 1:marks] {
        j = number(drawn, m)
        if (strstrt(placed, sprintf(" %d ", j)) == 0 && (i == 0 || stp[j] > stp[i])) { i = j }
    }
    across_at[i] = (late[i] - left) / (right - left) * across
    stands[i] = -1
    do for [try = 0:(4 * marks + 1) * 4 - 1] { # lines through names are the last resort
        if (stands[i] >= 0) { break }
        step = (try % (8 * marks + 2)) / 2
        side = try % 2
        at = up_at(i) + (step <= 2 * marks ? -step : step - 2 * marks) * line
        from = across_at[i] - 9 - (side ? letter * strlen(label[i]) : 0)
        to = across_at[i] + 9 + (side ? 0 : letter * strlen(label[i]))
        free = from > 0 && to < across && (step == 0 || (at > 8 && at < up - 8))
        do for [m = 1:free ? k - 1 : 0] {
            j = int(word(placed, m))
            free = free && apart(j, from, to, at) && (try > 8 * marks || (line_free(j, from, to, at) && own_line_free(j, i, at)))
        }
        if (free) { stands[i] = at; begin[i] = from; end[i] = to }
    }
    if (stands[i] < 0) { stands[i] = up_at(i); begin[i] = across_at[i] - 9; end[i] = across_at[i] + 9 }
    placed = placed . sprintf(" %d ", i)
    where = low + stands[i] / up * (high - low)
    if (stands[i] != up_at(i)) {
        moved = 1
        set arrow 10 + k from late[i], where to late[i], stp[i] head size screen 0.012, 20 filled front linewidth 0.8 linecolor rgb "#707070"
    }
    set label 10 + k label[i] at late[i], where noenhanced font small point pointtype point(i) pointsize 1.3 \
        linewidth 1.2 linecolor rgb tint(i)
    if (end[i] - across_at[i] < 10) { set label 10 + k right offset -1.6, 0 } else { set label 10 + k left offset 1, 0 }
}
# Behind the name of the mark that it begins at.
front_end = LATE_max
do for [k = 1:marks] {
    i = number(drawn, k)
    named = left + (end[i] + 5) / across * (right - left)
    on_front = abs(late[i] - LATE_max) < 1e-6 && abs(stp[i] - STP_max) < 1e-6 # the front has nine digits
    if (on_front && stands[i] == up_at(i) && named > front_end) { front_end = named }
}
set arrow 2 from front_end, STP_max to graph 1, first STP_max nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070"
plot data index 1 using 1:2 with steps linewidth 1.2 dashtype 2 linecolor rgb "#707070" title "Pareto front", \
     for [k = 1:moved] NaN with lines linewidth 0.8 linecolor rgb "#707070" title "from a mark to its place", \
     for [k = 1:words(idle)] NaN with lines linecolor rgb "white" title label[number(idle, k)] . ": no data"
