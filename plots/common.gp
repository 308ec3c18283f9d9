# What every figure starts with, after its settings (workload, gpu, service, label[], series, policies ...): where its data
# is, and a canvas that is large enough for the names that it must hold.

beside = ARG0[1:strlen(ARG0) - strlen(name) - 3]
form = ARGC > 0 ? ARG1 : "svg"
data = beside . name . ".csv"

# In the shell's single quotes nothing is special but the quote.
quoted(text) = strstrt(text, "'") == 0 ? "'" . text . "'" : \
    quoted(text[1:strstrt(text, "'") - 1]) . "\\'" . quoted(text[strstrt(text, "'") + 1:*])
if (system("test -r " . quoted(data) . " && echo yes") ne "yes") {
    printerr data . ": no such data; 'gnuplot -c " . name . ".gp [svg|png]' draws what lies beside it"
    exit status 3
}
if (ARGC < 2) { set output beside . name . "." . form } # else to standard output
set encoding utf8

# A PNG has the letters of the fonts that are here; for others cairo draws boxes without a word. An SVG keeps the text.
# Names are among the settings.
if (form eq "png") {
    boxes = system("{ command -v fc-list && sed '/^# What every figure/q' " . quoted(ARG0) . " | iconv -c -f UTF-8 -t UTF-32BE | od -An -v -tx4 --endian=big -w4 | " . \
        "sort -u | awk '$1 > \"0000007f\"' | while read -r letter; do [ -n \"$(fc-list \":charset=$letter\" family)\" ] || echo no font; done; } " . \
        "2>/dev/null | grep -c '^no font'") + 0
    if (boxes) { printerr sprintf("%s: no font here has %d of the letters in this PNG, which are boxes; an SVG has them as text", name, boxes) }
}

# ---- How much room names need: a letter of the font, and a line of it ----
letter = 7.9
row = 19.0
enough = 30
shorten(text) = strlen(text) > 2 * enough ? text[1:2 * enough - 1] . "…" : text
longest = widest > 2 * enough ? 2 * enough : widest
do for [i = 1:series] { label[i] = shorten(label[i]) }
# The key stands beside the figure while that leaves the figure its room (some take all of it), else below it in as many rows as it takes.
beside_width = longest * letter + 75
keyed = keys > 0
key_beside = keyed && longest <= enough && keys <= 16 && name ne "capacity" && name ne "tradeoff" && name[1:5] ne "sweep"
# Bars of a group need 9 points each, names that stand upright a line each.
width = 760
wanted = positions * (bars * 9.0 + 14.0 < 25.0 ? 25.0 : bars * 9.0 + 14.0) + 90 + (key_beside ? beside_width : 0)
if (wanted > width) { width = ceil(wanted) }
plot_width = width - 90 - (key_beside ? beside_width : 0)
columns = int((plot_width - 20) / ((longest + 9) * letter))
if (columns < 1) { columns = 1 }
key_rows = keyed && !key_beside ? ceil(real(keys) / columns) : 0
key_height = key_rows * row + (key_rows ? 14 : 0)
# Names below bars: level, slanted, or upright.
names_width = names * letter
slanted = positions > 0 && names_width + 10 > plot_width / positions
upright = slanted && (names > 18 || plot_width / positions < 32)
names_height = upright ? names_width + 4 : slanted ? names_width * 0.6 : (name_lines - 1) * row

# ---- Titles in as many lines as they need ----
last_space(text, i) = i <= 1 ? 0 : text[i:i] eq " " ? i : last_space(text, i - 1)
wrap_at(text, n) = last_space(text, n + 1) > n / 3 ? last_space(text, n + 1) : n
wrap(text, n) = strlen(text) <= n ? text : text[1:wrap_at(text, n)] . "\n" . wrap(text[wrap_at(text, n) + 1:*], n)
heading(text) = wrap(text, int((plot_width + 40) / letter))
lines_of(text) = strstrt(text, "\n") == 0 ? 1 : 1 + lines_of(text[strstrt(text, "\n") + 1:*])
if (!exists("note")) { note = "" }
what = (strlen(gpu) ? workload . " on " . gpu : workload) . note
title_height = (lines_of(heading(strlen(service) ? service . " ......................: " . what : what)) - 1) * row

