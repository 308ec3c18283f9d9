#include "run/fed_run.h"

#include "run/run.h"
#include "workload/step_times.h"

#include <math.h>
#include <stdlib.h>

struct run *fed_run_open(const struct sim_params *params, struct sim_result *result,
                         struct ct_diags *diags) {
    struct run *run = malloc(sizeof *run);
    if (!run)
        return NULL;
    run_begin(run, params, result, diags);
    run->fed = true;
    return run;
}

static void on_gate(void *context, uint64_t argument) {
    struct run *run = context;
    (void)argument;
    run->at_gate = true;
    run->watched++; /* it belongs to no run */
}

/* The gate comes where an arrival would, behind what the device does at that instant. It is no mark
 * of the clock: a job may follow, as behind an arrival of the run's own. */
bool fed_run_until(struct run *run, ct_time_ps at) {
    if (run->failed || run->result->interrupted || run->stopped)
        return false;
    run->at_gate = false;
    run->fed = at != CT_TIME_NEVER;
    if (run->fed && !des_event_schedule(run->engine, at, DES_RANK_ARRIVAL, on_gate, run, 0))
        run_out_of_memory(run);
    else if (run->fed || !run_is_drained(run))
        run_loop(run);
    return run->at_gate;
}

static struct run_client *client_of(const struct run *run, uint32_t app) {
    struct run_client *client = run->clients;
    while (client->app_index != app)
        client++;
    return client;
}

static double mean_work_ps(const struct setup_app *app, uint32_t first, uint32_t count) {
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += app->plans[i].work_ps;
    return sum / count;
}

static double step_work_ps(const struct setup_app *app, const struct workload_steps *steps) {
    const struct workload_step *step = step_times_nearest(steps, 1, 0);
    return mean_work_ps(app, step->first, step->jobs);
}

/* Work of what runs for one job that is alone: of its batch, of the shorter of the steps that give
 * it its first and another token, else the mean of the application's jobs. */
static double alone_ps(const struct setup_app *app) {
    const struct workload_server *server = app->spec->server;
    const struct workload_continuous *continuous = server ? server->continuous : NULL;
    if (continuous)
        return fmin(step_work_ps(app, &continuous->prefill),
                    step_work_ps(app, &continuous->decode));
    if (server && server->jobs)
        return mean_work_ps(app, server->jobs->first, server->jobs->count);
    double sum = 0, before = 0;
    for (uint32_t i = 0; i < app->plan_count; i++) {
        sum += (app->weights[i] - before) * app->plans[i].work_ps;
        before = app->weights[i];
    }
    return sum;
}

struct fed_load fed_run_load(const struct run *run, uint32_t app) {
    const struct run_app *measured = &run->apps[app];
    return (struct fed_load){.unfinished = measured->in_system,
                             .mean_ps = (alone_ps(&run->setup->apps[app]) + measured->served_ps) /
                                        (double)(measured->served + 1)};
}

void fed_run_send(struct run *run, uint32_t app, size_t stamp) {
    jobs_send(client_of(run, app), stamp);
}

bool fed_run_is_done(const struct run *run) {
    return run_is_drained(run);
}

int fed_run_close(struct run *run) {
    int status = run_end(run);
    free(run);
    return status;
}
