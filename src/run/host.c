#include "run/run.h"

#include <math.h>
#include <string.h>

/* ---- The heap of threads: whose gap is over first, then who came first. ---- */

static bool ends_before(const struct host_thread *a, const struct host_thread *b) {
    return a->until_ps != b->until_ps ? a->until_ps < b->until_ps : a->number < b->number;
}

static void swap(struct host_thread *a, struct host_thread *b) {
    struct host_thread kept = *a;
    *a = *b;
    *b = kept;
}

static bool heap_push(struct host_pool *pool, struct host_thread thread) {
    if (!ct_vec_push(&pool->threads, thread))
        return false;
    struct host_thread *items = pool->threads.items;
    for (size_t i = pool->threads.count - 1; i > 0 && ends_before(&items[i], &items[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap(&items[i], &items[(i - 1) / 2]);
    return true;
}

static struct host_thread heap_pop(struct host_pool *pool) {
    struct host_thread *items = pool->threads.items, first = items[0];
    size_t count = --pool->threads.count;
    items[0] = items[count];
    for (size_t i = 0, child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && ends_before(&items[child + 1], &items[child]);
        if (!ends_before(&items[child], &items[i]))
            break;
        swap(&items[i], &items[child]);
    }
    return first;
}

/* ---- Sharing ---- */

/* Part of a core that each thread has, of the one that it wants. */
static double pace_of(const struct host_pool *pool) {
    return pool->wanted > pool->cores ? pool->cores / pool->wanted : 1;
}

/* Beyond it a double no longer tells picoseconds' fractions; 2^40 of them are a second. */
static const double GIVEN_MOST_PS = 1099511627776.0;

static void begin_given_anew(struct host_pool *pool) {
    for (size_t i = 0; i < pool->threads.count; i++)
        pool->threads.items[i].until_ps -= pool->given_ps;
    pool->given_ps = 0;
}

static void settle(struct host_pool *pool) {
    ct_time_ps now = des_engine_now(pool->run->engine);
    double passed = (double)(now - pool->at_ps), pace = pace_of(pool), lost = passed * (1 - pace);
    pool->at_ps = now;
    pool->given_ps += passed * pace;
    pool->busy_ps += passed * fmin(pool->wanted, pool->cores);
    if (pool->given_ps > GIVEN_MOST_PS)
        begin_given_anew(pool);
    if (lost <= 0 || !pool->crowd_ps)
        return;
    pool->lost_ps += lost / pool->wanted;
    for (uint32_t i = 0; i < pool->run->client_count; i++)
        pool->crowd_ps[i] += lost * pool->wanted_by[i] / pool->wanted;
}

static void on_end(void *context, uint64_t argument);

/* Plans when the first gap is over. False: memory ran out. */
static bool plan_end(struct host_pool *pool) {
    struct des_engine *engine = pool->run->engine;
    if (!pool->threads.count)
        return true; /* its event has just happened: nobody else leaves */
    double left = (pool->threads.items[0].until_ps - pool->given_ps) / pace_of(pool);
    ct_time_ps at = des_engine_now(engine) + ct_time_round(fmax(0, left));
    if (pool->ends && at == pool->ends_ps)
        return true;
    pool->ends_ps = at;
    if (pool->ends)
        return des_event_reschedule(engine, pool->ends, at);
    pool->ends = des_event_schedule(engine, at, DES_RANK_ARRIVAL, on_end, pool, 0);
    return pool->ends != 0;
}

static void want(struct host_pool *pool, const struct run_client *client, double cores) {
    pool->wanted += cores;
    if (pool->wanted_by)
        pool->wanted_by[client->view.index] += cores;
}

/* ---- Blame ---- */

static void blame_begin(const struct host_pool *pool, struct run_job *job) {
    uint32_t clients = pool->run->client_count;
    if (!job->host.crowd_ps)
        return;
    memcpy(job->host.crowd_ps, pool->crowd_ps, clients * sizeof *pool->crowd_ps);
    job->host.crowd_ps[clients] = pool->lost_ps;
}

/* Splits what a thread lost by what the others wanted meanwhile; what is nobody else's it lost to
 * itself: it wants more cores than there are. */
static void blame_end(const struct host_pool *pool, struct run_job *job, double lost) {
    uint32_t clients = pool->run->client_count, own = job->client->view.index;
    if (!job->host.crowd_ps)
        return;
    double *culprits = job->host.culprits + (size_t)job->next * clients, sum = 0;
    double own_part = (pool->lost_ps - job->host.crowd_ps[clients]) *
                      (double)job->client->app->spec->host_threads;
    for (uint32_t i = 0; i < clients; i++) {
        culprits[i] = pool->crowd_ps[i] - job->host.crowd_ps[i] - (i == own ? own_part : 0);
        culprits[i] = fmax(0, culprits[i]);
        sum += culprits[i];
    }
    for (uint32_t i = 0; i < clients; i++)
        culprits[i] = sum > 0 ? culprits[i] * lost / sum : i == own ? lost : 0;
}

/* ---- Gaps ---- */

bool host_begin(struct run_job *job, ct_time_ps gap_ps) {
    struct run *run = job->client->run;
    struct host_pool *pool = &run->host.pools[job->client->host_pool];
    struct host_thread thread = {.number = run->host.thread_number++,
                                 .job = job,
                                 .since_ps = des_engine_now(run->engine),
                                 .gap_ps = gap_ps};
    settle(pool);
    blame_begin(pool, job);
    thread.until_ps = pool->given_ps + (double)gap_ps;
    want(pool, job->client, (double)job->client->app->spec->host_threads);
    return heap_push(pool, thread) && plan_end(pool);
}

static void on_end(void *context, uint64_t argument) {
    struct host_pool *pool = context;
    (void)argument;
    pool->ends = 0;
    settle(pool);
    struct host_thread thread = heap_pop(pool);
    ct_time_ps lost = pool->at_ps - thread.since_ps - thread.gap_ps;
    want(pool, thread.job->client, -(double)thread.job->client->app->spec->host_threads);
    run_must(pool->run, plan_end(pool));
    blame_end(pool, thread.job, (double)(lost > 0 ? lost : 0));
    launch_gap_ended(thread.job, lost > 0 ? lost : 0);
}

/* ---- Making and measuring ---- */

static bool pool_init(struct run *run, struct host_pool *pool, int64_t cores) {
    bool blamed = false;
    for (uint32_t i = 0; i < run->client_count; i++)
        blamed = blamed || run->clients[i].blamed;
    pool->run = run;
    pool->cores = (double)cores;
    if (!blamed)
        return true;
    pool->wanted_by = ct_arena_array(&run->arena, run->client_count, sizeof *pool->wanted_by);
    pool->crowd_ps = ct_arena_array(&run->arena, run->client_count, sizeof *pool->crowd_ps);
    return pool->wanted_by && pool->crowd_ps;
}

/* Pinned, the cores are dealt out to the programs that run in turn, or the programs to the cores
 * where these are fewer: who runs alone has all of them. */
bool host_init(struct run *run) {
    const struct workload_host *spec = &run->setup->workload->host;
    int64_t programs = run->client_count, cores = spec->cores;
    int64_t pools = !spec->pinned ? 1 : programs < cores ? programs : cores;
    if (cores == 0 || programs == 0)
        return true;
    run->host.pool_count = (uint32_t)pools;
    run->host.pools = ct_arena_array(&run->arena, run->host.pool_count, sizeof *run->host.pools);
    bool ok = run->host.pools != NULL;
    for (int64_t i = 0; ok && i < pools; i++)
        ok = pool_init(run, &run->host.pools[i], cores / pools + (i < cores % pools));
    for (uint32_t i = 0; ok && i < run->client_count; i++)
        run->clients[i].host_pool = i % run->host.pool_count;
    return ok;
}

void host_free(struct run *run) {
    for (uint32_t i = 0; run->host.pools && i < run->host.pool_count; i++)
        ct_vec_free(&run->host.pools[i].threads);
}

static double busy_ps(struct run *run) {
    double busy = 0;
    for (uint32_t i = 0; i < run->host.pool_count; i++) {
        settle(&run->host.pools[i]);
        busy += run->host.pools[i].busy_ps;
    }
    return busy;
}

void host_begin_window(struct run *run) {
    run->host.busy_at_begin_ps = busy_ps(run);
}

double host_utilisation(struct run *run) {
    double window = (double)(run->measured.end_ps - run->measured.begin_ps);
    if (!run->host.pools)
        return NAN;
    return (busy_ps(run) - run->host.busy_at_begin_ps) / window /
           (double)run->setup->workload->host.cores;
}
