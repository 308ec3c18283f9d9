/*
 * Requests that wait in front of an application, and when they become a batch: a state machine
 * without a clock of its own, which is told the time. After Triton's dynamic batcher (its guide,
 * "Batchers", and ModelDynamicBatching and ModelQueuePolicy of its model configuration);
 * docs/servers.md has the rules.
 */
#ifndef BATCHER_H
#define BATCHER_H

#include "base/ct_arena.h"
#include "workload/workload.h"

struct batcher_request {
    uint64_t number;
    ct_time_ps came_ps;    /* to this server */
    ct_time_ps expires_ps; /* CT_TIME_NEVER: never */
    uint32_t level;
    struct batcher_request *next;
    /* The owner's: */
    ct_time_ps arrival_ps; /* to the first server of its pipeline */
    bool counted;
    struct run_flow *flow;           /* NULL: in no pipeline */
    struct run_sequence *generation; /* NULL: it generates no tokens */
};

/* First in, first out. */
struct batcher_line {
    struct batcher_request *first, *last;
    uint64_t count;
};

struct batcher_level {
    ct_time_ps timeout_ps; /* CT_TIME_NEVER: none */
    uint64_t most;         /* requests; 0: no limit */
    bool delays;           /* what has expired goes behind all others; else it is dropped */
    struct batcher_line fresh, expired;
};

struct batcher {
    const struct workload_server *spec;
    ct_time_ps delay_ps;
    uint64_t count; /* requests that wait */
    struct batcher_level *levels;
};

/* False: memory ran out. */
bool batcher_init(struct batcher *batcher, const struct workload_server *spec,
                  struct ct_arena *arena);

/* A request comes, with its number, level and came_ps. False: the queue of its level is full, and
 * the request stays the caller's. */
bool batcher_offer(struct batcher *batcher, struct batcher_request *request);

/* The next batch where one can run now, of the most urgent and oldest first, linked; no longer the
 * batcher's. NULL: none; `*again_ps` is when to ask again even if nothing comes (CT_TIME_NEVER). */
struct batcher_request *batcher_form(struct batcher *batcher, ct_time_ps now_ps,
                                     ct_time_ps *again_ps);

/* Requests whose time is over: those that are dropped, linked; others go behind. To be asked after
 * batcher_form. */
struct batcher_request *batcher_expire(struct batcher *batcher, ct_time_ps now_ps);

/* When the next request expires; CT_TIME_NEVER: none will. */
ct_time_ps batcher_next_expiry(const struct batcher *batcher);

#endif
