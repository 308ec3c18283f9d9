#include "experiment/report_builder.h"

#include "base/ct_target.h"
#include "run/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Normalised progress (Eyerman and Eeckhout, IEEE Micro 2008) ---- */

/* The latencies of one instance. */
static const double *latencies_of(const struct sim_app_result *result, uint32_t instance) {
    const double *latencies = result->latency_ps.items;
    for (uint32_t i = 0; i < instance; i++)
        latencies += result->instance_jobs.items[i];
    return latencies;
}

/* Private latencies over shared ones, of the same jobs with the same arrivals. */
static double ratio_of_latencies(const double *shared_ps, const double *alone_ps, uint64_t jobs) {
    double private_sum = 0, shared_sum = 0;
    for (uint64_t i = 0; i < jobs; i++) {
        if (isnan(alone_ps[i]) || isnan(shared_ps[i]))
            continue;
        private_sum += alone_ps[i];
        shared_sum += shared_ps[i];
    }
    return shared_sum > 0 ? private_sum / shared_sum : NAN;
}

/* Of the jobs of an instance that had not ended when a run's window did, at whichever stage of
 * their pipeline they were: what they have `taken` becomes their age then. In the run that it is of
 * also where they were dropped later, or never came; in the other where it is longer. */
static void cut_at_window(const struct report_builder *b, const struct sim_result *run,
                          uint32_t app, uint32_t instance, bool is_of_run, double *taken,
                          uint64_t jobs) {
    const struct sim_app_result *result = report_app_of(run, app);
    const bool *before = b->input->setup->apps[app].spec->arrivals.before;
    uint64_t first = (uint64_t)(latencies_of(result, instance) - result->latency_ps.items);
    for (uint32_t i = 0; i < run->app_count; i++) {
        const struct sim_app_result *stage = &run->apps[i];
        bool passed = stage == result || (before && before[i]);
        for (size_t k = 0; passed && k < stage->cut.count; k++) {
            uint64_t job = stage->cut.items[k] - first; /* of an earlier instance: a huge number */
            if (job < jobs && (is_of_run || taken[job] > stage->cut_ps.items[k]))
                taken[job] = stage->cut_ps.items[k];
        }
    }
}

/* By what the jobs had taken when the windows of both runs ended: how long these go on then, and
 * what they know of latencies, has no say (docs/decisions/0088). */
static double progress_in_window(const struct report_builder *b, const struct report_runs *run,
                                 uint32_t app, uint32_t instance,
                                 const struct sim_result *alone_run) {
    const struct sim_app_result *shared = report_app_in(run, app),
                                *alone = report_app_of(alone_run, app);
    uint64_t jobs = shared->instance_jobs.items[instance];
    if (jobs > alone->latency_ps.count)
        jobs = alone->latency_ps.count;
    double *taken = jobs ? calloc(2 * (size_t)jobs, sizeof *taken) : NULL;
    *b->lost |= jobs && !taken;
    if (!taken)
        return NAN;
    double *taken_alone = taken + jobs;
    memcpy(taken, latencies_of(shared, instance), (size_t)jobs * sizeof *taken);
    memcpy(taken_alone, alone->latency_ps.items, (size_t)jobs * sizeof *taken);
    cut_at_window(b, run->shared, app, instance, true, taken, jobs);
    cut_at_window(b, alone_run, app, 0, true, taken_alone, jobs);
    cut_at_window(b, run->shared, app, instance, false, taken_alone, jobs);
    cut_at_window(b, alone_run, app, 0, false, taken, jobs);
    double progress = ratio_of_latencies(taken, taken_alone, jobs);
    free(taken);
    return progress;
}

/* Whether a service with open arrivals is overloaded even alone: where one of its instances is, all
 * are. */
static bool is_overloaded_alone(const struct report_builder *b, const struct report_runs *run,
                                uint32_t app) {
    bool overloaded = false;
    for (uint32_t i = 0; i < run->alone[app].count; i++)
        overloaded |= report_is_overloaded(b, &run->alone[app].runs[i], app);
    return overloaded && arrivals_are_open(&b->input->setup->apps[app].spec->arrivals);
}

