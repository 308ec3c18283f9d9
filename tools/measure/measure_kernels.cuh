/* Kernels of known character, which stamp when they ran, and what they are launched with. */
#ifndef MEASURE_KERNELS_CUH
#define MEASURE_KERNELS_CUH

#include "measure_parts.cuh"

/* All measured kernels ask for this much shared memory, so that none fits beside an occupant. */
#define OWN_SMEM 2048u

struct work {
    const uint4 *data;
    int stride;
    unsigned long long first; /* where reading begins: behind what the launch before it read */
    long long iterations;
    struct stamp *stamp;
    struct measure_block *blocks; /* NULL: not asked where blocks run */
    unsigned *sink;
};

/* ---- on the GPU ---- */

static __device__ void block_begins(const struct work *w) {
    if (threadIdx.x != 0)
        return;
    unsigned long long now = global_ns();
    atomicMin(&w->stamp->start_ns, now);
    if (w->blocks) {
        w->blocks[blockIdx.x].block = blockIdx.x;
        w->blocks[blockIdx.x].sm = sm_number();
        w->blocks[blockIdx.x].start_ns = now;
    }
}

static __device__ void block_ends(const struct work *w) {
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned long long now = global_ns();
    atomicMax(&w->stamp->end_ns, now);
    if (w->blocks)
        w->blocks[blockIdx.x].end_ns = now;
}

static __global__ void __launch_bounds__(THREADS) fma_kernel(struct work w) {
    block_begins(&w);
    float sum = threadIdx.x;
    for (long long i = 0; i < w.iterations; i++)
        sum = multiply_add(sum, 16);
    keep(__float_as_uint(sum), w.sink);
    block_ends(&w);
}

/* Two threads read one sector. With a stride the next round reads the sectors between. */
template <bool RANDOM>
static __device__ uint4 read_sector(const struct work *w, unsigned long long index) {
    unsigned long long sector =
        RANDOM ? scatter(index) : index * w->stride + index * w->stride / SECTORS;
    return __ldcg(&w->data[(sector & (SECTORS - 1)) * 2 + threadIdx.x % 2]);
}

/* Several reads of a thread are under way at once: a GPU's bandwidth is not reached with one. */
template <bool RANDOM>
static __device__ void read_sectors(const struct work *w, long long round, uint4 *values) {
    unsigned long long readers = (unsigned long long)gridDim.x * blockDim.x / 2;
    unsigned long long index = w->first + (unsigned long long)round * READS * readers +
                               ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) / 2;
#pragma unroll
    for (int i = 0; i < READS; i++)
        values[i] = read_sector<RANDOM>(w, index + i * readers);
}

template <bool RANDOM>
static __global__ void __launch_bounds__(THREADS) stream_kernel(struct work w) {
    block_begins(&w);
    unsigned bits = 0;
    for (long long i = 0; i < w.iterations; i++) {
        uint4 values[READS];
        read_sectors<RANDOM>(&w, i, values);
#pragma unroll
        for (int k = 0; k < READS; k++)
            bits ^= values[k].x ^ values[k].y ^ values[k].z ^ values[k].w;
    }
    keep(bits, w.sink);
    block_ends(&w);
}

static __global__ void __launch_bounds__(THREADS) mixed_kernel(struct work w) {
    block_begins(&w);
    float sum = threadIdx.x;
    for (long long i = 0; i < w.iterations; i++) {
        uint4 values[READS];
        read_sectors<false>(&w, i, values);
#pragma unroll
        for (int k = 0; k < READS; k++)
            sum += multiply_add((float)values[k].x, MIXED_TIMES);
    }
    keep(__float_as_uint(sum), w.sink);
    block_ends(&w);
}

/* One thread per block follows one chain; the first word of a sector is the number of the next. */
static __global__ void __launch_bounds__(32) chase_kernel(struct work w) {
    block_begins(&w);
    keep(follow_chain(w.data, w.first, w.iterations), w.sink);
    block_ends(&w);
}

/* ---- launches ---- */

/* Sectors that a block reads in one iteration: two threads read one. */
static int sectors_of(enum measure_kind kind) {
    static const int sectors[] = {0, READS * THREADS / 2, 1, READS * THREADS / 2};
    return sectors[kind];
}

static void (*kernel_of(enum measure_kind kind, int stride_sectors))(struct work) {
    static void (*const kernels[])(struct work) = {fma_kernel, stream_kernel<false>, chase_kernel,
                                                   mixed_kernel};
    bool random = kind == MEASURE_STREAM && stride_sectors == MEASURE_RANDOM;
    return random ? stream_kernel<true> : kernels[kind];
}

#endif
