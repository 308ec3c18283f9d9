/*
 * Jobs that repeat each other. An application that is alone, with one worker, begins
 * every job on an empty device; where nothing of a job is drawn, all jobs of a choice do the same,
 * to the picosecond. So the first one that runs is looked at, and of the others only the end is an
 * event.
 */
#include "run/chance.h"
#include "run/run.h"

/* ---- Who repeats ---- */

/* Once its clients have joined, such a policy does nothing. */
static bool is_passive(const struct ct_policy *p) {
    return p->sharing == CT_SHARING_MPS && !p->needs && !p->job_begin && !p->job_end &&
           !p->task_ready && !p->task_launch && !p->task_start && !p->task_done && !p->rank &&
           !p->decide && !p->timer;
}

/* Nobody asks of such a run what the device did: the sums of its use are rounded otherwise here. */
static bool is_for_comparison(const struct sim_params *p) {
    return (p->only_app != SIM_ALL_APPS || p->batch_only) && !p->blame && !p->observer &&
           p->look_count == 0;
}

/* Single blocks are left out: where those of a job come to lie may depend on where those before it
 * lay. */
static bool is_possible(const struct run *run) {
    const struct run_client *client = run->clients;
    return is_for_comparison(run->params) && is_passive(run->policy) && run->client_count == 1 &&
           !client->server && client->app->spec->workers == 1 && !chance_in_sizes(client->app) &&
           run->setup->workload->fidelity == DEVICE_FLUID && !run->host.pools;
}

bool repeats_open(struct run *run) {
    if (!is_possible(run))
        return true;
    run->repeats.lives =
        ct_arena_array(&run->arena, 2u * run->clients->app->plan_count, sizeof *run->repeats.lives);
    return run->repeats.lives;
}

/* Whether a job that begins now begins as another ends: the device comes to rest once for both. */
static bool is_behind(const struct run *run) {
    return run->repeats.any_ended && run->repeats.ended_ps == des_engine_now(run->engine);
}

/* The life of such a job that begins now; NULL: it is like no other. */
static struct repeat_life *life_of(const struct run *run, const struct run_job *job) {
    const struct setup_app *app = job->client->app;
    if (!run->repeats.lives || job->first_run)
        return NULL;
    size_t first = is_behind(run) ? app->plan_count : 0;
    return &run->repeats.lives[first + (size_t)(job->plan - app->plans)];
}

/* Whether the window begins or ends in the middle of it, or the run: then the device is looked at,
 * and what is done inside counts. */
static bool is_cut(const struct run *run, ct_time_ps from, ct_time_ps to) {
    const struct measurement *m = &run->measured;
    return (from < m->begin_ps && m->begin_ps < to) || (from < m->end_ps && m->end_ps < to) ||
           m->limit_ps < to;
}

/* ---- Looking at the first ---- */

void repeats_add(struct run_sums *all, const struct run_sums *more, int sign) {
    const uint64_t times = (uint64_t)(int64_t)sign;
    all->events += times * more->events;
    all->tasks_started += times * more->tasks_started;
    all->tasks_ended += times * more->tasks_ended;
    all->kernels += times * more->kernels;
    all->demanded_bytes += sign * more->demanded_bytes;
    all->kernels_ps += sign * more->kernels_ps;
    all->usage.sm_ps += sign * more->usage.sm_ps;
    all->usage.dram_bytes += sign * more->usage.dram_bytes;
    for (int i = 0; i < 2; i++) {
        all->copied_bytes[i] += sign * more->copied_bytes[i];
        all->usage.pcie_bytes[i] += sign * more->usage.pcie_bytes[i];
    }
}

static struct run_sums sums_of(const struct run *run) {
    struct run_sums sums = run->measured.sums;
    sums.events = des_engine_executed(run->engine) - run->clients->arrived;
    sums.usage = device_usage(run->device);
    return sums;
}

static void look_at(struct run *run, struct run_job *job, struct repeat_life *life) {
    if (!life->work_ps)
        life->work_ps = ct_arena_array(&run->arena, job->plan->count, sizeof *life->work_ps);
    if (!life->work_ps) {
        run_out_of_memory(run);
        return;
    }
    job->life = life;
    run->repeats.looked_at = job;
    run->repeats.since_ps = des_engine_now(run->engine);
    run->repeats.before = sums_of(run);
    run->repeats.ended = 0;
}

void repeats_task_ended(struct run *run, const struct run_task *task) {
    task->job->life->work_ps[run->repeats.ended++] = task->device.work_ps;
}

void repeats_job_ended(struct run *run, struct run_job *job) {
    struct repeats *repeats = &run->repeats;
    ct_time_ps since = repeats->since_ps, now = des_engine_now(run->engine);
    struct repeat_life *life = job->life;
    repeats->any_ended = true;
    repeats->ended_ps = now;
    if (job != repeats->looked_at)
        return;
    repeats->looked_at = NULL;
    if (is_cut(run, since, now))
        return;
    life->known = true;
    life->run_ps = now - since;
    life->first_ready_ps = job->view.first_ready_ps - since;
    life->first_issue_ps = job->view.first_issue_ps - since;
    life->sums = sums_of(run);
    repeats_add(&life->sums, &repeats->before, -1);
}

/* ---- The others ---- */

/* The end of a job that was not simulated. */
static void on_end(void *context, uint64_t argument) {
    struct run_job *job = context;
    struct run *run = job->client->run;
    /* Events that a simulated job would have had: this one, and the device's rest that was asked
     * for at the end of the job before it. */
    uint64_t happened = job->life < run->repeats.lives + job->client->app->plan_count ? 1 : 2;
    (void)argument;
    measure_repeat(run, job);
    run->measured.sums.events -= happened;
    des_instant_ask(run->engine, DES_RANK_SETTLE); /* as behind the end of any task */
    jobs_end(job);
}

bool repeats_take(struct run_job *job) {
    struct run *run = job->client->run;
    struct repeat_life *life = life_of(run, job);
    ct_time_ps now = des_engine_now(run->engine);
    if (!life)
        return false;
    if (!life->known) {
        look_at(run, job, life);
        return false;
    }
    if (is_cut(run, now, now + life->run_ps))
        return false;
    job->life = life;
    job->view.first_ready_ps = now + life->first_ready_ps;
    job->view.first_issue_ps = now + life->first_issue_ps;
    run_plan(run, now + life->run_ps, DES_RANK_DEVICE, on_end, job, 0);
    return true;
}
