/* One point of a capacity plan: the workload at a load, and replications until it is decided. */
#include "des/des_batch.h"
#include "results/result_place.h"
#include "run/arrivals.h"
#include "study/plan_internal.h"
#include "workload/setup_memory.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>

/* What the replications of a point have shown of a service. */
struct service {
    uint32_t app;
    const char *name;
    double qos_ms;
    struct {
        CT_VEC(double);
    } latencies_ms; /* of counted jobs, replication by replication */
    struct {
        CT_VEC(size_t);
    } lengths;
    struct {
        CT_VEC(double);
    } late, jobs; /* by replication */
    uint32_t overloaded;
};

struct tally {
    struct service *services;
    uint32_t service_count, replications;
    double batch, work, requests, utilisation; /* sums */
    const char *broken;                        /* as in struct plan_point */
};

/* ---- The workload at a load ---- */

double plan_amount(const struct plan *plan, double load) {
    return plan->goal == PLAN_GPUS ? -load : load;
}

/* Bursts keep their lengths and their ratio to the quiet rate, recorded stamps their pattern. */
static void set_rate(struct workload_arrivals *arrivals, double rate) {
    double factor = rate / arrivals_mean_rate(arrivals);
    if (arrivals->process == WORKLOAD_TRACE && !(arrivals->rate_per_s > 0))
        arrivals->rate_per_s = rate;
    else
        arrivals->rate_per_s *= factor;
    arrivals->burst_rate_per_s *= factor;
}

/* Sets the instances of an application, which without any is taken out of the workload. */
static void set_instances(struct workload *w, uint32_t app, uint32_t instances) {
    w->apps.items[app].instances = instances;
    if (instances > 0)
        return;
    w->apps.count--;
    memmove(&w->apps.items[app], &w->apps.items[app + 1],
            (w->apps.count - app) * sizeof *w->apps.items);
}

bool plan_workload(const struct plan *plan, double load, double scale, struct workload *w,
                   struct ct_arena *arena) {
    *w = *plan->workload;
    w->apps.items = ct_arena_array(arena, w->apps.count, sizeof *w->apps.items);
    if (!w->apps.items)
        return false;
    memcpy(w->apps.items, plan->workload->apps.items, w->apps.count * sizeof *w->apps.items);
    for (size_t a = 0; a < w->apps.count; a++) {
        struct workload_app *app = &w->apps.items[a];
        app->duration_scale *= scale;
        if (plan->goal == PLAN_GPUS && app->role == CT_SERVICE && plan_amount(plan, load) != 1)
            set_rate(&app->arrivals, arrivals_mean_rate(&app->arrivals) / plan_amount(plan, load));
    }
    if (plan->goal == PLAN_RATE)
        set_rate(&w->apps.items[plan->app].arrivals, load);
    if (plan->goal == PLAN_INSTANCES)
        set_instances(w, plan->app, (uint32_t)load);
    if (plan->goal == PLAN_PRESET)
        w->gpu = plan->presets[(size_t)load];
    return true;
}

/* ---- What replications show ---- */

static bool make_tally(struct tally *tally, const struct workload *w) {
    *tally = (struct tally){.services = calloc(w->apps.count, sizeof *tally->services)};
    for (uint32_t a = 0; tally->services && a < w->apps.count; a++)
        if (w->apps.items[a].role == CT_SERVICE && w->apps.items[a].qos_ms > 0)
            tally->services[tally->service_count++] = (struct service){
                .app = a, .name = w->apps.items[a].name, .qos_ms = w->apps.items[a].qos_ms};
    return tally->services;
}

static void free_tally(struct tally *tally) {
    for (uint32_t s = 0; s < tally->service_count; s++) {
        ct_vec_free(&tally->services[s].latencies_ms);
        ct_vec_free(&tally->services[s].lengths);
        ct_vec_free(&tally->services[s].late);
        ct_vec_free(&tally->services[s].jobs);
    }
    free(tally->services);
}

/* The latencies of the jobs that count, in the order in which the report takes them. */
static bool add_latencies(struct service *service, const struct result_run *run) {
    ct_time_ps begin = ct_time_round(run->report.warmup_s * (double)CT_PS_PER_S),
               end = ct_time_round(run->report.duration_s * (double)CT_PS_PER_S);
    size_t count = 0;
    struct result_job *jobs = malloc((run->job_count + 1) * sizeof *jobs);
    for (size_t i = 0; jobs && i < run->job_count; i++) {
        const struct result_job *job = &run->jobs[i];
        if (job->app == service->app && job->arrival_ps >= begin && job->arrival_ps < end)
            jobs[count++] = *job;
    }
    bool done = jobs;
    if (jobs)
        qsort(jobs, count, sizeof *jobs, result_compare_jobs);
    for (size_t i = 0; done && i < count; i++)
        done = ct_vec_push(&service->latencies_ms,
                           (double)(jobs[i].end_ps - jobs[i].arrival_ps) / (double)CT_PS_PER_MS);
    if (count > 0)
        done = done && ct_vec_push(&service->lengths, count);
    free(jobs);
    return done;
}

