#include "cli/cli.h"
#include "format/output_file.h"

#include <errno.h>
#include <sys/stat.h>

int cli_probe_output(const char *path, struct ct_diags *diags) {
    return !path || output_file_probe(path, diags) ? CT_OK : CT_DATA;
}

int cli_make_folder(const char *path, struct ct_diags *diags) {
    struct stat status;
    if (!path)
        return CT_OK;
    if (mkdir(path, 0777) == 0) {
        cli_made_folder(path);
        return CT_OK;
    }
    int reason = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return CT_OK;
    if (reason != EEXIST)
        return ct_file_error(diags, path, "make the folder", reason);
    return ct_data_error(diags, path, "cannot make the folder: there is a file of this name");
}
