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

/* The next case from `number` on that this one leads, itself left out; none: the end of its draw
 * and level. */
static uint64_t next_led(const struct paper_share *share, uint64_t leader, uint64_t number) {
    uint64_t end = first_of(share, leader) + share->outcome->mix_count;
    while (number < end && (number == leader || !has_same_batch(share, leader, number)))
        number++;
    return number;
}

static struct sim_look *looks_of(const struct paper_share *share, uint64_t leader,
                                 struct ct_arena *arena, size_t *count) {
    uint64_t first = first_of(share, leader), end = first + share->outcome->mix_count;
    struct sim_look *looks = ct_arena_array(arena, share->outcome->mix_count, sizeof *looks);
    *count = 0;
    for (uint64_t led = next_led(share, leader, first); looks && led < end;
         led = next_led(share, leader, led + 1))
        looks[(*count)++].at_ps = end_of(share, led);
    return looks;
}

bool paper_share_begin(const struct paper_share *share, uint64_t number, struct experiment *e,
                       struct ct_arena *arena) {
    if (!is_shared(share, number))
        return true;
    if (paper_share_leader(share, number) != number) {
        e->batch_only_ps = share->work_ps[number];
        return true;
    }
    e->looks = looks_of(share, number, arena, &e->look_count);
    return e->looks;
}

void paper_share_end(const struct paper_share *share, uint64_t number, const struct experiment *e) {
    uint64_t led = first_of(share, number);
    for (size_t i = 0; i < e->look_count; i++, led++) {
        led = next_led(share, number, led);
        double work_ps = e->looks[i].batch_work_ps;
        share->work_ps[led] = isnan(work_ps) ? 0 : work_ps;
    }
}
