/* What names of one kernel share that two tools wrote: real ones, of a ResNet-50 on an H200. */
#include "cmocka_complete.h"
#include "ingest/kernel_name.h"

#include <stdlib.h>
#include <string.h>

static void assert_core(const char *name, const char *core) {
    FREED_BY(free) char *got = kernel_name_core(name);
    assert_non_null(got);
    assert_string_equal(got, core);
    assert_true(strlen(got) <= strlen(name) + 1);
}

TEST(spellings_of_one_kernel) {
    static const struct {
        const char *cupti, *ncu, *core;
    } cases[] = {
        {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half, float, false, true, "
         "(cudnnKernelDataType_t)0>(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, "
         "__half const*, __half*)",
         "void cudnn::nchwToNhwcKernel<__half, float, 0, 1, 0>(cudnn::nchw2nhwc_params_t<T3>, "
         "const T1 *, T2 *)",
         "nchwToNhwcKernel __half float 0 1 0 "},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
         "namespace)::batch_norm_calc_invstd(at::Tensor const&, "
         "double)::{lambda()#1}::operator()() "
         "const::{lambda(c10::Half)#3}, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)",
         "void at::vectorized_elementwise_kernel<4, at::<unnamed>::batch_norm_calc_invstd(const "
         "at::Tensor &, double)::[lambda() (instance 1)]::operator ()() const::[lambda(c10::Half) "
         "(instance 3)], std::array<char *, 2>>(int, T2)",
         "vectorized_elementwise_kernel 4 batch_norm_calc_invstd Tensor double lambda 1 operator "
         "lambda Half 3 array char 2 "},
        {"void at::native::(anonymous namespace)::max_pool_forward_nchw<c10::Half, int>(int)",
         "void at::max_pool_forward_nchw<c10::Half, int>(int)", "max_pool_forward_nchw Half int "},
        {"nvjet_sm90_hsh_64x16_64x16_4x2_h_bz_bias_TNT",
         "nvjet_sm90_hsh_64x16_64x16_4x2_h_bz_bias_TNT",
         "nvjet_sm90_hsh_64x16_64x16_4x2_h_bz_bias_TNT "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_core(cases[i].cupti, cases[i].core);
        assert_core(cases[i].ncu, cases[i].core);
    }
}

TEST(numbers_and_types_stay) {
    assert_core("f<64, (bool)1, unsigned long>(int)", "f 64 1 unsigned long ");
    assert_core("f<128, true, int>()", "f 128 1 int ");
}

TEST(no_name_of_a_kernel) {
    assert_core("", "");
    assert_core("(", "");
    assert_core("<(a)", "a ");
    assert_core("((a)b", "");
    assert_core(">>>::<unnamed", "unnamed ");
    assert_core("::::", "");
}
