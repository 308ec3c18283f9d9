#include "cli/cli_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* This build, to the byte, and the C library, whose functions round as they do. False: unknown. */
static bool hash_program(struct ct_hash *hash) {
    char libc[64] = "";
    *hash = ct_hash_start();
    confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc);
    ct_hash_string(hash, libc);
    return ct_hash_file(hash, "/proc/self/exe");
}

/* False: nowhere, or the name is too long. */
static bool find_folder(char *path, size_t size) {
    const char *given = getenv("COTENANT_CACHE"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(path, size, "%s", given);
    else if (cache && *cache == '/')
        length = snprintf(path, size, "%s/cotenant/runs", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/cotenant/runs", home);
    return length > 0 && (size_t)length < size;
}

void cli_cache_open(struct run_folder *folder, const struct cli_args *args) {
    char path[4096];
    struct ct_hash program;
    *folder = (struct run_folder){0};
    if (!cli_has(args, "no-cache") && find_folder(path, sizeof path) && hash_program(&program))
        run_folder_open(folder, path, program);
}
