/*
 * How often the intervals of reports hold the truth, and how often overload is found or cried
 * without cause. The sojourn time of M/M/1, first come first served, is exponential with rate mu -
 * lambda (Kleinrock, Queueing Systems I, section 5.12): its mean is 1 / (mu - lambda), its p99
 * ln(100) / (mu - lambda). Here mu is 1 per ms.
 *
 * COTENANT_COVERAGE_SEEDS=1000 makes the study of docs/statistics.md, with COTENANT_COVERAGE_LOAD
 * for one load of it; without them a few seeds of each, with COTENANT_THEORY=all some more.
 * COTENANT_COVERAGE_BY=recursion takes the sojourn times from Lindley's recursion over the
 * simulator's own draws, which a test below finds to be the simulator's, in a twentieth of the
 * time.
 */
#include "des/des_batch.h"
#include "des/des_stream.h"
#include "experiment/report_builder.h"
#include "theory_case.h"

#include <stdlib.h>

enum { REPLICATIONS = 5, WARMUP_S = 5 };

/* Jobs of the one run, and of each of five replications. */
static const struct {
    const char *load;
    double one_run, replication;
    int seeds, seeds_all; /* without the study */
} studies[] = {{"0.5", 4e4, 6e3, 40, 100}, {"0.8", 3e5, 5e4, 6, 12}, {"0.9", 1.5e6, 2.5e5, 2, 2}};

static int seeds_of(size_t study) {
    const char *text = getenv("COTENANT_COVERAGE_SEEDS"), *load = getenv("COTENANT_COVERAGE_LOAD");
    if (load && strcmp(load, studies[study].load) != 0)
        return 0;
    if (text)
        return (int)strtol(text, NULL, 10);
    if (!THEORY_INTERVALS)
        return study == 0; /* the shortest of them */
    return theory_all() ? studies[study].seeds_all : studies[study].seeds;
}

/* Student's intervals of the mean and the p99, in ms. */
struct intervals {
    double mean_low, mean_high, p99_low, p99_high; /* NAN: not shown */
};

struct count {
    const char *what;
    int shown, held;
};

static void add(struct count *count, double low, double high, double truth) {
    count->shown += !isnan(low);
    count->held += low <= truth && truth <= high;
}

/* 93 to 97 % of a thousand; fewer seeds have chance besides, four deviations of it. */
static void expect_coverage(const struct count *count, const char *load, int seeds) {
    double n = count->shown, held = count->held / n;
    double chance = seeds < 1000 ? 4 * sqrt(0.95 * 0.05 / n) : 0;
    print_message("load %s, %-20s shown %5.1f %%, held %5.1f %%\n", load, count->what,
                  100 * n / seeds, 100 * held);
    if (!THEORY_INTERVALS)
        return;
    assert_true(count->shown >= seeds / 2);
    if (!(held >= 0.93 - chance && held <= 0.97 + chance))
        fail_msg("load %s, %s: %d of %d intervals hold the truth", load, count->what, count->held,
                 count->shown);
}

/* End of a window for so many jobs on average, in s. */
static double end_of(const char *load, double jobs) {
    return WARMUP_S + jobs / 1000 / strtod(load, NULL);
}

static struct theory_case *open_queue(const char *load, double jobs) {
    char rate[64], duration[64], warmup[64];
    const char *const assignments[] = {rate, duration, warmup, NULL};
    snprintf(rate, sizeof rate, "apps.queue.arrivals.rate_per_s=%.0f", 1000 * strtod(load, NULL));
    snprintf(duration, sizeof duration, "duration_s=%.6f", end_of(load, jobs));
    snprintf(warmup, sizeof warmup, "warmup_s=%d", WARMUP_S);
    return theory_open("mm1_one", assignments);
}

/* Draws become whole nanoseconds. */
static double whole_ns(double ms) {
    return nearbyint(ms * 1e6) / 1e6;
}

/* The duration of a job, of mean 1 ms, in ms; each job has a stream of its own. */
static double next_duration_ms(struct des_stream *durations) {
    struct des_stream own;
    for (size_t i = 0; i < CT_COUNT_OF(own.state); i++)
        own.state[i] = des_stream_u64(durations);
    return whole_ns(des_stream_exponential(&own));
}

