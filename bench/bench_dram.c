/* Requests per second and channel that one core simulates, per row hit rate and mix, for every
 * timing set. Prints a table; see README.md. */
#include "models/device/dram_bank.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 3, REQUESTS = 1000000 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Millions per second, the best of several runs. */
static double measure(const struct dram_preset *preset, double locality, double reads) {
    double best = 0;
    struct dram_bank_app app = {locality, 1.0};
    struct dram_bank_params params = {.preset = preset,
                                      .apps = &app,
                                      .app_count = 1,
                                      .reads = reads,
                                      .streams = preset->streams,
                                      .queue = DRAM_QUEUE,
                                      .requests = REQUESTS,
                                      .seed = 1,
                                      .refresh = true};
    for (int i = 0; i < RUNS; i++) {
        struct dram_bank_result result;
        struct ct_diags diags = {0};
        double begin = seconds_now();
        if (dram_bank_run(&params, &result, &diags) != CT_OK)
            exit(EXIT_FAILURE);
        double rate = (double)result.requests / (seconds_now() - begin) / 1e6;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void) {
    static const double localities[] = {0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
    printf("million requests per second of one core, at this row hit rate:\n| preset | reads |");
    for (size_t i = 0; i < CT_COUNT_OF(localities); i++)
        printf(" %.1f |", localities[i]);
    printf("\n|---|---|---|---|---|---|---|---|\n");
    for (const struct dram_preset *preset = dram_presets; preset->name; preset++)
        for (int writes = 0; writes < 2; writes++) {
            double reads = writes ? 0.7 : 1.0;
            printf("| %s | %.1f |", preset->name, reads);
            for (size_t i = 0; i < CT_COUNT_OF(localities); i++)
                printf(" %.2f |", measure(preset, localities[i], reads));
            printf("\n");
        }
    return 0;
}
