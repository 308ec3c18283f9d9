/* Points of designs, and results as bytes. */
#include "cmocka_complete.h"
#include "run/sim.h"
#include "study/sweep_design.h"

#include <stdlib.h>
#include <string.h>

static struct sweep_value load_values[] = {{"5", "5"}, {"10", "10"}, {"15", "15"}};
static struct sweep_value gpu_values[] = {{"\"h100\"", "h100"}, {"\"a100\"", "a100"}};

/* A grid of 2 x 3 points, then a random design over all laws. */
static struct sweep_axis grid_axes[] = {
    {.key = "gpu", .values = gpu_values, .value_count = 2},
    {.key = "apps.a.rate", .values = load_values, .value_count = 3},
};
static struct sweep_axis random_axes[] = {
    {.key = "gpu.sms", .law = SWEEP_INTEGERS, .low = -1, .high = 2},
    {.key = "gpu", .values = gpu_values, .value_count = 2},
    {.key = "x", .law = SWEEP_UNIFORM, .low = 2, .high = 4},
    {.key = "y", .law = SWEEP_LOGUNIFORM, .low = 0.01, .high = 100},
};
enum { RANDOM_POINTS = 400 };

static const char *const settings[] = {"apps.a.size=2", "duration_s=1"};

static struct sweep_file make_sweep(struct sweep_design designs[2], bool latin) {
    designs[0] = (struct sweep_design){.points = 6, .axes = grid_axes, .axis_count = 2};
    designs[1] = (struct sweep_design){.random = true,
                                       .latin = latin,
                                       .points = RANDOM_POINTS,
                                       .seed = 5,
                                       .axes = random_axes,
                                       .axis_count = 4};
    return (struct sweep_file){.settings = settings,
                               .setting_count = 2,
                               .designs = designs,
                               .design_count = 2,
                               .points = 6 + RANDOM_POINTS};
}

TEST(a_grid_has_every_combination_the_last_axis_the_fastest) {
    static const char *const wanted[][2] = {{"h100", "5"}, {"h100", "10"}, {"h100", "15"},
                                            {"a100", "5"}, {"a100", "10"}, {"a100", "15"}};
    struct sweep_design designs[2];
    struct sweep_file sweep = make_sweep(designs, false);
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    const uint32_t *const *shuffle = sweep_shuffle(&sweep, &arena);
    assert_non_null(shuffle);
    for (uint64_t i = 0; i < CT_COUNT_OF(wanted); i++) {
        struct sweep_point point;
        assert_true(sweep_point_make(&sweep, shuffle, i, &arena, &point));
        assert_int_equal(point.value_count, 2);
        assert_string_equal(point.values[0].value, wanted[i][0]);
        assert_string_equal(point.values[1].value, wanted[i][1]);
    }
}

/* What contains another key comes before it, whatever the order of the file. */
TEST(short_keys_are_assigned_first) {
    struct sweep_design designs[2];
    struct sweep_file sweep = make_sweep(designs, false);
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct sweep_point point;
    const uint32_t *const *shuffle = sweep_shuffle(&sweep, &arena);
    assert_non_null(shuffle);
    assert_true(sweep_point_make(&sweep, shuffle, 6, &arena, &point));
    assert_int_equal(point.assignment_count, 6);
    assert_string_equal(point.assignments[0], "duration_s=1");
    assert_memory_equal(point.assignments[1], "gpu=\"", 5);
    assert_memory_equal(point.assignments[4], "gpu.sms=", 8);
    assert_string_equal(point.assignments[5], "apps.a.size=2");
}

static double value_of(const struct sweep_point *point, size_t axis) {
    return strtod(point->values[axis].value, NULL);
}

/* Counts within five standard deviations of what the law says; latin ones exactly. */
static void random_designs_follow_their_laws(bool latin) {
    struct sweep_design designs[2];
    struct sweep_file sweep = make_sweep(designs, latin);
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    int integers[4] = {0}, h100 = 0, uniform[4] = {0}, decades[4] = {0};
    const uint32_t *const *shuffle = sweep_shuffle(&sweep, &arena);
    assert_non_null(shuffle);
    for (uint64_t i = 6; i < sweep.points; i++) {
        struct sweep_point point;
        assert_true(sweep_point_make(&sweep, shuffle, i, &arena, &point));
        integers[(int)value_of(&point, 0) + 1]++;
        h100 += strcmp(point.values[1].value, "h100") == 0;
        uniform[(int)((value_of(&point, 2) - 2) * 2)]++;
        double y = value_of(&point, 3);
        decades[y < 0.1 ? 0 : y < 1 ? 1 : y < 10 ? 2 : 3]++;
    }
    double slack = latin ? 0 : 5 * sqrt(RANDOM_POINTS * 0.25 * 0.75);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(integers[i] - RANDOM_POINTS / 4.0) <= slack);
        assert_true(fabs(uniform[i] - RANDOM_POINTS / 4.0) <= slack);
        assert_true(fabs(decades[i] - RANDOM_POINTS / 4.0) <= slack);
    }
    assert_true(fabs(h100 - RANDOM_POINTS / 2.0) <= (latin ? 0 : 5 * sqrt(RANDOM_POINTS / 4.0)));
}

