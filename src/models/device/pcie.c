#include "pcie.h"

#include "ct_assert.h"

#define BYTES_PER_MB 1e6 /* as Baymax prints rates */
#define BYTES_PER_KB 1024.0

/* A piece that is over but for less than this part of itself is over: what is left is rounding. */
#define PIECE_ROUNDING 1e-9

static void list_append(struct pcie_list *list, struct pcie_copy *copy) {
    copy->next = NULL;
    if (list->tail)
        list->tail->next = copy;
    else
        list->head = copy;
    list->tail = copy;
}

static struct pcie_copy *list_take_head(struct pcie_list *list) {
    struct pcie_copy *copy = list->head;
    list->head = copy->next;
    if (!list->head)
        list->tail = NULL;
    copy->next = NULL;
    return copy;
}

void pcie_link_init(struct pcie_link *link, const struct gpu *gpu) {
    *link =
        (struct pcie_link){.effective_bytes_per_s = gpu->pcie_mb_s * BYTES_PER_MB,
                           .pageable_bytes_per_s = gpu->pcie_pageable_mb_s * BYTES_PER_MB,
                           .pinned_bytes_per_s = gpu->pcie_pinned_mb_s * BYTES_PER_MB,
                           .staging_bytes = gpu->staging_kb * BYTES_PER_KB,
                           .latency_ps = ct_time_round(gpu->copy_latency_us * (double)CT_PS_PER_US),
                           .single = gpu->copy_engines == GPU_COPY_SINGLE,
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

static ct_time_ps later(ct_time_ps time, ct_time_ps duration) {
    return duration < CT_TIME_NEVER - time ? time + duration : CT_TIME_NEVER;
}

ct_time_ps pcie_solo_time(const struct pcie_link *link, uint64_t bytes, bool pinned) {
    return later(link->latency_ps, transfer_time((double)bytes, own_rate(link, pinned)));
}

static void blame(const struct pcie_link *link, const struct pcie_copy *victim,
                  const struct pcie_copy *culprit, enum pcie_loss loss, double ps) {
    if (link->blame && victim != culprit)
        link->blame(link->blame_context, victim, culprit, loss, ps);
}

static void charge_moving(struct pcie_link *link, struct pcie_copy *copy, ct_time_ps duration) {
    double bytes = copy->rate_bytes_per_s * ct_time_s(duration);
    copy->bytes_left -= bytes;
    link->moved_bytes += bytes;
    double lost = 1.0 - copy->rate_bytes_per_s / own_rate(link, copy->pinned);
    if (!(lost > 0.0))
        return;
    double ps = lost * (double)duration;
    copy->sharing_loss_ps += ps;
    for (const struct pcie_copy *other = link->active.head; other; other = other->next)
        blame(link, copy, other, PCIE_LOSS_SHARING, ps / (double)(link->active_count - 1));
}

static void charge_waiting(struct pcie_link *link, struct pcie_copy *copy, ct_time_ps duration) {
    copy->wait_ps += duration;
    for (const struct pcie_copy *holder = link->active.head; holder; holder = holder->next)
        blame(link, copy, holder, PCIE_LOSS_WAIT, (double)duration / (double)link->active_count);
}

/* Lets time pass to `now`, up to which nothing changes. */
static void pass(struct pcie_link *link, ct_time_ps now) {
    ct_time_ps duration = now - link->now_ps;
    link->now_ps = now;
    if (duration == 0 || !link->active.head)
        return;
    link->busy_ps += duration;
    for (struct pcie_copy *copy = link->active.head; copy; copy = copy->next)
        if (copy->state == PCIE_MOVING)
            charge_moving(link, copy, duration);
    for (struct pcie_copy *copy = link->waiting.head; copy; copy = copy->next)
        charge_waiting(link, copy, duration);
}

static void queue(struct pcie_link *link, struct pcie_copy *copy) {
    copy->state = PCIE_WAITING;
    copy->rate_bytes_per_s = copy->piece_end_bytes = 0.0;
    copy->next_ps = CT_TIME_NEVER;
    link->waiting_pinned += copy->pinned;
    list_append(&link->waiting, copy);
}

/* The bytes of its piece are through: exactly so, whatever rounding has left. */
static void end_piece(struct pcie_link *link, struct pcie_copy *copy) {
    link->moved_bytes += copy->bytes_left - copy->piece_end_bytes;
    copy->bytes_left = copy->piece_end_bytes;
    if (copy->bytes_left > 0.0) {
        queue(link, copy);
        return;
    }
    copy->state = PCIE_ENDED;
    copy->rate_bytes_per_s = 0.0;
    copy->ended_ps = link->now_ps;
    list_append(&link->ended, copy);
}

/* At the end of its latency a copy that holds the link alone begins to move. */
static void begin_alone(const struct pcie_link *link, struct pcie_copy *copy) {
    copy->state = PCIE_MOVING;
    copy->piece_end_bytes = 0.0;
    copy->rate_bytes_per_s = own_rate(link, copy->pinned);
    copy->next_ps = later(link->now_ps, transfer_time(copy->bytes_left, copy->rate_bytes_per_s));
}

/* Handles all that is due on the link now; what ends leaves the list of active copies. */
static void handle_active(struct pcie_link *link) {
    struct pcie_list active = link->active;
    link->active = (struct pcie_list){0};
    link->active_count = 0;
    while (active.head) {
        struct pcie_copy *copy = list_take_head(&active);
        bool due = copy->next_ps <= link->now_ps;
        if (due && copy->state == PCIE_MOVING) {
            end_piece(link, copy);
            continue;
        }
        if (due)
            begin_alone(link, copy);
        list_append(&link->active, copy);
        link->active_count++;
    }
}

static void handle_setup(struct pcie_link *link) {
    while (link->setup.head && link->setup.head->next_ps <= link->now_ps)
        queue(link, list_take_head(&link->setup));
}

static void admit_head(struct pcie_link *link) {
    struct pcie_copy *copy = list_take_head(&link->waiting);
    link->waiting_pinned -= copy->pinned;
    list_append(&link->active, copy);
    link->active_count++;
    if (!holds_alone(link, copy)) {
        copy->state = PCIE_MOVING; /* its rate follows */
        return;
    }
    copy->state = PCIE_LATENCY;
    copy->started_ps = link->now_ps;
    copy->next_ps = later(link->now_ps, link->latency_ps);
}

/* First come, first served; pageable copies at the head go together, up to the first that wants the
 * link alone. */
static void admit(struct pcie_link *link) {
    while (link->waiting.head) {
        const struct pcie_copy *holder = link->active.head;
        bool free =
            !holder || (!holds_alone(link, holder) && !holds_alone(link, link->waiting.head));
        if (!free)
            return;
        admit_head(link);
    }
}

/* bytes_left at the end of the piece that moves now; pieces are counted from the copy's first byte.
 */
static double piece_end(const struct pcie_link *link, const struct pcie_copy *copy) {
    if (link->waiting_pinned == 0)
        return 0.0;
    if (copy->piece_end_bytes > 0.0)
        return copy->piece_end_bytes;
    double all = (double)copy->bytes;
    double done = floor((all - copy->bytes_left) / link->staging_bytes + PIECE_ROUNDING) + 1.0;
    double left = all - done * link->staging_bytes;
    return left > 0.0 ? left : 0.0;
}

/* Rates and next moments of the pageable copies that move; an end that stands is not rounded again.
 */
static void share(struct pcie_link *link) {
    double part = link->effective_bytes_per_s / (double)link->active_count;
    double rate = part < link->pageable_bytes_per_s ? part : link->pageable_bytes_per_s;
    for (struct pcie_copy *copy = link->active.head; copy; copy = copy->next) {
        double end = piece_end(link, copy);
        if (copy->rate_bytes_per_s == rate && copy->piece_end_bytes == end)
            continue;
        copy->rate_bytes_per_s = rate;
        copy->piece_end_bytes = end;
        copy->next_ps = later(link->now_ps, transfer_time(copy->bytes_left - end, rate));
    }
}

static void plan(struct pcie_link *link) {
    admit(link);
    if (link->active.head && !holds_alone(link, link->active.head))
        share(link);
    link->next_ps = link->setup.head ? link->setup.head->next_ps : CT_TIME_NEVER;
    for (const struct pcie_copy *copy = link->active.head; copy; copy = copy->next)
        if (copy->next_ps < link->next_ps)
            link->next_ps = copy->next_ps;
}

static void run_until(struct pcie_link *link, ct_time_ps now) {
    ct_assert(now >= link->now_ps);
    while (link->next_ps <= now && link->next_ps != CT_TIME_NEVER) {
        pass(link, link->next_ps);
        handle_active(link);
        handle_setup(link);
        plan(link);
    }
    pass(link, now);
}

void pcie_submit(struct pcie_link *link, struct pcie_copy *copy, ct_time_ps now) {
    run_until(link, now);
    copy->bytes_left = (double)copy->bytes;
    copy->rate_bytes_per_s = copy->piece_end_bytes = copy->sharing_loss_ps = 0.0;
    copy->submitted_ps = copy->started_ps = copy->ended_ps = now;
    copy->wait_ps = 0;
    if (holds_alone(link, copy)) {
        queue(link, copy);
    } else {
        copy->state = PCIE_SETUP;
        copy->next_ps = later(now, link->latency_ps);
        list_append(&link->setup, copy);
    }
    plan(link);
}

ct_time_ps pcie_next_event(const struct pcie_link *link) {
    return link->ended.head ? link->now_ps : link->next_ps;
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
