#include "apps/paper/paper_share.h"

#include <math.h>
#include <string.h>

static const struct paper_mix *mix_of(const struct paper_share *share, uint64_t number) {
    return &share->outcome->mixes[number % share->outcome->mix_count];
}

static ct_time_ps end_of(const struct paper_share *share, uint64_t number) {
    const struct paper_outcome *o = share->outcome;
    struct paper_case one = {.suite = share->plan->suite,
                             .service = &share->services[mix_of(share, number)->apps[0]],
                             .draw = number / o->mix_count / o->levels};
    return ct_time_of_s(paper_duration_s(&one));
}

/* Whether a case needs the run of its batch applications, and may have another one's. */
static bool is_shared(const struct paper_share *share, uint64_t number) {
    return share->services && share->plan->suite->variant_count == 0 &&
           !(paper_without(paper_case_needs_any(share->outcome, number)) & EXPERIMENT_BATCH_ONLY);
}

/* The first case of the same draw and level. */
static uint64_t first_of(const struct paper_share *share, uint64_t number) {
    return number - number % share->outcome->mix_count;
}

/* Whether two cases of one draw and level need the same batch applications' run. */
static bool has_same_batch(const struct paper_share *share, uint64_t a, uint64_t b) {
    const struct paper_mix *x = mix_of(share, a), *y = mix_of(share, b);
    return is_shared(share, b) &&
           memcmp(x->apps + 1, y->apps + 1, (x->count - 1) * sizeof *x->apps) == 0;
}

uint64_t paper_share_leader(const struct paper_share *share, uint64_t number) {
    uint64_t first = first_of(share, number), leader = number;
    if (!is_shared(share, number))
        return number;
    for (uint64_t other = first; other < first + share->outcome->mix_count; other++)
        if (has_same_batch(share, number, other) &&
            (end_of(share, other) > end_of(share, leader) ||
             (end_of(share, other) == end_of(share, leader) && other < leader)))
            leader = other;
    return leader;
}

/* Whether a case leads another one, of the same draw and level. */
static bool leads(const struct paper_share *share, uint64_t leader, uint64_t number) {
    return number != leader && has_same_batch(share, leader, number);
}

bool paper_share_begin(const struct paper_share *share, uint64_t number, struct experiment *e,
                       struct ct_arena *arena) {
    if (!is_shared(share, number))
        return true;
    if (paper_share_leader(share, number) != number) {
        e->batch_only_ps = share->work_ps[number];
        return true;
    }
    uint64_t first = first_of(share, number), count = share->outcome->mix_count;
    e->looks = ct_arena_array(arena, count, sizeof *e->looks);
    for (uint64_t led = first; e->looks && led < first + count; led++)
        if (leads(share, number, led))
            e->looks[e->look_count++].at_ps = end_of(share, led);
    return e->looks;
}

void paper_share_end(const struct paper_share *share, uint64_t number, const struct experiment *e) {
    size_t next = 0;
    for (uint64_t led = first_of(share, number); next < e->look_count; led++)
        if (leads(share, number, led)) {
            double work_ps = e->looks[next++].batch_work_ps;
            share->work_ps[led] = isnan(work_ps) ? 0 : work_ps;
        }
}
