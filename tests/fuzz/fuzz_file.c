#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 16, PATH_SIZE = 512 };

static char folder[PATH_SIZE / 2];
static char paths[MOST_NAMES][PATH_SIZE];
static size_t path_count;

/* What is in a folder goes before it. */
static void clean(void) {
    for (size_t i = path_count; i-- > 0;) {
        char journal[PATH_SIZE + sizeof "-journal"];
        snprintf(journal, sizeof journal, "%s-journal", paths[i]);
        unlink(journal);
        if (unlink(paths[i]) != 0)
            rmdir(paths[i]);
    }
    rmdir(folder);
}

static void give_up(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void make_folder(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/cotenant_fuzz_XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        give_up(folder);
    atexit(clean);
}

const char *fuzz_path(const char *name) {
    char path[PATH_SIZE];
    if (!*folder)
        make_folder();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (size_t i = 0; i < path_count; i++)
        if (strcmp(paths[i], path) == 0)
            return paths[i];
    FUZZ_OWES(path_count < MOST_NAMES);
    memcpy(paths[path_count], path, sizeof path);
    return paths[path_count++];
}

const char *fuzz_file(const char *name, const void *data, size_t size) {
    const char *path = fuzz_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        give_up(path);
    return path;
}

void fuzz_owes(bool promise, const char *text, const char *file, int line) {
    if (promise)
        return;
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, text);
    abort();
}

void fuzz_judge(int status, const struct ct_diags *diags) {
    FUZZ_OWES(status == CT_OK || status == CT_USAGE || status == CT_DATA);
    FUZZ_OWES((status == CT_OK) == (diags->errors == 0));
    FUZZ_OWES(!diags->lost);
    for (size_t i = 0; i < diags->count; i++)
        FUZZ_OWES(*diags->items[i].text);
}
