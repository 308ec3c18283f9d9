#include "models/device/pcie.h"

#include "base/ct_assert.h"

#define BYTES_PER_MB 1e6 /* as Baymax prints rates */
#define BYTES_PER_KB 1024.0

/* A piece that is over but for less than this part of itself is over: what is left is rounding. */
#define PIECE_ROUNDING 1e-9

/* Rounding of a reading of bytes, as a part of it: thousands of times what a few operations round.
 */
#define END_ROUNDING 1e-12

/* ---- Lists ---- */

/* Puts a copy at the end of a list. Only copies that hold the link are linked backwards, too: they
 * leave it out of turn. */
static void list_append(struct pcie_list *list, struct pcie_copy *copy) {
    copy->next = NULL;
    *(list->tail ? &list->tail->next : &list->head) = copy;
    list->tail = copy;
}

static struct pcie_copy *list_take_head(struct pcie_list *list) {
    struct pcie_copy *copy = list->head;
    list->head = copy->next;
    if (!copy->next)
        list->tail = NULL;
    return copy;
}

static void append_active(struct pcie_link *link, struct pcie_copy *copy) {
    copy->previous = link->active.tail;
    list_append(&link->active, copy);
    link->active_count++;
}

static void remove_active(struct pcie_link *link, struct pcie_copy *copy) {
    struct pcie_list *list = &link->active;
    *(copy->previous ? &copy->previous->next : &list->head) = copy->next;
    *(copy->next ? &copy->next->previous : &list->tail) = copy->previous;
    link->active_count--;
}

/* ---- The copies that move, by the end of their pieces ---- */

static bool ends_before(const struct pcie_copy *a, const struct pcie_copy *b) {
    return a->end_bytes < b->end_bytes || (a->end_bytes == b->end_bytes && a->order < b->order);
}

/* Pairing heap (Fredman, Sedgewick, Sleator and Tarjan, The pairing heap, 1986): O(log n)
 * amortised, and no memory of its own. `left` is the first that ends later, `right` the next beside
 * it. */
static inline struct pcie_copy *meld(struct pcie_copy *a, struct pcie_copy *b) {
    struct pcie_copy *first = ends_before(b, a) ? b : a, *second = first == a ? b : a;
    second->right = first->left;
    first->left = second;
    return first;
}

/* Melds a row in pairs, and the pairs from the last one back. */
static struct pcie_copy *meld_row(struct pcie_copy *row) {
    struct pcie_copy *pairs = NULL, *root = NULL;
    while (row) {
        struct pcie_copy *pair = row, *second = row->right;
        row = second ? second->right : NULL;
        if (second)
            pair = meld(pair, second);
        pair->right = pairs;
        pairs = pair;
    }
    for (struct pcie_copy *next; pairs; pairs = next) {
        next = pairs->right;
        root = root ? meld(root, pairs) : pairs;
    }
    return root;
}

/* ---- Clocks ---- */

static double clock_at(const struct pcie_clock *clock, ct_time_ps now) {
    return clock->value + clock->slope * (double)(now - clock->since_ps);
}

/* Changes the slope of a clock that reads `value` now. A slope that stays is not folded in: what
 * was derived from it is not rounded again. */
static void clock_turn(struct pcie_clock *clock, ct_time_ps now, double value, double slope) {
    if (slope == clock->slope)
        return;
    *clock = (struct pcie_clock){value, slope, now};
}

/* ---- Rates and times ---- */

static struct pcie_pace pace_of(double bytes_per_s, double own_bytes_per_s) {
    return (struct pcie_pace){bytes_per_s, bytes_per_s / (double)CT_PS_PER_S,
                              1.0 - bytes_per_s / own_bytes_per_s};
}

/* Pageable copies, each under its own cap. */
static struct pcie_pace shared_pace(const struct pcie_link *link, uint32_t copies) {
    double part = link->effective_bytes_per_s / (double)copies, own = link->pageable_bytes_per_s;
    return pace_of(part < own ? part : own, own);
}

void pcie_link_init(struct pcie_link *link, const struct gpu *gpu) {
    *link =
        (struct pcie_link){.effective_bytes_per_s = gpu->pcie_mb_s * BYTES_PER_MB,
                           .pageable_bytes_per_s = gpu->pcie_pageable_mb_s * BYTES_PER_MB,
                           .pinned_bytes_per_s = gpu->pcie_pinned_mb_s * BYTES_PER_MB,
                           .staging_bytes = gpu->staging_kb * BYTES_PER_KB,
                           .latency_ps = ct_time_round(gpu->copy_latency_us * (double)CT_PS_PER_US),
                           .single = gpu->copy_engines == GPU_COPY_SINGLE,
                           .first_end_ps = CT_TIME_NEVER,
                           .next_ps = CT_TIME_NEVER};
}

