/* Documentation that is printed from the tables, so that it cannot differ from the program. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "cli/cli.h"

#include <stdio.h>

/* docs/workload-reference.md and docs/schema/workload.schema.json. */
void reference_keys_markdown(FILE *out);
void reference_keys_schema(FILE *out);

/* share/completion: cotenant.bash, cotenant.fish, _cotenant (of zsh); and share/man/cotenant.1. */
void reference_bash(FILE *out);
void reference_fish(FILE *out);
void reference_zsh(FILE *out);
void reference_manual(FILE *out);

/* ---- what they share ---- */

/* A file of src/cmd/reference/, an array since the program was built (cmake/EmbedFiles.cmake). */
struct reference_template {
    const unsigned char *bytes;
    size_t size;
};
extern const struct reference_template reference_template_bash, reference_template_zsh,
    reference_template_man, reference_template_keys;

/* Something with a name that is printed; the last one of a list has no name. */
struct reference_part {
    const char *name;
    void (*print)(FILE *out);
};

/* Prints a template, and each part in the place of the line "@NAME". */
void reference_fill(FILE *out, const struct reference_template *template,
                    const struct reference_part *parts);

/* Names that can be typed, each list with a space between two. */
extern const struct reference_part reference_lists[];

/* Words between "|" of a value or of the first operand, such as "text|json", become choices. */
bool reference_is_choice(const char *text);
/* Prints the choices, a space between them; of "nvtx:NAME" what is typed as it stands. */
void reference_print_choices(FILE *out, const char *text);

/* The list that holds what the value of an option is called; NULL: no list. */
const char *reference_names_of(const struct cli_option *option);
/* What files end in that this value or operand names: "db", "json" ...; "/" of folders, "" of any
 * file; NULL: of none. */
const char *reference_ending_of(const char *text);

#endif
