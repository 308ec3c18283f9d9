/* What finished runs come to: the report, but for progress and servers. */
#include "base/ct_text.h"
#include "des/des_statistics.h"
#include "experiment/report_builder.h"
#include "policies/rule_program.h"
#include "results/precision.h"
#include "run/arrivals.h"
#include "workload/dram_file.h"
#include "workload/setup.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer jobs than this cannot bound a 99th percentile from above with 95 % confidence: 0.99^n <
 * 0.05. */
enum { JOBS_FOR_P99 = 299 };

_Static_assert((int)REPORT_SERVICE == (int)CT_SERVICE && (int)REPORT_BATCH == (int)CT_BATCH,
               "a report's roles are those of policies");

/* ---- What its parts share ---- */

void report_times_add(const struct report_builder *b, struct report_times *times, const double *ps,
                      size_t count) {
    size_t before = times->count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(ps[i]) && !ct_vec_push(times, ps[i] / (double)CT_PS_PER_MS))
            *b->lost = true;
    if (times->count > before && !ct_vec_push(&times->lengths, times->count - before))
        *b->lost = true;
}

struct des_batch_series report_times_series(const struct report_times *times) {
    return (struct des_batch_series){times->items, times->lengths.items, times->lengths.count};
}

void report_times_free(struct report_times *times) {
    ct_vec_free(times);
    ct_vec_free(&times->lengths);
}

void report_notice(struct report_builder *b, const char *format, ...) {
    va_list arguments;
    if (b->notice_count == b->notice_capacity)
        return;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(b->arena, format, arguments);
    va_end(arguments);
    *b->lost |= !text;
    if (text)
        b->notices[b->notice_count++] = text;
}

/* ---- Latency ---- */

/* A service's p99 without an interval says what it would take. */
static void note_short_run(struct report_builder *b, const struct report_app *out, size_t count,
                           const struct des_batch_interval *p99) {
    if (out->role == REPORT_SERVICE && p99->batches == 0 && out->overloaded != REPORT_YES &&
        count >= JOBS_FOR_P99)
        report_notice(b,
                      "'%s': too short for an interval of its p99: %zu jobs, and about %zu are "
                      "needed, which is --reps %.0f (an estimate; it may rise)",
                      out->name, count, p99->needed,
                      ceil((double)p99->needed * b->input->run_count / (double)count));
}

static void set_intervals(struct report_builder *b, const struct report_times *times,
                          struct report_app *out) {
    const struct des_batch_series series = report_times_series(times);
    struct des_batch_interval mean, p99;
    if (!des_batch_mean(&series, 0.95, &mean) || !des_batch_quantile(&series, 0.99, 0.95, &p99)) {
        *b->lost = true;
        return;
    }
    note_short_run(b, out, times->count, &p99);
    if (mean.batches && out->overloaded != REPORT_YES) {
        out->latency_ms.mean_low = fmax(0, mean.low);
        out->latency_ms.mean_high = mean.high;
    }
    if (p99.batches && out->overloaded != REPORT_YES) { /* that of what grows means nothing */
        out->latency_ms.p99_low = fmax(0, p99.low);
        out->latency_ms.p99_high = p99.high;
        out->latency_ms.p99_error = (struct report_error){p99.error, (int64_t)p99.batches};
    }
}

static void set_latency(struct report_builder *b, uint32_t app, struct report_app *out) {
    struct report_times times = {0};
    double sum = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        report_times_add(b, &times, result->latency_ps.items, result->latency_ps.count);
    }
    if (times.count && !*b->lost) {
        set_intervals(b, &times, out);
        for (size_t i = 0; i < times.count; i++)
            sum += times.items[i];
        out->latency_ms.mean = sum / (double)times.count;
        out->latency_ms.p50 = des_quantile_select(times.items, times.count, 0.5);
        out->latency_ms.p90 = des_quantile_select(times.items, times.count, 0.9);
        out->latency_ms.p95 = des_quantile_select(times.items, times.count, 0.95);
        out->latency_ms.p99 = des_quantile_select(times.items, times.count, 0.99);
        out->latency_ms.max = des_quantile_select(times.items, times.count, 1);
    }
    report_times_free(&times);
}

/* The p99 of what jobs took from their first issue on. */
static double pooled_service_p99(const struct report_builder *b, uint32_t app) {
    struct report_times times = {0};
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        report_times_add(b, &times, result->service_ps.items, result->service_ps.count);
    }
    double p99 = des_quantile_select(times.items, times.count, 0.99);
    report_times_free(&times);
    return p99;
}

