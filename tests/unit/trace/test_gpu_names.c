/* What people and profilers call a GPU, and the preset that is found; what is never suggested. */
#include "cmocka_complete.h"
#include "trace/gpu_names.h"

#include <string.h>

static const char *found(const char *text) {
    const struct gpu_name *gpu = gpu_names_find(&gpu_names_shipped, text, NULL, 0);
    return gpu ? gpu->name : NULL;
}

TEST(every_spelling_is_found) {
    static const char *const spellings[][2] = {
        {"h100", "h100"},
        {"H100", "h100"},
        {"NVIDIA H100", "h100"},
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"h100-sxm5-80gb", "h100"},
        {"NVIDIA H100 Tensor Core GPU", "h100"},
        {"NVIDIA H100 PCIe", "h100-pcie"},
        {"H100_PCIE", "h100-pcie"},
        {"h100 80 gb hbm2e", "h100-pcie"},
        {"NVIDIA H100 NVL", "h100-nvl"},
        {"H100NVL", "h100-nvl"},
        {"NVIDIA H200", "h200"},
        {"NVIDIA GH200 480GB", "gh200"},
        {"NVIDIA GH200 120GB", "gh200"},
        {"a100", "a100"},
        {"A100", "a100"},
        {"A100 40GB", "a100"},
        {"NVIDIA A100-SXM4-40GB", "a100"},
        {"NVIDIA A100-PCIE-40GB", "a100"},
        {"NVIDIA A100-PG509-200", "a100"},
        {"a100-sxm4-80gb", "a100-80gb"},
        {"NVIDIA A100-SXM4-80GB", "a100-80gb"},
        {"A100 80GB", "a100-80gb"},
        {"A100 80 GB", "a100-80gb"},
        {"A100-80G", "a100-80gb"},
        {"NVIDIA A100 80GB PCIe", "a100-80gb-pcie"},
        {"NVIDIA A10", "a10"},
        {"A10G", "a10g"},
        {"NVIDIA A10G", "a10g"},
        {"NVIDIA A30", "a30"},
        {"NVIDIA A40", "a40"},
        {"A40-48GB", "a40"},
        {"Tesla T4", "t4"},
        {"NVIDIA T4", "t4"},
        {"Tesla P100-SXM2-16GB", "p100"},
        {"P100", "p100"},
        {"Tesla P100-PCIE-16GB", "p100-pcie"},
        {"NVIDIA Tesla P100 PCIe 16 GB", "p100-pcie"},
        {"p100 pcie", "p100-pcie"},
        {"P100PCIe", "p100-pcie"},
        {"P100-PCI-E-16GB", "p100-pcie"},
        {"Tesla P100-PCIE-12GB", "p100-pcie-12gb"},
        {"P100 12 GB", "p100-pcie-12gb"},
        {"Tesla V100-SXM2-16GB", "v100"},
        {"Tesla V100-PCIE-32GB", "v100"},
        {"Tesla K40c", "k40"},
        {"NVIDIA L4", "l4"},
        {"NVIDIA L40S", "l40s"},
        {"l40-s", "l40s"},
        {"NVIDIA GeForce RTX 3060", "rtx3060"},
        {"RTX 3080", "rtx3080"},
        {"nvidia geforce rtx 3090", "rtx3090"},
        {"GeForce-RTX-4090", "rtx4090"},
        {"NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"},
        {"rtx2080TI", "rtx2080ti"},
        {"GeForce GTX 1080 Ti (0)", "gtx1080ti"},
        {"NVIDIA B200", "b200"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"},
        {"RTX PRO 6000", "rtxpro6000"},
        {"RTXPRO6000", "rtxpro6000"},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtxpro6000-workstation"},
        {"Orin", "orin"},
        {"Jetson AGX Orin", "orin"},
        {"AMD Instinct MI250X", "mi250x"},
        {"AMD Instinct MI300X", "mi300x"},
        {"MI-300X", "mi300x"},
        {"HSM HBM", "hsm-hbm"},
        {"C-QoS", "cqos"},
    };
    assert_true(CT_COUNT_OF(spellings) >= 40);
    for (size_t i = 0; i < CT_COUNT_OF(spellings); i++) {
        const char *name = found(spellings[i][0]);
        if (!name || strcmp(name, spellings[i][1]) != 0)
            fail_msg("'%s' is '%s' instead of '%s'", spellings[i][0], name ? name : "none",
                     spellings[i][1]);
    }
}

