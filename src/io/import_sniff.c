#include "import_sniff.h"

#include "ct_types.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    PROLOGUE_BYTES = 64 * 1024
}; /* warnings and the program's own output may stand before the header */

static const char *line_with(const char *text, const char *part) {
    const char *found = strstr(text, part);
    while (found && found > text && found[-1] != '\n')
        found--;
    return found;
}

static bool line_has(const char *line, const char *part) {
    const char *found = strstr(line, part), *end = strchr(line, '\n');
    return found && (!end || found < end);
}

static enum import_content content_of(const char *text) {
    const char *header = line_with(text, "Metric Name");
    if (!header)
        return IMPORT_RECORDING;
    if (line_has(header, "Metric Description"))
        return IMPORT_NVPROF_METRICS;
    return line_has(header, "Metric Unit") ? IMPORT_NCU_METRICS : IMPORT_RECORDING;
}

enum import_content import_sniff(const char *path) {
    enum import_content content = IMPORT_RECORDING;
    char *text = malloc(PROLOGUE_BYTES + 1);
    gzFile file = text ? gzopen(path, "rb") : NULL;
    int got = file ? gzread(file, text, PROLOGUE_BYTES) : 0;
    if (got > 0) {
        text[got] = '\0';
        content = content_of(text);
    }
    if (file)
        gzclose(file);
    free(text);
    return content;
}
