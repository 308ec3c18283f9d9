# Takes the blocks of a page apart. Of those marked "sh" blocks/N is the script, blocks/N.text the output that the page shows
# for it, and blocks/list has a line "N LINE COMMANDS MARK" for each; a block marked "LANGUAGE FILE" goes to folder/FILE.
# Prints lines with commands that no test would run.
function is_script() { return mark == "sh" || mark ~ /^sh / }

# shown_in(): the file that a block which is no script goes to, or none.
function shown_in() {
    if (mark == "text" && after_script)
        return script ".text"
    return mark ~ /^[a-z]+ [A-Za-z0-9_.-]+$/ ? folder "/" substr(mark, index(mark, " ") + 1) : ""
}
BEGIN { printf "" > (blocks "/list") }
/^```/ && !inside {
    inside = 1
    mark = substr($0, 4)
    if (is_script()) {
        script = blocks "/" (++count)
        printf "" > script
        begun = FNR
        commands = 0
    }
    shown = is_script() ? "" : shown_in()
    after_script = 0
    next
}
/^```/ {
    inside = 0
    if (is_script()) {
        close(script)
        print count, begun, commands, mark > (blocks "/list")
        after_script = 1
    }
    next
}
inside && is_script() {
    print > script
    if (/^cotenant /)
        commands++
    next
}
inside && shown { print > shown }
inside && /^cotenant / {
    print page ":" FNR ": a command in a block that is not marked sh: " $0
    wrong = 1
}
!inside && !/^[ \t]*$/ { after_script = 0 }
END { exit wrong }
