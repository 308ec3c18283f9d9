/* Classes of kernels by their names, and launches that fill a GPU. */
#include "models/demand/kernel_launch.h"
#include "trace/kernel_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_tell_what_a_kernel_does(void **state) {
    (void)state;
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
        {"needle_cuda_shared_1(int*)", KERNEL_OTHER},
        {"", KERNEL_OTHER}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++)
        if (kernel_class_of(cases[i].name) != cases[i].class)
            fail_msg("'%s' is called %s", cases[i].name,
                     kernel_class_names[kernel_class_of(cases[i].name)]);
}

/* 10 SMs of 1024 threads: 40 blocks of 256 fill them, 20 where a thread takes 128 registers. */
static void full_launches_have_a_block_for_every_place(void **state) {
    (void)state;
    struct gpu gpu = {.sms = 10,
                      .threads_per_sm = 1024,
                      .blocks_per_sm = 32,
                      .registers_per_sm = 65536,
                      .smem_per_sm_bytes = 65536,
                      .smem_per_block_bytes = 49152,
                      .compute_capability = 61};
    struct trace_kernel kernel = {.grid = {39, 1, 1}, .block = {256, 1, 1}};
    assert_false(kernel_launch_is_full(&gpu, &kernel));
    kernel.grid[0] = 40;
    assert_true(kernel_launch_is_full(&gpu, &kernel));
    kernel.grid[0] = 20;
    assert_false(kernel_launch_is_full(&gpu, &kernel));
    kernel.registers_per_thread = 128;
    assert_true(kernel_launch_is_full(&gpu, &kernel));
    kernel = (struct trace_kernel){.grid = {10, 1, 1}, .block = {128, 1, 1}}; /* one for each SM */
    assert_true(kernel_launch_is_full(&gpu, &kernel));
    kernel.block[0] = 64; /* too few threads to keep it at work */
    assert_false(kernel_launch_is_full(&gpu, &kernel));
    kernel.block[0] = 2048; /* fits on no SM */
    assert_false(kernel_launch_is_full(&gpu, &kernel));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_what_a_kernel_does),
        cmocka_unit_test(full_launches_have_a_block_for_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
