/*
 * Where runs are inside their policies, in memory that another process shares: it can say where a
 * policy crashed, and notice that one does not come back. Nothing here changes a run.
 */
#ifndef POLICY_WATCH_H
#define POLICY_WATCH_H

#include "base/ct_types.h"

#include <stdatomic.h>

enum { POLICY_WATCH_RUNS = 128, POLICY_WATCH_NAME = 64 };

/* One run. Written by the thread that runs it, read by the watcher. */
struct policy_watch_run {
    _Atomic bool used;
    _Atomic uint64_t calls;     /* how often a hook was called, since the memory was made */
    _Atomic(const char *) hook; /* a literal of this program; NULL: not inside the policy */
    _Atomic(const char *) last; /* the hook that ended last; NULL: none yet */
    _Atomic int64_t time_ps;    /* simulated, when the hook was entered */
    uint64_t seed, replication; /* set before `used` */
    char policy[POLICY_WATCH_NAME];
};

/* All zero is a valid beginning. */
struct policy_watch {
    struct policy_watch_run runs[POLICY_WATCH_RUNS];
    _Atomic bool finished; /* the watched program has come to its own end */
};

/* A free place for a run; NULL without a watch, or when there is none: the run is not watched. */
struct policy_watch_run *policy_watch_begin(struct policy_watch *watch, const char *policy,
                                            uint64_t seed, uint64_t replication);
void policy_watch_end(struct policy_watch_run *run);

/* The hook of a policy that is being loaded, which is no run yet. */
#define POLICY_WATCH_LOADING "loading"

/* Around every call into the policy; `run` may be NULL. */
void policy_watch_enter(struct policy_watch_run *run, const char *hook, ct_time_ps now);
void policy_watch_leave(struct policy_watch_run *run);

#endif