/* Whether a copy holds the link alone. */
static bool holds_alone(const struct pcie_link *link, const struct pcie_copy *copy) {
    return copy->pinned || link->single;
}

static double own_rate(const struct pcie_link *link, bool pinned) {
    return pinned ? link->pinned_bytes_per_s : link->pageable_bytes_per_s;
}

static ct_time_ps transfer_time(double bytes, double bytes_per_s) {
    return ct_time_round(bytes / bytes_per_s * (double)CT_PS_PER_S);
}

ct_time_ps pcie_solo_time(const struct pcie_link *link, uint64_t bytes, bool pinned) {
    return ct_time_later(link->latency_ps, transfer_time((double)bytes, own_rate(link, pinned)));
}

/* ---- Blame ---- */

static void blame(const struct pcie_link *link, const struct pcie_copy *victim,
                  const struct pcie_copy *culprit, enum pcie_loss loss, double ps) {
    if (ps > 0.0)
        link->blame(link->blame_context, victim, culprit, loss, ps);
}

/* What a copy that ends its piece and each other that moves have cost each other. */
static void settle_sharing(const struct pcie_link *link, const struct pcie_copy *copy) {
    double now_ps = clock_at(&link->shared, link->now_ps);
    for (const struct pcie_copy *other = link->active.head; other; other = other->next) {
        double ps = now_ps - fmax(copy->shared_ps, other->shared_ps);
        if (other == copy)
            continue;
        blame(link, copy, other, PCIE_LOSS_SHARING, ps);
        blame(link, other, copy, PCIE_LOSS_SHARING, ps);
    }
}

static void settle_wait(const struct pcie_link *link, const struct pcie_copy *waiter,
                        const struct pcie_copy *holder) {
    double ps = clock_at(&link->held, link->now_ps) - fmax(waiter->held_ps, holder->held_ps);
    blame(link, waiter, holder, PCIE_LOSS_WAIT, ps);
}

/* A copy leaves the link. */
static void settle_holder(const struct pcie_link *link, const struct pcie_copy *holder) {
    if (!link->blame)
        return;
    settle_sharing(link, holder);
    for (const struct pcie_copy *waiter = link->waiting.head; waiter; waiter = waiter->next)
        settle_wait(link, waiter, holder);
}

/* A copy leaves the queue. */
static void settle_waiter(const struct pcie_link *link, const struct pcie_copy *waiter) {
    if (!link->blame)
        return;
    for (const struct pcie_copy *holder = link->active.head; holder; holder = holder->next)
        settle_wait(link, waiter, holder);
}

/* ---- From the queue to the link and back ---- */

static void queue(struct pcie_link *link, struct pcie_copy *copy) {
    copy->state = PCIE_WAITING;
    copy->next_ps = link->now_ps;
    if (link->blame)
        copy->held_ps = clock_at(&link->held, link->now_ps);
    link->waiting_pinned += copy->pinned;
    list_append(&link->waiting, copy);
}

/* bytes_left at the end of the piece that moves now; pieces are counted from the copy's first byte.
 */
static double piece_end(const struct pcie_link *link, const struct pcie_copy *copy,
                        double bytes_left) {
    if (!link->in_pieces || holds_alone(link, copy))
        return 0.0;
    double all = copy->link_bytes;
    double done = floor((all - bytes_left) / link->staging_bytes + PIECE_ROUNDING) + 1.0;
    double left = all - done * link->staging_bytes;
    return left > 0.0 ? left : 0.0;
}

/* Puts a copy among those that move, up to the end of a piece. */
static void aim(struct pcie_link *link, struct pcie_copy *copy) {
    double moved = link->bytes_now;
    double left = copy->bytes_left - (moved - copy->began_bytes);
    copy->piece_end_bytes = piece_end(link, copy, left);
    copy->end_bytes = moved + (left - copy->piece_end_bytes);
    copy->left = NULL;
    link->moving = link->moving ? meld(link->moving, copy) : copy;
}

static void move(struct pcie_link *link, struct pcie_copy *copy) {
    copy->state = PCIE_MOVING;
    copy->began_bytes = link->bytes_now;
    copy->lost_ps = link->lost_now;
    if (link->blame)
        copy->shared_ps = clock_at(&link->shared, link->now_ps);
    link->began_bytes += copy->began_bytes * copy->bytes_of_link;
    link->moving_bytes += copy->bytes_of_link;
    link->moving_count++;
    aim(link, copy);
}

