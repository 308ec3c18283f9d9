/* `import network`: a network's layers become a trace by a roofline. */
#ifndef IMPORT_NETWORK_H
#define IMPORT_NETWORK_H

#include "cli/cli.h"

/* Reads operand 1 and writes its application to the store of --output. enum ct_status. */
int import_network(const struct cli_args *args, struct ct_diags *diags);

#endif
