/* The device of cotenant-measure-sm, and kernels of each kind on it. */
#include "measure_sm_units.cuh"

#include <algorithm>
#include <chrono>
#include <stdlib.h>

enum { WARP = 32, MMA_UNIT = SM_UNIT / 4, BLOCKS_PER_SM_MOST = 64 };

/* An idle GPU runs at a low clock, and takes some tenths of a second to leave it. Assumed. */
static const double warm_up_s = 1.5;

/* ---- the host's side ---- */

void sm_check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

double sm_seconds(void) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void sm_wait(double seconds) {
    for (double until = sm_seconds() + seconds; sm_seconds() < until;)
        continue;
}

double sm_median(std::vector<double> values) {
    return measure_summarise(values.data(), (int)values.size()).median;
}

FILE *sm_table(const char *folder, const char *name, const char *header) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file, "%s\n", header);
    return file;
}

/* ---- on the GPU ---- */

/* A product of matrices of 16 x 16 and 16 x 8 elements; compute capability 7.5 takes two halves. */
static __device__ void multiply_matrices(float *d, unsigned a, unsigned b) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a), "r"(b));
#else
    for (int half = 0; half < 2; half++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%4}, {%5}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a), "r"(b));
#endif
}

template <int AT_ONCE> static __device__ void mma_unit(float (*d)[4], unsigned a, unsigned b) {
#pragma unroll
    for (int i = 0; i < MMA_UNIT / AT_ONCE; i++)
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            multiply_matrices(d[k], a, b);
}

static __device__ float shuffle_unit(float x) {
#pragma unroll
    for (int i = 0; i < SM_UNIT / 2; i++)
        x = x * 0.5f + __shfl_xor_sync(0xffffffffu, x, 1 << (i % 5));
    return x;
}

/* What a thread has computed so far. */
struct computed {
    float x[4], d[4][4], sum;
    unsigned bits;
};

template <int KIND>
static __device__ void one_unit(const struct sm_run *r, long long round, struct computed *c) {
    if constexpr (KIND == SM_FMA1)
        fma_unit<1>(c->x);
    if constexpr (KIND == SM_FMA2)
        fma_unit<2>(c->x);
    if constexpr (KIND == SM_FMA4)
        fma_unit<4>(c->x);
    if constexpr (KIND == SM_MMA1)
        mma_unit<1>(c->d, threadIdx.x, 1);
    if constexpr (KIND == SM_MMA4)
        mma_unit<4>(c->d, threadIdx.x, 1);
    if constexpr (KIND == SM_SHUFFLE)
        c->x[0] = shuffle_unit(c->x[0]);
    if constexpr (KIND >= SM_READ)
        c->bits ^= read_unit<KIND == SM_RANDOM>(r, blockIdx.x, gridDim.x, round, &c->sum,
                                                KIND == SM_MIXED ? MIXED_TIMES : 0);
}

static __device__ unsigned all_bits(const struct computed *c) {
    float all = c->sum + c->x[0] + c->x[1] + c->x[2] + c->x[3];
    for (int k = 0; k < 4; k++)
        all += c->d[k][0] + c->d[k][1] + c->d[k][2] + c->d[k][3];
    return __float_as_uint(all) ^ c->bits;
}

template <int KIND> static __global__ void kind_kernel(struct sm_run r) {
    constexpr int looks = KIND >= SM_READ ? 2 : 16; /* units after which it looks for a stop */
    struct computed c = {{(float)threadIdx.x, 1, 2, 3}, {}, 0, 0};
    long long done = 0;
    if (threadIdx.x == 0)
        r.stamps[blockIdx.x].start_ns = global_ns();
    for (; !r.units || done < r.units; done++) {
        one_unit<KIND>(&r, done, &c);
        if (!r.units && done % looks == looks - 1 && *r.stop)
            break;
    }
    keep(all_bits(&c), r.sink);
    __syncwarp();
    if (threadIdx.x % WARP == 0)
        atomicAdd(r.done, (unsigned long long)done);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    r.stamps[blockIdx.x].end_ns = global_ns();
    if (r.units && atomicAdd((int *)r.ended, 1) == (int)gridDim.x - 1)
        *r.stop = 1;
}

static const struct {
    const char *name;
    void (*kernel)(struct sm_run);
} kinds[SM_KINDS] = {{"fma1", kind_kernel<SM_FMA1>},  {"fma2", kind_kernel<SM_FMA2>},
                     {"fma4", kind_kernel<SM_FMA4>},  {"mma1", kind_kernel<SM_MMA1>},
                     {"mma4", kind_kernel<SM_MMA4>},  {"shuffle", kind_kernel<SM_SHUFFLE>},
                     {"read", kind_kernel<SM_READ>},  {"random", kind_kernel<SM_RANDOM>},
                     {"mixed", kind_kernel<SM_MIXED>}};

