/* Every command, in the order of `cotenant --help`: one struct and one function each, in a file
 * cmd_NAME.c. A new one is its file and its name here. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/cli.h"

/* clang-format off */
#define COMMANDS(X) \
    X(run) X(compare) X(sweep) X(plan) X(advise) X(cluster) X(import) X(trace) X(report) X(plot) X(timeline) \
    X(html) X(export) X(explain) X(check) X(list) X(show) X(calibrate) X(validate) X(dram) X(predict) X(paper) X(train) X(exercise)
/* clang-format on */

#define COMMANDS_DECLARE(name) extern const struct cli_command command_##name;

COMMANDS(COMMANDS_DECLARE)

#endif
