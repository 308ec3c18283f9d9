/*
 * Option tables: one table feeds JSON, `--set`, `show`, the documentation check and the
 * configuration that is stored with each run. A table describes members of one struct.
 */
#ifndef CT_OPTION_H
#define CT_OPTION_H

#include <stddef.h>
#include <stdint.h>

enum ct_option_kind {
    /* A bool. */
    CT_OPTION_BOOL,
    /* An int64_t. */
    CT_OPTION_INT,
    /* A double, in the table's unit. */
    CT_OPTION_DOUBLE,
    /* An int32_t: index into choices. */
    CT_OPTION_CHOICE,
    /* A const char *, owned by the reader's arena. */
    CT_OPTION_STRING,
    /* A const char *: the text of the file that a user names, every line ended. */
    CT_OPTION_FILE,
    /* A const char *: NAME=VALUE+NAME=VALUE by applications of the workload, each once; values
     * in "application" are such names as well, in "profile" MIG's */
    CT_OPTION_BY_APP
};

struct ct_option {
    const char *name; /* NULL ends a table */
    enum ct_option_kind kind;
    size_t offset;        /* of the member in its struct */
    const char *unit;     /* "ms", "%", "" ... */
    double least, most;   /* closed range of a number */
    const char *standard; /* the default, as a user would type it; NULL: none, the key is needed */
    const char *const *choices; /* NULL-terminated names of a choice */
    const char *help;           /* one line: what it does and where it comes from */
};

#endif
