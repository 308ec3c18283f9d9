/* What a GPU can be cut into by MIG: profiles of its instances, from the `mig` key of a preset. */
#ifndef GPU_SLICES_H
#define GPU_SLICES_H

#include "base/ct_diag.h"

#define GPU_SLICES_MOST 16

/* One profile. The largest of all is the whole GPU: as many slices as there are. */
struct gpu_slice {
    char name[16];           /* "3g.40gb" */
    int64_t compute, memory; /* slices */
    int64_t sms;
};

/*
 * Reads the profiles of a GPU with `sms` SMs from its key `mig`, "NAME:SMS:MEMORY ...": names begin
 * with their compute slices, MEMORY is in slices of which the last and largest profile has all.
 * Returns how many; 0: none, the GPU has no MIG (`mig` empty or NULL). What is wrong is one error
 * at `where`, and 0 is returned.
 */
size_t gpu_slices(const char *mig, int64_t sms, const char *where, struct gpu_slice *slices,
                  struct ct_diags *diags);

/*
 * The memory slices at which an instance of the profile may begin, a bit each; it then takes the
 * profile's memory slices from there. It begins at a multiple of its memory slices, and its compute
 * slices, of which each but those that the GPU lacks lies beside one of memory, end with the GPU's:
 * which is the table of the MIG User Guide (`nvidia-smi mig -lgipp`) for every GPU that has MIG. 0
 * for a GPU of more than GPU_SLICES_MOST memory slices.
 */
uint32_t gpu_slice_starts(const struct gpu_slice *profile, const struct gpu_slice *whole);

/* The profile of a name as the GPU lists it, or of what stands before its dot ("3g"): the first of
 * several. `count` where there is none. */
size_t gpu_slice_find(const struct gpu_slice *slices, size_t count, const char *name,
                      size_t length);

#endif
