/* `import arrivals`: a column of recorded time stamps becomes a compact file of arrivals. */
#ifndef IMPORT_ARRIVALS_H
#define IMPORT_ARRIVALS_H

#include "cli/cli.h"

/*
 * Reads --column of operand 1, or without it what a server wrote, and writes --output: a CSV with
 * the one column `seconds`, from the first arrival, in whole microseconds. enum ct_status.
 */
int import_arrivals(const struct cli_args *args, struct ct_diags *diags);

#endif
