#include "cmocka_complete.h"
#include "results/report_findings.h"

#include <string.h>

enum { RUNS = 3 };

/* Two applications a run: a service with a target, and batch work in two instances. */
static void findings(const int64_t met[RUNS], const double stp[RUNS], struct doc *doc) {
    static const char *const names[RUNS] = {"a", "b", "{2}"};
    struct report_app apps[RUNS][2];
    struct report reports[RUNS];
    const struct report *of[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        apps[i][0] = apps[i][1] = report_app_unknown();
        apps[i][0].qos_ms = 10;
        apps[i][0].qos_met = met[i];
        apps[i][0].instances = 1;
        apps[i][1].instances = 2;
        reports[i] = report_unknown();
        reports[i].apps = apps[i];
        reports[i].app_count = 2;
        reports[i].system.stp = stp[i];
        of[i] = &reports[i];
    }
    report_findings_write(doc, of, names, RUNS);
}

static void expect(const int64_t met[RUNS], const double stp[RUNS], const char *const *texts,
                   size_t count) {
    struct doc doc = doc_keep();
    findings(met, stp, &doc);
    assert_int_equal(doc.lines.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(doc.lines.items[i], texts[i]);
    assert_int_equal(doc_drop(&doc), CT_OK);
}

TEST(who_keeps_every_target_and_who_does_most) {
    expect((const int64_t[]){REPORT_YES, REPORT_NO, REPORT_YES}, (const double[]){1.5, 2.5, 1.49},
           (const char *const[]){"Every target is met under a, {2}.",
                                 "Of those that meet every target, a has the highest throughput: "
                                 "STP 1.5 of 3 (within 1 %: {2}).",
                                 "The highest throughput of all: b, STP 2.5 of 3."},
           3);
}

TEST(what_is_not_known_is_not_met) {
    expect((const int64_t[]){REPORT_OPEN, REPORT_NO, REPORT_NO}, (const double[]){NAN, NAN, NAN},
           (const char *const[]){"No policy is known to meet every target.",
                                 "Not known under a: too few jobs, or overload."},
           2);
    expect((const int64_t[]){REPORT_NO, REPORT_NO, REPORT_NO}, (const double[]){NAN, NAN, NAN},
           (const char *const[]){"No policy meets every target."}, 1);
}
