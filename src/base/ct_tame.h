/* Texts of strangers, before anybody sees them. */
#ifndef CT_TAME_H
#define CT_TAME_H

/* Makes '?' of every character that a terminal may obey: those below a space but newline and tab,
 * delete, and the C1 controls (in UTF-8 two bytes, c2 80 to c2 9f). */
void ct_tame(char *text);

#endif
