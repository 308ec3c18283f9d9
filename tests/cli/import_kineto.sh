#!/usr/bin/env bash
# `import kineto` on small recordings with known contents: what it prints, what it refuses, what it leaves alone.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# refuse STATUS TEXT ARGUMENT...: ends so, says so, and writes no store.
refuse() {
    rm -f new.db
    refuses "$1" "$2" import "${@:3}" -o new.db
    [ ! -e new.db ] || fail "'import ${*:3}' has written a store"
}

# kernel START DURATION CORRELATION [DEVICE], call START CORRELATION: one event each.
kernel() {
    printf '{"ph":"X","cat":"kernel","name":"k<%s>","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":%s,"context":1,' \
        "$3" "$1" "$2" "${4:-0}"
    printf '"stream":7,"correlation":%s,"registers per thread":32,"shared memory":0,"grid":[80,1,1],"block":[256,1,1]}}' "$3"
}
call() {
    printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":4,"args":{"correlation":%s}}' \
        "$1" "$2"
}
range() {
    printf '{"ph":"X","cat":"user_annotation","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s}' "$1" "$2" "$3"
}
recording() { # DEVICES EVENT...
    local IFS=,
    printf '{"deviceProperties":[%s],"traceEvents":[%s]}' "$1" "${*:2}"
}
v100='{"id":0,"name":"Tesla V100-SXM2-16GB"},{"id":1,"name":"Tesla V100-SXM2-16GB"}'

recording "$v100" "$(range ProfilerStep#1 0 100)" "$(range ProfilerStep#2 100 100)" \
    "$(call 10 1)" "$(kernel 20 30.5 1)" "$(call 60 2)" "$(kernel 70 10 2)" "$(call 110 3)" "$(kernel 120 10 3)" >two.json
gzip -k two.json

said=$("$COTENANT" import kineto two.json -o t.db --source 'a test' --licence MIT)
[ "$(head -1 <<<"$said")" = "two: 2 jobs, 3 kernels (3 distinct), 0 copies, 0 memsets on v100" ] || fail "said '$said'"
grep -qF 'read 8 = kept 3 + left out 5: annotation 2, host call 3' <<<"$said" || fail "no account in '$said'"
grep -qF "  100.0 % of the GPU's tasks and 100.0 % of its time kept" <<<"$said" || fail "no share in '$said'"
"$COTENANT" import kineto two.json.gz -o u.db --source 'a test' --licence MIT >/dev/null || fail "gz"
cmp -s t.db u.db || fail "a gz file gives another store"
[ "$("$COTENANT" trace show t.db --format csv | sed -n 2p)" = "two,v100,2,3,3,0,0,0,0,0,0.050500,0.000000,1,kineto: a test,MIT,k<1>,80,256,1,0.030500" ] ||
    fail "show: $("$COTENANT" trace show t.db --format csv)"
[ -z "$("$COTENANT" import kineto two.json -o q.db --quiet 2>&1)" ] || fail "--quiet is not silent"

jobs_of() { # the number of jobs when cut so
    "$COTENANT" import kineto two.json -o j.db --jobs "$1" | sed -n '1s/.*: \([0-9]*\) job.*/\1/p'
}
[ "$(jobs_of whole)" = 1 ] || fail "whole"
[ "$(jobs_of step)" = 2 ] || fail "step"
[ "$(jobs_of gap:0.030)" = 2 ] || fail "gap: the device idles 19.5 us and then 40 us"
[ "$(jobs_of gap:0.019)" = 3 ] || fail "gap: the device idles 19.5 us and then 40 us"
[ "$(jobs_of nvtx:ProfilerStep#1)" = 1 ] || fail "nvtx"

# What an import left out of its file is known of the store, too, and nothing where it left out nothing.
"$COTENANT" import kineto two.json -o part.db --jobs nvtx:ProfilerStep#1 --quiet || fail "a part of a file"
"$COTENANT" trace check part.db | tr -s '\n ' ' ' | grep -F "kept part the import kept 66.6 % of the GPU's tasks and 80.1 % of its time" >/dev/null ||
    fail "what was left out: $("$COTENANT" trace check part.db)"
