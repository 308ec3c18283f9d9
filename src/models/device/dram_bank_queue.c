#include "models/device/dram_bank_internal.h"

void dram_queue_init(struct dram_channel *channel) {
    int32_t entries = (int32_t)channel->params->queue;
    for (int32_t i = 0; i < entries; i++) {
        channel->requests[i].next = i + 1 < entries ? i + 1 : DRAM_NOBODY;
        channel->groups[i].next = channel->requests[i].next;
    }
    channel->free_request = channel->free_group = 0;
    for (int b = 0; b < channel->bank_count; b++) {
        struct dram_bank *bank = &channel->banks[b];
        bank->row = DRAM_NO_ROW;
        for (int d = 0; d < DRAM_DIRECTIONS; d++)
            bank->open[d] = bank->first[d] = bank->last[d] = DRAM_NOBODY;
    }
}

/* The youngest row groups first: a stream's requests follow each other. */
static int32_t find_group(const struct dram_channel *channel, const struct dram_bank *bank,
                          int direction, int64_t row) {
    int32_t g = bank->last[direction];
    while (g != DRAM_NOBODY && channel->groups[g].row != row)
        g = channel->groups[g].previous;
    return g;
}

/* Links a row group behind another one; behind DRAM_NOBODY: as the first. */
static void link_group(struct dram_channel *channel, struct dram_bank *bank, int direction,
                       int32_t g, int32_t previous) {
    struct dram_row_group *groups = channel->groups;
    int32_t next = previous == DRAM_NOBODY ? bank->first[direction] : groups[previous].next;
    groups[g].previous = previous;
    groups[g].next = next;
    *(previous == DRAM_NOBODY ? &bank->first[direction] : &groups[previous].next) = g;
    *(next == DRAM_NOBODY ? &bank->last[direction] : &groups[next].previous) = g;
}

static void unlink_group(struct dram_channel *channel, struct dram_bank *bank, int direction,
                         int32_t g) {
    struct dram_row_group *groups = channel->groups;
    int32_t previous = groups[g].previous, next = groups[g].next;
    *(previous == DRAM_NOBODY ? &bank->first[direction] : &groups[previous].next) = next;
    *(next == DRAM_NOBODY ? &bank->last[direction] : &groups[next].previous) = previous;
}

static int32_t new_group(struct dram_channel *channel, struct dram_bank *bank, int direction,
                         int64_t row) {
    int32_t g = channel->free_group;
    channel->free_group = channel->groups[g].next;
    channel->groups[g].row = row;
    channel->groups[g].first = channel->groups[g].last = DRAM_NOBODY;
    link_group(channel, bank, direction, g, bank->last[direction]);
    if (bank->row == row)
        bank->open[direction] = g;
    return g;
}

int dram_queue_add(struct dram_channel *channel, size_t app) {
    struct dram_stream_walk wanted = dram_stream_next(&channel->streams[app], &channel->row_count);
    struct dram_bank *bank = &channel->banks[wanted.bank];
    int direction = wanted.write ? DRAM_WRITE : DRAM_READ;
    int32_t g = wanted.fresh ? DRAM_NOBODY : find_group(channel, bank, direction, wanted.row);
    if (g == DRAM_NOBODY)
        g = new_group(channel, bank, direction, wanted.row);
    int32_t r = channel->free_request;
    channel->free_request = channel->requests[r].next;
    channel->requests[r] = (struct dram_request){
        .age = channel->request_count++, .next = DRAM_NOBODY, .app = (int32_t)app};
    struct dram_row_group *group = &channel->groups[g];
    if (group->first == DRAM_NOBODY)
        group->first = r;
    else
        channel->requests[group->last].next = r;
    group->last = r;
    channel->waiting[direction]++;
    return wanted.bank;
}

size_t dram_queue_take(struct dram_channel *channel, int b, int direction) {
    struct dram_bank *bank = &channel->banks[b];
    int32_t g = bank->open[direction];
    struct dram_row_group *group = &channel->groups[g];
    int32_t r = group->first;
    size_t app = (size_t)channel->requests[r].app;
    group->first = channel->requests[r].next;
    channel->requests[r].next = channel->free_request;
    channel->free_request = r;
    channel->waiting[direction]--;
    if (group->first == DRAM_NOBODY) {
        unlink_group(channel, bank, direction, g);
        bank->open[direction] = DRAM_NOBODY;
        group->next = channel->free_group;
        channel->free_group = g;
    }
    return app;
}

int32_t dram_queue_other(const struct dram_channel *channel, const struct dram_bank *bank,
                         int direction) {
    int32_t g = bank->first[direction];
    return g != DRAM_NOBODY && g == bank->open[direction] ? channel->groups[g].next : g;
}

void dram_queue_open(struct dram_channel *channel, int b, int64_t row) {
    struct dram_bank *bank = &channel->banks[b];
    bank->row = row;
    for (int d = 0; d < DRAM_DIRECTIONS; d++)
        bank->open[d] = find_group(channel, bank, d, row);
}

/* Back to its place by age: its oldest requests are gone. */
static void sort_in(struct dram_channel *channel, struct dram_bank *bank, int direction,
                    int32_t g) {
    unlink_group(channel, bank, direction, g);
    int32_t previous = DRAM_NOBODY, next = bank->first[direction];
    while (next != DRAM_NOBODY && dram_queue_age(channel, next) < dram_queue_age(channel, g)) {
        previous = next;
        next = channel->groups[next].next;
    }
    link_group(channel, bank, direction, g, previous);
}

void dram_queue_close(struct dram_channel *channel, int b) {
    struct dram_bank *bank = &channel->banks[b];
    bank->row = DRAM_NO_ROW;
    for (int d = 0; d < DRAM_DIRECTIONS; d++) {
        if (bank->open[d] != DRAM_NOBODY)
            sort_in(channel, bank, d, bank->open[d]);
        bank->open[d] = DRAM_NOBODY;
    }
}
