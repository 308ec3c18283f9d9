/* Documentation that is printed from the tables, so that it cannot differ from the program. */
#ifndef CLI_REFERENCE_H
#define CLI_REFERENCE_H

#include <stdio.h>

/* docs/workload-reference.md and docs/schema/workload.schema.json. */
void cli_keys_markdown(FILE *out);
void cli_keys_schema(FILE *out);

/* share/completion/cotenant.bash and share/man/cotenant.1. */
void cli_commands_bash(FILE *out);
void cli_commands_man(FILE *out);

#endif
