/* The applications of measure_apps.h, by CUDA. */
#include "measure_apps.h"
#include "measure_kernels.cuh"

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Kernels one after the other, between a copy to the device and one from it; then the host waits. */
struct phase {
    enum measure_kind kind;
    int stride_sectors, blocks_per_2_sms;
    double launch_ms; /* of each kernel, alone */
    int launches;     /* 0: there is no such phase */
    size_t bytes_in, bytes_out;
    double host_ms; /* the host computes after its wait */
};

#define MIB ((size_t)1 << 20)

static const struct {
    const char *name;
    bool pinned;
    struct phase phases[APPS_PHASES];
} known[] = {
    {"compute", true, {{MEASURE_FMA, 1, 8, 0.2, 16, 4 * MIB, MIB, 0}}},
    {"narrow", true, {{MEASURE_FMA, 1, 1, 0.5, 8, 0, 0, 0}}},
    {"stream", true, {{MEASURE_STREAM, 1, 8, 0.2, 16, 0, 0, 0}}},
    {"scatter", true, {{MEASURE_STREAM, MEASURE_RANDOM, 2, 0.3, 10, 0, 0, 0}}},
    {"chase", true, {{MEASURE_CHASE, 1, 2, 0.3, 10, 0, 0, 0}}},
    {"mixed",
     false,
     {{MEASURE_MIXED, 1, 8, 0.05, 20, 8 * MIB, 0, 0.3},
      {MEASURE_STREAM, 8, 2, 0.1, 4, 0, MIB, 0}}},
    {"burst", true, {{MEASURE_FMA, 1, 4, 0.08, 12, 0, MIB, 0.2}}},
    {"reader", true, {{MEASURE_STREAM, 1, 2, 0.4, 6, 0, 0, 0}}},
    {"sparse", true, {{MEASURE_STREAM, 8, 8, 0.15, 10, 0, 0, 0.1}}},
    {"blend", true, {{MEASURE_MIXED, 1, 2, 0.25, 8, 0, 0, 0}}}};
enum { KNOWN = sizeof known / sizeof known[0] };

struct apps_app {
    int number;
    int64_t numbers[APPS_NUMBERS];
    cudaStream_t stream;
    uint4 *data;
    unsigned long long next; /* `first` of the next launch */
    struct stamp *stamp;
    unsigned *sink;
    void *host, *device; /* of copies */
};

static thread_local char why[300];

const char *apps_why(void) {
    return why;
}

static bool good(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        snprintf(why, sizeof why, "%s: %s", what, cudaGetErrorString(error));
    return error == cudaSuccess;
}
#define GOOD(call) good((call), #call)

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- a job ---- */

static bool launch(struct apps_app *a, const struct phase *p, int64_t iterations) {
    struct work w = {a->data,  p->stride_sectors, a->next, iterations,
                     a->stamp, NULL,              a->sink};
    bool chain = p->kind == MEASURE_CHASE;
    int blocks = (int)a->numbers[APPS_SMS] * p->blocks_per_2_sms / 2;
    a->next += (unsigned long long)blocks * sectors_of(p->kind) * (chain ? 1 : iterations);
    kernel_of(p->kind, p->stride_sectors)<<<blocks, chain ? 32 : THREADS, OWN_SMEM, a->stream>>>(w);
    return GOOD(cudaGetLastError());
}

static bool run_phase(struct apps_app *a, const struct phase *p, int64_t iterations) {
    if (p->bytes_in && !GOOD(cudaMemcpyAsync(a->device, a->host, p->bytes_in,
                                             cudaMemcpyHostToDevice, a->stream)))
        return false;
    for (int i = 0; i < p->launches; i++)
        if (!launch(a, p, iterations))
            return false;
    if (p->bytes_out && !GOOD(cudaMemcpyAsync(a->host, a->device, p->bytes_out,
                                              cudaMemcpyDeviceToHost, a->stream)))
        return false;
    if (!GOOD(cudaStreamSynchronize(a->stream)))
        return false;
    for (int64_t until = now_ns() + (int64_t)(p->host_ms * 1e6); p->host_ms && now_ns() < until;)
        continue;
    return true;
}

static bool run_job(struct apps_app *a) {
    bool done = true;
    for (int i = 0; done && i < APPS_PHASES && known[a->number].phases[i].launches; i++)
        done = run_phase(a, &known[a->number].phases[i], a->numbers[i]);
    return done;
}

int apps_run(struct apps_app *app, int64_t begin_ns, int64_t end_ns, int64_t *starts_ns,
             int64_t *ends_ns, int most) {
    int count = 0;
    while (now_ns() < begin_ns)
        continue;
    for (int64_t start = now_ns(); start < end_ns && count < most; count++) {
        if (starts_ns)
            nvtxRangePushA("job");
        bool done = run_job(app);
        if (starts_ns)
            nvtxRangePop();
        if (!done)
            return -1;
        int64_t end = now_ns();
        if (starts_ns) {
            starts_ns[count] = start;
            ends_ns[count] = end;
        }
        start = end;
    }
    return count;
}

/* ---- preparation ---- */

/* Milliseconds of one kernel alone, by the GPU's clock; 0 where the device failed. */
static double launch_time(struct apps_app *a, const struct phase *p, int64_t iterations) {
    struct stamp stamp = {~0ull, 0};
    if (!GOOD(cudaMemcpy(a->stamp, &stamp, sizeof stamp, cudaMemcpyHostToDevice)) ||
        !launch(a, p, iterations) || !GOOD(cudaStreamSynchronize(a->stream)) ||
        !GOOD(cudaMemcpy(&stamp, a->stamp, sizeof stamp, cudaMemcpyDeviceToHost)))
        return 0;
    return stamp.end_ns > stamp.start_ns ? (double)(stamp.end_ns - stamp.start_ns) / 1e6 : 1e-3;
}