/* A pinned copy has come to wait: the copies that move stop at the end of their pieces. */
static void cut_pieces(struct pcie_link *link) {
    link->in_pieces = true;
    link->moving = NULL;
    for (struct pcie_copy *copy = link->active.head; copy; copy = copy->next)
        aim(link, copy);
}

/* The bytes of its piece are through: exactly so, whatever rounding has left. */
static void end_piece(struct pcie_link *link, struct pcie_copy *copy) {
    settle_holder(link, copy);
    remove_active(link, copy);
    link->moving_count--;
    link->began_bytes -= copy->began_bytes * copy->bytes_of_link;
    link->moving_bytes -= copy->bytes_of_link;
    link->moved_bytes += (copy->bytes_left - copy->piece_end_bytes) * copy->bytes_of_link;
    copy->sharing_loss_ps += link->lost_now - copy->lost_ps;
    copy->bytes_left = copy->piece_end_bytes;
    if (copy->bytes_left > 0.0) {
        queue(link, copy);
        return;
    }
    copy->state = PCIE_ENDED;
    copy->ended_ps = link->now_ps;
    list_append(&link->ended, copy);
}

/* When the first of the copies that move ends its piece, at the present rate. */
static ct_time_ps first_end(const struct pcie_link *link) {
    if (!link->moving)
        return CT_TIME_NEVER;
    double left = link->moving->end_bytes - link->bytes.value;
    return ct_time_later(link->bytes.since_ps, transfer_time(left, link->rate_bytes_per_s));
}

static struct pcie_copy *take_first(struct pcie_link *link) {
    struct pcie_copy *copy = link->moving;
    link->moving = meld_row(copy->left);
    copy->left = NULL;
    return copy;
}

/* Whether the first of the copies that move ends its piece now. As a rule it has far to go: more
 * bytes than rounding of clocks and times can hide, which spares the division. */
static bool first_is_due(const struct pcie_link *link) {
    if (!link->moving)
        return false;
    double end = link->moving->end_bytes;
    if (end - link->bytes_now > link->bytes.slope + end * END_ROUNDING)
        return false;
    return first_end(link) <= link->now_ps;
}

/* Takes the copies whose pieces end now out of the heap: a list through `left`, the one that got
 * the link first at its head. One does. */
static struct pcie_copy *take_due(struct pcie_link *link) {
    struct pcie_copy *first = take_first(link), *last = first;
    while (first_is_due(link)) {
        struct pcie_copy *copy = take_first(link), **at = &first;
        if (last->order < copy->order) /* as a rule */
            at = &last->left;
        while (*at && (*at)->order < copy->order)
            at = &(*at)->left;
        copy->left = *at;
        *at = copy;
        if (!copy->left)
            last = copy;
    }
    return first;
}

/* Whether the latency of the copy that holds the link alone is over: it begins to move. */
static bool latency_is_over(const struct pcie_link *link) {
    const struct pcie_copy *holder = link->active.head;
    return holder && holder->state == PCIE_LATENCY && holder->next_ps <= link->now_ps;
}

static void handle_active(struct pcie_link *link) {
    struct pcie_copy *due = link->first_end_ps <= link->now_ps ? take_due(link) : NULL;
    for (struct pcie_copy *next; due; due = next) {
        next = due->left;
        end_piece(link, due);
    }
    if (latency_is_over(link))
        move(link, link->active.head);
}

/* ---- Who holds the link, and how fast ---- */

/* Nobody holds it: its clocks begin anew, before their readings lose precision. */
static void rewind_clocks(struct pcie_link *link) {
    struct pcie_clock zero = {.since_ps = link->now_ps};
    link->bytes = link->lost = link->shared = zero;
    link->bytes_now = link->lost_now = 0.0;
    if (!link->waiting.head)
        link->held = zero;
    link->moving_bytes = link->began_bytes = link->rate_bytes_per_s = 0.0;
    link->in_pieces = false;
}

static void hold(struct pcie_link *link, struct pcie_copy *copy) {
    if (link->blame)
        copy->held_ps = clock_at(&link->held, link->now_ps);
    copy->order = link->admitted++;
    append_active(link, copy);
    if (!holds_alone(link, copy)) {
        move(link, copy);
        return;
    }
    copy->state = PCIE_LATENCY;
    copy->started_ps = link->now_ps;
    copy->next_ps = ct_time_later(link->now_ps, copy->latency_ps);
}

