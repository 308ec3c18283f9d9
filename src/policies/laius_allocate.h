/*
 * How Laius shares what the queries leave among the batch tasks that are ready (Laius, ICS'19,
 * section 6.2, Eq. 4 and 5): a multiple-choice knapsack. Each task gets one quota, from 0 to all
 * that is free; the value is the sum over the tasks, and their bandwidth must stay within a limit.
 *
 * Whole numbers throughout, so that sums do not depend on their order.
 */
#ifndef LAIUS_ALLOCATE_H
#define LAIUS_ALLOCATE_H

#include <stdbool.h>
#include <stdint.h>

enum { LAIUS_PARTS_MOST = 20, LAIUS_TASKS_MOST = 16 };

/*
 * Differences below a millionth of the whole are rounding. Values and bandwidths come from
 * durations in whole picoseconds, of which half a one is half a millionth of a kernel of a
 * microsecond; that sums have several terms, rounded to whole units, adds far less. Otherwise 5 + 5
 * quotas of two like kernels would beat 6 + 4, or not, by the last digit of their duration.
 */
enum { LAIUS_EQUAL_PARTS = 1000000 };

/* What a task is worth, and asks of memory in bytes per second, by quota; not negative, 0 without a
 * quota. */
struct laius_item {
    int64_t value[LAIUS_PARTS_MOST + 1];
    int64_t bandwidth[LAIUS_PARTS_MOST + 1];
};

struct laius_allocation {
    int32_t quota[LAIUS_TASKS_MOST]; /* quota of each item */
    int64_t value, bandwidth;
};

/* A problem, its answer, and what the search works on: the caller's memory, of any content but the
 * problem's. */
struct laius_knapsack {
    /* The problem. Items stand in the order of age. */
    const struct laius_item *items[LAIUS_TASKS_MOST];
    int32_t count, capacity; /* capacity: free quotas, 0 .. LAIUS_PARTS_MOST */
    int64_t bandwidth_limit; /* not negative */
    int64_t same_bandwidth;  /* bandwidths that differ by no more are equal */

    /* The answer. */
    struct laius_allocation best;
    struct laius_allocation first; /* the best that there is without the limit */
    uint64_t rejected;             /* allocations, or beginnings of such, that broke the limit */
    bool cut_short;                /* the search took too long: `best` may not be the best */

    /* The search's own. */
    int64_t most[LAIUS_TASKS_MOST + 1][LAIUS_PARTS_MOST + 1]; /* Eq. 5, of the items from i on */
    /* The item before it that is the same in all numbers; -1: none. */
    int32_t twin[LAIUS_TASKS_MOST];
    int64_t same_value; /* values that differ by no more are equal */
    struct laius_allocation now;
    uint64_t steps;
    int64_t limit; /* of this search */
    bool found;
};

/*
 * Finds, among all allocations of at most `capacity` quotas, in the order of falling value, the
 * first whose bandwidth keeps the limit. Among equal values the lowest bandwidth counts, then the
 * larger quota for the older task; of quotas at which a task is worth the same at no less
 * bandwidth, the smallest. Equal is what differs by rounding alone: an allocation that is compared
 * with the best before it, in the order of the older tasks' larger quotas, takes its place only if
 * it is more than that better. Exact but for that: depth-first search that leaves out what Eq. 5
 * shows to be worth less. (The program of Eq. 5 alone ignores bandwidth; walking through its
 * candidates one after the other could take as many steps as there are allocations.)
 */
void laius_allocate(struct laius_knapsack *knapsack);

#endif
