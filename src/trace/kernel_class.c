#include "trace/kernel_class.h"

#include "base/ct_text.h"

const char *const kernel_class_names[KERNEL_CLASSES] = {
    "gemm",        "convolution", "attention", "normalisation", "softmax",
    "elementwise", "reduction",   "copy",      "other"};

const char *const kernel_unit_names[KERNEL_UNITS + 1] = {"unknown",     "fp32", "tensor_fp16",
                                                         "tensor_tf32", "fp64", NULL};

/*
 * Pairs of letters in a name, large and small alike: a bit for each two of the last five bits of a
 * character. Names have hundreds of letters, and nearly all patterns have a pair that a name has
 * not.
 */
struct letter_pairs {
    uint64_t has[16];
};

static unsigned pair_of(const char *text) {
    return ((unsigned char)text[0] & 31u) << 5 | ((unsigned char)text[1] & 31u);
}

static struct letter_pairs pairs_of(const char *name) {
    struct letter_pairs pairs = {0};
    for (; name[0] && name[1]; name++)
        pairs.has[pair_of(name) >> 6] |= UINT64_C(1) << (pair_of(name) & 63);
    return pairs;
}

/* False: the name has not all pairs of the pattern, which then cannot match. */
static bool has_pairs_of(const struct letter_pairs *pairs, const char *pattern) {
    for (; pattern[0] && pattern[1]; pattern++)
        if (pattern[0] != '*' && pattern[1] != '*' &&
            !(pairs->has[pair_of(pattern) >> 6] >> (pair_of(pattern) & 63) & 1))
            return false;
    return true;
}

static bool matches(const struct letter_pairs *pairs, const char *pattern, const char *name) {
    return has_pairs_of(pairs, pattern) && ct_text_matches(pattern, name);
}

/*
 * The first pattern that matches decides. Names of cuBLAS (gemm, on Hopper nvjet), cuDNN, CUTLASS
 * (xmma, dgrad; sdpa: scaled dot product attention), of PyTorch's native kernels and of its
 * compiler (triton_poi: pointwise, _red and _per: reductions), of FlashAttention (fmha), and plain
 * English words. What names two classes stands for the more special one: a layer's normalisation is
 * also a reduction.
 */
static const struct {
    const char *pattern;
    enum kernel_class class;
} rules[] = {
    {"*fmha*", KERNEL_ATTENTION},
    {"*flash*", KERNEL_ATTENTION},
    {"*attention*", KERNEL_ATTENTION},
    {"*attn*", KERNEL_ATTENTION},
    {"*sdpa*", KERNEL_ATTENTION},
    {"*nchwtonhwc*", KERNEL_COPY},
    {"*nhwctonchw*", KERNEL_COPY},
    {"*convert*", KERNEL_COPY},
    {"*cudnn::ops*", KERNEL_ELEMENTWISE},
    {"*softmax*", KERNEL_SOFTMAX},
    {"*distribution*", KERNEL_ELEMENTWISE},
    {"*norm*", KERNEL_NORMALISATION},
    {"*bn_fw*", KERNEL_NORMALISATION},
    {"*bn_bw*", KERNEL_NORMALISATION},
    {"*pool*", KERNEL_REDUCTION},
    {"*conv*", KERNEL_CONVOLUTION},
    {"*wgrad*", KERNEL_CONVOLUTION},
    {"*dgrad*", KERNEL_CONVOLUTION},
    {"*fprop*", KERNEL_CONVOLUTION},
    {"*winograd*", KERNEL_CONVOLUTION},
    {"*cudnn*", KERNEL_CONVOLUTION},
    {"*gemm*", KERNEL_GEMM},
    {"*nvjet*", KERNEL_GEMM},
    {"*cutlass*", KERNEL_GEMM},
    {"*xmma*", KERNEL_GEMM},
    {"*matmul*", KERNEL_GEMM},
    {"*matrixmul*", KERNEL_GEMM},
    {"*syrk*", KERNEL_GEMM},
    {"*syr2k*", KERNEL_GEMM},
    {"*gemv*", KERNEL_REDUCTION},
    {"*reduc*", KERNEL_REDUCTION},
    {"*scan*", KERNEL_REDUCTION},
    {"*scalarprod*", KERNEL_REDUCTION},
    {"*argmax*", KERNEL_REDUCTION},
    {"*argmin*", KERNEL_REDUCTION},
    {"*cumsum*", KERNEL_REDUCTION},
    {"*triton_red*", KERNEL_REDUCTION},
    {"*triton_per*", KERNEL_REDUCTION},
    {"*copy*", KERNEL_COPY},
    {"*transpose*", KERNEL_COPY},
    {"*permute*", KERNEL_COPY},
    {"*catarray*", KERNEL_COPY},
    {"*gather*", KERNEL_COPY},
    {"*scatter*", KERNEL_COPY},
    {"*index*", KERNEL_COPY},
    {"*embedding*", KERNEL_COPY},
    {"*memset*", KERNEL_COPY},
    {"*fill*", KERNEL_COPY},
    {"*elementwise*", KERNEL_ELEMENTWISE},
    {"*pointwise*", KERNEL_ELEMENTWISE},
    {"*triton_poi*", KERNEL_ELEMENTWISE},
    {"*vectoradd*", KERNEL_ELEMENTWISE},
    {"*axpy*", KERNEL_ELEMENTWISE},
    {"*relu*", KERNEL_ELEMENTWISE},
    {"*gelu*", KERNEL_ELEMENTWISE},
    {"*sigmoid*", KERNEL_ELEMENTWISE},
    {"*dropout*", KERNEL_ELEMENTWISE},
    {"*activation*", KERNEL_ELEMENTWISE},
    {"*multi_tensor_apply*", KERNEL_ELEMENTWISE},
};

