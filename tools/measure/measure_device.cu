/*
 * The GPU, by CUDA. Times of kernels are stamps that their blocks take of the GPU's own global
 * timer: the first block's begin to the last block's end, so that neither events nor the host's
 * launches are in them, and what ran beside what can be checked.
 */
#include "measure.h"
#include "measure_copies.h"
#include "measure_kernels.cuh"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Two applications at once, each with its own memory. */
    SLOTS = 2,
    /* Jobs of the neighbour: 768 launches, below the 1024 that a stream takes. */
    JOBS_MOST = 48,
    DELAY_LAUNCHES = 100,
    PARTITIONS_MOST = 8,
    SMS_MOST = 4096,
    /* Together 32 ms, beside which the clock is measured for 20. */
    CLOCK_JOBS = 10
};

/* Length of one launch alone on the whole GPU. */
static const double launch_ms = 0.2;

/* An idle GPU runs at a low clock, and takes some tenths of a second to leave it. Assumed. */
static const double warm_up_s = 1.5;

static __global__ void nothing_kernel(struct work w) {
    block_begins(&w);
    block_ends(&w);
}

/* Sits on an SM, with all of its shared memory, until the host says stop. It looks a thousand times
 * a second: beside occupants that looked a million times, reads of memory took 25 times as long on
 * an H200. */
static __global__ void occupy_kernel(volatile int *stop, int *arrived) {
    if (threadIdx.x == 0)
        atomicAdd_system(arrived, 1);
    while (threadIdx.x == 0 && !*stop)
        __nanosleep(1000000);
}

static __global__ void clock_kernel(unsigned long long *cycles_ns) {
    unsigned long long ns = global_ns(), until = ns + 20000000;
    long long cycles = clock64();
    while (global_ns() < until)
        continue;
    cycles_ns[0] = (unsigned long long)(clock64() - cycles);
    cycles_ns[1] = global_ns() - ns;
}

/* ---- the device ---- */

struct partition {
    int sms_a, sms_b; /* sms_b 0: one application alone */
    cudaStream_t streams[SLOTS];
};

struct measure_device {
    struct measure_conditions conditions;
    cudaStream_t streams[SLOTS], occupant;
    uint4 *data[SLOTS];
    unsigned long long next[SLOTS]; /* `first` of the next launch */
    struct stamp *stamps; /* JOBS_MOST + 1, or DELAY_LAUNCHES */
    unsigned *sink;
    struct measure_block *blocks;
    size_t blocks_most;
    long long *iterations; /* of each application; 0: not tuned yet */
    int group_sms;         /* of a green context; 0: there are none */
    struct partition partitions[PARTITIONS_MOST];
    int partition_count;
    int *stop, *arrived; /* of occupants, in the host's memory */
    struct measure_copy_ends ends;
};

static char why[300];

const char *measure_device_why(void) {
    return why;
}

static bool good(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return true;
    snprintf(why, sizeof why, "%s: %s", what, cudaGetErrorString(error));
    return false;
}
#define GOOD(call) good((call), #call)

/* ---- launches ---- */

static int blocks_of(const struct measure_device *d, const struct measure_app *app) {
    int blocks = d->conditions.sms * app->blocks_per_2_sms / 2;
    return blocks > 0 ? blocks : 1;
}

/* Each launch reads on where the one before it in its slot stopped, so that no L2 still holds it; a
 * chain goes on elsewhere. */
static bool launch(struct measure_device *d, const struct measure_app *app, int slot,
                   long long iterations, struct stamp *stamp, struct measure_block *blocks,
                   cudaStream_t stream) {
    struct work w = {d->data[slot], app->stride_sectors, d->next[slot], iterations, stamp, blocks,
                     d->sink};
    bool chain = app->kind == MEASURE_CHASE;
    int count = blocks_of(d, app);
    d->next[slot] += (unsigned long long)count * sectors_of(app->kind) * (chain ? 1 : iterations);
    kernel_of(app->kind, app->stride_sectors)<<<count, chain ? 32 : THREADS, OWN_SMEM, stream>>>(w);
    return GOOD(cudaGetLastError());
}

