/* The forms of a report against the documented format, and against each other. */
#include "cmocka_complete.h"
#include "report_sample.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

FREER(json_decref, json_t)

static char *written(enum report_format format, const struct report *reports, size_t count) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(report_write(format, reports, count, out), CT_OK);
    fclose(out);
    return text;
}

static json_t *parsed(enum report_format format, const struct report *reports, size_t count) {
    char *text = written(format, reports, count);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static double number_at(json_t *object, const char *outer, const char *inner) {
    json_t *value = json_object_get(object, outer);
    value = inner ? json_object_get(value, inner) : value;
    if (!json_is_number(value))
        fail_msg("'%s.%s' is no number", outer, inner ? inner : "");
    return json_number_value(value);
}

/* Every key of the documented report, with the types that it has there. */
static const char documented[] =
    "{'schema': 's', 'version': 's', 'workload': 's', 'gpu': 's', 'policy': 's', 'seed': 1, "
    "'reps': 1,"
    " 'fidelity': 's', 'apps': [{'name': 's', 'role': 's', 'jobs': 1, 'latency_ms': {'mean': 1, "
    "'p50': 1,"
    " 'p90': 1, 'p95': 1, 'p99': 1, 'max': 1, 'p99_ci95': [1, 1]}, 'service_ms': {'p99': 1}, "
    "'alone_p99_ms': 1,"
    " 'overloaded': false, 'qos_ms': 1, 'p99_over_qos': 1, 'qos_met': true, 'late_fraction': 1,"
    " 'throughput_per_s': 1, 'normalised_progress': 1, 'solo_ms': 1, 'blame_ms_p99': {'solo_work': "
    "1, 'host': 1,"
    " 'own_queue': 1, 'ready_pool': 1, 'device_queue': 1, 'sm_share': 1, 'dram': 1, 'row_buffer': "
    "1,"
    " 'sm_contention': 1, 'pcie_wait': 1, 'pcie_share': 1, 'preemption': 1, 'decision': 1},"
    " 'delayed_by': {'train': 1}}], 'system': {'stp': 1, 'antt': 1, 'fairness': 1, "
    "'sm_utilisation': null,"
    " 'dram_utilisation': null, 'pcie_h2d_utilisation': null, 'pcie_d2h_utilisation': null,"
    " 'batch_throughput_normalised': 1, 'batch_busy_fraction': null, 'turnaround_ms': null, "
    "'goals_met': null,"
    " 'decisions': 1, 'rejected_verbs': 1}, 'inputs': {'durations': {'measured': 1},"
    " 'geometry': {'measured': 1}, 'demand': {'measured': 1, 'given': 1, 'unknown': 1},"
    " 'host_gaps': {'assumed': 1}},"
    " 'engine': {'events': 1, 'kernels': 1}, 'checks': {'conservation': 's', 'littles_law': 's',"
    " 'utilisation_law': 's', 'stale_events': 1}}";

static bool same_type(const json_t *a, const json_t *b) {
    return (json_is_number(a) && json_is_number(b)) || (json_is_boolean(a) && json_is_boolean(b)) ||
           json_typeof(a) == json_typeof(b);
}

static void check_shape(const json_t *wanted, const json_t *is, const char *where) {
    const char *key;
    json_t *value;
    size_t i;
    if (!is || !same_type(wanted, is))
        fail_msg("'%s' is missing or of another type", where);
    json_object_foreach((json_t *)wanted, key, value)
        check_shape(value, json_object_get(is, key), key);
    json_array_foreach((json_t *)wanted, i, value) check_shape(value, json_array_get(is, i), where);
}

TEST(json_has_the_documented_shape) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    char text[sizeof documented];
    for (size_t i = 0; i < sizeof documented; i++)
        text[i] = documented[i] == '\'' ? '"' : documented[i];
    FREED_BY(json_decref) json_t *wanted = json_loads(text, 0, NULL);
    FREED_BY(json_decref) json_t *is = parsed(REPORT_JSON, &report, 1);
    assert_non_null(wanted);
    check_shape(wanted, is, "report");
    assert_string_equal(json_string_value(json_object_get(is, "schema")), "cotenant.report/1");
}

