/* The measuring program's plan and its statistics. */
#include "cmocka_complete.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_summary(const double *values, int count, double q1, double median, double q3) {
    double copy[8];
    memcpy(copy, values, (size_t)count * sizeof *values);
    struct measure_summary s = measure_summarise(copy, count);
    assert_int_equal(s.count, count);
    assert_true(fabs(s.q1 - q1) < 1e-12);
    assert_true(fabs(s.median - median) < 1e-12);
    assert_true(fabs(s.q3 - q3) < 1e-12);
}

TEST(test_summary) {
    check_summary((const double[]){7}, 1, 7, 7, 7);
    check_summary((const double[]){5, 1}, 2, 2, 3, 4);
    check_summary((const double[]){9, 1, 5}, 3, 3, 5, 7);
    check_summary((const double[]){4, 1, 3, 2}, 4, 1.75, 2.5, 3.25);
    check_summary((const double[]){1, 1000, 2, 3, 2}, 5, 2, 2, 3); /* one outlier moves nothing */
}

/* Every unordered pair once at every split of the SMs, whose quotas were measured alone. */
static void check_pairs(bool partitions, size_t splits) {
    size_t apps = measure_app_count(), count = measure_pair_count(partitions);
    FREED_BY(free) uint8_t *seen = calloc(apps * apps, 1);
    assert_non_null(seen);
    assert_int_equal(count, splits * apps * (apps + 1) / 2);
    for (size_t i = 0; i < count; i++) {
        struct measure_pair p = measure_pair(i, partitions);
        bool known_a = false, known_b = false;
        assert_true(p.a <= p.b && p.b < apps);
        for (size_t q = 0; q < measure_quota_count(); q++) {
            known_a |= measure_quota(q) == p.quota_a;
            known_b |= measure_quota(q) == p.quota_b;
        }
        assert_true(known_a && known_b);
        assert_true(p.quota_a + p.quota_b <= 100 || (p.quota_a == 100 && p.quota_b == 100));
        seen[p.a * apps + p.b]++;
    }
    for (size_t a = 0; a < apps; a++)
        for (size_t b = a; b < apps; b++)
            assert_int_equal(seen[a * apps + b], splits);
}

TEST(test_pairs) {
    check_pairs(false, 1);
    check_pairs(true, 4);
}

/* There are 30 different sets of copies: one to eight at once, in both directions, of both
 * memories, and a pageable one beside one to four pinned ones each way. */
TEST(test_copies) {
    assert_int_equal(measure_copy_count(), 30);
    for (size_t i = 0; i < measure_copy_count(); i++)
        for (size_t k = 0; k < i; k++) {
            struct measure_copy a = measure_copy(i), b = measure_copy(k);
            assert_true(a.direction != b.direction || a.pinned != b.pinned ||
                        a.concurrent != b.concurrent || a.beside != b.beside);
            assert_true(a.beside == 0 || (!a.pinned && a.direction != MEASURE_BOTH));
        }
}

TEST(test_names) {
    for (size_t i = 0; i < measure_app_count(); i++) {
        assert_non_null(strstr(measure_app(i)->name, "_b"));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(measure_app(i)->name, measure_app(k)->name);
    }
}
