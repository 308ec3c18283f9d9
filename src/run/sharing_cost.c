/*
 * What sharing cost a job: its latency minus what the same job would have taken
 * alone with the same arrivals, by cause and by whom (docs/explain.md, "What sharing cost").
 *
 * Alone is on an empty device, under `mps`, behind the earlier jobs of its instance, each of which
 * takes as long as it does alone. So a job that runs beside another of its own instance, which has
 * several workers, shares the device with it.
 *
 * While it runs, what it took longer than alone goes to what the walk back through it found to be
 * lost (blame.c) and was not lost alone, in proportion: gaps of the host that are hidden behind
 * waiting make the walk find more than there is. What it waited longer for its worker than alone is
 * the cost of the job that held that worker, in that job's proportions.
 */
#include "base/ct_apportion.h"
#include "run/chance.h"
#include "run/run.h"

#include <string.h>

size_t sharing_count(const struct run *run) {
    return CT_BLAME_COUNT + run->setup->app_count + 1;
}

/* ---- A job on an empty device ---- */

static void keep_solo(void *context, const struct sim_job_record *job) {
    struct sharing_solo *solo = context;
    solo->run_ps = job->end_ps - job->arrival_ps;
    memcpy(solo->parts, job->blame_ps, sizeof solo->parts);
    solo->own_delay_ps = job->delayed_by_ps[0];
}

static void run_solo(struct run *run, const struct run_job *job, struct sharing_solo *solo) {
    struct sim_observer observer = {.context = solo, .job_ended = keep_solo};
    jobs_run_copy(run, job, CT_SHARE_FULL, true, &observer);
}

/* A worker of before is free to take a job up as soon as all its jobs are done, alone. */
static ct_time_ps take_worker(const struct run_job *job, ct_time_ps run_ps) {
    ct_time_ps *free_ps = job->client->sharing.free_ps;
    uint32_t first = 0;
    for (uint32_t w = 1; w < (uint32_t)job->client->app->spec->workers; w++)
        if (free_ps[w] < free_ps[first])
            first = w;
    ct_time_ps start =
        free_ps[first] > job->view.arrival_ps ? free_ps[first] : job->view.arrival_ps;
    free_ps[first] = start + run_ps;
    return start;
}

static struct sharing_kind *kind_of(const struct run_job *job) {
    struct sharing_kind *kinds = job->client->sharing.kinds;
    return kinds ? &kinds[run_plan_number(job)] : NULL;
}

void sharing_begin(struct run *run, struct run_job *job) {
    struct sharing_kind *kind = kind_of(job);
    job->alone_ps = -1;
    if (!job->client->sharing.known)
        return;
    if (!kind || !kind->known || kind->size != job->size)
        run_solo(run, job, &job->room->solo);
    else
        job->room->solo = kind->solo;
    if (kind)
        *kind = (struct sharing_kind){true, job->size, job->room->solo};
    ct_time_ps start = take_worker(job, job->room->solo.run_ps);
    job->alone_ps = start + job->room->solo.run_ps - job->view.arrival_ps;
}

bool sharing_open(struct run *run) {
    size_t count = sharing_count(run);
    run->costs = ct_arena_array(&run->arena, count, sizeof *run->costs);
    run->shares = ct_arena_array(&run->arena, count, sizeof *run->shares);
    run->weights = ct_arena_array(&run->arena, count, sizeof *run->weights);
    bool made = run->costs && run->shares && run->weights;
    for (uint32_t i = 0; made && i < run->client_count; i++) {
        struct run_client *client = &run->clients[i];
        struct sharing *sharing = &client->sharing;
        const size_t workers = (size_t)client->app->spec->workers;
        sharing->known = client->blamed && !client->server && !run->params->jobs_back_to_back;
        if (!sharing->known)
            continue;
        sharing->free_ps = ct_arena_array(&run->arena, workers, sizeof *sharing->free_ps);
        sharing->last_costs =
            ct_arena_array(&run->arena, workers * count, sizeof *sharing->last_costs);
        if (!chance_in_durations(client->app))
            sharing->kinds =
                ct_arena_array(&run->arena, 2u * client->app->plan_count, sizeof *sharing->kinds);
        made = sharing->free_ps && sharing->last_costs &&
               (sharing->kinds || chance_in_durations(client->app));
    }
    return made;
}