bool report_is_overloaded(const struct report_builder *b, const struct sim_result *run,
                          uint32_t app) {
    const bool *before = b->input->setup->apps[app].spec->arrivals.before;
    bool overloaded = report_app_of(run, app)->overloaded;
    for (uint32_t i = 0; before && i < run->app_count; i++)
        overloaded |= before[i] && run->apps[i].overloaded;
    return overloaded;
}

/* What the private runs of all instances say of its jobs. */
static void set_alone(const struct report_builder *b, uint32_t app, struct report_app *out) {
    struct report_times times = {0};
    double sum = 0, ended = 0, seconds = 0;
    size_t count = 0;
    for (uint32_t r = 0; r < b->input->run_count && report_has_alone(b); r++)
        for (uint32_t i = 0; i < b->input->runs[r].alone[app].count; i++) {
            const struct sim_app_result *alone = report_alone_in(&b->input->runs[r], app, i);
            report_times_add(b, &times, alone->latency_ps.items, alone->latency_ps.count);
            ended += (double)alone->jobs_ended;
            seconds += ct_time_s(b->input->runs[r].alone[app].runs[i].window_ps);
            if (report_is_overloaded(b, &b->input->runs[r].alone[app].runs[i], app))
                out->alone_overloaded = REPORT_YES;
            for (size_t k = 0; k < alone->service_ps.count; k++)
                sum += alone->service_ps.items[k];
            count += alone->service_ps.count;
        }
    out->alone_p99_ms = des_quantile_select(times.items, times.count, 0.99);
    out->alone_per_s = (double)out->instances * ended / seconds;
    out->solo_ms = count ? sum / (double)count / (double)CT_PS_PER_MS : NAN;
    report_times_free(&times);
}

/* ---- One application ---- */

static void set_blame(const double *mean, uint32_t apps, struct report_builder *b,
                      struct report_app *out) {
    struct report_delay *delays = ct_arena_array(b->arena, apps, sizeof *delays);
    *b->lost |= !delays;
    if (!delays)
        return;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        out->blame_ms_p99[i] = mean[SIM_ROW_PARTS + i] / (double)CT_PS_PER_MS;
    for (uint32_t other = 0; other < apps; other++)
        delays[other] = (struct report_delay){b->input->setup->apps[other].spec->name,
                                              mean[SIM_ROW_DELAYS + other] / (double)CT_PS_PER_MS};
    out->delayed_by = delays;
    out->delayed_by_count = isnan(mean[SIM_ROW_LATENCY]) ? 0 : apps;
}

static void set_sharing(const double *mean, uint32_t apps, struct report_builder *b,
                        struct report_sharing *out) {
    const double *costs = mean + sim_row_alone(apps) + 1, *by_costs = costs + CT_BLAME_COUNT;
    struct report_delay *by = ct_arena_array(b->arena, apps + 1u, sizeof *by);
    *b->lost |= !by;
    if (!by)
        return;
    out->alone_ms = mean[sim_row_alone(apps)] / (double)CT_PS_PER_MS;
    for (size_t i = 0; i < CT_BLAME_COUNT; i++)
        out->cause_ms[i] = costs[i] / (double)CT_PS_PER_MS;
    for (uint32_t i = 0; i <= apps; i++)
        by[i] = (struct report_delay){i < apps ? b->input->setup->apps[i].spec->name : NULL,
                                      by_costs[i] / (double)CT_PS_PER_MS};
    out->by = by;
    out->by_count = isnan(out->alone_ms) ? 0 : apps + 1;
}

/* Where the slowest jobs of all runs lost time. */
static void set_slowest(struct report_builder *b, uint32_t app, struct report_app *out) {
    const uint32_t apps = b->input->setup->app_count, n = b->input->run_count;
    const struct sim_app_result **results = ct_arena_array(b->arena, n, sizeof *results);
    double *mean = ct_arena_array(b->arena, sim_row_length(apps), sizeof *mean);
    if (!report_app_in(&b->input->runs[0], app)->slowest.row_length)
        return;
    for (uint32_t r = 0; results && r < n; r++)
        results[r] = report_app_in(&b->input->runs[r], app);
    if (!results || !mean || !sim_slowest_mean(results, n, apps, mean)) {
        *b->lost = true;
        return;
    }
    set_blame(mean, apps, b, out);
    set_sharing(mean, apps, b, &out->sharing);
}