/* atomicMin wants a begin that is later than all. */
static bool reset_stamps(struct measure_device *d, int count, cudaStream_t stream) {
    struct stamp fresh[DELAY_LAUNCHES];
    for (int i = 0; i < count; i++)
        fresh[i] = (struct stamp){~0ull, 0};
    return GOOD(cudaMemcpyAsync(d->stamps, fresh, count * sizeof *fresh, cudaMemcpyHostToDevice,
                                stream)) &&
           GOOD(cudaStreamSynchronize(stream));
}

static bool read_stamps(struct measure_device *d, struct stamp *stamps, int count,
                        cudaStream_t stream) {
    return GOOD(cudaMemcpyAsync(stamps, d->stamps, count * sizeof *stamps, cudaMemcpyDeviceToHost,
                                stream)) &&
           GOOD(cudaStreamSynchronize(stream));
}

static double stamp_ms(const struct stamp *s) {
    return s->end_ns > s->start_ns ? (double)(s->end_ns - s->start_ns) / 1e6 : 0;
}

static bool run_job(struct measure_device *d, const struct measure_app *app, int slot,
                    long long iterations, struct stamp *stamp, cudaStream_t stream) {
    for (int i = 0; i < MEASURE_LAUNCHES; i++)
        if (!launch(d, app, slot, iterations, stamp, NULL, stream))
            return false;
    return true;
}

/* Iterations by which one launch takes launch_ms, found once and then kept. */
static bool tune(struct measure_device *d, const struct measure_app *app, long long *iterations) {
    size_t index = (size_t)(app - measure_app(0));
    long long tried = 16;
    struct stamp stamp;
    *iterations = d->iterations[index];
    for (int round = 0; round < 6 && !d->iterations[index]; round++) {
        if (!reset_stamps(d, 1, d->streams[0]) ||
            !launch(d, app, 0, tried, d->stamps, NULL, d->streams[0]) ||
            !read_stamps(d, &stamp, 1, d->streams[0]))
            return false;
        double ms = stamp_ms(&stamp) > 1e-3 ? stamp_ms(&stamp) : 1e-3;
        double factor = launch_ms / ms;
        tried = (long long)((double)tried * (factor > 64 ? 64 : factor)) + 1;
        *iterations = tried;
    }
    d->iterations[index] = *iterations;
    return true;
}

/* Multiply-adds on all SMs. */
static const struct measure_app *busy_app(void) {
    size_t index = 0;
    for (size_t i = 0; i < measure_app_count(); i++)
        if (measure_app(i)->kind == MEASURE_FMA)
            index = i; /* the largest is the last */
    return measure_app(index);
}

/* Computes for a while; what was tuned meanwhile is forgotten. */
static bool warm_up(struct measure_device *d) {
    long long iterations;
    double until_s = measure_host_s() + warm_up_s;
    while (measure_host_s() < until_s)
        if (!tune(d, busy_app(), &iterations) ||
            !run_job(d, busy_app(), 0, iterations, d->stamps, d->streams[0]) ||
            !GOOD(cudaStreamSynchronize(d->streams[0])))
            return false;
    memset(d->iterations, 0, measure_app_count() * sizeof *d->iterations);
    return true;
}

/* ---- limits of SMs ---- */

static int sms_of(const struct measure_device *d, double quota) {
    int sms = (int)(d->conditions.sms * quota / 100 + 1e-6);
    if (d->group_sms && quota < 100)
        sms = sms / d->group_sms * d->group_sms;
    return sms > 0 ? sms : d->group_sms ? d->group_sms : 1;
}

double measure_device_quota(struct measure_device *d, double wanted) {
    return wanted >= 100 ? 100 : 100.0 * sms_of(d, wanted) / d->conditions.sms;
}

/* The driver's functions for green contexts (CUDA 12.4); all or none. */
static struct {
    __typeof__(cuDeviceGetDevResource) *get;
    __typeof__(cuDevSmResourceSplitByCount) *split;
    __typeof__(cuDevResourceGenerateDesc) *describe;
    __typeof__(cuGreenCtxCreate) *create;
    __typeof__(cuGreenCtxStreamCreate) *stream;
} green;

