#!/usr/bin/env bash
# The program as WebAssembly, in Node, answers as the native one, byte for byte. Skipped where it is not built:
# scripts/lessons --core. COTENANT_LESSONS_ALL=1: every shipped workload under every policy, and fifty seeds of each exercise.
core=$SOURCE_DIR/build/lessons
[ -f "$core/core.tar.gz" ] || { echo "SKIPPED, the program is not built as WebAssembly: scripts/lessons --core"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED, node is missing"; exit 77; }
extent=
((!${COTENANT_LESSONS_ALL:-0})) || extent=all
node "$SOURCE_DIR/tests/lessons/same_bytes.mjs" "$COTENANT" "$core" "$SOURCE_DIR" $extent && exit
[ -z "$(find "$SOURCE_DIR/src" -name '*.[ch]' -newer "$core/core.tar.gz" -print -quit)" ] || echo "sources are newer than the program as WebAssembly: scripts/lessons --core"
exit 1