height = (panels > 0 ? 80 + panels * panel_height : 460) + title_height + (panels > 0 ? panels * names_height : key_height + names_height)
# Points of a picture are 96 to the inch, of a font 72: 10 of the one are 13 of the other.
canvas(height) = form eq "png" ? \
    sprintf("set terminal pngcairo size %d, %d font 'sans-serif,10' fontscale 2 linewidth 2 pointscale 2", \
            2 * width, 2 * ceil(height)) : \
    sprintf("set terminal svg size %d, %d font 'sans-serif,13' background rgb 'white'", width, ceil(height))
eval canvas(height)

small = form eq "png" ? ",9" : ",12"

# Neighbours differ in lightness, so that they stay apart in grey.
array fill = ["#34598a", "#bcd6ee", "#e08e45", "#f4d58d", "#6a8f45", "#dfb7d2", "#4a4a4a", "#a8dadc", "#7a3e65", \
              "#c3dba8", "#8a8a8a", "#d9d9d9", "#8f6b4a"]
colour(i) = fill[(i - 1) % |fill| + 1]
array line_colour = ["#27476e", "#e08e45", "#5b7f3a", "#7a3e65", "#4a9bd1", "#0f9d8a", "#a05a2c", "#8a8a8a"]
tint(i) = line_colour[(i - 1) % |line_colour| + 1]
dash(i) = (i - 1) % 5 + 1
point(i) = word("7 5 9 11 13 15 6 4 8 10 12 14 1 2 3", (i - 1) % 15 + 1) + 0
warning_colour = "#b00020"

set border 3 linewidth 0.8
set tics nomirror out scale 0.6
set grid ytics linewidth 0.5 linecolor rgb "#c8c8c8"
set boxwidth 0.8 relative
set style fill solid 1.0 border rgb "black"
place_key = !keyed ? "unset key" : key_beside ? \
    "set key outside right top vertical Left reverse noenhanced spacing 1.15" : \
    "set key at screen 0.5, screen 0 center bottom horizontal Left reverse noenhanced spacing 1.15 maxcols columns"
eval place_key
# Below the axis: its numbers or names, its label, the key. In lines.
room_below(labelled) = 2 + (labelled ? 1.4 : 0) + (names_height + key_height) / row * 1.12
if (key_rows) { set bmargin room_below(positions == 0) }
set title heading(what) noenhanced
# A table whose first line names the columns.
set datafile separator comma
set datafile columnheaders
# A number of the series, the first column, that is drawn; nothing of others.
of(s, x) = column(1) == s ? x : NaN

# Where an axis in logarithms begins: below the least value of a column that is looked through with it, so that what is
# far below its target has a bar as well.
lowest = 1e300
lower(c) = valid(c) && column(c) > 0 && column(c) < lowest ? column(c) : lowest
foot_of_axis(lowest) = lowest < 0.2 ? lowest / 2 : 0.1

# Series with data and series without (settings: "drawn", "idle"): figures say so. A list may be empty, and gnuplot
# still looks at what stands behind it.
number(list, k) = k <= words(list) ? int(word(list, k)) : 1
spaced(text) = strstrt(text, "_") == 0 ? text : \
    text[1:strstrt(text, "_") - 1] . " " . spaced(text[strstrt(text, "_") + 1:*])
# A label of a tic is a format: "40 %" would end the figure.
as_tic(text) = strstrt(text, "%") == 0 ? text : \
    text[1:strstrt(text, "%")] . "%" . as_tic(text[strstrt(text, "%") + 1:*])
do for [k = 1:positions > 0 ? words(idle) : 0] {
    set label 100 + k "no data" at first number(idle, k), graph 0.02 left rotate by 90 font small textcolor rgb "#707070"
}

if (upright) {
    set xtics rotate by 90 right noenhanced
} else {
    if (slanted) { set xtics rotate by 35 right noenhanced } else { set xtics noenhanced }
}
