/* What stands in for the fuzzer where there is none, in the tests of fuzz targets.
 * fuzz_NAME [--whole] FILE|FOLDER...: gives files, and those of folders, to a target, each whole
 * and (without --whole) cut off at some places.
 * fuzz_NAME --accept N FILE|FOLDER...: then changes them by the target's mutator, over and over,
 * until the target has accepted so many imports; the same ones each time.
 * fuzz_NAME --columns FILE|FOLDER...: then gives it the stores that have one value in all rows of a
 * column, for every column and every strange value; --wrong: for two that are no sound value of
 * most columns.
 * Of --accept and --wrong a fifth, with COTENANT_FUZZED=all all of it.
 * An input that breaks a promise lies in "found" afterwards. */
#include "fuzz.h"
#include "mutate.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    CUTS = 16,
    PATH_SIZE = 4096,
    /* Bytes of a changed input. */
    MOST_SIZE = 8192,
    /* Inputs that others are made of. */
    POOL_SIZE = 256,
    TRIES_PER_ACCEPTED = 200,
    /* CPU time for an input. */
    MOST_SECONDS = 20
};

static uint64_t inputs;
static bool whole;

/* What was read, then what was accepted of what was made of it. */
static struct input {
    unsigned char bytes[MOST_SIZE];
    size_t size;
} pool[POOL_SIZE];
static size_t pool_count, pool_read;

static const unsigned char *fed;
static size_t fed_size;

/* Leaves the input under way, and ends as the signal would have it. */
static void leave_input(int number) {
    int file = open("found", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && write(file, fed, fed_size) >= 0)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

/* Each in memory of its own size, so that the sanitizers see a step too far. */
static void feed(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size ? size : 1);
    FUZZ_OWES(copy);
    memcpy(copy, bytes, size);
    fed = copy;
    fed_size = size;
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static void keep(const unsigned char *bytes, size_t size, size_t place) {
    if (size > MOST_SIZE || place >= POOL_SIZE)
        return;
    memcpy(pool[place].bytes, bytes, size);
    pool[place].size = size;
    pool_count += place == pool_count;
}

static void feed_file(const char *path, size_t size) {
    unsigned char *bytes = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    FUZZ_OWES(bytes && file && fread(bytes, 1, size, file) == size);
    fclose(file);
    feed(bytes, size);
    for (size_t i = 0; !whole && i < CUTS && i < size; i++)
        feed(bytes, size * i / CUTS);
    keep(bytes, size, pool_count);
    free(bytes);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    static uint32_t state = 1;
    size_t at = mutate_below(&state, size + 1);
    uint8_t byte = (uint8_t)mutate_below(&state, 256);
    if (at < size && mutate_below(&state, 2)) {
        data[at] = byte;
    } else if (at < size && mutate_below(&state, 2)) {
        memmove(data + at, data + at + 1, --size - at);
    } else if (size < most) {
        memmove(data + at + 1, data + at, size++ - at);
        data[at] = byte;
    }
    return size;
}

/* Seconds of a core until SIGPROF; 0: never. */
static void watch(time_t seconds) {
    const struct itimerval timer = {.it_value.tv_sec = seconds};
    FUZZ_OWES(setitimer(ITIMER_PROF, &timer, NULL) == 0);
}

/* Half of the inputs are made of what was read, half of what was accepted. */
static void feed_changed(uint64_t wanted) {
    static unsigned char bytes[MOST_SIZE];
    uint32_t state = 1;
    uint64_t most = inputs + TRIES_PER_ACCEPTED * wanted, accepted = fuzz_accepted;
    pool_read = pool_count;
    FUZZ_OWES(pool_read > 0);
    for (wanted += accepted; fuzz_accepted < wanted && inputs < most; accepted = fuzz_accepted) {
        const struct input *from =
            &pool[mutate_below(&state, mutate_below(&state, 2) ? pool_read : pool_count)];
        size_t size = from->size;
        memcpy(bytes, from->bytes, size);
        for (size_t rounds = 1 + mutate_below(&state, 3); rounds > 0; rounds--)
            size = LLVMFuzzerCustomMutator(bytes, size, MOST_SIZE,
                                           (unsigned)mutate_below(&state, UINT32_MAX));
        watch(MOST_SECONDS);
        feed(bytes, size);
        watch(0);
        if (fuzz_accepted > accepted)
            keep(bytes, size,
                 pool_count < POOL_SIZE ? pool_count
                                        : pool_read + mutate_below(&state, POOL_SIZE - pool_read));
    }
}

/* One of so many inputs is tried. Odd, so that of two for each column both kinds come. */
static size_t sampling(void) {
    const char *wish = getenv("COTENANT_FUZZED");
    return wish && strcmp(wish, "all") == 0 ? 1 : 5;
}

static void feed_columns(bool all) {
    char text[300];
    feed((const unsigned char *)"", 0);
    for (size_t n = 0; mutate_sql_column(n, all, text, sizeof text); n += all ? 1 : sampling())
        feed((const unsigned char *)text, strlen(text));
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
    static const int signals[] = {SIGABRT, SIGPROF, SIGSEGV};
    uint64_t wanted = 0;
    bool columns = false, wrong = false;
    int i = 1;
    for (size_t n = 0; n < CT_COUNT_OF(signals); n++)
        signal(signals[n], leave_input);
    for (; i < argc && argv[i][0] == '-'; i++) {
        whole = whole || strcmp(argv[i], "--whole") == 0;
        columns = columns || strcmp(argv[i], "--columns") == 0;
        wrong = wrong || strcmp(argv[i], "--wrong") == 0;
        if (strcmp(argv[i], "--accept") == 0 && i + 1 < argc)
            wanted = strtoull(argv[++i], NULL, 10);
    }
    for (; i < argc; i++)
        feed_path(argv[i]);
    wanted = (wanted + sampling() - 1) / sampling();
    if (wanted)
        feed_changed(wanted);
    if (columns || wrong)
        feed_columns(columns);
    fprintf(stderr, "%llu inputs, %llu imports accepted\n", (unsigned long long)inputs,
            (unsigned long long)fuzz_accepted);
    return inputs && fuzz_accepted >= wanted ? 0 : 1;
}
