/* Which mixes of a suite are run under which policies, and what comes of them. */
#ifndef PAPER_PLAN_H
#define PAPER_PLAN_H

#include "apps/paper/paper_case.h"
#include "apps/paper/paper_measure.h"
#include "base/ct_arena.h"
#include "experiment/experiment_types.h"

struct paper_plan {
    const struct paper_suite *suite;
    const char *const *policies; /* "hsm-fair:restart=kernel", each once */
    size_t policy_count;
    uint32_t draws, threads;
    uint64_t seed;
    bool blame;
    const struct paper_line *rows; /* that are asked for, of the suite; those of an item together */
    size_t row_count;
    bool drawn;          /* figures of the rows are wanted, too */
    double load, target; /* of the services instead of the suite's; 0: the suite's */
    const char *version;
    const struct run_cache *cache; /* NULL: every run is run */
    struct ct_listener listener;   /* is told of mixes */
};

struct paper_outcome {
    struct ct_arena arena;
    struct paper_mix *mixes;
    size_t mix_count;
    uint32_t levels;       /* at least 1 */
    uint32_t draws;        /* that are whole */
    const unsigned *needs; /* by level, mix and policy: what is run at all */
    struct paper_values *values;
    size_t policy_count;
};

/* ---- What the rows of a suite read of its mixes: nobody asks for other runs ---- */

/*
 * The measures that rows, their figures and where they lost time read of a mix under a policy, both
 * by number: 1 << measure, or-ed; 0: the run is not needed. `level`: of the suite, 0 where it has
 * none.
 */
unsigned paper_needs(const struct paper_plan *plan, size_t policy, const struct paper_mix *mix,
                     double level);

/* What a case of an outcome needs (paper_needs), by policy; or what any of them does. */
const unsigned *paper_case_needs(const struct paper_outcome *outcome, uint64_t number);
unsigned paper_case_needs_any(const struct paper_outcome *outcome, uint64_t number);

#endif