const char *sm_kind_name(enum sm_kind kind) {
    return kinds[kind].name;
}

/* ---- the device ---- */

static void open_side(struct sm_side *side, int sms) {
    size_t blocks = (size_t)sms * BLOCKS_PER_SM_MOST;
    CHECKED(cudaStreamCreateWithFlags(&side->stream, cudaStreamNonBlocking));
    CHECKED(cudaMalloc(&side->data, SLOT_BYTES));
    CHECKED(cudaMalloc(&side->stamps, blocks * sizeof *side->stamps));
    CHECKED(cudaMalloc(&side->done, sizeof *side->done));
    side->host = (struct stamp *)calloc(blocks, sizeof *side->host);
    if (!side->host)
        sm_check(cudaErrorMemoryAllocation, "stamps");
    link_sectors<<<1024, 256, 0, side->stream>>>(side->data);
    CHECKED(cudaStreamSynchronize(side->stream));
}

void sm_open(struct sm_bench *b) {
    cudaDeviceProp p;
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaGetDeviceProperties(&p, 0));
    *b = {};
    b->sms = p.multiProcessorCount;
    b->warps_most = p.maxThreadsPerMultiProcessor / WARP;
    b->smem_most = p.sharedMemPerBlockOptin;
    b->clusters = p.major >= 9;
    CHECKED(cudaMalloc(&b->sink, sizeof *b->sink));
    CHECKED(cudaMalloc(&b->flags, 2 * sizeof *b->flags));
    for (const auto &kind : kinds) /* one division of the SM: none waits for an empty one */
        CHECKED(
            cudaFuncSetAttribute(kind.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    for (struct sm_side &side : b->sides)
        open_side(&side, b->sms);
}

void sm_clear(struct sm_bench *b) {
    CHECKED(cudaDeviceSynchronize());
    CHECKED(cudaMemset(b->flags, 0, 2 * sizeof *b->flags));
    for (const struct sm_side &side : b->sides)
        CHECKED(cudaMemset(side.done, 0, sizeof *side.done));
    CHECKED(cudaDeviceSynchronize());
}

struct sm_run sm_next_run(struct sm_bench *b, int side, long long units) {
    const struct sm_side *s = &b->sides[side];
    b->first += 7919 * 4096;
    return {units, b->flags, b->flags + 1, s->data, b->first, s->stamps, s->done, b->sink};
}

void sm_start(struct sm_bench *b, int side, enum sm_kind kind, int blocks, int threads,
              long long units) {
    struct sm_run r = sm_next_run(b, side, units);
    b->sides[side].blocks = blocks;
    kinds[kind].kernel<<<blocks, threads, 0, b->sides[side].stream>>>(r);
    CHECKED(cudaGetLastError());
}

struct sm_outcome sm_end(struct sm_bench *b, int side) {
    struct sm_side *s = &b->sides[side];
    struct sm_outcome o = {0, 0};
    unsigned long long done;
    CHECKED(cudaStreamSynchronize(s->stream));
    CHECKED(cudaMemcpy(s->host, s->stamps, (size_t)s->blocks * sizeof *s->host,
                       cudaMemcpyDeviceToHost));
    CHECKED(cudaMemcpy(&done, s->done, sizeof done, cudaMemcpyDeviceToHost));
    for (int i = 0; i < s->blocks; i++)
        o.ms += (double)(s->host[i].end_ns - s->host[i].start_ns) / 1e6 / s->blocks;
    o.units = (double)done;
    return o;
}

long long sm_units_for(struct sm_bench *b, enum sm_kind kind, int blocks, int threads, double ms,
                       double *per_ms) {
    enum { ROUNDS = 6 };
    long long units = 16;
    for (int round = 0; round < ROUNDS; round++) {
        sm_clear(b);
        sm_start(b, SM_OLDER, kind, blocks, threads, units);
        struct sm_outcome o = sm_end(b, SM_OLDER);
        *per_ms = o.units / std::max(o.ms, 1e-4);
        double factor = ms / std::max(o.ms, 1e-3);
        if (round < ROUNDS - 1)
            units = (long long)((double)units * std::min(factor, 64.0)) + 1;
    }
    return units;
}

void sm_warm_up(struct sm_bench *b) {
    double per_ms;
    for (double until = sm_seconds() + warm_up_s; sm_seconds() < until;)
        sm_units_for(b, SM_FMA4, b->sms * 8, SM_BLOCK_THREADS, 1, &per_ms);
}
