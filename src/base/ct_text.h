/* Small jobs on strings: suggestions for misspelt names, lists, numbers that read back to the same
 * value. */
#ifndef CT_TEXT_H
#define CT_TEXT_H

#include "ct_types.h"

/* The name nearest to a misspelt one (optimal string alignment distance), or NULL when none is
 * near. */
const char *ct_text_closest(const char *name, const char *const *names, size_t count);

/* "a, b, c" into `text`, cut at its size. */
void ct_text_join(char *text, size_t size, const char *const *names, size_t count);

/* The shortest decimal that strtod reads back to the same double, independent of the locale;
 * snprintf's contract. */
int ct_text_double(char *text, size_t size, double number);

#endif
