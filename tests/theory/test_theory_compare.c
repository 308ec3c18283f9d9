/*
 * How often the intervals of a comparison hold the truth, all of a table at once. Policies are
 * M/M/1 queues, first come first served, with the same arrivals and the same draws of service, of
 * other speeds: the sojourn time is exponential with rate mu - lambda (Kleinrock, Queueing Systems
 * I, section 5.12), so the true differences of the means, of the late shares and of the p99s are
 * known.
 *
 * COTENANT_COVERAGE_SEEDS=4000 makes the study of docs/statistics.md, in two minutes; without it a
 * few hundred seeds.
 */
#include "des/des_batch.h"
#include "des/des_statistics.h"
#include "des/des_stream.h"
#include "results/compare_stats.h"
#include "theory_case.h"

#include <stdlib.h>
#include <string.h>

enum { POLICIES = 3, MOST_REPS = 20, WARMUP = 1000 };

static const double lambda = 0.8, speeds[POLICIES] = {1, 1.04, 1.25};

struct world {
    struct report reports[POLICIES * MOST_REPS];
    struct report_app apps[POLICIES * MOST_REPS];
    double target;
    int jobs;
    double *kept[POLICIES]; /* sojourn times, one replication after the other; NULL: not kept */
};

static double true_mean(size_t policy) {
    return 1 / (speeds[policy] - lambda);
}

static double true_late(size_t policy, double target) {
    return exp(-(speeds[policy] - lambda) * target);
}

/* Lindley's recursion: sojourn = max(sojourn before - gap, 0) + service. */
static void simulate(struct world *world, size_t reps, size_t r, uint64_t seed) {
    double sojourn[POLICIES] = {0}, sum[POLICIES] = {0}, late[POLICIES] = {0};
    struct des_stream gaps, services;
    des_stream_init(&gaps, seed, r, "arrival", "queue");
    des_stream_init(&services, seed, r, "duration", "queue");
    for (int job = 0; job < WARMUP + world->jobs; job++) {
        double gap = -log(1 - des_stream_uniform(&gaps)) / lambda,
               work = -log(1 - des_stream_uniform(&services));
        for (size_t p = 0; p < POLICIES; p++) {
            sojourn[p] = fmax(sojourn[p] - gap, 0) + work / speeds[p];
            sum[p] += job >= WARMUP ? sojourn[p] / world->jobs : 0;
            if (world->kept[p] && job >= WARMUP)
                world->kept[p][r * (size_t)world->jobs + (size_t)(job - WARMUP)] = sojourn[p];
            late[p] += job >= WARMUP && sojourn[p] > world->target ? 1.0 / world->jobs : 0;
        }
    }
    static const char *const names[POLICIES] = {"a", "b", "c"};
    for (size_t p = 0; p < POLICIES; p++) {
        struct report *report = &world->reports[p * reps + r];
        struct report_app *app = &world->apps[p * reps + r];
        *report = report_unknown();
        *app = report_app_unknown();
        app->name = "queue";
        app->latency_ms.mean = sum[p];
        app->late_fraction = late[p];
        report->policy = names[p];
        report->apps = app;
        report->app_count = 1;
    }
}

struct held {
    int means, shares, at_once, tables, rows, wrong;
};

static void look_at(const struct world *world, const struct report_difference *rows, size_t count,
                    struct held *held) {
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        size_t policy = (size_t)(rows[i].policy_b[0] - 'a');
        bool share = strcmp(rows[i].measure, "late_fraction") == 0;
        double truth = share ? true_late(policy, world->target) - true_late(0, world->target)
                             : true_mean(policy) - true_mean(0);
        bool holds = rows[i].simultaneous_low <= truth && truth <= rows[i].simultaneous_high;
        assert_true(!share || (rows[i].simultaneous_low >= -1 && rows[i].simultaneous_high <= 1));
        *(share ? &held->shares : &held->means) +=
            rows[i].ci95_low <= truth && truth <= rows[i].ci95_high;
        held->wrong += rows[i].verdict == REPORT_WORSE; /* all others are faster */
        assert_int_equal(rows[i].verdict != REPORT_NOT_SEPARABLE,
                         rows[i].simultaneous_low > 0 || rows[i].simultaneous_high < 0);
        all = all && holds;
        held->rows++;
    }
    held->at_once += all;
    held->tables++;
}

static void expect(const char *what, int part, int whole, double least, double most) {
    double held = (double)part / whole, chance = 4 * sqrt(0.95 * 0.05 / whole);
    print_message("  %s %.1f %%\n", what, 100 * held);
    assert_true(held >= least - chance && held <= most + chance);
}

