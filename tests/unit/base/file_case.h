/* What tests of readers share: files that they write, what was said of them, and real ones. */
#ifndef FILE_CASE_H
#define FILE_CASE_H

#include "base/ct_diag.h"
#include "cmocka_complete.h"

#include <stdio.h>
#include <string.h>

static inline void case_write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void case_write(const char *path, const char *text) {
    case_write_bytes(path, text, strlen(text));
}

static inline bool case_said(const struct ct_diags *diags, enum ct_severity severity,
                             const char *where, const char *text) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == severity && strcmp(diags->items[i].where, where) == 0 &&
            strstr(diags->items[i].text, text))
            return true;
    for (size_t i = 0; i < diags->count; i++)
        print_message("said: %s: %s\n", diags->items[i].where, diags->items[i].text);
    return false;
}

/* The shared recordings beside the source folder, or NULL with a word when they are not there. */
static inline const char *case_data(const char *file, char *path, size_t size) {
    snprintf(path, size, "%s/../shared/data/%s", COTENANT_SOURCE_DIR, file);
    FILE *there = fopen(path, "rb");
    if (there)
        fclose(there);
    else
        print_message("skipped: %s is not there\n", file);
    return there ? path : NULL;
}

#endif
