#include "models/device/dram_bank_internal.h"

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int direction_of(const struct dram_channel *channel) {
    return channel->writing ? DRAM_WRITE : DRAM_READ;
}

/* ---- what a bank would do next ---- */

struct intent {
    enum dram_job job;
    int64_t at, age;
};

static const struct intent idle = {DRAM_IDLE, 0, 0};

/* Whether as many hits as the cap allows have passed the oldest other request of the bank (FR-FCFS
 * with a cap: Mutlu and Moscibroda, MICRO 2007; HSM section 5). */
static bool is_capped(const struct dram_channel *channel, const struct dram_bank *bank,
                      int direction, int32_t other) {
    return channel->params->cap > 0 && bank->passed >= channel->params->cap &&
           other != DRAM_NOBODY &&
           dram_queue_age(channel, other) < dram_queue_age(channel, bank->open[direction]);
}

/* A row that was opened for a direction and has served nothing yet: closing it would waste the
 * activate. */
static bool is_unserved(const struct dram_bank *bank, int direction) {
    return bank->row != DRAM_NO_ROW && !bank->served && bank->open[direction] != DRAM_NOBODY;
}

/* What is served before the data bus turns: rows that have served nothing, and row hits that were
 * in the queue when it was decided. */
static bool is_owed(const struct dram_channel *channel, const struct dram_bank *bank,
                    int direction) {
    return is_unserved(bank, direction) ||
           (bank->open[direction] != DRAM_NOBODY &&
            dram_queue_age(channel, bank->open[direction]) < channel->turn_age);
}

static struct intent intent_column(const struct dram_channel *channel, const struct dram_bank *bank,
                                   int direction) {
    return (struct intent){DRAM_COLUMN, bank->column_at[direction],
                           dram_queue_age(channel, bank->open[direction])};
}

/* Row commands for requests of a direction; none of them wants the open row, or the cap holds. */
static struct intent intent_row(const struct dram_channel *channel, const struct dram_bank *bank,
                                int direction) {
    int32_t other = dram_queue_other(channel, bank, direction);
    if (other == DRAM_NOBODY)
        return idle;
    int64_t age = dram_queue_age(channel, other);
    if (bank->row == DRAM_NO_ROW)
        return (struct intent){DRAM_ACTIVATE, bank->activate_at, age};
    return (struct intent){DRAM_PRECHARGE, bank->precharge_at, age};
}

static struct intent intent_of(const struct dram_channel *channel, const struct dram_bank *bank) {
    int d = direction_of(channel);
    if (channel->refreshing ? is_unserved(bank, d) : channel->turning && is_owed(channel, bank, d))
        return intent_column(channel, bank, d);
    if (channel->refreshing)
        return bank->row == DRAM_NO_ROW ? idle
                                        : (struct intent){DRAM_PRECHARGE, bank->precharge_at, 0};
    if (channel->turning) /* rows for the coming direction are opened already */
        return bank->open[1 - d] != DRAM_NOBODY ? idle : intent_row(channel, bank, 1 - d);
    if (bank->open[d] != DRAM_NOBODY &&
        !is_capped(channel, bank, d, dram_queue_other(channel, bank, d)))
        return intent_column(channel, bank, d);
    return intent_row(channel, bank, d);
}

void dram_bank_reconsider(struct dram_channel *channel, int bank) {
    struct dram_candidates *c = &channel->candidates;
    struct intent intent = intent_of(channel, &channel->banks[bank]);
    uint64_t bit = UINT64_C(1) << bank;
    for (int job = 0; job < DRAM_JOBS; job++)
        c->banks[job] &= ~bit;
    if (intent.job == DRAM_IDLE)
        return;
    c->banks[intent.job] |= bit;
    c->at[bank] = intent.at;
    c->age[bank] = intent.age;
    if (intent.at < c->wake_at[intent.job])
        c->wake_at[intent.job] = intent.at;
}

void dram_bank_reconsider_all(struct dram_channel *channel) {
    for (int b = 0; b < channel->bank_count; b++)
        dram_bank_reconsider(channel, b);
}

/* ---- commands ---- */

static void tell(const struct dram_channel *channel, enum dram_command command, int bank) {
    if (channel->params->log)
        channel->params->log(channel->params->log_context, command, channel->now, bank);
}

static void read_at_now(struct dram_channel *channel, struct dram_bank *bank) {
    const struct dram_cycles *c = &channel->cycles;
    int64_t now = channel->now;
    channel->column_at[DRAM_READ] = now + channel->data_cycles;
    channel->group_column_at[DRAM_READ][bank->group] = now + channel->same_group_cycles;
    channel->column_at[DRAM_WRITE] =
        later(channel->column_at[DRAM_WRITE], now + c->cl + channel->data_cycles + c->turn - c->wl);
    bank->precharge_at = later(bank->precharge_at, now + channel->last_burst_cycles + c->rtp);
}

