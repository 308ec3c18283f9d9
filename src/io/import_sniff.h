/* What a profiler's text file holds, by its header: a recording, or metrics that attach to one. */
#ifndef IMPORT_SNIFF_H
#define IMPORT_SNIFF_H

enum import_content {
    IMPORT_RECORDING, /* or not readable: the format's reader will say what is wrong */
    IMPORT_NVPROF_METRICS,
    IMPORT_NCU_METRICS
};

/* Looks at the first lines of a file, gz or plain. */
enum import_content import_sniff(const char *path);

#endif
