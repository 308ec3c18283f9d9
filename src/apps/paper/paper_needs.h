/* What the rows of a suite read of its mixes: nobody asks for other runs. */
#ifndef PAPER_NEEDS_H
#define PAPER_NEEDS_H

#include "apps/paper/paper_plan.h"

/*
 * The measures that rows, their figures and where they lost time read of a mix under a policy, both
 * by number: 1 << measure, or-ed; 0: the run is not needed. `level`: of the suite, 0 where it has
 * none.
 */
unsigned paper_needs(const struct paper_plan *plan, size_t policy, const struct paper_mix *mix,
                     double level);

/* Of a case of an outcome: by policy; or-ed. */
const unsigned *paper_case_needs(const struct paper_outcome *outcome, uint64_t number);
unsigned paper_case_needs_any(const struct paper_outcome *outcome, uint64_t number);

#endif
