/*
 * Applications to be recorded alone and measured side by side: jobs of kernels of known character,
 * with copies and a host that waits. A library, so that tools/measure/worker can host several in
 * one process, beside PyTorch; a stand-in for tests implements the same functions.
 */
#ifndef MEASURE_APPS_H
#define MEASURE_APPS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What makes a job the same in all processes: how long the kernels of each phase compute, and how
 * many SMs their blocks are counted by (a client of MPS with a part of the GPU sees only that). */
enum { APPS_PHASES = 2, APPS_SMS = APPS_PHASES, APPS_NUMBERS };

/*
 * Prepares an application: a stream and 512 MiB of its own. Of its numbers those that are 0 are not
 * known yet, and found: kernels then take the time that the application wants alone on the whole
 * GPU. NULL where the device failed (apps_why).
 */
struct apps_app;
struct apps_app *apps_open(const char *name, int64_t *numbers);

/* Runs jobs one after the other from begin_ns to end_ns of the monotonic clock, and stores when
 * each began and ended, `most` at most; with NULL only to warm up, without the range "job" around
 * each. Their number, -1 where the device failed. */
int apps_run(struct apps_app *app, int64_t begin_ns, int64_t end_ns, int64_t *starts_ns,
             int64_t *ends_ns, int most);

/*
 * Computes on so many blocks per SM until end_ns, and stores each time at which the first block
 * stood still for more than `least_ns`: the last moment before, and the first after, by the GPU's
 * own clock, which all processes share. Their number, -1 where the device failed.
 */
int apps_pauses(int blocks_per_sm, int64_t least_ns, int64_t seconds_ns, int64_t *before_ns,
                int64_t *after_ns, int most);

const char *apps_why(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
