/*
 * Occupancy against hand arithmetic by the rule of NVIDIA's occupancy calculator, against the
 * occupancy that a profiler printed beside recorded kernels, and against C-QoS' worked case.
 */
#include "base/ct_types.h"
#include "cmocka_complete.h"
#include "models/device/occupancy.h"

/* Per SM: threads, blocks, registers, shared memory; shared memory per block. */
#define GPU(cc, threads, blocks, smem, smem_block)                                                 \
    {                                                                                              \
        .compute_capability = (cc), .threads_per_sm = (threads), .blocks_per_sm = (blocks),        \
        .registers_per_sm = 65536, .smem_per_sm_bytes = (smem),                                    \
        .smem_per_block_bytes = (smem_block)                                                       \
    }

/* CUDA C++ programming guide, technical specifications per compute capability. */
static const struct gpu gpus[] = {
    GPU(35, 2048, 16, 49152, 49152),   GPU(60, 2048, 32, 65536, 49152),
    GPU(61, 2048, 32, 98304, 49152),   GPU(70, 2048, 32, 98304, 98304),
    GPU(75, 1024, 16, 65536, 65536),   GPU(80, 2048, 32, 167936, 166912),
    GPU(86, 1536, 16, 102400, 101376), GPU(90, 2048, 32, 233472, 232448),
};

struct occupancy_case {
    int cc;
    uint32_t threads, registers, smem;
    int blocks;
    enum occupancy_limit limit;
};

/*
 * w: warps of the block; r: registers of a warp, rounded up to 256; q: 16384 / r, warps per
 * sub-partition of which an SM has four (two of 32768 on 6.0); s: shared memory of a block, rounded
 * up to 256, or plus 1024 rounded up to 128 from 8.0 on.
 */
