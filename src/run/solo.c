#include "run/solo.h"

#include "des/des_quantile.h"
#include "policies/policies.h"

enum {
    SOLO_JOBS_ALIKE = 3, /* the first may bring copies that later ones do not have */
    SOLO_JOBS_DRAWN = 101,
};

/* A stream of its own: the jobs of the run are drawn apart. */
static const uint64_t SOLO_REPLICATION = UINT64_MAX - 1;

static bool jobs_differ(const struct setup_app *app) {
    return app->plan_count > 1 || !workload_draw_is(&app->spec->size, 1) ||
           (app->synthetic && app->spec->synthetic.duration_ms.kind != WORKLOAD_FIXED);
}

int solo_measure(const struct setup *setup, uint32_t app, uint64_t seed, struct solo *solo,
                 struct ct_diags *diags) {
    struct sim_params params = {
        .setup = setup,
        .policy = &policy_mps,
        .seed = seed,
        .replication = SOLO_REPLICATION,
        .only_app = app,
        .jobs_back_to_back = jobs_differ(&setup->apps[app]) ? SOLO_JOBS_DRAWN : SOLO_JOBS_ALIKE,
        .duration_ps = CT_TIME_NEVER / 4,
        .dump_at_ps = CT_TIME_NEVER};
    struct sim_result result;
    int status = sim_run(&params, &result, diags);
    *solo = (struct solo){NAN, NAN};
    if (status == CT_OK && result.apps[app].latency_ps.count > 0) {
        double *latencies = result.apps[app].latency_ps.items, sum = 0;
        size_t count = result.apps[app].latency_ps.count;
        for (size_t i = 0; i < count; i++)
            sum += latencies[i];
        solo->mean_ms = sum / (double)count / (double)CT_PS_PER_MS;
        solo->median_ms = des_quantile_select(latencies, count, 0.5) / (double)CT_PS_PER_MS;
    }
    sim_result_free(&result);
    return status;
}