static void write_at_now(struct dram_channel *channel, struct dram_bank *bank) {
    const struct dram_cycles *c = &channel->cycles;
    int64_t now = channel->now, written = now + c->wl + channel->data_cycles;
    channel->column_at[DRAM_WRITE] = now + channel->data_cycles;
    channel->group_column_at[DRAM_WRITE][bank->group] = now + channel->same_group_cycles;
    channel->column_at[DRAM_READ] = written + c->wtr_other;
    channel->group_column_at[DRAM_READ][bank->group] = written + c->wtr_same;
    bank->precharge_at = later(bank->precharge_at, written + c->wr);
}

/* Writes are gathered until they fill so much of the queue, then written until few are left. */
static bool wants_turn(const struct dram_channel *channel) {
    int64_t reads = channel->waiting[DRAM_READ], writes = channel->waiting[DRAM_WRITE];
    if (channel->writing)
        return reads > 0 && writes <= channel->writes_low;
    return writes > 0 && (reads == 0 || writes >= channel->writes_high);
}

/* Turns the data bus from reads to writes or back where that is due. */
static void dram_bank_turn(struct dram_channel *channel) {
    if (!channel->turning) {
        if (!wants_turn(channel))
            return;
        channel->turning = true;
        channel->turn_age = channel->request_count;
        dram_bank_reconsider_all(channel);
    }
    for (int b = 0; b < channel->bank_count; b++)
        if (is_owed(channel, &channel->banks[b], direction_of(channel)))
            return;
    channel->turning = false;
    channel->writing = !channel->writing;
    channel->total.turnarounds++;
    dram_bank_reconsider_all(channel);
}

static void count(struct dram_channel *channel, const struct dram_bank *bank, size_t app) {
    channel->total.requests++;
    channel->total.hits += bank->served;
    channel->total.apps[app].requests++;
    channel->total.apps[app].hits += bank->served;
}

void dram_command_column(struct dram_channel *channel, int b) {
    struct dram_bank *bank = &channel->banks[b];
    int direction = direction_of(channel);
    int32_t other = dram_queue_other(channel, bank, direction);
    if (other != DRAM_NOBODY &&
        dram_queue_age(channel, other) < dram_queue_age(channel, bank->open[direction]))
        bank->passed++;
    if (direction == DRAM_READ)
        read_at_now(channel, bank);
    else
        write_at_now(channel, bank);
    tell(channel, direction == DRAM_READ ? DRAM_CMD_READ : DRAM_CMD_WRITE, b);
    size_t app = dram_queue_take(channel, b, direction);
    count(channel, bank, app);
    bank->served = true;
    int filled = dram_front_replace(channel, app);
    dram_bank_reconsider(channel, b);
    if (filled != b && filled != DRAM_NOBODY)
        dram_bank_reconsider(channel, filled);
    dram_bank_turn(channel);
}

/* The row of the oldest request of the direction that the data bus has, or will have. */
static int64_t wanted_row(const struct dram_channel *channel, const struct dram_bank *bank) {
    bool write = channel->writing != channel->turning;
    return channel->groups[bank->first[write ? DRAM_WRITE : DRAM_READ]].row;
}

void dram_command_activate(struct dram_channel *channel, int b) {
    const struct dram_cycles *c = &channel->cycles;
    struct dram_bank *bank = &channel->banks[b];
    int64_t now = channel->now;
    dram_queue_open(channel, b, wanted_row(channel, bank));
    bank->served = false;
    bank->passed = 0;
    bank->column_at[DRAM_READ] = now + c->rcd_read;
    bank->column_at[DRAM_WRITE] = now + c->rcd_write;
    bank->precharge_at = now + c->ras;
    bank->activate_at = now + c->rc;
    channel->window[channel->window_next] = now;
    channel->window_next = (channel->window_next + 1) % CT_COUNT_OF(channel->window);
    channel->activate_at =
        later(now + c->rrd_other, channel->window[channel->window_next] + c->faw);
    channel->group_activate_at[bank->group] = now + c->rrd_same;
    channel->total.activates++;
    tell(channel, DRAM_CMD_ACTIVATE, b);
    dram_bank_reconsider(channel, b);
}

void dram_command_precharge(struct dram_channel *channel, int b) {
    struct dram_bank *bank = &channel->banks[b];
    tell(channel, DRAM_CMD_PRECHARGE, b);
    dram_queue_close(channel, b);
    bank->activate_at = later(bank->activate_at, channel->now + channel->cycles.rp);
    dram_bank_reconsider(channel, b);
}

bool dram_command_refresh(struct dram_channel *channel) {
    for (int b = 0; b < channel->bank_count; b++)
        if (channel->banks[b].row != DRAM_NO_ROW || channel->banks[b].activate_at > channel->now)
            return false;
    for (int b = 0; b < channel->bank_count; b++)
        channel->banks[b].activate_at = channel->now + channel->cycles.rfc;
    channel->refreshing = false;
    channel->refresh_due += channel->cycles.refi;
    channel->total.refreshes++;
    tell(channel, DRAM_CMD_REFRESH, 0);
    dram_bank_turn(channel);
    dram_bank_reconsider_all(channel);
    return true;
}
