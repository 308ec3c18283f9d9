/* Every shipped preset: reads, has each key, passes gpu_check, and says for each number where it
 * comes from. */
#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "cmocka_complete.h"
#include "models/device/dram.h"
#include "models/device/gpu.h"
#include "policies/hsm_model.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#define FOLDER COTENANT_SOURCE_DIR "/src/models/gpus"
#define PRESETS_MOST 64

struct preset {
    char file[64];
    json_t *json;
    struct ct_arena arena;
    struct gpu gpu;
};

struct presets {
    struct preset items[PRESETS_MOST];
    size_t count;
};

static void print_value(const json_t *value, char *text, size_t size) {
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else
        ct_text_double(text, size, json_real_value(value));
}

static void read_preset(struct preset *preset, const char *file) {
    char path[512];
    snprintf(preset->file, sizeof preset->file, "%s", file);
    snprintf(path, sizeof path, FOLDER "/%s", file);
    json_error_t error;
    preset->json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!preset->json)
        fail_msg("%s: %s", path, error.text);
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const char *key;
    json_t *value;
    json_object_foreach(preset->json, key, value) {
        char text[256];
        if (!strcmp(key, "also") || !strcmp(key, "sources") || !strcmp(key, "assumed"))
            continue;
        print_value(value, text, sizeof text);
        ct_option_set(gpu_options, key, text, &preset->gpu, &preset->arena, file, &diags);
    }
    if (diags.errors)
        fail_msg("%s: %s", file, diags.items[0].text);
}

static int read_all(void **state) {
    static struct presets presets;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".json") != 0)
            continue;
        assert_true(presets.count < PRESETS_MOST);
        read_preset(&presets.items[presets.count++], entry->d_name);
    }
    closedir(folder);
    *state = &presets;
    return 0;
}

static int free_all(void **state) {
    struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        json_decref(presets->items[i].json);
        ct_arena_free(&presets->items[i].arena);
    }
    return 0;
}

static const struct gpu *preset_named(const struct presets *presets, const char *name) {
    for (size_t i = 0; i < presets->count; i++)
        if (!strcmp(presets->items[i].gpu.name, name))
            return &presets->items[i].gpu;
    fail_msg("no preset '%s'", name);
    return NULL;
}

TEST(all_are_there) {
    static const char *const names[] = {"k40",
                                        "rtx2080ti",
                                        "gtx1080ti",
                                        "hsm-hbm",
                                        "v100",
                                        "hsm-gddr5",
                                        "cqos",
                                        "a100",
                                        "h100",
                                        "h200",
                                        "rtx3060",
                                        "rtx3080",
                                        "t4",
                                        "p100",
                                        "p100-pcie",
                                        "p100-pcie-12gb",
                                        "a10",
                                        "a10g",
                                        "a30",
                                        "a40",
                                        "a100-80gb",
                                        "a100-80gb-pcie",
                                        "l4",
                                        "l40s",
                                        "rtx3090",
                                        "rtx4090",
                                        "h100-pcie",
                                        "h100-nvl",
                                        "gh200",
                                        "b200",
                                        "orin",
                                        "rtxpro6000",
                                        "mi250x",
                                        "mi300x",
                                        "rtxpro6000-workstation"};
    for (size_t i = 0; i < CT_COUNT_OF(names); i++)
        preset_named(*state, names[i]);
}

TEST(names_are_file_names) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        char file[80];
        snprintf(file, sizeof file, "%s.json", presets->items[i].gpu.name);
        assert_string_equal(file, presets->items[i].file);
    }
}

/* A range of the memory is given where its size is unknown, and only there. */
static bool is_memory_range(const char *name) {
    return !strncmp(name, "memory_gib_", strlen("memory_gib_"));
}

