#include "format/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *part_of(const char *path) {
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    if (part)
        snprintf(part, size, "%s.part", path);
    return part;
}

static void release(struct output_file *output) {
    free(output->part);
    *output = (struct output_file){0};
}

bool output_file_open(struct output_file *output, const char *path, struct ct_diags *diags) {
    struct stat status;
    bool plain = lstat(path, &status) != 0 || S_ISREG(status.st_mode);
    *output = (struct output_file){.path = path, .part = plain ? part_of(path) : NULL};
    if (plain && !output->part)
        ct_out_of_memory(diags);
    else if (!(output->file = fopen(plain ? output->part : path, "w")))
        ct_file_error(diags, path, "write it", errno);
    if (output->file)
        return true;
    release(output);
    return false;
}

int output_file_close(struct output_file *output, int status, struct ct_diags *diags) {
    if (!output->file)
        return status;
    bool failed = ferror(output->file) != 0 || fflush(output->file) != 0;
    int reason = errno; /* closing may leave another one */
    if (fclose(output->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed && (status == CT_OK || !diags->errors))
        status = ct_file_error(diags, output->path, "write it", reason);
    if (output->part && status == CT_OK && rename(output->part, output->path) != 0)
        status = ct_file_error(diags, output->path, "write it", errno);
    if (output->part && status != CT_OK)
        remove(output->part);
    release(output);
    return status;
}

void output_file_drop(struct output_file *output) {
    struct ct_diags ignored = {0};
    output_file_close(output, CT_DATA, &ignored);
    ct_diags_free(&ignored);
}
