/* A kernel on another GPU than it was recorded on: by the peaks of both, and back. */
#include "cmocka_complete.h"
#include "models/device/kernel_profile.h"

#include <math.h>

/* 10 SMs of 64 multiply-adds a cycle at 1 GHz: 1.28 TFLOP/s, and 12.8 on the matrix units; a memory
 * whose whole peak can be had. */
static const struct gpu base = {.name = "base",
                                .sms = 10,
                                .threads_per_sm = 2048,
                                .blocks_per_sm = 32,
                                .registers_per_sm = 65536,
                                .smem_per_sm_bytes = 65536,
                                .smem_per_block_bytes = 49152,
                                .compute_capability = 70,
                                .warp_schedulers = 4,
                                .clock_mhz = 1000,
                                .fp32_per_clock = 64,
                                .tensor_fp16_tflops = 12.8,
                                .dram_gb_s = 100,
                                .dram_line_base = 1,
                                .row_hit_rate = 0.8};

static struct trace_kernel a_kernel(const char *name, double dram_fraction) {
    struct trace_kernel kernel = {.name = name,
                                  .grid = {100, 1, 1},
                                  .block = {256, 1, 1},
                                  .demand_provenance = CT_DERIVED,
                                  .metrics = trace_metrics_unknown()};
    kernel.metrics.dram_fraction = dram_fraction;
    kernel.metrics.unit_fraction = 0.5;
    return kernel;
}

static struct kernel_profile profile_of(const struct gpu *gpu, const struct gpu *recorded,
                                        const struct trace_kernel *kernel, double compute,
                                        enum kernel_unit unit) {
    const struct kernel_beside beside = {NAN, compute, unit, false};
    struct kernel_profile profile;
    struct ct_diags diags = {0};
    assert_int_equal(kernel_profile_make(gpu, recorded, kernel, &beside, "test", &profile, &diags),
                     CT_OK);
    return profile;
}

/* As many SMs at the same clock: what they do in a cycle decides of a kernel that was made for its
 * units. A product that has half of them busy is bound by them where they are a quarter: twice as
 * long. Units that a GPU lacks are those of single precision, a tenth of the base's matrix units,
 * twice as many here: five times as long. */
TEST(peaks_decide) {
    struct gpu lanes = base, matrix = base, none = base, unknown = base;
    lanes.fp32_per_clock = 128;
    matrix.tensor_fp16_tflops = 3.2;
    none.tensor_fp16_tflops = 0;
    none.compute_capability = 61;
    none.fp32_per_clock = 128;
    unknown.tensor_fp16_tflops = 0;
    const struct {
        const struct gpu *gpu;
        const char *name;
        enum kernel_unit made;
        double scale, units;
        bool by_unit;
    } cases[] = {{&lanes, "query", KERNEL_FP32, 0.5, 0.5, true},
                 {&lanes, "volta_sgemm_128x64_nn", KERNEL_UNIT_UNKNOWN, 1, 0.25, false},
                 {&lanes, "volta_h884gemm_64x64", KERNEL_UNIT_UNKNOWN, 1, 0.5, false},
                 {&matrix, "volta_h884gemm_64x64", KERNEL_UNIT_UNKNOWN, 2, 1, true},
                 {&matrix, "query", KERNEL_TENSOR_FP16, 4, 0.5, true},
                 {&matrix, "query", KERNEL_UNIT_UNKNOWN, 1, 0.5, false},
                 {&none, "query", KERNEL_TENSOR_FP16, 5, 0.5, true},
                 {&unknown, "query", KERNEL_TENSOR_FP16, 1, 0.5, false},
                 {&none, "elementwise_bf16", KERNEL_UNIT_UNKNOWN, 1, 0.5, false}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        struct trace_kernel kernel = a_kernel(cases[i].name, 0.1);
        struct kernel_profile p = profile_of(cases[i].gpu, &base, &kernel, NAN, cases[i].made);
        if (fabs(p.duration_scale - cases[i].scale) > 1e-12 ||
            fabs(p.unit_fraction - cases[i].units) > 1e-12 || p.scaled_by_unit != cases[i].by_unit)
            fail_msg("case %zu: %g", i, p.duration_scale);
    }
}

