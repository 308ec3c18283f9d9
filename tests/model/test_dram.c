/* The row-buffer line, curves, mixes and the closed form, against HSM's numbers and a table of
 * three simulators. */
#include "base/ct_types.h"
#include "closed_form.h"
#include "cmocka_complete.h"
#include "models/device/dram.h"

#define NEAR 1e-12

/* HSM Table 1 and its line. */
static const struct gpu hsm = {.dram_gb_s = 900, .dram_line_slope = 0.5, .dram_line_base = 0.36};

static void near_to(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g, want %.15g within %g", value, wanted, tolerance);
}

/* The paper's two quoted points, and the range of its Figure 3: 320 and 690 GB/s invert to 0 and
 * 0.81. */
TEST(line_meets_hsm) {
    struct dram dram = dram_line(&hsm);
    near_to(dram_utilisation(&dram, 0.2), 0.46, NEAR);
    near_to(dram_utilisation(&dram, 1.0), 0.86, NEAR);
    near_to(dram_effective_bytes_per_s(&dram, 0.2), 414e9, 1.0);
    near_to(dram_row_hit_rate(&dram, 320.0 / 900.0), 0.0, NEAR);
    near_to(dram_row_hit_rate(&dram, 690.0 / 900.0), 0.8133, 0.0001);
    near_to(dram_row_hit_rate(&dram, 0.95), 1.0, NEAR);
    near_to(dram_utilisation(&dram, 7.0), 0.86, NEAR); /* a rate is at most 1 */
}

TEST(line_inverts) {
    struct dram dram = dram_line(&hsm);
    for (int i = 0; i <= 100; i++)
        near_to(dram_row_hit_rate(&dram, dram_utilisation(&dram, i / 100.0)), i / 100.0, 1e-9);
    dram.line_slope = 0.0;
    near_to(dram_row_hit_rate(&dram, 0.2), 0.0, NEAR);
    near_to(dram_row_hit_rate(&dram, 0.5), 1.0, NEAR);
}

static struct dram with_curve(const struct dram_point *points, size_t count) {
    struct dram dram = dram_line(&hsm);
    dram.points = points;
    dram.point_count = count;
    return dram;
}

TEST(curve_is_straight_between_points) {
    static const struct dram_point points[] = {{0.1, 0.4}, {0.5, 0.6}, {0.7, 0.9}, {1.0, 0.9}};
    struct dram dram = with_curve(points, CT_COUNT_OF(points));
    near_to(dram_utilisation(&dram, 0.0), 0.4, NEAR); /* flat outside */
    near_to(dram_utilisation(&dram, 0.1), 0.4, NEAR);
    near_to(dram_utilisation(&dram, 0.3), 0.5, NEAR);
    near_to(dram_utilisation(&dram, 0.6), 0.75, NEAR);
    near_to(dram_utilisation(&dram, 0.85), 0.9, NEAR);
    near_to(dram_row_hit_rate(&dram, 0.75), 0.6, NEAR);
    near_to(dram_row_hit_rate(&dram, 0.9), 0.7, NEAR); /* the lowest that attains it */
    near_to(dram_row_hit_rate(&dram, 0.95), 1.0, NEAR);
    near_to(dram_row_hit_rate(&dram, 0.3), 0.0, NEAR);
}

static double capacity_of(const struct dram *dram, const struct dram_demand *demands,
                          size_t count) {
    struct dram_mix mix = {0};
    for (size_t i = 0; i < count; i++) {
        struct dram_explained explained = dram_explain(dram, &demands[i]);
        dram_mix_add(&mix, &explained, demands[i].bytes_per_s);
    }
    return dram_mix_capacity_bytes_per_s(dram, &mix);
}

/* (300 * 0.9 + 100 * 0.1) / 400 = 0.7, neither drawing more alone than the line. */
TEST(mix_is_weighted_by_requests) {
    const struct dram_demand demands[] = {{300e9, 0.9}, {100e9, 0.1}};
    struct dram dram = dram_line(&hsm);
    near_to(capacity_of(&dram, demands, 2), 900e9 * (0.5 * 0.7 + 0.36), 1.0);
}

/* A kernel that drew 90 % or 70 % of the peak alone, beside an assumed hit rate of 0.5 (61 %). */
TEST(alone_draws_what_was_recorded) {
    struct dram dram = dram_line(&hsm);
    const struct dram_demand above_line = {0.9 * 900e9, 0.5}, above_rate = {0.7 * 900e9, 0.5};
    near_to(capacity_of(&dram, &above_line, 1), 0.9 * 900e9, 1.0);
    near_to(capacity_of(&dram, &above_rate, 1), 0.7 * 900e9, 1.0);
    const struct dram_demand twice[] = {above_line, above_line};
    near_to(capacity_of(&dram, twice, 2), 0.9 * 900e9, 1.0);
    /* On the line a mix is the mean of what its members explain: (0.9 * 0.9 + 0.7 * 0.7) / 1.6 =
     * 0.8125. */
    const struct dram_demand both[] = {above_line, above_rate};
    near_to(capacity_of(&dram, both, 2), 0.8125 * 900e9, 1.0);
}

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Between the least and the most of what its members could draw alone; a member of no traffic
 * changes nothing. */
TEST(mix_lies_between_its_members) {
    uint64_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        struct dram dram = dram_line(&hsm);
        struct dram_demand demands[5];
        double least = 1.0, most = 0.0;
        for (int i = 0; i < 4; i++) {
            demands[i] = (struct dram_demand){uniform(&seed) * 900e9, uniform(&seed)};
            double line = 0.5 * demands[i].row_hit_rate + 0.36;
            double own = fmax(line, demands[i].bytes_per_s / 900e9);
            least = fmin(least, own);
            most = fmax(most, own);
        }
        double capacity = capacity_of(&dram, demands, 4) / 900e9;
        assert_true(capacity >= least - NEAR && capacity <= most + NEAR);
        demands[4] = (struct dram_demand){0.0, uniform(&seed)};
        near_to(capacity_of(&dram, demands, 5) / 900e9, capacity, NEAR);
    }
}

/* Three independent simulators, reads only, one channel of HSM Table 1 saturated: lowest and
 * highest. */
TEST(closed_form_meets_simulators) {
    static const struct {
        double row_hit_rate, low, high, tolerance;
    } measured[] = {
        {0.0, 0.368, 0.368, 0.005}, {0.2, 0.457, 0.462, 0.012}, {0.4, 0.608, 0.618, 0.012},
        {0.5, 0.726, 0.743, 0.012}, {0.6, 0.862, 0.904, 0.04},  {0.8, 0.915, 0.920, 0.02},
        {1.0, 0.922, 0.922, 0.02},
    };
    struct closed_form timing = closed_form_hsm;
    for (size_t i = 0; i < CT_COUNT_OF(measured); i++) {
        double util = closed_form_use(&timing, measured[i].row_hit_rate);
        assert_true(util >= measured[i].low * (1.0 - measured[i].tolerance));
        assert_true(util <= measured[i].high * (1.0 + measured[i].tolerance));
    }
    timing.refresh_cycles = timing.refresh_drain = 0.0;
    near_to(closed_form_use(&timing, 0.0), 0.4, 1e-9); /* 4 * 2 / 20 */
    near_to(closed_form_use(&timing, 1.0), 1.0, NEAR);
}
