#include "study/cluster_sums.h"

#include "base/ct_target.h"
#include "des/des_batch.h"
#include "des/des_statistics.h"
#include "results/result_store.h"
#include "run/arrivals.h"
#include "study/plan.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A degradation that the paper calls severe: 40 % above the target (Baymax, section 7.6). */
static const double SEVERE = 1.4;

struct span { /* of tasks */
    uint32_t first, end;
};

/* ---- Labels ---- */

/* Appends to a text of this size, cut at its end. */
static void append(char *text, size_t size, const char *separator, uint64_t count,
                   const char *name) {
    size_t length = strlen(text);
    if (count > 1)
        snprintf(text + length, size - length, "%s%llu x %s", separator, (unsigned long long)count,
                 name);
    else
        snprintf(text + length, size - length, "%s%s", separator, name);
}

const char *cluster_label(const struct cluster *cluster, uint32_t group, const uint32_t *copies,
                          struct ct_arena *arena) {
    char text[1024] = "";
    for (int role = CT_SERVICE; role <= CT_BATCH; role++)
        for (size_t a = 0; a < cluster->workload.apps.count; a++) {
            const struct workload_app *app = &cluster->workload.apps.items[a];
            if (copies[a] && app->role == role)
                append(text, sizeof text, *text ? " + " : "", copies[a] * (uint64_t)app->instances,
                       app->name);
        }
    if (cluster->groups.count > 1)
        append(text, sizeof text, " on ", 1, cluster->groups.items[group].gpu);
    return ct_arena_strdup(arena, text);
}

/* ---- A service in a co-location ---- */

/* Times of its queries in ps, GPU by GPU, without those that were dropped, and how many each run
 * has. */
struct pool {
    double *times;
    size_t *lengths;
    size_t count, runs;
};

static const double *times_of(const struct sim_app_result *result, enum result_time of,
                              size_t *count) {
    *count = of == RESULT_LATENCY       ? result->latency_ps.count
             : of == RESULT_FIRST_TOKEN ? result->tokens.first_ps.count
                                        : result->tokens.each_ps.count;
    return of == RESULT_LATENCY       ? result->latency_ps.items
           : of == RESULT_FIRST_TOKEN ? result->tokens.first_ps.items
                                      : result->tokens.each_ps.items;
}

static bool pool_fill(const struct cluster_runs *runs, struct span span, uint32_t app,
                      enum result_time of, struct pool *pool) {
    size_t all = 0, count;
    for (uint32_t t = span.first; t < span.end; t++) {
        times_of(&runs->farm->tasks[t].result.apps[app], of, &count);
        all += count;
    }
    *pool = (struct pool){malloc((all + 1) * sizeof *pool->times),
                          malloc((span.end - span.first + 1u) * sizeof *pool->lengths), 0, 0};
    if (!pool->times || !pool->lengths)
        return false;
    for (uint32_t t = span.first; t < span.end; t++) {
        const double *times = times_of(&runs->farm->tasks[t].result.apps[app], of, &count);
        size_t before = pool->count;
        for (size_t i = 0; i < count; i++)
            if (!isnan(times[i]))
                pool->times[pool->count++] = times[i];
        if (pool->count > before)
            pool->lengths[pool->runs++] = pool->count - before;
    }
    return true;
}

static void pool_free(struct pool *pool) {
    free(pool->times);
    free(pool->lengths);
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : NAN;
}

/* The p99 of one of its times in ms; NAN: nothing is known. */
static bool measure_p99(const struct cluster_runs *runs, struct span span, uint32_t app,
                        enum result_time of, double *p99_ms) {
    struct pool pool;
    bool done = pool_fill(runs, span, app, of, &pool);
    *p99_ms = done && pool.count
                  ? des_quantile_select(pool.times, pool.count, 0.99) / (double)CT_PS_PER_MS
                  : NAN;
    pool_free(&pool);
    return done;
}

