#!/usr/bin/env bash
# The lessons in headless Chromium: page.mjs opens each scene, guesses, moves a slider, and compares the numbers shown with those of
# the commands that the scene shows. Where scripts/lessons has not built the page, the native program answers in place of WebAssembly.
. "$SOURCE_DIR/tests/browser_case.bash"
. "$SOURCE_DIR/tests/cli/cli_case.bash"
page=$SOURCE_DIR/build/lessons/cotenant-lessons.html
if [ ! -f "$page" ]; then
    echo "not tried: the program as WebAssembly (scripts/lessons); the native one answers"
    page=$scratch/lessons.html
    node "$SOURCE_DIR/src/apps/lessons/pack.mjs" "$scratch" "$page" "$SOURCE_DIR/tests/lessons/native_core.js" || fail "pack.mjs"
fi
node "$SOURCE_DIR/tests/lessons/page.mjs" "$modules" "$chromium" "$page" "$COTENANT" "$SOURCE_DIR" || fail "in the browser (above)"
exit $((failures > 0))