static bool is_overloaded_in_any(const struct report_builder *b, uint32_t app) {
    bool overloaded = false;
    for (uint32_t r = 0; r < b->input->run_count; r++)
        overloaded |= report_is_overloaded(b, b->input->runs[r].shared, app);
    return overloaded;
}

/* What waits at an application, and at the overloaded stages before it: the mean over all runs. */
static double mean_backlog(const struct report_builder *b, uint32_t app) {
    const bool *before = b->input->setup->apps[app].spec->arrivals.before;
    double backlog = 0;
    for (uint32_t i = 0; i < b->input->setup->app_count; i++) {
        bool adds = i == app || (before && before[i] && is_overloaded_in_any(b, i));
        for (uint32_t r = 0; adds && r < b->input->run_count; r++)
            backlog += report_app_in(&b->input->runs[r], i)->backlog / (double)b->input->run_count;
    }
    return backlog;
}

static void set_counts(const struct report_builder *b, uint32_t app, struct report_app *out) {
    uint64_t jobs = 0, late = 0, told = 0, ended = 0, n = b->input->run_count;
    double seconds = 0;
    for (uint32_t r = 0; r < n; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        jobs += result->jobs;
        late += result->late;
        told += result->jobs - result->undecided;
        ended += result->jobs_ended;
        seconds += ct_time_s(b->input->runs[r].shared->window_ps);
    }
    out->jobs = (int64_t)jobs;
    out->overloaded = is_overloaded_in_any(b, app);
    out->backlog_jobs = mean_backlog(b, app);
    out->throughput_per_s = (double)ended / seconds;
    if (out->qos_ms > 0 && told)
        out->late_fraction = (double)late / (double)told;
}

bool report_backlog_grows(const struct setup *setup, const struct sim_result *run, uint32_t app) {
    const bool *before = setup->apps[app].spec->arrivals.before;
    bool grows = run->apps[app].grows;
    for (uint32_t i = 0; before && i < setup->app_count; i++)
        grows |= before[i] && run->apps[i].grows;
    return grows;
}

static bool backlog_grows(const struct report_builder *b, uint32_t app) {
    bool grows = false;
    for (uint32_t r = 0; r < b->input->run_count; r++)
        grows |= report_backlog_grows(b->input->setup, b->input->runs[r].shared, app);
    return grows;
}

/* What a p99 of latencies within the target says: where a backlog grows it is missed in the end; a
 * job that the run cut off may yet keep it. */
static int64_t within(const struct report_builder *b, uint32_t app, const struct report_app *out) {
    if (out->overloaded != REPORT_YES)
        return REPORT_YES;
    return backlog_grows(b, app) ? REPORT_NO : REPORT_OPEN;
}

static void set_target(const struct report_builder *b, uint32_t app, struct report_app *out) {
    if (!(out->qos_ms > 0))
        return;
    out->p99_over_qos = out->latency_ms.p99 / out->qos_ms;
    out->p99_over_qos_low = out->latency_ms.p99_low / out->qos_ms;
    out->p99_over_qos_high = out->latency_ms.p99_high / out->qos_ms;
    out->qos_met = report_verdict(out, out->latency_ms.p99, out->qos_ms, within(b, app, out));
}

/* Who drops the requests that would be slow seems to slow nobody. */
static void note_dropped(struct report_builder *b, const struct report_app *out) {
    if (out->role == REPORT_SERVICE && out->server.dropped_fraction > 0 &&
        !isnan(out->normalised_progress))
        report_notice(b,
                      "'%s' drops %.3g %% of its requests: progress, STP, ANTT and fairness leave "
                      "them out, and are the better the more are dropped",
                      out->name, 100 * out->server.dropped_fraction);
}

/* What --precision came to. */
static void note_precision(struct report_builder *b, const struct report_app *out) {
    double wanted = b->input->precision, reached = precision_reached(out);
    int64_t more = precision_more(out, b->input->run_count, wanted);
    if (!(wanted > 0) || out->role != REPORT_SERVICE)
        return;
    if (more == REPORT_UNKNOWN)
        report_notice(b, "'%s': no number of replications gives its p99 a precision", out->name);
    else if (isnan(reached))
        report_notice(b, "'%s': no precision after %u replications; at least %lld more are needed",
                      out->name, b->input->run_count, (long long)more);
    else if (more == 0)
        report_notice(b, "'%s': p99 within %.3g %% after %u replications; %.3g %% was asked",
                      out->name, 100 * reached, b->input->run_count, 100 * wanted);
    else
        report_notice(
            b,
            "'%s': p99 within %.3g %% after %u replications; about %lld more would make it "
            "the %.3g %% asked",
            out->name, 100 * reached, b->input->run_count, (long long)more, 100 * wanted);
}

