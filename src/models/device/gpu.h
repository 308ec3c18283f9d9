/* A GPU as numbers: what a preset file holds, each number with its unit and source. */
#ifndef GPU_H
#define GPU_H

#include "abi/ct_option.h"
#include "base/ct_diag.h"
#include "base/ct_types.h"

/* Times are doubles in the unit of their name, so that the option table reads and prints them as
 * users type them. */
struct dram_point;
struct contention_app;

struct gpu {
    const char *name, *title;
    /* Streaming multiprocessors. */
    int64_t sms, threads_per_sm, blocks_per_sm, registers_per_sm, smem_per_sm_bytes,
        smem_per_block_bytes;
    int64_t compute_capability; /* ten times major plus minor: 61, 70, 90 */
    int64_t warp_schedulers;    /* per SM */
    double clock_mhz;
    double fp32_per_clock, fp64_per_clock; /* results per SM; 0: unknown */
    /* Peaks of the matrix units, dense, summed in single precision; 0: none, or unknown. */
    double tensor_fp16_tflops, tensor_tf32_tflops;
    /* Memory. */
    double dram_gb_s;                         /* peak, 10^9 bytes per second */
    double memory_gib;                        /* capacity, 2^30 bytes; 0: unknown, within these: */
    double memory_gib_least, memory_gib_most; /* 0: unknown, too */
    double dram_line_slope; /* c1 of HSM's line: effective = peak * (c1 RBH + c2) */
    double dram_line_base;  /* c2 */
    double row_hit_rate;    /* of a kernel whose own is unknown, assumed */
    /* What HSM's predictor has learnt of this GPU, once (HSM section 2.3.2): a memory-bound kernel
     * alone draws peak * (hsm_c1 RBH + hsm_c2). hsm_c2 0: both are those of the memory. */
    double hsm_c1, hsm_c2;
    int32_t memory_sharing;     /* enum gpu_memory_sharing */
    double dram_latency_growth; /* g: an answer takes 1 + g x / (1 - x) times as long where x of
                                   what the memory can deliver is asked for; 0: always the same */
    double row_hit_drift; /* that a task loses beside others with as much traffic as its own */
    /* Host link, per direction, 10^6 bytes per second as in Baymax. */
    double pcie_mb_s, pcie_pageable_mb_s, pcie_pinned_mb_s;
    double copy_latency_us, staging_kb;
    int32_t copy_engines; /* enum gpu_copy_engines */
    /* Contention below saturation: s = 1 + S (k0 + k P / (1 - D)) + phi n m / T. */
    double contention_k0, contention_k, launch_delay_us;
    /* Sharing. */
    int32_t sm_sharing; /* enum gpu_sm_sharing */
    int64_t gpc_tpcs;   /* pairs of SMs of a GPC, of which a cap takes its part; 0: unknown */
    int64_t hw_queues;
    double time_slice_us, time_slice_switch_us;
    const char *mig; /* profiles of instances, see gpu_slices.h; "": no MIG */
    /* Files that stand in for numbers above, read by whoever sets a GPU up. */
    const char *contention; /* what `calibrate` wrote; "": the numbers above */
    const char *themis;     /* what `train` wrote; "": what ships for this preset and fidelity */
    const char *themis_gpu; /* whose network that is, in spite of its being another GPU; "": none */
    const char *dram; /* "line", "curve" (of the memory's own timing: dram_fit), or what `dram fit`
                         wrote: FILE, FILE#curve, FILE#line */
    const char
        *dram_fit; /* what `dram fit` wrote from the memory's own timing; "": not published */
    /* What is in them: no keys of a preset. */
    bool own_sensitivity;                         /* S = min(1, own DRAM and L2 use); false: 1 */
    const struct contention_app *contention_apps; /* those seen in calibration */
    size_t contention_app_count;
    double dram_line_r2; /* of the line that was fitted to the memory; 0: not fitted */
    const struct dram_point *dram_points; /* a curve instead of the line; NULL: the line */
    size_t dram_point_count;
};

/* What parts of a memory that runs short are proportional to: what each would draw alone on its
 * SMs, SMs held, or the bandwidth that these could ask for if the memory answered at once. */
enum gpu_memory_sharing { GPU_SHARING_FAIR, GPU_SHARING_SMS, GPU_SHARING_OFFERED };

/* How blocks of several kernels share an SM: its units in proportion to what they ask for; or by
 * the rules that were measured on Hopper (sm_age.h, block_fill.c, and block_place.c for how an SM
 * is divided; fluid_age.c without places). */
enum gpu_sm_sharing { GPU_SM_PROPORTIONAL, GPU_SM_HOPPER };

enum gpu_copy_engines { GPU_COPY_DUPLEX, GPU_COPY_SINGLE };

/*
 * Keys of a preset file and of `gpu.KEY` in a workload. Numbers of the hardware have no default;
 * parameters of a model are neutral by default. A preset file has two keys more, "sources" (an
 * object: key to where its number comes from) and "assumed" (an array of keys whose number nobody
 * published), which are no members of the struct.
 */
extern const struct ct_option gpu_options[];

/*
 * What no single key's range can say: rates in order, shared memory of a block within an SM's, a
 * known compute capability. Every contradiction is one error at `where`. CT_OK or CT_USAGE.
 */
int gpu_check(const struct gpu *gpu, const char *where, struct ct_diags *diags);

#endif
