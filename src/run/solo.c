#include "run/solo.h"

#include "des/des_statistics.h"
#include "run/chance.h"
#include "workload/setup_plans.h"

enum {
    /* Where all jobs are alike: the first may bring copies that later ones do not have. */
    SOLO_JOBS_ALIKE = 3,
    SOLO_JOBS_DRAWN = 101,
    SOLO_JOBS_RECORDED = 20
};

/* A stream of its own: the jobs of the run are drawn apart. */
static const uint64_t SOLO_REPLICATION = UINT64_MAX - 1;

static bool jobs_differ(const struct setup_app *app) {
    return app->plan_count > 1 || !workload_draw_is(&app->spec->size, 1) ||
           chance_in_durations(app);
}

static bool is_spent(void *context, double part) {
    uint64_t *left = context;
    (void)part;
    *left = *left > SIM_QUESTION_EVERY ? *left - SIM_QUESTION_EVERY : 0;
    return *left == 0;
}

static double mean_ms(const double *times_ps, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += times_ps[i];
    return sum / (double)count / (double)CT_PS_PER_MS;
}

static struct solo solo_of(struct sim_app_result *app) {
    double *latencies = app->latency_ps.items;
    size_t count = app->latency_ps.count;
    if (!count)
        return (struct solo){NAN, NAN, NAN};
    return (struct solo){.mean_ms = mean_ms(latencies, count),
                         .median_ms =
                             des_quantile_select(latencies, count, 0.5) / (double)CT_PS_PER_MS,
                         .issued_ms = mean_ms(app->service_ps.items, app->service_ps.count)};
}

int solo_measure(const struct setup *setup, uint32_t app, uint64_t seed, uint64_t *events,
                 struct solo *solo, struct ct_diags *diags) {
    struct setup alone = setup_alone(setup, app);
    uint64_t left = events ? *events : 0;
    struct sim_params params =
        sim_back_to_back(&alone, seed, SOLO_REPLICATION,
                         jobs_differ(&setup->apps[app]) ? SOLO_JOBS_DRAWN : SOLO_JOBS_ALIKE);
    params.interrupted = events ? is_spent : NULL;
    params.interrupt_context = &left;
    struct sim_result result = {0};
    int status = events && !left ? CT_OK : sim_run(&params, &result, diags);
    *solo = (struct solo){NAN, NAN, NAN};
    if (status == CT_OK && result.apps && !result.interrupted)
        *solo = solo_of(&result.apps[0]);
    if (events)
        *events = result.interrupted || result.events > *events ? 0 : *events - result.events;
    sim_result_free(&result);
    return status;
}

/* What one choice of job takes alone. */
static int measure_choice(const struct setup *setup, uint32_t app, uint32_t choice,
                          uint64_t *events, struct solo *solo, struct ct_diags *diags) {
    double whole = 1;
    struct setup_app only = setup->apps[app];
    only.plans += choice;
    only.first_plans += choice;
    only.plan_count = 1;
    only.weights = &whole;
    struct setup one = setup_alone(setup, app);
    one.apps = &only;
    return solo_measure(&one, 0, 0, events, solo, diags);
}

/* What a request takes alone in a batch of so many: the mean of some of the recorded batches,
 * evenly spread. */
static int time_batch(const struct setup *setup, uint32_t app, int64_t size, uint64_t *events,
                      double *request_ms, struct ct_diags *diags) {
    const struct workload_batch_jobs *jobs = &setup->apps[app].spec->server->jobs[size - 1];
    uint32_t step = (jobs->count - 1) / SOLO_JOBS_RECORDED + 1, measured = 0;
    double sum_ms = 0;
    int status = CT_OK;
    for (uint32_t c = 0; c < jobs->count && status == CT_OK; c += step, measured++) {
        struct solo solo;
        status = measure_choice(setup, app, jobs->first + c, events, &solo, diags);
        sum_ms += solo.mean_ms;
    }
    *request_ms = sum_ms / measured / (double)size;
    return status;
}

/* Sizes between recorded ones take times between theirs. */
static int time_batches(const struct setup *setup, uint32_t app, uint64_t *events,
                        double *request_ms, struct ct_diags *diags) {
    const struct workload_server *server = setup->apps[app].spec->server;
    int status = CT_OK;
    *request_ms = INFINITY;
    for (int64_t size = 1; size <= server->max_batch && status == CT_OK; size++) {
        double ms;
        if (server->jobs[size - 1].interpolated && size < server->max_batch)
            continue;
        status = time_batch(setup, app, size, events, &ms, diags);
        if (!(ms >= *request_ms)) /* one that is unknown may be the least */
            *request_ms = ms;
        if (isnan(ms))
            break;
    }
    return status;
}

int solo_of_request(const struct setup *setup, uint32_t app, struct solo job, uint64_t *events,
                    double *request_ms, struct ct_diags *diags) {
    const struct workload_server *server = setup->apps[app].spec->server;
    if (server && server->jobs)
        return time_batches(setup, app, events, request_ms, diags);
    if (server && server->continuous)
        *request_ms = NAN;
    else
        *request_ms = job.mean_ms / (double)(server ? server->max_batch : 1);
    return CT_OK;
}

int solo_of_recorded(const struct setup *setup, uint32_t app, uint64_t *events, double *ratio,
                     struct ct_diags *diags) {
    const struct setup_app *recorded = &setup->apps[app];
    uint32_t count = recorded->plan_count, step = (count - 1) / SOLO_JOBS_RECORDED + 1;
    double alone_ms = 0, recorded_ms = 0;
    int status = CT_OK;
    for (uint32_t c = 0; c < count && status == CT_OK; c += step) {
        struct solo solo;
        status = measure_choice(setup, app, c, events, &solo, diags);
        alone_ms += solo.mean_ms;
        recorded_ms +=
            ct_time_ms(recorded->trace->jobs.items[setup_plans_job(recorded, c)].recorded_ps);
    }
    *ratio = recorded_ms > 0 ? alone_ms / recorded_ms : NAN;
    return status;
}