/* Whether an application did nothing in any replication; its jobs may have come before the measured
 * time, and wait. */
static bool did_nothing(const struct report_builder *b, uint32_t app) {
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_app_result *result = report_app_in(&b->input->runs[r], app);
        if (result->jobs > 0 || result->work_ps > 0)
            return false;
    }
    return true;
}

static void set_app(struct report_builder *b, uint32_t app, struct report_app *out) {
    const struct workload_app *spec = b->input->setup->apps[app].spec;
    *out = report_app_unknown();
    out->name = spec->name;
    out->role = spec->role;
    out->instances = spec->instances;
    out->qos_ms = spec->qos_ms > 0 ? spec->qos_ms : NAN;
    out->np_target = spec->np_target > 0 ? spec->np_target : NAN;
    set_counts(b, app, out);
    report_set_server(b, app, out);
    set_latency(b, app, out);
    set_target(b, app, out);
    out->service_p99_ms = pooled_service_p99(b, app);
    set_alone(b, app, out);
    out->normalised_progress = report_progress(b, app);
    note_dropped(b, out);
    set_slowest(b, app, out);
    report_set_kernels(b, app, out);
    if (did_nothing(b, app))
        report_notice(b,
                      "'%s' did nothing in the measured time, as no job of it came or those that "
                      "came before wait: what is said of the others is without it",
                      out->name);
    else if (out->role == REPORT_SERVICE && out->jobs < JOBS_FOR_P99)
        report_notice(b, "'%s': %lld jobs are too few to bound a 99th percentile (%d are needed)",
                      out->name, (long long)out->jobs, JOBS_FOR_P99);
    if (report_queues_up(out))
        report_notice(
            b,
            "'%s' is overloaded: its backlog grows, its latencies are lower bounds (backlog "
            "%.0f jobs)",
            out->name, out->backlog_jobs);
    note_precision(b, out);
}

/* ---- The system ---- */

static void set_system(struct report_builder *b, struct report *report) {
    struct report_system *system = &report->system;
    uint32_t n = b->input->run_count;
    system->sm_utilisation = system->dram_utilisation = system->batch_busy_fraction = 0;
    system->pcie_h2d_utilisation = system->pcie_d2h_utilisation = system->host_utilisation = 0;
    system->decisions = system->rejected_verbs = 0;
    report->engine.events = report->engine.kernels = 0;
    report->checks.stale_events = 0;
    report->checks.conservation = report->checks.littles_law = report->checks.utilisation_law =
        "ok";
    for (uint32_t r = 0; r < n; r++) {
        const struct sim_result *run = b->input->runs[r].shared;
        system->sm_utilisation += run->sm_utilisation / n;
        system->dram_utilisation += run->dram_utilisation / n;
        system->batch_busy_fraction += run->batch_busy_fraction / n;
        system->pcie_h2d_utilisation += run->pcie_utilisation[0] / n;
        system->pcie_d2h_utilisation += run->pcie_utilisation[1] / n;
        system->host_utilisation += run->host_utilisation / n;
        system->decisions += (int64_t)run->decisions;
        system->rejected_verbs += (int64_t)run->rejected_verbs;
        report->engine.events += (int64_t)run->events;
        report->engine.kernels += (int64_t)run->kernels;
        report->checks.stale_events += (int64_t)run->stale_events;
        if (run->broken_law)
            report->checks.conservation = run->broken_law;
        if (!run->littles_law_ok)
            report->checks.littles_law = "jobs in the system do not match their sojourn times";
        if (!run->utilisation_law_ok)
            report->checks.utilisation_law = "SMs or memory were busy for other than the work done";
    }
    if (setup_hides_memory(b->input->setup))
        system->dram_utilisation = NAN;
    report_set_progress(b, system);
}

/* ---- What stands beside the numbers ---- */

static void add_setting(struct report_builder *b, struct report_setting *settings, const char *key,
                        const char *text) {
    char *copy = ct_arena_strdup(b->arena, text);
    *b->lost |= !key || !copy;
    settings[b->report->device_count++] = (struct report_setting){key, copy};
}

