#include "models/device/occupancy.h"

#include "base/ct_assert.h"

#define WARP 32
#define THREADS_PER_BLOCK 1024    /* every compute capability since 2.0 */
#define REGISTERS_PER_THREAD 255  /* 3.2 and later */
#define REGISTERS_PER_BLOCK 65536 /* 3.0 and later, but for the Tegra parts */
#define REGISTER_UNIT 256         /* per warp, 3.0 and later */

/* Sub-partitions of an SM: registers belong to one, so warps are counted in each. */
static int64_t sub_partitions(const struct gpu *gpu) {
    return gpu->compute_capability == 60 ? 2 : 4;
}

static int64_t smem_unit(const struct gpu *gpu) {
    return gpu->compute_capability >= 80 ? 128 : 256;
}

/* The system's own part of each block's shared memory, 8.0 and later. */
static int64_t smem_reserved(const struct gpu *gpu) {
    return gpu->compute_capability >= 80 ? 1024 : 0;
}

static int64_t round_up(int64_t number, int64_t unit) {
    return (number + unit - 1) / unit * unit;
}

static int64_t registers_per_warp(uint32_t registers_per_thread) {
    return round_up((int64_t)registers_per_thread * WARP, REGISTER_UNIT);
}

struct occupancy_need occupancy_block_need(const struct gpu *gpu, uint32_t threads,
                                           uint32_t registers_per_thread, uint32_t smem_bytes) {
    int64_t warps = round_up(threads, WARP) / WARP;
    return (struct occupancy_need){
        .threads = warps * WARP,
        .registers = warps * registers_per_warp(registers_per_thread),
        .smem_bytes = round_up((int64_t)smem_bytes + smem_reserved(gpu), smem_unit(gpu))};
}

static int64_t limit_of_threads(const struct gpu *gpu, const struct occupancy_need *need) {
    return need->threads > THREADS_PER_BLOCK ? 0 : gpu->threads_per_sm / need->threads;
}

static int64_t limit_of_registers(const struct gpu *gpu, const struct occupancy_need *need,
                                  uint32_t registers_per_thread) {
    if (registers_per_thread == 0)
        return INT64_MAX;
    int64_t per_warp = registers_per_warp(registers_per_thread), partitions = sub_partitions(gpu);
    int64_t warps = need->threads / WARP;
    int64_t per_block =
        gpu->registers_per_sm < REGISTERS_PER_BLOCK ? gpu->registers_per_sm : REGISTERS_PER_BLOCK;
    /* The launch check counts as if every sub-partition had the largest share of the block's warps.
     */
    if (registers_per_thread > REGISTERS_PER_THREAD ||
        per_warp * round_up(warps, partitions) > per_block)
        return 0;
    return gpu->registers_per_sm / partitions / per_warp * partitions / warps;
}

static int64_t limit_of_smem(const struct gpu *gpu, const struct occupancy_need *need,
                             uint32_t smem_bytes) {
    if (smem_bytes > gpu->smem_per_block_bytes)
        return 0;
    return need->smem_bytes == 0 ? INT64_MAX : gpu->smem_per_sm_bytes / need->smem_bytes;
}

struct occupancy_limits occupancy_limits(const struct gpu *gpu, uint32_t threads,
                                         uint32_t registers_per_thread, uint32_t smem_bytes) {
    ct_assert(threads > 0);
    struct occupancy_need need =
        occupancy_block_need(gpu, threads, registers_per_thread, smem_bytes);
    struct occupancy_limits limits;
    limits.blocks[OCCUPANCY_THREADS] = limit_of_threads(gpu, &need);
    limits.blocks[OCCUPANCY_BLOCKS] = gpu->blocks_per_sm;
    limits.blocks[OCCUPANCY_REGISTERS] = limit_of_registers(gpu, &need, registers_per_thread);
    limits.blocks[OCCUPANCY_SMEM] = limit_of_smem(gpu, &need, smem_bytes);
    return limits;
}

int occupancy_blocks_per_sm(const struct gpu *gpu, uint32_t threads, uint32_t registers_per_thread,
                            uint32_t smem_bytes, enum occupancy_limit *limit) {
    struct occupancy_limits limits =
        occupancy_limits(gpu, threads, registers_per_thread, smem_bytes);
    int least = 0;
    for (int i = 1; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limits.blocks[i] < limits.blocks[least])
            least = i;
    if (limit)
        *limit = (enum occupancy_limit)least;
    return (int)limits.blocks[least]; /* at most blocks_per_sm */
}

const char *occupancy_limit_name(enum occupancy_limit limit) {
    static const char *const names[OCCUPANCY_LIMIT_COUNT] = {"threads", "blocks", "registers",
                                                             "shared memory"};
    return names[limit];
}

/* CUDA C++ Programming Guide, "Shared Memory" of compute capabilities 7.x, 8.x, 9.0, 10.0 and 12.0.
 */
static bool divides_into(const struct gpu *gpu, int64_t kib) {
    if (gpu->compute_capability == 75)
        return kib == 32 || kib == 64;
    if (gpu->compute_capability < 80)
        return kib <= 64 || kib == 96;
    return kib != 96 && kib * 1024 <= gpu->smem_per_sm_bytes;
}

int64_t occupancy_smem_division(const struct gpu *gpu, const struct occupancy_need *need,
                                int64_t blocks_per_sm) {
    static const int64_t sizes_kib[] = {
        OCCUPANCY_LEAST_DIVISION / 1024, 16, 32, 64, 96, 100, 132, 164, 196};
    int64_t bytes = need->smem_bytes * blocks_per_sm;
    if (gpu->compute_capability < 70)
        return 0;
    for (size_t i = 0; i < sizeof sizes_kib / sizeof sizes_kib[0]; i++)
        if (divides_into(gpu, sizes_kib[i]) && bytes <= sizes_kib[i] * 1024)
            return sizes_kib[i] * 1024;
    return gpu->smem_per_sm_bytes;
}
