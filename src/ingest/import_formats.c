#include "ingest/import_formats.h"

#include "base/ct_types.h"
#include "ingest/sqlite_tables.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FORMATS_ROW(name) &import_format_##name,
const struct import_format *const import_formats[] = {IMPORT_FORMATS(FORMATS_ROW) NULL};

const struct import_format *import_format_find(const char *name) {
    for (const struct import_format *const *f = import_formats; name && *f; f++)
        if (strcmp(name, (*f)->name) == 0)
            return *f;
    return NULL;
}

/* Where a header is looked for: warnings and the program's own output may stand before it. */
enum { PROLOGUE_BYTES = 64 * 1024 };

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

static bool line_has(const char *line, const char *part) {
    const char *found = strstr(line, part), *end = strchr(line, '\n');
    return found && (!end || found < end);
}

static bool is_header(const char *line, const struct import_header *header) {
    for (size_t c = 0; c < CT_COUNT_OF(header->columns) && header->columns[c]; c++)
        if (!line_has(line, header->columns[c]))
            return false;
    return header->columns[0];
}

static const struct import_format *format_of_line(const char *line) {
    for (const struct import_format *const *f = import_formats; *f; f++)
        for (size_t h = 0; h < CT_COUNT_OF((*f)->headers); h++)
            if (is_header(line, &(*f)->headers[h]))
                return *f;
    return NULL;
}

static const struct import_format *metrics_of_line(const char *line) {
    for (const struct import_format *const *f = import_formats; *f; f++)
        if (is_header(line, &(*f)->metrics))
            return *f;
    return NULL;
}

static const struct import_format *format_of_beginning(const char *text) {
    const char *start = text + strspn(text, "\xef\xbb\xbf \t\r\n");
    for (const struct import_format *const *f = import_formats; *f; f++)
        for (size_t b = 0; b < CT_COUNT_OF((*f)->begins) && (*f)->begins[b]; b++)
            if (strncmp(start, (*f)->begins[b], strlen((*f)->begins[b])) == 0)
                return *f;
    return NULL;
}

static const struct import_format *format_of_tables(const char *path) {
    const struct import_format *format = NULL;
    sqlite3 *db = sqlite_tables_look(path);
    for (const struct import_format *const *f = import_formats; *f && !format; f++)
        if ((*f)->table && sqlite_tables_holds(db, (*f)->table))
            format = *f;
    sqlite3_close(db);
    return format;
}

struct import_content import_content_of(const char *path) {
    struct import_content content = {.format = format_of_tables(path)};
    char *text = content.format ? NULL : prologue(path);
    if (!text)
        return content;
    content.format = format_of_beginning(text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        content.metrics = content.metrics ? content.metrics : metrics_of_line(line);
        content.format = content.format ? content.format : format_of_line(line);
    }
    free(text);
    return content;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

const char *import_report_hint(const char *path) {
    if (ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep"))
        return "is a report, not its export: run 'nsys export --type sqlite' on it";
    if (ends_with(path, ".ncu-rep"))
        return "is a report, not its table: run 'ncu --csv --page details --import' on it";
    return NULL;
}
