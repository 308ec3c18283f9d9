# System throughput against late jobs: a policy is on the front when no other is at least as good in both.
# Columns: position, late jobs of the worst service in %, STP, -1 if that is an upper bound, the front that it is on (one for each
# workload and GPU), policy.
marks = words(drawn)
line = 17.0
if (marks > 12) { height = height + (marks - 12) * line }
eval canvas(height)
# What the front dominates lies right of it and below: its ends go down and to the right, where it is the only one.
on(f, c) = column(5) == f ? column(c) : NaN
stats data using (on(1, 2)) nooutput name "LATE"
stats data using (on(1, 3)) nooutput name "STP"
one_front = fronts == 1
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
if (one_front) { set arrow 1 from LATE_min, graph 0 to LATE_min, first STP_min nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070" }
# The room of the marks in points of the canvas, of which a letter takes `letter`.
across = width - 117.0
up = height - 105.0 - key_height - title_height
set lmargin at screen 92.0 / width
set rmargin at screen 1 - 25.0 / width
set bmargin at screen (65.0 + key_height) / height
set tmargin at screen 1 - (40.0 + title_height) / height
# Every mark stands at its place. Its name is right or left of it: level with it or, where it would lie on another mark or name,
# as near below (or above, where there is no room) as it can, joined to its mark by a line. Names of the highest are placed first.
array late[policies]
array stp[policies]
array across_at[policies]
array up_at[policies]
array begin[policies] # of the name
array end[policies]
array stands[policies]
array bound[policies]
stats data using (bound[int($1)] = uppers ? $4 : 0, late[int($1)] = $2, stp[int($1)] = $3) nooutput
do for [i = 1:policies] {
    across_at[i] = (late[i] - left) / (right - left) * across
    up_at[i] = (stp[i] - low) / (high - low) * up
}
near = 13.0 # from a mark to its name
half = 8.0 # a mark
name_hides(i, j) = begin[j] < end[i] && begin[i] < end[j] && abs(stands[i] - stands[j]) < line
hides_mark(i, j) = j != i && across_at[j] + half > begin[i] && across_at[j] - half < end[i] && abs(stands[i] - up_at[j]) < line / 2 + half
between(at, a, b) = (at > a && at < b) || (at < a && at > b)
line_begins(i) = begin[i] < across_at[i] ? across_at[i] - near : across_at[i]
line_hides(i, j) = begin[j] < line_begins(i) + near && end[j] > line_begins(i) && between(stands[j], up_at[i], stands[i])
place(at) = left + at / across * (right - left)
moved = 0
placed = ""
do for [k = 1:marks] {
    i = 0
    do for [m = 1:marks] {
        j = number(drawn, m)
        if (strstrt(placed, sprintf(" %d ", j)) == 0 && (i == 0 || stp[j] > stp[i])) { i = j }
    }
    free = 0
    tries = 16 * marks + 2 # right and left: level, half lines below, half lines above
    do for [try = 0:2 * tries] { # lines through names are the last resort, then names on others
        if (free) { break }
        step = (try % tries) / 2
        stands[i] = up_at[i] + (step <= 4 * marks ? -step : step - 4 * marks) * line / 2
        begin[i] = across_at[i] + (try % 2 ? -near - letter * strlen(label[i]) : near)
        end[i] = begin[i] + letter * strlen(label[i])
        last = try == 2 * tries
        free = last || (begin[i] > 0 && end[i] < across && (step == 0 || (stands[i] > 8 && stands[i] < up - 8)))
        do for [m = 1:free && !last ? marks : 0] {
            j = number(drawn, m)
            free = free && !hides_mark(i, j)
            if (strstrt(placed, sprintf(" %d ", j))) {
                free = free && !name_hides(i, j) && (try >= tries || !(line_hides(i, j) || line_hides(j, i)))
            }
        }
    }
    placed = placed . sprintf(" %d ", i)
    is_left = begin[i] < across_at[i]
    at = low + stands[i] / up * (high - low)
    if (stands[i] != up_at[i]) {
        moved = 1
        set arrow 10 + k from late[i], stp[i] to place(is_left ? end[i] + 2 : begin[i] - 2), at nohead linewidth 0.8 linecolor rgb "#707070"
    }
    set label 10 + k label[i] at place(is_left ? end[i] : begin[i]), at noenhanced font small
    if (is_left) { set label 10 + k right }
    set label 10 + marks + k "" at late[i], stp[i] point pointtype point(i) pointsize 1.3 linewidth 1.2 linecolor rgb tint(i) front
    if (bound[i] < 0) { set label 10 + 2 * marks + k "" at late[i], stp[i] point pointtype 10 pointsize 2.2 linecolor rgb tint(i) front }
}
# Behind the name of the mark that it begins at.
front_end = LATE_max
do for [k = 1:marks] {
    i = number(drawn, k)
    named = place(end[i] + 5)
    on_front = late[i] == LATE_max && stp[i] == STP_max
    if (on_front && stands[i] == up_at[i] && named > front_end) { front_end = named }
}
if (one_front) { set arrow 2 from front_end, STP_max to graph 1, first STP_max nohead linewidth 1.2 dashtype 2 linecolor rgb "#707070" }
# An entry of the key for what there is alone: a loop over nothing takes a line of it.
entries = ""
if (moved) { entries = entries . ', NaN with lines linewidth 0.8 linecolor rgb "#707070" title "from a mark to its name"' }
if (uppers) { entries = entries . ', NaN with points pointtype 10 pointsize 1.5 linecolor rgb "black" title "overloaded: at most"' }
if (words(idle)) { entries = entries . ', for [k = 1:words(idle)] NaN with lines linecolor rgb "white" title label[number(idle, k)] . ": no data"' }
plot for [f = 1:fronts] data using (on(f, 2)):(on(f, 3)) smooth unique with steps linewidth 1.2 dashtype 2 linecolor rgb "#707070" \
         title (f == 1 ? "Pareto front" : "") @entries