/* Near in name, and another GPU: other SMs, another memory, a part of one. */
TEST(other_gpus_are_not_taken) {
    static const char *const others[] = {"",
                                         "NVIDIA",
                                         "GPU",
                                         "RTX",
                                         "NVIDIA GeForce RTX 3060 Ti",
                                         "NVIDIA GeForce RTX 3080 Ti",
                                         "RTX 3080 12GB",
                                         "NVIDIA GeForce RTX 3060 Laptop GPU",
                                         "NVIDIA GeForce RTX 4090 D",
                                         "NVIDIA GeForce RTX 4080 SUPER",
                                         "GTX 1080",
                                         "RTX 2080",
                                         "NVIDIA L40",
                                         "A100X",
                                         "A10M",
                                         "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
                                         "NVIDIA GH200 144G HBM3e",
                                         "GB200",
                                         "H800",
                                         "H20",
                                         "NVIDIA H200 NVL",
                                         "V100S-PCIE-32GB",
                                         "Tesla P100-PCIE-24GB",
                                         "MI300A",
                                         "MI250",
                                         "MI325X",
                                         "Orin Nano",
                                         "RTX 6000 Ada Generation",
                                         "RTX A6000",
                                         "K80",
                                         "T40",
                                         "100",
                                         "80GB",
                                         "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"};
    for (size_t i = 0; i < CT_COUNT_OF(others); i++)
        if (found(others[i]))
            fail_msg("'%s' is taken for '%s'", others[i], found(others[i]));
}

TEST(what_else_it_could_mean_is_said) {
    char others[64], cut[8];
    assert_string_equal(gpu_names_find(&gpu_names_shipped, "A100", others, sizeof others)->name,
                        "a100");
    assert_string_equal(others, "a100-80gb, a100-80gb-pcie");
    gpu_names_find(&gpu_names_shipped, "A100", cut, sizeof cut);
    assert_string_equal(cut, "a100-80");
    gpu_names_find(&gpu_names_shipped, "a100", others, sizeof others);
    assert_string_equal(others, "");
    gpu_names_find(&gpu_names_shipped, "NVIDIA H100 80GB HBM3", others, sizeof others);
    assert_string_equal(others, "");
}

/* A preset's own name and title mean it. */
TEST(presets_find_themselves) {
    for (size_t i = 0; i < gpu_names_shipped.count; i++) {
        const struct gpu_name *gpu = &gpu_names_shipped.items[i];
        assert_string_equal(found(gpu->name), gpu->name);
        if (!found(gpu->title) || strcmp(found(gpu->title), gpu->name) != 0)
            fail_msg("'%s' is not '%s'", gpu->title, gpu->name);
        for (size_t k = 0; gpu->also[k]; k++)
            if (!found(gpu->also[k]) || strcmp(found(gpu->also[k]), gpu->name) != 0)
                fail_msg("'%s' is not '%s'", gpu->also[k], gpu->name);
    }
}

static void check_suggestion(const char *text, const char *wanted) {
    const char *closest = gpu_names_closest(&gpu_names_shipped, text);
    if ((closest == NULL) != (wanted == NULL) || (closest && strcmp(closest, wanted) != 0))
        fail_msg("'%s' suggests '%s' instead of '%s'", text, closest ? closest : "none",
                 wanted ? wanted : "none");
}

TEST(suggestions_keep_the_generation) {
    check_suggestion("h1000", "h100");
    check_suggestion("v10", "v100");
    check_suggestion("k4", "k40");
    check_suggestion("gtx1080", "gtx1080ti");
    check_suggestion("RTX 3070", "rtx3060");
    check_suggestion("rxt4090", "rtx4090");
    check_suggestion("mi300", "mi300x");
    check_suggestion("AMD Instinct MI325X", "mi300x");
    check_suggestion("AMD Instinct MI350X", NULL);
    check_suggestion("NVIDIA L40", "l40s");
    check_suggestion("NVIDIA H200 NVL", "h200");
    check_suggestion("orni", "orin");
    check_suggestion("rtx5090", NULL);
    check_suggestion("RTX 5080", NULL);
    check_suggestion("rtx6000", NULL);
    check_suggestion("RTX A6000", NULL);
    check_suggestion("gb200", NULL);
    check_suggestion("m100", NULL);
    check_suggestion("mi100", NULL);
    check_suggestion("", NULL);
    check_suggestion(
        "a name so long that no table of a comparison has room for all of it, whatever", NULL);
}
