#include "models/demand/kernel_launch.h"

#include "models/device/occupancy.h"

bool kernel_launch_is_full(const struct gpu *gpu, const struct trace_kernel *kernel) {
    int per_sm =
        occupancy_blocks_per_sm(gpu, trace_kernel_threads(kernel), kernel->registers_per_thread,
                                kernel->static_smem_bytes + kernel->dynamic_smem_bytes, NULL);
    return per_sm > 0 && trace_kernel_blocks(kernel) >= (uint64_t)per_sm * (uint64_t)gpu->sms;
}