/* Iterations by which a kernel takes launch_ms. The first kernel is tried for 1.5 s, an assumed
 * time, in which the GPU leaves its low clock. */
static bool tune(struct apps_app *a, const struct phase *p, int64_t *iterations) {
    static bool warm;
    int64_t until = now_ns() + (warm ? 0 : 1500000000);
    warm = true;
    *iterations = 16;
    for (int round = 0; round < 8 || now_ns() < until; round++) {
        double ms = launch_time(a, p, *iterations);
        if (ms <= 0)
            return false;
        double factor = p->launch_ms / ms;
        *iterations = (int64_t)((double)*iterations * (factor > 64 ? 64 : factor)) + 1;
    }
    return true;
}

static bool prepare(struct apps_app *a, int64_t *numbers) {
    int sms = 0;
    const struct phase *phases = known[a->number].phases;
    size_t copied = MIB;
    for (int i = 0; i < APPS_PHASES; i++) {
        copied = phases[i].bytes_in > copied ? phases[i].bytes_in : copied;
        copied = phases[i].bytes_out > copied ? phases[i].bytes_out : copied;
    }
    if (!GOOD(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)) ||
        !GOOD(cudaStreamCreateWithFlags(&a->stream, cudaStreamNonBlocking)) ||
        !GOOD(cudaMalloc(&a->data, SLOT_BYTES)) || !GOOD(cudaMalloc(&a->stamp, sizeof *a->stamp)) ||
        !GOOD(cudaMalloc(&a->sink, sizeof *a->sink)) || !GOOD(cudaMalloc(&a->device, copied)))
        return false;
    if (known[a->number].pinned && !GOOD(cudaMallocHost(&a->host, copied)))
        return false;
    if (!known[a->number].pinned && !(a->host = malloc(copied))) {
        snprintf(why, sizeof why, "out of memory");
        return false;
    }
    memset(a->host, 1, copied);
    link_sectors<<<1024, 256, 0, a->stream>>>(a->data);
    if (!GOOD(cudaGetLastError()) || !GOOD(cudaStreamSynchronize(a->stream)))
        return false;
    if (numbers[APPS_SMS] <= 0)
        numbers[APPS_SMS] = sms;
    a->numbers[APPS_SMS] = numbers[APPS_SMS];
    for (int i = 0; i < APPS_PHASES && phases[i].launches; i++)
        if (numbers[i] <= 0 && !tune(a, &phases[i], &numbers[i]))
            return false;
    memcpy(a->numbers, numbers, sizeof a->numbers);
    return run_job(a) && run_job(a);
}

struct apps_app *apps_open(const char *name, int64_t *numbers) {
    int number = 0;
    while (number < KNOWN && strcmp(name, known[number].name) != 0)
        number++;
    struct apps_app *a = number < KNOWN ? (struct apps_app *)calloc(1, sizeof *a) : NULL;
    if (!a) {
        snprintf(why, sizeof why, "there is no application '%s'", name);
        return NULL;
    }
    a->number = number;
    return prepare(a, numbers) ? a : NULL; /* what a failed device holds ends with the process */
}

/* ---- time slices ---- */

struct pauses {
    int most, *count;
    long long *before, *after;
};

static __global__ void pauses_kernel(struct pauses p, long long least_ns, long long seconds_ns) {
    long long start = (long long)global_ns(), last = start, now;
    int count = 0;
    do {
        now = (long long)global_ns();
        if (now - last > least_ns && blockIdx.x == 0 && threadIdx.x == 0 && count < p.most) {
            p.before[count] = last;
            p.after[count++] = now;
        }
        last = now;
    } while (now - start < seconds_ns);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *p.count = count;
}

int apps_pauses(int blocks_per_sm, int64_t least_ns, int64_t seconds_ns, int64_t *before_ns,
                int64_t *after_ns, int most) {
    static_assert(sizeof(long long) == sizeof(int64_t), "times are copied as they are");
    struct pauses p = {most, NULL, NULL, NULL};
    int sms = 0, count = -1;
    size_t bytes = (size_t)most * sizeof(long long);
    bool done = GOOD(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)) &&
                GOOD(cudaMalloc(&p.count, sizeof *p.count)) && GOOD(cudaMalloc(&p.before, bytes)) &&
                GOOD(cudaMalloc(&p.after, bytes));
    if (done) {
        int blocks = blocks_per_sm > 0 ? blocks_per_sm * sms : 1;
        pauses_kernel<<<blocks, THREADS>>>(p, least_ns, seconds_ns);
        done = GOOD(cudaGetLastError()) && GOOD(cudaDeviceSynchronize()) &&
               GOOD(cudaMemcpy(&count, p.count, sizeof count, cudaMemcpyDeviceToHost)) &&
               GOOD(cudaMemcpy(before_ns, p.before, bytes, cudaMemcpyDeviceToHost)) &&
               GOOD(cudaMemcpy(after_ns, p.after, bytes, cudaMemcpyDeviceToHost));
    }
    cudaFree(p.count);
    cudaFree(p.before);
    cudaFree(p.after);
    return done ? count : -1;
}