enum kernel_class kernel_class_of(const char *name) {
    const struct letter_pairs pairs = pairs_of(name);
    for (size_t i = 0; i < CT_COUNT_OF(rules); i++)
        if (matches(&pairs, rules[i].pattern, name))
            return rules[i].class;
    return KERNEL_OTHER;
}

bool kernel_class_is_product(enum kernel_class class) {
    return class == KERNEL_GEMM || class == KERNEL_CONVOLUTION || class == KERNEL_ATTENTION;
}

/*
 * Names of CUTLASS and of what is built with it say "tensorop" or "wmma", the shape of the
 * instruction (s16816: 16 x 8 x 16, summed in single precision) and the type of its operands, which
 * is left out for TF32; cuBLAS says s884, s1688, s16816 with it, or h for half precision
 * throughout, and "xmma" with the types of A, B, C, "nvjet" with those of A, the sum and C;
 * FlashAttention knows half precision alone. "sgemm" and "scudnn" are the single precision of the
 * plain units.
 */
static const struct {
    const char *pattern;
    enum kernel_unit unit;
} units[] = {
    {"*winograd*", KERNEL_UNIT_UNKNOWN},
    {"*tf32*", KERNEL_TENSOR_TF32},
    {"*bf16*", KERNEL_TENSOR_FP16},
    {"*bfloat16*", KERNEL_TENSOR_FP16},
    {"*half_t*", KERNEL_TENSOR_FP16},
    {"*_fp16_s*", KERNEL_TENSOR_FP16},
    {"*tensorop_f16*", KERNEL_TENSOR_FP16},
    {"*xmma*f16f16_f*", KERNEL_TENSOR_FP16},
    {"*nvjet*_hsh_*", KERNEL_TENSOR_FP16},
    {"*wgmma_f16*", KERNEL_TENSOR_FP16},
    {"*h884*", KERNEL_TENSOR_FP16},
    {"*h1688*", KERNEL_TENSOR_FP16},
    {"*h16816*", KERNEL_TENSOR_FP16},
    {"*flash_fwd*", KERNEL_TENSOR_FP16},
    {"*flash_bwd*", KERNEL_TENSOR_FP16},
    {"*tensorop_s1688*", KERNEL_TENSOR_TF32},
    {"*sgemm*", KERNEL_FP32},
    {"*scudnn*", KERNEL_FP32},
    {"*engine<float*", KERNEL_FP32},
    {"*xmma*f32f32_f32*", KERNEL_FP32},
};

enum kernel_unit kernel_unit_of(const char *name) {
    const struct letter_pairs pairs = pairs_of(name);
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (matches(&pairs, units[i].pattern, name))
            return units[i].unit;
    return KERNEL_UNIT_UNKNOWN;
}
