/* Where kernels stand in what their class may ask for, look by look. */
#include "cmocka_complete.h"
#include "experiment/bands.h"

#include <string.h>

enum { DRAWS = 40 };

static void draw_all_of(enum demand_kind kind, uint64_t seed, const char *recording,
                        enum kernel_class class, double levels[DRAWS]) {
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct demand_look look = {.draws = DRAWS, .draw = i};
        levels[i] = demand_look_level(&look, seed, kind, recording, class);
    }
}

static void draw_all(uint64_t seed, const char *recording, enum kernel_class class,
                     double levels[DRAWS]) {
    draw_all_of(DEMAND_OF_MEMORY, seed, recording, class, levels);
}

/* Each of the parts of a distribution is stood in once, in its middle. */
TEST(every_part_once) {
    double levels[DRAWS];
    for (uint64_t seed = 0; seed < 20; seed++) {
        bool seen[DRAWS] = {false};
        draw_all(seed, "vit", KERNEL_GEMM, levels);
        for (int i = 0; i < DRAWS; i++) {
            int part = (int)(levels[i] * DRAWS);
            assert_float_equal(levels[i], (part + 0.5) / DRAWS, 1e-12);
            assert_false(seen[part]);
            seen[part] = true;
        }
    }
}

/* The correlation of two dimensions. Where they are independent, 40 pairs have one beyond 0.5 with
 * a probability of 0.1 %. */
static double correlation(const double *a, const double *b) {
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        sum += (a[i] - 0.5) * (b[i] - 0.5);
        squares += (a[i] - 0.5) * (a[i] - 0.5);
    }
    return sum / squares;
}

TEST(classes_and_recordings_stand_apart) {
    double gemm[DRAWS], softmax[DRAWS], other[DRAWS], again[DRAWS], seeded[DRAWS], units[DRAWS];
    draw_all(1, "vit", KERNEL_GEMM, gemm);
    draw_all(1, "vit", KERNEL_SOFTMAX, softmax);
    draw_all(1, "qwen", KERNEL_GEMM, other);
    draw_all(2, "vit", KERNEL_GEMM, seeded);
    draw_all(1, "vit", KERNEL_GEMM, again);
    draw_all_of(DEMAND_OF_UNITS, 1, "vit", KERNEL_GEMM, units);
    assert_true(fabs(correlation(gemm, softmax)) < 0.5);
    assert_true(fabs(correlation(gemm, units)) < 0.5);
    assert_true(fabs(correlation(gemm, other)) < 0.5);
    assert_true(fabs(correlation(gemm, seeded)) < 0.5);
    assert_memory_equal(gemm, again, sizeof gemm);
}

/* Where item 0 goes, every place is as likely: chi-square with 7 degrees of freedom, 0.1 %. */
TEST(every_order_is_as_likely) {
    enum { PARTS = 8, SEEDS = 4000 };
    double counts[PARTS] = {0}, distance = 0, expected = (double)SEEDS / PARTS;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct demand_look look = {.draws = PARTS, .draw = 3};
        counts[(int)(demand_look_level(&look, seed, DEMAND_OF_MEMORY, "vit", KERNEL_COPY) *
                     PARTS)]++;
    }
    for (int i = 0; i < PARTS; i++)
        distance += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(distance < 24.32);
}

TEST(one_class_moves_alone) {
    struct demand_look look = {.class = KERNEL_SOFTMAX, .levels = {0.95, 0.05}};
    for (enum demand_kind kind = 0; kind < DEMAND_KINDS; kind++) {
        assert_true(demand_look_level(&look, 1, kind, "vit", KERNEL_SOFTMAX) == look.levels[kind]);
        assert_true(demand_look_level(&look, 1, kind, "vit", KERNEL_GEMM) == 0.5);
    }
}
