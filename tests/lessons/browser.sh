#!/usr/bin/env bash
# The lessons in headless Chromium: page.mjs opens each scene, guesses, moves a slider, and compares the numbers shown with those of
# the commands that the scene shows.
. "$SOURCE_DIR/tests/browser_case.bash"
. "$SOURCE_DIR/tests/cli/cli_case.bash"
page=$SOURCE_DIR/build/lessons/cotenant-lessons.html
[ -f "$page" ] || { echo "SKIPPED, the lessons were not tried in a browser: $page is missing (scripts/lessons)" && exit 77; }
node "$SOURCE_DIR/tests/lessons/page.mjs" "$modules" "$chromium" "$page" "$COTENANT" || fail "in the browser (above)"
exit $((failures > 0))
