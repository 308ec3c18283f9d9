/*
 * Tables of the records' members: one table per level feeds the JSON, CSV and SQL forms, so that
 * they cannot differ.
 */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include "results/report.h"

enum report_field_kind {
    REPORT_FIELD_DOUBLE,   /* NAN: null */
    REPORT_FIELD_INTERVAL, /* two doubles, low and high; in columns "PATH_low" and "PATH_high" */
    REPORT_FIELD_COUNT,    /* int64_t, REPORT_UNKNOWN: null */
    REPORT_FIELD_INTEGER,  /* int64_t, any value */
    REPORT_FIELD_TRUTH,    /* int64_t, enum report_truth */
    REPORT_FIELD_ROLE,     /* int64_t, enum report_role */
    REPORT_FIELD_TEXT,     /* const char *, NULL: null */
    REPORT_FIELD_OPTIONAL  /* double, left out of documents when NAN */
};

struct report_field {
    const char *path; /* in JSON, at most one dot; NULL ends a table */
    enum report_field_kind kind;
    size_t offset;
};

enum { REPORT_FIELD_NAME = 64 };

extern const struct report_field report_head_fields[];   /* of struct report */
extern const struct report_field report_app_fields[];    /* of struct report_app */
extern const struct report_field report_system_fields[]; /* of struct report, as the next ones */
extern const struct report_field report_input_fields[];
extern const struct report_field report_engine_fields[];
extern const struct report_field report_check_fields[];

/* The member's name as a column: dots become underscores, `suffix` is appended. */
void report_field_column(const struct report_field *field, const char *suffix,
                         char text[REPORT_FIELD_NAME]);

double report_field_double(const struct report_field *field, const void *record,
                           int part); /* part 1: high */
int64_t report_field_integer(const struct report_field *field, const void *record);
const char *report_field_text(const struct report_field *field, const void *record);

void report_field_set_double(const struct report_field *field, void *record, int part,
                             double value);
void report_field_set_integer(const struct report_field *field, void *record, int64_t value);
void report_field_set_text(const struct report_field *field, void *record, const char *value);

bool report_field_is_integer(const struct report_field *field);

#endif
