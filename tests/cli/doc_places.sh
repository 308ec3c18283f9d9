#!/usr/bin/env bash
# Sources that the documentation names (file.c, or file.c: function) are there, and so are the files and pages that it links to.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
cd "$SOURCE_DIR" || exit 1
places=0
links=0

# places_of PAGE: a file and a function in each line, or a file alone.
places_of() {
    # shellcheck disable=SC2016  # the backquotes of the page
    grep -oE '`[a-z0-9_]+\.(c|[ch]: [a-z0-9_]+|c: [a-z0-9_]+)`' "$1" | tr -d '`:'
}

pages=$(find . \( -path ./build -o -path ./tests \) -prune -o -name '*.md' -print | sed 's|^\./||' | sort)
declare -A sources # paths by name
while read -r path; do
    sources[${path##*/}]+="$path "
done < <(find src tests bench examples -name '*.[ch]')
for page in $pages; do
    while read -r file name; do
        [ -n "$file" ] || continue
        places=$((places + 1))
        # shellcheck disable=SC2086  # one path per word
        if [ -z "${sources[$file]:-}" ]; then
            fail "$page: there is no '$file'"
        elif [ -n "$name" ] && ! grep -qw -- "$name" ${sources[$file]}; then
            fail "$page: no '$name' in '$file'"
        fi
    done <<<"$(places_of "$page")"
    folder=.
    [[ $page != */* ]] || folder=${page%/*}
    while read -r target; do
        [ -n "$target" ] || continue
        links=$((links + 1))
        [ -e "$folder/$target" ] || fail "$page: links to '$target', which is not there"
    done <<<"$(grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+://')"
done
echo "$places places, $links links, $failures wrong"
[ "$places" -gt 0 ] && [ "$failures" -eq 0 ]