static void add_work(struct tally *tally, const struct report *report, const double *solo_s) {
    for (size_t a = 0; a < report->app_count; a++) {
        const struct report_app *app = &report->apps[a];
        if (app->role == REPORT_SERVICE)
            tally->requests += app->throughput_per_s;
        else
            tally->work += solo_s ? app->throughput_per_s * solo_s[a] : NAN;
    }
}

static bool add_replication(struct tally *tally, const struct result_run *run,
                            const double *solo_s) {
    bool done = true;
    add_work(tally, &run->report, solo_s);
    for (uint32_t s = 0; s < tally->service_count; s++) {
        struct service *service = &tally->services[s];
        const struct report_app *app = &run->report.apps[service->app];
        double jobs = (double)app->jobs;
        service->overloaded += app->overloaded == REPORT_YES;
        done = done && add_latencies(service, run) && ct_vec_push(&service->jobs, jobs) &&
               ct_vec_push(&service->late, app->jobs > 0 ? jobs * app->late_fraction : 0);
    }
    tally->batch += run->report.system.batch_throughput_normalised;
    tally->utilisation += run->report.system.sm_utilisation;
    tally->replications++;
    if (!tally->broken)
        tally->broken = report_broken_check(&run->report.checks);
    return done;
}

/* ---- The verdict ---- */

/* A stable service is flagged in at most 5 % of replications: more than chance explains. */
static bool is_overloaded(const struct service *service, uint32_t replications) {
    return service->overloaded > 0 &&
           gsl_cdf_binomial_Q(service->overloaded - 1, 0.05, replications) < 0.01;
}

/*
 * Lower bound of the part of late jobs: ratio estimator over replications, Student's t (Law,
 * Simulation Modeling and Analysis, section 9.5.3). The part is skewed to the right, which makes
 * its lower bound hold more often than asked.
 */
static double late_low(const struct service *service, double level) {
    double late = 0, jobs = 0, squares = 0, n = (double)service->jobs.count;
    for (size_t r = 0; r < service->jobs.count; r++) {
        late += service->late.items[r];
        jobs += service->jobs.items[r];
    }
    if (n < 2 || !(jobs > 0))
        return 0;
    double part = late / jobs;
    for (size_t r = 0; r < service->jobs.count; r++) {
        double residual = service->late.items[r] - part * service->jobs.items[r];
        squares += residual * residual;
    }
    double deviation = sqrt(squares / (n - 1)) / (jobs / n);
    return part - gsl_cdf_tdist_Pinv(level, n - 1) * deviation / sqrt(n);
}

static bool judge_service(const struct service *service, uint32_t replications, double level,
                          struct plan_point *point) {
    struct des_batch_series series = {service->latencies_ms.items, service->lengths.items,
                                      service->lengths.count};
    struct des_batch_interval p99 = {NAN, NAN, NAN, 1, 0, 0};
    if (series.runs && !des_batch_quantile(&series, 0.99, 2 * level - 1, &p99))
        return false;
    bool overloaded = is_overloaded(service, replications);
    point->service = service->name;
    point->jobs = service->latencies_ms.count;
    point->needed = p99.needed;
    point->p99_over_qos = p99.estimate / service->qos_ms;
    bool known = p99.batches > 0 && !overloaded;
    point->p99_low = known ? fmax(0, p99.low) / service->qos_ms : NAN;
    point->p99_high = known ? p99.high / service->qos_ms : NAN;
    if (overloaded) {
        point->verdict = PLAN_MISSES;
        point->reason = PLAN_BY_OVERLOAD;
    } else if (known) {
        point->verdict = point->p99_high <= 1 ? PLAN_HOLDS
                         : point->p99_low > 1 ? PLAN_MISSES
                                              : PLAN_OPEN;
        point->reason = point->verdict == PLAN_OPEN ? PLAN_TOO_NOISY : PLAN_BY_P99;
    } else {
        bool late = late_low(service, level) > 0.01;
        point->verdict = late ? PLAN_MISSES : PLAN_OPEN;
        point->reason = late ? PLAN_BY_LATE_JOBS : PLAN_TOO_FEW_JOBS;
    }
    return true;
}