static double progress_of_latencies(const struct report_builder *b, const struct report_runs *run,
                                    uint32_t app, uint32_t instance,
                                    const struct sim_result *alone_run) {
    const struct sim_app_result *shared = report_app_in(run, app),
                                *alone = report_app_of(alone_run, app);
    uint64_t jobs = shared->instance_jobs.items[instance];
    if (is_overloaded_alone(b, run, app))
        return progress_in_window(b, run, app, instance, alone_run);
    if (jobs > alone->latency_ps.count)
        jobs = alone->latency_ps.count;
    double progress =
        ratio_of_latencies(latencies_of(shared, instance), alone->latency_ps.items, jobs);
    bool cut = shared->unfinished > 0 || alone->unfinished > 0;
    return cut && progress > 1 ? NAN : progress; /* a bound above 1 says nothing */
}

/*
 * Work done per time that its jobs are in the system, over the same alone: how fast it goes while
 * it has something to do. Of an application that always has as many jobs that is work over work,
 * and where the same jobs end in both, latencies over latencies.
 */
static double progress_of_work(const struct sim_app_result *shared, uint32_t instance,
                               const struct sim_app_result *alone) {
    double done = shared->instance_work_ps.items[instance] / alone->work_ps,
           longer =
               shared->instance_sojourn_ps.items[instance] / alone->instance_sojourn_ps.items[0];
    if (!(alone->work_ps > 0))
        return NAN;
    return done > 0 ? done / longer : 0;
}

static double progress_in(const struct report_builder *b, const struct report_runs *run,
                          uint32_t app, uint32_t instance) {
    const struct workload_app *spec = b->input->setup->apps[app].spec;
    const struct sim_app_result *shared = report_app_in(run, app);
    const struct sim_result *alone_run =
        &run->alone[app].runs[run->alone[app].count > 1 ? instance : 0];
    const struct sim_app_result *alone = report_app_of(alone_run, app);
    bool first = b->input->first_runs && !isnan(shared->first_run_ps.items[instance]);
    if (spec->stop == WORKLOAD_STOP_FIRST_RUN || first)
        return alone->first_run_ps.items[0] / shared->first_run_ps.items[instance];
    return spec->role == CT_BATCH ? progress_of_work(shared, instance, alone)
                                  : progress_of_latencies(b, run, app, instance, alone_run);
}

/* Whether nothing can be told of an instance's progress: no query of it came, by chance. */
static bool is_idle(const struct report_builder *b, const struct report_runs *run, uint32_t app,
                    uint32_t instance) {
    const struct workload_app *spec = b->input->setup->apps[app].spec;
    return spec->role == CT_SERVICE && spec->stop != WORKLOAD_STOP_FIRST_RUN &&
           report_app_in(run, app)->instance_jobs.items[instance] == 0;
}

/* Over the replications in which it had something to do. Returns how many these are. */
static uint32_t mean_progress(const struct report_builder *b, uint32_t app, uint32_t instance,
                              double *progress) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t r = 0; r < b->input->run_count && report_has_alone(b); r++) {
        if (is_idle(b, &b->input->runs[r], app, instance))
            continue;
        sum += progress_in(b, &b->input->runs[r], app, instance);
        count++;
    }
    *progress = count ? sum / count : NAN;
    return count;
}

double report_progress(const struct report_builder *b, uint32_t app) {
    const uint32_t instances = (uint32_t)b->input->setup->apps[app].spec->instances;
    double sum = 0, one;
    uint32_t busy = 0;
    for (uint32_t i = 0; i < instances; i++)
        if (mean_progress(b, app, i, &one) > 0) {
            sum += one;
            busy++;
        }
    return busy ? sum / busy : NAN;
}

/* ---- The system ---- */

/* 1 where an application is known to keep all its targets of latency, 0 where it is known not to;
 * NAN: unknown. */
static double keeps_latencies(const struct report_target *targets, size_t count) {
    double kept = 1;
    for (size_t i = 0; i < count; i++) {
        if (targets[i].met == REPORT_NO)
            return 0;
        kept = targets[i].met == REPORT_YES ? kept : NAN;
    }
    return kept;
}

