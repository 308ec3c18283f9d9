/* Small jobs on strings: suggestions for misspelt names, lists, numbers that read back to the same
 * value. */
#ifndef CT_TEXT_H
#define CT_TEXT_H

#include "base/ct_types.h"

/* The place of a name in a list of names; `count` when it is not there. */
size_t ct_text_index(const char *name, const char *const *names, size_t count);

/* The name nearest to a misspelt one (optimal string alignment distance), else the first that
 * begins with it ("rate": rate_per_s), or NULL when none does. */
const char *ct_text_closest(const char *name, const char *const *names, size_t count);

/* The end of a message that a name is unknown: ", did you mean 'x'?" of the closest, else nothing,
 * or else "; there are: a, b, c". Cut at the size; returns `hint`. */
enum { CT_HINT_BYTES = 512 };
const char *ct_text_hint(char hint[CT_HINT_BYTES], const char *name, const char *const *names,
                         size_t count);
const char *ct_text_hint_or_all(char hint[CT_HINT_BYTES], const char *name,
                                const char *const *names, size_t count);

/* Whether a whole text is as a pattern says, letters of ASCII in any case: `*` stands for any text,
 * `?` for any one character. */
bool ct_text_matches(const char *pattern, const char *text);

/* The last part of a path, without its folders. */
const char *ct_text_file_name(const char *path);

/* The next word of a list of words with blanks between them, and its length; steps behind it. NULL:
 * there is none. */
const char *ct_text_word(const char **list, size_t *length);

/* Whether such a list has a word. */
bool ct_text_lists(const char *list, const char *word, size_t length);

/* Characters in the first `bytes` bytes of a UTF-8 text: bytes that do not continue one. */
size_t ct_text_width(const char *text, size_t bytes);

/* Adds to a text what printf would print, cut at the size; before it the separator, unless the text
 * is empty. */
void ct_text_add(char *text, size_t size, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "a, b, c" into `text`, cut at its size. */
void ct_text_join(char *text, size_t size, const char *const *names, size_t count);

/* The shortest decimal that strtod reads back to the same double, independent of the locale;
 * snprintf's contract. */
int ct_text_double(char *text, size_t size, double number);

/* Whether a terminal may obey the character that begins here in a text in UTF-8: those below a
 * space but newline and tab, delete, and the C1 controls (two bytes, c2 80 to c2 9f). */
bool ct_is_control(const char *at);

/* Makes '?' of every character that a terminal may obey: for texts of strangers, before anybody
 * sees them. */
void ct_tame(char *text);

#endif