TEST(memory_is_a_size_or_a_range) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        const struct preset *preset = &presets->items[i];
        for (const struct ct_option *option = gpu_options; option->name; option++)
            if (is_memory_range(option->name) && preset->gpu.memory_gib > 0 &&
                json_object_get(preset->json, option->name))
                fail_msg("%s: '%s' beside 'memory_gib'", preset->file, option->name);
    }
}

TEST(every_key_is_given) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++)
        for (const struct ct_option *option = gpu_options; option->name; option++)
            /* A file that stands in for numbers is a user's own. */
            if (!(option->kind == CT_OPTION_STRING && option->standard) &&
                !is_memory_range(option->name) &&
                !json_object_get(presets->items[i].json, option->name))
                fail_msg("%s lacks '%s'", presets->items[i].file, option->name);
}

static bool listed(const json_t *array, const char *key) {
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value) if (!strcmp(json_string_value(value), key)) return true;
    return false;
}

TEST(every_number_has_a_source_or_is_assumed) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        const struct preset *preset = &presets->items[i];
        const json_t *sources = json_object_get(preset->json, "sources");
        const json_t *assumed = json_object_get(preset->json, "assumed");
        for (const struct ct_option *option = gpu_options; option->name; option++) {
            if (option->kind == CT_OPTION_STRING ||
                (is_memory_range(option->name) && !json_object_get(preset->json, option->name)))
                continue;
            const char *source = json_string_value(json_object_get(sources, option->name));
            if ((!source || !*source) && !listed(assumed, option->name))
                fail_msg("%s: '%s' has no source and is not assumed", preset->file, option->name);
        }
    }
}

/* A source or a mark of a key that does not exist is a slip of the pen. */
TEST(sources_and_marks_name_keys) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(presets->items[i].json, "sources"), key, value)
            assert_non_null(ct_option_find(gpu_options, key));
        size_t n;
        json_array_foreach(json_object_get(presets->items[i].json, "assumed"), n, value)
            assert_non_null(ct_option_find(gpu_options, json_string_value(value)));
    }
}

TEST(all_are_consistent) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        if (gpu_check(&presets->items[i].gpu, presets->items[i].file, &diags) != CT_OK)
            fail_msg("%s: %s", presets->items[i].file, diags.items[0].text);
    }
}

/* Numbers that the papers and the fits print. */
TEST(published_numbers) {
    const struct gpu *k40 = preset_named(*state, "k40"), *hsm = preset_named(*state, "hsm-hbm");
    assert_true(k40->pcie_mb_s == 12160 && k40->pcie_pageable_mb_s == 3150);
    assert_true(k40->pcie_pinned_mb_s == 11883);
    assert_true(hsm->sms == 80 && hsm->dram_gb_s == 900 && hsm->clock_mhz == 1400);
    assert_true(hsm->dram_line_slope == 0.5 && hsm->dram_line_base == 0.36);
    const struct gpu *cqos = preset_named(*state, "cqos"), *v100 = preset_named(*state, "v100");
    assert_true(cqos->sms == 16 && cqos->threads_per_sm == 3072 && cqos->blocks_per_sm == 16);
    assert_true(cqos->copy_engines == GPU_COPY_SINGLE && cqos->pcie_mb_s == 16000);
    assert_true(v100->contention_k0 == 0.057 && v100->contention_k == 0.028);
    assert_true(v100->launch_delay_us == 4);
    const struct gpu *p100 = preset_named(*state, "p100");
    assert_true(hsm->warp_schedulers == 2 && p100->warp_schedulers == 2);
    assert_true(cqos->warp_schedulers == 4 && v100->warp_schedulers == 4);
}

/* One line for an architecture (HSM section 2.3.2), which is the preset's memory: least squares
 * over kernels that fill it alone, row hits 0 to 0.81. */
