/* Orion's profiles: names with commas, SM usage as blocks, classes, and the fifteen recordings. */
#include "import_case.h"

#include <dirent.h>
#include <stdlib.h>

static const char *const file = "test_orion.txt";

#define HEADER "Name,Profile,Memory_footprint,SM_usage,Duration\n"

static const char *const profile = HEADER "Conv,1,0,98,102656\n"
                                          "void kernel<2, true, int>,0,0,1,3104\n"
                                          "BatchNorm,-1,0,64,37920\n";

TEST(rows) {
    case_write(file, profile);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_orion.read, file, NULL, "v100");
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(app->jobs.count, 1);
    assert_int_equal(app->tasks.count, 3);
    assert_int_equal(app->stream_count, 1);
    assert_int_equal(t[0].duration_ps, INT64_C(102656000));
    assert_int_equal(t[1].start_ps, INT64_C(102656000));
    assert_int_equal(t[2].start_ps, INT64_C(105760000));
    const struct trace_kernel *k = &app->kernels.items[t[1].kernel];
    assert_string_equal(k->name, "void kernel<2, true, int>");
    assert_float_equal(k->metrics.dram_fraction, 0.65, 1e-12);
    k = &app->kernels.items[t[0].kernel];
    assert_float_equal(k->metrics.dram_fraction, 0.30, 1e-12);
    assert_int_equal(k->grid[0], 98);
    /* one such block takes all 65536 registers of an SM: 98 blocks fill 98 SMs */
    assert_int_equal(k->block[0] * k->registers_per_thread, 65536);
    assert_int_equal(k->geometry_provenance, CT_ASSUMED);
    assert_int_equal(k->demand_provenance, CT_ASSUMED);
    assert_true(isnan(app->kernels.items[t[2].kernel].metrics.dram_fraction));
    remove(file);
}

static void refused(const char *content, const char *where, const char *text) {
    case_refused(import_format_orion.read, file, content, where, text);
}

TEST(mistakes) {
    refused("", "test_orion.txt", "is no profile of Orion");
    refused("a,b,c\n1,2,3\n", "test_orion.txt", "is no profile of Orion");
    refused(HEADER, "test_orion.txt", "the profile has no rows");
    refused(HEADER "Conv,1,0,98\n", "test_orion.txt:2",
            "the row has 4 fields where the header has 5");
    refused(HEADER "Conv,2,0,98,5\n", "test_orion.txt:2", "'2' is no class");
    refused(HEADER "Conv,1,0,0,5\n", "test_orion.txt:2", "'0' is no number of SMs from 1 on");
    refused(HEADER "Conv,1,0,98,-5\n", "test_orion.txt:2", "the duration is negative");
    refused(HEADER "Conv,1,0,98,x\n", "test_orion.txt:2", "'x' is no duration in ns");
    refused(HEADER ",1,0,98,5\n", "test_orion.txt:2", "the kernel has no name");
    refused(HEADER "Conv,1,0,98,9223372036854775\nConv,1,0,98,5\n", "test_orion.txt:3",
            "'5' is no duration in ns below 106 days");
}

/* A beginning can pass only with a digit of a duration or a row's end as its last: 6 + 1, 4 + 1 and
 * 5 of them. */
TEST(truncations) {
    size_t size = strlen(profile);
    assert_int_equal(case_truncations(import_format_orion.read, file, profile, size),
                     size - 7 - 5 - 5);
}

static int names_profile(const struct dirent *entry) {
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "LICENSE") != 0;
}

/* 19,060 rows in 15 files, counted by another program. */
TEST(recordings) {
    char folder[512], path[1024];
    struct dirent **names;
    uint64_t kept = 0;
    snprintf(folder, sizeof folder, "%s/../shared/data/orion", COTENANT_SOURCE_DIR);
    int count = scandir(folder, &names, names_profile, alphasort);
    if (count < 0) {
        print_message("skipped: orion is not there\n");
        return;
    }
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        CLOSED_BY(case_free)
        struct import_case c = case_import(import_format_orion.read, path, NULL, "v100");
        assert_int_equal(c.status, CT_OK);
        assert_int_equal(c.summary.left_out, 0);
        kept += c.summary.kept;
        free(names[i]);
    }
    free(names);
    assert_int_equal(count, 15);
    assert_int_equal(kept, 19060);
}
