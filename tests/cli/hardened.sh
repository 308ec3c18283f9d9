#!/usr/bin/env bash
# The program as built: guarded stacks, checked copies, addresses bound at the start, a place that is drawn anew, and
# nothing in it of the machine that built it.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v readelf >/dev/null || { echo "no readelf here"; exit 77; }
built=$BUILD_DIR/src/cli/cotenant
readelf -d "$built" >dynamic.txt && readelf -W --dyn-syms "$built" >symbols.txt && readelf -W -l "$built" >segments.txt || fail "readelf"
readelf -h "$built" | grep -q 'Type: *DYN' || fail "it stands at a fixed place"
grep -qE 'BIND_NOW|\bNOW\b' dynamic.txt || fail "its addresses are not bound at the start"
grep -q GNU_RELRO segments.txt || fail "its table of addresses can be written"
grep -q __stack_chk_fail symbols.txt || fail "its stacks are not guarded"
if grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD_DIR/CMakeCache.txt"; then
    grep -qE '__[a-z]*printf_chk' symbols.txt || fail "its copies are not checked"
    cmake --install "$BUILD_DIR" --prefix "$scratch/opt" >log 2>&1 || fail "install: $(cat log)"
    where=$(grep -rlaF -e "$SOURCE_DIR" -e "$BUILD_DIR" "$scratch/opt" "$built" "$BUILD_DIR"/src/api/libcotenant.* \
        "$BUILD_DIR"/src/capture/cupti/*.so)
    [ -z "$where" ] || fail "the path of the source stands in: $where"
fi
# Places where a test can hold the program: in no build but those that ask for them.
held=$(sed -n 's/^COTENANT_HOLDS:BOOL=//p' "$BUILD_DIR/CMakeCache.txt")
grep -qa COTENANT_HOLD_ASKED "$built" && places=ON || places=OFF
[ "${held:-OFF}" = $places ] || fail "built with COTENANT_HOLDS=$held, it has places to be held at: $places"
"${CC:-gcc}" -std=c17 -D_POSIX_C_SOURCE=200809L -I "$SOURCE_DIR/src" -c "$SOURCE_DIR/src/cli/cli_interrupt.c" -o plain.o ||
    fail "it does not build without COTENANT_HOLDS"
grep -qa COTENANT_HOLD plain.o && fail "a build without COTENANT_HOLDS has places to be held at"
[ "$failures" -eq 0 ] && echo "the program is hardened"