static bool find_function(const char *name, void **function) {
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    *function = NULL;
    cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, function, 12040, cudaEnableDefault, &found);
    cudaGetLastError(); /* not having it is no failure */
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess && *function;
}

static bool find_green(void) {
    return find_function("cuDeviceGetDevResource", (void **)&green.get) &&
           find_function("cuDevSmResourceSplitByCount", (void **)&green.split) &&
           find_function("cuDevResourceGenerateDesc", (void **)&green.describe) &&
           find_function("cuGreenCtxCreate", (void **)&green.create) &&
           find_function("cuGreenCtxStreamCreate", (void **)&green.stream);
}

static bool green_stream(CUdevResource *resource, cudaStream_t *stream) {
    CUdevResourceDesc description;
    CUgreenCtx context;
    CUstream made;
    bool done = green.describe(&description, resource, 1) == CUDA_SUCCESS &&
                green.create(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) ==
                    CUDA_SUCCESS &&
                green.stream(&made, context, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS;
    if (!done)
        snprintf(why, sizeof why, "a green context of %u SMs was refused", resource->sm.smCount);
    else
        *stream = (cudaStream_t)made;
    return done;
}

/* Splits `sms` SMs off a resource. */
static bool split_off(CUdevResource *from, int sms, CUdevResource *part) {
    unsigned groups = 1;
    CUdevResource rest;
    if (green.split(part, &groups, from, &rest, 0, (unsigned)sms) != CUDA_SUCCESS || groups != 1) {
        snprintf(why, sizeof why, "%d SMs cannot be split off", sms);
        return false;
    }
    *from = rest;
    return true;
}

/* Streams for one or two applications with these numbers of SMs, made once. */
static bool find_partition(struct measure_device *d, int sms_a, int sms_b, cudaStream_t *streams) {
    struct partition *p;
    CUdevResource all, part;
    for (int i = 0; i < d->partition_count; i++) {
        p = &d->partitions[i];
        if (p->sms_a == sms_a && p->sms_b == sms_b) {
            memcpy(streams, p->streams, sizeof p->streams);
            return true;
        }
    }
    if (d->partition_count == PARTITIONS_MOST ||
        green.get(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) {
        snprintf(why, sizeof why, "no more partitions can be made");
        return false;
    }
    p = &d->partitions[d->partition_count];
    *p = (struct partition){sms_a, sms_b, {NULL, NULL}};
    if (!split_off(&all, sms_a, &part) || !green_stream(&part, &p->streams[0]) ||
        (sms_b && (!split_off(&all, sms_b, &part) || !green_stream(&part, &p->streams[1]))))
        return false;
    d->partition_count++;
    memcpy(streams, p->streams, sizeof p->streams);
    return true;
}

/* Blocks that leave `sms` SMs to others; waits until all of them sit. */
static bool occupy(struct measure_device *d, int sms) {
    int taken = d->conditions.sms - sms, bytes = 0;
    *d->stop = 0;
    *d->arrived = 0;
    if (taken == 0)
        return true;
    if (!GOOD(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0)) ||
        !GOOD(cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   bytes)))
        return false;
    occupy_kernel<<<taken, 32, bytes, d->occupant>>>(d->stop, d->arrived);
    if (!GOOD(cudaGetLastError()))
        return false;
    double until_s = measure_host_s() + 5;
    while (*(volatile int *)d->arrived < taken)
        if (measure_host_s() > until_s) {
            *(volatile int *)d->stop = 1;
            snprintf(why, sizeof why, "%d blocks did not find SMs to occupy", taken);
            return false;
        }
    return true;
}

static bool leave(struct measure_device *d) {
    *(volatile int *)d->stop = 1;
    return GOOD(cudaStreamSynchronize(d->occupant));
}

