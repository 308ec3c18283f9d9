/* From measures of mixes to a paper's number, on numbers made by hand; the mixes; the roofline. */
#include "apps/paper/paper_case.h"
#include "apps/paper/paper_measure.h"
#include "apps/paper/paper_memory.h"
#include "cmocka_complete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double values[] = {0.9, NAN, 0.6, 0.75};
static const double against[] = {0.6, 0.5, 0.8, 0.5};

static double reduce(enum paper_reduction reduction, double at_least, size_t wanted) {
    size_t used;
    double value = paper_reduce(reduction, values, against, 4, at_least, &used);
    assert_int_equal(used, wanted);
    return value;
}

static void near_to(double value, double wanted) {
    assert_true(fabs(value - wanted) < 1e-12);
}

TEST(reductions) {
    near_to(reduce(PAPER_MEAN, NAN, 3), 0.75);
    near_to(reduce(PAPER_LEAST, NAN, 3), 0.6);
    near_to(reduce(PAPER_MOST, NAN, 3), 0.9);
    near_to(reduce(PAPER_SHARE, 0.75, 3), 2.0 / 3);      /* at the bound counts */
    near_to(reduce(PAPER_SHARE_OVER, 0.75, 3), 1.0 / 3); /* at the bound does not */
    near_to(reduce(PAPER_GAIN, NAN, 3), (0.5 - 0.25 + 0.5) / 3);
    near_to(reduce(PAPER_GAIN_MOST, NAN, 3), 0.5);
    near_to(reduce(PAPER_SAVING, NAN, 3), (-0.5 + 0.25 - 0.5) / 3);
    near_to(reduce(PAPER_SAVING_MOST, NAN, 3), 0.25);
}

TEST(nothing_known) {
    size_t used;
    assert_true(isnan(paper_reduce(PAPER_MEAN, values + 1, NULL, 1, NAN, &used)));
    assert_int_equal(used, 0);
    assert_true(isnan(paper_spread_of(NULL, 0).median));
}

TEST(spreads) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 2, 8};
    struct paper_spread s = paper_spread_of(odd, 3);
    assert_true(s.median == 2 && s.low == 1 && s.high == 3);
    s = paper_spread_of(even, 4);
    assert_true(s.median == 3 && s.low == 1 && s.high == 8);
}

/* HSM section 5: 105 pairs of 10 memory-bound and 5 compute-bound applications. */
TEST(pairs_of_hsm) {
    CLOSED_BY(paper_free) struct paper paper;
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(paper_read("hsm", &paper, &diags), CT_OK);
    const struct paper_suite *suite = paper_suite_find(&paper, "table-2");
    assert_non_null(suite);
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct paper_mix *mixes;
    size_t count, memory = 0, compute = 0, both = 0;
    assert_int_equal(paper_mixes(suite, 1, &arena, &mixes, &count, &diags), CT_OK);
    assert_int_equal(count, 105);
    for (size_t i = 0; i < count; i++) {
        memory += strcmp(mixes[i].kinds, "MM") == 0;
        compute += strcmp(mixes[i].kinds, "CC") == 0;
        bool mixed = strcmp(mixes[i].kinds, "CM") == 0;
        both += mixed;
        assert_true(mixes[i].apps[0] != mixes[i].apps[1]);
        /* section 6.3: the memory-bound one has the high priority */
        assert_true(!mixed || suite->apps[mixes[i].apps[0]].kind[0] == 'M');
    }
    assert_int_equal(memory, 45);
    assert_int_equal(compute, 10);
    assert_int_equal(both, 50);
    assert_int_equal(
        paper_mixes(paper_suite_find(&paper, "four"), 1, &arena, &mixes, &count, &diags), CT_OK);
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < 4; a++)
            for (size_t b = 0; b < a; b++)
                assert_true(mixes[i].apps[a] != mixes[i].apps[b]);
}

/* 10 SMs at 1 GHz and 100 GB/s with c1 = 0, c2 = 0.5; 1e9 instructions at 1 warp instruction per
 * cycle take 3.125 ms, 20 accesses of 128 bytes per 1000 of them 51.2 ms; at 0.2 they take 0.512.
 */
