/* Cells of a CSV file (RFC 4180), independent of the locale. */
#ifndef CSV_TEXT_H
#define CSV_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* A string, quoted when it must be; NULL writes nothing. */
void csv_write_text(FILE *out, const char *text);

/* The shortest decimal that reads back to the same double; nothing when it is not finite. */
void csv_write_double(FILE *out, double number);

/* Writes each number as csv_write_double does, with a comma before it. */
void csv_write_more_doubles(FILE *out, const double *numbers, size_t count);

#endif