static void admit_head(struct pcie_link *link) {
    struct pcie_copy *copy = link->waiting.head;
    settle_waiter(link, copy);
    list_take_head(&link->waiting);
    link->waiting_pinned -= copy->pinned;
    copy->wait_ps += link->now_ps - copy->next_ps;
    hold(link, copy);
}

/* Whether a copy may get the link beside those that hold it. */
static bool is_free(const struct pcie_link *link, const struct pcie_copy *copy) {
    const struct pcie_copy *holder = link->active.head;
    return !holder || (!holds_alone(link, holder) && !holds_alone(link, copy));
}

/* First come, first served; pageable copies at the head go together, up to the first that wants the
 * link alone. */
static void admit(struct pcie_link *link) {
    if (!link->active.head)
        rewind_clocks(link);
    while (link->waiting.head && is_free(link, link->waiting.head))
        admit_head(link);
}

/* Copies whose latency is over queue for the link. A copy that finds nobody in the queue and may
 * join those that hold the link need not. */
static void handle_setup(struct pcie_link *link) {
    while (link->setup.head && link->setup.head->next_ps <= link->now_ps) {
        struct pcie_copy *copy = list_take_head(&link->setup);
        if (link->active.head && !link->waiting.head && is_free(link, copy))
            hold(link, copy);
        else
            queue(link, copy);
    }
}

/* The pace at which each copy that moves does so now. */
static struct pcie_pace present_pace(struct pcie_link *link) {
    const struct pcie_copy *holder = link->active.head;
    if (!holder || link->moving_count == 0)
        return (struct pcie_pace){0};
    if (holds_alone(link, holder))
        return pace_of(own_rate(link, holder->pinned), own_rate(link, holder->pinned));
    if (link->moving_count >= PCIE_PACES)
        return shared_pace(link, link->moving_count);
    struct pcie_pace *pace = &link->paces[link->moving_count];
    if (pace->bytes_per_s == 0.0)
        *pace = shared_pace(link, link->moving_count);
    return *pace;
}

static void turn_blame_clocks(struct pcie_link *link) {
    ct_time_ps now = link->now_ps;
    uint32_t others = link->moving_count > 1 ? link->moving_count - 1 : 0;
    clock_turn(&link->shared, now, clock_at(&link->shared, now),
               others > 0 ? link->lost.slope / (double)others : 0.0);
    clock_turn(&link->held, now, clock_at(&link->held, now),
               link->active_count > 0 ? 1.0 / (double)link->active_count : 0.0);
}

static void turn_clocks(struct pcie_link *link) {
    struct pcie_pace pace = present_pace(link);
    link->rate_bytes_per_s = pace.bytes_per_s;
    clock_turn(&link->bytes, link->now_ps, link->bytes_now, pace.bytes_per_ps);
    clock_turn(&link->lost, link->now_ps, link->lost_now, pace.lost);
    if (link->blame)
        turn_blame_clocks(link);
}

static void come_by(struct pcie_link *link, ct_time_ps time) {
    if (time < link->next_ps)
        link->next_ps = time;
}

/* What has happened at this moment is known: who goes on, and until when. */
static void plan(struct pcie_link *link) {
    admit(link);
    const struct pcie_copy *holder = link->active.head;
    if (link->waiting_pinned > 0 && holder && !link->in_pieces && !holds_alone(link, holder))
        cut_pieces(link);
    turn_clocks(link);
    link->next_ps = link->first_end_ps = first_end(link);
    if (link->setup.head)
        come_by(link, link->setup.head->next_ps);
    if (holder && holder->state == PCIE_LATENCY)
        come_by(link, holder->next_ps);
}

static void read_clocks(struct pcie_link *link, ct_time_ps now) {
    link->now_ps = now;
    link->bytes_now = clock_at(&link->bytes, now);
    link->lost_now = clock_at(&link->lost, now);
}

static void run_on(struct pcie_link *link, ct_time_ps now) {
    while (link->next_ps <= now && link->next_ps != CT_TIME_NEVER) {
        read_clocks(link, link->next_ps);
        handle_active(link);
        handle_setup(link);
        plan(link);
    }
}

static inline void run_until(struct pcie_link *link, ct_time_ps now) {
    ct_assert(now >= link->now_ps);
    if (link->next_ps <= now)
        run_on(link, now);
    link->now_ps = now;
}

/* How much of a copy's time alone is latency, and as how many of the link's bytes the rest counts.
 */
