/*
 * Preloaded into the program, this makes calls of the C library fail: the n-th allocation
 * (FAIL_ALLOC=n), or the n-th write to a file, its sync, its renaming or its making (FAIL_WRITE=n,
 * with the error of a full disk); FAIL_ALL=1: also all calls after it; FAIL_KILL=1: the program is
 * killed there instead. FAIL_COUNT=FILE gets the numbers of allocations and writes that were made;
 * where none of them had to fail, a second line numbers the first one of each place: those that
 * four calls led to in the same way.
 *
 * With FAIL_SERVER=1 the program is loaded once for many runs: for each line
 * "FAIL_ALLOC FAIL_WRITE FAIL_ALL FAIL_KILL" of its input a copy of it runs, whose output goes to
 * the files out and err, and its exit code is answered. Starting a program costs more than most of
 * these runs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

/* glibc's own, which are there before dlsym can be asked. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* A sanitizer's, in programs that have one. */
__attribute__((weak)) void *__interceptor_malloc(size_t size);
__attribute__((weak)) void *__interceptor_calloc(size_t count, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *memory, size_t size);

enum { LONGEST_S = 60, CALLS = 4, MOST_PLACES = 1 << 14 };

struct calls {
    long wanted; /* 0: none fails */
    atomic_long made;
};

static struct calls allocations, writes;
static bool all, kills;
/* Hashes of the calls that led to allocations, where they fall, 0: none; and the first of each. */
static uint64_t places[MOST_PLACES];
static long firsts[MOST_PLACES];
static size_t place_count;
static atomic_flag places_taken = ATOMIC_FLAG_INIT;

static long number_of(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static void redirect(int file, const char *path, int flags) {
    int opened = open(path, flags, 0666);
    if (opened < 0 || dup2(opened, file) < 0)
        _exit(99);
    close(opened);
}

/* A copy becomes a run; what it starts itself sees the same settings. */
static void begin_run(char *request) {
    static const char *const names[] = {"FAIL_ALLOC", "FAIL_WRITE", "FAIL_ALL", "FAIL_KILL"};
    char *rest = request;
    for (int i = 0; i < 4; i++) {
        const char *value = strtok_r(rest, " \n", &rest);
        setenv(names[i], value ? value : "0", 1);
    }
    unsetenv("FAIL_SERVER");
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
    alarm(LONGEST_S);
}

/* Comes back in each copy. */
static void serve(void) {
    char request[64];
    ssize_t size;
    while ((size = read(STDIN_FILENO, request, sizeof request - 1)) > 0) {
        int status;
        request[size] = '\0';
        pid_t child = fork();
        if (child == 0) {
            begin_run(request);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) < 0)
            break;
        dprintf(STDOUT_FILENO, "%d\n",
                WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    _exit(0);
}

/* The calls from one on, hashed. */
struct walk {
    uintptr_t from;
    int calls;
    uint64_t hash;
};

static _Unwind_Reason_Code walk_call(struct _Unwind_Context *context, void *into) {
    struct walk *walk = into;
    uintptr_t call = _Unwind_GetIP(context);
    if (walk->calls == 0 && call != walk->from)
        return _URC_NO_REASON; /* of this file */
    walk->hash = (walk->hash ^ call) * UINT64_C(0x100000001b3);
    return ++walk->calls < CALLS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The place of the allocation that follows. */
static void note_place(void *caller) {
    struct walk walk = {.from = (uintptr_t)caller};
    if (allocations.wanted || writes.wanted)
        return;
    _Unwind_Backtrace(walk_call, &walk);
    uint64_t calls = walk.hash | 1;
    while (atomic_flag_test_and_set(&places_taken))
        ;
    size_t at = (calls >> 32) % MOST_PLACES;
    while (places[at] && places[at] != calls)
        at = (at + 1) % MOST_PLACES;
    if (!places[at] && place_count < MOST_PLACES / 2) {
        places[at] = calls;
        firsts[place_count++] = allocations.made + 1;
    }
    atomic_flag_clear(&places_taken);
}

__attribute__((constructor)) static void begin(void) {
    if (number_of("FAIL_SERVER"))
        serve();
    allocations.wanted = number_of("FAIL_ALLOC");
    writes.wanted = number_of("FAIL_WRITE");
    all = number_of("FAIL_ALL");
    kills = number_of("FAIL_KILL");
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
    for (size_t i = 0; i < place_count; i++)
        fprintf(out, "%ld ", firsts[i]);
    fprintf(out, "\n");
    fclose(out);
}

static bool fails(struct calls *calls, int error) {
    long number = ++calls->made;
    if (!calls->wanted || (all ? number < calls->wanted : number != calls->wanted))
        return false;
    if (kills)
        raise(SIGKILL);
    errno = error;
    return true;
}

static bool allocation_fails(void *caller) {
    note_place(caller);
    return fails(&allocations, ENOMEM);
}

void *malloc(size_t size) {
    if (allocation_fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (allocation_fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(count, size) : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    if (allocation_fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(memory, size)
                                 : __libc_realloc(memory, size);
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

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *);
    NEXT(real, "rename");
    return fails(&writes, ENOSPC) ? -1 : real(from, to);
}

/* ---- streams, whose own writes nobody can stand before ---- */

static ssize_t stream_write(void *cookie, const char *bytes, size_t size) {
    FILE *file = cookie;
    bool failed = fails(&writes, ENOSPC) || fwrite(bytes, 1, size, file) != size;
    return failed ? 0 : (ssize_t)size;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    if (fseeko(cookie, *offset, whence) != 0)
        return -1;
    *offset = ftello(cookie);
    return 0;
}

static int stream_close(void *cookie) {
    bool failed = fails(&writes, ENOSPC);
    return fclose(cookie) != 0 || failed ? EOF : 0;
}

FILE *fopen64(const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *);
    NEXT(real, "fopen64");
    if (*mode != 'w' || strncmp(path, "/dev/", 5) == 0)
        return real(path, mode);
    FILE *file = fails(&writes, ENOSPC) ? NULL : real(path, mode);
    if (!file)
        return NULL;
    FILE *stream = fopencookie(
        file, mode,
        (cookie_io_functions_t){.write = stream_write, .seek = stream_seek, .close = stream_close});
    if (!stream)
        fclose(file);
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    return fopen64(path, mode);
}
