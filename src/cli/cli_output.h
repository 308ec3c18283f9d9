/* Paths of what a command writes. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/ct_diag.h"

/* Whether two paths lead to the same file; NULL and what is not there lead nowhere. */
bool cli_same_file(const char *a, const char *b);

/* Makes a folder, unless there is one or `path` is NULL. enum ct_status. */
int cli_make_folder(const char *path, struct ct_diags *diags);

#endif
