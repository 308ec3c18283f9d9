#include "experiment/report_server.h"

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
    out->server.batch_mean = (double)requests / (double)out->server.batches;
}

void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out) {
    struct report_server *server = &out->server;
    int64_t *const dropped[SIM_DROP_COUNT] = {&server->dropped_queue, &server->dropped_limit,
                                              &server->dropped_timeout};
    double seconds = 0, good = 0, queue_ps = 0, ended = 0, all = 0;
    if (!b->input->setup->apps[app].spec->server)
        return;
    set_batches(b, app, out);
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        good += (double)result->good;
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
    server->queue_ms = queue_ps / (ended - all) / (double)CT_PS_PER_MS;
}
