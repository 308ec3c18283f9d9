/* Measured co-locations: an application that was measured alone more than once. */
#include "ingest/coloc_reader.h"

#include "import_case.h"

#include <stdlib.h>

static const char *const solo_file = "test_coloc_solo.csv", *const pairs_file =
                                                                "test_coloc_pairs.csv";

/* The mean of every quantity is over the rows that say it, wherever those that do not stand. */
TEST(repeated_measurements_give_their_mean) {
    struct coloc_set set = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    case_write(solo_file, "app,quota_pct,latency_ms,l2_util_pct,dram_util_pct,launches\n"
                          "a,50,10,,30,\n"
                          "a,100,99,5,,7\n"
                          "a,50,20,10,,\n"
                          "a,50,36,20,50,\n");
    case_write(pairs_file, "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms\n"
                           "a,50,a,50,30,\n");
    assert_int_equal(coloc_read(solo_file, pairs_file, &set, &diags), CT_OK);
    assert_int_equal(set.solos.count, 2);
    const struct coloc_solo *half = &set.solos.items[0], *whole = &set.solos.items[1];
    assert_int_equal(half->measurements, 3);
    assert_true(fabs(half->latency_ms - 22) < 1e-12);
    assert_true(fabs(half->l2 - 0.15) < 1e-12);
    assert_true(fabs(half->dram - 0.40) < 1e-12);
    assert_true(isnan(half->launches));
    assert_int_equal(whole->measurements, 1);
    assert_true(whole->l2 == 0.05 && isnan(whole->dram) && whole->launches == 7);
    assert_int_equal(set.pairs.count, 1);
    coloc_free(&set);
    remove(solo_file);
    remove(pairs_file);
}
