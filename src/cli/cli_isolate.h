/*
 * --isolate-policy: the command goes on in a child process, and this one waits for it, so that a
 * policy that crashes, ends the program or does not come back ends in a message that says where.
 */
#ifndef CLI_ISOLATE_H
#define CLI_ISOLATE_H

#include "cli.h"
#include "policy_watch.h"

#define CLI_ISOLATE_OPTIONS                                                                        \
    {"isolate-policy", 0, NULL,                                                                    \
     "run in a child process: a policy that crashes or hangs ends with code 4 and says where"},    \
    {                                                                                              \
        "policy-timeout", 0, "S",                                                                  \
            "CPU seconds that a policy may spend at one simulated instant, with --isolate-policy " \
            "(10)"                                                                                 \
    }

/*
 * True: go on, with the options of `args` as they are; `watch` is for the experiment, NULL without
 * --isolate-policy, and goes to cli_isolated_end. False: done, `status` is the exit code, and
 * `args` are freed. `leaves` is a file that the command may leave half-written, NULL: none.
 */
bool cli_isolate(struct cli_args *args, const char *leaves, struct policy_watch **watch,
                 int *status);

/* The child's last word before the program ends with this exit code, which it returns. */
int cli_isolated_end(struct policy_watch *watch, int status);

#endif
