/* One import from beginning to end, for the tests of the readers: a small file of the test's own,
 * or a real one. */
#ifndef IMPORT_CASE_H
#define IMPORT_CASE_H

#include "ingest/import_builder.h"
#include "ingest/import_formats.h"
#include "unit/base/file_case.h"

struct import_case {
    struct ct_diags diags;
    struct trace_set set;
    struct import_summary summary;
    int status;
};

/* Reads one file, or two into the same applications (`second` may be NULL), with the GPU given. */
static inline struct import_case case_import_cut(import_reader *reader, const char *path,
                                                 const char *second, const char *gpu,
                                                 enum import_cut cut) {
    struct import_case c = {0};
    const struct import_options options = {.app_name = "app", .gpu = gpu, .cut = cut, .device = -1};
    struct import_builder *builder = import_begin(&options, &c.diags);
    assert_non_null(builder);
    c.status = reader(builder, path, &c.diags);
    if (c.status == CT_OK && second)
        c.status = reader(builder, second, &c.diags);
    if (c.status == CT_OK)
        c.status = import_finish(builder, &c.set, &c.summary);
    else
        import_abandon(builder);
    assert_true((c.status == CT_OK) == (c.diags.errors == 0));
    return c;
}

/* case_import_cut of a recording that is one job. */
static inline struct import_case case_import(import_reader *reader, const char *path,
                                             const char *second, const char *gpu) {
    return case_import_cut(reader, path, second, gpu, IMPORT_CUT_WHOLE);
}

static inline void case_free(struct import_case *c) {
    ct_diags_free(&c->diags);
    trace_set_free(&c->set);
    import_summary_free(&c->summary);
}

/* Imports a file that the test writes; it must fail with this error at this place. */
static inline void case_refused(import_reader *reader, const char *path, const char *content,
                                const char *where, const char *text) {
    case_write(path, content);
    struct import_case c = case_import(reader, path, NULL, "v100");
    assert_int_equal(c.status, CT_DATA);
    assert_true(case_said(&c.diags, CT_ERROR, where, text));
    case_free(&c);
    remove(path);
}

/*
 * Imports every beginning of a file: each must end with a status and, where it is refused, with an
 * error. Returns how many were refused.
 */
static inline size_t case_truncations(import_reader *reader, const char *path, const char *content,
                                      size_t size) {
    size_t refused = 0;
    for (size_t length = 0; length < size; length++) {
        case_write_bytes(path, content, length);
        struct import_case c = case_import(reader, path, NULL, "v100");
        refused += c.status != CT_OK;
        case_free(&c);
    }
    remove(path);
    return refused;
}

#endif
