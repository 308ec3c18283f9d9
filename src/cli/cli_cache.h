/* The folder in which results of runs are kept from one call of the program to the next. */
#ifndef CLI_CACHE_H
#define CLI_CACHE_H

#include "cli/cli.h"
#include "cli/run_folder.h"

#define CLI_CACHE_OPTION                                                                           \
    {                                                                                              \
        "no-cache", 0, NULL,                                                                       \
            "run everything anew, and keep nothing for the next call (COTENANT_CACHE: the "        \
            "folder; "                                                                             \
            "empty: as --no-cache)"                                                                \
    }

/* Opens COTENANT_CACHE, else cotenant/runs in XDG_CACHE_HOME or ~/.cache; nothing is kept with
 * --no-cache, or where none of them is there. Close with run_folder_close. */
void cli_cache_open(struct run_folder *folder, const struct cli_args *args);

#endif
