#include "run/policy_watch.h"

#include <stdio.h>

struct policy_watch_run *policy_watch_begin(struct policy_watch *watch, const char *policy,
                                            uint64_t seed, uint64_t replication) {
    for (size_t i = 0; watch && i < POLICY_WATCH_RUNS; i++) {
        struct policy_watch_run *run = &watch->runs[i];
        if (atomic_exchange(&run->used, true))
            continue;
        run->seed = seed;
        run->replication = replication;
        snprintf(run->policy, sizeof run->policy, "%s", policy);
        atomic_store(&run->last, NULL);
        atomic_store(&run->time_ps, 0);
        atomic_store(&run->hook, NULL);
        return run;
    }
    return NULL;
}

void policy_watch_end(struct policy_watch_run *run) {
    if (run)
        atomic_store(&run->used, false);
}

void policy_watch_enter(struct policy_watch_run *run, const char *hook, ct_time_ps now) {
    if (!run)
        return;
    atomic_store_explicit(&run->time_ps, now, memory_order_relaxed);
    uint64_t calls = atomic_load_explicit(&run->calls, memory_order_relaxed);
    atomic_store_explicit(&run->calls, calls + 1, memory_order_relaxed); /* by this thread alone */
    atomic_store_explicit(&run->hook, hook, memory_order_release);
}

void policy_watch_leave(struct policy_watch_run *run) {
    if (!run)
        return;
    atomic_store_explicit(&run->last, atomic_load_explicit(&run->hook, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&run->hook, NULL, memory_order_release);
}
