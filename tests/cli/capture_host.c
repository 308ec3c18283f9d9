/*
 * Plays a CUDA program for the capture library: loads it as the driver would, emits records through
 * the stand-in for CUPTI, and ends in the way that its argument names.
 */
#include "fake_cupti.h"

#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, LAUNCHES = 20000 };

/* Nanoseconds since 1970, as CUPTI's on Linux. */
#define BASE UINT64_C(1700000000000000000)

static fake_emit_function *emit;
static fake_begin_function *begin;
static fake_complete_function *complete;
static fake_hoard_function *hoard;
static fake_end_context_function *end_context;

#define EMIT(record) emit(&(record), sizeof(record))

static void call(CUpti_ActivityKind kind, uint32_t id, uint32_t correlation, uint32_t thread,
                 uint64_t start, uint64_t end) {
    CUpti_ActivityAPI r = {.kind = kind,
                           .cbid = id,
                           .start = BASE + start,
                           .end = BASE + end,
                           .threadId = thread,
                           .correlationId = correlation};
    EMIT(r);
}

static CUpti_ActivityKernel9 kernel_record(const char *name, uint32_t correlation, uint32_t stream,
                                           uint64_t start, uint64_t end) {
    return (CUpti_ActivityKernel9){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                   .start = BASE + start,
                                   .end = BASE + end,
                                   .contextId = 1,
                                   .streamId = stream,
                                   .correlationId = correlation,
                                   .gridX = 80,
                                   .gridY = 2,
                                   .gridZ = 1,
                                   .blockX = 256,
                                   .blockY = 1,
                                   .blockZ = 1,
                                   .registersPerThread = 32,
                                   .staticSharedMemory = 1024,
                                   .dynamicSharedMemory = 4096,
                                   .name = name};
}

static void kernel(const char *name, uint32_t correlation, uint32_t stream, uint64_t start,
                   uint64_t end) {
    CUpti_ActivityKernel9 r = kernel_record(name, correlation, stream, start, end);
    EMIT(r);
}

static void copy(uint32_t correlation, uint64_t start, uint64_t end) {
    CUpti_ActivityMemcpy5 r = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                               .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                               .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                               .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                               .bytes = 4096,
                               .start = BASE + start,
                               .end = BASE + end,
                               .contextId = 1,
                               .streamId = 7,
                               .correlationId = correlation};
    EMIT(r);
}

static void range(uint32_t id, const char *name, uint64_t time) {
    CUpti_ActivityMarker2 r = {.kind = CUPTI_ACTIVITY_KIND_MARKER,
                               .flags = name ? CUPTI_ACTIVITY_FLAG_MARKER_START
                                             : CUPTI_ACTIVITY_FLAG_MARKER_END,
                               .timestamp = BASE + time,
                               .id = id,
                               .name = name};
    EMIT(r);
}

static void device(void) {
    CUpti_ActivityDevice4 r = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                               .globalMemoryBandwidth = 900000000,
                               .globalMemorySize = UINT64_C(17179869184),
                               .l2CacheSize = 6291456,
                               .coreClockRate = 1530000,
                               .numMultiprocessors = 80,
                               .computeCapabilityMajor = 7,
                               .eccEnabled = 1,
                               .name = "Tesla V100-SXM2-16GB"};
    EMIT(r);
}

/*
 * Two queries, 1 ms apart: a copy in, one kernel, a wait for the device. The runtime's calls hold
 * the driver's; asking for the device is not recorded; one record is of a kind that nobody asked
 * for.
 */
static void queries(void) {
    CUpti_ActivityOverhead2 other = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD};
    device();
    EMIT(other);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t t = i * 1000000;
        uint32_t id = i * 10;
        range(i + 1, "query", t + 1000);
        call(CUPTI_ACTIVITY_KIND_RUNTIME, FAKE_GET_DEVICE, id + 1, 3, t + 1000, t + 1100);
        call(CUPTI_ACTIVITY_KIND_RUNTIME, FAKE_COPY, id + 2, 3, t + 2000, t + 9000);
        copy(id + 2, t + 4000, t + 8000);
        call(CUPTI_ACTIVITY_KIND_DRIVER, FAKE_LAUNCH, id + 4, 3, t + 10500, t + 11500);
        call(CUPTI_ACTIVITY_KIND_RUNTIME, FAKE_LAUNCH, id + 3, 3, t + 10000, t + 12000);
        kernel("_Z5scalePfi", id + 4, 7, t + 15000, t + 65000);
        call(CUPTI_ACTIVITY_KIND_RUNTIME, FAKE_SYNCHRONIZE, id + 5, 3, t + 13000, t + 67000);
        range(i + 1, NULL, t + 70000);
    }
}

static void *launch_many(void *number) {
    uint32_t thread = *(const uint32_t *)number;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        uint32_t id = thread * LAUNCHES + i + 1;
        uint64_t t = (uint64_t)i * 20000 + thread;
        call(CUPTI_ACTIVITY_KIND_RUNTIME, FAKE_LAUNCH, id, thread, t, t + 5000);
        kernel("busy", id, thread, t + 6000, t + 16000);
    }
    return NULL;
}

