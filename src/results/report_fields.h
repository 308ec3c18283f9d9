/*
 * The numbers of a report, one row each: what a row says, everything else follows from. Records,
 * JSON, CSV, the columns of the store (also of stores that lack some), the tables of the text and
 * docs/report-reference.md are made from these tables. A new number is a member of report.h, its
 * row, and the place that computes it (CONTRIBUTING.md, "Where to put").
 */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include "format/value.h"
#include "results/report.h"

/* First the doubles, up to REPORT_FIELD_INTERVAL; from REPORT_FIELD_COUNT to REPORT_FIELD_NAMED
 * each is an int64_t. */
enum report_field_kind {
    /* Not negative, infinite where nothing was done; NAN: null. */
    REPORT_FIELD_DOUBLE,
    /* A part of 1. */
    REPORT_FIELD_FRACTION,
    REPORT_FIELD_SIGNED,
    /* A lower bound where the application is overloaded. */
    REPORT_FIELD_LATENCY,
    /* Two doubles, low and high; in columns "PATH_low" and "PATH_high". */
    REPORT_FIELD_INTERVAL,
    /* REPORT_UNKNOWN: null. */
    REPORT_FIELD_COUNT,
    /* Any value. */
    REPORT_FIELD_INTEGER,
    /* An enum report_truth. */
    REPORT_FIELD_TRUTH,
    /* A value of an enumeration; its name, but in the store. */
    REPORT_FIELD_NAMED,
    /* A const char *, NULL: null. */
    REPORT_FIELD_TEXT
};

/*
 * What a number can be, of its kind; whoever reads a report back holds it to that. The clock goes
 * to 9.2e18 ps, of which a quotient, summed over all applications and widened to an interval, stays
 * far below the most. A part that is a sum of parts may be rounded up, as in the check of a run's
 * conservation.
 */
#define REPORT_MOST 1e30
#define REPORT_MOST_FRACTION (1 + 1e-9)
bool report_field_can_be(enum report_field_kind kind, double value); /* NAN, unknown: yes */

/* The tables of the text. Applications have four, a row each, and their numbers are its columns:
 * that of servers has those with a server, that of tokens those that generate tokens. The system's
 * numbers are rows. */
enum report_table {
    REPORT_IN_NO_TABLE,
    REPORT_IN_LATENCIES,
    REPORT_IN_PROGRESS,
    REPORT_IN_SERVERS,
    REPORT_IN_TOKENS,
    REPORT_IN_SYSTEM
};

struct report_field {
    const char *path; /* in JSON, at most one dot; NULL ends a table */
    enum report_field_kind kind;
    size_t offset;
    const char *(*name_of)(int64_t value); /* REPORT_FIELD_NAMED: of 0 to `last` */
    int64_t last;
    const char *unit;    /* "ms"; NULL: a count, a part of 1, a text */
    const char *meaning; /* in words, without a full stop */
    bool optional;       /* left out of documents where it is unknown with all of its group */
    struct {
        enum report_table table;
        int rank; /* the lower first, equal ones in the order of the rows */
        const char *title;
        const char *words; /* beside the number of a system; NULL: its meaning */
        bool needed;       /* said to be unknown where it is; others are left out */
    } text;
};

/* A level of the report: an object in JSON, a scope in CSV. */
struct report_level {
    const char *name;                  /* of its object; NULL: its numbers stand at the top */
    const struct report_field *fields; /* NULL ends a list */
};

/* report_fields.txt: its sections. */
extern const struct report_field report_fields_head[], report_fields_app[], report_fields_system[],
    report_fields_inputs[], report_fields_engine[], report_fields_checks[],
    report_fields_difference[];

/* Lists of levels, those of struct report_app, of struct report_difference and of struct report. */
extern const struct report_level report_of_app[];
extern const struct report_level report_of_difference[];
extern const struct report_level report_head[];
extern const struct report_level report_sections[]; /* behind the applications */

/* A number as a column or as a row of CSV; an interval makes two. */
enum { REPORT_FIELD_NAME = 64, REPORT_COLUMNS_MOST = 96 };
struct report_column {
    const struct report_field *field;
    int part;                     /* 1: the high end of an interval */
    char name[REPORT_FIELD_NAME]; /* its path with underscores for dots */
};

/* All columns of a list of levels, in their order. Returns how many. */
size_t report_columns(const struct report_level *levels,
                      struct report_column columns[REPORT_COLUMNS_MOST]);

/* The numbers that a table of the text shows, in its order. Returns how many. */
enum { REPORT_SHOWN_MOST = 16 };
size_t report_fields_shown(const struct report_field *fields, enum report_table table,
                           const struct report_field *shown[REPORT_SHOWN_MOST]);

/* What a field holds: a text, a name, a truth, a whole number or a number; what is unknown is a
 * text that is NULL, or NAN. Part 1: the high end of an interval. */
struct value report_field_value(const struct report_field *field, const void *record, int part);

/* Whether documents leave one of these fields out of this record: it is optional, and neither it
 * nor another one with the same word before the dot ("server", "tokens") is known. */
bool report_field_is_left_out(const struct report_field *fields, const struct report_field *field,
                              const void *record);

/* Sets all numbers of a record to unknown. */
void report_set_unknown(const struct report_level *levels, void *record);

double report_field_number(const struct report_field *field, const void *record); /* NAN: unknown */
double report_field_double(const struct report_field *field, const void *record,
                           int part); /* part 1: high */
int64_t report_field_integer(const struct report_field *field, const void *record);

void report_field_set_double(const struct report_field *field, void *record, int part,
                             double value);
void report_field_set_integer(const struct report_field *field, void *record, int64_t value);
void report_field_set_text(const struct report_field *field, void *record, const char *value);

bool report_field_is_integer(const struct report_field *field);
/* Whether a field may have this whole number; REPORT_UNKNOWN: yes. */
bool report_field_can_be_integer(const struct report_field *field, int64_t value);

/* docs/report-reference.md, as `cotenant list measures` prints it. */
void report_reference_markdown(FILE *out);

#endif
