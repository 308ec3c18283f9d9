/* What is said once is kept once; what concerns no file has an empty place. */
#include "base/ct_diag.h"
#include "cmocka_complete.h"

TEST(said_once) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    for (int i = 0; i < 3; i++)
        ct_warning(&diags, "w.json", "number %d", i / 2);
    assert_int_equal(diags.count, 2);
    assert_int_equal(diags.errors, 0);
    assert_string_equal(diags.items[1].where, "w.json");
    assert_string_equal(diags.items[1].text, "number 1");
}

TEST(of_no_file) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    ct_error(&diags, NULL, "no GPU");
    ct_error(&diags, "", "no GPU");
    assert_int_equal(diags.count, 1);
    assert_int_equal(diags.errors, 2);
    assert_string_equal(diags.items[0].where, "");
}
