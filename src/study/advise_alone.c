/* What batch applications do alone on a GPU. */
#include "study/advise_types.h"

#include "policies/policies.h"

#include <math.h>

/* Sums over replications. */
struct sums {
    double ended, latency_ps, latencies, window_ps;
};

/* Times of the jobs that ended. */
static void add_jobs(struct sums *sums, const struct sim_result *result) {
    const struct sim_app_result *app = &result->apps[0];
    for (size_t i = 0, aged = 0; i < app->latency_ps.count; i++) {
        double latency_ps = app->latency_ps.items[i];
        bool ended = aged == app->aged.count || app->aged.items[aged] != i;
        aged += !ended;
        if (!ended || isnan(latency_ps))
            continue;
        sums->latency_ps += latency_ps;
        sums->latencies++;
    }
    sums->ended += (double)app->jobs_ended;
    sums->window_ps += (double)result->window_ps;
}

/* A closed loop that neither begins late nor thinks always has a job; what others have is measured,
 * by Little's law: jobs side by side are no more than all the time. */
static double busy_of(const struct workload_arrivals *arrivals, const struct sums *sums) {
    bool endless = arrivals->process == WORKLOAD_CLOSED &&
                   workload_draw_is(&arrivals->think_ms, 0) &&
                   workload_draw_is(&arrivals->delay_ms, 0);
    if (endless || !(sums->latencies > 0))
        return endless;
    return fmin(1, sums->ended / sums->window_ps * sums->latency_ps / sums->latencies);
}

static bool is_interrupted(void *context, double part) {
    const struct plan *plan = context;
    (void)part;
    return ct_is_interrupted(&plan->listener);
}

static int run_app(struct sim_params *params, uint32_t replications, double *ps_per_s,
                   struct sums *sums, struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t r = 0; r < replications && status == CT_OK; r++) {
        struct sim_result result = {0};
        params->replication = r;
        status = sim_run(params, &result, diags);
        if (status == CT_OK && result.interrupted)
            status = CT_INTERRUPTED;
        if (status == CT_OK) {
            ps_per_s[r] = result.apps[0].work_ps / ct_time_s(result.window_ps);
            add_jobs(sums, &result);
        }
        sim_result_free(&result);
    }
    return status;
}

int advise_alone(const struct plan *plan, const struct setup *setup, double duration_s,
                 uint32_t replications, struct plan_solo *solo, struct ct_arena *arena,
                 struct ct_diags *diags) {
    const struct workload *w = plan->workload;
    int status = CT_OK;
    for (uint32_t a = 0; a < w->apps.count && status == CT_OK; a++) {
        struct workload_app spec = w->apps.items[a];
        struct setup_app app = setup->apps[a];
        struct setup alone = setup_alone(setup, a);
        struct sums sums = {0};
        alone.apps = &app;
        app.spec = &spec;
        spec.stop = WORKLOAD_STOP_DURATION; /* as beside services, whose runs have that length */
        struct sim_params params = {.setup = &alone,
                                    .policy = &policy_mps,
                                    .seed = plan->seed,
                                    .warmup_ps = ct_time_of_s(w->warmup_s),
                                    .duration_ps = ct_time_of_s(duration_s),
                                    .interrupted = is_interrupted,
                                    .interrupt_context = (struct plan *)plan,
                                    .dump_at_ps = CT_TIME_NEVER};
        if (spec.role != CT_BATCH)
            continue;
        double *ps_per_s = ct_arena_array(arena, replications, sizeof *ps_per_s);
        if (!ps_per_s)
            return ct_out_of_memory(diags);
        status = run_app(&params, replications, ps_per_s, &sums, diags);
        solo[a].busy = busy_of(&spec.arrivals, &sums);
        solo[a].ps_per_s = ps_per_s;
    }
    return status;
}
