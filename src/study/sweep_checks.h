/* The self-check of a sweep: what must hold in every run, and which axes and settings change
 * nothing. */
#ifndef SWEEP_CHECKS_H
#define SWEEP_CHECKS_H

#include "format/doc_writer.h"
#include "study/sweep_job.h"

/* What the points have shown. */
struct sweep_checks {
    struct ct_hash *results; /* hash of all that was measured at each point */
    uint64_t reports;
    const char *broken; /* the first check that does not hold; NULL: all hold */
    uint64_t broken_at; /* point, from 1 */
    bool lost;          /* memory ran out */
};

bool sweep_checks_open(struct sweep_checks *checks, const struct sweep_job *job);
void sweep_checks_close(struct sweep_checks *checks);

/* Takes the reports of a point, numbered from 0. */
void sweep_checks_add(struct sweep_checks *checks, uint64_t index, const struct result_set *set);

/* Prints it, with what became of the settings under "set" (may be NULL). */
void sweep_checks_print(struct doc *doc, const struct sweep_job *job,
                        const struct sweep_checks *checks, const char *settings);

#endif
