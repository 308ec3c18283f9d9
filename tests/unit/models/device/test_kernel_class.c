/* Classes and units of kernels by their names, launches that fill a GPU, and use of the units by
 * shapes. */
#include "cmocka_complete.h"
#include "models/device/kernel_profile.h"
#include "trace/kernel_class.h"

#include <math.h>

TEST(names_tell_what_a_kernel_does) {
    static const struct {
        const char *name;
        enum kernel_class class;
    } cases[] = {
        {"ampere_sgemm_32x32_sliced1x4_tn", KERNEL_GEMM},
        {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16>", KERNEL_GEMM},
        {"volta_scudnn_128x64_relu_interior_nn_v1", KERNEL_CONVOLUTION},
        {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_fprop_optimized>", KERNEL_CONVOLUTION},
        {"implicit_convolve_sgemm", KERNEL_CONVOLUTION},
        {"void pytorch_flash::flash_fwd_kernel<...>", KERNEL_ATTENTION},
        {"fmha_cutlassF_f16_aligned_64x64", KERNEL_ATTENTION},
        {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", KERNEL_NORMALISATION},
        {"at::native::(anonymous namespace)::vectorized_layer_norm_kernel", KERNEL_NORMALISATION},
        {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_gelubias_TNT", KERNEL_GEMM},
        {"sm90_xmma_fprop_image_first_layer_f16f16_f32_f16_nhwckrsc_nhwc", KERNEL_CONVOLUTION},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", KERNEL_ATTENTION},
        {"cudnn_generated_sdpa_sm100_fprop", KERNEL_ATTENTION},
        {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half>", KERNEL_COPY},
        {"cunn_SoftMaxForward", KERNEL_SOFTMAX},
        {"at::native::distribution_elementwise_grid_stride_kernel<normal>", KERNEL_ELEMENTWISE},
        {"at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>", KERNEL_ELEMENTWISE},
        {"triton_poi_fused_add_0", KERNEL_ELEMENTWISE},
        {"triton_red_fused_sum_1", KERNEL_REDUCTION},
        {"internal::gemvx::kernel<int, int>", KERNEL_REDUCTION},
        {"splitKreduce_kernel", KERNEL_REDUCTION},
        {"max_pool_forward_nchw", KERNEL_REDUCTION},
        {"cudnn::ops::nchwToNhwcKernel<float>", KERNEL_COPY},
        {"elementwise_kernel<128, 4, direct_copy_kernel_cuda>", KERNEL_COPY},
        {"CatArrayBatchedCopy", KERNEL_COPY},
        {"convertTensor_kernel", KERNEL_COPY},
        {"Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x128x64", KERNEL_GEMM},
        {"Cijk_Alik_Bjlk_HHS_BH_MT64x64x32_MI32x32x8x1", KERNEL_GEMM},
        {"Cijk_AlikC_Bljk_CB_MT32x32x8", KERNEL_GEMM},
        {"Custom_Cijk_Ailk_Bljk_F8NH_HHS_BH_Bias_AS_SAB_SAV_shortname0_gfx942", KERNEL_GEMM},
        {"Cijk_B_PostGSU2", KERNEL_REDUCTION},
        {"Cijk_SS_BiasS_HAS_ScaleAlphaVec_PostGSU16_VW4", KERNEL_REDUCTION},
        {"Cijk_S_GB", KERNEL_OTHER}, /* C times beta */
        {"igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt128x128x32", KERNEL_CONVOLUTION},
        {"igemm_wrw_gtcx3_nhwc_fp16_bx0_ex1_bt256x256x32", KERNEL_CONVOLUTION},
        {"volta_int8x4_igemm_int8x4_128x128_ldg4_mma_tn", KERNEL_GEMM},
        {"miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", KERNEL_CONVOLUTION},
        {"MIOpenBatchNormFwdTrainSpatial", KERNEL_NORMALISATION},
        {"void ck::kernel_grouped_conv_fwd_multiple_d_xdl_cshuffle<>", KERNEL_CONVOLUTION},
        {"void ck::kernel_gemm_xdl_cshuffle_v3<>", KERNEL_GEMM},
        {"void ck::kernel_batched_gemm_softmax_gemm_xdl_cshuffle_v1<>", KERNEL_ATTENTION},
        {"ck_tile::kentry<256, 2, ck_tile::FmhaFwdKernel<>>", KERNEL_ATTENTION},
        {"needle_cuda_shared_1(int*)", KERNEL_OTHER},
        {"", KERNEL_OTHER}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++)
        if (kernel_class_of(cases[i].name) != cases[i].class)
            fail_msg("'%s' is called %s", cases[i].name,
                     kernel_class_names[kernel_class_of(cases[i].name)]);
}

/* 10 SMs of 1024 threads: 40 blocks of 256 fill them, 20 where a thread takes 128 registers. */
TEST(full_launches_have_a_block_for_every_place) {
    struct gpu gpu = {.sms = 10,
                      .threads_per_sm = 1024,
                      .blocks_per_sm = 32,
                      .registers_per_sm = 65536,
                      .smem_per_sm_bytes = 65536,
                      .smem_per_block_bytes = 49152,
                      .compute_capability = 61};
    struct trace_kernel kernel = {.grid = {39, 1, 1}, .block = {256, 1, 1}};
    assert_false(kernel_fills_gpu(&gpu, &kernel));
    kernel.grid[0] = 40;
    assert_true(kernel_fills_gpu(&gpu, &kernel));
    kernel.grid[0] = 20;
    assert_false(kernel_fills_gpu(&gpu, &kernel));
    kernel.registers_per_thread = 128;
    assert_true(kernel_fills_gpu(&gpu, &kernel));
    kernel = (struct trace_kernel){.grid = {10, 1, 1}, .block = {128, 1, 1}}; /* one for each SM */
    assert_true(kernel_fills_gpu(&gpu, &kernel));
    kernel.block[0] = 64; /* too few threads to keep it at work */
    assert_false(kernel_fills_gpu(&gpu, &kernel));
    kernel.block[0] = 2048; /* fits on no SM */
    assert_false(kernel_fills_gpu(&gpu, &kernel));
}

TEST(names_tell_the_units_of_a_product) {
    static const struct {
        const char *name;
        enum kernel_unit unit;
    } cases[] = {
        {"volta_sgemm_128x64_nn", KERNEL_FP32},
        {"volta_scudnn_128x64_stridedB_interior_nn_v1", KERNEL_FP32},
        {"volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", KERNEL_UNIT_UNKNOWN},
        {"volta_h884gemm_64x64_ldg8_nn", KERNEL_TENSOR_FP16},
        {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", KERNEL_TENSOR_FP16},
        {"cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8", KERNEL_TENSOR_FP16},
        {"cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", KERNEL_TENSOR_TF32},
        {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x32", KERNEL_TENSOR_TF32},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8", KERNEL_FP32},
        {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64", KERNEL_TENSOR_FP16},
        {"pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>", KERNEL_TENSOR_FP16},
        {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_bias_TNT", KERNEL_TENSOR_FP16},
        {"sm90_xmma_fprop_image_first_layer_f16f16_f32_f16_nhwckrsc", KERNEL_TENSOR_FP16},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", KERNEL_TENSOR_FP16},
        {"nvjet_tst_128x64_64x6_2x1_v_bz_TNT", KERNEL_UNIT_UNKNOWN},
        {"cutlass_80_tensorop_d884gemm_32x32_16x5_nn_align1", KERNEL_UNIT_UNKNOWN},
    };
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++)
        if (kernel_unit_of(cases[i].name) != cases[i].unit)
            fail_msg("'%s' is said to run on %d", cases[i].name, kernel_unit_of(cases[i].name));
}

/* 10 SMs of 64 multiply-adds a cycle at 1 GHz do 1.28 TFLOP/s. */
TEST(units_follow_from_operations) {
    const struct gpu gpu = {
        .sms = 10, .clock_mhz = 1000, .fp32_per_clock = 64, .tensor_fp16_tflops = 8};
    static const struct {
        const char *name;
        double flops_per_s, units;
        enum ct_provenance source;
    } cases[] = {
        {"volta_sgemm_128x64_nn", 0.32e12, 0.25, CT_SHAPES},
        {"volta_sgemm_128x64_nn", 1.5e12, NAN, CT_UNKNOWN}, /* more than the peak */
        {"volta_h884gemm_64x64_ldg8_nn", 4e12, 0.5, CT_SHAPES},
        {"cutlass_80_tensorop_s1688gemm_128x128", 1e12, NAN, CT_UNKNOWN}, /* no peak in TF32 */
        {"vectorized_elementwise_kernel<bf16>", 1e12, NAN, CT_UNKNOWN},   /* no product */
        {"volta_sgemm_128x64_nn", 0, NAN, CT_UNKNOWN},                    /* no shapes */
    };
    enum ct_provenance source;
    struct trace_kernel kernel = {.metrics = trace_metrics_unknown()};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        kernel.name = cases[i].name;
        kernel.flops_per_s = cases[i].flops_per_s;
        double units = kernel_units(&gpu, &kernel, NAN, &source);
        if (source != cases[i].source || isnan(units) != isnan(cases[i].units) ||
            fabs(units - cases[i].units) > 1e-12)
            fail_msg("case %zu: %g", i, units);
    }
    assert_true(kernel_units(&gpu, &kernel, 0.3, &source) == 0.3); /* nothing but its class */
    assert_int_equal(source, CT_CLASS);
    kernel.flops_per_s = 0.32e12;
    assert_true(kernel_units(&gpu, &kernel, 0.3, &source) == 0.25); /* shapes say more */
    assert_int_equal(source, CT_SHAPES);
    kernel.metrics.issue_slot_fraction = 0.6; /* metrics say more than shapes */
    assert_true(kernel_units(&gpu, &kernel, NAN, &source) == 0.6);
    assert_int_equal(source, CT_MEASURED);
    kernel.demand_provenance = CT_DERIVED; /* a layer, of which all is */
    assert_true(kernel_units(&gpu, &kernel, 0.3, &source) == 0.6);
    assert_int_equal(source, CT_DERIVED);
}
