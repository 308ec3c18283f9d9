/* Which preset the tasks of a device are on. */
#include "base/ct_text.h"
#include "ingest/import_builder_internal.h"
#include "trace/gpu_names.h"

#include <string.h>

static const struct import_gpu *recorded_gpu(const struct import_builder *builder, int device) {
    const struct import_device *known = import_device_of(builder, device);
    return known && known->gpu.title ? &known->gpu : NULL;
}

/* "NVIDIA L4" is "nvidia-l4": a name that a file for it may have. */
static const char *gpu_named_after(struct import_builder *builder, const char *title) {
    char name[100];
    size_t used = 0;
    for (const char *c = title; *c && used + 2 < sizeof name; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        bool capital = *c >= 'A' && *c <= 'Z';
        if (plain || capital)
            name[used++] = (char)(capital ? *c - 'A' + 'a' : *c);
        else if (used && name[used - 1] != '-')
            name[used++] = '-';
    }
    name[used] = '\0';
    uint32_t number = ct_intern_text(&builder->names, used ? name : "unknown");
    ct_warning(builder->diags, import_place(builder),
               "no preset is known for the recorded GPU '%s': the trace names it '%s'", title,
               used ? name : "unknown");
    return number == UINT32_MAX ? NULL : ct_intern_get(&builder->names, number);
}

/* ---- what was recorded of the GPU, beside its preset ---- */

/* Adds a number that was recorded, unless it is between two parts of the preset's, or either is
 * not known. */
static void add_difference(char *list, size_t size, const char *what, double recorded,
                           double preset, double least, double most) {
    bool known = recorded > 0 && preset > 0;
    if (known && (recorded < least * preset || recorded > most * preset))
        ct_text_add(list, size, "; ", "%s %.4g, not %.4g", what, recorded, preset);
}

/*
 * What differs, empty: nothing. A driver keeps some of the memory for itself, and with ECC GDDR has
 * 15/16 of it: what programs see is 0.91 to 1 of what the data sheet says. Its bandwidth is the
 * product of width and clock, which data sheets round.
 */
static void find_differences(const struct import_gpu *recorded, const struct gpu_name *preset,
                             char *list, size_t size) {
    *list = '\0';
    add_difference(list, size, "SMs", recorded->sms, preset->sms, 1, 1);
    add_difference(list, size, "compute capability", recorded->compute_capability / 10,
                   preset->compute_capability / 10.0, 1, 1);
    add_difference(list, size, "memory in GiB", recorded->memory_gib, preset->memory_gib, 0.9,
                   1.01);
    add_difference(list, size, "bandwidth in GB/s", recorded->dram_gb_s, preset->dram_gb_s, 0.95,
                   1.05);
}

/* Whether the recorded GPU is the preset's as far as both say. If not, the one that the options
 * name for an unknown GPU is right; without it, or where the user has given the preset, a warning.
 */
static bool is_preset(struct import_builder *builder, const struct import_gpu *recorded,
                      const struct gpu_name *preset) {
    const struct import_options *o = &builder->options;
    char list[200];
    find_differences(recorded, preset, list, sizeof list);
    if (*list && (o->gpu || !o->unknown_gpu))
        ct_warning(builder->diags, import_place(builder),
                   "the recorded GPU '%s' is not the preset '%s': %s; the trace is on the preset "
                   "nevertheless%s",
                   recorded->title, preset->name, list,
                   o->keep_unknown_gpu ? ""
                   : o->gpu            ? " ('--gpu-file' instead of '--gpu' makes one of what was "
                                         "recorded)"
                                       : " ('--gpu-file' makes one of what was recorded)");
    return !*list;
}

/* ---- which preset ---- */

static const struct gpu_name *gpu_of_title(struct import_builder *builder, const char *title) {
    char others[200];
    const struct gpu_name *gpu =
        gpu_names_find(builder->options.gpus, title, others, sizeof others);
    if (gpu && *others)
        ct_notice(builder->diags, import_place(builder),
                  "the recorded GPU '%s' is taken for '%s'; it could also mean: %s", title,
                  gpu->name, others);
    return gpu;
}

/* The user has given it, whatever the recording says. */
static void check_given(struct import_builder *builder, const struct import_gpu *recorded) {
    const char *given = builder->options.gpu;
    char others[200];
    const struct gpu_name *preset = gpu_names_find(builder->options.gpus, given, NULL, 0);
    const struct gpu_name *named =
        gpu_names_find(builder->options.gpus, recorded->title, others, sizeof others);
    bool alike = !preset || is_preset(builder, recorded, preset);
    if (alike && named && !*others && strcmp(named->name, given) != 0)
        ct_notice(builder->diags, import_place(builder),
                  "the recorded GPU '%s' is the preset '%s'; the trace is on '%s', as '--gpu' says",
                  recorded->title, named->name, given);
}

static const char *gpu_recorded(struct import_builder *builder, const struct import_gpu *recorded) {
    const struct import_options *o = &builder->options;
    const struct gpu_name *preset = gpu_of_title(builder, recorded->title);
    if (preset && (is_preset(builder, recorded, preset) || !o->unknown_gpu))
        return preset->name;
    if (o->unknown_gpu)
        builder->unknown_gpu = recorded;
    else if (!o->keep_unknown_gpu)
        ct_error(builder->diags, import_place(builder),
                 "no preset is known for the recorded GPU '%s': name one with '--gpu', or make one "
                 "with '--gpu-file'",
                 recorded->title);
    else
        return gpu_named_after(builder, recorded->title);
    return o->unknown_gpu;
}

const char *import_preset_of(struct import_builder *builder, int device) {
    const struct import_gpu *recorded = recorded_gpu(builder, device);
    if (builder->options.gpu && recorded)
        check_given(builder, recorded);
    if (builder->options.gpu)
        return builder->options.gpu;
    if (recorded)
        return gpu_recorded(builder, recorded);
    if (builder->options.keep_unknown_gpu)
        return gpu_named_after(builder, "");
    return ct_null_error(builder->diags, import_place(builder),
                         "the recording does not name its GPU: name it with '--gpu'");
}

/* Compute capability 9.0 and later: CUDA C++ programming guide. */
bool import_preset_programmatic(const struct import_builder *builder, int device,
                                const char *preset) {
    const struct gpu_name *gpu = gpu_names_find(builder->options.gpus, preset, NULL, 0);
    const struct import_gpu *recorded = recorded_gpu(builder, device);
    return (gpu && gpu->compute_capability >= 90) ||
           (recorded && recorded->compute_capability >= 90);
}
