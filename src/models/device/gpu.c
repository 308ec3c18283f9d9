#include "models/device/gpu.h"

#include "models/device/gpu_slices.h"

/* The key of a member is the member's name. */
#define KEY(member) .name = #member, .offset = offsetof(struct gpu, member)
#define INTEGER(member, low, high)                                                                 \
    KEY(member), .kind = CT_OPTION_INT, .least = (low), .most = (high)
#define NUMBER(member, low, high)                                                                  \
    KEY(member), .kind = CT_OPTION_DOUBLE, .least = (low), .most = (high)

static const char *const sharing_names[] = {"fair", "sms", "offered", NULL};
static const char *const sm_sharing_names[] = {"proportional", "hopper", NULL};
static const char *const copy_engine_names[] = {"duplex", "single", NULL};

const struct ct_option gpu_options[] = {
    {KEY(name), .kind = CT_OPTION_STRING, .unit = "", .help = "name of the preset"},
    {KEY(title), .kind = CT_OPTION_STRING, .unit = "", .help = "name for people"},
    {INTEGER(sms, 1, 1024), .unit = "", .help = "streaming multiprocessors"},
    {INTEGER(threads_per_sm, 32, 65536), .unit = "", .help = "resident threads per SM"},
    {INTEGER(blocks_per_sm, 1, 1024), .unit = "", .help = "resident thread blocks per SM"},
    {INTEGER(registers_per_sm, 1024, 1048576), .unit = "", .help = "32-bit registers per SM"},
    {INTEGER(smem_per_sm_bytes, 1024, 16777216), .unit = "B",
     .help = "largest shared memory per SM"},
    {INTEGER(smem_per_block_bytes, 1024, 16777216), .unit = "B",
     .help = "largest shared memory per block, opted in"},
    {INTEGER(compute_capability, 30, 129), .unit = "",
     .help = "ten times major plus minor; sets the allocation granularities"},
    {INTEGER(warp_schedulers, 1, 64), .unit = "", .standard = "4",
     .help = "warp schedulers of an SM, each of which issues 32 thread instructions per cycle"},
    {NUMBER(clock_mhz, 1, 10000), .unit = "MHz", .help = "SM clock under load"},
    {NUMBER(fp32_per_clock, 0, 65536), .unit = "", .standard = "0",
     .help = "single-precision results per cycle and SM; 0: unknown"},
    {NUMBER(fp64_per_clock, 0, 65536), .unit = "", .standard = "0",
     .help = "double-precision results per cycle and SM; 0: unknown"},
    {NUMBER(tensor_fp16_tflops, 0, 1000000), .unit = "TFLOP/s", .standard = "0",
     .help = "peak of the matrix units in half precision (FP16, BF16), dense; 0: none or unknown"},
    {NUMBER(tensor_tf32_tflops, 0, 1000000), .unit = "TFLOP/s", .standard = "0",
     .help = "the same in TF32"},
    {NUMBER(dram_gb_s, 0.1, 100000), .unit = "GB/s", .help = "peak memory bandwidth, 10^9 bytes"},
    {NUMBER(memory_gib, 0, 1048576), .unit = "GiB", .standard = "0",
     .help = "memory for applications, 2^30 bytes; 0: unknown"},
    {NUMBER(memory_gib_least, 0, 1048576), .unit = "GiB", .standard = "0",
     .help = "the least that is sold as this GPU, where memory_gib is unknown: what needs more may "
             "not fit, which is said; 0: unknown, too"},
    {NUMBER(memory_gib_most, 0, 1048576), .unit = "GiB", .standard = "0",
     .help = "the most that is sold as this GPU: what needs more is refused; 0: unknown, too"},
    {NUMBER(dram_line_slope, 0, 1), .unit = "", .standard = "0.5",
     .help = "c1 of HSM Eq. 3: effective = peak (c1 RBH + c2)"},
    {NUMBER(dram_line_base, 0.01, 1), .unit = "", .standard = "0.36", .help = "c2 of HSM Eq. 3"},
    {NUMBER(row_hit_rate, 0, 1), .unit = "", .standard = "0.8",
     .help = "row-buffer hit rate of a kernel whose own is unknown"},
    {NUMBER(hsm_c1, 0, 10), .unit = "", .standard = "0",
     .help = "c1 of HSM Eq. 3 and 5 as its predictor learnt it of this GPU, once; never below 0: "
             "row hits cost no bandwidth"},
    {NUMBER(hsm_c2, 0, 1), .unit = "", .standard = "0",
     .help = "c2 of the same line; 0: both are those of the memory"},
    {KEY(memory_sharing), .kind = CT_OPTION_CHOICE, .unit = "", .standard = "fair",
     .choices = sharing_names,
     .help =
         "parts of a memory that runs short: by what each would draw (fair), by SMs held (sms), "
         "or by the bandwidth that these offer if it answers at once (offered)"},
    {NUMBER(dram_latency_growth, 0, 10), .unit = "", .standard = "0",
     .help = "how the memory's latency grows with what is asked of it; 0: not"},
    {NUMBER(row_hit_drift, 0, 1), .unit = "", .standard = "0",
     .help = "row hits that a kernel loses beside others with as much traffic; 0: none"},
    {NUMBER(pcie_mb_s, 1, 1000000), .unit = "MB/s",
     .help = "effective bandwidth of the host link per direction, 10^6 bytes"},
    {NUMBER(pcie_pageable_mb_s, 1, 1000000), .unit = "MB/s", .help = "one pageable copy alone"},
    {NUMBER(pcie_pinned_mb_s, 1, 1000000), .unit = "MB/s", .help = "one pinned copy alone"},
    {NUMBER(copy_latency_us, 0, 1000000), .unit = "us", .standard = "1",
     .help = "fixed part of each copy's time on the device"},
    {NUMBER(staging_kb, 1, 1048576), .unit = "KB", .standard = "512",
     .help = "piece of a pageable copy that moves at once, 1024 bytes"},
    {KEY(copy_engines), .kind = CT_OPTION_CHOICE, .unit = "", .standard = "duplex",
     .choices = copy_engine_names,
     .help = "duplex: one per direction; single: one for both, one copy at a time"},
    {NUMBER(contention_k0, 0, 10), .unit = "", .standard = "0",
     .help = "slowdown by anybody's presence; 0: none"},
    {NUMBER(contention_k, 0, 10), .unit = "", .standard = "0",
     .help = "slowdown per DRAM and L2 use of the others; 0: none"},
    {NUMBER(launch_delay_us, 0, 1000), .unit = "us", .standard = "0",
     .help = "delay of each launch per other active application"},
    {KEY(sm_sharing), .kind = CT_OPTION_CHOICE, .unit = "", .standard = "proportional",
     .choices = sm_sharing_names,
     .help = "kernels on an SM share its units in proportion (proportional), or older blocks go "
             "first, an SM is divided into L1 and shared memory while it is empty, and who waits "
             "fills the first that is free (hopper)"},
    {INTEGER(gpc_tpcs, 0, 64), .unit = "", .standard = "0",
     .help =
         "TPCs, pairs of SMs, of a GPC: an application held to a part of the SMs has no more than "
         "that part of each, rounded up; 0: unknown, and its SMs are anywhere"},
    {INTEGER(hw_queues, 1, 1024), .unit = "", .standard = "32", .help = "hardware work queues"},
    {NUMBER(time_slice_us, 1, 10000000), .unit = "us", .standard = "2000",
     .help = "time slice of an application without MPS"},
    {NUMBER(time_slice_switch_us, 0, 1000000), .unit = "us", .standard = "0",
     .help = "cost of a switch between time slices"},
    {KEY(mig), .kind = CT_OPTION_STRING, .unit = "", .standard = "",
     .help = "profiles of MIG instances, NAME:SMS:MEMORY each, the whole GPU last; empty: no MIG"},
    {KEY(contention), .kind = CT_OPTION_STRING, .unit = "", .standard = "",
     .help = "file that 'calibrate' wrote, for contention_k0, contention_k and launch_delay_us"},
    {KEY(dram), .kind = CT_OPTION_STRING, .unit = "", .standard = "line",
     .help = "bandwidth by row hits: line, curve (of the memory's own timing, dram_fit), or FILE "
             "or FILE#line that 'dram fit' wrote"},
    {KEY(dram_fit), .kind = CT_OPTION_STRING, .unit = "", .standard = "",
     .help = "file that 'dram fit' wrote from the memory's own timing, for dram=curve; empty: no "
             "timing of it is published"},
    {KEY(themis), .kind = CT_OPTION_STRING, .unit = "", .standard = "",
     .help = "file that 'train' wrote, for the policies themis-*; empty: the one that ships for "
             "this preset and fidelity"},
    {KEY(themis_gpu), .kind = CT_OPTION_STRING, .unit = "", .standard = "",
     .help = "GPU whose network the policies themis-* use here in spite of its being another one, "
             "SMs, clock and bandwidth as they are; empty: none but this GPU's own"},
    {.name = NULL}};