"$COTENANT" trace check t.db | grep 'the import kept' && fail "nothing was left out"

# What the host did before the first launch is of the job, and told where it is much of it; without it there is nothing to tell.
lead="0.01 of the 0.1 ms of a job (mean) pass before its first launch"
"$COTENANT" import kineto two.json -o lead.db 2>&1 | tr -s '\n ' ' ' | grep >/dev/null -F "two: notice: $lead" || fail "the lead of a job"
"$COTENANT" trace check lead.db | tr -s '\n ' ' ' | grep >/dev/null -F "lead doubtful $lead" || fail "the lead of a stored job"
"$COTENANT" import kineto two.json -o launch.db --from-launch 2>&1 | grep notice && fail "jobs from their launch on have no lead"
"$COTENANT" trace check launch.db | grep ' lead ' && fail "jobs from their launch on have none in the store"
"$COTENANT" import kineto two.json -o gap.db --jobs gap:0.03 --from-launch 2>&1 | tr -s '\n ' ' ' |
    grep >/dev/null -F "'--from-launch' changes nothing: no job of 'two' is a step or a range" || fail "--from-launch of gaps"
recording "$v100" "$(range ProfilerStep#1 0 1000)" "$(call 30 1)" "$(kernel 40 970 1)" >short-lead.json
"$COTENANT" import kineto short-lead.json -o lead.db 2>&1 | grep notice && fail "less than three per cent of a job are told"

# What the framework held of the GPU: two such programs do not fit into it, one does, and a number in the workload decides.
memory() {
    printf '{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":%s,"args":{"Total Reserved":%s,' "$1" "$2"
    printf '"Total Allocated":5,"Bytes":5,"Device Id":%s,"Device Type":%s}}' "$3" "$4"
}
recording "$v100" "$(call 10 1)" "$(kernel 20 30 1)" "$(memory 12 9663676416 0 1)" "$(memory 13 9663676416 0 1)" \
    "$(memory 14 1 0 1)" "$(memory 15 99999999999 1 1)" "$(memory 16 99999999999 -1 0)" >memory.json
"$COTENANT" import kineto memory.json -o memory.db --quiet || fail "memory events"
"$COTENANT" trace check memory.db | grep >/dev/null -F "held 9.00 GiB of the GPU's memory at most" || fail "the memory that was held"
echo '{"gpu": {"base": "v100", "memory_gib": 16}, "duration_s": 0.01, "apps": [{"name": "m", "trace": "memory.db"}]}' >memory.mix
"$COTENANT" check memory.mix --quiet || fail "9 of 16 GiB"
said=$("$COTENANT" check memory.mix --set apps.m.instances=2 2>&1)
grep -qF 'need 18 GiB of memory together (2 x m 9)' <<<"$said" || fail "18 of 16 GiB: '$said'"
"$COTENANT" check memory.mix --set apps.m.instances=2 --set apps.m.memory_gib=8 --quiet || fail "16 of 16 GiB, given"

# Two recordings, then one of them again under its name: replaced, not added.
cp two.json three.json
"$COTENANT" import kineto two.json three.json -o several.db --quiet || fail "several files"
"$COTENANT" import kineto two.json -o several.db --jobs whole --quiet || fail "the same application again"
[ "$("$COTENANT" trace list several.db --format csv | cut -d, -f1,3 | tr '\n' ' ')" = "name,jobs three,2 two,1 " ] ||
    [ "$("$COTENANT" trace list several.db --format csv | cut -d, -f1,3 | tr '\n' ' ')" = "name,jobs two,1 three,2 " ] ||
    fail "several: $("$COTENANT" trace list several.db --format csv)"

recording "$v100" "$(call 10 1)" "$(kernel 20 30 1 0)" "$(call 60 2)" "$(kernel 70 10 2 1)" >devices.json
[ "$("$COTENANT" import kineto devices.json -o d.db | grep -c '^devices-dev[01]: ')" = 2 ] || fail "a device each"
"$COTENANT" import kineto devices.json -o e.db --device 1 | grep -cF 'another device 1' >/dev/null || fail "--device"