static const struct occupancy_case cases[] = {
    /* C-QoS section II: w 12, 64 / 12 = 5 blocks, 2048 - 5 * 384 = 128 threads idle. */
    {35, 384, 16, 0, 5, OCCUPANCY_THREADS},
    {70, 384, 16, 0, 5, OCCUPANCY_THREADS},
    /* Threads: 2048 / 1024; 2048 / 512; 2048 / 256; 1024 / 256; 1536 / 1024; 1536 / 512; w 24, 64 /
       24 and 48 / 24. */
    {35, 1024, 32, 0, 2, OCCUPANCY_THREADS},
    {61, 512, 32, 0, 4, OCCUPANCY_THREADS},
    {90, 256, 32, 0, 8, OCCUPANCY_THREADS},
    {75, 256, 32, 0, 4, OCCUPANCY_THREADS},
    {86, 1024, 32, 0, 1, OCCUPANCY_THREADS},
    {86, 512, 32, 0, 3, OCCUPANCY_THREADS},
    {80, 768, 24, 0, 2, OCCUPANCY_THREADS},
    {86, 768, 24, 0, 2, OCCUPANCY_THREADS},
    /* A part of a warp takes a whole one: 33 threads are w 2, 64 / 2 = 32; 100 are w 4; 1000 are
       w 32. */
    {35, 33, 16, 0, 16, OCCUPANCY_BLOCKS},
    {61, 100, 16, 0, 16, OCCUPANCY_THREADS},
    {80, 1000, 16, 0, 2, OCCUPANCY_THREADS},
    /* No more than 1024 threads in a block. */
    {90, 1025, 16, 0, 0, OCCUPANCY_THREADS},
    /* Block slots: 16 on 3.5, 7.5 and 8.6, 32 on the others; threads would allow 64, 64, 32, 48. */
    {35, 32, 16, 0, 16, OCCUPANCY_BLOCKS},
    {70, 32, 16, 0, 32, OCCUPANCY_BLOCKS},
    {75, 32, 16, 0, 16, OCCUPANCY_BLOCKS},
    {86, 32, 16, 0, 16, OCCUPANCY_BLOCKS},
    {80, 64, 16, 0, 32, OCCUPANCY_THREADS}, /* 2048 / 64 = 32 too: the first resource of the tie */
    /* Registers not recorded: no limit. */
    {70, 128, 0, 0, 16, OCCUPANCY_THREADS},
    /* r 33 * 32 = 1056 -> 1280, q 12, 48 warps, w 8: 6. Without the rounding it would be 62 / 8
       = 7. */
    {70, 256, 33, 0, 6, OCCUPANCY_REGISTERS},
    /* r 2048, q 8, 32 warps: w 4: 8; w 8: 4; w 12: 2 (24 of 32 warps). */
    {70, 128, 64, 0, 8, OCCUPANCY_REGISTERS},
    {61, 256, 64, 0, 4, OCCUPANCY_REGISTERS},
    {70, 384, 64, 0, 2, OCCUPANCY_REGISTERS},
    /* r 3072, q 5 (16384 / 3072 = 5.3), 20 warps, w 4: 5. By the SM's sum, 65536 / 3072 = 21 warps,
       also 5. */
    {70, 128, 96, 0, 5, OCCUPANCY_REGISTERS},
    /* r 200 * 32 = 6400, q 2 (2.56), 8 warps, w 2: 4. By the SM's sum it would be 10 warps, 5
       blocks. */
    {86, 64, 200, 0, 4, OCCUPANCY_REGISTERS},
    /* r 168 * 32 = 5376, q 3, 12 warps, w 2: 6. */
    {86, 64, 168, 0, 6, OCCUPANCY_REGISTERS},
    /* r 40 * 32 = 1280, q 12, 48 warps, w 1: 48, above the slots. */
    {80, 32, 40, 0, 32, OCCUPANCY_BLOCKS},
    /* r 255 * 32 = 8160 -> 8192, q 2, 8 warps: w 8: 1; w 4: 2. */
    {90, 256, 255, 0, 1, OCCUPANCY_REGISTERS},
    {90, 128, 255, 0, 2, OCCUPANCY_REGISTERS},
    /* w 12 * r 8192 = 98304 registers, more than a block may have. */
    {90, 384, 255, 0, 0, OCCUPANCY_REGISTERS},
    /* 1024 threads of 64: w 32 * 2048 = 65536, just fits; of 65: r 2080 -> 2304, 73728, does not.
     */
    {80, 1024, 64, 0, 1, OCCUPANCY_REGISTERS},
    {80, 1024, 65, 0, 0, OCCUPANCY_REGISTERS},
    /* w 9 counts as 12 at launch: 12 * r 5632 = 67584 > 65536, though 9 * 5632 = 50688 would fit.
     */
    {70, 288, 176, 0, 0, OCCUPANCY_REGISTERS},
    /* No thread has 256 registers. */
    {70, 32, 256, 0, 0, OCCUPANCY_REGISTERS},
    /* 6.0 has two sub-partitions of 32768: r 6400, 5 warps in each, 10 warps, w 2: 5 (four of
       16384: 4). */
    {60, 64, 200, 0, 5, OCCUPANCY_REGISTERS},
    {61, 64, 200, 0, 4, OCCUPANCY_REGISTERS},
    /* Shared memory, unit 256: 49152 / 16384 = 3; 98304 / 24576 = 4; s 16385 -> 16640, 98304 /
       16640 = 5. */
    {35, 128, 16, 16384, 3, OCCUPANCY_SMEM},
    {61, 128, 16, 24576, 4, OCCUPANCY_SMEM},
    {61, 128, 16, 16385, 5, OCCUPANCY_SMEM},
    /* All of it: one block; a byte more than a block may have: none, named. */
    {70, 128, 16, 98304, 1, OCCUPANCY_SMEM},
    {61, 128, 16, 49153, 0, OCCUPANCY_SMEM},
    {75, 128, 16, 65537, 0, OCCUPANCY_SMEM},
    /* 8.0: s 32768 + 1024 = 33792, 167936 / 33792 = 4; without the 1024 it would be 5. */
    {80, 128, 16, 32768, 4, OCCUPANCY_SMEM},
    /* 8.6: s 16888 + 1024 = 17912 -> 17920, 102400 / 17920 = 5; the most that a block may have: 1.
     */
    {86, 64, 16, 16888, 5, OCCUPANCY_SMEM},
    {86, 64, 16, 101376, 1, OCCUPANCY_SMEM},
    /* 8.6: s 20000 + 1024 = 21024 -> 21120, 102400 / 21120 = 4. */
    {86, 64, 16, 20000, 4, OCCUPANCY_SMEM},
    /* 9.0: 231424 + 1024 = 232448, one block; s 1024 alone, 233472 / 1024 = 228, no limit. */
    {90, 384, 168, 231424, 1, OCCUPANCY_REGISTERS}, /* r 5376, q 3, 12 warps, w 12: 1 as well */
    {90, 1024, 32, 0, 2, OCCUPANCY_THREADS},
    {90, 128, 32, 232449, 0, OCCUPANCY_SMEM},
};

