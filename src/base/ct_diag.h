/* Diagnostics: collected where a mistake is found, printed only by cli/. */
#ifndef CT_DIAG_H
#define CT_DIAG_H

#include "base/ct_intern.h"
#include "base/ct_types.h"

struct ct_files;

enum ct_severity { CT_NOTICE, CT_WARNING, CT_ERROR };

/* After so many mistakes in a file its reader stops: they mostly have one reason. */
enum { CT_ERRORS_SHOWN = 10 };

struct ct_diag {
    enum ct_severity severity;
    char *where; /* file, file:line or a JSON path; never NULL, may be empty */
    char *text;  /* lower case, no full stop, the subject in quotes */
};

/* A list of diagnostics in the order in which they were found. Zero-initialise; free with
 * ct_diags_free. */
struct ct_diags {
    CT_VEC(struct ct_diag);
    size_t errors;
    struct ct_intern known; /* what was recorded */
    bool lost;      /* memory ran out while one was recorded; the count of errors still holds */
    bool no_memory; /* one of them says that memory ran out */
    /* What whoever listens also serves: everything that may say that a file cannot be read asks
     * here for its content first (ct_files.h). NULL: nothing. */
    const struct ct_files *files;
};

/* Records one diagnostic; an error also counts in `errors`. A repeated (severity, where, text) is
 * kept once. `where` NULL: of no file, as a workload in memory. */
void ct_diag_add(struct ct_diags *diags, enum ct_severity severity, const char *where,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

#define ct_error(diags, where, ...) ct_diag_add((diags), CT_ERROR, (where), __VA_ARGS__)
#define ct_warning(diags, where, ...) ct_diag_add((diags), CT_WARNING, (where), __VA_ARGS__)
#define ct_notice(diags, where, ...) ct_diag_add((diags), CT_NOTICE, (where), __VA_ARGS__)

/* Records an error and returns what it is: `return ct_usage_error(diags, ...);`. */
#define ct_usage_error(diags, where, ...) (ct_error(diags, where, __VA_ARGS__), CT_USAGE)
#define ct_data_error(diags, where, ...) (ct_error(diags, where, __VA_ARGS__), CT_DATA)
#define ct_false_error(diags, where, ...) (ct_error(diags, where, __VA_ARGS__), false)
#define ct_null_error(diags, where, ...) (ct_error(diags, where, __VA_ARGS__), NULL)

/* Records "out of memory" and returns CT_DATA, for `return ct_out_of_memory(diags);`. */
int ct_out_of_memory(struct ct_diags *diags);

/* Records that what is at `path` cannot be used for `reason`, an errno (0: unknown): "cannot open
 * it: No such file or directory" for `what` "open it"; or that memory ran out. Returns CT_DATA. */
int ct_file_error(struct ct_diags *diags, const char *path, const char *what, int reason);

/* Records "unknown NOUN 'name', did you mean 'x'?" or the list of names. */
void ct_unknown(struct ct_diags *diags, const char *noun, const char *name,
                const char *const *names, size_t count);

/* Records all of `more`, and whether memory ran out among them. */
void ct_diags_add(struct ct_diags *diags, const struct ct_diags *more);

void ct_diags_free(struct ct_diags *diags);

#endif