static bool measure_latency(const struct pool *pool, struct cluster_service *service) {
    const double ms = 1.0 / (double)CT_PS_PER_MS;
    struct des_batch_series series = {pool->times, pool->lengths, pool->runs};
    struct des_batch_interval p99 = {.estimate = NAN, .low = NAN, .high = NAN};
    if (pool->count && !des_batch_quantile(&series, 0.99, 0.95, &p99))
        return false;
    service->mean_ms = mean_of(pool->times, pool->count) * ms;
    service->p99_ms = p99.estimate * ms;
    service->low_ms = service->overloaded ? NAN : p99.low * ms;
    service->high_ms = service->overloaded ? NAN : p99.high * ms;
    return true;
}

/* Finds by which of its targets a service is judged: the one that it exceeds most, or keeps least.
 */
static void find_target(const struct workload_app *app, struct cluster_service *service) {
    const double p99_ms[RESULT_TIMES] = {service->p99_ms, service->first_p99_ms,
                                         service->each_p99_ms};
    for (enum result_time of = RESULT_LATENCY; of < RESULT_TIMES; of++) {
        double target = plan_target_ms(app, of), over = p99_ms[of] / target;
        if (!(target > 0) || isnan(over) || over <= service->over)
            continue;
        service->over = over;
        service->decides = of;
        service->decides_p99_ms = p99_ms[of];
        service->target_ms = target;
    }
}

static bool add_service(const struct cluster_runs *runs, struct span span, uint32_t colocation,
                        uint32_t app, struct cluster_result *result) {
    struct cluster_service service = {
        .colocation = colocation, .app = app, .over = NAN, .target_ms = NAN, .tokens_per_s = NAN};
    const struct workload_app *spec = &runs->cluster->workload.apps.items[app];
    double produced = 0, window_s = 0;
    struct pool pool;
    bool done = pool_fill(runs, span, app, RESULT_LATENCY, &pool);
    for (uint32_t t = span.first; t < span.end; t++) {
        const struct sim_app_result *one = &runs->farm->tasks[t].result.apps[app];
        service.jobs += one->jobs;
        service.late += one->late;
        service.undecided += one->undecided;
        service.overloaded |= one->overloaded;
        for (int why = 0; why < SIM_DROP_COUNT; why++)
            service.dropped += one->dropped[why];
        produced += (double)one->tokens.produced;
        window_s += ct_time_s(runs->farm->tasks[t].result.window_ps);
    }
    done = done && measure_latency(&pool, &service) &&
           measure_p99(runs, span, app, RESULT_FIRST_TOKEN, &service.first_p99_ms) &&
           measure_p99(runs, span, app, RESULT_EACH_TOKEN, &service.each_p99_ms);
    find_target(spec, &service);
    if (spec->server && spec->server->continuous && window_s > 0)
        service.tokens_per_s = produced / window_s;
    service.drops = plan_target_count(spec) > 0 &&
                    report_drops_too_many((double)service.dropped, (double)service.jobs);
    pool_free(&pool);
    result->services[result->service_count++] = service;
    return done;
}

/* ---- A GPU ---- */

static double batch_sum(const struct cluster_runs *runs, const struct sim_result *result,
                        bool work) {
    double sum = 0;
    for (uint32_t a = 0; a < result->app_count; a++)
        if (runs->cluster->workload.apps.items[a].role == CT_BATCH)
            sum += work ? result->apps[a].work_ps / (double)CT_PS_PER_S
                        : (double)result->apps[a].jobs_ended;
    return sum / ct_time_s(result->window_ps);
}

static void add_use(struct cluster_use *sum, double weight, struct cluster_use one) {
    sum->busy += weight * one.busy;
    sum->sm += weight * one.sm;
    sum->dram += weight * one.dram;
    sum->h2d += weight * one.h2d;
    sum->d2h += weight * one.d2h;
    sum->batch_jobs_per_s += weight * one.batch_jobs_per_s;
    sum->batch_work += weight * one.batch_work;
}