struct sojourns {
    CT_VEC(double); /* ms */
};

/*
 * Lindley's recursion (Proc. Cambridge Phil. Soc. 48, 1952) over the draws that belong to the
 * application of mm1_one: adds the sojourn times of those that arrive inside the window, in order.
 */
static void add_sojourns(struct sojourns *all, const char *load, double jobs, uint64_t seed,
                         uint64_t replication) {
    double end_ms = 1e3 * end_of(load, jobs), arrival = 0, departure = 0;
    struct des_stream gaps, durations;
    des_stream_init(&gaps, seed, replication, "arrivals", "queue");
    des_stream_init(&durations, seed, replication, "duration", "queue");
    for (;;) {
        arrival += whole_ns(des_stream_exponential(&gaps) / strtod(load, NULL));
        if (arrival >= end_ms)
            return;
        departure = fmax(arrival, departure) + next_duration_ms(&durations);
        if (arrival >= 1e3 * WARMUP_S) /* the simulator waits for those in the queue at the end */
            assert_true(ct_vec_push(all, departure - arrival));
    }
}

static struct intervals recursion_of(const char *load, double jobs, uint32_t replications,
                                     uint64_t seed) {
    struct sojourns all = {0};
    size_t lengths[REPLICATIONS];
    for (uint32_t r = 0; r < replications; r++) {
        size_t before = all.count;
        add_sojourns(&all, load, jobs, seed, r);
        lengths[r] = all.count - before;
    }
    const struct des_batch_series series = {all.items, lengths, replications};
    struct des_batch_interval mean, p99;
    assert_true(des_batch_mean(&series, 0.95, &mean));
    assert_true(des_batch_quantile(&series, 0.99, 0.95, &p99));
    ct_vec_free(&all);
    return (struct intervals){mean.low, mean.high, p99.low, p99.high};
}

/* The report of these replications; there is nobody to share with, so each is its own private run.
 */
static struct report_latency latency_of(struct theory_case *theory, uint32_t replications,
                                        uint64_t seed) {
    struct sim_result results[REPLICATIONS];
    struct report_runs runs[REPLICATIONS];
    struct report_alone alone[REPLICATIONS];
    struct ct_arena arena = {0};
    struct report report;
    theory->workload.seed = (int64_t)seed;
    for (uint32_t r = 0; r < replications; r++) {
        theory_run(theory, r, NULL, &results[r]);
        alone[r] = (struct report_alone){&results[r], 1};
        runs[r] = (struct report_runs){
            .warmup_s = WARMUP_S, .settled = true, .shared = &results[r], .alone = &alone[r]};
    }
    struct report_input input = {.setup = &theory->setup,
                                 .policy = theory->policy,
                                 .label = "fifo",
                                 .version = "test",
                                 .runs = runs,
                                 .run_count = replications};
    assert_int_equal(report_build(&input, &arena, &report, &theory->diags), CT_OK);
    struct report_latency latency = report.apps[0].latency_ms;
    assert_int_equal(report.apps[0].overloaded, REPORT_NO);
    for (uint32_t r = 0; r < replications; r++)
        sim_result_free(&results[r]);
    ct_arena_free(&arena);
    return latency;
}

static struct intervals engine_of(struct theory_case *theory, uint32_t replications,
                                  uint64_t seed) {
    struct report_latency latency = latency_of(theory, replications, seed);
    return (struct intervals){latency.mean_low, latency.mean_high, latency.p99_low,
                              latency.p99_high};
}

/* Job by job, to the nanosecond. */
TEST(the_recursion_is_the_simulator) {
    const double jobs = 20000;
    FREED_BY(theory_close) struct theory_case *theory = open_queue("0.9", jobs);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sim_result result;
        struct sojourns expected = {0};
        add_sojourns(&expected, "0.9", jobs, seed, seed);
        theory->workload.seed = (int64_t)seed;
        theory_run(theory, seed, NULL, &result);
        assert_int_equal(result.apps[0].latency_ps.count, expected.count);
        for (size_t i = 0; i < expected.count; i++)
            assert_true(fabs(result.apps[0].latency_ps.items[i] / (double)CT_PS_PER_MS -
                             expected.items[i]) < 1e-6);
        sim_result_free(&result);
        ct_vec_free(&expected);
    }
}

