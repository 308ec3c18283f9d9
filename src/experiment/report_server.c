#include "experiment/report_builder.h"

#include "base/ct_target.h"
#include "des/des_statistics.h"

#include <math.h>
#include <stdlib.h>

static void set_batches(struct report_builder *b, uint32_t app, struct report_app *out) {
    size_t most = (size_t)workload_server_most(b->input->setup->apps[app].spec->server);
    struct report_batches *sizes = ct_arena_array(b->arena, most, sizeof *sizes);
    int64_t requests = 0;
    *b->lost |= !sizes;
    out->server.batches = 0;
    for (size_t size = 1; sizes && size <= most; size++) {
        struct report_batches *entry = &sizes[out->batches_count];
        *entry = (struct report_batches){(int64_t)size, 0};
        for (uint32_t r = 0; r < b->input->run_count; r++) {
            const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
            if (size <= result->batches.count)
                entry->count += (int64_t)result->batches.items[size - 1];
        }
        out->batches_count += entry->count > 0;
        out->server.batches += entry->count;
        requests += entry->size * entry->count;
    }
    out->batches = sizes;
    out->server.batch_mean = (double)requests / (double)out->server.batches;
}

/* Sets median and p99 of the times, and frees these. */
static void set_quantiles(struct report_builder *b, struct report_times *times, double *p50,
                          double *p99, struct report_error *error) {
    struct des_batch_series series = report_times_series(times);
    struct des_batch_interval interval;
    if (series.runs && !des_batch_quantile(&series, 0.99, 0.95, &interval)) {
        *b->lost = true;
    } else if (series.runs) {
        *p99 = interval.estimate;
        *error = (struct report_error){interval.error, (int64_t)interval.batches};
        *p50 = des_quantile_select(times->items, times->count, 0.5);
    }
    report_times_free(times);
}

int64_t report_verdict(const struct report_app *app, double p99_ms, double target_ms,
                       int64_t within) {
    bool drops = report_drops_too_many(app->server.lost_fraction, 1);
    if (isnan(target_ms) || (isnan(p99_ms) && !drops))
        return REPORT_UNKNOWN;
    return drops || ct_is_beyond(p99_ms, target_ms) ? REPORT_NO : within;
}

static void set_token_targets(const struct workload_continuous *spec, struct report_app *app) {
    struct report_tokens *out = &app->tokens;
    out->first_target_ms = spec->ttft_ms > 0 ? spec->ttft_ms : NAN;
    out->each_target_ms = spec->tpot_ms > 0 ? spec->tpot_ms : NAN;
    out->first_met = report_verdict(app, out->first_p99_ms, out->first_target_ms,
                                    out->waiting ? REPORT_OPEN : REPORT_YES);
    out->each_met = report_verdict(app, out->each_p99_ms, out->each_target_ms, REPORT_YES);
}

/* Requests without a token when the run ends, in the stages before the server, too. */
static int64_t count_waiting(const struct report_builder *b, const struct report_runs *run,
                             uint32_t app) {
    const bool *before = b->input->setup->apps[app].spec->arrivals.before;
    uint64_t waiting = report_app_in(run, app)->tokens.waiting;
    for (uint32_t a = 0; before && a < b->input->setup->app_count; a++)
        waiting += before[a] ? report_app_in(run, a)->unfinished : 0;
    return (int64_t)waiting;
}

static void set_tokens(struct report_builder *b, uint32_t app, double seconds,
                       struct report_tokens *out) {
    double produced = 0, median;
    struct report_error none;
    struct report_times first = {0}, each = {0}, longest = {0};
    out->recomputes = out->swaps = out->recomputed = out->waiting = 0;
    out->cache = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        const struct sim_tokens *tokens = &result->tokens;
        produced += (double)tokens->produced;
        out->waiting += count_waiting(b, &b->input->runs[r], app);
        out->recomputes += (int64_t)tokens->recomputes;
        out->swaps += (int64_t)tokens->swaps;
        out->recomputed += (int64_t)tokens->recomputed;
        out->cache = fmax(out->cache, tokens->cache);
        report_times_add(b, &first, tokens->first_ps.items, tokens->first_ps.count);
        report_times_add(b, &each, tokens->each_ps.items, tokens->each_ps.count);
        report_times_add(b, &longest, tokens->longest_ps.items, tokens->longest_ps.count);
    }
    out->per_s = produced / seconds;
    set_quantiles(b, &first, &out->first_p50_ms, &out->first_p99_ms, &out->first_error);
    set_quantiles(b, &each, &out->each_p50_ms, &out->each_p99_ms, &out->each_error);
    set_quantiles(b, &longest, &median, &out->longest_p99_ms, &none);
}

/* Requests of a pipeline that an application does not answer since it, or a stage before it,
 * dropped them: those without a latency here, but for what waits at such a stage when the run ends.
 * The latencies of all stages are in one order, by the numbers of the first one. */
static double count_lost(const struct report_builder *b, const struct report_runs *run,
                         uint32_t app) {
    const bool *before = b->input->setup->apps[app].spec->arrivals.before;
    const struct sim_app_result *result = report_app_in(run, app);
    size_t count = result->latency_ps.count, lost = 0;
    bool *waits = calloc(count + 1, sizeof *waits);
    *b->lost |= !waits;
    for (uint32_t i = 0; waits && before && i < b->input->setup->app_count; i++) {
        const struct sim_app_result *stage = report_app_in(run, i);
        for (size_t k = 0; before[i] && k < stage->aged.count; k++)
            waits[stage->aged.items[k]] = true;
    }
    for (size_t i = 0; waits && i < count; i++)
        lost += isnan(result->latency_ps.items[i]) && !waits[i];
    free(waits);
    return (double)lost;
}

static void set_lost(const struct report_builder *b, uint32_t app, struct report_server *server) {
    double lost = 0;
    server->requests = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct report_runs *run = &b->input->runs[r];
        lost += count_lost(b, run, app);
        server->requests += (int64_t)report_app_in(run, app)->latency_ps.count;
    }
    server->lost_fraction = lost / (double)server->requests;
}

void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out) {
    struct report_server *server = &out->server;
    int64_t too_long = 0; /* of those that generate, and with these */
    int64_t *const dropped[SIM_DROP_COUNT] = {&server->dropped_queue, &server->dropped_limit,
                                              &server->dropped_timeout, &too_long};
    const struct workload_server *spec = b->input->setup->apps[app].spec->server;
    double seconds = 0, good = 0, queue_ps = 0, ended = 0, all = 0;
    if (!spec)
        return;
    set_batches(b, app, out);
    set_lost(b, app, server);
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        good += (double)result->good_ended;
        queue_ps += result->queue_ps;
        ended += (double)(result->jobs - result->unfinished);
        seconds += ct_time_s(b->input->runs[r].shared->window_ps);
        for (int why = 0; why < SIM_DROP_COUNT; why++) {
            *dropped[why] = (r ? *dropped[why] : 0) + (int64_t)result->dropped[why];
            all += (double)result->dropped[why];
        }
    }
    server->goodput_per_s = good / seconds;
    server->dropped_fraction = all / (double)out->jobs;
    if (spec->continuous) {
        set_tokens(b, app, seconds, &out->tokens);
        out->tokens.dropped_length = too_long;
        set_token_targets(spec->continuous, out);
    } else {
        server->queue_ms = queue_ps / (ended - all) / (double)CT_PS_PER_MS;
    }
}