static void add_number(struct report_builder *b, struct report_setting *settings, const char *key,
                       double number) {
    char text[40];
    ct_text_double(text, sizeof text, number);
    add_setting(b, settings, key, text);
}

/* What of the device decides results; first, where it is not the preset that the report names. */
static void set_device(struct report_builder *b) {
    static const char *const sharing[] = {"MPS", "exclusive", "time slices", "partition"};
    const struct gpu *gpu = &b->input->setup->gpu;
    const struct workload_settings *given = &b->input->setup->workload->gpu_settings;
    struct report_setting *settings = ct_arena_array(b->arena, 10 + given->count, sizeof *settings);
    char dram[DRAM_FILE_TEXT];
    *b->lost |= !settings;
    if (!settings)
        return;
    b->report->device = settings;
    for (size_t i = 0; i < given->count; i++)
        add_setting(b, settings, ct_arena_format(b->arena, "gpu.%s", given->items[i].key),
                    given->items[i].value);
    add_setting(b, settings, "sharing", sharing[b->input->policy->sharing]);
    add_number(b, settings, "hw_queues", b->input->setup->hw_queues);
    dram_file_describe(gpu, dram);
    add_setting(b, settings, "dram", dram);
    add_number(b, settings, "pcie_mb_s", gpu->pcie_mb_s);
    add_number(b, settings, "contention_k0", gpu->contention_k0);
    add_number(b, settings, "contention_k", gpu->contention_k);
    add_number(b, settings, "launch_delay_us", gpu->launch_delay_us);
    if (gpu->contention_app_count)
        add_number(b, settings, "contention_apps", setup_contention_count(b->input->setup));
    if (b->input->policy->sharing == CT_SHARING_TIMESLICE) {
        add_number(b, settings, "time_slice_us", gpu->time_slice_us);
        add_number(b, settings, "time_slice_switch_us", gpu->time_slice_switch_us);
    }
}

static void set_counters(struct report_builder *b) {
    const struct sim_result *first = b->input->runs[0].shared;
    struct report_counter *counters =
        ct_arena_array(b->arena, first->counters.count + 1, sizeof *counters);
    *b->lost |= !counters;
    for (size_t i = 0; counters && i < first->counters.count; i++) {
        counters[i].key = ct_arena_strdup(b->arena, first->counters.items[i].key);
        *b->lost |= !counters[i].key;
        for (uint32_t r = 0; r < b->input->run_count; r++)
            if (i < b->input->runs[r].shared->counters.count)
                counters[i].value += b->input->runs[r].shared->counters.items[i].value;
    }
    b->report->policy_counters = counters;
    b->report->policy_counter_count = counters ? first->counters.count : 0;
}

/* Median solo duration of the workload's kernels, each launch of each plan once; NAN: none. */
static double median_kernel_ps(const struct setup *setup, bool *lost) {
    CT_VEC(double) durations = {0};
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (uint32_t p = 0; p < setup->apps[a].plan_count; p++)
            for (uint32_t i = 0; i < setup->apps[a].plans[p].count; i++) {
                const struct setup_step *step = &setup->apps[a].plans[p].steps[i];
                if (step->kind == TRACE_KERNEL && !ct_vec_push(&durations, step->work_ps))
                    *lost = true;
            }
    double median = des_quantile_select(durations.items, durations.count, 0.5);
    ct_vec_free(&durations);
    return median;
}

static double prediction_cost_ps(const struct ct_policy *policy) {
    return fmax((double)policy->prediction_cost_ps, (double)policy->query_prediction_cost_ps);
}

double report_charge_ps(const struct setup *setup, const struct ct_policy *policy,
                        const struct sim_result *shared, bool *lost) {
    double charged = shared ? (double)shared->longest_charge_ps : 0,
           cost = fmax(prediction_cost_ps(policy), charged);
    if (cost <= 0 || setup->workload->decision_cost == WORKLOAD_COST_NONE)
        return 0;
    return cost > median_kernel_ps(setup, lost) ? cost : 0;
}

