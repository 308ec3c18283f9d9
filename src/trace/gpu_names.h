/* What people and profilers call a GPU, and the preset that they mean. */
#ifndef GPU_NAMES_H
#define GPU_NAMES_H

#include "base/ct_types.h"

/* One preset. Its spellings are its name, its title and those of `also`. */
struct gpu_name {
    const char *name;                  /* canonical: "h100-pcie" */
    const char *title;                 /* "NVIDIA H100 PCIe 80 GB" */
    const char *const *also;           /* further spellings, NULL at the end; NULL: none */
    int compute_capability;            /* ten times major plus minor */
    double sms, memory_gib, dram_gb_s; /* as the keys of the preset; 0: not known */
};

struct gpu_name_list {
    const struct gpu_name *items;
    size_t count;
};

/* The presets that ship, as they were when the program was built. */
extern const struct gpu_name_list gpu_names_shipped;

/*
 * The preset that a text means, whatever its case, blanks, dashes and words of the vendor: every
 * word of the text occurs in the preset's spellings, and one of these occurs in the text as a
 * whole. Of several the one with the longest such spelling. NULL: none.
 *
 * `others` (may be NULL) gets the names of further presets that the text does not exclude,
 * "a, b", cut at its size; empty where the text is the preset's own name.
 */
const struct gpu_name *gpu_names_find(const struct gpu_name_list *list, const char *text,
                                      char *others, size_t size);

/* Whether a title is that of a GPU of AMD, which has no compute capability: what HIP calls so is
 * the number of the instruction set, 9.4 of gfx942. */
bool gpu_names_is_amd(const char *title);

/* The preset nearest to a misspelt name among those of its generation ("rtx30", "h"), or NULL:
 * another generation is no typing error. */
const char *gpu_names_closest(const struct gpu_name_list *list, const char *text);

#endif
