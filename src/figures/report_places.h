/* Where runs of one figure ran: a workload on a GPU, named as far as the runs differ in it. */
#ifndef REPORT_PLACES_H
#define REPORT_PLACES_H

#include "base/ct_arena.h"
#include "results/report.h"

/* What all runs have in common; NULL: they differ in it, or there are none. Zero-initialise. */
struct report_places {
    size_t count;
    const char *workload, *gpu;
};

void report_places_add(struct report_places *places, const struct report *report);

/* What tells this one's place from the others': "", "mix", "v100" or "mix on v100". NULL when
 * memory ran out. */
const char *report_place_name(const struct report_places *places, const struct report *report,
                              struct ct_arena *arena);

/* Whether both are of the same workload on the same GPU: only then is one better than the other. */
bool report_same_place(const struct report *a, const struct report *b);

#endif
