/* Cells of a CSV file (RFC 4180), independent of the locale. */
#ifndef CSV_TEXT_H
#define CSV_TEXT_H

#include "format/value.h"

#include <stdio.h>

/* A string, quoted when it must be, with an apostrophe before what a spreadsheet would run
 * (csv_is_formula); NULL writes nothing. */
void csv_write_text(FILE *out, const char *text);

/* The shortest decimal that reads back to the same double; nothing when it is not finite. */
void csv_write_double(FILE *out, double number);

/* Cells with commas between them; a truth is 1 or 0. */
#define csv_write_cells(out, ...) csv_write_values(out, VALUES(__VA_ARGS__))
void csv_write_values(FILE *out, const struct value *values);

#endif
