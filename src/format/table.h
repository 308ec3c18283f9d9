/*
 * Tables: columns are described once, rows are values in their order, and the same rows are printed
 * for readers (text, Markdown) and for programs (CSV, JSON).
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/ct_arena.h"
#include "base/ct_vec.h"
#include "format/json_writer.h"

#include <stdio.h>

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV, TABLE_MARKDOWN };

/* Columns of a line of a table for readers: those of the environment variable COLUMNS, which the
 * program sets on a terminal, and 80 where there are fewer or nobody says. */
enum { TABLE_LINE = 80 };
size_t table_line_width(void);

/* What a column holds: words, or numbers with so many digits behind the point (a whole number has
 * none), or with as many as a reader needs and a program can use. */
enum { TABLE_WORDS = -2, TABLE_NUMBER = -1 };

struct table_column {
    const char *title; /* for readers; NULL: they do not get the column */
    const char *key;   /* in CSV and JSON; NULL: programs do not get it */
    int digits;        /* TABLE_WORDS, TABLE_NUMBER or the digits; numbers stand on the right */
};

struct table_cell {
    const char *text; /* for readers */
    const char *data; /* for programs; NULL: unknown */
    bool words;
};

struct table {
    const struct table_column *columns;
    size_t column_count;
    CT_VEC(struct table_cell) cells; /* row by row */
    struct ct_arena arena, heading;
    /* Indented, and text that does not fit a line is cut instead of wrapped. */
    bool in_document;
    bool bold;   /* the titles, by escape sequences */
    bool begun;  /* the heading of CSV is printed */
    bool failed; /* memory ran out: table_print says so */
};

/* A number with four significant digits, never with an exponent from 0.001 to 10^6; "-" for NAN. */
enum { DOC_NUMBER = 32 };
const char *doc_format_number(double number, char text[DOC_NUMBER]);

/* doc_format_number for sentences: without zeros at the end. */
const char *doc_format_plain(double number, char text[DOC_NUMBER]);

/*
 * An empty table of columns "TITLE=KEY:DIGITS | ...": "late=late_fraction:6". Without "=" the key
 * is the title; without a key or a title the column is for readers or for programs alone. Without
 * ":" it holds words; "*" is TABLE_NUMBER.
 */
struct table table_start(const char *columns);

/*
 * The next row: a value for each column. Text is copied; NULL is null in JSON. NAN is unknown: "-"
 * for readers, as are empty words. A truth is "yes" or "no".
 */
#define table_row(table, ...) table_add(table, VALUES(__VA_ARGS__))
void table_add(struct table *table, const struct value *values);

/* Words for a cell, or any other: "" when memory ran out. */
const char *table_words(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "[low, high]"; "-" when both are unknown. */
const char *table_interval(struct table *table, double low, double high);

/* Prints all rows and frees the table. JSON is an array of objects. CT_OK, or CT_DATA when memory
 * ran out. */
int table_print(struct table *table, FILE *out, enum table_format format);

/* The rows as an array of objects in a document. */
void table_write_json(const struct table *table, struct json_writer *json, const char *key);

/* Prints the rows as CSV, with the heading before the first ones, and forgets them. */
void table_flush_csv(struct table *table, FILE *out);

void table_free(struct table *table);

#endif
