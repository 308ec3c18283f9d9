/* What a profiler's text holds, by its header. */
#include "import_case.h"
#include "ingest/import_formats.h"

static const char *const file = "test_import_formats.csv";

static const struct import_format *metrics_of(const char *text) {
    case_write(file, text);
    const struct import_format *format = import_content_of(file).metrics;
    remove(file);
    return format;
}

TEST(headers) {
    assert_ptr_equal(metrics_of("==1== NVPROF is profiling process 1\n==1== Metric result:\n"
                                "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
                                "Description\",\"Min\",\"Max\",\"Avg\"\n"),
                     &import_format_nvprof);
    assert_ptr_equal(metrics_of("==PROF== Connected\n\"ID\",\"Kernel Name\",\"Metric "
                                "Name\",\"Metric Unit\",\"Metric Value\"\n"),
                     &import_format_ncu);
    assert_null(metrics_of("\"Metric Name\",\"Min\"\n\"Metric Unit\",\"x\"\n"));
    assert_null(metrics_of("{\"traceEvents\": []}"));
    assert_null(metrics_of(""));
    assert_null(import_content_of("no_such_file.csv").metrics);
}

static const char *format_of(const char *text) {
    case_write(file, text);
    const struct import_format *format = import_content_of(file).format;
    remove(file);
    return format ? format->name : "none";
}

TEST(formats) {
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
    assert_null(import_content_of("no_such_file.csv").format);
}
