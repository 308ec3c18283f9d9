#!/usr/bin/env bash
# What `cmake --install` leaves is enough: the program runs and finds its presets, every header compiles alone, and a
# policy builds out of the tree with pkg-config and is accepted.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# A prefix with another depth than the configured one: nothing may rest on where the build thought it would go.
installed=$scratch/opt/cotenant
cmake --install "$BUILD_DIR" --prefix "$installed" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
program=$(under "$installed/bin/cotenant")
unset COTENANT_TRACE_PATH

"$program" --version >version.txt 2>&1 || fail "--version: exit code $?: $(cat version.txt)"
grep -q '[0-9]\.[0-9]' version.txt || fail "--version names no version: $(cat version.txt)"

# Every preset that the tree holds is listed by the installed program, and so is one that only the prefix has: it reads
# the installed folder, not the source tree.
cp "$(find "$installed/share/cotenant/gpus" -name '*.json' | head -1)" "$installed/share/cotenant/gpus/only-here.json"
"$program" list gpus >gpus.txt 2>&1 || fail "list gpus: exit code $?: $(cat gpus.txt)"
for preset in "$SOURCE_DIR"/src/models/gpus/*.json; do
    name=$(basename "$preset" .json)
    [ -f "$installed/share/cotenant/gpus/$name.json" ] || fail "the preset '$name' is not installed"
    grep -qw -- "$name" gpus.txt || fail "list gpus does not know '$name'"
done
grep -qw -- only-here gpus.txt || fail "list gpus does not read the installed folder"
for kind in traces workloads plots; do
    while read -r file; do
        [ -e "$installed/share/cotenant/$file" ] || fail "'$file' is not installed"
    done < <(cd "$SOURCE_DIR" && find "$kind" -type f)
done
find "$installed" -name LICENSE | grep >/dev/null . || fail "the licence is not installed"

pc=$(find "$installed" -name cotenant.pc)
export PKG_CONFIG_PATH=${pc%/*}
cflags=$(pkg-config --cflags cotenant) || fail "pkg-config does not find cotenant"
headers=$(pkg-config --variable=includedir cotenant)
for header in ct_policy.h ct_option.h ct_pattern.h; do
    [ -f "$headers/$header" ] || fail "'$header' is not installed"
done
for header in "$headers"/*.h; do
    # shellcheck disable=SC2086  # words of options
    printf '#include "%s"\n' "$(basename "$header")" |
        "${CC:-gcc}" -std=c17 -Wall -Wextra -Wpedantic -Werror $cflags -fsyntax-only -x c - ||
        fail "'$header' does not compile alone"
done

# C++: a program that hands a policy of its own to the library.
if command -v "${CXX:-g++}" >/dev/null; then
    cat >"$scratch/policy.cc" <<'EOF'
#include <cotenant.h>
#include <ct_policy.h>
static void issue(ct_context *context, const ct_task *task) {
    ct_policy_assert(context->host->issue(context, task, nullptr));
}
int main() {
    ct_policy policy = {};
    policy.abi = CT_POLICY_ABI;
    policy.size = sizeof policy;
    policy.name = "passes";
    policy.task_ready = issue;
    ct_scenario *scenario = ct_scenario_file("mix.json");
    return !ct_scenario_policy(scenario, &policy);
}
extern "C" const ct_policy *ct_policy_entry() { return nullptr; }
EOF
    # shellcheck disable=SC2086
    "${CXX:-g++}" -std=c++17 -Wall -Wextra -Wpedantic -Werror $cflags -c "$scratch/policy.cc" -o "$scratch/policy.o" ||
        fail "no policy in C++"
    nm "$scratch/policy.o" | grep -E ' (U|T) ct_[a-z_]+$' | sed 's/.* //' | sort | paste -sd' ' >"$scratch/symbols"
    says "$scratch/symbols" '^ct_policy_entry ct_scenario_file ct_scenario_policy$'
fi

example=$SOURCE_DIR/examples/policy
if [ -f "$example/CMakeLists.txt" ]; then
    { cmake -G Ninja -S "$example" -B "$scratch/policy" && cmake --build "$scratch/policy"; } >"$scratch/log" 2>&1 ||
        { cat "$scratch/log"; fail "the example policy does not build against the installed headers"; }
    object=$(find "$scratch/policy" -name '*.so' | head -1)
    [ -n "$object" ] || fail "the example policy makes no shared object"
    "$program" show policy "$object" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "show policy refuses the example"; }
else
    echo "no examples/policy here: building a policy out of the tree is not tested"
fi
[ "$failures" -eq 0 ] && echo "the installed program and headers are complete"
