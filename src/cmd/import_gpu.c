#include "cmd/import_kinds.h"

#include "base/ct_text.h"
#include "format/json_writer.h"
#include "format/output_file.h"
#include "models/device/gpu.h"
#include "workload/setup.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The keys that a preset must give, and the GPU's memory: of the hardware, not of a model. */
static const struct fact {
    const char *key;
    size_t recorded, preset;
    bool whole;
} facts[] = {
#define FACT(key, whole)                                                                           \
    { #key, offsetof(struct import_gpu, key), offsetof(struct gpu, key), whole }
#define UNRECORDED(key)                                                                            \
    { #key, SIZE_MAX, offsetof(struct gpu, key), false }
    FACT(sms, true),
    FACT(threads_per_sm, true),
    FACT(blocks_per_sm, true),
    FACT(registers_per_sm, true),
    FACT(smem_per_sm_bytes, true),
    FACT(smem_per_block_bytes, true),
    FACT(compute_capability, true),
    FACT(clock_mhz, false),
    FACT(dram_gb_s, false),
    FACT(memory_gib, false),
    UNRECORDED(fp32_per_clock),
    UNRECORDED(fp64_per_clock),
    UNRECORDED(pcie_mb_s),
    UNRECORDED(pcie_pageable_mb_s),
    UNRECORDED(pcie_pinned_mb_s)};

const char *import_gpu_name(const char *path, struct ct_arena *arena, struct ct_diags *diags) {
    const char *name = ct_text_file_name(path);
    size_t length = strlen(name), ending = strlen(".json");
    if (length <= ending || strcmp(name + length - ending, ".json") != 0)
        return ct_null_error(diags, path, "is to be a preset, which is called NAME.json");
    const char *copy = ct_arena_strndup(arena, name, length - ending);
    if (!copy)
        ct_out_of_memory(diags);
    return copy;
}

static double recorded_value(const struct import_gpu *gpu, const struct fact *fact) {
    double value = 0;
    if (fact->recorded != SIZE_MAX)
        memcpy(&value, (const char *)gpu + fact->recorded, sizeof value);
    return value;
}

static double preset_value(const struct gpu *gpu, const struct fact *fact) {
    double value;
    int64_t whole;
    memcpy(&value, (const char *)gpu + fact->preset, sizeof value);
    memcpy(&whole, (const char *)gpu + fact->preset, sizeof whole);
    return fact->whole ? (double)whole : value;
}

/* How far a preset is from what was recorded, where it was: its compute capability first, then its
 * SMs, and of equals, which may have other links and memories, its capacity. */
static double distance(const struct import_gpu *gpu, const struct gpu *preset) {
    double capability =
        gpu->compute_capability > 0 ? gpu->compute_capability : (double)preset->compute_capability;
    double memory = gpu->memory_gib > 0 ? fabs(preset->memory_gib - gpu->memory_gib) : 0;
    return 10000 * fabs((double)preset->compute_capability - capability) +
           fabs((double)preset->sms - gpu->sms) + memory / 10000;
}

/* The nearest preset of the same vendor: what another's GPU has says nothing of this one. */
static bool find_nearest(const struct import_gpu *gpu, const struct gpu_name_list *presets,
                         struct ct_arena *arena, struct gpu *nearest) {
    bool found = false, amd = gpu_names_is_amd(gpu->title);
    for (size_t i = 0; i < presets->count; i++) {
        if (gpu_names_is_amd(presets->items[i].title) != amd)
            continue;
        struct ct_diags unheard = {0};
        struct gpu preset;
        bool read = setup_gpu(presets->items[i].name, "", NULL, arena, &preset, &unheard) == CT_OK;
        ct_diags_free(&unheard);
        if (read && (!found || distance(gpu, &preset) < distance(gpu, nearest)))
            *nearest = preset;
        found = found || read;
    }
    return found;
}

static bool is_fact(const char *key) {
    for (size_t i = 0; i < CT_COUNT_OF(facts); i++)
        if (strcmp(facts[i].key, key) == 0)
            return true;
    return false;
}

static void write_sources(struct json_writer *json, const struct import_gpu *gpu,
                          const struct gpu *nearest) {
    char text[200];
    snprintf(text, sizeof text, "taken over from the preset %s", nearest->name);
    json_writer_begin_object(json, "sources");
    for (size_t i = 0; i < CT_COUNT_OF(facts); i++)
        json_writer_string(json, facts[i].key,
                           recorded_value(gpu, &facts[i]) > 0 ? "a recording" : text);
    json_writer_end_object(json);
    json_writer_begin_array(json, "assumed");
    for (size_t i = 0; i < CT_COUNT_OF(facts); i++)
        if (!(recorded_value(gpu, &facts[i]) > 0))
            json_writer_string(json, NULL, facts[i].key);
    for (const struct ct_option *o = gpu_options; o->name; o++)
        if (o->standard && o->kind != CT_OPTION_STRING && !is_fact(o->name))
            json_writer_string(json, NULL, o->name); /* a model's parameter: neutral */
    json_writer_end_array(json);
}

static void write_preset(FILE *out, const char *name, const struct import_gpu *gpu,
                         const struct gpu *nearest) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "name", name, "title", gpu->title);
    for (size_t i = 0; i < CT_COUNT_OF(facts); i++) {
        double value = recorded_value(gpu, &facts[i]);
        if (!(value > 0))
            value = preset_value(nearest, &facts[i]);
        if (facts[i].whole)
            json_writer_integer(&json, facts[i].key, (int64_t)value);
        else
            json_writer_double(&json, facts[i].key, value);
    }
    write_sources(&json, gpu, nearest);
    json_writer_end_object(&json);
    fputc('\n', out);
}

