#include "run/continuous.h"

#include "base/ct_assert.h"

/* ---- Lines ---- */

static void insert_behind(struct sequence_line *line, struct sequence *before, struct sequence *s) {
    s->previous = before;
    s->next = before ? before->next : line->first;
    *(s->next ? &s->next->previous : &line->last) = s;
    *(before ? &before->next : &line->first) = s;
    line->count++;
}

/* Puts a sequence into a line by order of arrival. */
static void insert(struct sequence_line *line, struct sequence *s) {
    struct sequence *before = line->last;
    while (before && before->order > s->order)
        before = before->previous;
    insert_behind(line, before, s);
}

static struct sequence *take(struct sequence_line *line, struct sequence *s) {
    *(s->next ? &s->next->previous : &line->last) = s->previous;
    *(s->previous ? &s->previous->next : &line->first) = s->next;
    line->count--;
    s->previous = s->next = NULL;
    return s;
}

/* ---- Blocks ---- */

static uint64_t blocks_of(const struct continuous *c, uint64_t tokens) {
    uint64_t size = (uint64_t)c->spec->block_tokens;
    return (tokens + size - 1) / size;
}

static uint64_t total_of(const struct continuous *c) {
    return (uint64_t)c->spec->cache_blocks;
}

/* A sequence has so many blocks in the cache from now on. */
static void hold(struct continuous *c, struct sequence *s, uint64_t blocks) {
    c->free = c->free + s->blocks - blocks;
    s->blocks = blocks;
    uint64_t used = total_of(c) - c->free;
    c->highest = used > c->highest ? used : c->highest;
}

void continuous_init(struct continuous *c, const struct workload_continuous *spec) {
    *c = (struct continuous){.spec = spec,
                             .watermark = workload_watermark_blocks(spec),
                             .free = (uint64_t)spec->cache_blocks,
                             .swap_free =
                                 spec->swap_blocks ? (uint64_t)spec->swap_blocks : UINT64_MAX};
}

/* The last token is not put into the cache: nothing comes after it. */
bool continuous_fits(const struct continuous *c, const struct sequence *s) {
    uint64_t most = s->prompt + s->output - 1;
    return blocks_of(c, most) + c->watermark <= total_of(c) &&
           (c->spec->chunked || most <= (uint64_t)c->spec->max_tokens);
}

void continuous_offer(struct continuous *c, struct sequence *s) {
    s->produced = s->cached = s->blocks = s->chunk = 0;
    s->prompts = true;
    s->first_ps = s->last_ps = -1;
    s->longest_ps = 0;
    insert_behind(&c->waiting, c->waiting.last, s);
}

/* ---- Forming ---- */

/* A step as it is filled: tokens that still go into it, and who had to leave the cache. */
struct filling {
    struct continuous_step *step;
    uint64_t tokens;
    struct sequence_line preempted; /* by recompute, the last one first */
    bool any_preempted;
};

/* Tokens of a sequence that are not in the cache: of one that goes on, its last one. */
static uint64_t missing(const struct sequence *s) {
    return s->prompt + s->produced - s->cached;
}

/* Tokens of a sequence in this step; 0: none fit. */
static uint64_t chunk_of(const struct continuous *c, const struct filling *f,
                         const struct sequence *s) {
    uint64_t wanted = missing(s);
    if (wanted <= f->tokens)
        return wanted;
    return c->spec->chunked ? f->tokens : 0;
}

/* Takes a sequence into the step, with so many tokens and blocks. */
static void schedule(struct continuous *c, struct filling *f, struct sequence *s, uint64_t chunk,
                     uint64_t blocks) {
    bool goes_on = !s->prompts;
    hold(c, s, blocks);
    s->chunk = chunk;
    f->tokens -= chunk;
    f->step->decodes += goes_on;
    f->step->context += goes_on ? s->cached : 0;
    f->step->prefills += !goes_on;
    f->step->prefill_tokens += goes_on ? 0 : chunk;
    insert(&c->running, s);
}

/* Puts a sequence out of the cache: its blocks go to the host where that is asked for and there is
 * room, else they are lost. */
static void preempt(struct continuous *c, struct filling *f, struct sequence *s) {
    uint64_t blocks = s->blocks;
    f->any_preempted = true;
    hold(c, s, 0);
    if (c->spec->preemption == WORKLOAD_PREEMPT_SWAP && blocks <= c->swap_free) {
        s->blocks = blocks;
        c->swap_free -= blocks;
        c->counts.swaps++;
        f->step->swapped_out += blocks;
        insert(&c->swapped, s);
    } else {
        c->counts.recomputes++;
        c->counts.recomputed += s->cached;
        s->cached = 0;
        s->prompts = true;
        insert_behind(&f->preempted, f->preempted.last, s);
    }
}

