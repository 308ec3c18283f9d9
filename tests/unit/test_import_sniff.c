/* What a profiler's text holds, by its header. */
#include "import_case.h"
#include "import_sniff.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
