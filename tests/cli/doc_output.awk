# doc_output.awk SHOWN PRINTED: does the page show what was printed? Blanks at the end of lines and blank lines at both
# ends do not count; a line "..." of the page stands for any number of lines. Prints the first part that is not there.
{ sub(/[ \t\r]+$/, "") }
NR == FNR { shown[++shown_count] = $0; next }
{ printed[++printed_count] = $0 }

# ends(lines, from, to, step): the first line from there on that is not blank.
function ends(lines, from, to, step) {
    while ((to - from) * step > 0 && lines[from] == "")
        from += step
    return from
}

# follows(first, last, at): do lines first .. last of the page stand at this place?
function follows(first, last, at,    i) {
    for (i = first; i <= last; i++)
        if (at + i - first > end || shown[i] != printed[at + i - first])
            return 0
    return 1
}

# find(first, last, anywhere, at_end): where they stand from `place` on; 0: nowhere.
function find(first, last, anywhere, at_end,    at) {
    if (at_end)
        at = end - (last - first)
    else
        at = place
    for (; at <= end + 1; at++) {
        if (at >= place && follows(first, last, at))
            return at
        if (!anywhere || at_end)
            return 0
    }
    return 0
}

END {
    first = ends(shown, 1, shown_count, 1)
    last_line = ends(shown, shown_count, 1, -1)
    place = ends(printed, 1, printed_count, 1)
    end = ends(printed, printed_count, 1, -1)
    anywhere = 0
    while (first <= last_line + 1) {
        last = first
        while (last <= last_line && shown[last] != "...")
            last++
        at_end = last > last_line
        last--
        if (at_end && last < first && anywhere)
            exit 0
        at = find(first, last, anywhere, at_end && anywhere)
        if (!at || (at_end && at + last - first != end)) {
            for (i = first; i <= last; i++)
                print "page:    " shown[i]
            for (i = place; i <= end && i < place + 12; i++)
                print "printed: " printed[i]
            exit 1
        }
        place = at + last - first + 1
        first = last + 2
        anywhere = 1
    }
}
