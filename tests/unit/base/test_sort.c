/* Sorting against insertion, and by hand. */
#include "base/ct_sort.h"
#include "base/ct_vec.h"
#include "cmocka_complete.h"
#include "unit/base/dice.h"

#include <string.h>

enum { MOST = 40 };

/* Small whole numbers, so that many are equal. */
static void draw(double *values, size_t count, uint64_t *dice) {
    for (size_t i = 0; i < count; i++)
        values[i] = (double)dice_roll(dice, 9) - 4;
}

static void insert_sorted(struct ct_ranked *sorted, size_t count, double value, size_t index) {
    size_t at = count;
    for (; at > 0 && sorted[at - 1].value > value; at--)
        sorted[at] = sorted[at - 1];
    sorted[at] = (struct ct_ranked){value, index};
}

TEST(values_are_sorted_and_equals_keep_their_order) {
    uint64_t dice = 1;
    for (size_t count = 0; count <= MOST; count++) {
        double values[MOST + 1];
        struct ct_ranked ranked[MOST + 1], expected[MOST + 1];
        draw(values, count, &dice);
        for (size_t i = 0; i < count; i++) {
            ranked[i] = (struct ct_ranked){values[i], i};
            insert_sorted(expected, i, values[i], i);
        }
        ct_sort_ranked(ranked, count);
        ct_sort_doubles(values, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(ranked[i].value == expected[i].value);
            assert_int_equal(ranked[i].index, expected[i].index);
            assert_true(values[i] == expected[i].value);
        }
    }
}

TEST(medians_are_the_middle) {
    double odd[] = {7, -1, 3}, even[] = {8, 1, 2, 5}, one[] = {4};
    assert_true(ct_sort_median(odd, 3) == 3);
    assert_true(ct_sort_median(even, 4) == 3.5);
    assert_true(ct_sort_median(one, 1) == 4);
    assert_true(isnan(ct_sort_median(NULL, 0)));
}

static int fall(const void *a, const void *b) {
    return *(const int *)b - *(const int *)a;
}

TEST(vectors_are_sorted_also_empty_ones) {
    CT_VEC(int) vec = {0};
    ct_vec_sort(&vec, fall);
    assert_null(vec.items);
    for (int i = 0; i < 5; i++)
        assert_true(ct_vec_push(&vec, i * 3 % 5));
    ct_vec_sort(&vec, fall);
    for (int i = 0; i < 5; i++)
        assert_int_equal(vec.items[i], 4 - i);
    ct_vec_free(&vec);
}