static void measure(const struct pcie_link *link, struct pcie_copy *copy) {
    copy->latency_ps = link->latency_ps;
    copy->link_bytes = (double)copy->bytes;
    copy->bytes_of_link = 1.0;
    if (copy->alone_ps == 0 || copy->alone_ps == pcie_solo_time(link, copy->bytes, copy->pinned))
        return;
    ct_time_ps least = transfer_time((double)copy->bytes, link->effective_bytes_per_s);
    ct_time_ps rest = copy->alone_ps > least ? copy->alone_ps - least : 0;
    if (rest < copy->latency_ps)
        copy->latency_ps = rest;
    copy->link_bytes = (double)(copy->alone_ps - copy->latency_ps) / (double)CT_PS_PER_S *
                       own_rate(link, copy->pinned);
    copy->bytes_of_link = copy->link_bytes > 0.0 ? (double)copy->bytes / copy->link_bytes : 1.0;
}

/* Puts a copy among those that are set up, in the order in which their latencies end; of equal
 * ones, of their submission. */
static void set_up(struct pcie_link *link, struct pcie_copy *copy) {
    struct pcie_list *list = &link->setup;
    struct pcie_copy **at = &list->head;
    copy->state = PCIE_SETUP;
    copy->next_ps = ct_time_later(link->now_ps, copy->latency_ps);
    if (!list->head || list->tail->next_ps <= copy->next_ps) {
        list_append(list, copy);
        return;
    }
    while ((*at)->next_ps <= copy->next_ps)
        at = &(*at)->next;
    copy->next = *at;
    *at = copy;
}

void pcie_submit(struct pcie_link *link, struct pcie_copy *copy, ct_time_ps now) {
    run_until(link, now);
    measure(link, copy);
    copy->bytes_left = copy->link_bytes;
    copy->piece_end_bytes = copy->sharing_loss_ps = 0.0;
    copy->submitted_ps = copy->started_ps = copy->ended_ps = now;
    copy->wait_ps = 0;
    if (holds_alone(link, copy)) {
        queue(link, copy);
        come_by(link, now);
    } else {
        set_up(link, copy);
        come_by(link, copy->next_ps);
    }
    run_until(link, now);
}

double pcie_moved_bytes(const struct pcie_link *link, ct_time_ps now) {
    return link->moved_bytes + link->moving_bytes * clock_at(&link->bytes, now) - link->began_bytes;
}

/* What of a copy has moved, in bytes of the link. */
static double moved_of(const struct pcie_link *link, const struct pcie_copy *copy, ct_time_ps now) {
    bool moves = copy->state == PCIE_MOVING;
    return copy->link_bytes - copy->bytes_left +
           (moves ? clock_at(&link->bytes, now) - copy->began_bytes : 0.0);
}

double pcie_moved_part(const struct pcie_link *link, const struct pcie_copy *copy, ct_time_ps now) {
    return copy->link_bytes > 0.0 ? moved_of(link, copy, now) / copy->link_bytes : 0.0;
}

double pcie_done_ps(const struct pcie_link *link, const struct pcie_copy *copy, ct_time_ps now) {
    double moved = moved_of(link, copy, now);
    ct_time_ps latency_left = 0;
    if (copy->state == PCIE_SETUP || copy->state == PCIE_LATENCY)
        latency_left = copy->next_ps - now;
    else if (copy->state == PCIE_WAITING && holds_alone(link, copy))
        latency_left = copy->latency_ps;
    return (double)(copy->latency_ps - latency_left) +
           moved / own_rate(link, copy->pinned) * (double)CT_PS_PER_S;
}

struct pcie_copy *pcie_advance(struct pcie_link *link, ct_time_ps now) {
    run_until(link, now);
    if (!link->ended.head)
        return NULL;
    struct pcie_copy *copy = list_take_head(&link->ended);
    copy->state = PCIE_IDLE;
    return copy;
}

void pcie_bus_init(struct pcie_bus *bus, const struct gpu *gpu) {
    for (size_t i = 0; i < PCIE_DIRECTION_COUNT; i++)
        pcie_link_init(&bus->links[i], gpu);
    bus->link_count = gpu->copy_engines == GPU_COPY_SINGLE ? 1 : PCIE_DIRECTION_COUNT;
}

struct pcie_link *pcie_bus_link(struct pcie_bus *bus, int direction) {
    ct_assert(direction >= 0 && direction < PCIE_DIRECTION_COUNT);
    return &bus->links[bus->link_count == 1 ? 0 : direction];
}