TEST(json_numbers_read_back) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    FREED_BY(json_decref) json_t *root = parsed(REPORT_JSON, &report, 1);
    json_t *vit = json_array_get(json_object_get(root, "apps"), 0);
    assert_true(number_at(root, "system", "antt") == 1.6666666666666667);
    assert_true(number_at(root, "system", "fairness") == 2.0 / 3);
    assert_true(number_at(vit, "latency_ms", "p99") == 66);
    assert_true(number_at(vit, "blame_ms_p99", "dram") == 5.25);
    assert_true(number_at(vit, "delayed_by", "train") == 20.5);
    assert_true(json_is_false(json_object_get(vit, "qos_met")));
}

TEST(unknown_numbers_are_null) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    FREED_BY(json_decref) json_t *root = parsed(REPORT_JSON, &report, 1);
    json_t *train = json_array_get(json_object_get(root, "apps"), 1);
    assert_true(json_is_null(json_object_get(train, "qos_ms")));
    assert_true(json_is_null(json_object_get(train, "qos_met")));
    assert_true(json_is_null(json_object_get(json_object_get(root, "system"), "turnaround_ms")));
    assert_null(json_object_get(json_object_get(root, "engine"), "wall_s"));
    report.engine.wall_s = 1.5;
    json_decref(root);
    root = parsed(REPORT_JSON, &report, 1);
    assert_true(number_at(root, "engine", "wall_s") == 1.5);
}

/* Of a server that ran nothing the mean wait is not known, and stands there; of no server nothing.
 */
TEST(a_group_is_there_as_a_whole) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    apps[0].server.batches = 0;
    FREED_BY(json_decref) json_t *root = parsed(REPORT_JSON, &report, 1);
    json_t *vit = json_array_get(json_object_get(root, "apps"), 0);
    json_t *train = json_array_get(json_object_get(root, "apps"), 1);
    assert_true(number_at(vit, "server", "batches") == 0);
    assert_true(json_is_null(json_object_get(json_object_get(vit, "server"), "queue_ms")));
    assert_true(json_is_null(json_object_get(json_object_get(vit, "server"), "goodput_per_s")));
    assert_int_equal(json_object_size(json_object_get(vit, "batch_sizes")), 0);
    assert_true(json_is_object(json_object_get(vit, "batch_sizes")));
    assert_null(json_object_get(vit, "tokens"));
    assert_null(json_object_get(train, "server"));
    assert_true(json_is_null(json_object_get(train, "alone_overloaded")));
    assert_true(json_is_null(json_object_get(train, "sharing_ms_p99")));
    FREED_BY(free) char *csv = written(REPORT_CSV, &report, 1);
    assert_non_null(strstr(csv, ",app,vit,server_queue_ms,\n"));
    assert_null(strstr(csv, ",app,train,server_queue_ms,"));
}

TEST(names_are_escaped) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    report.workload = "a \"quoted\", b\\c\n\x01 \xff \xc3\xa9";
    FREED_BY(json_decref) json_t *root = parsed(REPORT_JSON, &report, 1);
    assert_string_equal(json_string_value(json_object_get(root, "workload")),
                        "a \"quoted\", b\\c\n\x01 \xef\xbf\xbd \xc3\xa9");
    FREED_BY(free) char *csv = written(REPORT_CSV, &report, 1);
    assert_non_null(strstr(csv, "\n\"a \"\"quoted\"\", b\\c\n"));
}

TEST(several_reports_are_an_array) {
    struct report_app apps[2];
    struct report reports[2] = {sample_report(apps), sample_report(apps)};
    FREED_BY(json_decref) json_t *root = parsed(REPORT_JSON, reports, 2);
    assert_int_equal(json_array_size(root), 2);
}

