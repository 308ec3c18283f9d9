/* A number that is within rounding of its target keeps it. */
#include "base/ct_target.h"
#include "cmocka_complete.h"

#include <math.h>

/* 0.9 of the progress alone, as a quotient of times. */
TEST(a_target_that_is_met_exactly_is_kept) {
    const double np = 0.8999999999999999;
    assert_true(np < 0.9);
    assert_true(ct_is_kept(0.9, np) && ct_is_kept(np, 0.9));
    assert_false(ct_is_beyond(0.9, np) || ct_is_beyond(np, 0.9));
}

TEST(what_is_further_off_is_not_rounding) {
    assert_true(ct_is_beyond(1 + 2e-9, 1) && !ct_is_kept(1 + 2e-9, 1));
    assert_true(ct_is_kept(1 + 0.5e-9, 1) && !ct_is_beyond(1 + 0.5e-9, 1));
    assert_true(ct_is_beyond(1e-12, 0));
}

TEST(of_what_is_unknown_nothing_is_said) {
    assert_false(ct_is_kept(NAN, 1) || ct_is_beyond(NAN, 1));
    assert_false(ct_is_kept(1, NAN) || ct_is_beyond(1, NAN));
}