static void say_assumed(const char *path, const struct import_gpu *gpu, const struct gpu *nearest,
                        struct ct_diags *diags) {
    char list[400] = "";
    for (size_t i = 0; i < CT_COUNT_OF(facts); i++)
        if (!(recorded_value(gpu, &facts[i]) > 0))
            ct_text_add(list, sizeof list, ", ", "%s", facts[i].key);
    ct_notice(diags, path,
              "'%s' as recorded; assumed, from '%s': %s. It is found in the folder 'gpus' of "
              "COTENANT_SHARE",
              gpu->title, nearest->name, list);
}

/* Whether the numbers, those that are taken over among them, can be a preset's; else an error. */
static bool values_fit(const char *path, const struct import_gpu *gpu, const struct gpu *nearest,
                       struct ct_arena *arena, struct ct_diags *diags) {
    struct workload_settings recorded = {0};
    struct gpu preset;
    bool kept = true;
    for (size_t i = 0; i < CT_COUNT_OF(facts) && kept; i++) {
        char text[40];
        double value = recorded_value(gpu, &facts[i]);
        if (!(value > 0))
            continue;
        snprintf(text, sizeof text, "%.15g", value);
        struct workload_setting setting = {
            .key = facts[i].key, .value = ct_arena_strdup(arena, text), .where = path};
        kept = setting.value && ct_vec_push(&recorded, setting);
    }
    if (!kept)
        ct_out_of_memory(diags);
    kept = kept && setup_gpu(nearest->name, path, &recorded, arena, &preset, diags) == CT_OK;
    ct_vec_free(&recorded);
    return kept;
}

int import_gpu_write(const char *path, const char *name, const struct import_gpu *gpu,
                     const struct gpu_name_list *presets, struct ct_arena *arena,
                     struct ct_diags *diags) {
    struct output_file output;
    struct gpu nearest = {0};
    bool placed = gpu->compute_capability > 0 || gpu_names_is_amd(gpu->title);
    if (!(gpu->sms > 0) || !placed)
        return ct_data_error(
            diags, path,
            "the recording says neither SMs nor compute capability of '%s': write a preset by hand",
            gpu->title);
    if (!find_nearest(gpu, presets, arena, &nearest))
        return ct_data_error(diags, path,
                             "there is no preset to take over from what is not recorded");
    if (!values_fit(path, gpu, &nearest, arena, diags) || !output_file_open(&output, path, diags))
        return CT_DATA;
    write_preset(output.file, name, gpu, &nearest);
    int status = output_file_close(&output, CT_OK, diags);
    if (status == CT_OK)
        say_assumed(path, gpu, &nearest, diags);
    return status;
}
