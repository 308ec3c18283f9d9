/* Counters of solo runs: summed by function, shared with copies of the bank. */
#include "models/predict/predict_bank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void sums_launches_by_function(void **unused) {
    struct predict_traffic first = {1, 100, 2000, 30, 24}, second = {1, 50, 1000, 10, 2}, sum;
    (void)unused;
    struct predict_bank *bank = predict_bank_new(1);
    assert_non_null(bank);
    assert_false(predict_bank_traffic(bank, 0, &sum));
    assert_true(predict_bank_add_traffic(bank, 2, &first));
    assert_true(predict_bank_add_traffic(bank, 0, &second));
    assert_true(predict_bank_add_traffic(bank, 2, &second));
    assert_true(predict_bank_fit(bank));

    struct predict_bank *copy = predict_bank_copy(bank);
    assert_non_null(copy);
    assert_true(predict_bank_traffic(copy, 2, &sum));
    assert_int_equal(sum.launches, 2);
    assert_true(sum.busy_ps == 150 && sum.instructions == 3000);
    assert_true(sum.accesses == 40 && sum.row_hits == 26);
    assert_true(predict_bank_traffic(copy, 1, &sum)); /* a function that never ran */
    assert_true(sum.launches == 0 && sum.busy_ps == 0);
    assert_false(predict_bank_traffic(copy, 3, &sum));
    predict_bank_free(copy);
    assert_true(predict_bank_traffic(bank, 0, &sum));
    assert_true(sum.row_hits == 2);
    predict_bank_free(bank);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_launches_by_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
