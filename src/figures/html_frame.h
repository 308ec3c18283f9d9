/* The frame of every page: page.html with its style, the chart library, a page's own programs and
 * its data. */
#ifndef HTML_FRAME_H
#define HTML_FRAME_H

#include "base/ct_diag.h"

#include <stdio.h>

/* Files of src/figures/page/, turned into arrays when the program is built
 * (cmake/EmbedFiles.cmake).
 */
struct html_asset {
    const unsigned char *bytes;
    size_t size;
};
extern const struct html_asset html_asset_page, /* page.html, with {marks} for what follows */
    html_asset_style,                           /* page.css */
    html_asset_library,                         /* the chart library with its licence */
    html_asset_core;                            /* what opens the program in a page (core.js) */
/* The programs of each page, in order. */
extern const struct html_asset html_asset_script, html_asset_advice, html_asset_plan,
    html_asset_cluster;

/* A file that a page carries; texts and bytes are the caller's. */
struct html_file {
    const char *name;
    const void *bytes;
    size_t size;
};

/* The program as WebAssembly, for a page that runs it. */
struct html_live {
    const char *version;           /* of that program */
    struct html_file core;         /* core.tar.gz of scripts/lessons */
    const struct html_file *files; /* recordings that its workloads name; no two of one name */
    size_t file_count;
};

struct html_frame {
    const char *title;
    const struct html_asset *script;
    /* Writes the data as JSON. enum ct_status. */
    int (*write_data)(void *context, FILE *out);
    void *context;
    const struct html_live *live; /* NULL: the page runs nothing */
};

/* enum ct_status: that of `write_data`. */
int html_frame_write(const struct html_frame *frame, FILE *out);
int html_frame_write_file(const struct html_frame *frame, const char *path, struct ct_diags *diags);

/* Bytes in base64, to be freed; NULL when memory ran out. */
char *html_base64(const void *bytes, size_t size);

#endif
