/*
 * The event engine: simulated time and the events that are still to come.
 *
 * Events happen in the order of (time, rank, sequence number). The sequence number counts calls of
 * schedule and reschedule, so events of the same time and rank happen first in, first out. An
 * action may schedule, cancel and reschedule, also at the very time that is now; an event of a
 * lower rank at this time still happens, next.
 *
 * One engine is one simulation: no globals, and two engines may live in one thread. Not
 * thread-safe. A place for an event takes 54 bytes, places are added by factors of four, and at
 * most DES_PENDING_MOST events can be pending. The engine allocates nothing while their number
 * stays below its former maximum.
 */
#ifndef DES_ENGINE_H
#define DES_ENGINE_H

#include "base/ct_types.h"

struct des_engine;

/* The kinds of events in their order within one instant. */
enum des_rank {
    DES_RANK_DEVICE,
    DES_RANK_ARRIVAL,
    DES_RANK_REPARTITION,
    DES_RANK_TIMER,
    DES_RANK_EPOCH,
    DES_RANK_DECIDE,
    DES_RANK_SETTLE,
    DES_RANK_STATISTICS,
    DES_RANK_COUNT
};

#define DES_PENDING_MOST (UINT32_C(1) << 24)

typedef void des_action(void *context, uint64_t argument);

/* Names one scheduled event: slot and generation. 0 is no event; the name of an event that happened
 * stays stale. */
typedef uint64_t des_event;

/* A new engine at time 0 with nothing pending; NULL when memory ran out. */
struct des_engine *des_engine_new(void);
void des_engine_free(struct des_engine *engine);

/*
 * Calls action(context, argument) at time `at`, which must not be before now (asserted). `context`
 * stays the caller's. Returns 0 when memory ran out or too many events are pending.
 */
des_event des_event_schedule(struct des_engine *engine, ct_time_ps at, enum des_rank rank,
                             des_action *action, void *context, uint64_t argument);

/* Takes a pending event out. False for an event that happened or was cancelled: stale, and counted.
 * 0 is stale too. */
bool des_event_cancel(struct des_engine *engine, des_event event);

/* Moves a pending event to `at` (not before now) with a new sequence number; its name holds. False:
 * stale, counted. */
bool des_event_reschedule(struct des_engine *engine, des_event event, ct_time_ps at);

/*
 * Beside those an engine has events of which there is only one each, set up once with its action,
 * whose argument is 0. They happen in the same order and count as any other, but take no slot and
 * no pass through the queue: for what a model asks for again at almost every event.
 *
 * The standing event has one time, planned anew as often as its model likes, each time with a new
 * sequence number (des_standing_plan; `at` not before now, asserted); cancelled, it has none.
 *
 * An instant's event of a rank, once asked for, happens now, behind all others of its rank; asked
 * for again before it does it is still one. It may be asked for again in its own action.
 *
 * Each is set once (asserted), before it is planned or asked for.
 */
void des_standing_set(struct des_engine *engine, enum des_rank rank, des_action *action,
                      void *context);
void des_standing_plan(struct des_engine *engine, ct_time_ps at);
void des_standing_cancel(struct des_engine *engine);
void des_instant_set(struct des_engine *engine, enum des_rank rank, des_action *action,
                     void *context);

/* The first member of an engine: what is read and asked for in line. */
struct des_clock {
    ct_time_ps now;
    uint32_t asked; /* instant's events that are to happen: a bit for each rank */
};

static inline void des_instant_ask(struct des_engine *engine, enum des_rank rank) {
    ((struct des_clock *)(void *)engine)->asked |= 1u << rank;
}

/* Whether the instant's event of a rank was asked for and has yet to happen; false within its own
 * action. */
static inline bool des_instant_asked(const struct des_engine *engine, enum des_rank rank) {
    return ((const struct des_clock *)(const void *)engine)->asked >> rank & 1u;
}

/* The time of the event that happened last. */
static inline ct_time_ps des_engine_now(const struct des_engine *engine) {
    return ((const struct des_clock *)(const void *)engine)->now;
}

/* Lets the next event happen; false when nothing is pending. */
bool des_engine_step(struct des_engine *engine);

/*
 * Lets all events with time <= until happen, or those up to a des_engine_stop from within an
 * action. The clock stays at the last event; it does not advance to `until`.
 */
void des_engine_run(struct des_engine *engine, ct_time_ps until);

/* Ends des_engine_run after the current action. */
void des_engine_stop(struct des_engine *engine);

/* Events that happened; calls of cancel and reschedule that came too late; events still to come. */
uint64_t des_engine_executed(const struct des_engine *engine);
uint64_t des_engine_stale(const struct des_engine *engine);
size_t des_engine_pending(const struct des_engine *engine);

#endif