static void note_instead(struct report_builder *b, const struct report *with,
                         const struct report *without) {
    for (size_t a = 0; a < with->app_count; a++) {
        const struct report_app *x = &with->apps[a], *y = &without->apps[a];
        bool tail = !isnan(x->latency_ms.p99) && !isnan(y->latency_ms.p99);
        if (x->role == REPORT_SERVICE)
            report_notice(b, "without that cost '%s' has a %s of %.4g ms instead of %.4g", x->name,
                          tail ? "p99" : "mean", tail ? y->latency_ms.p99 : y->latency_ms.mean,
                          tail ? x->latency_ms.p99 : x->latency_ms.mean);
    }
    if (!isnan(with->system.stp))
        report_notice(b, "without that cost STP is %.4g instead of %.4g", without->system.stp,
                      with->system.stp);
}

/* The result without the charge stands beside it, where that was run: in the first replication. */
static void compare_with_free(struct report_builder *b) {
    struct report_runs runs = b->input->runs[0];
    struct report_input input = *b->input;
    struct report with, without;
    if (!runs.free_of_charge)
        return;
    const struct sim_result *free_of_charge = runs.free_of_charge;
    input.runs = &runs;
    input.run_count = 1;
    runs.free_of_charge = NULL;
    if (report_build(&input, b->arena, &with, b->diags) != CT_OK)
        return;
    runs.shared = free_of_charge;
    if (report_build(&input, b->arena, &without, b->diags) == CT_OK)
        note_instead(b, &with, &without);
}

static const char *charged_for(const struct ct_policy *policy, double cost) {
    if (cost > prediction_cost_ps(policy))
        return "decision";
    return cost > (double)policy->prediction_cost_ps ? "query's prediction" : "prediction";
}

/* A decision that takes longer than the kernel that it is about is a finding about the policy. */
static void note_decision_cost(struct report_builder *b) {
    const struct setup *setup = b->input->setup;
    const struct ct_policy *policy = b->input->policy;
    double cost = report_charge_ps(setup, policy, b->input->runs[0].shared, b->lost);
    if (cost <= 0)
        return;
    report_notice(b, "a %s takes %.3g us and the median kernel %.3g us%s",
                  charged_for(policy, cost), cost / (double)CT_PS_PER_US,
                  median_kernel_ps(setup, b->lost) / (double)CT_PS_PER_US,
                  b->input->runs[0].free_of_charge ? "; in the first replication:" : "");
    compare_with_free(b);
}

/* Eq. 5 of HSM is exact by construction where the memory follows the line that was learnt of it. */
static void note_shared_model(struct report_builder *b) {
    if (strncmp(b->input->policy->name, "hsm-", 4) == 0 && !b->input->setup->gpu.dram_points)
        report_notice(
            b, "device and predictor share the model: the memory follows a row-buffer line, "
               "and so does the prediction; predicted progress is more exact than on a real GPU");
}

static bool lacks_instructions(const struct setup_app *app) {
    for (size_t k = 0; k < app->trace->kernels.count; k++)
        if (app->kernel_work_ps[k] > 0 && isnan(app->profiles[k].instructions))
            return true;
    return false;
}

/* Without instruction counts Eq. 2 of HSM has nothing to go by. */
static void note_missing_counts(struct report_builder *b) {
    const struct setup *setup = b->input->setup;
    const char *name = b->input->policy->name;
    if (strncmp(name, "hsm-", 4) != 0 && strncmp(name, "dase-", 5) != 0)
        return;
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (lacks_instructions(&setup->apps[a]))
            report_notice(
                b, "'%s' has kernels without instruction counts: %s cannot predict their progress",
                setup->apps[a].spec->name, name);
}

/* The most that the policy printed under a key in one of the runs. */
static double most_counted(const struct report_builder *b, const char *key) {
    double most = 0;
    for (uint32_t r = 0; r < b->input->run_count; r++) {
        const struct sim_result *run = b->input->runs[r].shared;
        for (size_t i = 0; i < run->counters.count; i++)
            if (strcmp(run->counters.items[i].key, key) == 0)
                most = fmax(most, run->counters.items[i].value);
    }
    return most;
}

/* A misspelt name would do nothing in silence, and 50 for 50% the same as all. */
static void note_rule(struct report_builder *b) {
    double unmatched = most_counted(b, RULE_UNMATCHED);
    double beyond = most_counted(b, RULE_SHARES_BEYOND);
    if (unmatched > 0)
        report_notice(
            b,
            "%.0f of the patterns in app(\"...\") and kernel(\"...\") of its rule matched "
            "no name in a run: is one misspelt?",
            unmatched);
    if (beyond > 0)
        report_notice(b,
                      "%.0f kernels of a run had a share of 0 or less, or more than 1, by the "
                      "rule: they got the least or all of the SMs",
                      beyond);
}

