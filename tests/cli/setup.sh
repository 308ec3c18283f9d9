#!/usr/bin/env bash
# scripts/quickstart and scripts/test on a machine that lacks something: what they install, and the one line with which
# they end when they cannot. Debian's tools are stand-ins; nothing is installed.
set -uo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
mkdir -p "$tree/scripts"
cp "$SOURCE_DIR/scripts/"* "$tree/scripts/"

# The stand-ins: what each prints and returns is in the environment of the case.
make_tools() {
    rm -rf "$tree/bin" "$tree/installed" "$tree/calls" "$tree/build"
    mkdir -p "$tree/bin"
    : >"$tree/installed"
    for tool in bash env true dirname mkdir rm cat grep nproc; do
        ln -s "$(type -P "$tool")" "$tree/bin/$tool"
    done
    cat >"$tree/bin/dpkg-query" <<'TOOL'
#!/bin/sh
for package; do :; done
grep -qx -- "$package" "$TREE/installed" && printf installed
TOOL
    cat >"$tree/bin/apt-get" <<'TOOL'
#!/bin/sh
for word; do case $word in update) exit "${UPDATE_CODE:-0}" ;; esac; done
if [ "${INSTALL_CODE:-0}" != 0 ]; then echo "$INSTALL_ERROR"; exit "$INSTALL_CODE"; fi
found=
for word; do
    if [ "$found" ]; then echo "$word" >>"$TREE/installed"; echo "$word" >>"$TREE/calls"; fi
    case $word in install) found=yes ;; esac
done
TOOL
    printf '#!/bin/sh\necho "${USER_ID:-0}"\n' >"$tree/bin/id"
    printf '#!/bin/sh\ncase "$*" in *--build*) echo "$* " >"$TREE/build-call"; exit "${BUILD_CODE:-0}" ;; esac\n' >"$tree/bin/cmake.later"
    chmod +x "$tree"/bin/*
}

# attempt SCRIPT [VARIABLE=VALUE]...: runs it with the stand-ins only; code in $code, output in out and err.
attempt() {
    local script=$1
    shift
    env -i PATH="$tree/bin" HOME="$tree" TREE="$tree" "$@" bash "$tree/scripts/$script" \
        >"$tree/out" 2>"$tree/err" </dev/null
    code=$?
}

# expect_line CODE TEXT: the script ended with the code, and standard error is the one line that holds the text.
expect_line() {
    if [ "$code" != "$1" ] || [ "$(wc -l <"$tree/err")" != 1 ] || ! grep -qF -- "$2" "$tree/err"; then
        echo "expected exit code $1 and one line with '$2', got $code and:"
        cat "$tree/out" "$tree/err"
        failures=$((failures + 1))
    fi
}

make_tools
attempt quickstart INSTALL_CODE=100 INSTALL_ERROR="E: Failed to fetch http://archive/x Temporary failure resolving" UPDATE_CODE=100
expect_line 3 "quickstart: no network: cannot reach the Debian archive"
grep -q 'installing Debian packages: gcc libc6-dev cmake ninja-build' "$tree/out" ||
    { echo "does not say what it installs"; failures=$((failures + 1)); }

make_tools
attempt quickstart INSTALL_CODE=100 INSTALL_ERROR="E: You don't have enough free space"
expect_line 3 "quickstart: apt-get failed: E: You don't have enough free space"

make_tools
attempt test USER_ID=1000
expect_line 3 "test: neither root nor sudo: ask for these packages: gcc libc6-dev"

make_tools
printf '#!/bin/sh\nexit 1\n' >"$tree/bin/sudo" && chmod +x "$tree/bin/sudo"
attempt quickstart USER_ID=1000
expect_line 3 "quickstart: sudo refuses"

make_tools
rm "$tree/bin/dpkg-query"
attempt quickstart
expect_line 3 "quickstart: this is not Debian"

make_tools
bash "$tree/scripts/quickstart" --fast >"$tree/out" 2>"$tree/err" </dev/null
code=$?
expect_line 2 "quickstart: unknown argument '--fast'"

# With sudo, everything but gnuplot there already: only gnuplot is installed; then the build is what fails.
make_tools
printf '#!/bin/sh\n[ "$1" = -n ] && shift\nUSER_ID=0 exec "$@"\n' >"$tree/bin/sudo"
mv "$tree/bin/cmake.later" "$tree/bin/cmake"
chmod +x "$tree/bin/sudo"
printf '%s\n' gcc libc6-dev ninja-build pkg-config libsqlite3-dev libjansson-dev libyajl-dev libgsl-dev libfann-dev zlib1g-dev \
    >"$tree/installed"
attempt quickstart USER_ID=1000 BUILD_CODE=1
expect_line 3 "quickstart: the build of preset 'release' failed"
[ "$(cat "$tree/calls" 2>/dev/null)" = gnuplot-nox ] ||
    { echo "expected gnuplot-nox alone to be installed, got: $(cat "$tree/calls")"; failures=$((failures + 1)); }

# Now nothing is missing: nothing is installed.
rm -f "$tree/calls"
attempt quickstart USER_ID=1000 BUILD_CODE=1
expect_line 3 "quickstart: the build of preset 'release' failed"
[ ! -e "$tree/calls" ] || { echo "installs again what is there"; failures=$((failures + 1)); }

# What `cmake --install` copies, as the README says to do next, has been built.
while read -r target; do
    grep -q -- " $target " "$tree/build-call" || { echo "does not build the installed $target"; failures=$((failures + 1)); }
done < <(sed -n 's/^install(TARGETS \([^ ]*\).*/\1/p' "$SOURCE_DIR/cmake/CotenantInstall.cmake")

echo "$failures wrong"
[ "$failures" -eq 0 ]