/* Whether a service decides rather than another: one that misses before one that is open before one
 * that holds, then the slower one. */
static bool decides(const struct plan_point *a, const struct plan_point *b) {
    static const int rank[] = {[PLAN_HOLDS] = 0, [PLAN_MISSES] = 2, [PLAN_OPEN] = 1};
    if (rank[a->verdict] != rank[b->verdict])
        return rank[a->verdict] > rank[b->verdict];
    return a->p99_over_qos > b->p99_over_qos;
}

static bool judge(const struct tally *tally, double level, struct plan_point *point) {
    struct plan_point worst = *point;
    for (uint32_t s = 0; s < tally->service_count; s++) {
        struct plan_point own = *point;
        if (!judge_service(&tally->services[s], tally->replications, level, &own))
            return false;
        if (s == 0 || decides(&own, &worst))
            worst = own;
    }
    *point = worst;
    point->replications = tally->replications;
    point->batch_throughput = tally->batch / tally->replications;
    point->batch_work = tally->work / tally->replications;
    point->requests_per_s = tally->requests / tally->replications;
    point->sm_utilisation = tally->utilisation / tally->replications;
    point->broken = tally->broken;
    return true;
}

/* Whether as many replications as there may be would, by the spread so far, leave the target well
 * inside the interval: half as wide as it is then, the interval still holds it. */
static bool is_hopeless(const struct plan_point *point, uint32_t most) {
    double half = (point->p99_high - point->p99_low) / 2;
    double left = half * sqrt((double)point->replications / most);
    return fabs(point->p99_over_qos - 1) < left / 2;
}

/* ---- Replications ---- */

/* Seeds of the looks: the first has the user's own, so that `compare` gives the same runs. */
static uint64_t look_seed(const struct plan *plan, uint32_t look) {
    return (plan->seed + look * UINT64_C(0x9E3779B97F4A7C15)) & INT64_MAX;
}

static struct experiment look_of(const struct plan *plan, const struct experiment_policy *policy,
                                 const struct setup *setup) {
    return (struct experiment){.setup = setup,
                               .policies = policy,
                               .policy_count = 1,
                               .replications = plan->replications,
                               .threads = plan->threads,
                               .seed = plan->seed,
                               .dump_at_ps = CT_TIME_NEVER,
                               .version = plan->version,
                               .interrupted = plan->interrupted,
                               .context = plan->context};
}

static int run_look(const struct experiment *experiment, const double *solo_s, struct tally *tally,
                    struct ct_diags *diags) {
    struct experiment_result result;
    int status = experiment_run(experiment, &result, diags);
    for (uint32_t r = 0; r < result.finished && status == CT_OK; r++)
        if (!add_replication(tally, &result.runs[r], solo_s))
            status = ct_out_of_memory(diags);
    experiment_result_free(&result);
    return status;
}

static uint32_t count_looks(const struct plan *plan) {
    uint32_t looks = 1;
    for (uint32_t n = plan->replications; n < plan->most_replications; n *= 2)
        looks++;
    return looks;
}

static int run_looks(const struct plan *plan, struct experiment *experiment, uint32_t most,
                     struct tally *tally, struct plan_point *point, struct ct_diags *diags) {
    double level = 1 - (1 - plan->confidence) / count_looks(plan);
    for (uint32_t look = 0;; look++) {
        uint32_t end = look ? 2 * tally->replications : plan->replications;
        experiment->replications = (end < most ? end : most) - tally->replications;
        experiment->seed = look_seed(plan, look);
        int status = run_look(experiment, plan->solo_s, tally, diags);
        if (status != CT_OK)
            return status;
        if (!judge(tally, level, point))
            return ct_out_of_memory(diags);
        if (point->verdict != PLAN_OPEN || tally->replications >= most || is_hopeless(point, most))
            return CT_OK;
    }
}

/* What becomes of a point that could not be run. Among presets, and with more instances than
 * one, it misses, and says why by its first error; else its errors are handed on. enum ct_status.
 */
