/*
 * --isolate-policy: the command goes on in a child process, and this one waits for it, so that a
 * policy that crashes, ends the program or does not come back ends in a message that says where.
 */
#ifndef CLI_ISOLATE_H
#define CLI_ISOLATE_H

#include "cli/cli.h"

#define CLI_ISOLATE_OPTIONS                                                                        \
    {"isolate-policy", 0, NULL,                                                                    \
     "run in a child process: a policy that crashes or hangs ends with code 4 and says where"},    \
    {                                                                                              \
        "policy-timeout", 0, "SECONDS",                                                            \
            "CPU seconds that a policy may spend at one simulated instant, with --isolate-policy " \
            "(10)"                                                                                 \
    }

/* An option of commands that read files which name policies: such code is loaded only when allowed.
 */
#define CLI_TRUST_OPTION                                                                           \
    {                                                                                              \
        "allow-policy-files", 0, NULL,                                                             \
            "load the policy objects that files name by a path: they are code"                     \
    }

/*
 * True: go on with `args`, which with --isolate-policy hold the watch, and end with cli_finish.
 * False: done, `status` is the exit code, and `args` are freed.
 */
bool cli_isolate(struct cli_args *args, int *status);

/* The command has its answer; what ends the program from here on is no fault of a policy's. */
void cli_isolate_finished(void);

/* A signal that interrupts sets `heard`. */
void cli_interrupt_tell(_Atomic bool *heard);

#endif
