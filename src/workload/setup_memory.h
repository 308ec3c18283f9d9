/* Whether applications that share a GPU fit into its memory together. */
#ifndef SETUP_MEMORY_H
#define SETUP_MEMORY_H

#include "models/device/gpu.h"
#include "workload/workload.h"

/* What one instance of an application takes of the GPU's memory, GiB: as its workload says, else as
 * its recording does; NAN: neither. */
double setup_memory_of(const struct workload_app *app);

/* What a GPU has, or may have at most where that is not known, GiB; NAN: neither is. What to say
 * before that number: "at most " or nothing. */
double setup_memory_most(const struct gpu *gpu);
const char *setup_memory_at_most(const struct gpu *gpu);

/* What is known of a GPU whose memory is not: "it is sold with 16 to 32". */
const char *setup_memory_range(const struct gpu *gpu, char *text, size_t size);

/* What an instance of MIG with so many of `all` slices of memory has, at most, GiB; NAN: not known.
 */
double setup_memory_slice(const struct gpu *gpu, int64_t slices, int64_t all);

/* An error with the sum when the instances whose memory is known need more than the GPU has, or may
 * have at most. CT_OK or CT_USAGE. */
int setup_memory_check(const struct workload *workload, const struct gpu *gpu,
                       struct ct_diags *diags);

/* Whether they need so much that a GPU whose memory is not known may not have it, in words. */
bool setup_memory_doubt(const struct workload *workload, const struct gpu *gpu, char *text,
                        size_t size);
/* setup_memory_doubt as a notice. */
void setup_memory_say_doubt(const struct workload *workload, const struct gpu *gpu,
                            struct ct_diags *diags);

/* A notice that names the applications whose memory is not known: they cannot be checked. */
void setup_memory_notice(const struct workload *workload, struct ct_diags *diags);

#endif