static bool are_same(const struct sim_result *a, const struct sim_result *b) {
    bool same = a->events == b->events && a->app_count == b->app_count;
    for (uint32_t i = 0; same && i < a->app_count; i++) {
        size_t count = a->apps[i].latency_ps.count;
        same = count == b->apps[i].latency_ps.count &&
               (count == 0 || memcmp(a->apps[i].latency_ps.items, b->apps[i].latency_ps.items,
                                     count * sizeof *a->apps[i].latency_ps.items) == 0);
    }
    return same;
}

/* Says that all replications are the same, as where arrivals are replayed and nothing else is
 * drawn. */
static void note_same_replications(struct report_builder *b) {
    const struct report_runs *runs = b->input->runs;
    bool same = b->input->run_count > 1;
    for (uint32_t r = 1; same && r < b->input->run_count; r++)
        same = are_same(runs[0].shared, runs[r].shared);
    if (same)
        report_notice(b,
                      "nothing is left to chance: all replications are the same run, and intervals "
                      "say nothing of another one");
}

/* The kernels of an application that was recorded on another GPU, summed up. */
struct scaled {
    double work_ps, by_unit_ps, unknown_ps; /* of all; with known units; of unknown demand */
    double bound_ps; /* of those of unknown demand, if the memory bounds them */
};

static struct scaled scaled_of(const struct setup *setup, const struct setup_app *app) {
    struct scaled all = {0};
    double memory = app->recorded->dram_gb_s / setup->gpu.dram_gb_s;
    for (uint32_t p = 0; p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++) {
            const struct setup_step *step = &app->plans[p].steps[i];
            if (!step->profile)
                continue;
            all.work_ps += step->work_ps;
            all.by_unit_ps += step->profile->scaled_by_unit ? step->work_ps : 0;
            if (step->profile->demand_provenance != CT_UNKNOWN)
                continue;
            all.unknown_ps += step->work_ps;
            all.bound_ps += step->work_ps * fmax(1, memory / step->profile->duration_scale);
        }
    return all;
}

static void note_scaling(struct report_builder *b, const struct setup_app *app) {
    const char *name = app->spec->name;
    struct scaled all = scaled_of(b->input->setup, app);
    report_notice(
        b,
        "'%s' was recorded on another GPU, '%s': compute scaled by the peak of the units where "
        "these are known to bound a kernel (%.3g %% of their time), else by clock and the SMs that "
        "their blocks reach, memory by bandwidth, the slower decides; by waves and clock where "
        "metrics say that neither bounds a kernel; the host at its recorded pace%s",
        name, app->trace->gpu, all.work_ps > 0 ? 100 * all.by_unit_ps / all.work_ps : 0,
        app->trace->launches_recorded
            ? ""
            : ", less what a faster GPU saves of it (no launches were recorded)");
    if (all.bound_ps > all.unknown_ps)
        report_notice(b,
                      "'%s': the memory demand of %.3g %% of its kernel time is unknown and counts "
                      "as none in its scaling, too: if the memory bounds these kernels, they "
                      "take up to %.2g times as long in sum",
                      name, 100 * all.unknown_ps / all.work_ps, all.bound_ps / all.unknown_ps);
}

/* What stands in for the steps of a server that have no recording. False: it generates no tokens.
 */
static bool note_steps(struct report_builder *b, const struct workload_app *spec) {
    const struct workload_continuous *c = spec->server ? spec->server->continuous : NULL;
    char error[120] = "too few are recorded to tell how good that is";
    if (!c)
        return false;
    if (!isnan(c->held_out_error))
        snprintf(error, sizeof error,
                 "one that is left out is missed by at most %.2g %% of its kernel time",
                 100 * c->held_out_error);
    report_notice(
        b,
        "'%s': its steps are made of %zu recorded ones of prompts and %zu that generate: launches "
        "of the nearest, times by the lines of its neighbours; %s%s",
        spec->name, c->prefill.count, c->decode.count, error,
        c->chunked ? "; a step with both takes what one of each takes" : "");
    return true;
}

/* Says for which batch sizes there is no recording, and what the law that stands in for them is
 * worth. */