/* The SMs on which a full launch of the stream's blocks runs. */
static bool count_sms(struct measure_device *d, cudaStream_t stream, int *sms) {
    const struct measure_app *app = measure_app(measure_app_count() - 1);
    size_t count = (size_t)blocks_of(d, app);
    bool *seen = (bool *)calloc(SMS_MOST, sizeof *seen);
    struct measure_block *blocks = (struct measure_block *)calloc(count, sizeof *blocks);
    *sms = 0;
    bool done = seen && blocks && count <= d->blocks_most && reset_stamps(d, 1, stream) &&
                launch(d, app, 0, 1000, d->stamps, d->blocks, stream) &&
                GOOD(cudaMemcpyAsync(blocks, d->blocks, count * sizeof *blocks,
                                     cudaMemcpyDeviceToHost, stream)) &&
                GOOD(cudaStreamSynchronize(stream));
    for (size_t i = 0; done && i < count; i++)
        if (blocks[i].sm < SMS_MOST && !seen[blocks[i].sm]) {
            seen[blocks[i].sm] = true;
            ++*sms;
        }
    free(seen);
    free(blocks);
    return done;
}

/* Green contexts where the driver has them and they keep to their SMs, which is looked at. */
static void choose_limits(struct measure_device *d) {
    CUdevResource all, part;
    cudaStream_t streams[SLOTS];
    int sms = 0, half = 0;
    snprintf(d->conditions.method, sizeof d->conditions.method, "occupied SMs");
    snprintf(why, sizeof why, "the driver has none");
    if (find_green() && green.get(0, &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS &&
        split_off(&all, 1, &part)) {
        d->group_sms = (int)part.sm.smCount;
        half = sms_of(d, 50);
        if (find_partition(d, half, half, streams) && count_sms(d, streams[0], &sms)) {
            d->conditions.partitions = sms == half;
            snprintf(why, sizeof why, "blocks ran on %d SMs of %d", sms, half);
        }
    }
    if (d->conditions.partitions) {
        snprintf(d->conditions.method, sizeof d->conditions.method, "green contexts");
    } else {
        fprintf(stderr, "no green contexts: %s\n", why);
        d->group_sms = 0;
        cudaGetLastError();
    }
}

/* ---- opening ---- */

static int attribute(cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}

static bool describe(struct measure_device *d) {
    struct measure_conditions *c = &d->conditions;
    cudaDeviceProp properties;
    size_t free_bytes;
    if (!GOOD(cudaGetDeviceProperties(&properties, 0)) || !GOOD(cudaDriverGetVersion(&c->driver)) ||
        !GOOD(cudaRuntimeGetVersion(&c->runtime)) ||
        !GOOD(cudaMemGetInfo(&free_bytes, &c->memory_bytes)))
        return false;
    snprintf(c->gpu, sizeof c->gpu, "%.127s", properties.name);
    c->capability_major = attribute(cudaDevAttrComputeCapabilityMajor);
    c->capability_minor = attribute(cudaDevAttrComputeCapabilityMinor);
    c->sms = attribute(cudaDevAttrMultiProcessorCount);
    c->rated_clock_khz = attribute(cudaDevAttrClockRate);
    c->memory_clock_khz = attribute(cudaDevAttrMemoryClockRate);
    c->bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
    c->l2_bytes = (size_t)attribute(cudaDevAttrL2CacheSize);
    c->ecc = attribute(cudaDevAttrEccEnabled) != 0;
    return true;
}

static bool allocate(struct measure_device *d) {
    d->blocks_most = (size_t)d->conditions.sms * 8;
    d->iterations = (long long *)calloc(measure_app_count(), sizeof *d->iterations);
    size_t copy_bytes = MEASURE_COPY_THREADS_MOST * measure_copy(0).bytes;
    d->ends.pageable = (char *)malloc(copy_bytes);
    if (!d->iterations || !d->ends.pageable) {
        snprintf(why, sizeof why, "out of memory");
        return false;
    }
    memset(d->ends.pageable, 1, copy_bytes); /* pages that are there */
    bool done = GOOD(cudaMallocHost((void **)&d->ends.pinned, copy_bytes)) &&
                GOOD(cudaMallocHost((void **)&d->stop, sizeof *d->stop)) &&
                GOOD(cudaMallocHost((void **)&d->arrived, sizeof *d->arrived)) &&
                GOOD(cudaMalloc((void **)&d->ends.copied, copy_bytes)) &&
                GOOD(cudaMalloc((void **)&d->stamps, DELAY_LAUNCHES * sizeof *d->stamps)) &&
                GOOD(cudaMalloc((void **)&d->sink, sizeof *d->sink)) &&
                GOOD(cudaMalloc((void **)&d->blocks, 2 * d->blocks_most * sizeof *d->blocks)) &&
                GOOD(cudaStreamCreateWithFlags(&d->occupant, cudaStreamNonBlocking));
    for (int i = 0; i < SLOTS && done; i++) {
        done = GOOD(cudaMalloc((void **)&d->data[i], SLOT_BYTES)) &&
               GOOD(cudaStreamCreateWithFlags(&d->streams[i], cudaStreamNonBlocking));
        if (done)
            link_sectors<<<1024, 256>>>(d->data[i]);
        done = done && GOOD(cudaGetLastError()) && GOOD(cudaDeviceSynchronize());
    }
    return done;
}

struct measure_device *measure_device_open(void) {
    struct measure_device *d = (struct measure_device *)calloc(1, sizeof *d);
    if (!d || !GOOD(cudaSetDevice(0)) || !describe(d) || !allocate(d) || !warm_up(d)) {
        free(d);
        return NULL;
    }
    choose_limits(d);
    return d;
}

void measure_device_close(struct measure_device *d) {
    cudaDeviceReset();
    free(d->ends.pageable);
    free(d->iterations);
    free(d);
}

void measure_device_conditions(struct measure_device *d, struct measure_conditions *c) {
    *c = d->conditions;
}

/* Beside jobs that keep all SMs computing, and end after it: a GPU clocks lower under load. */
bool measure_device_clock(struct measure_device *d, double *mhz) {
    const struct measure_app *busy = busy_app();
    unsigned long long cycles_ns[2];
    long long iterations;
    if (!tune(d, busy, &iterations))
        return false;
    for (int i = 0; i < CLOCK_JOBS; i++)
        if (!run_job(d, busy, 1, iterations, d->stamps + 2, d->streams[1]))
            return false;
    clock_kernel<<<1, 1, 0, d->streams[0]>>>((unsigned long long *)d->stamps);
    if (!GOOD(cudaGetLastError()) || !GOOD(cudaStreamSynchronize(d->streams[1])) ||
        !GOOD(cudaMemcpyAsync(cycles_ns, d->stamps, sizeof cycles_ns, cudaMemcpyDeviceToHost,
                              d->streams[0])) ||
        !GOOD(cudaStreamSynchronize(d->streams[0])))
        return false;
    *mhz = (double)cycles_ns[0] / (double)cycles_ns[1] * 1e3;
    return true;
}

/* ---- kernels ---- */

/* What one job takes from memory: whole sectors. */
static double dram_bytes_of(const struct measure_device *d, const struct measure_app *app,
                            long long iterations) {
    return (double)sectors_of(app->kind) * blocks_of(d, app) * (double)iterations * SECTOR_BYTES *
           MEASURE_LAUNCHES;
}

static bool solo_on(struct measure_device *d, const struct measure_app *app, long long iterations,
                    cudaStream_t stream, double *latency_ms) {
    struct stamp stamp;
    if (!reset_stamps(d, 1, stream) || !run_job(d, app, 0, iterations, d->stamps, stream) ||
        !read_stamps(d, &stamp, 1, stream))
        return false;
    *latency_ms = stamp_ms(&stamp);
    return true;
}

bool measure_device_solo(struct measure_device *d, const struct measure_app *app, double quota,
                         double *latency_ms, double *dram_bytes) {
    long long iterations;
    cudaStream_t streams[SLOTS] = {d->streams[0], d->streams[1]};
    int sms = (int)(quota * d->conditions.sms / 100 + 0.5);
    bool limited = sms < d->conditions.sms, green_limited = limited && d->conditions.partitions;
    if (!tune(d, app, &iterations) || (green_limited && !find_partition(d, sms, 0, streams)))
        return false;
    *dram_bytes = dram_bytes_of(d, app, iterations);
    if (!limited || green_limited)
        return solo_on(d, app, iterations, streams[0], latency_ms);
    if (!occupy(d, sms))
        return false;
    bool done = solo_on(d, app, iterations, streams[0], latency_ms);
    return leave(d) && done;
}

/* The share of `a` in which one of the jobs ran; jobs are in order and do not overlap. */
static double covered(const struct stamp *a, const struct stamp *jobs, int count) {
    double shared_ns = 0;
    for (int i = 0; i < count; i++) {
        unsigned long long from = a->start_ns > jobs[i].start_ns ? a->start_ns : jobs[i].start_ns;
        unsigned long long to = a->end_ns < jobs[i].end_ns ? a->end_ns : jobs[i].end_ns;
        shared_ns += to > from ? (double)(to - from) : 0;
    }
    return a->end_ns > a->start_ns ? shared_ns / (double)(a->end_ns - a->start_ns) : 0;
}

/*
 * Enough jobs of the neighbour for two and a half lengths of `a` alone, and some to begin with. On
 * the whole GPU all jobs are about as long, by tuning; with fewer SMs at most as much longer as
 * there are fewer. Where that was not enough the sample says so.
 */
static int neighbour_jobs(int sms_a, int sms_b) {
    double jobs = 2.5 * sms_b / sms_a + 4;
    return jobs < JOBS_MOST ? (int)jobs : JOBS_MOST;
}

bool measure_device_pair(struct measure_device *d, const struct measure_app *a, double quota_a,
                         const struct measure_app *b, double quota_b,
                         struct measure_sample *sample) {
    long long work_a, work_b;
    struct stamp stamps[JOBS_MOST + 1];
    cudaStream_t streams[SLOTS] = {d->streams[0], d->streams[1]};
    int sms_a = (int)(quota_a * d->conditions.sms / 100 + 0.5);
    int sms_b = (int)(quota_b * d->conditions.sms / 100 + 0.5);
    int jobs = neighbour_jobs(sms_a, sms_b);
    if (!tune(d, a, &work_a) || !tune(d, b, &work_b) ||
        (sms_a < d->conditions.sms && !find_partition(d, sms_a, sms_b, streams)))
        return false;
    if (!reset_stamps(d, jobs + 1, streams[0]))
        return false;
    for (int i = 1; i <= jobs; i++) {
        if (i == 3 && !run_job(d, a, 0, work_a, d->stamps, streams[0]))
            return false;
        if (!run_job(d, b, 1, work_b, d->stamps + i, streams[1]))
            return false;
    }
    if (!GOOD(cudaStreamSynchronize(streams[1])) ||
        !read_stamps(d, stamps, jobs + 1, streams[0]))
        return false;
    sample->latency_ms = stamp_ms(&stamps[0]);
    sample->covered = covered(&stamps[0], stamps + 1, jobs);
    return true;
}

bool measure_device_place(struct measure_device *d, const struct measure_app *app,
                          struct measure_block *blocks, size_t most, size_t *count) {
    long long iterations;
    *count = (size_t)blocks_of(d, app);
    if (*count > most)
        *count = most;
    return tune(d, app, &iterations) && reset_stamps(d, 1, d->streams[0]) &&
           launch(d, app, 0, iterations, d->stamps, d->blocks, d->streams[0]) &&
           GOOD(cudaMemcpyAsync(blocks, d->blocks, *count * sizeof *blocks, cudaMemcpyDeviceToHost,
                                d->streams[0])) &&
           GOOD(cudaStreamSynchronize(d->streams[0]));
}

/* Waits so long, for a kernel that was launched to have begun: an assumed time. */
static const double begins_s = 60e-6;

/* How many SMs had blocks of each, and of both. */
static void count_shared(const struct measure_block *a, size_t count_a,
                         const struct measure_block *b, size_t count_b,
                         struct measure_beside *beside) {
    static int on_a[SMS_MOST], on_b[SMS_MOST];
    memset(on_a, 0, sizeof on_a);
    memset(on_b, 0, sizeof on_b);
    for (size_t i = 0; i < count_a; i++)
        if (a[i].sm < SMS_MOST)
            on_a[a[i].sm]++;
    for (size_t i = 0; i < count_b; i++)
        if (b[i].sm < SMS_MOST)
            on_b[b[i].sm]++;
    for (int i = 0; i < SMS_MOST; i++) {
        beside->sms_a += on_a[i] > 0;
        beside->sms_b += on_b[i] > 0;
        beside->sms_both += on_a[i] > 0 && on_b[i] > 0;
        beside->most_b = on_b[i] > beside->most_b ? on_b[i] : beside->most_b;
    }
}

bool measure_device_beside(struct measure_device *d, const struct measure_app *a,
                           const struct measure_app *b, struct measure_beside *beside) {
    enum { A, B };
    long long long_a, iterations_b;
    struct stamp stamps[SLOTS];
    size_t count_a = (size_t)blocks_of(d, a), count = (size_t)blocks_of(d, b);
    struct measure_block *of_a = (struct measure_block *)calloc(count_a, sizeof *of_a);
    struct measure_block *blocks = (struct measure_block *)calloc(count, sizeof *blocks);
    struct measure_block *device_a = d->blocks + d->blocks_most;
    bool done = of_a && blocks && tune(d, a, &long_a) && tune(d, b, &iterations_b) &&
                reset_stamps(d, SLOTS, d->streams[A]) &&
                launch(d, a, A, 4 * long_a, d->stamps + A, device_a, d->streams[A]);
    for (double until_s = measure_host_s() + begins_s; done && measure_host_s() < until_s;)
        continue;
    done = done && launch(d, b, B, iterations_b, d->stamps + B, d->blocks, d->streams[B]) &&
           GOOD(cudaStreamSynchronize(d->streams[A])) &&
           GOOD(cudaStreamSynchronize(d->streams[B])) &&
           read_stamps(d, stamps, SLOTS, d->streams[A]) &&
           GOOD(cudaMemcpy(of_a, device_a, count_a * sizeof *of_a, cudaMemcpyDeviceToHost)) &&
           GOOD(cudaMemcpy(blocks, d->blocks, count * sizeof *blocks, cudaMemcpyDeviceToHost));
    if (done) {
        uint64_t last = 0;
        for (size_t i = 0; i < count; i++)
            last = blocks[i].start_ns > last ? blocks[i].start_ns : last;
        *beside = (struct measure_beside){
            stamp_ms(&stamps[A]), ((double)stamps[B].start_ns - (double)stamps[A].start_ns) / 1e6,
            ((double)last - (double)stamps[A].start_ns) / 1e6,
            ((double)stamps[B].end_ns - (double)stamps[A].start_ns) / 1e6, 0, 0, 0, 0};
        count_shared(of_a, count_a, blocks, count, beside);
    }
    free(of_a);
    free(blocks);
    return done;
}

/* ---- launches ---- */

static bool launch_nothing(struct measure_device *d, struct stamp *stamp) {
    struct work w = {d->data[0], 1, 0, 0, stamp, NULL, d->sink};
    nothing_kernel<<<1, 32, OWN_SMEM, d->streams[0]>>>(w);
    return GOOD(cudaGetLastError());
}

bool measure_device_delay(struct measure_device *d, enum measure_delay delay, double *us) {
    struct stamp stamps[DELAY_LAUNCHES];
    if (!reset_stamps(d, DELAY_LAUNCHES, d->streams[0]))
        return false;
    double begin_s = measure_host_s();
    for (int i = 0; i < DELAY_LAUNCHES; i++)
        if (!launch_nothing(d, d->stamps + i) ||
            (delay == MEASURE_LAUNCH_RETURN && !GOOD(cudaStreamSynchronize(d->streams[0]))))
            return false;
    *us = (measure_host_s() - begin_s) * 1e6 / DELAY_LAUNCHES;
    if (!read_stamps(d, stamps, DELAY_LAUNCHES, d->streams[0]))
        return false;
    if (delay != MEASURE_LAUNCH_NEXT)
        return true;
    double sum_ns = 0; /* the timer's steps can be a microsecond: the mean of many is finer */
    for (int i = 1; i < DELAY_LAUNCHES; i++)
        sum_ns += (double)stamps[i].start_ns - (double)stamps[i - 1].end_ns;
    *us = sum_ns / 1e3 / (DELAY_LAUNCHES - 1);
    return true;
}

/* ---- copies ---- */

bool measure_device_copy(struct measure_device *d, const struct measure_copy *copy,
                         double *seconds) {
    return good(measure_copies(copy, &d->ends, seconds), "copy");
}