/* Kernels of public recordings and the theoretical occupancy in percent that PyTorch's profiler
 * printed. */
struct recorded_case {
    int cc;
    uint32_t threads, registers, smem;
    int percent;
};

static const struct recorded_case recorded[] = {
    {70, 256, 128, 32768, 25}, {70, 256, 57, 16384, 50},  {70, 256, 48, 16640, 63},
    {70, 512, 40, 26768, 75},  {70, 64, 126, 8448, 25},   {70, 128, 128, 32768, 19},
    {70, 512, 46, 16656, 50},  {70, 256, 64, 24704, 38},  {70, 64, 89, 3328, 31},
    {70, 128, 160, 32768, 19}, {70, 256, 77, 6400, 38},   {80, 256, 47, 0, 63},
    {80, 128, 160, 16384, 19}, {80, 128, 40, 0, 75},      {80, 512, 64, 35904, 50},
    {80, 128, 86, 32768, 25},  {90, 128, 255, 49152, 13}, {90, 256, 36, 2112, 75},
    {90, 128, 34, 24, 75},     {90, 32, 63, 5376, 50},    {90, 1024, 32, 128, 100},
    {75, 64, 126, 8448, 44},   {75, 256, 80, 16640, 75},  {75, 256, 64, 16896, 75},
    {75, 64, 89, 3328, 63},    {75, 128, 160, 32768, 25}, {75, 256, 126, 49152, 25},
};

static const struct gpu *gpu_of(int cc) {
    for (size_t i = 0; i < CT_COUNT_OF(gpus); i++)
        if (gpus[i].compute_capability == cc)
            return &gpus[i];
    fail_msg("no GPU of compute capability %d", cc);
    return NULL;
}

TEST(by_hand) {
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        const struct occupancy_case *c = &cases[i];
        enum occupancy_limit limit;
        int blocks =
            occupancy_blocks_per_sm(gpu_of(c->cc), c->threads, c->registers, c->smem, &limit);
        if (blocks != c->blocks || limit != c->limit)
            fail_msg("%d: %u threads, %u registers, %u bytes: %d blocks by %s, want %d by %s",
                     c->cc, c->threads, c->registers, c->smem, blocks, occupancy_limit_name(limit),
                     c->blocks, occupancy_limit_name(c->limit));
    }
}

TEST(as_the_profiler_printed) {
    for (size_t i = 0; i < CT_COUNT_OF(recorded); i++) {
        const struct recorded_case *c = &recorded[i];
        const struct gpu *gpu = gpu_of(c->cc);
        int blocks = occupancy_blocks_per_sm(gpu, c->threads, c->registers, c->smem, NULL);
        double percent = 100.0 * (double)blocks * c->threads / (double)gpu->threads_per_sm;
        if ((int)floor(percent + 0.5) != c->percent)
            fail_msg("%d: %u threads, %u registers, %u bytes: %g %%, recorded %d %%", c->cc,
                     c->threads, c->registers, c->smem, percent, c->percent);
    }
}

