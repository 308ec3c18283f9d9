/* Units of work of the kernels of cotenant-measure-sm. */
#ifndef MEASURE_SM_UNITS_CUH
#define MEASURE_SM_UNITS_CUH

#include "measure_sm.cuh"

/* Instructions of a unit, about. */
enum { SM_UNIT = 64 };

template <int AT_ONCE> static __device__ void fma_unit(float *x) {
#pragma unroll
    for (int i = 0; i < SM_UNIT / AT_ONCE; i++)
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            x[k] = x[k] * 0.999f + 0.5f;
}

template <bool RANDOM>
static __device__ uint4 read_one(const struct sm_run *r, unsigned long long index) {
    unsigned long long sector = RANDOM ? scatter(index) : index;
    return __ldcg(&r->data[(sector & (SECTORS - 1)) * 2 + threadIdx.x % 2]);
}

/* Reads of a thread, as stream_kernel's, for a block that counts as `block` of `blocks`; with
 * multiply-adds where `times` is not 0. */
template <bool RANDOM>
static __device__ unsigned read_unit(const struct sm_run *r, unsigned block, unsigned blocks,
                                     long long round, float *sum, int times) {
    unsigned long long readers = (unsigned long long)blocks * blockDim.x / 2;
    unsigned long long index = r->first + (unsigned long long)round * READS * readers +
                               ((unsigned long long)block * blockDim.x + threadIdx.x) / 2;
    uint4 values[READS];
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < READS; i++)
        values[i] = read_one<RANDOM>(r, index + i * readers);
#pragma unroll
    for (int i = 0; i < READS; i++) {
        bits ^= values[i].x ^ values[i].y ^ values[i].z ^ values[i].w;
        if (times)
            *sum += multiply_add((float)values[i].x, times);
    }
    return bits;
}

#endif
