/* A file that a command writes. What lay at its path stays there until the new one is whole. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "ct_diag.h"

#include <stdio.h>

struct cli_output {
    FILE *file;       /* NULL: not open */
    const char *path; /* as the user gave it */
    char *part;       /* what is written until the end; NULL: the path itself, a link or a device */
};

/* Whether two paths lead to the same file; NULL and what is not there lead nowhere. */
bool cli_same_file(const char *a, const char *b);

/* Makes a folder, unless there is one or `path` is NULL. enum ct_status. */
int cli_make_folder(const char *path, struct ct_diags *diags);

/* Opens it to be written; false after an error. Whether the path is that of an input is for the
 * caller to ask. A zero-initialised output may be closed. */
bool cli_output_open(struct cli_output *output, const char *path, struct ct_diags *diags);

/* Puts the file in its place if `status` is CT_OK and every byte was written, else removes it.
 * Returns `status`, or CT_DATA after an error. */
int cli_output_close(struct cli_output *output, int status, struct ct_diags *diags);

#endif
