#include "run/batcher.h"

#include "base/ct_types.h"

static void append(struct batcher_line *line, struct batcher_request *request) {
    request->next = NULL;
    *(line->last ? &line->last->next : &line->first) = request;
    line->last = request;
    line->count++;
}

static struct batcher_request *take(struct batcher_line *line) {
    struct batcher_request *request = line->first;
    line->first = request->next;
    if (!line->first)
        line->last = NULL;
    line->count--;
    return request;
}

bool batcher_init(struct batcher *batcher, const struct workload_server *spec,
                  struct ct_arena *arena) {
    *batcher = (struct batcher){
        .spec = spec,
        .delay_ps = ct_time_round(spec->queue_delay_ms * (double)CT_PS_PER_MS),
        .levels = ct_arena_array(arena, spec->level_count, sizeof *batcher->levels)};
    for (size_t i = 0; batcher->levels && i < spec->level_count; i++) {
        const struct workload_level *level = &spec->levels[i];
        batcher->levels[i] = (struct batcher_level){
            .timeout_ps = level->timeout_ms > 0
                              ? ct_time_round(level->timeout_ms * (double)CT_PS_PER_MS)
                              : CT_TIME_NEVER,
            .most = (uint64_t)level->max_queue,
            .delays = level->timeout_action == WORKLOAD_TIMEOUT_DELAY};
    }
    return batcher->levels;
}

bool batcher_offer(struct batcher *batcher, struct batcher_request *request) {
    struct batcher_level *level = &batcher->levels[request->level];
    if (level->most && level->fresh.count + level->expired.count >= level->most)
        return false;
    request->expires_ps = ct_time_later(request->came_ps, level->timeout_ps);
    append(&level->fresh, request);
    batcher->count++;
    return true;
}

/* ---- Forming ---- */

/* The line from which the next request of a batch is taken; all are empty: not asked. */
static struct batcher_line *next_line(struct batcher *batcher) {
    struct batcher_level *level = batcher->levels;
    while (level->fresh.count + level->expired.count == 0)
        level++;
    return level->fresh.count ? &level->fresh : &level->expired;
}

/* When the oldest of the first requests came. */
static ct_time_ps oldest_of(const struct batcher *batcher, uint64_t requests) {
    ct_time_ps oldest = CT_TIME_NEVER;
    for (const struct batcher_level *level = batcher->levels; requests; level++) {
        const struct batcher_line *lines[] = {&level->fresh, &level->expired};
        for (int i = 0; i < 2; i++)
            for (const struct batcher_request *r = lines[i]->first; r && requests;
                 r = r->next, requests--)
                oldest = r->came_ps < oldest ? r->came_ps : oldest;
    }
    return oldest;
}

/* The largest preferred size up to this number; 0: none. */
static uint64_t largest_preferred(const struct workload_server *spec, uint64_t requests) {
    uint64_t best = 0;
    if (!spec->preferred.count)
        return requests == (uint64_t)spec->max_batch ? requests : 0;
    for (size_t i = 0; i < spec->preferred.count; i++)
        if ((uint64_t)spec->preferred.numbers[i] <= requests)
            best = (uint64_t)spec->preferred.numbers[i];
    return best;
}

/*
 * How many requests go now; 0: they wait for more. The largest preferred size goes at once; the
 * oldest request's delay over, all go that a batch holds.
 */
static uint64_t size_now(const struct batcher *batcher, ct_time_ps now_ps, ct_time_ps *again_ps) {
    uint64_t most = (uint64_t)batcher->spec->max_batch,
             fit = batcher->count < most ? batcher->count : most,
             preferred = largest_preferred(batcher->spec, fit);
    *again_ps = CT_TIME_NEVER;
    if (batcher->delay_ps == 0 || fit == 0)
        return preferred ? preferred : fit;
    ct_time_ps over_ps = ct_time_later(oldest_of(batcher, fit), batcher->delay_ps);
    if (over_ps <= now_ps)
        return fit;
    if (!preferred)
        *again_ps = over_ps;
    return preferred;
}

struct batcher_request *batcher_form(struct batcher *batcher, ct_time_ps now_ps,
                                     ct_time_ps *again_ps) {
    struct batcher_line batch = {0};
    for (uint64_t left = size_now(batcher, now_ps, again_ps); left; left--) {
        append(&batch, take(next_line(batcher)));
        batcher->count--;
    }
    return batch.first;
}

/* ---- Timeouts ---- */

/* A level has one timeout: what came first expires first. */
struct batcher_request *batcher_expire(struct batcher *batcher, ct_time_ps now_ps) {
    struct batcher_line dropped = {0};
    for (size_t i = 0; i < batcher->spec->level_count; i++) {
        struct batcher_level *level = &batcher->levels[i];
        while (level->fresh.first && level->fresh.first->expires_ps <= now_ps)
            append(level->delays ? &level->expired : &dropped, take(&level->fresh));
    }
    batcher->count -= dropped.count;
    return dropped.first;
}

ct_time_ps batcher_next_expiry(const struct batcher *batcher) {
    ct_time_ps next = CT_TIME_NEVER;
    for (size_t i = 0; i < batcher->spec->level_count; i++) {
        const struct batcher_request *first = batcher->levels[i].fresh.first;
        if (first && first->expires_ps < next)
            next = first->expires_ps;
    }
    return next;
}
