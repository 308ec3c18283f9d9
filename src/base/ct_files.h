/* Files that a caller serves from memory, and which ones were read. */
#ifndef CT_FILES_H
#define CT_FILES_H

#include "base/ct_intern.h"
#include "base/ct_types.h"

#include <stdatomic.h>

/* The paths of what was read. Zero-initialise; free with ct_intern_free(&list.paths). */
struct ct_files_read {
    struct ct_intern paths;
    atomic_flag taken; /* threads read, too */
};

/* Who is asked for a file before the file system is. Zero-initialised it serves nothing. */
struct ct_files {
    void *context;
    /* The content of a file, which stays as it is while anybody reads from here; NULL: the file
     * system is asked. */
    const void *(*content)(void *context, const char *path, size_t *size);
    struct ct_files_read *read; /* where ct_files_note notes; NULL: nowhere */
};

/* The content that is served for a path, and its size; NULL (size 0): read the file. `files` may be
 * NULL. */
static inline const void *ct_files_content(const struct ct_files *files, const char *path,
                                           size_t *size) {
    *size = 0;
    return files && files->content ? files->content(files->context, path, size) : NULL;
}

/* Notes a file that is read or added to, whose place no output may take (output_file.h). Whoever
 * opens one says so. `files` may be NULL. */
void ct_files_note(const struct ct_files *files, const char *path);

#endif
