/* Copies between host and GPU, for the device. */
#ifndef MEASURE_COPIES_H
#define MEASURE_COPIES_H

#include "measure.h"

#include <cuda_runtime.h>

enum { MEASURE_COPY_THREADS_MOST = 16 };

/* Memory for as many copies as there are threads at most. */
struct measure_copy_ends {
    char *pinned, *pageable, *copied; /* host, host, GPU */
};

/* The host's clock in seconds. */
double measure_host_s(void);

/* All copies of the set at once, as measure_device_copy; the first error of any. */
cudaError_t measure_copies(const struct measure_copy *copy, const struct measure_copy_ends *ends,
                           double *seconds);

#endif
