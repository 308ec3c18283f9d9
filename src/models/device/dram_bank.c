#include "models/device/dram_bank.h"

#include "base/ct_assert.h"
#include "models/device/dram_bank_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes are gathered to 56 and written down to 32 of 64 entries: GPGPU-Sim's write queue
 * (-dram_write_queue_size 64:56:32); HSM was evaluated on that simulator. */
#define WRITES_HIGH 56
#define WRITES_LOW 32
#define WRITES_OF 64
#define WARM_UP_QUEUES 4
#define OUTSTANDING_MOST 1000000

/* ---- the choice of commands ---- */

/* The time from which the constraints beyond a bank's own let it do a job. */
static int64_t gate_of(const struct dram_channel *channel, enum dram_job job, int bank) {
    int group = channel->banks[bank].group;
    if (job == DRAM_COLUMN)
        return channel->group_column_at[channel->writing][group];
    return job == DRAM_ACTIVATE ? channel->group_activate_at[group] : 0;
}

static int64_t gate_of_all(const struct dram_channel *channel, enum dram_job job) {
    int64_t bus = channel->bus_at[job == DRAM_COLUMN ? 0 : 1], at = 0;
    if (job == DRAM_COLUMN)
        at = channel->column_at[channel->writing];
    else if (job == DRAM_ACTIVATE)
        at = channel->activate_at;
    return at > bus ? at : bus;
}

/* The bank with the oldest request among those that may do the job now; none: when to look again.
 */
static int choose(struct dram_channel *channel, enum dram_job job) {
    struct dram_candidates *c = &channel->candidates;
    int64_t gate = gate_of_all(channel, job), wake = CT_TIME_NEVER, oldest = INT64_MAX;
    int best = DRAM_NOBODY;
    if (gate > channel->now) {
        c->wake_at[job] = gate;
        return DRAM_NOBODY;
    }
    for (uint64_t rest = c->banks[job]; rest; rest &= rest - 1) {
        int bank = __builtin_ctzll(rest);
        int64_t group_at = gate_of(channel, job, bank);
        int64_t at = c->at[bank] > group_at ? c->at[bank] : group_at;
        if (at > channel->now) {
            wake = at < wake ? at : wake;
        } else if (c->age[bank] < oldest) {
            oldest = c->age[bank];
            best = bank;
        }
    }
    c->wake_at[job] = wake;
    return best;
}

static void take_bus(struct dram_channel *channel, int bus) {
    channel->bus_at[bus] = channel->now + 1;
    if (!channel->params->preset->two_command_buses)
        channel->bus_at[1 - bus] = channel->now + 1;
}

/* Column commands first, then activates, which are scarcer than precharges. */
static void issue(struct dram_channel *channel) {
    static void (*const commands[DRAM_JOBS])(struct dram_channel *, int) = {
        dram_command_column, dram_command_activate, dram_command_precharge};
    for (int job = 0; job < DRAM_JOBS; job++) {
        if (channel->candidates.wake_at[job] > channel->now)
            continue;
        int bank = choose(channel, (enum dram_job)job);
        if (bank == DRAM_NOBODY)
            continue;
        take_bus(channel, job == DRAM_COLUMN ? 0 : 1);
        commands[job](channel, bank);
        channel->candidates.wake_at[job] = gate_of_all(channel, (enum dram_job)job);
    }
}

static void refresh_if_due(struct dram_channel *channel) {
    if (!channel->refreshing && channel->now >= channel->refresh_due) {
        channel->refreshing = true;
        dram_bank_reconsider_all(channel);
    }
    if (channel->refreshing)
        dram_command_refresh(channel);
}

/* When the last bank has recovered from its precharge; while a row is open its precharge comes
 * first. */
static int64_t refresh_at(const struct dram_channel *channel) {
    int64_t at = channel->now + 1;
    if (!channel->refreshing)
        return channel->refresh_due;
    for (int b = 0; b < channel->bank_count; b++) {
        if (channel->banks[b].row != DRAM_NO_ROW)
            return CT_TIME_NEVER;
        if (channel->banks[b].activate_at > at)
            at = channel->banks[b].activate_at;
    }
    return at;
}

