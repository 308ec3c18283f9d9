/* The formats of recordings: their readers, and how a file of each is recognised. A new one is a
 * file import_NAME.c that defines `import_format_NAME`, and its name here. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "format/csv_reader.h"

struct ct_diags;
struct import_builder;

/* clang-format off */
#define IMPORT_FORMATS(X) X(nsys) X(rocpd) X(kineto) X(nvprof) X(ncu) X(orion) X(store)
/* clang-format on */

/*
 * Streams one file (gz or not) into a builder; a file that is cut
 * off, foreign or empty is an error with its name and place. enum ct_status.
 */
typedef int import_reader(struct import_builder *builder, const char *path, struct ct_diags *diags);

/* Columns that stand in one line; unused ones are NULL. */
struct import_header {
    const char *columns[4];
};

struct import_format {
    const char *name;      /* as `cotenant import` calls it */
    import_reader *read;   /* a recording */
    import_reader *attach; /* metrics that belong to another recording; NULL: it has none */
    const char *begins[2]; /* what the file begins with, behind blanks; unused ones are NULL */
    const char *table;     /* that a SQLite file holds, or how its name begins; NULL: it is none */
    struct import_header headers[2]; /* of a table; unused ones are empty */
    struct import_header metrics;    /* of what `attach` reads */
};

#define IMPORT_FORMATS_DECLARE(name) extern const struct import_format import_format_##name;
IMPORT_FORMATS(IMPORT_FORMATS_DECLARE)

extern const struct import_format *const import_formats[]; /* NULL ends */

/* Whether the current record is the header of `ncu --csv`, whose tables nsys prints, too. */
bool import_ncu_is_header(const struct csv_reader *csv);

/* The format of this name; NULL: there is none. */
const struct import_format *import_format_find(const char *name);

/* What a file is, gz or plain, by its first lines. What is wrong with it its reader says. */
struct import_content {
    const struct import_format *format; /* whose reader should try it; NULL: none is recognised */
    const struct import_format
        *metrics; /* that it holds; NULL: it is a recording, or not readable */
};
struct import_content import_content_of(const char *path);

/* What is wrong with a profiler's own report, by its name: what is exported of it is read. NULL: it
 * is none. */
const char *import_report_hint(const char *path);

#endif