/* Blocks of an SM times shared memory of one, to the next size of the guide's lists; those of 9.0
 * as Nsight Compute printed them of kernels on an H100. */
static const struct {
    int cc;
    uint32_t threads, registers, smem;
    int64_t kib;
} divisions[] = {
    {90, 32, 24, 2048, 100}, /* 32 blocks of 3 KiB: 96 */
    {90, 384, 168, 213204, 228}, {90, 384, 168, 163972, 164},
    {90, 128, 240, 98304, 196},                           /* 2 of 97 KiB */
    {90, 128, 255, 65536, 132},                           /* 2 of 65 KiB */
    {90, 64, 23, 0, 32},                                  /* 32 of the system's own KiB */
    {86, 128, 40, 49152, 100},                            /* 2 of 49 KiB */
    {80, 1024, 32, 82000, 164},                           /* 2 of 81.125 KiB */
    {75, 256, 32, 4096, 32},                              /* 4 of 4 KiB: 32 is the least */
    {70, 128, 32, 8192, 96},                              /* 12 of 8 KiB */
    {70, 256, 32, 0, 8},         {61, 128, 16, 16384, 0}, /* no part of the L1 */
};

TEST(divided_for_its_blocks) {
    for (size_t i = 0; i < CT_COUNT_OF(divisions); i++) {
        const struct gpu *gpu = gpu_of(divisions[i].cc);
        enum occupancy_limit limit;
        int blocks = occupancy_blocks_per_sm(gpu, divisions[i].threads, divisions[i].registers,
                                             divisions[i].smem, &limit);
        struct occupancy_need need = occupancy_block_need(
            gpu, divisions[i].threads, divisions[i].registers, divisions[i].smem);
        assert_int_equal(occupancy_smem_division(gpu, &need, blocks), divisions[i].kib * 1024);
    }
}

/* Whatever the launch, as many blocks as were promised fit by their sums, and one resource is short
 * for one more. */
TEST(sums_fit) {
    for (size_t g = 0; g < CT_COUNT_OF(gpus); g++)
        for (uint32_t threads = 1; threads <= 1024; threads += 37)
            for (uint32_t registers = 1; registers <= 255; registers += 6)
                for (uint32_t smem = 0; smem <= 49152; smem += 5003) {
                    const struct gpu *gpu = &gpus[g];
                    int blocks = occupancy_blocks_per_sm(gpu, threads, registers, smem, NULL);
                    struct occupancy_need need =
                        occupancy_block_need(gpu, threads, registers, smem);
                    assert_true(blocks * need.threads <= gpu->threads_per_sm);
                    assert_true(blocks * need.registers <= gpu->registers_per_sm);
                    assert_true(blocks * need.smem_bytes <= gpu->smem_per_sm_bytes);
                    assert_true(blocks <= gpu->blocks_per_sm);
                    assert_true(need.threads >= threads && need.threads < threads + 32);
                    assert_true(need.registers >= (int64_t)threads * registers);
                    assert_true(need.smem_bytes >= smem);
                }
}

/* More of anything never fits more often. */
TEST(monotone) {
    for (size_t g = 0; g < CT_COUNT_OF(gpus); g++) {
        int before = INT32_MAX;
        for (uint32_t registers = 1; registers <= 256; registers++) {
            int blocks = occupancy_blocks_per_sm(&gpus[g], 64, registers, 0, NULL);
            assert_true(blocks <= before);
            before = blocks;
        }
        assert_int_equal(before, 0);
        before = INT32_MAX;
        for (uint32_t smem = 0; smem <= 262144; smem += 64) {
            int blocks = occupancy_blocks_per_sm(&gpus[g], 64, 16, smem, NULL);
            assert_true(blocks <= before);
            before = blocks;
        }
        assert_int_equal(before, 0);
    }
}
