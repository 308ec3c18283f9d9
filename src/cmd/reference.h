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

/* Something with a name that is printed, or printed of each command; the last one of a list has no
 * name. */
struct reference_part {
    const char *name;
    void (*print)(FILE *out);
    void (*print_of)(FILE *out, const struct cli_command *command);
};
void reference_each(FILE *out, void (*print_of)(FILE *out, const struct cli_command *command));

/* Prints a template, and each part in the place of the line "@NAME". */
void reference_fill(FILE *out, const struct reference_template *template,
                    const struct reference_part *parts);

#endif
