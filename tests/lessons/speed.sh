#!/usr/bin/env bash
# How large the lessons are, how soon the first scene is there, how smoothly they move. It runs alone (tests/CMakeLists.txt).
. "$SOURCE_DIR/tests/browser_case.bash"
page=$SOURCE_DIR/build/lessons/cotenant-lessons.html
[ -f "$page" ] || { echo "SKIPPED, $page is missing (scripts/lessons)" && exit 77; }
exec node "$SOURCE_DIR/tests/lessons/speed.mjs" "$modules" "$chromium" "$page"