struct goals {
    uint32_t count;
    double met; /* NAN: not known of one */
};

/* An instance reaches its goal where its application keeps its latencies and it makes the progress
 * that is wanted of it. */
static void add_goal(struct goals *goals, const struct report_app *app, double np) {
    struct report_target targets[REPORT_TARGETS];
    size_t count = report_targets(app, targets);
    if (count == 0 && isnan(app->np_target))
        return;
    double kept = keeps_latencies(targets, count), reached = 1;
    if (!isnan(app->np_target))
        reached = isnan(np) ? NAN : ct_is_kept(app->np_target, np);
    goals->count++;
    goals->met += kept == 0 || reached == 0 ? 0 : kept * reached;
}

static void set_progress_measures(struct report_builder *b, struct report_system *system) {
    double stp = 0, inverse = 0, least = INFINITY, most = 0;
    uint32_t programs = 0;
    struct goals goals = {0};
    for (uint32_t a = 0; a < b->input->setup->app_count; a++) {
        const struct workload_app *spec = b->input->setup->apps[a].spec;
        const struct report_app *app = &b->report->apps[a];
        const double of_others = app->normalised_progress;
        bool starved = false;
        uint32_t idle = 0;
        for (uint32_t i = 0; i < (uint32_t)spec->instances; i++) {
            double np;
            if (mean_progress(b, a, i, &np) == 0) {
                np = of_others;
                idle++;
            }
            starved |= np == 0;
            stp += np;
            inverse += 1 / np;
            least = fmin(least, np);
            most = fmax(most, np);
            programs++;
            add_goal(&goals, app, np);
        }
        if (idle > 0 && !isnan(of_others))
            report_notice(b,
                          "'%s': no query came to %u of its instances: their progress is taken to "
                          "be that of the others",
                          spec->name, idle);
        if (starved) /* what has done nothing has no slowdown, and nor has the mean */
            report_notice(
                b, "'%s': nothing was done%s, so that its slowdown, and ANTT, are not known",
                spec->name, spec->instances > 1 ? " by one of its instances or more" : "");
    }
    system->stp = stp;
    if (isfinite(inverse) && programs)
        system->antt = inverse / programs;
    bool all_known = !isnan(stp); /* fmin and fmax pass over what is not */
    system->fairness = most > 0 && all_known ? least / most : NAN;
    if (goals.count)
        system->goals_met = goals.met / goals.count;
}

double report_batch_work(const struct setup *setup, const struct sim_result *result) {
    double work = 0;
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (setup->apps[a].spec->role == CT_BATCH)
            work += result->apps[a].work_ps;
    return work;
}

/* Batch work per time over that without the services: where first runs end a run, its window is not
 * that of the other. */
static void set_batch_throughput(const struct report_builder *b, struct report_system *system) {
    double with = 0, without = 0, with_window = 0, without_window = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct report_runs *run = &b->input->runs[r];
        with += report_batch_work(b->input->setup, run->shared);
        without += run->batch_only_ps;
        with_window += (double)run->shared->window_ps;
        without_window += (double)run->batch_only_window_ps;
    }
    if (without > 0)
        system->batch_throughput_normalised = with / without * (without_window / with_window);
}

/* Over instances; unknown where one did not end. */
static void set_turnaround(const struct report_builder *b, struct report_system *system) {
    double sum = 0;
    size_t count = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++)
        for (uint32_t a = 0; a < b->input->setup->app_count; a++) {
            const struct sim_app_result *result = report_app_in(&b->input->runs[r], a);
            if (b->input->setup->apps[a].spec->stop != WORKLOAD_STOP_FIRST_RUN)
                continue;
            for (size_t i = 0; i < result->first_run_ps.count; i++)
                sum += result->first_run_ps.items[i] / (double)CT_PS_PER_MS;
            count += result->first_run_ps.count;
        }
    if (count)
        system->turnaround_ms = sum / (double)count;
}

void report_set_progress(struct report_builder *b, struct report_system *system) {
    set_progress_measures(b, system);
    set_batch_throughput(b, system);
    set_turnaround(b, system);
}
