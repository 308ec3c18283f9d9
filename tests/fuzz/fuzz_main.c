/* fuzz_NAME [--whole] FILE|FOLDER...: gives files, and those of folders, to a target, each whole
 * and (without --whole) cut off at some places: the tests of fuzz targets where there is no fuzzer.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CUTS = 16, PATH_SIZE = 4096 };

static size_t inputs;
static bool whole;

/* Each in memory of its own size, so that the sanitizers see a step too far. */
static void feed(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size ? size : 1);
    FUZZ_OWES(copy);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static void feed_file(const char *path, size_t size) {
    unsigned char *bytes = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    FUZZ_OWES(bytes && file && fread(bytes, 1, size, file) == size);
    fclose(file);
    feed(bytes, size);
    for (size_t i = 0; !whole && i < CUTS && i < size; i++)
        feed(bytes, size * i / CUTS);
    free(bytes);
}

static void feed_path(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        perror(path);
        exit(1);
    }
    if (!S_ISDIR(status.st_mode)) {
        feed_file(path, (size_t)status.st_size);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[PATH_SIZE];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            feed_path(inner);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv) {
    whole = argc > 1 && strcmp(argv[1], "--whole") == 0;
    for (int i = 1 + whole; i < argc; i++)
        feed_path(argv[i]);
    printf("%zu inputs\n", inputs);
    return inputs ? 0 : 1;
}
