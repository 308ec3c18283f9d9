#!/usr/bin/env bash
# The lessons in headless Chromium: page.mjs opens each scene, guesses, moves a slider, and compares the numbers shown with those of
# the commands that the scene shows. Skipped, with the reason, where the page was not built (scripts/lessons) or a browser is missing.
skip() {
    echo "SKIPPED, the lessons were not tried in a browser: $*"
    exit 77
}
. "$SOURCE_DIR/tests/cli/cli_case.bash"
for page in "${COTENANT_LESSONS:-}" "$SOURCE_DIR/build/lessons/cotenant-lessons.html"; do
    [ -f "$page" ] && break
    page=
done
[ -n "$page" ] || skip "build/lessons/cotenant-lessons.html is missing: scripts/lessons"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is missing"
command -v node >/dev/null || skip "node is missing"
for modules in "$BUILD_DIR/html-test/node_modules" "$SOURCE_DIR/build/html-test/node_modules"; do
    [ -d "$modules/playwright-core" ] && [ -d "$modules/axe-core" ] && break
    modules=
done
[ -n "$modules" ] || skip "playwright-core and axe-core are missing: npm ci in build/html-test, see tests/html/package.json"
node "$SOURCE_DIR/tests/lessons/page.mjs" "$modules" "$chromium" "$page" "$COTENANT" || fail "in the browser (above)"
exit $((failures > 0))
