#!/usr/bin/env bash
# Each lint finds what it is for: a small tree passes, and fails after one thing in it has gone wrong.
set -uo pipefail
lints=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# The clean tree.
plant() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/src/abi" "$tree/src/base" "$tree/src/des" "$tree/src/policies" "$tree/src/cli" "$tree/src/apps/paper"
    cp "$lints/../../.clang-format" "$tree"
    printf '| `abi` | | |\n| `base` | | |\n| `des` | `base` | `gsl/` |\n| `policies` | `abi` | `stdint.h` |\n| `cli` | | |\n' \
        >"$tree/src/README.md"
    printf '#ifndef CT_B_H\n#define CT_B_H\n#include <stdint.h>\n#endif\n' >"$tree/src/abi/ct_b.h"
    printf '#ifndef CT_C_H\n#define CT_C_H\nint ct_c(void);\n#endif\n' >"$tree/src/base/ct_c.h"
    printf '#ifndef CT_D_H\n#define CT_D_H\n#include "base/ct_c.h"\n#endif\n' >"$tree/src/base/ct_d.h"
    printf '#ifndef CT_CI_H\n#define CT_CI_H\n#include "base/ct_c.h"\n#endif\n' >"$tree/src/base/ct_c_internal.h"
    printf '#include "base/ct_c_internal.h"\n' >"$tree/src/base/ct_c.c"
    printf '#include "base/ct_c.h"\n#include <gsl/gsl_math.h>\n\nint des(void) {\n    return 1;\n}\n' \
        >"$tree/src/des/des.c"
    printf '#include "ct_b.h"\n#include <stdint.h>\n\nenum a {\n    /* the\n     * first */\n    A,\n    // the last\n    B\n};\n' \
        >"$tree/src/policies/p.c"
    printf '#include <stdio.h>\n\nvoid say(void) {\n    printf("a \\" // /* %%s", "b"); /* gets(x) */\n}\n' \
        >"$tree/src/cli/say.c"
}

# expect pass|fail LINT WHAT
expect() {
    local verdict=pass
    SOURCE_DIR=$tree bash "$lints/$2.sh" >"$tree.out" 2>&1 || verdict=fail
    if [ "$verdict" != "$1" ]; then
        echo "$2: $3: expected $1, got $verdict"
        cat "$tree.out"
        failures=$((failures + 1))
    fi
    rm -f "$tree.out"
}

# refute LINT WHAT FILE TEXT: appending the text to the file makes the lint fail.
refute() {
    plant
    printf "$4" >>"$tree/src/$3"
    expect fail "$1" "$2"
}

plant
for lint in includes circles headers_alone banned words lengths comments; do
    expect pass "$lint" "clean tree"
done
refute includes "a lower folder includes a higher one" base/ct_c.h '#include "des/des.h"\n'
refute includes "a library that the row does not name" base/ct_c.h '#include <gsl/gsl_math.h>\n'
refute includes "a policy reaches past its interface" policies/p.c '#include "base/ct_c.h"\n'
refute includes "a policy with a clock" policies/p.c '#include <time.h>\n'
refute includes "a library that nothing includes" README.md '| `sim` | | `zlib.h` |\n'
refute includes "a folder not listed" cli/say.c '#include "base/ct_c.h"\n'
refute includes "a folder that nothing includes" README.md '| `run` | `des` | |\n'
refute includes "a header by its bare name" des/des.c '#include "ct_c.h"\n'
refute circles "two headers that include each other" base/ct_c.h '#include "base/ct_d.h"\n'
refute circles "a file includes what needs its header" base/ct_c.c '#include "base/ct_d.h"\n'
refute circles "the way round an internal header" base/ct_c_internal.h '#include "base/ct_d.h"\n'
refute circles "a file of the inside includes what needs its header" base/ct_e.c \
    '#include "base/ct_c_internal.h"\n#include "base/ct_d.h"\n'
refute headers_alone "a header that needs another first" base/ct_c.h 'int64_t ct_d(void);\n'
refute headers_alone "a header without guard" base/ct_c.h 'struct twice { int a; };\n'
refute banned "gets" cli/say.c 'int x = gets(y);\n'
refute banned "a call after a string with a comment mark" cli/say.c 'char *c = "/*"; int n = atoi("1");\n'
refute banned "the clock below cli" des/des.c 'long t = time (0);\n'
refute banned "printing below cli" des/des.c 'void f(FILE *f) { fputs("", stderr); }\n'
refute banned "a forged command line" des/des.c 'int f(int argc, char **argv);\n'
refute banned "a forged command line of a paper" apps/paper/p.c 'int f(int argc, char **argv);\n'
refute words "unfinished work" des/des.c '/* TO''DO */\n'
refute words "a path of one machine" cli/say.c 'const char *p = "/ho''me/user/x";\n'
refute words "blanks at the end" cli/say.c 'int a; \n'
refute comments "a comment beside an enumerator" des/des.c 'enum a {\n    A, /* the first */\n    B\n};\n'
refute comments "a comment beside the last enumerator" base/ct_c.h 'enum {\n    A,\n    B // the last\n};\n'
refute comments "a comment before an enumerator" des/des.c 'enum a {\n    /* the\n     * first */ A\n};\n'
refute comments "a comment beside an enum" des/des.c 'enum { A = 1 }; /* the first */\n'
refute comments "a comment in an enum of one line" cli/say.c 'void f(void) {\n    enum { A /* the first */ };\n}\n'
refute lengths "a long function" des/des.c "int f(void) {\n$(seq 90 | sed 's/.*/    g();/')\n}\n"
refute lengths "a long file" des/des.c "$(seq 801 | sed 's/.*/int a;/')\n"
refute lengths "a long function of the page" cli/page.js "function f() {\n$(seq 90 | sed 's/.*/  g();/')\n}\n"
refute lengths "a long function of a script" cli/all.sh "f() {\n$(seq 90 | sed 's/.*/    g/')\n}\n"
refute lengths "a long figure" cli/bars.gp "$(seq 801 | sed 's/.*/plot x/')\n"
rm -rf "${tree:?}"/*
for lint in includes circles headers_alone banned words lengths comments; do
    expect fail "$lint" "nothing to look at"
done
if command -v clang-format >/dev/null && clang-format --version | grep >/dev/null 'version 14\.'; then
    plant
    expect pass format "clean tree"
    refute format "bad format" des/des.c 'int  b ;\n'
fi
echo "$failures lints wrong"
[ "$failures" -eq 0 ]
