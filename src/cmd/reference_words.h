/* What can be typed in a command's words, for the completions of all shells. */
#ifndef REFERENCE_WORDS_H
#define REFERENCE_WORDS_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* Words between "|" of a value or of the first operand, such as "text|json", become choices. */
bool reference_is_choice(const char *text);
/* Prints the choices, a space between them; of "nvtx:NAME" what is typed as it stands. */
void reference_print_choices(FILE *out, const char *text);

/* The list that holds what the value of an option is called; NULL: no list. */
const char *reference_names_of(const struct cli_option *option);
/* What files end in that this value or operand names: "db", "json" ...; "/" of folders, "" of any
 * file; NULL: of none. */
const char *reference_ending_of(const char *text);

/* Lists of names, each printed with a space between two; the last one has no name. */
struct reference_list {
    const char *name;
    void (*print)(FILE *out);
};
extern const struct reference_list reference_lists[];

#endif