/* One run's part of the GPU's means. */
static void add_run(const struct cluster_runs *runs, const struct sim_result *result,
                    struct cluster_gpu *gpu) {
    add_use(&gpu->use, 1.0 / runs->reps,
            (struct cluster_use){result->batch_busy_fraction, result->sm_utilisation,
                                 result->dram_utilisation, result->pcie_utilisation[0],
                                 result->pcie_utilisation[1], batch_sum(runs, result, false),
                                 batch_sum(runs, result, true)});
    for (uint32_t a = 0; a < result->app_count; a++)
        if (runs->cluster->workload.apps.items[a].role == CT_SERVICE) {
            gpu->jobs += result->apps[a].jobs;
            gpu->late += result->apps[a].late;
            gpu->undecided += result->apps[a].undecided;
        }
}

/* Keeps the higher p99 over target; NAN is none. */
static void exceed(struct cluster_gpu *gpu, double over, bool is_bound) {
    if (isnan(over) || over <= gpu->over)
        return;
    gpu->over = over;
    gpu->over_is_bound = is_bound;
}

static bool is_overloaded(const struct cluster_runs *runs, struct span span, uint32_t app) {
    bool overloaded = false;
    for (uint32_t t = span.first; t < span.end; t++)
        overloaded |= runs->farm->tasks[t].result.apps[app].overloaded;
    return overloaded;
}

/* The highest p99 over target of the GPU's services, of all its replications together. */
static bool find_worst(const struct cluster_runs *runs, struct span span, struct cluster_gpu *gpu) {
    const struct workload *w = &runs->cluster->workload;
    bool done = true;
    gpu->over = NAN;
    for (uint32_t a = 0; a < w->apps.count && done; a++)
        for (enum result_time of = RESULT_LATENCY; of < RESULT_TIMES && done; of++) {
            double target = plan_target_ms(&w->apps.items[a], of), p99_ms = NAN;
            if (target > 0)
                done = measure_p99(runs, span, a, of, &p99_ms);
            exceed(gpu, p99_ms / target, is_overloaded(runs, span, a));
        }
    return done;
}

/* The part of the window that a stand takes; 1 where nobody comes and goes. */
static double weight_of(const struct cluster_runs *runs, uint32_t task) {
    const struct workload *w = &runs->cluster->workload;
    const struct farm_task *of = &runs->farm->tasks[task];
    double window = (w->duration_s - w->warmup_s) * (double)CT_PS_PER_S;
    return runs->moving ? (double)(of->duration_ps - of->warmup_ps) / window : 1;
}

static void add_stand(const struct cluster_gpu *one, double weight, struct cluster_gpu *gpu) {
    add_use(&gpu->use, weight, one->use);
    gpu->jobs += one->jobs;
    gpu->late += one->late;
    gpu->undecided += one->undecided;
    exceed(gpu, one->over, one->over_is_bound);
}

/* ---- A co-location ---- */

/* Means of its stands, by their length. */
static bool add_stands(const struct cluster_runs *runs, struct span span, uint32_t number,
                       struct cluster_result *result) {
    struct cluster_colocation *colocation = &result->colocations[number];
    struct cluster_gpu sum = {.over = NAN};
    double weights = 0;
    uint32_t last = CLUSTER_IDLE;
    bool done = true;
    for (uint32_t t = span.first; t < span.end && done; t += runs->reps) {
        struct cluster_gpu one = {0}, *gpu = &result->gpus[runs->stand_of[t]->gpu];
        double weight = weight_of(runs, t);
        gpu->colocation = number;
        for (uint32_t r = 0; r < runs->reps; r++)
            add_run(runs, &runs->farm->tasks[t + r].result, &one);
        done = find_worst(runs, (struct span){t, t + runs->reps}, &one);
        add_stand(&one, weight, gpu);
        add_stand(&one, weight, &sum);
        weights += weight;
        colocation->gpus += gpu->number != last;
        last = gpu->number;
    }
    add_use(&colocation->use, weights > 0 ? 1.0 / weights : 0, sum.use);
    return done;
}