"$COTENANT" import kineto two.json --quiet 2>/dev/null
[ $? -eq 2 ] || fail "without -o it must end with 2"
refuse 2 "unknown format 'kinetto', did you mean 'kineto'" kinetto two.json
refuse 3 "kinetto.json: error: cannot open it: No such file" kinetto.json
refuse 3 "./kinetto: error: cannot open it: No such file" ./kinetto
mkdir folder
refuse 3 "folder: error: cannot read it: Is a directory" folder
true >nothing.json
refuse 3 "nothing.json: error: the file is empty" nothing.json two.json
refuse 2 "unknown gpu 'v10', did you mean 'v100'" kineto two.json --gpu v10
refuse 2 "unknown value of '--jobs': 'steps'" kineto two.json --jobs steps
refuse 2 "'x' of '--jobs gap:MS' is not a number" kineto two.json --jobs gap:x
refuse 2 "two.json: error: the recording has no range called 'query'; some that it has: ProfilerStep#1" kineto two.json --jobs nvtx:query
refuse 2 "no range called 'ProfilerStep1', did you mean 'ProfilerStep#1'?" kineto two.json --jobs nvtx:ProfilerStep1
refuse 2 "--app: error: '' is no name of an application: it is empty" kineto two.json --app ""
refuse 2 "device 7 ran no kernel" kineto two.json --device 7
refuse 2 "'--app' names one application, but there are 2 recordings" kineto two.json three.json --app a
recording '' "$(kernel 20 30 1)" >nameless.json
refuse 2 "does not name its GPU: name it with '--gpu'" kineto nameless.json
recording '{"id":0,"name":"Voodoo 2"}' "$(kernel 20 30 1)" >foreign.json
refuse 2 "no preset is known for the recorded GPU 'Voodoo 2'" kineto foreign.json
refuse 2 "the recording has no profiler steps" kineto nameless.json --gpu v100 --jobs step
# Presets that are nowhere are told as that, with the places; a program that stands elsewhere finds none beside itself.
mkdir -p away/bin none
cp "$COTENANT" away/bin/cotenant
lacks_presets() { # ARGUMENT...
    COTENANT_SHARE=$PWD/none away/bin/cotenant "$@" >said 2>&1
    [ $? -eq 3 ] || fail "'$*' without presets ends otherwise: $(cat said)"
    tr -s '\n ' ' ' <said | grep -F "no GPU presets found: looked in $PWD/none/gpus, $PWD/away/bin/../share/cotenant/gpus" >/dev/null || fail "'$*': $(cat said)"
}
lacks_presets list gpus
lacks_presets import kineto two.json -o new.db
lacks_presets import kineto two.json -o new.db --gpu v100
echo '{"gpu": "v100", "duration_s": 0.001, "apps": [{"name": "t", "trace": "t.db"}]}' >presets.mix
lacks_presets run presets.mix
rm -r away
# A GPU that no preset knows: what the recording says of it, the rest from the nearest preset and listed; then it is found.
facts='"totalGlobalMem":42949672960,"computeMajor":9,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"numSms":115'
facts+=',"regsPerMultiprocessor":65536,"sharedMemPerBlockOptin":232448,"sharedMemPerMultiprocessor":233472'
recording "{\"id\":0,\"name\":\"Voodoo 9\",$facts}" "$(call 10 1)" "$(kernel 20 30 1)" >voodoo.json
mkdir -p share/gpus
refuse 2 "name one with '--gpu', or make one with '--gpu-file'" kineto voodoo.json
refuse 2 "is to be a preset, which is called NAME.json" kineto voodoo.json --gpu-file voodoo
refuse 3 "says neither SMs nor compute capability of 'Voodoo 2'" kineto foreign.json --gpu-file share/gpus/v2.json
"$COTENANT" import voodoo.json --gpu-file share/gpus/voodoo9.json -o voodoo.db >said 2>&1 || fail "--gpu-file: $(cat said)"
grep -qF "on voodoo9" said || fail "the trace is not on the GPU of the file: $(cat said)"
grep -qF "assumed, from 'h100-pcie': blocks_per_sm, clock_mhz, dram_gb_s, fp32_per_clock" said || fail "what is assumed: $(cat said)"
shown() { # KEY VALUE: so the preset says
    local line
    line=$(COTENANT_SHARE=$PWD/share "$COTENANT" show gpu 'Voodoo 9' --format csv | grep "^$1,")
    case $line in
    "$1,$2,"*) ;;
    *) fail "$1 of the preset: '$line'" ;;
    esac
}
shown sms '115,,a recording,no'
shown memory_gib '40,GiB,a recording,no'
shown dram_gb_s '2000,GB/s,taken over from the preset h100-pcie,yes'
shown row_hit_rate '0.8,,row-buffer hit rate of a kernel whose own is unknown,yes'
# Of presets with as many SMs, h100, h100-nvl, h200 and gh200, the one with such a memory: another has another link.
sed 's/"numSms":115/"numSms":132/; s/42949672960/85017493504/; s/Voodoo 9/Voodoo 10/' voodoo.json >ten.json
"$COTENANT" import ten.json --gpu-file ten-gpu.json -o ten.db 2>&1 | tr -s '\n ' ' ' | grep >/dev/null -F "assumed, from 'h100':" || fail "the nearest of equals"
echo '{"gpu": "voodoo9", "duration_s": 0.001, "apps": [{"name": "v", "trace": "voodoo.db"}]}' >voodoo.mix
COTENANT_SHARE=$PWD/share "$COTENANT" run voodoo.mix --policy mps --quiet >/dev/null || fail "a run on the GPU of a recording"
# One of AMD: from AMD's preset, whose compute capability stands for what it lacks; HIP's 9.4 is an instruction set.
facts='"totalGlobalMem":274877906944,"computeMajor":9,"computeMinor":4,"maxThreadsPerMultiprocessor":2048,"numSms":300'
recording "{\"id\":0,\"name\":\"AMD Instinct MI399X\",$facts,\"maxSharedMemoryPerMultiProcessor\":65536}" "$(call 10 1)" "$(kernel 20 30 1)" >amd.json
"$COTENANT" import amd.json --gpu-file share/gpus/mi399x.json -o amd.db 2>&1 | tr -s '\n ' ' ' |
    grep -qF "assumed, from 'mi300x': blocks_per_sm, registers_per_sm, smem_per_block_bytes, compute_capability, clock_mhz" || fail "AMD's nearest"