TEST(csv_has_one_row_per_measure) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    report.policy = "mps";
    FREED_BY(free) char *csv = written(REPORT_CSV, &report, 1);
    const char *start = "workload,gpu,policy,seed,reps,scope,name,measure,value\n";
    assert_int_equal(strncmp(csv, start, strlen(start)), 0);
    assert_non_null(strstr(csv, "\nvit-with-train,h100,mps,7,1,app,vit,latency_ms_p99,66\n"));
    assert_non_null(
        strstr(csv, "\nvit-with-train,h100,mps,7,1,app,vit,p99_over_qos_ci95_low,1.28\n"));
    assert_non_null(strstr(csv, "\nvit-with-train,h100,mps,7,1,app,train,qos_ms,\n"));
    assert_non_null(strstr(csv, "\nvit-with-train,h100,mps,7,1,system,,stp,1.25\n"));
    assert_non_null(strstr(csv, "\nvit-with-train,h100,mps,7,1,device,,hw_queues,32\n"));
    assert_non_null(strstr(csv, "\nvit-with-train,h100,mps,7,1,policy,,calls,17\n"));
}

static void check_width(const char *text) {
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        if (length > 80)
            fail_msg("%zu columns: %.*s", length, (int)length, line);
        if (length && line[length - 1] == ' ')
            fail_msg("ends in a space: %.*s", (int)length, line);
    }
}

TEST(text_fits_80_columns) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    apps[1].name = "a_batch_application_whose_name_is_longer_than_any_table_could_hold_in_one_line";
    apps[1].latency_ms = (struct report_latency){.mean = 123456.7,
                                                 .p50 = 123456.7,
                                                 .p90 = 1,
                                                 .p95 = 123456.7,
                                                 .p99 = 123456.7,
                                                 .max = 1,
                                                 .mean_low = 1,
                                                 .mean_high = 1,
                                                 .p99_low = 123456.7,
                                                 .p99_high = 123456.7};
    FREED_BY(free) char *text = written(REPORT_TEXT, &report, 1);
    check_width(text);
    assert_non_null(
        strstr(text, "VIOLATED vit: p99 of 66 ms is 1.32 of its target of 50 ms; 6.25 % of its"));
    assert_non_null(
        strstr(text, "solo_work 40, sm_share 20.5, dram 5.25; delayed by train 20.5, vit 1.25"));
    assert_null(strstr(text, " nan"));
}

/* A run that ends before a job does has no p99, and that is no number. */
TEST(no_p99_is_said_in_words) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    apps[0].latency_ms = report_app_unknown().latency_ms;
    apps[0].p99_over_qos = apps[0].late_fraction = NAN;
    apps[0].qos_met = REPORT_OPEN;
    FREED_BY(free) char *text = written(REPORT_TEXT, &report, 1);
    assert_non_null(strstr(text, "  open vit: no p99 to hold against its target of 50 ms, since no "
                                 "job that came\n    after the warm-up has ended\n"));
    assert_null(strstr(text, "- ms"));
}

/* What stands beside the name of a row. */
static const char *value_of(const char *text, const char *name) {
    const char *row = strstr(text, name);
    assert_non_null(row);
    return row + strlen(name) + strspn(row + strlen(name), " ");
}

/* Each kind of input on its own, the largest part first, nothing of what plays no part. */
TEST(coverage_is_said_by_kind) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    FREED_BY(free) char *text = written(REPORT_TEXT, &report, 1);
    assert_non_null(
        strstr(text, "  durations, by time on the device: 88 % measured, 12 % derived\n"));
    assert_non_null(strstr(text, "  geometry, by time on the device: 100 % measured\n"));
    assert_non_null(strstr(text,
                           "  memory demand, by time on the device: 87 % unknown, 12 % derived, "
                           "under 1 %\n    given\n"));
    assert_int_equal(strncmp(value_of(text, "DRAM use"), "unknown ", 8), 0);
    free(text);
    report.system.dram_utilisation = 0.5;
    report.inputs = report_unknown().inputs; /* of an earlier version's store */
    text = written(REPORT_TEXT, &report, 1);
    assert_null(strstr(text, "by time on the device"));
    assert_int_equal(strncmp(value_of(text, "DRAM use"), "0.500 ", 6), 0);
}