static bool add_colocation(const struct cluster_runs *runs, struct span span, uint32_t number,
                           struct cluster_result *result) {
    const struct farm_composition *composition = &runs->farm->compositions[number];
    const struct workload *w = &runs->cluster->workload;
    struct cluster_colocation *colocation = &result->colocations[number];
    uint32_t *copies = ct_arena_array(&result->arena, w->apps.count, sizeof *copies);
    if (!copies)
        return false;
    memcpy(copies, composition->copies, w->apps.count * sizeof *copies);
    *colocation = (struct cluster_colocation){
        .label = cluster_label(runs->cluster, composition->group, copies, &result->arena),
        .group = composition->group,
        .copies = copies};
    bool done = colocation->label && add_stands(runs, span, number, result);
    for (uint32_t a = 0; a < w->apps.count && done; a++)
        if (copies[a] && w->apps.items[a].role == CT_SERVICE)
            done = add_service(runs, span, number, a, result);
    return done;
}

/* ---- Sums ---- */

/* Half the 95 % interval of the mean busy fraction for this placement: the spread of runs around
 * the mean of their co-location, one variance for all; an idle GPU has none. */
static double busy_half(const struct cluster_runs *runs, const struct cluster_result *result) {
    uint32_t count = runs->farm->task_count, colocations = result->colocation_count;
    double squares = 0;
    if (runs->moving || count <= colocations)
        return NAN;
    for (uint32_t t = 0; t < count; t++) {
        const struct farm_task *task = &runs->farm->tasks[t];
        double off =
            task->result.batch_busy_fraction - result->colocations[task->composition].use.busy;
        squares += off * off;
    }
    double freedom = count - colocations;
    double busy_gpus = (double)count / runs->reps;
    return gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(squares / freedom / count) * busy_gpus /
           result->gpu_count;
}

static uint64_t sent(const struct cluster_runs *runs, uint32_t app) {
    const struct workload *w = &runs->cluster->workload;
    ct_time_ps begin = ct_time_of_s(w->warmup_s), end = ct_time_of_s(w->duration_s);
    uint64_t count = 0;
    for (uint32_t r = 0; r < runs->reps; r++) {
        const struct balancer_streams *streams = &runs->streams[r * w->apps.count + app];
        count += streams->drawn - streams->lost;
        if (runs->moving)
            continue;
        for (size_t i = 0; i < streams->first[streams->replicas]; i++)
            count += streams->stamps[i] >= begin && streams->stamps[i] < end;
    }
    return count;
}

/* Every query that was sent within the window is one of a GPU's, and each GPU's own laws hold. */
static void check_laws(const struct cluster_runs *runs, struct cluster_sums *sums) {
    const struct workload *w = &runs->cluster->workload;
    sums->conserved = sums->littles_law_ok = sums->utilisation_law_ok = true;
    for (uint32_t t = 0; t < runs->farm->task_count; t++) {
        sums->conserved &= !runs->farm->tasks[t].result.broken_law;
        sums->littles_law_ok &= runs->farm->tasks[t].result.littles_law_ok;
        sums->utilisation_law_ok &= runs->farm->tasks[t].result.utilisation_law_ok;
    }
    for (uint32_t a = 0; a < w->apps.count; a++) {
        const struct workload_app *app = &w->apps.items[a];
        uint64_t jobs = 0;
        if (app->role != CT_SERVICE || !arrivals_are_open(&app->arrivals))
            continue;
        for (uint32_t t = 0; t < runs->farm->task_count; t++)
            jobs += runs->farm->tasks[t].result.apps[a].jobs;
        sums->conserved &= jobs == sent(runs, a);
    }
}

static void sum_services(struct cluster_result *result) {
    struct cluster_sums *sums = &result->sums;
    sums->worst_over = NAN;
    for (uint32_t s = 0; s < result->service_count; s++) {
        const struct cluster_service *service = &result->services[s];
        uint32_t gpus = result->colocations[service->colocation].gpus;
        sums->jobs += service->jobs;
        sums->late += service->late;
        sums->undecided += service->undecided;
        sums->overloaded += service->overloaded;
        if (isnan(service->over) && !service->drops)
            continue;
        bool violated = service->drops || ct_is_beyond(service->over, 1),
             severe = service->drops || ct_is_beyond(service->over, SEVERE);
        sums->services++;
        sums->violated += violated;
        sums->severe += severe;
        sums->violated_gpus += violated ? gpus : 0;
        sums->severe_gpus += severe ? gpus : 0;
        if (!isnan(service->over) && !(service->over <= sums->worst_over))
            sums->worst_is_bound = service->overloaded;
        sums->worst_over = fmax(sums->worst_over, service->over);
    }
}

