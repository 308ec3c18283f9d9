# Where the slowest 1 % of a service's jobs spend their time, stacked, by policy. Where policies differ by more than an
# order of magnitude: above how much it is, below of what it is made.
# Columns: cause, position, ms per job, name of the cause, policy.
# The colours of the page (src/figures/page/page.css), by cause.
causes = "solo_work #7a8fa6 host #5f6e14 host_cores #8c564b stages #4f6d7a batcher #a05195 own_queue #d1495b ready_pool #b8860b device_queue #6b4fbb sm_share #0072b2 dram #007a5a row_buffer #3d8f6f sm_contention #c04c00 pcie_wait #a3447f pcie_share #c06aa0 preemption #7a4a2b decision #444444"
cause_colour(key) = strstrt(causes, key . " #") == 0 ? "#57606a" : causes[strstrt(causes, key . " #") + strlen(key) + 1:strstrt(causes, key . " #") + strlen(key) + 7]
unset title
set xrange [0.4:positions + 0.6]
# Rows are those of a position, cause by cause: how high its bar is up to this row.
pile = 0
stack(s) = (pile = (column(1) == 1 ? 0 : pile) + (valid(3) ? column(3) : 0), of(s, pile))
apart = least > 0 && most > 10 * least
if (!apart) {
    set title heading("slowest 1 % of " . service . ": " . what) noenhanced
    set ylabel "time, ms per job"
    set yrange [0:*]
    set key invert
    plot for [s = series:1:-1] data using 2:(stack(s)):(0.6):xtic(place[int($2)]) with boxes \
             linecolor rgb "black" fillcolor rgb cause_colour(part[s]) title label[s]
} else {
    height = height + 110
    eval canvas(height)
    upper = 0.34 * (height - names_height - key_height) / height
    set multiplot title heading("slowest 1 % of " . service . ": " . what) noenhanced
    set lmargin 11
    set rmargin (key_beside ? longest + 9 : 3)
    set size 1, upper
    set origin 0, 0.98 - upper - title_height / height - 0.02
    set ylabel "ms per job"
    set logscale y
    set yrange [10 ** floor(log10(least) - 0.001):10 ** ceil(log10(most) + 0.001)]
    set bmargin 1 # the key and the names are below the other one
    unset key
    plot data using 2:(stack(series)):(0.6):xtic("") with boxes linecolor rgb "black" fillcolor rgb "#e6e6e6" notitle
    unset logscale y
    eval place_key . " invert"
    if (key_rows) { set bmargin room_below(0) } else { unset bmargin }
    set size 1, 0.96 - upper - title_height / height
    set origin 0, 0
    set ylabel "part of it, %"
    set yrange [0:100]
    array whole[positions]
    stats data using (stack(series), whole[int($2)] = pile, 0) nooutput
    plot for [s = series:1:-1] data using 2:(100 * stack(s) / whole[int($2)]):(0.6):xtic(place[int($2)]) with boxes \
             linecolor rgb "black" fillcolor rgb cause_colour(part[s]) title label[s]
    unset multiplot
}