TEST(roofline) {
    struct gpu gpu = {.sms = 10, .clock_mhz = 1000, .dram_gb_s = 100, .dram_line_base = 0.5};
    struct paper_roofline counts = {.instructions = 1e9, .mpki = 20, .ipc = 1, .kernels = 2};
    struct paper_roof roof = paper_roof_of(&counts, &gpu, 2, 0.3);
    near_to(roof.duration_ms, 25.6);
    near_to(roof.compute_fraction, 3.125 / 51.2);
    near_to(roof.dram_fraction, 0.5);
    counts.mpki = 0.2;
    roof = paper_roof_of(&counts, &gpu, 2, 0.3);
    near_to(roof.duration_ms, 3.125 / 2);
    near_to(roof.compute_fraction, 1);
    near_to(roof.unit_fraction, 0.5);
    near_to(roof.dram_fraction, 0.5 * 0.512 / 3.125);
    counts.ipc = 9; /* no more than the schedulers issue */
    assert_true(paper_roof_of(&counts, &gpu, 2, 0.3).duration_ms > 0.78);
}

/* 0.8 accesses of 128 bytes per 1000 instructions take 2.048 ms: an application that
 * fills the memory alone issues 3.125 / 2.048 of the 2 warp instructions then, where 1 was
 * recorded. 0.2 take 0.512 ms, in which it cannot issue so much. */
TEST(memory_that_is_filled) {
    struct gpu gpu = {.sms = 10, .clock_mhz = 1000, .dram_gb_s = 100, .dram_line_base = 0.5};
    struct paper_roofline counts = {
        .instructions = 1e9, .mpki = 0.8, .ipc = 1, .kernels = 2, .fills_memory = true};
    struct paper_roof roof = paper_roof_of(&counts, &gpu, 2, 0.3);
    near_to(roof.duration_ms, 1.024);
    near_to(roof.compute_fraction, 1);
    near_to(roof.dram_fraction, 0.5);
    near_to(roof.unit_fraction, 3.125 / 2.048 / 2);
    counts.mpki = 0.2;
    roof = paper_roof_of(&counts, &gpu, 2, 0.3);
    near_to(roof.duration_ms, 3.125 / 2 / 2);
    near_to(roof.compute_fraction, 1);
    near_to(roof.dram_fraction, 0.5 * 0.512 / 1.5625);
    counts.mpki = 20; /* more than the recorded rate asks for */
    near_to(paper_roof_of(&counts, &gpu, 2, 0.3).compute_fraction, 3.125 / 51.2);
}

static const char *assigned(const struct paper_case *one, struct ct_arena *arena, const char *key) {
    static const char *list[PAPER_ASSIGNMENTS_MOST];
    size_t count = paper_assignments(one, list, arena);
    assert_true(count <= PAPER_ASSIGNMENTS_MOST);
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i], key, strlen(key)) == 0)
            return list[i] + strlen(key);
    return NULL;
}

/*
 * HSM's line is of those outside the mix that fill the memory alone. 100 GB/s by 0.5 RBH + 0.3:
 * b at 0.2 draws 0.4, d at 0.8 draws 0.7: c1 = 0.3 / 0.6, c2 = 0.3. c, which is bound by compute
 * (0.512 of 3.125 ms), and the two of the mix, off that line, teach nothing. Where the hit rates of
 * the others are alike, there is no line.
 */