static void check_link(const struct gpu *gpu, const char *where, struct ct_diags *diags) {
    if (gpu->pcie_pinned_mb_s > gpu->pcie_mb_s)
        ct_error(diags, where, "'pcie_pinned_mb_s' (%g) is above the link's own 'pcie_mb_s' (%g)",
                 gpu->pcie_pinned_mb_s, gpu->pcie_mb_s);
    if (gpu->pcie_pageable_mb_s > gpu->pcie_pinned_mb_s)
        ct_error(diags, where, "'pcie_pageable_mb_s' (%g) is above 'pcie_pinned_mb_s' (%g)",
                 gpu->pcie_pageable_mb_s, gpu->pcie_pinned_mb_s);
}

static void check_memory(const struct gpu *gpu, const char *where, struct ct_diags *diags) {
    if (gpu->memory_gib_most > 0 && gpu->memory_gib_least > gpu->memory_gib_most)
        ct_error(diags, where, "'memory_gib_least' (%g) is above 'memory_gib_most' (%g)",
                 gpu->memory_gib_least, gpu->memory_gib_most);
    if (gpu->smem_per_block_bytes > gpu->smem_per_sm_bytes)
        ct_error(diags, where, "'smem_per_block_bytes' (%lld) is above 'smem_per_sm_bytes' (%lld)",
                 (long long)gpu->smem_per_block_bytes, (long long)gpu->smem_per_sm_bytes);
    if (gpu->dram_line_slope + gpu->dram_line_base > 1.0)
        ct_error(diags, where,
                 "'dram_line_slope' (%g) and 'dram_line_base' (%g) add up to more than the peak",
                 gpu->dram_line_slope, gpu->dram_line_base);
}

int gpu_check(const struct gpu *gpu, const char *where, struct ct_diags *diags) {
    size_t before = diags->errors;
    struct gpu_slice slices[GPU_SLICES_MOST];
    gpu_slices(gpu->mig, gpu->sms, where, slices, diags);
    if (gpu->threads_per_sm % 32 != 0)
        ct_error(diags, where, "'threads_per_sm' (%lld) is not a whole number of warps of 32",
                 (long long)gpu->threads_per_sm);
    check_memory(gpu, where, diags);
    check_link(gpu, where, diags);
    return diags->errors == before ? CT_OK : CT_USAGE;
}
