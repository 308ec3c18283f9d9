/* Files that a caller serves from memory. */
#ifndef CT_FILES_H
#define CT_FILES_H

#include "base/ct_types.h"

/* Who is asked for a file before the file system is. Zero-initialised it serves nothing. */
struct ct_files {
    void *context;
    /* The content of a file, which stays as it is while anybody reads from here; NULL: the file
     * system is asked. */
    const void *(*content)(void *context, const char *path, size_t *size);
};

/* The content that is served for a path, and its size; NULL (size 0): read the file. `files` may be
 * NULL. */
static inline const void *ct_files_content(const struct ct_files *files, const char *path,
                                           size_t *size) {
    *size = 0;
    return files && files->content ? files->content(files->context, path, size) : NULL;
}

#endif
