/* The file of `dram fit` as the fluid model reads it. */
#include "cmocka_complete.h"
#include "workload/dram_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"schema\": \"cotenant.dram/1\", \"line\": {\"c1\": 0.5, \"c2\": 0.36}, \"curve\": "

/* Writes the text to a file of its own and reads that. */
static int read_text(const char *text, struct dram_file *file, struct ct_arena *arena,
                     struct ct_diags *diags) {
    char path[] = "/tmp/cotenant-dram-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *out = fdopen(descriptor, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    int status = dram_file_read(path, file, arena, diags);
    unlink(path);
    return status;
}

TEST(line_and_curve_are_read) {
    struct dram_file file;
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    int status = read_text(HEAD "[{\"rbh\": 0, \"utilisation\": 0.25}, "
                                "{\"rbh\": 1, \"utilisation\": 0.5}], \"more\": 1}",
                           &file, &arena, &diags);
    assert_int_equal(status, CT_OK);
    assert_int_equal(diags.count, 0);
    assert_true(file.line_slope == 0.5 && file.line_base == 0.36);
    assert_int_equal(file.curve.count, 2);
    assert_true(file.curve.items[1].row_hit_rate == 1.0 && file.curve.items[1].utilisation == 0.5);
}

TEST(wrong_files_are_refused) {
    static const struct {
        const char *text, *where, *word;
    } cases[] = {
        {"{\"schema\": \"cotenant.workload/1\"}", "schema", "cotenant.dram/1"},
        {"{\"line\": {}}", "",
         "key 'schema' is missing: it is 'cotenant.dram/1', which 'cotenant dram fit' writes"},
        {"{\"schema\": \"cotenant.dram/1\"}", "line.c1", "missing"},
        {"{\"schema\": \"cotenant.dram/1\", \"line\": {\"c1\": 2, \"c2\": 0}}", "line.c1",
         "0 to 1"},
        {"{\"schema\": \"cotenant.dram/1\", \"line\": {\"c1\": 1, \"c2\": 0}}", "line.c2",
         "above 0"},
        {HEAD "3}", "curve", "two points"},
        {HEAD "[{\"rbh\": 0, \"utilisation\": 0.5}]}", "curve", "two points"},
        {HEAD "[{\"rbh\": 0, \"utilisation\": 0.5}, {\"rbh\": 0, \"utilisation\": 0.6}]}",
         "curve[1]", "rise"},
        {HEAD "[{\"rbh\": 0, \"utilisation\": 0.5}, {\"rbh\": 1, \"utilisation\": 0.4}]}",
         "curve[1]", "rise"},
        {HEAD "[{\"rbh\": 0, \"utilisation\": 0}, {\"rbh\": 1, \"utilisation\": 0.4}]}", "curve[0]",
         "rise"},
        {HEAD "[{\"rbh\": 0}, {}]}", "curve[0].utilisation", "missing"},
        {"{", "", ""},
    };
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        struct dram_file file;
        CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        assert_int_equal(read_text(cases[i].text, &file, &arena, &diags), CT_USAGE);
        assert_true(diags.errors > 0);
        if (!strstr(diags.items[0].where, cases[i].where) ||
            !strstr(diags.items[0].text, cases[i].word))
            fail_msg("case %zu: %s: %s", i, diags.items[0].where, diags.items[0].text);
    }
}

TEST(no_file_is_data) {
    struct dram_file file;
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(dram_file_read("/nonexistent/d.json", &file, &arena, &diags), CT_DATA);
    assert_int_equal(diags.errors, 1);
}
