#include "models/demand/kernel_launch.h"

#include "models/device/occupancy.h"

/* A block for each SM, with a warp for each of its four parts: kernels that stay on the GPU and
 * fetch their work themselves are launched so. */
enum { PERSISTENT_THREADS = 4 * 32 };

bool kernel_launch_is_full(const struct gpu *gpu, const struct trace_kernel *kernel) {
    uint64_t blocks = trace_kernel_blocks(kernel), sms = (uint64_t)gpu->sms;
    int per_sm =
        occupancy_blocks_per_sm(gpu, trace_kernel_threads(kernel), kernel->registers_per_thread,
                                kernel->static_smem_bytes + kernel->dynamic_smem_bytes, NULL);
    bool persistent = blocks == sms && trace_kernel_threads(kernel) >= PERSISTENT_THREADS;
    return per_sm > 0 && (persistent || blocks >= (uint64_t)per_sm * sms);
}
