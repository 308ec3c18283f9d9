# kernel NAME BLOCKS THREADS SMEM MS: a recording of one kernel, NAME.db.
kernel() {
    printf '%s\n' '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"' \
        'ms,ms,,,,,,,,B,B,B,GB/s,,,,,,' \
        "0,$5,$2,1,1,$3,1,1,16,0,$4,,,,,\"NVIDIA H100 80GB HBM3 (0)\",\"1\",\"7\",\"$1(float*)\"" >"$1.csv"
    "$COTENANT" import nvprof "$1.csv" --app "$1" --source "made by a test" -o "$1.db"
}