static void advance(struct dram_channel *channel) {
    int64_t next = refresh_at(channel);
    for (int job = 0; job < DRAM_JOBS; job++)
        if (channel->candidates.wake_at[job] < next)
            next = channel->candidates.wake_at[job];
    int64_t arrival = dram_front_next(channel);
    next = arrival < next ? arrival : next;
    ct_assert(next < CT_TIME_NEVER);
    channel->now = next > channel->now ? next : channel->now + 1;
}

static void run_until(struct dram_channel *channel, int64_t requests) {
    for (;;) {
        for (int bank; (bank = dram_front_enter(channel)) != DRAM_NOBODY;)
            dram_bank_reconsider(channel, bank);
        refresh_if_due(channel);
        issue(channel);
        if (channel->total.requests >= requests)
            return;
        advance(channel);
    }
}

/* ---- set-up ---- */

/* Entries of the queue per application by largest remainder; the earlier one where two are level.
 */
static void share_queue(const struct dram_bank_params *params, int64_t *entries) {
    double sum = 0.0, rest[DRAM_APPS_MOST];
    int64_t left = params->queue;
    for (size_t a = 0; a < params->app_count; a++)
        sum += params->apps[a].share;
    for (size_t a = 0; a < params->app_count; a++) {
        double wanted = (double)params->queue * params->apps[a].share / sum;
        entries[a] = (int64_t)wanted;
        rest[a] = wanted - (double)entries[a];
        left -= entries[a];
    }
    for (; left > 0; left--) {
        size_t most = 0;
        for (size_t a = 1; a < params->app_count; a++)
            if (rest[a] > rest[most])
                most = a;
        entries[most]++;
        rest[most] = -1.0;
    }
}

static void init_channel(struct dram_channel *channel, const struct dram_bank_params *params) {
    const struct dram_preset *preset = params->preset;
    channel->params = params;
    channel->cycles = preset->cycles;
    channel->data_cycles = dram_preset_data_cycles(preset);
    channel->last_burst_cycles = (preset->bursts - 1) * preset->cycles.ccd_other;
    int64_t same = preset->bursts * preset->cycles.ccd_same;
    channel->same_group_cycles = same > channel->data_cycles ? same : channel->data_cycles;
    channel->bank_count = (int)preset->banks;
    for (int b = 0; b < channel->bank_count; b++)
        channel->banks[b].group = b % (int)preset->bank_groups;
    channel->writes_high = (params->queue * WRITES_HIGH + WRITES_OF - 1) / WRITES_OF;
    channel->writes_low = params->queue * WRITES_LOW / WRITES_OF;
    channel->refresh_due = params->refresh ? preset->cycles.refi : CT_TIME_NEVER;
    for (size_t i = 0; i < CT_COUNT_OF(channel->window); i++)
        channel->window[i] = -preset->cycles.faw;
    dram_queue_init(channel);
}

static int64_t streams_of(const struct dram_bank_params *params, size_t app) {
    return params->sources && params->sources[app].streams ? params->sources[app].streams
                                                           : params->streams;
}

static void fill_queue(struct dram_channel *channel, const int64_t *entries) {
    const struct dram_bank_params *params = channel->params;
    for (size_t a = 0; a < params->app_count; a++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", a);
        dram_stream_init(&channel->streams[a], params->seed, name, params->apps[a].locality,
                         params->reads, (uint32_t)streams_of(params, a),
                         (uint32_t)params->preset->banks);
    }
    for (int64_t i = 0; i < params->queue; i++) /* interleaved: nobody begins as the oldest */
        for (size_t a = 0; a < params->app_count; a++)
            if (i < entries[a])
                dram_queue_add(channel, a);
    channel->writing = channel->waiting[DRAM_READ] == 0;
    dram_bank_reconsider_all(channel);
}

