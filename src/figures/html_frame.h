/* The frame of every page: page.html with its style, the chart library, a page's own programs and
 * its data. */
#ifndef HTML_FRAME_H
#define HTML_FRAME_H

#include "base/ct_diag.h"
#include "figures/html_assets.h"

#include <stdio.h>

struct html_frame {
    const char *title;
    const struct html_asset *script;
    /* Writes the data as JSON. enum ct_status. */
    int (*write_data)(void *context, FILE *out);
    void *context;
};

/* enum ct_status: that of `write_data`. */
int html_frame_write(const struct html_frame *frame, FILE *out);
int html_frame_write_file(const struct html_frame *frame, const char *path, struct ct_diags *diags);

#endif