echo '{"gpu": "mi399x", "duration_s": 0.001, "apps": [{"name": "v", "trace": "amd.db"}]}' >amd.mix
COTENANT_SHARE=$PWD/share "$COTENANT" run amd.mix --policy mps --quiet >/dev/null || fail "a run on AMD's GPU of a recording"
# What no preset may have is not written.
sed 's/"sharedMemPerBlockOptin":232448,//; s/"sharedMemPerMultiprocessor":233472/"sharedMemPerMultiprocessor":65536/; s/Voodoo 9/Voodoo 11/' voodoo.json >small.json
refuse 3 "'smem_per_block_bytes' (232448) is above 'smem_per_sm_bytes' (65536)" kineto small.json --gpu-file share/gpus/small.json
[ ! -e share/gpus/small.json ] || fail "a preset that no run takes"
"$COTENANT" import two.json --gpu-file share/gpus/none.json -o none.db 2>&1 | grep >/dev/null -F "is not written" || fail "a preset's GPU"
[ ! -e share/gpus/none.json ] || fail "a file for a GPU that a preset knows"
# A GPU of a preset's name that is another one: a warning, and a file where one is asked for.
facts='"totalGlobalMem":17179869184,"computeMajor":8,"computeMinor":7,"maxThreadsPerMultiprocessor":1536,"numSms":8'
facts+=',"regsPerMultiprocessor":65536,"sharedMemPerBlockOptin":166912,"sharedMemPerMultiprocessor":167936'
recording "{\"id\":0,\"name\":\"Orin\",$facts}" "$(call 10 1)" "$(kernel 20 30 1)" >orin.json
"$COTENANT" import orin.json -o orin.db 2>&1 | tr -s '\n ' ' ' |
    grep -qF "warning: the recorded GPU 'Orin' is not the preset 'orin': SMs 8, not 16; memory in GiB 16, not 64" || fail "another Orin"
