#include "trace/kernel_class.h"

#include "base/ct_text.h"

#include <stdio.h>
#include <string.h>

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

/* False: the name has not all pairs of the part, which it then has not either. */
static bool has_pairs_of(const struct letter_pairs *pairs, const char *part, size_t length) {
    for (; length > 1; length--, part++)
        if (part[0] != '*' && part[1] != '*' &&
            !(pairs->has[pair_of(part) >> 6] >> (pair_of(part) & 63) & 1))
            return false;
    return true;
}

static bool matches(const struct letter_pairs *pairs, const char *part, size_t length,
                    const char *name) {
    char pattern[40];
    if (!has_pairs_of(pairs, part, length))
        return false;
    snprintf(pattern, sizeof pattern, "*%.*s*", (int)length, part);
    return ct_text_matches(pattern, name);
}

/* What names with one of these parts mean: patterns with blanks between them. */
struct rule {
    int means;
    const char *parts;
};

/* What a name means by the first part of a rule that it has. */
static int meaning_of(const char *name, const struct rule *rules, size_t count, int otherwise) {
    const struct letter_pairs pairs = pairs_of(name);
    size_t length;
    for (size_t i = 0; i < count; i++)
        for (const char *parts = rules[i].parts, *part; (part = ct_text_word(&parts, &length));)
            if (matches(&pairs, part, length, name))
                return rules[i].means;
    return otherwise;
}

/*
 * The first part that matches decides. Names of cuBLAS (gemm, on Hopper nvjet), cuDNN, CUTLASS
 * (xmma, dgrad; sdpa: scaled dot product attention), of PyTorch's native kernels and of its
 * compiler (triton_poi: pointwise, _red and _per: reductions), of FlashAttention (fmha), and plain
 * English words. What names two classes stands for the more special one: a layer's normalisation is
 * also a reduction. Of AMD's: Tensile, which rocBLAS and hipBLASLt launch, writes a product as the
 * indices of its matrices, Cijk_Ailk_Bljk, and what adds up the parts of a sum that was split among
 * blocks as PostGSU; the implicit products of MIOpen (igemm_fwd_gtc, _bwd, _wrw) are convolutions;
 * Composable Kernel calls attention gemm_softmax_gemm.
 */
static const struct rule class_rules[] = {
    {KERNEL_ATTENTION, "fmha flash attention attn sdpa gemm_softmax_gemm"},
    {KERNEL_COPY, "nchwtonhwc nhwctonchw convert"},
    {KERNEL_ELEMENTWISE, "cudnn::ops"},
    {KERNEL_SOFTMAX, "softmax"},
    {KERNEL_ELEMENTWISE, "distribution"},
    {KERNEL_NORMALISATION, "norm bn_fw bn_bw"},
    {KERNEL_REDUCTION, "pool"},
    {KERNEL_CONVOLUTION, "conv wgrad dgrad fprop winograd cudnn igemm_*_gtc"},
    {KERNEL_REDUCTION, "cijk_*_postgsu"},
    {KERNEL_GEMM, "gemm nvjet cutlass xmma matmul matrixmul syrk syr2k cijk_a*_b"},
    {KERNEL_REDUCTION, "gemv reduc scan scalarprod argmax argmin cumsum triton_red triton_per"},
    {KERNEL_COPY, "copy transpose permute catarray gather scatter index embedding memset fill"},
    {KERNEL_ELEMENTWISE, "elementwise pointwise triton_poi vectoradd axpy relu gelu sigmoid "
                         "dropout activation multi_tensor_apply"},
};

enum kernel_class kernel_class_of(const char *name) {
    return (enum kernel_class)meaning_of(name, class_rules, CT_COUNT_OF(class_rules), KERNEL_OTHER);
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
static const struct rule unit_rules[] = {
    {KERNEL_UNIT_UNKNOWN, "winograd"},
    {KERNEL_TENSOR_TF32, "tf32"},
    {KERNEL_TENSOR_FP16, "bf16 bfloat16 half_t _fp16_s tensorop_f16 xmma*f16f16_f nvjet*_hsh_ "
                         "wgmma_f16 h884 h1688 h16816 flash_fwd flash_bwd"},
    {KERNEL_TENSOR_TF32, "tensorop_s1688"},
    {KERNEL_FP32, "sgemm scudnn engine<float xmma*f32f32_f32"},
};

enum kernel_unit kernel_unit_of(const char *name) {
    return (enum kernel_unit)meaning_of(name, unit_rules, CT_COUNT_OF(unit_rules),
                                        KERNEL_UNIT_UNKNOWN);
}

const char *kernel_brief_name(const char *name) {
    static const char *const prefixes[] = {"void ", "at::native::", "(anonymous namespace)::"};
    bool found = true;
    while (found) {
        found = false;
        for (size_t i = 0; i < CT_COUNT_OF(prefixes); i++) {
            size_t length = strlen(prefixes[i]);
            if (strncmp(name, prefixes[i], length) != 0 || !name[length])
                continue;
            name += length;
            found = true;
        }
    }
    return name;
}
