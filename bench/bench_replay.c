/*
 * Kernel launches per second of one core through the whole simulator: sim_run under mps with closed
 * batch applications, with and without the account of lost time. Prints a table; see README.md.
 * bench_replay APPS SECONDS [blame] [block] measures one row once, for bench/growth: kernels,
 * events, seconds of processor time, and the peak of memory in MB.
 */
#include "policies/policies.h"
#include "run/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* What is measured: applications, thread blocks of their kernels (0: between 40 and 940), fidelity.
 */
struct bench {
    int apps, blocks, fidelity;
    double simulated_s;
};

enum { RUNS = 5, KERNELS_PER_JOB = 1000, APPS_MOST = 128 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Kernels of 10 us and more, between a part of a wave and several waves. */
static struct workload_app make_app(int index, int blocks, char *name) {
    struct workload_app app = {.name = name,
                               .role = CT_BATCH,
                               .instances = 1,
                               .workers = 1,
                               .iterations = 1,
                               .duration_scale = 1,
                               .size = {.mean = 1}};
    app.synthetic =
        (struct workload_synthetic){.kernels = KERNELS_PER_JOB,
                                    .blocks = blocks ? blocks : 40 + 60 * (index % 16),
                                    .threads = 256,
                                    .registers_per_thread = 32,
                                    .duration_ms = {.mean = 0.010 + 0.001 * (index % 16)},
                                    .dram_fraction = NAN,
                                    .unit_fraction = NAN,
                                    .row_hit_rate = NAN,
                                    .compute_fraction = NAN,
                                    .instructions = NAN};
    app.arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED, .clients = 1};
    return app;
}

struct cost {
    uint64_t kernels, events;
    double seconds;
};

static struct cost run_once(const struct setup *setup, bool blame) {
    double simulated_ps = setup->workload->duration_s * (double)CT_PS_PER_S;
    struct sim_params params = {.setup = setup,
                                .policy = &policy_mps,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = ct_time_round(simulated_ps),
                                .blame = blame,
                                .dump_at_ps = CT_TIME_NEVER};
    struct sim_result result;
    struct ct_diags diags = {0};
    double begin = seconds_now();
    if (sim_run(&params, &result, &diags) != CT_OK)
        exit(EXIT_FAILURE);
    struct cost cost = {result.kernels, result.events, seconds_now() - begin};
    sim_result_free(&result);
    ct_diags_free(&diags);
    return cost;
}

/* Kernels per second, the best of several runs. */
static double measure(const struct setup *setup, bool blame, uint64_t *kernels) {
    double best = 0;
    for (int i = 0; i < RUNS; i++) {
        struct cost cost = run_once(setup, blame);
        best = fmax(best, (double)cost.kernels / cost.seconds);
        *kernels = cost.kernels;
    }
    return best;
}

static void open_bench(const struct bench *bench, struct workload *workload, struct setup *setup) {
    static char names[APPS_MOST][16];
    struct ct_diags diags = {0};
    *workload = (struct workload){.name = "replay",
                                  .gpu = "h100",
                                  .duration_s = bench->simulated_s,
                                  .fidelity = bench->fidelity};
    for (int i = 0; i < bench->apps; i++) {
        snprintf(names[i], sizeof names[i], "app%d", i);
        if (!ct_vec_push(&workload->apps, make_app(i, bench->blocks, names[i])))
            exit(EXIT_FAILURE);
    }
    if (setup_make(workload, setup, &diags) != CT_OK) {
        fprintf(stderr, "bench_replay: %s\n", diags.count ? diags.items[0].text : "no set-up");
        exit(EXIT_FAILURE);
    }
}

static long peak_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static void measure_apps(const struct bench *bench) {
    struct workload workload;
    struct setup setup;
    open_bench(bench, &workload, &setup);
    uint64_t kernels;
    double with = measure(&setup, true, &kernels), without = measure(&setup, false, &kernels);
    printf("| %-5s | %4d | %6d | %8llu | %8.2f | %8.2f | %8ld |\n",
           workload_fidelities[bench->fidelity], bench->apps, bench->blocks,
           (unsigned long long)kernels, with / 1e6, without / 1e6, peak_mb());
    setup_free(&setup);
    ct_vec_free(&workload.apps);
}

/* One row for bench/growth. */
static int measure_point(int apps, double simulated_s, bool blame, int fidelity) {
    struct bench bench = {apps, 0, fidelity, simulated_s};
    struct workload workload;
    struct setup setup;
    if (apps < 1 || apps > APPS_MOST || !(simulated_s > 0))
        return EXIT_FAILURE;
    open_bench(&bench, &workload, &setup);
    struct cost cost = run_once(&setup, blame);
    printf("%llu,%llu,%.6f,%ld\n", (unsigned long long)cost.kernels,
           (unsigned long long)cost.events, cost.seconds, peak_mb());
    setup_free(&setup);
    ct_vec_free(&workload.apps);
    return EXIT_SUCCESS;
}

/* Whether one of the words behind the numbers is this one. */
static bool says(int argc, char **argv, const char *word) {
    bool found = false;
    for (int i = 3; i < argc; i++)
        found = found || strcmp(argv[i], word) == 0;
    return found;
}

int main(int argc, char **argv) {
    if (argc > 2)
        return measure_point((int)strtol(argv[1], NULL, 10), strtod(argv[2], NULL),
                             says(argc, argv, "blame"),
                             says(argc, argv, "block") ? DEVICE_BLOCK : DEVICE_FLUID);
    static const struct bench benches[] = {{1, 0, DEVICE_FLUID, 4},    {2, 0, DEVICE_FLUID, 4},
                                           {8, 0, DEVICE_FLUID, 4},    {32, 0, DEVICE_FLUID, 4},
                                           {128, 0, DEVICE_FLUID, 4},  {2, 1000, DEVICE_FLUID, 4},
                                           {1, 1000, DEVICE_BLOCK, 4}, {2, 1000, DEVICE_BLOCK, 1},
                                           {2, 0, DEVICE_BLOCK, 4},    {8, 0, DEVICE_BLOCK, 0.05}};
    printf("| model | apps | blocks | kernels  | M/s blame | M/s no blame | peak MB |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < CT_COUNT_OF(benches); i++)
        measure_apps(&benches[i]);
    return 0;
}
