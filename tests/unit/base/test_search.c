/* Bisection against a search that looks at every place. */
#include "base/ct_search.h"
#include "cmocka_complete.h"
#include "unit/base/dice.h"

#include <stdlib.h>

static bool below(const void *items, size_t i, const void *key) {
    return ((const int *)items)[i] < *(const int *)key;
}

static bool not_above(const void *items, size_t i, const void *key) {
    return ((const int *)items)[i] <= *(const int *)key;
}

static size_t count_below(const int *items, size_t count, int key) {
    size_t number = 0;
    for (size_t i = 0; i < count; i++)
        number += items[i] < key;
    return number;
}

/* All numbers of items up to 40, many of them equal; keys below, among and above them. */
TEST(the_first_that_is_not_before_is_found) {
    enum { MOST = 40 };
    uint64_t dice = 1;
    for (size_t count = 0; count <= MOST; count++) {
        int items[MOST + 1], last = 0;
        for (size_t i = 0; i < count; i++)
            items[i] = last += (int)dice_roll(&dice, 3);
        for (int key = -1; key <= last + 1; key++) {
            assert_int_equal(ct_lower_bound(items, count, below, &key),
                             count_below(items, count, key));
            assert_int_equal(ct_lower_bound(items, count, not_above, &key),
                             count_below(items, count, key + 1));
        }
    }
}

static bool is_root_below(const void *nothing, size_t i, const void *square) {
    return !nothing && i * i < *(const size_t *)square;
}

/* Places need no array: the least number whose square reaches another, of those below 100. */
TEST(a_function_of_the_place_is_searched) {
    for (size_t square = 0; square < 10100; square++) {
        size_t root = 0;
        while (root < 100 && root * root < square)
            root++;
        assert_int_equal(ct_lower_bound(NULL, 100, is_root_below, &square), root);
    }
}
