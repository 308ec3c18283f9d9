/*
 * A streaming reader of comma-separated text: RFC 4180 quoting (doubled quotes, line ends inside
 * quotes), LF or CRLF, plain or gzip (through zlib). One record is in memory at a time; errors name
 * the file and the line.
 */
#ifndef CSV_READER_H
#define CSV_READER_H

#include "base/ct_diag.h"

#define CSV_NONE SIZE_MAX

struct csv_reader;

enum csv_step { CSV_END, CSV_ROW, CSV_BROKEN };

/* Opens a file, which begins before its first record; path and diags are borrowed. NULL after an
 * error: the file cannot be opened, or memory ran out. */
struct csv_reader *csv_open(const char *path, struct ct_diags *diags);
void csv_close(struct csv_reader *reader);

/* Lines that start with this prefix at the beginning of a record are passed over; borrowed. */
void csv_skip_prefix(struct csv_reader *reader, const char *prefix);

/*
 * The next record that is not an empty line: CSV_ROW, CSV_END, or CSV_BROKEN with the error
 * recorded (damaged gzip data, a byte 0, a quoted field that does not end, a record above 16 MiB).
 * Fields are valid until the next call.
 */
enum csv_step csv_next(struct csv_reader *reader);

/* As csv_next, but a record ends with its line even inside quotes: for the free text that stands
 * before a table.
 */
enum csv_step csv_next_line(struct csv_reader *reader);

/*
 * Reads all records that are left by `read`, which says whether one is right. False after a mistake
 * or a broken record; stops after CT_ERRORS_SHOWN mistakes.
 */
bool csv_read_rest(struct csv_reader *reader, bool (*read)(void *context), void *context);

size_t csv_count(const struct csv_reader *reader);

/* Field `index` of the record; "" beyond its end and for CSV_NONE. */
const char *csv_get(const struct csv_reader *reader, size_t index);

/* The first field of this record with this text, or CSV_NONE: columns by name, on the header. */
size_t csv_find(const struct csv_reader *reader, const char *name);

/* Records that the header has no column of this name, with what it has; false. */
bool csv_lacks(struct csv_reader *reader, const char *name);

/* The line on which the record began, from 1. */
uint64_t csv_line(const struct csv_reader *reader);

/* "file:line" of the record into `text`. */
void csv_where(const struct csv_reader *reader, char *text, size_t size);

/* Records an error at the record's line; false. */
bool csv_error(const struct csv_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Whether the record has `expected` fields. Otherwise records an error, which asks whether the file
 * is cut off when fields are missing.
 */
bool csv_check_count(const struct csv_reader *reader, size_t expected);

/* ---- numbers, independent of any locale ---- */

/*
 * A plain decimal ("-12.5") times 10^decimals, exact, rounded to nearest, ties away from zero.
 * False when the text is anything else or the result does not fit. `fraction_digits` (may be NULL):
 * digits behind the point.
 */
bool csv_parse_fixed(const char *text, int decimals, int64_t *value, int *fraction_digits);

/* An unsigned whole number up to `most`. */
bool csv_parse_count(const char *text, uint64_t most, uint64_t *value);

/* A finite number at the start of the text, exponent allowed. Returns what follows it, or NULL when
 * there is none. */
const char *csv_scan_number(const char *text, double *value);

/* Whether a spreadsheet would take this text for a formula, and run it: it begins with one of
 * "=+-@", a tab or a carriage return, and is no number; apostrophes before that are passed over.
 * Our writers put one more there, which the reader drops again. */
bool csv_is_formula(const char *text);

#endif