/* Blocks with the tokens of this step: of a prompt, all of it has them from the start. */
static uint64_t blocks_with(const struct continuous *c, const struct sequence *s, uint64_t chunk) {
    uint64_t needed = blocks_of(c, s->cached + chunk);
    return needed > s->blocks ? needed : s->blocks;
}

/* Sequences that run go on, the first come first; where a block is missing, the last come leaves.
 */
static void schedule_running(struct continuous *c, struct filling *f) {
    struct sequence_line queue = c->running;
    c->running = (struct sequence_line){0};
    for (uint64_t chunk; queue.first && (chunk = chunk_of(c, f, queue.first)) > 0;) {
        struct sequence *s = take(&queue, queue.first), *victim = NULL;
        uint64_t blocks = blocks_with(c, s, chunk);
        while (blocks - s->blocks > c->free && victim != s) {
            victim = queue.last ? take(&queue, queue.last) : s;
            preempt(c, f, victim);
        }
        if (victim != s)
            schedule(c, f, s, chunk, blocks);
    }
    while (queue.first)
        insert(&c->running, take(&queue, queue.first));
}

static bool has_place(const struct continuous *c) {
    return c->running.count < (uint64_t)c->spec->max_sequences;
}

static void schedule_swapped(struct continuous *c, struct filling *f) {
    while (c->swapped.first && has_place(c)) {
        struct sequence *s = c->swapped.first;
        uint64_t chunk = chunk_of(c, f, s), blocks = blocks_with(c, s, chunk), held = s->blocks;
        if (chunk == 0 || blocks + c->watermark > c->free)
            return;
        take(&c->swapped, s);
        c->swap_free += held;
        f->step->swapped_in += held;
        s->blocks = 0;
        schedule(c, f, s, chunk, blocks);
    }
}

static void schedule_waiting(struct continuous *c, struct filling *f) {
    while (c->waiting.first && has_place(c)) {
        struct sequence *s = c->waiting.first;
        uint64_t chunk = chunk_of(c, f, s), blocks = blocks_of(c, missing(s));
        if (chunk == 0 || blocks + c->watermark > c->free)
            return;
        schedule(c, f, take(&c->waiting, s), chunk, blocks);
    }
}

/* Prompts before all that run, as long as nobody is swapped out, and then alone; or, where a part
 * of one goes if not all of it does, behind them. */
static void fill(struct continuous *c, struct filling *f) {
    if (!c->spec->chunked && !c->swapped.first)
        schedule_waiting(c, f);
    if (f->step->prefills)
        return;
    schedule_running(c, f);
    if (!f->any_preempted)
        schedule_swapped(c, f);
    if (c->spec->chunked)
        schedule_waiting(c, f);
}

bool continuous_form(struct continuous *c, struct continuous_step *step) {
    struct filling f = {.step = step, .tokens = (uint64_t)c->spec->max_tokens};
    *step = (struct continuous_step){0};
    fill(c, &f);
    while (f.preempted.first)
        insert_behind(&c->waiting, NULL, take(&f.preempted, f.preempted.first));
    bool any = step->prefills + step->decodes > 0;
    ct_assert(any || c->waiting.count + c->running.count + c->swapped.count == 0);
    return any;
}

/* ---- Ending ---- */

static void produce(struct sequence *s, ct_time_ps now_ps) {
    if (s->produced++ == 0)
        s->first_ps = now_ps;
    else if (now_ps - s->last_ps > s->longest_ps)
        s->longest_ps = now_ps - s->last_ps;
    s->last_ps = now_ps;
}

struct sequence *continuous_end(struct continuous *c, ct_time_ps now_ps) {
    struct sequence_line done = {0};
    for (struct sequence *s = c->running.first, *next; s; s = next) {
        next = s->next;
        if (s->chunk == 0)
            continue;
        s->cached += s->chunk;
        s->chunk = 0;
        if (missing(s) > 0)
            continue; /* of a prompt that is not done */
        s->prompts = false;
        produce(s, now_ps);
        c->counts.produced++;
        if (s->produced < s->output)
            continue;
        take(&c->running, s);
        hold(c, s, 0);
        insert_behind(&done, done.last, s);
    }
    return done.first;
}