/* In the duration as where kernels share the memory. */
TEST(unknown_demand_is_none) {
    struct gpu narrow = base;
    narrow.dram_gb_s = 10;
    struct trace_kernel kernel = a_kernel("query", NAN);
    kernel.metrics.unit_fraction = NAN;
    struct kernel_profile p = profile_of(&narrow, &base, &kernel, NAN, KERNEL_UNIT_UNKNOWN);
    assert_true(p.duration_scale == 1 && p.dram_bytes_per_s == 0);
}

/*
 * A third of the bandwidth, and the SMs as they are: what drew half of the peak now waits for the
 * memory, 1.5 times as long, for two thirds of which it computes; its units are used a third.
 */
TEST(the_bound_follows) {
    struct gpu narrow = base;
    narrow.dram_gb_s = 100.0 / 3;
    struct trace_kernel kernel = a_kernel("query", 0.5);
    struct kernel_profile p = profile_of(&narrow, &base, &kernel, NAN, KERNEL_FP32);
    assert_true(fabs(p.duration_scale - 1.5) < 1e-12);
    assert_true(fabs(p.compute_fraction - 2 / 3.0) < 1e-12);
    assert_true(fabs(p.unit_fraction - 1 / 3.0) < 1e-12);
    assert_true(fabs(p.dram_bytes_per_s - narrow.dram_gb_s * 1e9) < 1);
    /* Said to compute half of its time: the other half is the memory's, three times as long. */
    p = profile_of(&narrow, &base, &kernel, 0.5, KERNEL_FP32);
    assert_true(fabs(p.duration_scale - 3) < 1e-12);
    assert_true(fabs(p.compute_fraction - 0.3) < 1e-12);
}

/* There and back is where one was, but where the step at 0.8 of the memory or the floor of what is
 * computed is in the way. A GPU that is the same but for its place changes nothing.
 * The more a GPU has of anything, the less time it takes, and no unit gives more than its peak. */
TEST(there_and_back) {
    for (int i = 0; i < 1000; i++) {
        struct gpu gpu = base, same = base;
        gpu.sms = 1 + i % 23;
        gpu.clock_mhz = 500 + 100 * (i % 7);
        gpu.fp32_per_clock = 32 << i % 3;
        gpu.dram_gb_s = 10 + 30 * (i % 11);
        struct trace_kernel kernel = a_kernel("query", (i % 13) / 13.0);
        kernel.metrics.unit_fraction = (i % 17) / 17.0;
        struct kernel_profile here = profile_of(&base, &base, &kernel, NAN, KERNEL_FP32);
        struct kernel_profile copy = profile_of(&same, &base, &kernel, NAN, KERNEL_FP32);
        struct kernel_profile there = profile_of(&gpu, &base, &kernel, NAN, KERNEL_FP32);
        assert_true(here.duration_scale == 1 && copy.duration_scale == 1);
        assert_true(copy.compute_fraction == here.compute_fraction);
        assert_true(copy.unit_fraction == here.unit_fraction);
        assert_true(copy.dram_bytes_per_s == here.dram_bytes_per_s);
        assert_true(there.unit_fraction <= 1 && there.compute_fraction <= 1);
        assert_true(there.dram_bytes_per_s <= gpu.dram_gb_s * 1e9 * (1 + 1e-9));
        kernel.metrics.dram_fraction = there.dram_bytes_per_s / (gpu.dram_gb_s * 1e9);
        kernel.metrics.unit_fraction = there.unit_fraction;
        struct kernel_profile back =
            profile_of(&base, &gpu, &kernel, there.compute_fraction, KERNEL_FP32);
        double before = (i % 13) / 13.0, after = kernel.metrics.dram_fraction;
        bool sharp = before < 0.8 && (after < 0.8 || after > 1 - 1e-9);
        if (sharp && there.compute_fraction > 0.3 &&
            fabs(there.duration_scale * back.duration_scale - 1) > 1e-9)
            fail_msg("case %d: %g, then %g", i, there.duration_scale, back.duration_scale);
        gpu.dram_gb_s *= 1.5;
        gpu.fp32_per_clock *= 1.5;
        kernel.metrics.dram_fraction = (i % 13) / 13.0;
        kernel.metrics.unit_fraction = (i % 17) / 17.0;
        struct kernel_profile faster = profile_of(&gpu, &base, &kernel, NAN, KERNEL_FP32);
        assert_true(faster.duration_scale <= there.duration_scale * (1 + 1e-12));
    }
}