TEST(independent_points) {
    random_designs_follow_their_laws(false);
}

TEST(a_latin_hypercube_takes_each_part_once) {
    random_designs_follow_their_laws(true);
}

/* ---- Results as bytes ---- */

static struct sim_result make_result(void) {
    static const double latencies[] = {0, 1, 12345678901234, 0x1p53 - 1}, odd[] = {0.5, -0.0, 3};
    struct sim_result result = {.app_count = 2,
                                .window_ps = INT64_C(60000000000000),
                                .sm_utilisation = 0.1,
                                .dram_utilisation = NAN,
                                .pcie_utilisation = {0.2, 0.3},
                                .batch_busy_fraction = 1,
                                .events = UINT64_MAX,
                                .kernels = 7,
                                .stale_events = 128,
                                .broken_law = "a law",
                                .littles_law_ok = true,
                                .utilisation_law_ok = true,
                                .ended_ps = 127};
    result.apps = calloc(2, sizeof *result.apps);
    assert_non_null(result.apps);
    for (size_t i = 0; i < 4; i++)
        assert_true(ct_vec_push(&result.apps[0].latency_ps, latencies[i]));
    for (size_t i = 0; i < 3; i++)
        assert_true(ct_vec_push(&result.apps[0].service_ps, odd[i]));
    assert_true(ct_vec_push(&result.apps[0].aged, 3));
    assert_true(ct_vec_push(&result.apps[0].cut, 2) && ct_vec_push(&result.apps[0].cut_ps, 0.5));
    assert_true(ct_vec_push(&result.apps[1].first_number, 300));
    assert_true(ct_vec_push(&result.apps[1].instance_jobs, 0));
    assert_true(ct_vec_push(&result.apps[1].first_run_ps, NAN));
    assert_true(ct_vec_push(&result.apps[1].instance_sojourn_ps, 0.75));
    result.apps[1].overloaded = true;
    result.apps[1].slowest = (struct sim_slowest){.jobs = 7, .row_length = sim_row_length(2)};
    for (size_t i = 0; i < sim_row_length(2); i++)
        assert_true(ct_vec_push(&result.apps[1].slowest.rows, i == SIM_ROW_DELAYS ? 1e-300 : NAN));
    assert_true(ct_vec_push(&result.counters, (struct sim_counter){"switches", 4.5}));
    return result;
}

TEST(a_result_comes_back_bit_by_bit) {
    struct sim_result result = make_result(), read, empty = {0};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    size_t size, again_size;
    unsigned char *bytes = sim_result_encode(&result, &size);
    assert_non_null(bytes);
    assert_true(sim_result_decode(bytes, size, &arena, &read));
    unsigned char *again = sim_result_encode(&read, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(read.apps[0].latency_ps.count, 4);
    assert_memory_equal(read.apps[0].latency_ps.items, result.apps[0].latency_ps.items,
                        4 * sizeof(double));
    assert_memory_equal(read.apps[0].service_ps.items, result.apps[0].service_ps.items,
                        3 * sizeof(double));
    assert_true(read.events == UINT64_MAX && read.stale_events == 128 && read.ended_ps == 127);
    assert_true(read.apps[1].overloaded && isnan(read.apps[1].first_run_ps.items[0]));
    assert_true(read.apps[1].instance_sojourn_ps.count == 1 &&
                read.apps[1].instance_sojourn_ps.items[0] == 0.75);
    assert_true(read.apps[0].aged.count == 1 && read.apps[0].aged.items[0] == 3);
    assert_true(read.apps[0].cut.count == 1 && read.apps[0].cut.items[0] == 2 &&
                read.apps[0].cut_ps.items[0] == 0.5);
    assert_int_equal(read.apps[0].slowest.row_length, 0);
    assert_int_equal(read.apps[1].slowest.jobs, 7);
    assert_true(read.apps[1].slowest.rows.count == sim_row_length(2) &&
                read.apps[1].slowest.rows.items[SIM_ROW_DELAYS] == 1e-300);
    assert_string_equal(read.counters.items[0].key, "switches");
    assert_string_equal(read.broken_law, "a law");
    sim_result_free(&read);
    free(again);

    /* Whatever is cut off or left over is refused. */
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(sim_result_decode(bytes, cut, &arena, &read));
        sim_result_free(&read);
    }
    unsigned char *longer = calloc(size + 1, 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    assert_false(sim_result_decode(longer, size + 1, &arena, &read));
    sim_result_free(&read);
    free(longer);
    free(bytes);
    bytes = sim_result_encode(&empty, &size);
    assert_true(sim_result_decode(bytes, size, &arena, &read));
    sim_result_free(&read);
    free(bytes);
    sim_result_free(&result);
}
