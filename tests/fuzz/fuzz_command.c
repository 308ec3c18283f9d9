#include "cmd/commands.h"
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 16, WORD_SIZE = 600 };

uint64_t fuzz_accepted;

int fuzz_command(const struct cli_command *command, const char *const *words) {
    static bool silent;
    char copies[MOST_WORDS][WORD_SIZE], *argv[MOST_WORDS + 1] = {copies[0]};
    int argc = 1;
    struct cli_args args;
    struct ct_diags diags = {0};
    silent = silent || freopen("/dev/null", "w", stdout);
    FUZZ_OWES(silent);
    snprintf(copies[0], WORD_SIZE, "%s", command->name);
    for (; *words; words++, argc++) {
        FUZZ_OWES(argc < MOST_WORDS && strlen(*words) < WORD_SIZE);
        argv[argc] = copies[argc];
        snprintf(copies[argc], WORD_SIZE, "%s", *words);
    }
    FUZZ_OWES(cli_parse(&args, command, argc, argv) == CLI_GO_ON);
    return cli_finish(&args, &diags, command->run(&args, &diags));
}

const char *fuzz_import_accepted(const char *format, const char *path, const char *jobs) {
    const char *store = fuzz_path("accepted.db");
    const char *import[] = {format, path,    "-o",  store, "--gpu",
                            "v100", "--app", "app", "-q",  jobs ? "--jobs" : NULL,
                            jobs,   NULL};
    const char *show[] = {"show", store, "-q", NULL}, *check[] = {"check", store, "-q", NULL};
    remove(store);
    FUZZ_OWES(fuzz_command(&command_import, import) == CT_OK);
    FUZZ_OWES(fuzz_command(&command_trace, show) == CT_OK);
    FUZZ_OWES(fuzz_command(&command_trace, check) == CT_OK);
    fuzz_accepted++;
    return store;
}