/* Nobody answers a query that finds no copy of its service. */
static void sum_lost(const struct cluster_runs *runs, struct cluster_result *result) {
    const struct workload *w = &runs->cluster->workload;
    struct cluster_sums *sums = &result->sums;
    for (uint32_t s = 0; s < result->service_count; s++)
        result->sent[result->services[s].app].queries += result->services[s].jobs;
    for (uint32_t a = 0; a < w->apps.count; a++) {
        struct cluster_sent *sent = &result->sent[a];
        for (uint32_t r = 0; r < runs->reps; r++)
            sent->lost += runs->streams[r * w->apps.count + a].lost;
        sent->queries += sent->lost;
        sums->lost += sent->lost;
        sums->jobs += sent->lost;
        sums->late += plan_target_count(&w->apps.items[a]) > 0 ? sent->lost : 0;
    }
}

static void sum_gpus(struct cluster_result *result) {
    struct cluster_sums *sums = &result->sums;
    double part = 1.0 / result->gpu_count;
    sums->gpus = result->gpu_count;
    for (uint32_t g = 0; g < result->gpu_count; g++) {
        const struct cluster_gpu *gpu = &result->gpus[g];
        sums->idle += gpu->colocation == CLUSTER_IDLE;
        sums->busy += part * gpu->use.busy;
        sums->sm += part * gpu->use.sm;
        sums->dram += part * gpu->use.dram;
        sums->batch_jobs_per_s += gpu->use.batch_jobs_per_s;
        sums->batch_work += gpu->use.batch_work;
    }
}

static bool reserve(const struct cluster_runs *runs, struct cluster_result *result) {
    const struct cluster *cluster = runs->cluster;
    result->colocation_count = runs->farm->composition_count;
    result->gpu_count = cluster->gpu_count;
    size_t services = 0;
    for (uint32_t c = 0; c < result->colocation_count; c++)
        for (size_t a = 0; a < cluster->workload.apps.count; a++)
            services += runs->farm->compositions[c].copies[a] > 0;
    result->colocations =
        ct_arena_array(&result->arena, result->colocation_count, sizeof *result->colocations);
    result->services = ct_arena_array(&result->arena, services, sizeof *result->services);
    result->gpus = ct_arena_array(&result->arena, result->gpu_count, sizeof *result->gpus);
    result->sent =
        ct_arena_array(&result->arena, cluster->workload.apps.count, sizeof *result->sent);
    if (!result->colocations || !result->services || !result->gpus || !result->sent)
        return false;
    uint32_t number = 0;
    for (uint32_t g = 0; g < cluster->groups.count; g++)
        for (int64_t i = 0; i < cluster->groups.items[g].count; i++, number++)
            result->gpus[number] = (struct cluster_gpu){
                .number = number, .group = g, .colocation = CLUSTER_IDLE, .over = NAN};
    return true;
}

int cluster_sum_up(const struct cluster_runs *runs, struct cluster_result *result,
                   struct ct_diags *diags) {
    bool done = reserve(runs, result);
    uint32_t first = 0;
    for (uint32_t c = 0; done && c < result->colocation_count; c++) {
        uint32_t end = first;
        while (end < runs->farm->task_count && runs->farm->tasks[end].composition == c)
            end++;
        done = add_colocation(runs, (struct span){first, end}, c, result);
        first = end;
    }
    if (!done)
        return ct_out_of_memory(diags);
    sum_gpus(result);
    sum_services(result);
    sum_lost(runs, result);
    check_laws(runs, &result->sums);
    result->sums.conserved &= !runs->moving || result->fleet.sums.conserved;
    result->sums.busy_half = busy_half(runs, result);
    result->sums.colocations = result->colocation_count;
    return CT_OK;
}
