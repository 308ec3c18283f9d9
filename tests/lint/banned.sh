#!/usr/bin/env bash
# Functions that overflow, hide errors, keep global state, or let a result depend on the clock are not called.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

# lint_ban FILES PATTERN WHY: no call of a function that matches.
lint_ban() {
    [ -n "$1" ] || return 0
    # shellcheck disable=SC2086  # file names have no blanks
    lint_report "$(lint_strip $1 | grep -E "(^|[^A-Za-z0-9_.>])($2)[[:space:]]*\(" | sed "s|\$|   <- $3|")"
}

all=$(lint_files '^(src|tests|bench|examples|tools)/.*\.[ch]$')
# capture/cupti lives in other programs: it has their standard error and their end, and no result to keep from the clock.
library=$(lint_files '^src/.*\.[ch]$' | grep -vE '^src/(cli|cmd|apps/[a-z]+|capture/cupti)/')
lint_ban "$all" 'gets|sprintf|vsprintf|strcpy|strcat|stpcpy|strncpy|strncat|alloca|scanf' 'may overflow or cut off'
lint_ban "$all" 'atoi|atol|atoll|atof' 'hides errors: see ct_text.h'
lint_ban "$all" 'strtok|setlocale|asctime|ctime|gmtime|localtime|tmpnam|mktemp|tempnam' 'global state or a race'
lint_ban "$all" 'rand|srand|random|srandom|drand48|rand_r' 'draws come from named random streams'
# The fit of lines leaves GSL where it would crash without memory.
lint_ban "$(grep -v '^src/models/predict/predict_linear\.c$' <<<"$all")" 'setjmp|longjmp' 'leaves the flow of control in the dark'
lint_ban "$(lint_files '^(src|bench|examples)/.*\.[ch]$')" 'system|popen' 'starts a shell'
lint_ban "$library" 'time|clock|clock_gettime|gettimeofday|gmtime_r|localtime_r|mktime' 'a result must not know the clock'
lint_ban "$library" 'printf|vprintf|puts|putchar|perror' 'only commands print'
lint_ban "$(lint_files '^src/.*\.[ch]$')" 'json_load[a-z_]*' 'does not survive the end of memory: see json_reader.h'
lint_ban "$(lint_files '^src/.*\.[ch]$')" 'signal' 'sigaction says what happens to the next one'
lint_ban "$library" 'exit|_exit|quick_exit|atexit' 'only commands end the program'

# Other code, the papers and exercises with it, has scenario.h and its like: no command line is forged.
below_cmd=$(lint_files '^src/.*\.[ch]$' | grep -vE '^src/(cli|cmd)/')
# shellcheck disable=SC2086
lint_report "$(lint_strip $below_cmd | grep -E '(^|[^A-Za-z0-9_])(argc|argv|exec[lv]p?e?)([^A-Za-z0-9_]|$)' |
    sed 's|$|   <- only commands have argument vectors|')"

# The streams themselves, but for the message of a broken assertion.
streams=$(grep -v '^src/base/ct_assert\.c$' <<<"$library")
# shellcheck disable=SC2086
lint_report "$(lint_strip $streams | grep -E '(^|[^A-Za-z0-9_])(stdout|stderr|stdin)([^A-Za-z0-9_]|$)' |
    sed 's|$|   <- only commands print|')"
lint_end "banned functions" "$(wc -w <<<"$all")"
