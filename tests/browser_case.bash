# Sourced by tests of pages, before all else: $chromium, and $modules, where Node finds playwright-core and axe-core. Skipped, with the
# reason, where one is missing: scripts/test installs them. Where CI is set, as machines that test changes do, it fails instead.
skip() {
    [ -z "${CI:-}" ] || { echo "FAILED, the page was not tried in a browser: $*" && exit 1; }
    echo "SKIPPED, the page was not tried in a browser: $*"
    exit 77
}
chromium=$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is missing"
command -v node >/dev/null || skip "node is missing"
for modules in "$BUILD_DIR/html-test/node_modules" "$SOURCE_DIR/build/html-test/node_modules"; do
    [ -d "$modules/playwright-core" ] && [ -d "$modules/axe-core" ] && break
    modules=
done
[ -n "$modules" ] || skip "playwright-core and axe-core are missing: npm ci in build/html-test, see tests/html/package.json"
