# Completion of cotenant for bash, printed by 'cotenant list commands --format bash'.
_cotenant() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' files=''
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="run compare sweep plan cluster import trace report plot timeline html explain check list show calibrate validate dram predict paper train exercise --help --version"
    else
    case ${COMP_WORDS[1]} in
    run)
        case $previous in
        --policy|-p) files=yes ;;
        --set|-s) files=yes ;;
        --seed) files=yes ;;
        --reps|-n) files=yes ;;
        --precision) files=yes ;;
        --max-reps) files=yes ;;
        --jobs|-j) files=yes ;;
        --fidelity) words="fluid block" ;;
        --output|-o) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        --timeline) files=yes ;;
        --timeline-budget) files=yes ;;
        --dump-at) files=yes ;;
        --policy-timeout) files=yes ;;
        *) words=" --policy --set --seed --reps --precision --max-reps --jobs --fidelity --output --format --timeline --timeline-budget --timing --no-blame --dump-at --isolate-policy --policy-timeout --quiet --help" files=yes ;;
        esac ;;
    compare)
        case $previous in
        --policies|-p) files=yes ;;
        --reps|-n) files=yes ;;
        --precision) files=yes ;;
        --max-reps) files=yes ;;
        --baseline) files=yes ;;
        --jobs|-j) files=yes ;;
        --set|-s) files=yes ;;
        --seed) files=yes ;;
        --output|-o) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        --policy-timeout) files=yes ;;
        *) words=" --policies --reps --precision --max-reps --baseline --jobs --set --seed --output --format --no-blame --isolate-policy --policy-timeout --quiet --help" files=yes ;;
        esac ;;
    sweep)
        case $previous in
        --output|-o) files=yes ;;
        --jobs|-j) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --output --jobs --format --quiet --help" files=yes ;;
        esac ;;
    plan)
        case $previous in
        --find) files=yes ;;
        --policies|-p) files=yes ;;
        --confidence) files=yes ;;
        --reps|-n) files=yes ;;
        --max-reps) files=yes ;;
        --tolerance) files=yes ;;
        --error) files=yes ;;
        --most) files=yes ;;
        --jobs|-j) files=yes ;;
        --set|-s) files=yes ;;
        --seed) files=yes ;;
        --frontier|-o) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --find --policies --confidence --reps --max-reps --tolerance --error --most --jobs --set --seed --frontier --format --quiet --help" files=yes ;;
        esac ;;
    cluster)
        case $previous in
        --policies|-p) files=yes ;;
        --placement) files=yes ;;
        --balancer) words="random round-robin" ;;
        --reps|-n) files=yes ;;
        --jobs|-j) files=yes ;;
        --set|-s) files=yes ;;
        --seed) files=yes ;;
        --output|-o) files=yes ;;
        --table|-t) words="summary colocations gpus profiles" ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --policies --placement --balancer --reps --jobs --set --seed --output --table --format --quiet --help" files=yes ;;
        esac ;;
    import)
        case $previous in
        --output|-o) files=yes ;;
        --app|-a) files=yes ;;
        --jobs|-j) words="auto whole step nvtx:NAME from:NAME gap:MS" ;;
        --gpu|-g) files=yes ;;
        --device|-d) files=yes ;;
        --column|-c) files=yes ;;
        --batch|-b) files=yes ;;
        --compute-efficiency) files=yes ;;
        --memory-efficiency) files=yes ;;
        --source) files=yes ;;
        --licence) files=yes ;;
        *) words="nsys kineto nvprof ncu orion network arrivals --output --app --jobs --gpu --device --column --batch --compute-efficiency --memory-efficiency --no-comm --source --licence --quiet --help" files= ;;
        esac ;;
    trace)
        case $previous in
        --app|-a) files=yes ;;
        --format|-f) words="text json csv" ;;
        *) words="list show check export --app --format --quiet --help" files= ;;
        esac ;;
    report)
        case $previous in
        --format|-f) words="text json csv markdown" ;;
        --run|-r) files=yes ;;
        *) words=" --format --run --list --quiet --help" files=yes ;;
        esac ;;
    plot)
        case $previous in
        --output|-o) files=yes ;;
        --format|-f) words="svg png both" ;;
        *) words=" --output --format --quiet --help" files=yes ;;
        esac ;;
    timeline)
        case $previous in
        --output|-o) files=yes ;;
        --run|-r) files=yes ;;
        --timeline-budget) files=yes ;;
        *) words=" --output --run --timeline-budget --quiet --help" files=yes ;;
        esac ;;
    html)
        case $previous in
        --output|-o) files=yes ;;
        --worst|-w) files=yes ;;
        --budget) files=yes ;;
        *) words=" --output --worst --budget --quiet --help" files=yes ;;
        esac ;;
    explain)
        case $previous in
        --run|-r) files=yes ;;
        --app|-a) files=yes ;;
        --worst|-w) files=yes ;;
        --job) files=yes ;;
        --what-if) files=yes ;;
        --workload) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --run --app --worst --job --what-if --workload --format --quiet --help" files=yes ;;
        esac ;;
    check)
        case $previous in
        --set|-s) files=yes ;;
        --policy|-p) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --set --policy --format --quiet --help" files=yes ;;
        esac ;;
    list)
        case $previous in
        --format|-f) words="text json csv markdown" ;;
        *) words="policies gpus predictors traces workloads --format --quiet --help" files= ;;
        esac ;;
    show)
        case $previous in
        --format|-f) words="text json csv markdown" ;;
        *) words="policy gpu --format --quiet --help" files= ;;
        esac ;;
    calibrate)
        case $previous in
        --output|-o) files=yes ;;
        --gpu|-g) files=yes ;;
        *) words=" --output --gpu --quiet --help" files=yes ;;
        esac ;;
    validate)
        case $previous in
        --model|-m) files=yes ;;
        --holdout) files=yes ;;
        --seed) files=yes ;;
        --format|-f) words="text json markdown" ;;
        *) words=" --model --holdout --seed --format --quiet --help" files=yes ;;
        esac ;;
    dram)
        case $previous in
        --preset|-p) files=yes ;;
        --locality|-l) files=yes ;;
        --apps|-a) files=yes ;;
        --reads|-r) files=yes ;;
        --streams) files=yes ;;
        --cap) files=yes ;;
        --queue) files=yes ;;
        --requests|-n) files=yes ;;
        --seed|-s) files=yes ;;
        --set) files=yes ;;
        --format|-f) words="text json" ;;
        --output|-o) files=yes ;;
        *) words=" --preset --locality --apps --reads --streams --cap --queue --requests --seed --no-refresh --set --format --timing --output --quiet --help" files=yes ;;
        esac ;;
    predict)
        case $previous in
        --workload|-w) files=yes ;;
        --policy|-p) files=yes ;;
        --gpu|-g) files=yes ;;
        --set) files=yes ;;
        --app|-a) files=yes ;;
        --splits) files=yes ;;
        --seed|-s) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        *) words=" --workload --policy --gpu --set --shares --app --splits --seed --format --quiet --help" files=yes ;;
        esac ;;
    paper)
        case $previous in
        --item|-i) files=yes ;;
        --suite) files=yes ;;
        --draws) files=yes ;;
        --jobs|-j) files=yes ;;
        --seed) files=yes ;;
        --cluster-s) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        --load) files=yes ;;
        --target) files=yes ;;
        --plot) files=yes ;;
        *) words="baymax hsm cqos laius --item --suite --draws --jobs --seed --cluster-s --format --list --load --target --plot --no-blame --quiet --help" files= ;;
        esac ;;
    train)
        case $previous in
        --output|-o) files=yes ;;
        --gpu|-g) files=yes ;;
        --set) files=yes ;;
        --fidelity) words="fluid block" ;;
        --colocations|-n) files=yes ;;
        --rounds) files=yes ;;
        --seed|-s) files=yes ;;
        *) words=" --output --gpu --set --fidelity --colocations --rounds --seed --quiet --help" files= ;;
        esac ;;
    exercise)
        case $previous in
        --seed) files=yes ;;
        --answer|-a) files=yes ;;
        --format|-f) words="text json csv markdown" ;;
        --output|-o) files=yes ;;
        --plot) files=yes ;;
        *) words="[N NAME] --seed --hint --solution --answer --format --output --plot --quiet --help" files= ;;
        esac ;;
    esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [ -n "$files" ]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _cotenant cotenant
