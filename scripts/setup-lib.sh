# Set-up for quickstart and test: finds out what is missing from Debian, says so, and installs only that.
# Sourced, not run. Works as root or with sudo; every failure is one line on standard error.

# What the build and the main job need. "package:command": a command from elsewhere is as good as the package.
build_packages="gcc:gcc libc6-dev cmake:cmake ninja-build:ninja pkg-config:pkg-config
    libsqlite3-dev libjansson-dev libyajl-dev libgsl-dev libfann-dev zlib1g-dev gnuplot-nox:gnuplot"
# What the tests need on top: a second compiler, a linker for so many programs, the analysers, the test library, a second
# reader of our stores, a data frame for rows and what draws it, what drives a browser, the shells that are completed.
test_packages="clang:clang mold:mold clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck libcmocka-dev libglpk-dev
    sqlite3:sqlite3 nodejs:node npm:npm python3-pandas python3-matplotlib
    fish:fish zsh:zsh"

say() {
    printf '%s\n' "$*"
}

# die REASON: the environment is not as it must be.
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 3
}

# setup_arguments USAGE [ARGUMENT]...: these scripts take none but --help.
setup_arguments() {
    case "${2-}" in
    '') ;;
    -h | --help)
        say "usage: $1"
        exit 0
        ;;
    *)
        printf "%s: unknown argument '%s' (usage: %s)\n" "${0##*/}" "$2" "$1" >&2
        exit 2
        ;;
    esac
}

# setup_is_installed PACKAGE
setup_is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# setup_missing PACKAGE[:COMMAND]...: prints the packages that have to be installed.
setup_missing() {
    local entry package command
    for entry in "$@"; do
        package=${entry%%:*}
        command=${entry#"$package"}
        command=${command#:}
        if [ -n "$command" ] && command -v "$command" >/dev/null 2>&1; then
            continue
        fi
        setup_is_installed "$package" || printf '%s ' "$package"
    done
}

# setup_as_root COMMAND...: as root, or through sudo. Without a terminal, sudo must not ask.
setup_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# setup_apt ARGUMENT...: apt-get without questions, its output in $setup_log.
setup_apt() {
    setup_as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q \
        -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@" \
        </dev/null >>"$setup_log" 2>&1
}

# setup_packages PACKAGE[:COMMAND]...: installs what is missing, or ends the script with one line that says why not.
setup_packages() {
    local missing
    command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 ||
        die "this is not Debian: install the packages' counterparts by hand, then build with cmake --preset release"
    missing=$(setup_missing "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || die "neither root nor sudo: ask for these packages: $missing"
        setup_as_root true 2>/dev/null || die "sudo refuses: run as root, or ask for these packages: $missing"
    fi
    say "installing Debian packages: $missing"
    mkdir -p build && : >build/setup.log || die "cannot write to the folder 'build'"
    setup_log=build/setup.log
    # A stale or unreachable list shows when the package is fetched, so only that decides.
    setup_apt -o APT::Update::Error-Mode=any update || say "the package lists could not be refreshed"
    # shellcheck disable=SC2086  # one word per package
    setup_apt --no-install-recommends install $missing || setup_explain
    missing=$(setup_missing "$@")
    [ -z "$missing" ] || die "still missing after the installation: $missing (see build/setup.log)"
}

# setup_explain: ends the script with the most likely reason in apt-get's own words.
setup_explain() {
    if grep -qE 'Temporary failure resolving|Could not (resolve|connect)|Failed to fetch|Network is unreachable' "$setup_log"; then
        die "no network: cannot reach the Debian archive (see build/setup.log)"
    fi
    die "apt-get failed: $(grep -m1 '^E: ' "$setup_log" || echo 'no reason given') (see build/setup.log)"
}

# setup_page_test: what the tests of pages need: Chromium without a window, which takes half of the time, or else with one; and what
# drives it, from npm, into build/html-test. Without a network those tests are skipped, or fail where CI is set.
setup_page_test() {
    local folder=build/html-test
    command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null ||
        (setup_packages chromium-headless-shell:chromium-headless-shell) || setup_packages chromium:chromium
    mkdir -p "$folder"
    if [ -d "$folder/node_modules" ] && cmp -s tests/html/package-lock.json "$folder/package-lock.json"; then
        return 0
    fi
    rm -rf "$folder/node_modules"
    cp tests/html/package.json tests/html/package-lock.json "$folder/"
    say "installing npm packages for the page's test: playwright-core axe-core"
    npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts >build/html-test.log 2>&1 || {
        rm -rf "$folder"
        say "npm failed, the page is not tested in a browser (see build/html-test.log)"
    }
}

# setup_build PRESET TARGET...: configures and builds; what the tools print is shown only when they fail.
setup_build() {
    local preset=$1 log
    shift
    log=build/$preset.log
    mkdir -p build
    say "building ($preset)"
    if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --target "$@"; } >"$log" 2>&1; then
        cat "$log" >&2
        die "the build of preset '$preset' failed (the output above is also in $log)"
    fi
}
