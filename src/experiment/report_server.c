#include "experiment/report_server.h"

#include <math.h>
#include <stdio.h>

static void set_batches(struct report_builder *b, uint32_t app, struct report_app *out) {
    size_t most = (size_t)b->input->setup->apps[app].spec->server->max_batch;
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
    if (out->server.batches)
        out->server.batch_mean = (double)requests / (double)out->server.batches;
}

void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out) {
    struct report_server *server = &out->server;
    uint64_t good = 0, run_to_end = 0, dropped[SIM_DROP_COUNT] = {0}, all = 0;
    double seconds = 0, queue_ps = 0;
    if (!b->input->setup->apps[app].spec->server)
        return;
    set_batches(b, app, out);
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        good += result->good;
        queue_ps += result->queue_ps;
        run_to_end += result->jobs - result->unfinished;
        seconds += ct_time_s(b->input->runs[r].shared->window_ps);
        for (int why = 0; why < SIM_DROP_COUNT; why++) {
            dropped[why] += result->dropped[why];
            all += result->dropped[why];
        }
    }
    server->goodput_per_s = (double)good / seconds;
    server->dropped_queue = (int64_t)dropped[SIM_DROP_QUEUE];
    server->dropped_limit = (int64_t)dropped[SIM_DROP_LIMIT];
    server->dropped_timeout = (int64_t)dropped[SIM_DROP_TIMEOUT];
    if (out->jobs)
        server->dropped_fraction = (double)all / (double)out->jobs;
    if (run_to_end > all)
        server->queue_ms = queue_ps / (double)(run_to_end - all) / (double)CT_PS_PER_MS;
}

void report_note_batches(struct report_builder *b, const struct workload_app *app) {
    const struct workload_server *server = app->server;
    char error[120] = "too few sizes are recorded to tell how good that is";
    int64_t without = 0;
    for (int64_t i = 0; server->jobs && i < server->max_batch; i++)
        without += server->jobs[i].interpolated;
    if (!isnan(server->held_out_error))
        snprintf(error, sizeof error,
                 "a recorded size that is left out is missed by at most %.2g %% of its kernel time",
                 100 * server->held_out_error);
    if (without)
        report_notice(
            b,
            "'%s': %lld of its %lld batch sizes have no recording: launches of the nearest that "
            "has one, times and bytes by the lines of its neighbours; %s",
            app->name, (long long)without, (long long)server->max_batch, error);
    if (!server->jobs && server->max_batch > 1)
        report_notice(
            b, "'%s': a batch takes what a job does, whatever its size: no 'batches' are given",
            app->name);
}