static void cover(size_t reps, int jobs, double target) {
    const char *text = getenv("COTENANT_COVERAGE_SEEDS");
    const uint64_t seeds = text ? strtoull(text, NULL, 10) : THEORY_INTERVALS ? 300 : 20;
    static struct world world;
    struct held held = {0};
    world.target = target;
    world.jobs = jobs;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const struct compare_choice choice = {0, false};
        const struct report_difference *rows;
        CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        size_t count;
        for (size_t r = 0; r < reps; r++)
            simulate(&world, reps, r, seed);
        assert_int_equal(
            compare_policies(&(struct compare_runs){NULL, world.reports, POLICIES, reps}, &choice,
                             &arena, &rows, &count, &diags),
            CT_OK);
        assert_int_equal(count, 4);
        look_at(&world, rows, count, &held);
    }
    print_message("%zu replications of %d jobs, late after %g: %d tables\n", reps, jobs, target,
                  held.tables);
    expect("one mean's interval by itself", held.means, held.rows / 2, 0.91, 0.97);
    expect("one share's interval by itself", held.shares, held.rows / 2, 0.93, 0.97);
    expect("one interval by itself", held.means + held.shares, held.rows, 0.93, 0.97);
    expect("all four at once", held.at_once, held.tables, 0.93, 0.97);
    expect("no wrong verdict", held.tables * 4 - held.wrong, held.rows, 0.95, 1);
}

TEST(five_replications) {
    cover(5, 2000, 5);
    cover(5, 2000, 15); /* 5 % are late */
    cover(5, 10000, 5);
    cover(5, 10000, 15);
}

TEST(twenty_replications) {
    cover(20, 2000, 5);
    cover(20, 2000, 15);
}

/* ---- p99s ---- */

/* The p99 of each replication and of all jobs, and how far chance moves the latter. */
static void set_p99s(struct world *world, size_t reps, struct report *pooled,
                     struct report_app *apps) {
    size_t each = (size_t)world->jobs, lengths[MOST_REPS];
    for (size_t r = 0; r < reps; r++)
        lengths[r] = each;
    for (size_t p = 0; p < POLICIES; p++) {
        struct des_batch_interval interval;
        const struct des_batch_series series = {world->kept[p], lengths, reps};
        assert_true(des_batch_quantile(&series, 0.99, 0.95, &interval));
        pooled[p] = world->reports[p * reps];
        pooled[p].apps = &apps[p];
        apps[p] = world->apps[p * reps];
        apps[p].latency_ms.p99 = interval.estimate;
        apps[p].latency_ms.p99_error =
            (struct report_error){interval.error, (int64_t)interval.batches};
        for (size_t r = 0; r < reps; r++)
            world->apps[p * reps + r].latency_ms.p99 =
                des_quantile_select(world->kept[p] + r * each, each, 0.99);
    }
}

/* How many of the two intervals of p99s hold the truth; `known` counts them. */
static int holding(const struct report_difference *rows, size_t count, int *known) {
    int held = 0;
    for (size_t i = 0; i < count; i++) {
        size_t policy = (size_t)(rows[i].policy_b[0] - 'a');
        double truth = log(100) * (true_mean(policy) - true_mean(0));
        if (strcmp(rows[i].measure, "p99_ms") != 0 || isnan(rows[i].ci95_low))
            continue;
        ++*known;
        held += rows[i].ci95_low <= truth && truth <= rows[i].ci95_high;
    }
    return held;
}

static void cover_p99s(size_t reps, int jobs) {
    const char *text = getenv("COTENANT_COVERAGE_SEEDS");
    const uint64_t some = THEORY_INTERVALS ? 30 : 6;
    const uint64_t seeds = text ? strtoull(text, NULL, 10) : theory_all() ? 100 : some;
    static struct world world;
    int known = 0, held = 0;
    world.target = 5;
    world.jobs = jobs;
    for (size_t p = 0; p < POLICIES; p++)
        assert_non_null(world.kept[p] = calloc(reps * (size_t)jobs, sizeof(double)));
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const struct compare_choice choice = {0, false};
        const struct report_difference *rows;
        struct report pooled[POLICIES];
        struct report_app apps[POLICIES];
        CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        size_t count;
        for (size_t r = 0; r < reps; r++)
            simulate(&world, reps, r, seed);
        set_p99s(&world, reps, pooled, apps);
        assert_int_equal(
            compare_policies(&(struct compare_runs){pooled, world.reports, POLICIES, reps}, &choice,
                             &arena, &rows, &count, &diags),
            CT_OK);
        held += holding(rows, count, &known);
    }
    for (size_t p = 0; p < POLICIES; p++) {
        free(world.kept[p]);
        world.kept[p] = NULL;
    }
    print_message("%zu replications of %d jobs: %d of %d intervals of p99s\n", reps, jobs, known,
                  (int)(2 * seeds));
    assert_true(known > 0);
    expect("one p99's interval by itself", held, known, 0.93, 1);
}

/* Also of replications that are too short by themselves. */
TEST(p99s) {
    cover_p99s(5, 100000);
    cover_p99s(20, 25000);
}
