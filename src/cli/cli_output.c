#include "cli_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_same_file(const char *a, const char *b) {
    struct stat one, other;
    return a && b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

int cli_make_folder(const char *path, struct ct_diags *diags) {
    struct stat status;
    if (!path || mkdir(path, 0777) == 0)
        return CT_OK;
    int reason = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return CT_OK;
    if (reason != EEXIST)
        return ct_file_error(diags, path, "make the folder", reason);
    ct_error(diags, path, "cannot make the folder: there is a file of this name");
    return CT_DATA;
}

static char *part_of(const char *path) {
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    if (part)
        snprintf(part, size, "%s.part", path);
    return part;
}

static void release(struct cli_output *output) {
    free(output->part);
    *output = (struct cli_output){0};
}

bool cli_output_open(struct cli_output *output, const char *path, struct ct_diags *diags) {
    struct stat status;
    bool plain = lstat(path, &status) != 0 || S_ISREG(status.st_mode);
    *output = (struct cli_output){.path = path, .part = plain ? part_of(path) : NULL};
    if (plain && !output->part)
        ct_out_of_memory(diags);
    else if (!(output->file = fopen(plain ? output->part : path, "w")))
        ct_file_error(diags, path, "write it", errno);
    if (output->file)
        return true;
    release(output);
    return false;
}

int cli_output_close(struct cli_output *output, int status, struct ct_diags *diags) {
    if (!output->file)
        return status;
    bool failed = ferror(output->file) != 0;
    int reason = errno;
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
