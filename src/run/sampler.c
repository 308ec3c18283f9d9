/*
 * Curves over time for whoever watches: SMs held and memory bandwidth of each application,
 * bandwidth of memory and link. A sample is the mean over a bin, told at its end with the time of
 * its begin, and only where it differs from the bin before.
 */
#include "run/run.h"

/* Samples of a curve in a run: as fine as a screen is wide at a few levels of zoom. */
enum { SAMPLE_BINS = 4000 };

enum sampler_link { SAMPLER_IN, SAMPLER_OUT, SAMPLER_LINKS };

/* A curve, and what was last told of it. */
struct sampler_curve {
    const char *name, *unit;
    int64_t app;       /* -1: of the device */
    double per_second; /* of a sum that grows: value per unit of it and second */
    double before, told;
};

struct sampler {
    struct run *run;
    ct_time_ps period_ps, begin_ps;
    struct sampler_curve *sms, *dram, *quota; /* by application */
    struct sampler_curve total_dram, pcie[SAMPLER_LINKS];
};

static void tell(const struct sampler *sampler, struct sampler_curve *curve, double value) {
    if (value == curve->told)
        return;
    curve->told = value;
    struct sim_sample sample = {sampler->begin_ps, curve->name, curve->unit, curve->app, value};
    const struct sim_observer *observer = sampler->run->params->observer;
    observer->sampled(observer->context, &sample);
}

static void tell_growth(const struct sampler *sampler, struct sampler_curve *curve, double sum) {
    double value = (sum - curve->before) / ct_time_s(sampler->period_ps) * curve->per_second;
    curve->before = sum;
    tell(sampler, curve, value);
}

static void tell_app(struct sampler *sampler, uint32_t app) {
    const struct run *run = sampler->run;
    double sm_ps = 0, dram_bytes = 0, quota = 0, instances = 0;
    for (uint32_t i = 0; i < run->client_count; i++) {
        if (run->clients[i].app_index != app)
            continue;
        struct device_watch watch = device_watch_client(run->device, i);
        sm_ps += watch.sm_ps;
        dram_bytes += watch.dram_bytes;
        quota += watch.quota;
        instances++;
    }
    tell_growth(sampler, &sampler->sms[app], sm_ps);
    tell_growth(sampler, &sampler->dram[app], dram_bytes);
    if (instances > 0) /* the mean of its instances; in a run alone the others have none */
        tell(sampler, &sampler->quota[app], 100 * quota / instances);
}

static void on_sample(void *context, uint64_t argument) {
    struct sampler *sampler = context;
    struct run *run = sampler->run;
    (void)argument;
    run->marks--;
    run->watched++;
    for (uint32_t app = 0; app < run->setup->app_count; app++)
        tell_app(sampler, app);
    tell_growth(sampler, &sampler->total_dram, device_watch_dram_bytes(run->device));
    for (uint32_t link = 0; link < device_watch_pcie_links(run->device); link++)
        tell_growth(sampler, &sampler->pcie[link], device_watch_pcie_bytes(run->device, link));
    sampler->begin_ps = des_engine_now(run->engine);
    if (!run->draining)
        run_mark(run, sampler->begin_ps + sampler->period_ps, on_sample, sampler, 0);
}

static void name_curves(struct sampler *sampler) {
    const struct gpu *gpu = &sampler->run->setup->gpu;
    double percent_of_sms = 100 / ((double)gpu->sms * (double)CT_PS_PER_S);
    for (uint32_t i = 0; i < sampler->run->setup->app_count; i++) {
        sampler->sms[i] = (struct sampler_curve){"sm_share", "%", i, percent_of_sms, 0, 0};
        sampler->dram[i] = (struct sampler_curve){"dram_bandwidth", "GB/s", i, 1e-9, 0, 0};
        sampler->quota[i] = (struct sampler_curve){"quota", "%", i, 0, 0, 0};
    }
    sampler->total_dram = (struct sampler_curve){"dram_bandwidth", "GB/s", -1, 1e-9, 0, 0};
    const char *in = gpu->copy_engines == GPU_COPY_SINGLE ? "pcie" : "pcie_h2d";
    sampler->pcie[SAMPLER_IN] = (struct sampler_curve){in, "GB/s", -1, 1e-9, 0, 0};
    sampler->pcie[SAMPLER_OUT] = (struct sampler_curve){"pcie_d2h", "GB/s", -1, 1e-9, 0, 0};
}

void sampler_start(struct run *run) {
    const struct sim_observer *observer = run->params->observer;
    uint32_t apps = run->setup->app_count;
    if (!observer || !observer->sampled || run->measured.end_ps < SAMPLE_BINS)
        return;
    struct sampler *sampler = ct_arena_alloc(&run->arena, sizeof *sampler);
    struct sampler_curve *curves = ct_arena_array(&run->arena, 3 * (size_t)apps, sizeof *curves);
    if (!sampler || !curves) {
        run_out_of_memory(run);
        return;
    }
    *sampler = (struct sampler){.run = run,
                                .period_ps = run->measured.end_ps / SAMPLE_BINS,
                                .sms = curves,
                                .dram = curves + apps,
                                .quota = curves + 2 * (size_t)apps};
    name_curves(sampler);
    run_mark(run, sampler->period_ps, on_sample, sampler, 0);
}
