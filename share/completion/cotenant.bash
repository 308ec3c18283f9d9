# Completion of cotenant for bash, printed by 'cotenant list commands --format bash'.
# shellcheck shell=bash

# Adds the files and folders that begin so and end in one of these: ".db", "*" any, "/" folders.
_cotenant_files() {
    local begin=$1 name ending
    shift
    while IFS= read -r name; do
        [ -d "$name" ] && COMPREPLY+=("$name") && continue
        for ending; do
            if [ "$ending" = '*' ] || [[ $ending != / && $name == *"$ending" ]]; then
                COMPREPLY+=("$name")
                break
            fi
        done
    done < <(compgen -f -- "$begin")
}

_cotenant() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local words='' first='' files='' other='' value='' many='' begin=''
    local policies='fifo timeslice mps mps-even mps-priority priority stream-priority mps-caps mps-static even proportional mig baymax baymax-nc baymax-np baymax-plus laius laius-nb laius-nc hsm-fair hsm-qos dase-fair dase-qos themis-fair themis-qos bw-app os-sched spart-qos combined coop cqos rule'
    local gpus='a10 a100 a100-80gb a100-80gb-pcie a10g a30 a40 b200 cqos gh200 gtx1080ti h100 h100-nvl h100-pcie h200 hsm-gddr5 hsm-hbm k40 l4 l40s mi250x mi300x orin p100 p100-pcie p100-pcie-12gb rtx2080ti rtx3060 rtx3080 rtx3090 rtx4090 rtxpro6000 rtxpro6000-workstation t4 v100'
    local memories='hsm-hbm hsm-gddr5 hbm2 hbm3 gddr5x gddr6'
    local placements='random round-robin best-profile hungarian best-fit fgd first-fit worst-fit'
    local exercises='occupancy waves leftover one-queue caps timeslice priority copies rows bandwidth measures tail capacity blame copy-limit headroom queries refill quota knapsack lag progress partition drain dase triggers completion look-ahead preempt'
    local aims='max-rate: gpus batch-instances: gpu:'
    COMPREPLY=()
    # bash splits '--format=json' at the sign.
    if [ "$current" = = ]; then
        current=''
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='run compare sweep plan advise cluster import trace report plot timeline html export explain check list show calibrate validate dram predict paper train exercise --help --version'
    else
    case ${COMP_WORDS[1]} in
    run)
        case $previous in
        --policy|-p) value=yes words=$policies files=.so ;;
        --set|-s) value=yes ;;
        --seed) value=yes ;;
        --reps|-n) value=yes ;;
        --precision) value=yes ;;
        --max-reps) value=yes ;;
        --jobs|-j) value=yes ;;
        --fidelity) value=yes words='fluid block' ;;
        --output|-o) value=yes files='.db' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --timeline) value=yes files='.json' ;;
        --timeline-budget) value=yes ;;
        --blocks) value=yes files='.csv' ;;
        --bands) value=yes ;;
        --dump-at) value=yes ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --policy --set --seed --reps --precision --max-reps --jobs --fidelity --output --format --timeline --timeline-budget --blocks --timing --no-blame --bands --no-cache --dump-at --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    compare)
        case $previous in
        --policies|-p) value=yes words=$policies many=yes ;;
        --reps|-n) value=yes ;;
        --precision) value=yes ;;
        --max-reps) value=yes ;;
        --baseline) value=yes words=$policies ;;
        --measures) value=yes words='targets all' ;;
        --jobs|-j) value=yes ;;
        --set|-s) value=yes ;;
        --seed) value=yes ;;
        --output|-o) value=yes files='.db' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --bands) value=yes ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --policies --reps --precision --max-reps --baseline --measures --jobs --set --seed --output --format --no-blame --bands --no-cache --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    sweep)
        case $previous in
        --output|-o) value=yes files='.db' ;;
        --jobs|-j) value=yes ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --output --jobs --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    plan)
        case $previous in
        --find) value=yes words=$aims ;;
        --policies|-p) value=yes words=$policies many=yes ;;
        --confidence) value=yes ;;
        --reps|-n) value=yes ;;
        --max-reps) value=yes ;;
        --budget) value=yes words='' ;;
        --tolerance) value=yes ;;
        --error) value=yes ;;
        --most) value=yes ;;
        --spare) value=yes ;;
        --load) value=yes ;;
        --prices) value=yes files='.json' ;;
        --bands) value=yes ;;
        --jobs|-j) value=yes ;;
        --set|-s) value=yes ;;
        --seed) value=yes ;;
        --whole-page) value=yes files='.html' ;;
        --frontier|-o) value=yes files='/' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --find --policies --confidence --reps --max-reps --budget --tolerance --error --most --spare --load --prices --bands --jobs --no-cache --set --seed --whole-page --frontier --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    advise)
        case $previous in
        --gpus) value=yes ;;
        --most) value=yes ;;
        --confidence) value=yes ;;
        --reps|-n) value=yes ;;
        --max-reps) value=yes ;;
        --bands) value=yes ;;
        --jobs|-j) value=yes ;;
        --set|-s) value=yes ;;
        --seed) value=yes ;;
        --whole-page) value=yes files='.html' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        *) files='.json' words=' --gpus --most --every --confidence --reps --max-reps --bands --jobs --no-cache --set --seed --whole-page --format --quiet --color --help' ;;
        esac ;;
    cluster)
        case $previous in
        --policies|-p) value=yes words=$policies many=yes ;;
        --placement) value=yes words=$placements many=yes ;;
        --balancer) value=yes ;;
        --reps|-n) value=yes ;;
        --jobs|-j) value=yes ;;
        --set|-s) value=yes ;;
        --seed) value=yes ;;
        --output|-o) value=yes files='/' ;;
        --whole-page) value=yes files='.html' ;;
        --table|-t) value=yes words='summary colocations gpus profiles shares fleet copies changes' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --policies --placement --place-only --balancer --reps --jobs --set --seed --output --whole-page --table --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    import)
        case $previous in
        --output|-o) value=yes files='.db' ;;
        --app|-a) value=yes ;;
        --jobs) value=yes words='auto whole step nvtx: from: gap:' ;;
        --skip-jobs) value=yes ;;
        --gpu|-g) value=yes words=$gpus ;;
        --gpu-file) value=yes files='.json' ;;
        --device|-d) value=yes ;;
        --column) value=yes ;;
        --batch|-b) value=yes ;;
        --compute-efficiency) value=yes ;;
        --memory-efficiency) value=yes ;;
        --source) value=yes ;;
        --licence) value=yes ;;
        *) files='*' words=' --output --app --jobs --skip-jobs --from-launch --gpu --gpu-file --device --column --batch --compute-efficiency --memory-efficiency --no-comm --source --licence --quiet --color --help' ;;
        esac ;;
    trace)
        case $previous in
        --app|-a) value=yes ;;
        --format|-f) value=yes words='text json csv' ;;
        *) first='list show check demand export' files='.db' words=' --app --format --quiet --color --help' ;;
        esac ;;
    report)
        case $previous in
        --format|-f) value=yes words='text json csv markdown' ;;
        --run|-r) value=yes ;;
        *) files='.db' words=' --format --run --list --quiet --color --help' ;;
        esac ;;
    plot)
        case $previous in
        --output|-o) value=yes files='/' ;;
        --format|-f) value=yes words='svg png both' ;;
        --sweep) value=yes ;;
        *) files='.db' other=.json words=' --output --format --sweep --quiet --color --help' ;;
        esac ;;
    timeline)
        case $previous in
        --output|-o) value=yes files='.json' ;;
        --run|-r) value=yes ;;
        --timeline-budget) value=yes ;;
        *) files='.db' words=' --output --run --timeline-budget --quiet --color --help' ;;
        esac ;;
    html)
        case $previous in
        --output|-o) value=yes files='.html' ;;
        --worst|-w) value=yes ;;
        --budget) value=yes ;;
        --sweep) value=yes ;;
        *) files='.db' words=' --output --worst --budget --sweep --live --quiet --color --help' ;;
        esac ;;
    export)
        case $previous in
        --output|-o) value=yes files='/' ;;
        --sweep) value=yes ;;
        *) files='.db' words=' --output --sweep --quiet --color --help' ;;
        esac ;;
    explain)
        case $previous in
        --run|-r) value=yes ;;
        --policy|-p) value=yes words=$policies files=.so ;;
        --app|-a) value=yes ;;
        --worst|-w) value=yes ;;
        --job) value=yes ;;
        --what-if) value=yes ;;
        --workload) value=yes files='.json' ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.db' words=' --run --policy --app --worst --job --decisions --what-if --workload --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    check)
        case $previous in
        --set|-s) value=yes ;;
        --policy|-p) value=yes words=$policies files=.so ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.json' words=' --set --policy --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    list)
        case $previous in
        --format|-f) value=yes words='text json csv markdown' ;;
        *) first='policies gpus predictors traces workloads' words=' --format --quiet --color --help' ;;
        esac ;;
    show)
        case $previous in
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) first='policy gpu' words=' --format --isolate-policy --policy-timeout --quiet --color --help' ;;
        esac ;;
    calibrate)
        case $previous in
        --output|-o) value=yes files='.json' ;;
        --gpu|-g) value=yes words=$gpus ;;
        *) files='.csv' words=' --output --gpu --quiet --color --help' ;;
        esac ;;
    validate)
        case $previous in
        --model|-m) value=yes files='.json' ;;
        --holdout) value=yes ;;
        --seed) value=yes ;;
        --output|-o) value=yes files='.csv' ;;
        --format|-f) value=yes words='text json markdown' ;;
        *) files='.csv' words=' --model --holdout --seed --output --format --quiet --color --help' ;;
        esac ;;
    dram)
        case $previous in
        --preset) value=yes words=$memories ;;
        --locality) value=yes ;;
        --apps) value=yes ;;
        --reads) value=yes ;;
        --streams) value=yes ;;
        --cap) value=yes ;;
        --queue) value=yes ;;
        --requests) value=yes ;;
        --seed) value=yes ;;
        --set|-s) value=yes ;;
        --format|-f) value=yes words='text json' ;;
        --output|-o) value=yes files='.json' ;;
        *) words=' --preset --locality --apps --reads --streams --cap --queue --requests --seed --no-refresh --set --format --timing --output --quiet --color --help' ;;
        esac ;;
    predict)
        case $previous in
        --workload) value=yes files='.json' ;;
        --policy|-p) value=yes words=$policies files=.so ;;
        --gpu|-g) value=yes words=$gpus ;;
        --set|-s) value=yes ;;
        --app|-a) value=yes ;;
        --splits) value=yes ;;
        --seed) value=yes ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --policy-timeout) value=yes ;;
        *) files='.db' words=' --workload --policy --gpu --set --shares --app --splits --seed --format --isolate-policy --policy-timeout --allow-policy-files --quiet --color --help' ;;
        esac ;;
    paper)
        case $previous in
        --item|-i) value=yes ;;
        --suite) value=yes ;;
        --draws) value=yes ;;
        --jobs|-j) value=yes ;;
        --seed) value=yes ;;
        --cluster-s) value=yes ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --load) value=yes ;;
        --target) value=yes ;;
        --plot) value=yes files='/' ;;
        *) first='baymax hsm cqos laius' words=' --item --suite --draws --jobs --seed --cluster-s --format --list --load --target --plot --no-blame --no-cache --quiet --color --help' ;;
        esac ;;
    train)
        case $previous in
        --output|-o) value=yes files='.json' ;;
        --gpu|-g) value=yes words=$gpus ;;
        --set|-s) value=yes ;;
        --fidelity) value=yes words='fluid block' ;;
        --colocations) value=yes ;;
        --inputs) value=yes words='all plain' ;;
        --rounds) value=yes ;;
        --seed) value=yes ;;
        *) words=' --output --gpu --set --fidelity --colocations --inputs --rounds --seed --quiet --color --help' ;;
        esac ;;
    exercise)
        case $previous in
        --seed) value=yes ;;
        --answer) value=yes ;;
        --format|-f) value=yes words='text json csv markdown' ;;
        --output|-o) value=yes words='' ;;
        --plot) value=yes files='/' ;;
        --class) value=yes files='.csv' ;;
        --marks) value=yes files='.csv' ;;
        --key) value=yes files='.csv' ;;
        *) first=$exercises words=' --seed --hint --solution --answer --format --output --plot --class --marks --key --quiet --color --help' ;;
        esac ;;
    esac
    fi
    if [ "$previous" = --color ]; then
        words='auto always never' first='' files=''
    fi
    # Of a list only its last name is being typed.
    [ -z "$many" ] || begin=${current%"${current##*,}"}
    # What the first operand chooses decides what the next one is.
    if [ -n "$first" ] && [ "$COMP_CWORD" -eq 2 ]; then
        words="$first $words" files=''
    elif [ "${COMP_WORDS[1]}" = show ] && [ "$COMP_CWORD" -eq 3 ]; then
        case ${COMP_WORDS[2]} in
        policy) words=$policies files=.so ;;
        gpu) words=$gpus ;;
        esac
    elif [ -z "$value" ]; then
        words="$first $words"
    fi
    mapfile -t COMPREPLY < <(compgen -P "$begin" -W "$words" -- "${current#"$begin"}")
    if [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
        _cotenant_files "$current" "$files" ${other:+"$other"}
    fi
}
complete -F _cotenant cotenant
