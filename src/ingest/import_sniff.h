/* What a file holds, by its first bytes: whose recording, or metrics that attach to one. */
#ifndef IMPORT_SNIFF_H
#define IMPORT_SNIFF_H

/* What is not a recording is the same for every format; the reader of a format says what is wrong
 * with a file that it cannot read. */
enum import_content {
    IMPORT_RECORDING, /* or not readable */
    IMPORT_NVPROF_METRICS,
    IMPORT_NCU_METRICS
};

/* Looks at the first lines of a file, gz or plain. */
enum import_content import_sniff(const char *path);

/* The format whose reader should try it, as `cotenant import` calls it ("nsys"); NULL: none is
 * recognised. */
const char *import_sniff_format(const char *path);

#endif
