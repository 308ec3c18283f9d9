/* The files of src/figures/page/, turned into arrays when the program is built
 * (cmake/EmbedFiles.cmake). */
#ifndef HTML_ASSETS_H
#define HTML_ASSETS_H

#include <stddef.h>

struct html_asset {
    const unsigned char *bytes;
    size_t size;
};

extern const struct html_asset html_asset_page;    /* page.html, with {marks} for what follows */
extern const struct html_asset html_asset_style;   /* page.css */
extern const struct html_asset html_asset_library; /* the chart library with its licence */
extern const struct html_asset
    html_asset_script; /* the programs of the page of results, in order */
extern const struct html_asset html_asset_advice; /* those of the page of an advice */
extern const struct html_asset html_asset_core;   /* what opens the program in a page (core.js) */
extern const struct html_asset html_asset_plan;
extern const struct html_asset html_asset_cluster;

#endif
