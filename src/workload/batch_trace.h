/*
 * Recordings of an application by batch size as one recording, whose jobs are the batches: so that
 * plans, profiles and provenance are made of it as of any other. A size without a recording gets
 * the tasks of the nearest one that has one, with times and bytes by a law fitted to all.
 */
#ifndef BATCH_TRACE_H
#define BATCH_TRACE_H

#include "trace/trace.h"
#include "workload/workload.h"

/* What grows with the size of a batch. */
enum batch_grown { BATCH_KERNEL_PS, BATCH_BYTES_IN, BATCH_BYTES_OUT, BATCH_GROWN_COUNT };

/* Batches of one size as they were recorded. */
struct batch_part {
    uint32_t size;
    const struct trace_app *trace;
    uint32_t job;                   /* TRACE_NONE: all of the trace */
    double mean[BATCH_GROWN_COUNT]; /* over its jobs */
};

/* `job` TRACE_NONE: all of the trace. */
struct batch_part batch_part_of(uint32_t size, const struct trace_app *trace, uint32_t job);

/*
 * The recording of batches of 1 to `most` requests, which belongs to the set and takes texts from
 * the parts; `jobs` (of `most`) gets which of its jobs are of which size. Parts come in the order
 * of their sizes, at least one, two where a size up to `most` has none. NULL: memory ran out.
 */
const struct trace_app *batch_trace_make(struct trace_set *set, const char *name,
                                         const struct batch_part *parts, size_t count,
                                         uint32_t most, struct workload_batch_jobs *jobs);

/*
 * The head of a recording of such parts, which belongs to the set, with the kernels and library
 * calls of all, and no jobs. NULL: memory ran out.
 */
struct batch_trace_offsets {
    uint32_t kernels, calls; /* of a part, in it */
};
struct trace_app *batch_trace_begin(struct trace_set *set, const char *name,
                                    const struct batch_part *parts, size_t count,
                                    struct batch_trace_offsets *offsets);
/* The jobs of a part behind those that are there; what it has besides is grown by these factors
 * (NULL: as it was recorded) and assumed. The name belongs to the set. False: memory ran out. */
bool batch_trace_add(struct trace_app *whole, const struct batch_part *part,
                     struct batch_trace_offsets offsets, const double *factor, const char *name);
uint32_t batch_part_jobs(const struct batch_part *part);

/*
 * What the law says of size `size`, of values at some sizes (rising; of one alone it is that of
 * all). A kernel takes
 * the larger of what its memory traffic and its arithmetic take, and both grow in straight lines
 * with the batch (the roofline of Williams, Waterman and Patterson, CACM 52, 2009); of a sum of
 * such kernels lines through neighbours on one side are lower bounds between two sizes, the chord
 * is an upper one. Where there are two sizes on either side the law is the larger of the two lines,
 * at most the chord and no less than the smaller value of its two neighbours (decision 0087); else
 * the chord; outside the sizes the line of the end, below the least size not less than in
 * proportion to it, beyond the last not less than there.
 */
double batch_trace_law(const double *sizes, const double *values, size_t count, double size);

/* Largest relative error of the kernel time of a recorded size, neither the least nor the largest,
 * that the law tells from the others. NAN: there is none. */
double batch_trace_error(const struct batch_part *parts, size_t count);

/* Tasks that the recording would have. */
double batch_trace_tasks(const struct batch_part *parts, size_t count, uint32_t most);

#endif
