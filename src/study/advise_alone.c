/* What batch applications do alone on a GPU. */
#include "study/advise_types.h"

#include "policies/policies.h"

#include <math.h>

/* A closed loop that neither begins late nor thinks. */
static bool always_has_a_job(const struct workload_arrivals *arrivals) {
    return arrivals->process == WORKLOAD_CLOSED && workload_draw_is(&arrivals->think_ms, 0) &&
           workload_draw_is(&arrivals->delay_ms, 0);
}

/* Gives an application as many jobs at any time as it runs side by side. */
static void give_it_jobs(struct workload_app *app) {
    struct workload_arrivals *arrivals = &app->arrivals;
    int64_t clients = arrivals->process == WORKLOAD_CLOSED ? arrivals->clients : app->workers;
    *arrivals = (struct workload_arrivals){.process = WORKLOAD_CLOSED,
                                           .start = WORKLOAD_START_AT_ONCE,
                                           .clients = clients,
                                           .delay_ms = {.kind = WORKLOAD_FIXED},
                                           .think_ms = {.kind = WORKLOAD_FIXED}};
}

static bool is_interrupted(void *context, double part) {
    const struct plan *plan = context;
    (void)part;
    return ct_is_interrupted(&plan->listener);
}

/* Work on the device in a second, by replication. */
static int run_app(struct sim_params *params, uint32_t replications, double *ps_per_s,
                   struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t r = 0; r < replications && status == CT_OK; r++) {
        struct sim_result result = {0};
        params->replication = r;
        status = sim_run(params, &result, diags);
        if (status == CT_OK && result.interrupted)
            status = CT_INTERRUPTED;
        if (status == CT_OK)
            ps_per_s[r] = result.apps[0].work_ps / ct_time_s(result.window_ps);
        sim_result_free(&result);
    }
    return status;
}

static double sum_of(const double *numbers, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

/* The part of the time that its jobs would take, by what it does when it always has one: how long
 * jobs wait for each other says nothing about that. */
static int find_busy(struct sim_params *params, struct workload_app *app, uint32_t replications,
                     struct plan_solo *solo, struct ct_arena *arena, struct ct_diags *diags) {
    solo->busy = 1;
    if (always_has_a_job(&app->arrivals))
        return CT_OK;
    double *most = ct_arena_array(arena, replications, sizeof *most);
    if (!most)
        return ct_out_of_memory(diags);
    give_it_jobs(app);
    int status = run_app(params, replications, most, diags);
    double whole = status == CT_OK ? sum_of(most, replications) : 0;
    solo->busy = whole > 0 ? fmin(1, sum_of(solo->ps_per_s, replications) / whole) : 0;
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
        solo[a].ps_per_s = ps_per_s;
        status = run_app(&params, replications, ps_per_s, diags);
        if (status == CT_OK)
            status = find_busy(&params, &spec, replications, &solo[a], arena, diags);
    }
    return status;
}