static void check_params(const struct dram_bank_params *params, struct ct_diags *diags) {
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {
        {"apps", (double)params->app_count, 1, DRAM_APPS_MOST},
        {"reads", params->reads, 0, 1},
        {"streams", (double)params->streams, 1, DRAM_STREAMS_MOST},
        {"cap", (double)params->cap, 0, 1e9},
        {"queue", (double)params->queue, 1, DRAM_QUEUE_MOST},
        {"requests", (double)params->requests, 1, 1e12},
    };
    for (size_t i = 0; i < CT_COUNT_OF(ranges); i++)
        if (!(ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most))
            ct_error(diags, "dram", "'%s' is %g, outside %g to %g", ranges[i].name, ranges[i].value,
                     ranges[i].least, ranges[i].most);
    for (size_t a = 0; a < params->app_count && a < DRAM_APPS_MOST; a++) {
        if (!(params->apps[a].locality >= 0.0 && params->apps[a].locality <= 1.0))
            ct_error(diags, "dram", "'locality' of application %zu is %g, outside 0 to 1", a + 1,
                     params->apps[a].locality);
        if (!(params->apps[a].share > 0.0 && params->apps[a].share <= 1e6))
            ct_error(diags, "dram", "'share' of application %zu is %g, not above 0", a + 1,
                     params->apps[a].share);
    }
}

static int check(const struct dram_bank_params *params, int64_t *entries, struct ct_diags *diags) {
    size_t before = diags->errors;
    dram_preset_check(params->preset, params->preset->name, diags);
    check_params(params, diags);
    if (diags->errors > before)
        return CT_USAGE;
    share_queue(params, entries);
    for (size_t a = 0; a < params->app_count; a++)
        if (entries[a] == 0)
            ct_error(diags, "dram", "'share' of application %zu gives it none of the %lld entries",
                     a + 1, (long long)params->queue);
    for (size_t a = 0; params->sources && a < params->app_count; a++) {
        const struct dram_bank_source *source = &params->sources[a];
        if (source->streams < 0 || source->streams > DRAM_STREAMS_MOST ||
            (source->outstanding != 0 &&
             !(source->outstanding >= entries[a] && source->outstanding <= OUTSTANDING_MOST &&
               source->offered > 0)))
            ct_error(diags, "dram", "the source of application %zu is out of range", a + 1);
    }
    return diags->errors > before ? CT_USAGE : CT_OK;
}

/* ---- result ---- */

static void derive(const struct dram_bank_params *params, const int64_t *entries,
                   struct dram_bank_result *r) {
    r->row_hit_rate = (double)r->hits / (double)r->requests;
    r->utilisation =
        (double)(r->requests * dram_preset_data_cycles(params->preset)) / (double)r->cycles;
    for (size_t a = 0; a < params->app_count; a++) {
        struct dram_bank_app_result *app = &r->apps[a];
        app->row_hit_rate = app->requests ? (double)app->hits / (double)app->requests : NAN;
        app->bandwidth_share = (double)app->requests / (double)r->requests;
        app->queue_share = (double)entries[a] / (double)params->queue;
    }
}

int dram_bank_run(const struct dram_bank_params *params, struct dram_bank_result *result,
                  struct ct_diags *diags) {
    int64_t entries[DRAM_APPS_MOST] = {0};
    int status = check(params, entries, diags);
    if (status != CT_OK)
        return status;
    struct dram_channel *channel = calloc(1, sizeof *channel);
    void *queue =
        calloc((size_t)params->queue, sizeof(struct dram_request) + sizeof(struct dram_row_group));
    if (channel && queue) {
        channel->groups = queue;
        channel->requests = (void *)(channel->groups + params->queue);
        init_channel(channel, params);
    }
    if (channel && queue && dram_front_open(channel, entries)) {
        fill_queue(channel, entries);
        run_until(channel, WARM_UP_QUEUES * params->queue);
        channel->total = (struct dram_bank_result){.cycles = -channel->now};
        run_until(channel, params->requests);
        *result = channel->total;
        result->cycles += channel->now;
        derive(params, entries, result);
    } else {
        status = ct_out_of_memory(diags);
    }
    if (channel)
        dram_front_close(channel);
    free(queue);
    free(channel);
    return status;
}
