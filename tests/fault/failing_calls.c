/*
 * Preloaded into the program, this makes calls of the C library fail: the n-th allocation
 * (FAIL_ALLOC=n), or the n-th write to a file or its sync (FAIL_WRITE=n, with the error of a full
 * disk); FAIL_ALL=1: also all calls after it. FAIL_COUNT=FILE gets the numbers of allocations and
 * writes that were made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* glibc's own, which are there before dlsym can be asked. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

struct calls {
    long wanted; /* 0: none fails */
    atomic_long made;
};

static struct calls allocations, writes;
static bool all;

static long number_of(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    allocations.wanted = number_of("FAIL_ALLOC");
    writes.wanted = number_of("FAIL_WRITE");
    all = number_of("FAIL_ALL");
    allocations.made = 0;
    writes.made = 0;
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("FAIL_COUNT");
    long made[] = {allocations.made, writes.made};
    allocations.wanted = writes.wanted = 0;
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld %ld\n", made[0], made[1]);
    fclose(out);
}

static bool fails(struct calls *calls, int error) {
    long number = ++calls->made;
    if (!calls->wanted || (all ? number < calls->wanted : number != calls->wanted))
        return false;
    errno = error;
    return true;
}

void *malloc(size_t size) {
    return fails(&allocations, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(&allocations, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails(&allocations, ENOMEM) ? NULL : __libc_realloc(memory, size);
}

static bool write_fails(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && fails(&writes, ENOSPC);
}

/* The library's function of this name; a pointer to an object cannot be converted to it in plain C.
 */
#define NEXT(function, name)                                                                       \
    do {                                                                                           \
        void *symbol = dlsym(RTLD_NEXT, name);                                                     \
        memcpy(&(function), &symbol, sizeof symbol);                                               \
    } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
    ssize_t (*real)(int, const void *, size_t);
    NEXT(real, "write");
    return write_fails(file) ? -1 : real(file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t);
    NEXT(real, "pwrite64");
    return write_fails(file) ? -1 : real(file, bytes, size, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return pwrite64(file, bytes, size, offset);
}

int fsync(int file) {
    int (*real)(int);
    NEXT(real, "fsync");
    return write_fails(file) ? -1 : real(file);
}

int fdatasync(int file) {
    int (*real)(int);
    NEXT(real, "fdatasync");
    return write_fails(file) ? -1 : real(file);
}

int ftruncate64(int file, off64_t size) {
    int (*real)(int, off64_t);
    NEXT(real, "ftruncate64");
    return write_fails(file) ? -1 : real(file, size);
}

int ftruncate(int file, off_t size) {
    return ftruncate64(file, size);
}