"$COTENANT" import orin.json --gpu-file share/gpus/orin-nx.json -o orin.db >said 2>&1 || fail "a file for another Orin: $(cat said)"
grep -qF "on orin-nx" said && ! grep -q warning said || fail "the trace of another Orin: $(cat said)"
COTENANT_SHARE=$PWD/share "$COTENANT" show gpu orin-nx --format csv | grep >/dev/null '^sms,8,,a recording,no' || fail "SMs of another Orin"

head -c 400 two.json >half.json
refuse 3 "cut off: the JSON ends in the middle, after 400 bytes" kineto half.json
echo '{"a": [1, 2' >short.json
refuse 3 "cut off" kineto short.json
echo '{"a": [1, 2]}' >other.json
refuse 3 "not a profiler trace: it has no 'traceEvents'" kineto other.json
echo 'Start,Duration' >text.json
refuse 3 "not valid JSON" kineto text.json
recording "$v100" "$(call 10 1)" >empty.json
refuse 3 "holds no kernel" kineto empty.json
recording "$v100" "$(call 10 1)" "$(kernel 20 -3 1)" >negative.json
refuse 3 "has a negative duration" kineto negative.json
kernel 20 3 1 | sed 's/"grid":\[80/"grid":[0/' >event
recording "$v100" "$(cat event)" >blocks.json
refuse 3 "has 0 blocks of 256 threads" kineto blocks.json
recording "$v100" "$(call 1 1)" "$(kernel 20 30 1)" "$(call 2 2)" "$(kernel 30 30 2)" >overlap.json
"$COTENANT" import kineto overlap.json -o overlap.db 2>&1 | grep -F 'warning: 1 tasks overlap the one before in their stream, by' |
    grep -qF '20.000 us at most' || fail "two kernels of a stream that overlap are taken without a word"
refuse 3 "cannot open it" kineto nowhere.json

# "-" is the standard input, gz or not; what has to be a file says so.
recording "$v100" "$(call 10 1)" "$(kernel 20 30 1)" >one.json
"$COTENANT" import one.json -o named.db --app piped --quiet || fail "a file whose format is not named"
cat one.json | "$COTENANT" import - -o piped.db --app piped --quiet || fail "a recording through a pipe"
gzip -c one.json | "$COTENANT" import kineto - -o packed.db --app piped --quiet || fail "a packed one"
for store in piped packed; do
    cmp -s <("$COTENANT" trace show "$store.db") <("$COTENANT" trace show named.db) || fail "$store is not what the file is"
done
refuse 3 "is an SQLite file, which needs a name" - <named.db
refuse 2 "the standard input is there once only" - - <one.json
refuse 3 "/dev/stdin: error: the file is empty" - </dev/null

# An error in the second file leaves an existing store as it was.
cp t.db before.db
"$COTENANT" import kineto two.json half.json -o t.db --quiet 2>/dev/null
cmp -s t.db before.db || fail "a failed import has changed the store"
echo precious >precious
"$COTENANT" import kineto two.json -o precious --quiet 2>/dev/null
[ $? -eq 3 ] && [ "$(cat precious)" = precious ] || fail "a foreign file was overwritten"

# Memory does not follow the size of the file: 150 MB of call stacks in 100 MB of address space.
if (ulimit -v 100000 && "$COTENANT" --version >/dev/null 2>&1); then
    {
        recording "$v100" "$(call 10 1)" "$(kernel 20 30 1)" | sed 's/]}$//'
        awk 'BEGIN { for (i = 0; i < 1000000; i++) printf ",{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"module.py(%d): some function\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":3,\"args\":{\"Python id\":%d,\"Python parent id\":3}}", i % 900, 100 + i, i }'
        echo ']}'
    } | gzip -1 >large.json.gz
    (ulimit -v 100000 && "$COTENANT" import kineto large.json.gz -o large.db) | grep -cF 'call stack 1000000' >/dev/null ||
        fail "a large file needs too much memory"
fi

[ "$failures" -eq 0 ]