TEST(hsm_learnt_the_memory) {
    const struct presets *presets = *state;
    for (size_t i = 0; i < presets->count; i++) {
        const struct gpu *gpu = &presets->items[i].gpu;
        struct dram dram = dram_line(gpu);
        double hits[82], use[82];
        struct hsm_line line;
        for (int k = 0; k < 82; k++) {
            hits[k] = k / 100.0;
            use[k] = dram_utilisation(&dram, hits[k]);
        }
        assert_true(hsm_line_fit(hits, use, 82, &line));
        assert_true(fabs(line.slope - gpu->hsm_c1) < 1e-9 && fabs(line.base - gpu->hsm_c2) < 1e-9);
    }
}

/* A memory's own curve is of that memory: the pins of its timing carry what the GPU's do. */
TEST(curves_are_of_the_same_pins) {
    const struct presets *presets = *state;
    size_t own = 0;
    for (size_t i = 0; i < presets->count; i++) {
        const struct gpu *gpu = &presets->items[i].gpu;
        char path[512], name[64];
        json_error_t error;
        if (!gpu->dram_fit)
            continue;
        snprintf(path, sizeof path, COTENANT_SOURCE_DIR "/traces/%s", gpu->dram_fit);
        json_t *fit = json_load_file(path, 0, &error);
        assert_non_null(fit);
        snprintf(name, sizeof name, "dram/%s.json",
                 json_string_value(json_object_get(fit, "preset")));
        assert_string_equal(name, gpu->dram_fit);
        double peak = json_number_value(json_object_get(fit, "peak_gb_s"));
        assert_true(fabs(peak / gpu->dram_gb_s - 1) < 0.005);
        json_decref(fit);
        own++;
    }
    assert_int_equal(own, 6);
}

static struct gpu sane(void) {
    return (struct gpu){.threads_per_sm = 2048,
                        .smem_per_sm_bytes = 98304,
                        .smem_per_block_bytes = 49152,
                        .dram_line_slope = 0.5,
                        .dram_line_base = 0.36,
                        .pcie_mb_s = 12160,
                        .pcie_pinned_mb_s = 11883,
                        .pcie_pageable_mb_s = 3150};
}

static void refused(struct gpu gpu, size_t errors, const char *subject) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(gpu_check(&gpu, "my.json", &diags), CT_USAGE);
    assert_int_equal(diags.errors, errors);
    assert_string_equal(diags.items[0].where, "my.json");
    assert_non_null(strstr(diags.items[0].text, subject));
}

TEST(contradictions_are_refused) {
    struct ct_diags diags = {0};
    struct gpu gpu = sane();
    assert_int_equal(gpu_check(&gpu, "my.json", &diags), CT_OK);
    assert_int_equal(diags.count, 0);
    gpu.pcie_pageable_mb_s = 12000;
    refused(gpu, 1, "'pcie_pageable_mb_s' (12000) is above 'pcie_pinned_mb_s' (11883)");
    gpu.pcie_pinned_mb_s = 12161;
    refused(gpu, 1, "'pcie_pinned_mb_s' (12161)");
    gpu = sane();
    gpu.smem_per_block_bytes = 98305;
    refused(gpu, 1, "'smem_per_block_bytes' (98305)");
    gpu = sane();
    gpu.dram_line_slope = 0.7;
    refused(gpu, 1, "'dram_line_slope' (0.7)");
    gpu.threads_per_sm = 1000; /* all mistakes, not the first only */
    refused(gpu, 2, "'threads_per_sm' (1000)");
}

/* What has no default must be given; what has one is neutral or said to be assumed. */
TEST(defaults_are_neutral) {
    struct gpu gpu = {0};
    ct_options_default(gpu_options, &gpu);
    assert_true(gpu.contention_k0 == 0.0 && gpu.contention_k == 0.0 && gpu.launch_delay_us == 0.0);
    assert_int_equal(gpu.copy_engines, GPU_COPY_DUPLEX);
    assert_true(gpu.staging_kb == 512.0);
    assert_int_equal(gpu.sms, 0);
}

TEST_GROUP(read_all, free_all)