/* ---- What it cost ---- */

/* Adds the time to the costs by their weights; what has none goes to `otherwise`. */
static void spread(struct run *run, ct_time_ps time, size_t count, size_t otherwise,
                   ct_time_ps *costs) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += run->weights[i];
    if (time < 0 || !(sum > 0)) {
        costs[otherwise] += time;
        return;
    }
    ct_apportion(run->weights, count, time, run->shares);
    for (size_t i = 0; i < count; i++)
        costs[i] += run->shares[i];
}

static void weigh_carried(struct run *run, const ct_time_ps *last, size_t count) {
    for (size_t i = 0; i < count; i++)
        run->weights[i] = last[i] > 0 ? (double)last[i] : 0;
}

/* What it waited longer for its worker: the cost of the job before it there. */
static void carry_on(struct run *run, const struct run_job *job, ct_time_ps time,
                     ct_time_ps *costs) {
    const size_t own = job->client->app_index, apps = run->setup->app_count + 1;
    const ct_time_ps *last = job->client->sharing.last_costs + job->worker * sharing_count(run);
    weigh_carried(run, last, CT_BLAME_COUNT);
    spread(run, time, CT_BLAME_COUNT, CT_BLAME_OWN_QUEUE, costs);
    weigh_carried(run, last + CT_BLAME_COUNT, apps);
    spread(run, time, apps, own, costs + CT_BLAME_COUNT);
}

/* A cause that is not the job's own. */
static bool is_loss(size_t part) {
    return part != CT_BLAME_SOLO_WORK && part != CT_BLAME_HOST && part != CT_BLAME_OWN_QUEUE;
}

static double above(double value, double alone) {
    return value > alone ? value - alone : 0;
}

/* Parts are whole picoseconds for each task, delays are not. */
#define ROUNDING 1e-6

/* What it took longer from its start to its end. */
static void share_out(struct run *run, const struct run_job *job, ct_time_ps time,
                      const ct_time_ps *parts, const double *delayed_by_ps, ct_time_ps *costs) {
    const struct sharing_solo *solo = &job->room->solo;
    const size_t apps = run->setup->app_count, own = job->client->app_index;
    double lost = 0, laid = 0;
    for (size_t i = 0; i < CT_BLAME_COUNT; i++) {
        run->weights[i] = is_loss(i) ? above((double)parts[i], (double)solo->parts[i]) : 0;
        lost += run->weights[i];
    }
    spread(run, time, CT_BLAME_COUNT, CT_BLAME_HOST, costs);
    for (size_t i = 0; i < apps; i++) {
        run->weights[i] = above(delayed_by_ps[i], i == own ? solo->own_delay_ps : 0);
        laid += run->weights[i];
    }
    run->weights[apps] = lost > laid * (1 + ROUNDING) ? lost - laid : 0;
    spread(run, time, apps + 1, apps, costs + CT_BLAME_COUNT);
}

bool sharing_cost(struct run *run, struct run_job *job, const ct_time_ps *parts,
                  const double *delayed_by_ps, ct_time_ps *costs) {
    const size_t count = sharing_count(run);
    if (job->alone_ps < 0)
        return false;
    ct_time_ps queued = parts[CT_BLAME_OWN_QUEUE],
               ran = des_engine_now(run->engine) - job->received_ps - queued,
               queued_alone = job->alone_ps - job->room->solo.run_ps;
    memset(costs, 0, count * sizeof *costs);
    carry_on(run, job, queued - queued_alone, costs);
    share_out(run, job, ran - job->room->solo.run_ps, parts, delayed_by_ps, costs);
    memcpy(job->client->sharing.last_costs + job->worker * count, costs, count * sizeof *costs);
    return true;
}