TEST(overload_is_said) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    apps[0].overloaded = REPORT_YES;
    apps[0].backlog_jobs = 321;
    apps[0].latency_ms = (struct report_latency){.mean = 999999,
                                                 .p50 = 999999,
                                                 .p90 = 1,
                                                 .p95 = 999999,
                                                 .p99 = 999999,
                                                 .max = 1,
                                                 .mean_low = 1,
                                                 .mean_high = 1,
                                                 .p99_low = 1,
                                                 .p99_high = 1e7};
    report.oracle = REPORT_YES;
    FREED_BY(free) char *text = written(REPORT_TEXT, &report, 1);
    assert_non_null(strstr(text, "OVERLOADED vit: 321 jobs wait at the end"));
    assert_non_null(strstr(text, ">999999              -"));
    assert_non_null(strstr(text, "p99 of >999999 ms is >1.32 of its target"));
    assert_non_null(strstr(text, "ORACLE"));
    check_width(text);
}

/* What of the system's measures is a bound, with the mark before the number. */
static void check_bounds(const struct report *report, const char *marks[3]) {
    static const char *const titles[] = {"\n  STP", "\n  ANTT", "\n  fairness"};
    char *text = written(REPORT_TEXT, report, 1);
    for (size_t i = 0; i < CT_COUNT_OF(titles); i++) {
        size_t length = strlen(marks[i]);
        assert_int_equal(strncmp(value_of(text, titles[i]), marks[i], length), 0);
        assert_true(isdigit(value_of(text, titles[i])[length]));
    }
    free(text);
}

/* The progress of a service that keeps up alone falls with the length of the run, and is an upper
 * bound; that of batch work is work over work. */
TEST(progress_under_overload_is_a_bound) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    apps[0].normalised_progress = 0.25;
    apps[1].normalised_progress = 0.625;
    report.system.stp = 0.75;
    report.system.antt = 3;
    report.system.fairness = 0.5;
    check_bounds(&report, (const char *[]){"", "", ""});
    apps[0].overloaded = REPORT_YES;
    apps[0].backlog_jobs = 321;
    check_bounds(&report, (const char *[]){"<", ">", "<"});
    char *text = written(REPORT_TEXT, &report, 1);
    assert_non_null(strstr(text, " <0.250 "));
    assert_null(strstr(text, "<0.625"));
    free(text);
    apps[0].normalised_progress = 0.75; /* the largest: fairness may rise or fall */
    check_bounds(&report, (const char *[]){"<", ">", ""});
    apps[0].alone_overloaded = REPORT_YES;
    check_bounds(&report, (const char *[]){"", "", ""});
    text = written(REPORT_MARKDOWN, &report, 1);
    assert_non_null(strstr(text, "ANTT and fairness with it"));
    free(text);
    apps[0].alone_overloaded = REPORT_NO;
    apps[0].overloaded = REPORT_NO;
    apps[1].overloaded = REPORT_YES;
    check_bounds(&report, (const char *[]){"", "", ""});
}

static const struct report_difference differences[] = {
    {"p99_ms", "vit", "mps", "baymax:margin=0.2", 66, 50, -16, -20, -12, -20.5, -11, 1e-5, 2e-5,
     3e-5, REPORT_BETTER, REPORT_UNKNOWN},
    {"batch_throughput_normalised", NULL, "mps", "baymax:margin=0.2", 1, 1.01, 0.01, -0.1, 0.12,
     -0.2, 0.24, 0.5, 1, 1, REPORT_NOT_SEPARABLE, 45},
};

