/* The course: all exercises, in their order. */
#include "apps/exercise/exercise_build.h"

const struct exercise *const exercises[] = {
    /* sharing the SMs */
    &exercise_occupancy, &exercise_waves, &exercise_leftover, &exercise_one_queue, &exercise_caps,
    &exercise_timeslice, &exercise_priority,
    /* memory and link */
    &exercise_copies, &exercise_rows, &exercise_bandwidth,
    /* latency, and what to judge by */
    &exercise_measures, &exercise_tail, &exercise_capacity, &exercise_blame,
    /* the papers' systems */
    &exercise_copy_limit, &exercise_headroom, &exercise_queries, &exercise_refill, &exercise_quota,
    &exercise_knapsack, &exercise_lag, &exercise_progress, &exercise_partition, &exercise_drain,
    &exercise_dase, &exercise_triggers, &exercise_completion, &exercise_look_ahead,
    &exercise_preempt};
const size_t exercise_count = CT_COUNT_OF(exercises);
