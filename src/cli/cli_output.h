/* Paths of what a command writes. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/ct_diag.h"

/* Before long work: whether a file can be put there, if `path` is not NULL. enum ct_status. */
int cli_probe_output(const char *path, struct ct_diags *diags);

/* Makes a folder, unless there is one or `path` is NULL. enum ct_status. */
int cli_make_folder(const char *path, struct ct_diags *diags);

#endif
