/* Texts of strangers, before anybody sees them. */
#ifndef CT_TAME_H
#define CT_TAME_H

#include <stdbool.h>

/* Whether a terminal may obey the character that begins here in a text in UTF-8: those below a
 * space but newline and tab, delete, and the C1 controls (two bytes, c2 80 to c2 9f). */
bool ct_is_control(const char *at);

/* Makes '?' of every character that a terminal may obey. */
void ct_tame(char *text);

#endif