static int refuse(const struct plan *plan, const struct tally *tally, int status,
                  const struct ct_diags *from, struct plan_point *point, struct ct_arena *arena,
                  struct ct_diags *diags) {
    if (from->lost || from->no_memory)
        return ct_out_of_memory(diags);
    bool more_instances = plan->goal == PLAN_INSTANCES && point->load > 1;
    if ((plan->goal != PLAN_PRESET && !more_instances && !plan->excuses) || from->count == 0) {
        ct_diags_add(diags, from);
        return status;
    }
    *point = (struct plan_point){.load = point->load,
                                 .verdict = PLAN_MISSES,
                                 .reason = PLAN_BY_NO_FIT,
                                 .service = tally->services[0].name,
                                 .p99_over_qos = NAN,
                                 .p99_low = NAN,
                                 .p99_high = NAN,
                                 .batch_throughput = NAN,
                                 .batch_work = NAN,
                                 .requests_per_s = NAN,
                                 .sm_utilisation = NAN,
                                 .no_fit = ct_arena_strdup(arena, from->items[0].text)};
    return point->no_fit ? CT_OK : ct_out_of_memory(diags);
}

/* The GPU made ready for the workload, if it can run it under the policy. */
static int make_ready(const struct experiment_policy *policy, const struct workload *workload,
                      struct setup *setup, struct ct_diags *diags) {
    int status = setup_make(workload, setup, diags);
    if (status != CT_OK)
        return status;
    status = setup_memory_check(setup, diags);
    if (status == CT_OK)
        status = sim_check_needs(policy->policy, &setup->gpu, diags);
    if (status != CT_OK)
        setup_free(setup);
    return status;
}

int plan_point_run(const struct plan *plan, const struct experiment_policy *policy, double load,
                   double scale, uint32_t most, struct plan_point *point, struct ct_arena *arena,
                   struct ct_diags *diags) {
    struct ct_diags own = {.files = diags->files};
    struct workload workload;
    struct setup setup;
    struct tally tally;
    *point = (struct plan_point){.load = load, .verdict = PLAN_OPEN};
    if (!plan_workload(plan, load, scale, &workload, arena) || !make_tally(&tally, &workload))
        return ct_out_of_memory(diags);
    int status = make_ready(policy, &workload, &setup, &own);
    bool unready = status != CT_OK;
    if (!unready) {
        struct experiment experiment = look_of(plan, policy, &setup);
        experiment.record = RESULT_JOBS;
        status = run_looks(plan, &experiment, most, &tally, point, plan->excuses ? &own : diags);
        setup_free(&setup);
    }
    if (status != CT_OK && status != CT_INTERRUPTED && (unready || plan->excuses))
        status = refuse(plan, &tally, status, &own, point, arena, diags);
    ct_diags_free(&own);
    free_tally(&tally);
    return status;
}

/* ---- Why a load misses ---- */

static const struct report_app *app_named(const struct report *report, const char *name) {
    for (size_t a = 0; a < report->app_count; a++)
        if (strcmp(report->apps[a].name, name) == 0)
            return &report->apps[a];
    return NULL;
}

static bool fill_cause(const struct report_app *app, struct plan_cause *cause,
                       struct ct_arena *arena) {
    const struct report_delay *delay = NULL;
    cause->alone_p99_ms = app->alone_p99_ms;
    cause->p99_ms = app->latency_ms.p99;
    cause->qos_ms = app->qos_ms;
    cause->blame = CT_BLAME_OWN_QUEUE;
    for (int i = CT_BLAME_SOLO_WORK + 1; i < CT_BLAME_COUNT; i++)
        if (app->blame_ms_p99[i] > app->blame_ms_p99[cause->blame])
            cause->blame = i;
    cause->blame_ms = app->blame_ms_p99[cause->blame];
    for (size_t i = 0; i < app->delayed_by_count; i++)
        if (app->delayed_by[i].ms > (delay ? delay->ms : 0))
            delay = &app->delayed_by[i];
    cause->delayed_by = delay ? ct_arena_strdup(arena, delay->app) : NULL;
    return !delay || cause->delayed_by;
}

int plan_cause_find(const struct plan *plan, const struct experiment_policy *policy,
                    const struct plan_point *point, double scale, struct plan_cause *cause,
                    struct ct_arena *arena, struct ct_diags *diags) {
    struct workload workload;
    struct setup setup;
    struct experiment_result result;
    if (!plan_workload(plan, point->load, scale, &workload, arena))
        return ct_out_of_memory(diags);
    int status = setup_make(&workload, &setup, diags);
    if (status != CT_OK)
        return status;
    struct experiment experiment = look_of(plan, policy, &setup);
    experiment.blame = true;
    status = experiment_run(&experiment, &result, diags);
    const struct report_app *app =
        status == CT_OK ? app_named(&result.pooled[0], point->service) : NULL;
    if (app) {
        cause->service = point->service;
        if (!fill_cause(app, cause, arena))
            status = ct_out_of_memory(diags);
    }
    experiment_result_free(&result);
    setup_free(&setup);
    return status;
}
