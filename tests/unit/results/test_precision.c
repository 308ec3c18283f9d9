#include "cmocka_complete.h"
#include "results/precision.h"

static struct report_app service(double p99, double low, double high) {
    struct report_app app = report_app_unknown();
    app.role = REPORT_SERVICE;
    app.latency_ms.p99 = p99;
    app.latency_ms.p99_low = low;
    app.latency_ms.p99_high = high;
    return app;
}

/* Half of 90 ... 114 is 12, 12 % of 100: for 6 % four times as many replications, for 5 % 5.76. */
TEST(more_replications_by_hand) {
    struct report_app app = service(100, 90, 114);
    assert_true(fabs(precision_reached(&app) - 0.12) < 1e-12);
    assert_int_equal(precision_more(&app, 10, 0.12 + 1e-12), 0);
    assert_int_equal(precision_more(&app, 10, 0.06), 30);
    assert_int_equal(precision_more(&app, 10, 0.05), 48);
    assert_int_equal(precision_more(&app, 10, 0.1199), 1);
}

TEST(without_an_interval) {
    struct report_app app = service(100, NAN, NAN);
    assert_int_equal(precision_more(&app, 10, 0.05), 10);
    app.overloaded = REPORT_YES;
    assert_int_equal(precision_more(&app, 10, 0.05), REPORT_UNKNOWN);
    app = service(NAN, NAN, NAN);
    assert_int_equal(precision_more(&app, 10, 0.05), REPORT_UNKNOWN);
}

/* The widest service of all policies decides; batch applications and overloaded services do not. */
TEST(next_follows_the_widest) {
    struct report_app apps[4] = {service(100, 95, 105), service(100, 94, 106),
                                 service(100, 10, 190), service(100, 0, 200)};
    struct report reports[2] = {report_unknown(), report_unknown()};
    apps[2].role = REPORT_BATCH;
    apps[3].overloaded = REPORT_YES;
    for (size_t i = 0; i < 2; i++) {
        reports[i].apps = &apps[2 * i];
        reports[i].app_count = 2;
    }
    assert_int_equal(precision_next(reports, 2, 10, 100, 0.06), 10);
    assert_int_equal(precision_next(reports, 1, 10, 100, 0.05), 15); /* 10 x 1.44 */
    assert_int_equal(precision_next(reports, 1, 10, 12, 0.05), 12);
    assert_int_equal(precision_next(reports, 1, 10, 100, 0.01), 20); /* at most twice as many */
    assert_int_equal(precision_next(&reports[1], 1, 10, 100, 0.01), 10);
}
