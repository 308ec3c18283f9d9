#include "ingest/import_sniff.h"

#include "base/ct_types.h"

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

/* The first bytes as text, to be freed; NULL: not to be read. */
static char *prologue(const char *path) {
    char *text = malloc(PROLOGUE_BYTES + 1);
    gzFile file = text ? gzopen(path, "rb") : NULL;
    int got = file ? gzread(file, text, PROLOGUE_BYTES) : 0;
    if (file)
        gzclose(file);
    if (got <= 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    return text;
}

enum import_content import_sniff(const char *path) {
    char *text = prologue(path);
    enum import_content content = text ? content_of(text) : IMPORT_RECORDING;
    free(text);
    return content;
}

/* A header line with all of these columns. */
struct signature {
    const char *format, *columns[4];
};

static bool is_header(const char *line, const struct signature *signature) {
    for (size_t c = 0; c < CT_COUNT_OF(signature->columns); c++)
        if (signature->columns[c] && !line_has(line, signature->columns[c]))
            return false;
    return true;
}

static const char *format_of_table(const char *text) {
    static const struct signature signatures[] = {
        {"nvprof", {"Start", "Duration", "Grid X", "Throughput"}},
        {"nvprof", {"Metric Name", "Metric Description"}},
        {"nsys", {"Start (ns)", "Duration (ns)", "CorrId"}},
        {"ncu", {"Kernel Name", "Metric Name", "Metric Unit"}},
        {"orion", {"Profile", "Memory_footprint", "SM_usage", "Duration"}}};
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < CT_COUNT_OF(signatures); i++)
            if (is_header(line, &signatures[i]))
                return signatures[i].format;
    }
    return NULL;
}

const char *import_sniff_format(const char *path) {
    char *text = prologue(path);
    if (!text)
        return NULL;
    size_t blank = strspn(text, "\xef\xbb\xbf \t\r\n");
    const char *format = strncmp(text, "SQLite format 3", 15) == 0  ? "nsys"
                         : text[blank] == '{' || text[blank] == '[' ? "kineto"
                                                                    : format_of_table(text);
    free(text);
    return format;
}