TEST(line_leaves_the_mix_out) {
    struct gpu gpu = {.sms = 10,
                      .clock_mhz = 1000,
                      .dram_gb_s = 100,
                      .dram_line_slope = 0.5,
                      .dram_line_base = 0.3};
    struct paper_app apps[] = {
        {.name = "a", .kind = "M", .roofline = {1e9, 20, 1, 1, 0.5, false}},
        {.name = "b", .kind = "M", .roofline = {1e9, 20, 1, 1, 0.2, false}},
        {.name = "c", .kind = "C", .roofline = {1e9, 0.2, 1, 1, 0.1, false}},
        {.name = "d", .kind = "M", .roofline = {1e9, 20, 1, 1, 0.8, false}},
        {.name = "e", .kind = "M", .roofline = {1e9, 0.3, 1, 1, 0.0, false}},
    };
    struct paper_suite suite = {.name = "made", .apps = apps, .app_count = 5, .issue_width = 2};
    struct paper_mix mix = {.apps = {0, 4}, .count = 2};
    struct paper_case one = {.suite = &suite, .mix = &mix, .gpu = &gpu, .seed = 1};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    near_to(strtod(assigned(&one, &arena, "gpu.hsm_c1="), NULL), 0.5);
    near_to(strtod(assigned(&one, &arena, "gpu.hsm_c2="), NULL), 0.3);
    apps[1].roofline.row_hits = 0.75;
    assert_null(assigned(&one, &arena, "gpu.hsm_c1="));
    apps[1].roofline.row_hits = 0.2;
    mix.apps[1] = 3; /* one is left */
    assert_null(assigned(&one, &arena, "gpu.hsm_c1="));
}

/* Every service with every other application, and with all others. */
TEST(pairs_of_services) {
    struct paper_app apps[] = {
        {.kind = "M"}, {.kind = "S"}, {.kind = "C"}, {.kind = "S"}, {.kind = "C"}};
    struct paper_suite suite = {
        .name = "made", .apps = apps, .app_count = 5, .mix_size = 2, .service_kind = "S"};
    static const uint32_t pairs[][2] = {{1, 0}, {1, 2}, {1, 4}, {3, 0}, {3, 2}, {3, 4}};
    struct ct_diags diags = {0};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct paper_mix *mixes;
    size_t count;
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_OK);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(mixes[i].apps[0], pairs[i][0]);
        assert_int_equal(mixes[i].apps[1], pairs[i][1]);
    }
    assert_string_equal(mixes[0].kinds, "MS");
    suite.mix_size = 4;
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_OK);
    assert_int_equal(count, 2);
    static const uint32_t all[] = {3, 0, 2, 4};
    assert_memory_equal(mixes[1].apps, all, sizeof all);
    assert_string_equal(mixes[1].kinds, "CCMS");
}

/* Each application of a pair arrives first once (C-QoS Fig. 3 names who does), the other after the
 * gap, of the shorter solo time; both go on. */
TEST(pairs_in_both_orders) {
    struct paper_app apps[] = {{.name = "a", .kind = "T", .solo_ms = 8, .roofline.ipc = NAN},
                               {.name = "b", .kind = "C", .solo_ms = 20, .roofline.ipc = NAN},
                               {.name = "c", .kind = "C", .solo_ms = 2, .roofline.ipc = NAN}};
    struct paper_suite suite = {
        .name = "made", .apps = apps, .app_count = 3, .mix_size = 2, .gap = 0.25};
    static const uint32_t orders[][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}};
    struct ct_diags diags = {0};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct paper_mix *mixes;
    size_t count;
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_OK);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(mixes[i].apps, orders[i], sizeof orders[i]);
    assert_string_equal(mixes[1].kinds, "CT");
    struct paper_case one = {.suite = &suite, .mix = &mixes[1], .seed = 1};
    static const char closed[] = "{\"process\":\"closed\",\"start\":\"at-once\"}";
    assert_string_equal(assigned(&one, &arena, "apps.a.arrivals="), closed);
    assert_string_equal(assigned(&one, &arena, "apps.b.arrivals="), closed);
    assert_string_equal(assigned(&one, &arena, "apps.a.arrivals.delay_ms="),
                        "{\"dist\":\"exponential\",\"mean\":2}");
    assert_null(assigned(&one, &arena, "apps.b.arrivals.delay_ms="));
}

/* Progress 0.5 and 1 in two sequences: 2 and 1 times the time alone, 1.5 on average, which keeps a
 * goal of 0.6 (1.67 times) and not one of 0.7 (1.43), although the mean progress is 0.75. An
 * application without a goal is none of them. */
