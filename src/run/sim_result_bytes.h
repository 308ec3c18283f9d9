/* A run's result as bytes, to keep it: the same result gives the same bytes on every machine. */
#ifndef SIM_RESULT_BYTES_H
#define SIM_RESULT_BYTES_H

#include "base/ct_arena.h"
#include "run/sim.h"

/* Changes with the layout of the bytes, which says it first. */
enum { SIM_RESULT_LAYOUT = 13 };

/* malloc'ed; NULL when memory ran out. */
unsigned char *sim_result_encode(const struct sim_result *result, size_t *size);

/* Texts go to the arena. False for bytes that are none, or when memory ran out; free the result
 * with sim_result_free in every case. */
bool sim_result_decode(const unsigned char *bytes, size_t size, struct ct_arena *arena,
                       struct sim_result *result);

#endif
