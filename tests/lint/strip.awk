# Prints FILE:LINE:TEXT of C files without comments and without what stands in strings and character constants. With
# -v comment=MARK a mark stands where a comment begins and where it ends.
FNR == 1 { in_comment = 0 }
{
    rest = $0
    text = ""
    while (rest != "") {
        if (in_comment) {
            end = index(rest, "*/")
            if (end == 0)
                break
            rest = substr(rest, end + 2)
            in_comment = 0
            text = text comment " "
            continue
        }
        if (!match(rest, /\/\*|\/\/|"|'/)) {
            text = text rest
            break
        }
        mark = substr(rest, RSTART, RLENGTH)
        text = text substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (mark ~ /^\//)
            text = text comment
        if (mark == "//")
            break
        if (mark == "/*") {
            in_comment = 1
            continue
        }
        # An #include keeps its name.
        if (text ~ /^[ \t]*#[ \t]*include[ \t]*$/) {
            text = text mark rest
            break
        }
        text = text mark mark
        while (rest != "") {
            first = substr(rest, 1, 1)
            rest = substr(rest, first == "\\" ? 3 : 2)
            if (first == mark)
                break
        }
    }
    print FILENAME ":" FNR ":" text
}