static char *compared(enum report_format format) {
    struct report_app apps[2], others[2];
    struct report reports[2] = {sample_report(apps), sample_report(others)};
    struct report_comparison comparison = {reports, 2, differences, CT_COUNT_OF(differences)};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    reports[0].policy = "mps";
    reports[0].system.sm_utilisation = 0.1; /* another schedule */
    apps[0].band.p99_ms = (struct report_range){60, 70, 66};
    reports[1].system.band.batch_throughput_normalised = (struct report_range){0.5, 1.5, 1};
    reports[1].system.band.best = 0.75;
    assert_int_equal(report_write_comparison(format, &comparison, out), CT_OK);
    fclose(out);
    return text;
}

TEST(comparison_in_json) {
    FREED_BY(free) char *text = compared(REPORT_JSON);
    FREED_BY(json_decref) json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")),
                        "cotenant.comparison/1");
    assert_int_equal(json_array_size(json_object_get(root, "reports")), 2);
    json_t *first = json_array_get(json_object_get(root, "comparisons"), 0);
    json_t *second = json_array_get(json_object_get(root, "comparisons"), 1);
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "better");
    assert_true(json_is_null(json_object_get(first, "more_reps")));
    assert_true(json_number_value(json_array_get(json_object_get(first, "ci95"), 0)) == -20);
    assert_true(json_number_value(json_array_get(json_object_get(first, "simultaneous"), 0)) ==
                -20.5);
    assert_string_equal(json_string_value(json_object_get(second, "verdict")), "open");
    assert_true(json_is_null(json_object_get(second, "app")));
    assert_int_equal(json_integer_value(json_object_get(second, "more_reps")), 45);
}

TEST(comparison_in_text) {
    FREED_BY(free) char *text = compared(REPORT_TEXT);
    check_width(text);
    assert_non_null(strstr(text, "1.32!   [1.28, 1.37]"));
    assert_non_null(strstr(text, "baymax:margin=0.2 against mps"));
    assert_non_null(strstr(text, "[-20.50, -11.00]  <0.001  better"));
    assert_non_null(strstr(text, "open +45"));
}

/* Noughts are not listed; the reason is. */
TEST(identical_policies_are_called_so) {
    struct report_app apps[2], others[2];
    struct report reports[2] = {sample_report(apps), sample_report(others)};
    struct report_comparison comparison = {reports, 2, differences, CT_COUNT_OF(differences)};
    FREED_BY(free) char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    reports[0].policy = "mps";
    reports[0].reps = 2;
    assert_int_equal(report_write_comparison(REPORT_TEXT, &comparison, out), CT_OK);
    fclose(out);
    assert_non_null(strstr(text, "Identical: the same schedule in every replication, since they "));
    assert_null(strstr(text, "-20.50"));
    assert_non_null(strstr(text, "Two replications tell"));
    assert_null(strstr(strstr(text, "Two replications tell") + 1, "Two replications tell"));
}

TEST(comparison_in_csv_and_markdown) {
    FREED_BY(free) char *csv = compared(REPORT_CSV), *markdown = compared(REPORT_MARKDOWN);
    assert_non_null(strstr(csv, "\np99_ms,vit,mps,baymax:margin=0.2,66,50,-16,-20,-12,1e-05,2e-05,"
                                "better,,-20.5,-11,3e-05,60,70,,"
                                ",,0.75\n"));
    assert_non_null(strstr(csv, "\nbatch_throughput_normalised,,mps,baymax:margin=0.2,1,1.01,0.01,-"
                                "0.1,0.12,0.5,1,open,45,-0.2,0.24,1,,,,0.5,1.5,0.75\n"));
    assert_non_null(strstr(
        markdown, "| mps | vit | 1.32! | [1.28, 1.37] | 6.25 | 0.50 | 1.25 | 1.67 | 0.67 |\n"));
}

/* /dev/full takes nothing: the error shows when the buffer is written. */
TEST(a_full_disk_is_told) {
    struct report_app apps[2];
    struct report report = sample_report(apps);
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    setvbuf(out, NULL, _IONBF, 0);
    for (int format = 0; format < REPORT_FORMAT_COUNT; format++)
        assert_int_equal(report_write((enum report_format)format, &report, 1, out), CT_DATA);
    fclose(out);
}
