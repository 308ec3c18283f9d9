#include "format/file_reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int file_reason(const char *path, int reason) {
    const char *slash = strrchr(path, '/');
    if (reason != ENOENT)
        return reason;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder && access(folder, W_OK) != 0)
        reason = errno;
    free(folder);
    return reason;
}
