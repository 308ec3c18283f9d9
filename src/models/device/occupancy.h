/*
 * Thread blocks that fit on one SM, by the rule of NVIDIA's occupancy calculator: threads, block
 * slots, registers and shared memory, each with the allocation granularity of the compute
 * capability (CUDA C++ programming guide, "technical specifications per compute capability").
 * Shared memory is taken to be carved out as large as it can be.
 */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include "models/device/gpu.h"

/* The resource that ends first. Ties go to the first in this order. */
enum occupancy_limit {
    OCCUPANCY_THREADS,
    OCCUPANCY_BLOCKS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SMEM,
    OCCUPANCY_LIMIT_COUNT
};

/* Blocks per SM as each resource alone would allow; INT64_MAX where a kernel uses none of it. */
struct occupancy_limits {
    int64_t blocks[OCCUPANCY_LIMIT_COUNT];
};

/* What one block takes of an SM after rounding up; what fits is decided by sums of these. */
struct occupancy_need {
    int64_t threads;    /* whole warps */
    int64_t registers;  /* in units of 256 per warp */
    int64_t smem_bytes; /* with the part that the system reserves per block */
};

struct occupancy_need occupancy_block_need(const struct gpu *gpu, uint32_t threads,
                                           uint32_t registers_per_thread, uint32_t smem_bytes);

/* `registers_per_thread` 0: not recorded, no limit. `smem_bytes`: static and dynamic together, per
 * block. */
struct occupancy_limits occupancy_limits(const struct gpu *gpu, uint32_t threads,
                                         uint32_t registers_per_thread, uint32_t smem_bytes);

/*
 * Blocks per SM; 0: one block does not fit on any SM. `limit` (or NULL) receives the resource that
 * decided. A block of no thread is a caller's error.
 */
int occupancy_blocks_per_sm(const struct gpu *gpu, uint32_t threads, uint32_t registers_per_thread,
                            uint32_t smem_bytes, enum occupancy_limit *limit);

/* "threads", "blocks", "registers", "shared memory". */
const char *occupancy_limit_name(enum occupancy_limit limit);

/* The least, in bytes, that an SM sets aside as shared memory, but on a GPU whose SMs have less. */
enum { OCCUPANCY_LEAST_DIVISION = 8 * 1024 };

/*
 * Shared memory, in bytes, that an SM sets aside of what its L1 could use as well while it runs
 * this kernel: the least of the sizes that the GPU knows that holds so many blocks. 0 where shared
 * memory is no part of the L1. Of 36 kernels on an H100 21 had this size, 12 the next one and 3 a
 * larger one (docs/measured.md).
 */
int64_t occupancy_smem_division(const struct gpu *gpu, const struct occupancy_need *need,
                                int64_t blocks_per_sm);

#endif