static void note_batches(struct report_builder *b, const struct workload_app *spec) {
    const struct workload_server *server = spec->server;
    char error[120] = "too few sizes are recorded to tell how good that is";
    long long without = 0, most = server ? server->max_batch : 1;
    for (long long i = 0; server && server->jobs && i < most; i++)
        without += server->jobs[i].interpolated;
    if (server && !isnan(server->held_out_error))
        snprintf(error, sizeof error,
                 "a recorded size that is left out is missed by at most %.2g %% of its kernel time",
                 100 * server->held_out_error);
    if (without)
        report_notice(
            b,
            "'%s': %lld of its %lld batch sizes have no recording: launches of the nearest that "
            "has one, times and bytes by the lines of its neighbours; %s",
            spec->name, without, most, error);
    else if (most > 1 && !server->jobs)
        report_notice(
            b, "'%s': a batch takes what a job does, whatever its size: no 'batches' are given",
            spec->name);
}

static void note_inputs(struct report_builder *b) {
    const struct setup *setup = b->input->setup;
    char end[ARRIVALS_END_TEXT];
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (arrivals_describe_end(setup->workload, setup->apps[a].spec, end))
            report_notice(b, "'%s': %s", setup->apps[a].spec->name, end);
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (!note_steps(b, setup->apps[a].spec))
            note_batches(b, setup->apps[a].spec);
    note_decision_cost(b);
    note_shared_model(b);
    note_missing_counts(b);
    note_rule(b);
    note_same_replications(b);
    if (b->input->unblamed)
        report_notice(b, "so many applications and clients: what delayed their jobs is not "
                         "accounted for");
    bool copies = false;
    for (uint32_t a = 0; a < setup->app_count; a++)
        copies |= setup->apps[a].has_copies;
    if (!copies)
        report_notice(b, "no application copies between host and device: PCIe effects are absent");
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (strcmp(setup->apps[a].trace->gpu, setup->gpu.name) != 0)
            note_scaling(b, &setup->apps[a]);
}

/* The longest warm-up of the replications; how they differ is said beside it. */
static void set_warmup(struct report_builder *b) {
    double least = INFINITY, most = 0;
    uint32_t n = b->input->run_count, unsettled = 0;
    for (uint32_t r = 0; r < n; r++) {
        least = fmin(least, b->input->runs[r].warmup_s);
        most = fmax(most, b->input->runs[r].warmup_s);
        unsettled += !b->input->runs[r].settled;
    }
    b->report->warmup_s = most;
    if (b->input->setup->workload->warmup_by != WORKLOAD_WARMUP_MSER5)
        return;
    if (!(most > least))
        report_notice(b, "warm-up by MSER-5: the first %.4g s are cut off", most);
    else
        report_notice(b,
                      "warm-up by MSER-5: the first %.4g to %.4g s of the replications are cut off",
                      least, most);
    if (unsettled)
        report_notice(
            b,
            "MSER-5 found no end of the warm-up in the first half of %u of %u runs: too short "
            "for a steady state",
            unsettled, n);
}

int report_build(const struct report_input *input, struct ct_arena *arena, struct report *report,
                 struct ct_diags *diags) {
    const struct setup *setup = input->setup;
    bool lost = false;
    struct report_builder b = {.input = input,
                               .arena = arena,
                               .report = report,
                               .diags = diags,
                               .lost = &lost,
                               .notice_capacity = 9u * setup->app_count + 14u};
    struct report_app *apps = ct_arena_array(arena, setup->app_count, sizeof *apps);
    b.notices = ct_arena_array(arena, b.notice_capacity, sizeof(const char *));
    *report = report_unknown();
    if (!apps || !b.notices)
        return ct_out_of_memory(diags);
    set_device(&b);
    set_counters(&b);
    report->version = input->version;
    report->workload = setup->workload->name;
    report->gpu = setup->gpu.name;
    report->policy = input->label;
    report->config = input->config;
    report->seed = (int64_t)input->seed;
    report->reps = input->run_count;
    report->fidelity = workload_fidelities[setup->workload->fidelity];
    report->duration_s = setup->workload->duration_s;
    set_warmup(&b);
    report->oracle = input->oracle;
    for (uint32_t a = 0; a < setup->app_count; a++)
        set_app(&b, a, &apps[a]);
    report->apps = apps;
    report->app_count = setup->app_count;
    set_system(&b, report);
    report->inputs = setup->inputs;
    note_inputs(&b);
    report->notices = b.notices;
    report->notice_count = b.notice_count;
    return lost ? ct_out_of_memory(diags) : CT_OK;
}
