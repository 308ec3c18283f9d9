/* A trace store as a recording. */
#include "ingest/import_formats.h"

/* What is wrong with it is said when its applications are taken. */
static int read_store(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    (void)diags;
    import_store(builder, path);
    return CT_OK;
}

const struct import_format import_format_store = {
    .name = "store", .read = read_store, .table = "library_call"};