/* A study of half an hour says now and then how far it is. */
static void show_so_far(const struct count *count, const char *load, int seed, int seeds) {
    if (seed % 20 == 0 && seed < seeds && THEORY_INTERVALS) {
        print_message("load %s, %s, after %d seeds: %d of %d\n", load, count->what, seed,
                      count->held, count->shown);
        fflush(stdout);
    }
}

static void count_coverage(size_t study, double jobs, uint32_t replications, struct count *mean,
                           struct count *p99) {
    const char *load = studies[study].load;
    double rate = 1 - strtod(load, NULL); /* mu - lambda, per ms */
    int seeds = seeds_of(study);
    const char *by = getenv("COTENANT_COVERAGE_BY");
    bool recursion = by && strcmp(by, "recursion") == 0;
    struct theory_case *theory = open_queue(load, jobs);
    for (int seed = 1; seed <= seeds; seed++) {
        struct intervals i = recursion ? recursion_of(load, jobs, replications, (uint64_t)seed)
                                       : engine_of(theory, replications, (uint64_t)seed);
        add(mean, i.mean_low, i.mean_high, 1 / rate);
        add(p99, i.p99_low, i.p99_high, log(100) / rate);
        show_so_far(mean, load, seed, seeds);
        show_so_far(p99, load, seed, seeds);
    }
    theory_close(theory);
    if (seeds) {
        expect_coverage(mean, load, seeds);
        expect_coverage(p99, load, seeds);
    }
}

TEST(within_a_run) {
    for (size_t i = 0; i < CT_COUNT_OF(studies); i++) {
        struct count mean = {"one run: mean", 0, 0}, p99 = {"one run: p99", 0, 0};
        count_coverage(i, studies[i].one_run, 1, &mean, &p99);
    }
}

TEST(across_replications) {
    for (size_t i = 0; i < CT_COUNT_OF(studies); i++) {
        struct count mean = {"replications: mean", 0, 0}, p99 = {"replications: p99", 0, 0};
        count_coverage(i, studies[i].replication, REPLICATIONS, &mean, &p99);
    }
}

/* A run of 2,000 jobs at load 0.9 has two or three clusters of slow jobs at most: no interval. */
TEST(too_short_says_so) {
    FREED_BY(theory_close) struct theory_case *theory = open_queue("0.9", 2000);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct report_latency latency = latency_of(theory, 1, seed);
        assert_true(isnan(latency.p99_low) && isnan(latency.p99_high) && !isnan(latency.p99));
    }
}

/* Part of the runs that are called overloaded. */
static double overloaded(const char *load, double jobs, int runs) {
    struct theory_case *theory = open_queue(load, jobs);
    int found = 0;
    for (int r = 0; r < runs; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        found += result.apps[0].overloaded;
    }
    theory_close(theory);
    print_message("load %s, %6.0f jobs: overloaded in %5.1f %% of %d runs\n", load, jobs,
                  100.0 * found / runs, runs);
    return (double)found / runs;
}

/* The study's table has more lines than the tests need. */
static void overload_table(void) {
    static const char *const loads[] = {"0.8", "0.9", "0.95", "1.05", "1.1", "1.2", "1.5"};
    static const double jobs[] = {100, 300, 1000, 3000, 10000, 30000};
    const char *seeds = getenv("COTENANT_COVERAGE_SEEDS");
    for (size_t i = 0; seeds && i < CT_COUNT_OF(loads); i++)
        for (size_t j = 0; j < CT_COUNT_OF(jobs); j++)
            overloaded(loads[i], jobs[j], (int)strtol(seeds, NULL, 10));
}

TEST(overload_is_told_from_load) {
    if (!getenv("COTENANT_COVERAGE_LOAD"))
        overload_table();
    int runs = THEORY_INTERVALS ? 200 : 2;
    double calm = overloaded("0.8", 1000, runs), busy = overloaded("0.9", 1000, runs);
    double slight = overloaded("1.05", 30000, runs / 4 + 1), clear = overloaded("1.2", 3000, runs);
    if (!THEORY_INTERVALS)
        return;
    assert_true(calm <= 0.01 && busy <= 0.02);
    assert_true(slight >= 0.95 && clear >= 0.98);
}
