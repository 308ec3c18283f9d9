#!/usr/bin/env bash
# Names of C files and headers are unique in the whole tree: a header is included by its bare name.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

files=$(lint_files '\.[ch]$')
lint_report "$(awk -F/ '{
    if ($NF in seen)
        print $0 ": has the name of " seen[$NF]
    seen[$NF] = $0
}' <<<"$files")"
lint_end "file names" "$(wc -w <<<"$files")"
