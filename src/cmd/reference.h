/* Documentation that is printed from the tables, so that it cannot differ from the program. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdio.h>

/* docs/workload-reference.md and docs/schema/workload.schema.json. */
void reference_keys_markdown(FILE *out);
void reference_keys_schema(FILE *out);

/* share/completion: cotenant.bash, cotenant.fish, _cotenant (of zsh); and share/man/cotenant.1. */
void reference_bash(FILE *out);
void reference_fish(FILE *out);
void reference_zsh(FILE *out);
void reference_manual(FILE *out);

#endif
