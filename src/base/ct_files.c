#include "base/ct_files.h"

void ct_files_note(const struct ct_files *files, const char *path) {
    struct ct_files_read *read = files ? files->read : NULL;
    if (!read)
        return;
    while (atomic_flag_test_and_set(&read->taken)) {
    }
    ct_intern_text(&read->paths, path);
    atomic_flag_clear(&read->taken);
}
