/*
 * Results of runs kept in a folder, from one call of the program to the next: a file each, named by
 * the run's key and by the program that made it. What cannot be read is as if it were not there,
 * and what cannot be written is not kept: no failure here is one of a run. Any thread and any
 * process may use a folder at the same time.
 */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "cli/cli.h"
#include "experiment/experiment_types.h"

#include <stdatomic.h>

#define CLI_CACHE_OPTION                                                                           \
    {                                                                                              \
        "no-cache", 0, NULL,                                                                       \
            "run everything anew, and keep nothing for the next call (COTENANT_CACHE: the "        \
            "folder; empty: as --no-cache)"                                                        \
    }

/* Beyond it, as the disk counts, the files that were used longest ago are removed, until half of it
 * is left (chosen). */
#define RUN_FOLDER_BYTES (512.0 * 1024 * 1024)

struct run_folder {
    struct run_cache cache; /* as run_folder_find gives it */
    char *path;             /* NULL: nothing is kept */
    struct ct_hash program;
    atomic_bool grown, taken; /* something was put into it, taken out of it */
};

/* Makes the folder and those above it where they are missing; nothing is kept where it cannot.
 * `program` tells builds apart, of which no two need give the same bytes. */
void run_folder_open(struct run_folder *folder, const char *path, struct ct_hash program);

/* Opens COTENANT_CACHE, else cotenant/runs in XDG_CACHE_HOME or ~/.cache: what earlier calls kept
 * of their runs, for this one to take and to add to. NULL: nothing is kept, with --no-cache, or
 * where none of them is there. Close with run_folder_close. */
const struct run_cache *run_folder_find(struct run_folder *folder, const struct cli_args *args);

/* The folder in the form in which an experiment asks; it must stay. Policies of the user's own are
 * run every time: what they read besides, nobody knows. */
struct run_cache run_folder_cache(struct run_folder *folder);

/* Removes what is too much. */
void run_folder_close(struct run_folder *folder);

#endif