TEST(goals_are_of_mean_latencies) {
    struct report_app first[3], second[3], third[3];
    struct report reports[3] = {report_unknown(), report_unknown(), report_unknown()};
    struct result_run runs[2] = {{0}};
    for (int a = 0; a < 3; a++)
        first[a] = second[a] = third[a] = report_app_unknown();
    first[0].normalised_progress = first[1].normalised_progress = 0.5;
    second[0].normalised_progress = second[1].normalised_progress = 1;
    first[0].np_target = second[0].np_target = 0.6;
    first[1].np_target = second[1].np_target = 0.7;
    reports[0].apps = first;
    reports[1].apps = second;
    reports[2].apps = third;
    reports[0].app_count = reports[1].app_count = reports[2].app_count = 3;
    struct experiment_result result = {
        .pooled = &reports[2], .replications = reports, .runs = runs, .finished = 2};
    near_to(paper_values_make(&result, 0, 1 << PAPER_GOALS).measures[PAPER_GOALS], 0.5);
    first[0].np_target = first[1].np_target = NAN;
    assert_true(isnan(paper_values_make(&result, 0, 1 << PAPER_GOALS).measures[PAPER_GOALS]));
}

/* More applications than anybody has the time to mix are refused before their mixes are made. */
TEST(too_many_mixes) {
    struct paper_app apps[200] = {{.kind = "M"}};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct paper_mix *mixes;
    size_t count;
    for (size_t a = 1; a < 200; a++)
        apps[a].kind = "C";
    struct paper_suite suite = {.name = "made", .apps = apps, .app_count = 200, .mix_size = 12};
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_USAGE);
    assert_string_equal(diags.items[0].where, "made");
    suite.service_kind = "M";
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_USAGE);
    assert_non_null(strstr(diags.items[1].text, "mixes are more than 100000"));
    suite.mix_size = 2;
    assert_int_equal(paper_mixes(&suite, 1, &arena, &mixes, &count, &diags), CT_OK);
    assert_int_equal(count, 199);
}

static bool at_once(void *context) {
    return context == NULL;
}

/* The training pairs of HSM are two hundred runs of the bank-level model. */
TEST(items_of_the_memory_stop_at_once) {
    struct paper_row row = {
        .measure = PAPER_LINE_C1_SPREAD, .reads = 1, .streams = 16, .queue = 64, .row_hits = 0.5};
    struct paper_training training = {0};
    struct ct_diags diags = {0};
    double value;
    assert_int_equal(paper_memory(&row, 1, &training, at_once, &value, &diags), CT_INTERRUPTED);
    row.measure = PAPER_ROW_HIT_SHIFT;
    assert_int_equal(paper_memory(&row, 1, &training, at_once, &value, &diags), CT_INTERRUPTED);
    assert_int_equal(diags.count, 0);
}

/* What was trained for the row of one constant serves that of the other, and no other memory. */
TEST(both_constants_are_trained_once) {
    struct paper_row row = {
        .measure = PAPER_LINE_C1_SPREAD, .reads = 1, .streams = 16, .queue = 64};
    struct paper_row second = row;
    struct paper_training training = {.row = &row, .mean = {1, 0.5}, .variance = {0.01, 0.04}};
    struct ct_diags diags = {0};
    double value;
    second.measure = PAPER_LINE_C2_SPREAD;
    assert_int_equal(paper_memory(&second, 1, &training, at_once, &value, &diags), CT_OK);
    assert_true(value == 0.4);
    second.measure = PAPER_LINE_C2_VARIANCE;
    assert_int_equal(paper_memory(&second, 1, &training, at_once, &value, &diags), CT_OK);
    assert_true(value == 0.04);
    second.measure = PAPER_LINE_C1_VARIANCE;
    assert_int_equal(paper_memory(&second, 1, &training, at_once, &value, &diags), CT_OK);
    assert_true(value == 0.01);
    second.queue = 32;
    assert_int_equal(paper_memory(&second, 1, &training, at_once, &value, &diags), CT_INTERRUPTED);
}
