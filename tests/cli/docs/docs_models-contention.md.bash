#!/usr/bin/env bash
# Ten measured applications, and co-locations of each two of them, by a law of the page's form.
awk 'BEGIN {
    print "app,quota_pct,latency_ms,l2_util_pct,dram_util_pct,launches" >"SOLO.csv"
    print "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms" >"PAIRS.csv"
    for (i = 0; i < 10; i++) {
        ms[i] = 2 + i * 7 % 5; dram[i] = 5 + i * 13 % 41; l2[i] = 3 + i * 17 % 29
        printf "net%d,50,%d,%d,%d,%d\n", i, ms[i], l2[i], dram[i], 20 + i * 37 % 101 >"SOLO.csv"
    }
    for (i = 0; i < 10; i++)
        for (j = i; j < 10; j++)
            printf "net%d,50,net%d,50,%.6f,%.6f\n", i, j, ms[i] * (1.05 + (dram[j] + l2[j]) / 2000),
                ms[j] * (1.05 + (dram[i] + l2[i]) / 2000) >"PAIRS.csv"
}'
