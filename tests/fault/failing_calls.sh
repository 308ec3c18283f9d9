#!/usr/bin/env bash
# The first allocation from each place and every write fails, once or from then on: the program ends with a sentence and exit code
# 3, or does all that it was asked to, and leaves earlier results as they were.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
. "$(dirname "${BASH_SOURCE[0]}")/failing_common.bash"
workload 0.02
"$COTENANT" run w.json --quiet -o before.db >/dev/null || exit 1
reports before.db > before.txt
cat > recording.json <<'END'
{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
 "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1], "registers per thread": 32,
  "shared memory": 0, "correlation": 1}}]}
END

# Strings as long as a buffer that doubles, with a quotation mark at each end of it: there jansson's reader goes on without
# what it could not keep, past the end of its buffer (its issue 362).
text=a_long_name_of_an_application_that_goes_on_and_on_until_it_ends
sed "s/\"q\"/\"${text:0:14}\"/; s/\"b\"/\"${text:0:30}\"/; 1s/{/{\"name\": \"${text:0:62}\", /" w.json >long.json
some_allocations all check long.json --quiet
some_allocations places check w.json --quiet --set apps.q.qos_ms=30
some_allocations places run w.json --quiet --policy baymax
some_allocations places compare w.json --quiet --policies mps,fifo --reps 2 -o results.db
some_allocations places report results.db
some_allocations places import kineto recording.json -o trace.db
sweep_writes run w.json --quiet -o results.db
sweep_writes compare w.json --quiet --policies mps,fifo --reps 2 -o results.db
finish "failing calls"
