/* What Baymax' items need beside mixes: copies on the host link by their closed forms, the suites'
 * pairs, readings of what the paper leaves open. */
#include "apps/paper/paper_case.h"
#include "apps/paper/paper_measure.h"
#include "apps/paper/paper_source.h"
#include "cmocka_complete.h"

#include <math.h>
#include <string.h>

static double rate(bool pinned, uint32_t others, bool others_pinned) {
    struct paper_copy copy = {"k40", pinned, others_pinned, others};
    struct ct_diags diags = {0};
    double mb_s = NAN;
    assert_int_equal(paper_copy_rate(&copy, &mb_s, &diags), CT_OK);
    ct_diags_free(&diags);
    return mb_s;
}

static void within(double value, double wanted, double part) {
    if (!(fabs(value / wanted - 1) <= part))
        fail_msg("%g instead of %g", value, wanted);
}

/* Section 6.1: 12,160 MB/s hold three pageable copies of 3,150; a fourth slows all. */
TEST(pageable_copies) {
    const double latency = 0.0002; /* 1.5 us of 15 ms, once per copy */
    within(rate(false, 0, false), 3150, latency);
    within(rate(false, 2, false), 3150, latency);
    within(rate(false, 3, false), 12160.0 / 4, latency);
    within(rate(false, 7, false), 12160.0 / 8, latency);
}

/* A pinned copy of 47.25 MB holds the link for 3.98 ms; a pageable one of the same size moves a
 * piece of 512 KB, 91 in all, between two of them. */
TEST(pinned_copies) {
    double pinned_s = 47.25e6 / 11883e6 + 1.5e-6, piece_s = 524288 / 3150e6;
    within(rate(true, 0, false), 47.25 / pinned_s, 1e-6);
    within(rate(true, 1, true), 47.25 / (2 * pinned_s), 0.03); /* of 20 copies one has no wait */
    within(rate(false, 1, true), 47.25 / (91 * (pinned_s + piece_s)), 0.02);
}

TEST(unknown_gpu) {
    struct paper_copy copy = {"k41", false, false, 0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    double mb_s;
    assert_int_not_equal(paper_copy_rate(&copy, &mb_s, &diags), CT_OK);
    assert_true(diags.errors > 0);
}

TEST(reductions) {
    static const double values[] = {4, NAN, 0.5, 2}, against[] = {1, 1, 0.05, 4};
    size_t used;
    assert_true(paper_reduce(PAPER_MEAN_OVER, values, NULL, 4, 1, &used) == 3 && used == 2);
    assert_true(isnan(paper_reduce(PAPER_MEAN_OVER, values, NULL, 4, 9, &used)) && used == 0);
    assert_true(paper_reduce(PAPER_RATIO_MOST, values, against, 4, NAN, &used) == 10 && used == 3);
}

/* Table 3: 8 services, and of 11 batch applications the 6 that are recorded; all 11 with stand-ins;
 * Fig. 13: a service with all of them at once. */
TEST(suites) {
    static const struct {
        const char *name;
        size_t mixes, compute_intensive;
        uint32_t apps;
    } wanted[] = {{"table-3", 48, 24, 2},
                  {"table-3-public", 48, 24, 2},
                  {"recorded", 88, 64, 2},
                  {"table-3-all", 8, 0, 7},
                  {"recorded-all", 8, 0, 12}};
    CLOSED_BY(paper_free) struct paper paper;
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    assert_int_equal(paper_read("baymax", &paper, &diags), CT_OK);
    for (size_t i = 0; i < CT_COUNT_OF(wanted); i++) {
        const struct paper_suite *suite = paper_suite_find(&paper, wanted[i].name);
        struct paper_mix *mixes;
        size_t count, compute = 0;
        assert_non_null(suite);
        assert_int_equal(paper_mixes(suite, 1, &arena, &mixes, &count, &diags), CT_OK);
        assert_int_equal(count, wanted[i].mixes);
        for (size_t m = 0; m < count; m++) {
            compute += strcmp(mixes[m].kinds, "CS") == 0;
            assert_int_equal(mixes[m].count, wanted[i].apps);
            assert_int_equal(suite->apps[mixes[m].apps[0]].kind[0], 'S');
        }
        assert_int_equal(compute, wanted[i].compute_intensive);
    }
}

/* A draw is a reading of its own: its changes reach the workload, its queries the run. */
TEST(readings) {
    static const char *const longer[] = {"defaults.duration_scale=3"};
    const struct paper_variant variants[] = {{"plain", NULL, 0, 2000}, {"long", longer, 1, 400}};
    struct paper_app app = {.kind = "S", .roofline.ipc = NAN};
    struct paper_suite suite = {
        .apps = &app, .app_count = 1, .queries = 7, .variants = variants, .variant_count = 2};
    struct paper_mix mix = {.count = 1};
    struct paper_case one = {.suite = &suite, .mix = &mix, .draw = 2};
    const char *assignments[PAPER_ASSIGNMENTS_MOST];
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    assert_int_equal(paper_assignments(&one, assignments, &arena), 0);
    one.draw = 3;
    assert_int_equal(paper_assignments(&one, assignments, &arena), 1);
    assert_string_equal(assignments[0], longer[0]);
    assert_int_equal(paper_queries(&suite, 2), 2000);
    assert_int_equal(paper_queries(&suite, 3), 400);
    suite.variant_count = 0;
    assert_int_equal(paper_queries(&suite, 3), 7);
}
