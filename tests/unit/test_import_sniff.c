/* What a profiler's text holds, by its header. */
#include "import_case.h"
#include "ingest/import_sniff.h"

static const char *const file = "test_import_sniff.csv";

static enum import_content content_of(const char *text) {
    case_write(file, text);
    enum import_content content = import_sniff(file);
    remove(file);
    return content;
}

static void headers(void **state) {
    (void)state;
    assert_int_equal(content_of("==1== NVPROF is profiling process 1\n==1== Metric result:\n"
                                "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
                                "Description\",\"Min\",\"Max\",\"Avg\"\n"),
                     IMPORT_NVPROF_METRICS);
    assert_int_equal(content_of("==PROF== Connected\n\"ID\",\"Kernel Name\",\"Metric "
                                "Name\",\"Metric Unit\",\"Metric Value\"\n"),
                     IMPORT_NCU_METRICS);
    assert_int_equal(content_of("\"Metric Name\",\"Min\"\n\"Metric Unit\",\"x\"\n"),
                     IMPORT_RECORDING);
    assert_int_equal(content_of("{\"traceEvents\": []}"), IMPORT_RECORDING);
    assert_int_equal(content_of(""), IMPORT_RECORDING);
    assert_int_equal(import_sniff("no_such_file.csv"), IMPORT_RECORDING);
}

static const char *format_of(const char *text) {
    case_write(file, text);
    const char *format = import_sniff_format(file);
    remove(file);
    return format ? format : "none";
}

static void formats(void **state) {
    (void)state;
    assert_string_equal(format_of("SQLite format 3 and so on"), "nsys");
    assert_string_equal(format_of("Start (ns),Duration (ns),CorrId,GrdX\n"), "nsys");
    assert_string_equal(format_of("\xef\xbb\xbf\n {\"traceEvents\": []}"), "kineto");
    assert_string_equal(format_of("[]"), "kineto");
    /* what the program itself printed stands before the header */
    assert_string_equal(format_of("Start of my program\n==1== Profiling result:\n\"Start\","
                                  "\"Duration\",\"Grid X\",\"Size\",\"Throughput\"\n"),
                        "nvprof");
    assert_string_equal(format_of("\"Device\",\"Metric Name\",\"Metric Description\"\n"), "nvprof");
    assert_string_equal(format_of("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\"\n"),
                        "ncu");
    assert_string_equal(format_of("Name,Profile,Memory_footprint,SM_usage,Duration\n"), "orion");
    assert_string_equal(format_of("Start\nDuration\nGrid X\nThroughput\n"), "none");
    assert_string_equal(format_of("a letter"), "none");
    assert_string_equal(format_of(""), "none");
    assert_null(import_sniff_format("no_such_file.csv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(headers), cmocka_unit_test(formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
