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

#endif
