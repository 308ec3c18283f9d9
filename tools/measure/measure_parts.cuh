/* What kernels of known character are made of. */
#ifndef MEASURE_PARTS_CUH
#define MEASURE_PARTS_CUH

#include "measure.h"

#include <cuda_runtime.h>

enum {
    /* Threads of a block, where it is not one that follows a chain. */
    THREADS = 256,
    /* Reads of a thread in each iteration. */
    READS = 4,
    SECTOR_BYTES = 32
};
#define SLOT_BYTES ((size_t)512 << 20) /* several times any L2 of today */
#define SECTORS (SLOT_BYTES / SECTOR_BYTES)

/*
 * Four times as many multiply-adds for each 16 bytes read. At rated clocks they take 0.4 (RTX 3080)
 * to 1.3 times (A100) as long as memory needs for the bytes, 0.8 times on an H100: rates of the
 * CUDA C++ programming guide, "Arithmetic Instructions".
 */
enum { MIXED_TIMES = 32 };

struct stamp {
    unsigned long long start_ns, end_ns;
};

static __device__ unsigned long long global_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ uint32_t sm_number(void) {
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Keeps the compiler from dropping the work: never true. */
static __device__ void keep(unsigned bits, unsigned *sink) {
    if (bits == 0x7fc12345u)
        *sink = bits;
}

static __device__ float multiply_add(float x, int times) {
    float a = x, b = x + 1, c = x + 2, d = x + 3;
    for (int i = 0; i < times; i++) {
        a = a * 0.999f + 0.5f;
        b = b * 0.999f + 0.5f;
        c = c * 0.999f + 0.5f;
        d = d * 0.999f + 0.5f;
    }
    return (a + b + c + d) * 0.25f; /* stays finite: all four tend to 500 */
}

/* The finaliser of SplitMix64, a bijection of the index. */
static __device__ unsigned long long scatter(unsigned long long index) {
    index = (index ^ (index >> 30)) * 0xbf58476d1ce4e5b9ull;
    index = (index ^ (index >> 27)) * 0x94d049bb133111ebull;
    return index ^ (index >> 31);
}

/* One chain from sector to sector, for a thread of each block; returns the last one's number. */
static __device__ unsigned follow_chain(const uint4 *data, unsigned long long first,
                                        long long iterations) {
    unsigned at = ((unsigned)first + blockIdx.x) * 4099u & (unsigned)(SECTORS - 1);
    if (threadIdx.x == 0)
        for (long long i = 0; i < iterations; i++)
            at = __ldcg(&data[(size_t)at * 2]).x;
    return at;
}

/* One cycle through all sectors: a linear congruential generator of full period (Numerical Recipes'
 * constants). */
static __global__ void link_sectors(uint4 *data) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < SECTORS; i += step)
        data[i * 2] = make_uint4((unsigned)((i * 1664525u + 1013904223u) & (SECTORS - 1)), 1, 2, 3);
}

#endif