static void launch_in_threads(void) {
    pthread_t threads[THREADS];
    uint32_t numbers[THREADS];
    device();
    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, launch_many, &numbers[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* A kernel under way while the library saves again and again, and a context ends. */
static void run_on(void) {
    CUpti_ActivityKernel9 r = kernel_record("long", 1, 7, 1000, 9000);
    uint64_t end = r.end;
    device();
    r.end = 0;
    begin(&r, sizeof r);
    sleep(1);
    r.end = end;
    complete(&r, sizeof r);
}

/* Until there is something in the store, for a minute at most, and as long as a commit takes. */
static void wait_until_saved(void) {
    const char *path = getenv("COTENANT_CAPTURE_OUT");
    struct stat status;
    for (int i = 0; i < 600 && (!path || stat(path, &status) != 0 || status.st_size == 0); i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    sleep(1);
}

static void *interrupt_soon(void *thread) {
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    pthread_kill(*(pthread_t *)thread, SIGINT);
    return NULL;
}

static void do_nothing(int number) {
    (void)number;
}

/* A read that waits for ever ends when a signal comes, as this program's handler wants it. */
static int read_until_interrupted(void) {
    pthread_t self = pthread_self(), other;
    int ends[2];
    char byte;
    if (pipe(ends) != 0 || pthread_create(&other, NULL, interrupt_soon, &self) != 0)
        return 2;
    ssize_t got = read(ends[0], &byte, 1);
    pthread_join(other, NULL);
    return got == -1 && errno == EINTR ? 0 : 2;
}

static void *find(const char *variable, const char *name, int *status) {
    const char *path = getenv(variable);
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "%s: %s\n", variable, dlerror());
        *status = 2;
    }
    return symbol;
}

/* NVTX is used before CUDA, and then a child, not the parent, begins with CUDA. */
static int start_in_child(int (*start)(void)) {
    int (*start_nvtx)(void *), status = 0;
    void *symbol = find("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2", &status);
    memcpy(&start_nvtx, &symbol, sizeof start_nvtx);
    if (status || start_nvtx(&status) != 1)
        return 2;
    pid_t child = fork();
    if (child == 0)
        exit(start() == 1 ? 0 : 3);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void leave_at_once(int number) {
    _exit(number == SIGINT ? 7 : 8);
}

static int play(const char *how) {
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"sigterm", SIGTERM}, {"sigint", SIGINT}, {"sighup", SIGHUP}};
    if (strcmp(how, "threads") == 0)
        launch_in_threads();
    else if (strcmp(how, "under_way") == 0)
        run_on();
    else if (strcmp(how, "nothing") != 0)
        queries();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(how, signals[i].name) == 0) {
            kill(getpid(), signals[i].number);
            for (;;)
                pause();
        }
    if (strcmp(how, "reads") == 0)
        return read_until_interrupted();
    if (strcmp(how, "exec") == 0)
        execl("/proc/self/exe", "capture_host", "exit", (char *)NULL);
    if (strcmp(how, "handler") == 0) {
        kill(getpid(), SIGINT);
        return 9; /* the handler has ended the program */
    }
    if (strcmp(how, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
    }
    if (strcmp(how, "hoard") == 0)
        printf("%d buffers\n", hoard());
    if (strcmp(how, "context") == 0) {
        end_context();
    }
    if (strcmp(how, "saved") == 0) {
        wait_until_saved();
        _exit(0);
    }
    return 0;
}

int main(int argc, char **argv) {
    int status = 0;
    int (*start)(void);
    void *symbol = find("CUDA_INJECTION64_PATH", "InitializeInjection", &status);
    memcpy(&start, &symbol, sizeof start);
    symbol = find("COTENANT_CAPTURE_CUPTI", "fake_emit", &status);
    memcpy(&emit, &symbol, sizeof emit);
    symbol = find("COTENANT_CAPTURE_CUPTI", "fake_begin", &status);
    memcpy(&begin, &symbol, sizeof begin);
    symbol = find("COTENANT_CAPTURE_CUPTI", "fake_complete", &status);
    memcpy(&complete, &symbol, sizeof complete);
    symbol = find("COTENANT_CAPTURE_CUPTI", "fake_hoard", &status);
    memcpy(&hoard, &symbol, sizeof hoard);
    symbol = find("COTENANT_CAPTURE_CUPTI", "fake_end_context", &status);
    memcpy(&end_context, &symbol, sizeof end_context);
    if (status || argc != 2)
        return 2;
    bool leaves = strcmp(argv[1], "handler") == 0;
    if (leaves || strcmp(argv[1], "reads") == 0) {
        struct sigaction action = {.sa_handler = leaves ? leave_at_once : do_nothing};
        sigaction(SIGINT, &action, NULL);
    }
    if (strcmp(argv[1], "child") == 0)
        return start_in_child(start);
    if (start() != 1)
        return 3;
    return play(argv[1]);
}
