#include "cmd/trace_judge.h"

#include "base/ct_sort.h"
#include "models/device/occupancy.h"
#include "trace/trace_lead.h"
#include "trace/trace_overlap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HSM's classes: share of peak DRAM bandwidth (docs/recording.md). */
#define MEMORY_BOUND 0.65
#define COMPUTE_BOUND 0.30

/* A recorded SM activity below this part of what equal blocks would give is a kernel of unequal
 * blocks. */
#define UNEQUAL_BLOCKS 0.75

/* In kernels shorter than this, start and end keep SMs idle as much as unequal blocks would. */
#define BALANCE_FROM_PS (20 * CT_PS_PER_US)

/* Kernels shorter than this many steps of the recording's clock have durations of one digit. */
enum { COARSE_STEPS = 10, TEXT_BYTES = 400 };

void trace_row(const struct trace_judged *j, const char *subject, const char *verdict,
               const char *format, ...) {
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    table_row(j->table, j->app->name, subject, verdict, text);
}

/* What counts as warm-up: so many jobs at the beginning, so much longer than the median. Assumed.
 */
enum { WARM_UP_JOBS = 10 };
static const double WARM_UP_SLOW = 1.5;

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static size_t count_flagged(const struct trace_app *app, int flag) {
    size_t count = 0;
    for (size_t i = 0; i < app->tasks.count; i++)
        count += (app->tasks.items[i].flags & flag) != 0;
    return count;
}

static void check_host(const struct trace_judged *c) {
    const struct trace_app *app = c->app;
    size_t synchronous = count_flagged(app, TRACE_SYNC),
           capped = count_flagged(app, TRACE_HOST_GAP_CAPPED),
           unlaunched = count_flagged(app, TRACE_HOST_GAP_ASSUMED);
    if (!app->launches_recorded)
        trace_row(c, "host", "assumed",
                  "no launch records: pauses below 20 us count as launched ahead, longer ones as "
                  "waits of the host");
    else if (app->stacks_recorded)
        trace_row(c, "host", "doubtful",
                  "launches are recorded, but with call stacks, which slow the host: gaps are too "
                  "long");
    else
        trace_row(c, "host", "measured", "launches are recorded; the host waited before %zu of %zu",
                  synchronous, app->tasks.count);
    if (app->launches_recorded && unlaunched)
        trace_row(
            c, "launches", "assumed",
            "%zu of %zu tasks have no launch record: queued behind the task before, or launched "
            "when they began",
            unlaunched, app->tasks.count);
    if (capped)
        trace_row(c, "pauses", "cut", "%zu pauses (file input, set-up) were cut to 100 ms", capped);
    if (app->carried_tasks)
        trace_row(c, "carried", "moved",
                  "%llu tasks ran in another job than the one that launched them: they count where "
                  "they were launched, or are left out before the first job",
                  (unsigned long long)app->carried_tasks);
}

static void check_lead(const struct trace_judged *c) {
    char text[TEXT_BYTES];
    if (trace_app_lead(c->app, text, sizeof text))
        trace_row(c, "lead", "doubtful", "%s", text);
}

/* What copies between host and device moved in each direction, and how long they took. */
struct crossed {
    double bytes[TRACE_DEVICE_TO_DEVICE], ps[TRACE_DEVICE_TO_DEVICE];
    size_t unknown; /* of memory that is not known */
};

static struct crossed crossed_of(const struct trace_app *app) {
    struct crossed all = {0};
    for (size_t i = 0; i < app->tasks.count; i++) {
        const struct trace_task *t = &app->tasks.items[i];
        if (!trace_task_crosses_link(t))
            continue;
        all.bytes[t->direction] += (double)t->bytes;
        all.ps[t->direction] += (double)t->duration_ps;
        all.unknown += t->memory == TRACE_MEMORY_UNKNOWN;
    }
    return all;
}

/* "480.0 MB at 3.0 GB/s" */
static const char *volume(const struct crossed *crossed, int direction, char *text, size_t size) {
    double bytes = crossed->bytes[direction], ps = crossed->ps[direction];
    int length = snprintf(text, size, "%.1f MB", bytes / 1e6);
    if (bytes >= 5e4) /* of less nothing is shown */
        snprintf(text + length, size - (size_t)length, " at %.1f GB/s",
                 bytes / ps * (double)CT_PS_PER_S / 1e9);
    return text;
}

static void check_copies(const struct trace_judged *c) {
    struct crossed crossed = crossed_of(c->app);
    char in[TEXT_BYTES / 4], out[TEXT_BYTES / 4];
    volume(&crossed, TRACE_HOST_TO_DEVICE, in, sizeof in);
    volume(&crossed, TRACE_DEVICE_TO_HOST, out, sizeof out);
    if (c->totals.h2d_bytes + c->totals.d2h_bytes == 0)
        trace_row(c, "copies", "absent", "nothing is copied over PCIe: its effects are absent");
    else if (crossed.unknown)
        trace_row(
            c, "copies", "assumed",
            "%zu copies do not say whether their memory was pinned or pageable, and take what "
            "a pageable one takes by the GPU's preset; recorded: %s in, %s out",
            crossed.unknown, in, out);
    else
        trace_row(c, "copies", "measured", "%s in, %s out", in, out);
}

static void check_times(const struct trace_judged *c) {
    size_t assumed = count_flagged(c->app, TRACE_DURATION_ASSUMED);
    ct_time_ps coarse = 0;
    for (size_t i = 0; i < c->app->tasks.count; i++) {
        const struct trace_task *t = &c->app->tasks.items[i];
        if (t->kind == TRACE_KERNEL && t->duration_ps < COARSE_STEPS * c->app->resolution_ps)
            coarse = ct_time_later(coarse, t->duration_ps);
    }
    if (assumed)
        trace_row(c, "durations", "assumed",
                  "%zu tasks were not measured: recorded as 0 long and taken as half a step of the "
                  "clock, or modelled",
                  assumed);
    if (percent((double)coarse, (double)c->totals.kernel_ps) >= 1)
        trace_row(c, "clock", "coarse",
                  "%.0f %% of the kernel time are kernels of less than %d steps",
                  percent((double)coarse, (double)c->totals.kernel_ps), COARSE_STEPS);
}

static void check_lags(const struct trace_judged *c) {
    size_t gaps = 0, early = 0;
    ct_time_ps gap = 0, earliest = 0;
    for (size_t i = 0; i < c->app->tasks.count; i++) {
        ct_time_ps lag = c->app->tasks.items[i].lag_ps;
        gaps += lag > 0;
        early += lag < 0;
        gap += lag > 0 ? lag : 0;
        earliest = lag < earliest ? lag : earliest;
    }
    if (gaps)
        trace_row(c, "lags", "measured", "%zu gaps inside CUDA graphs, of %.6g us together", gaps,
                  (double)gap / (double)CT_PS_PER_US);
    if (early)
        trace_row(c, "lags", "measured",
                  "%zu kernels come before the one before them has ended, by %.6g us at most",
                  early, (double)-earliest / (double)CT_PS_PER_US);
}

static void check_overlap(const struct trace_judged *c) {
    double part = trace_app_overlap(c->app);
    if (part >= TRACE_OVERLAP_TOLD)
        trace_row(c, "overlap", "doubtful",
                  "%.0f %% of the kernel time was recorded beside other kernels of the job: what "
                  "they cost each other is in their durations, and is added again where they share "
                  "the GPU in a run",
                  100 * part);
}

static void check_kept(const struct trace_judged *c) {
    const char *kept = trace_app_kept(c->app);
    if (*kept)
        trace_row(c, "kept", "part", "the import kept %s: what is left out of its file is not run",
                  kept);
}

static void check_memory(const struct trace_judged *c) {
    uint64_t bytes = trace_app_memory(c->app);
    if (bytes)
        trace_row(c, "memory", "measured", "held %.2f GiB of the GPU's memory at most",
                  (double)bytes / CT_BYTES_PER_GIB);
    else
        trace_row(c, "memory", "absent", "how much of the GPU's memory it takes is not recorded");
}

/* Share of peak bandwidth, running alone; NAN where unknown. */
static double dram_share(const struct trace_judged *c, const struct trace_kernel *k) {
    return isnan(k->metrics.dram_bytes_per_s)
               ? k->metrics.dram_fraction
               : k->metrics.dram_bytes_per_s / (c->gpu->dram_gb_s * 1e9);
}

static void check_classes(const struct trace_judged *c) {
    double memory = 0, compute = 0, unclear = 0, unknown = 0, total = (double)c->totals.kernel_ps;
    for (size_t i = 0; i < c->app->kernels.count; i++) {
        double share = dram_share(c, &c->app->kernels.items[i]),
               time = (double)c->times[i].total_ps;
        if (isnan(share))
            unknown += time;
        else if (share >= MEMORY_BOUND)
            memory += time;
        else if (share <= COMPUTE_BOUND)
            compute += time;
        else
            unclear += time;
    }
    if (unknown >= total)
        trace_row(
            c, "metrics", "absent",
            "no DRAM demand: kernels count as bound by the SMs alone, and sharing the memory is "
            "free");
    else
        trace_row(
            c, "class", unknown > 0 ? "partly" : "known",
            "of the kernel time %.0f %% memory-bound, %.0f %% compute-bound, %.0f %% unclear, "
            "%.0f %% unknown",
            percent(memory, total), percent(compute, total), percent(unclear, total),
            percent(unknown, total));
}

/* What by the shapes of its operator's inputs moves more than the memory can. */
static void check_operators(const struct trace_judged *c) {
    double known = 0, cached = 0;
    uint64_t launches = 0;
    for (size_t i = 0; i < c->app->kernels.count; i++) {
        const struct trace_kernel *k = &c->app->kernels.items[i];
        bool above = k->demand_provenance == CT_SHAPES && dram_share(c, k) > 1;
        if (k->demand_provenance == CT_SHAPES)
            known += (double)c->times[i].total_ps;
        cached += above ? (double)c->times[i].total_ps : 0;
        launches += above ? c->times[i].launches : 0;
    }
    if (known > 0)
        trace_row(c, "shapes", "from shapes",
                  "the DRAM demand of %.0f %% of the kernel time follows from the shapes of "
                  "operators' inputs",
                  percent(known, (double)c->totals.kernel_ps));
    if (launches)
        trace_row(c, "caches", "from shapes",
                  "%llu launches, %.1f %% of the kernel time, move more than the memory can: their "
                  "data lie in caches, and the peak counts",
                  (unsigned long long)launches, percent(cached, (double)c->totals.kernel_ps));
}

static void check_blocks(const struct trace_judged *c) {
    double assumed = 0, waiting = 0;
    for (size_t i = 0; i < c->app->kernels.count; i++) {
        const struct trace_kernel *k = &c->app->kernels.items[i];
        if (k->geometry_provenance == CT_ASSUMED)
            assumed += (double)c->times[i].total_ps;
        if (k->communication)
            waiting += (double)c->times[i].total_ps;
    }
    if (assumed > 0)
        trace_row(c, "blocks", "assumed",
                  "of %.0f %% of the kernel time the blocks are not recorded",
                  percent(assumed, (double)c->totals.kernel_ps));
    if (waiting > 0)
        trace_row(c, "NCCL", "doubtful",
                  "%.0f %% of the kernel time are communication kernels: they wait for other GPUs, "
                  "and their duration is no work ('import --no-comm' leaves them out)",
                  percent(waiting, (double)c->totals.kernel_ps));
}

/* SM activity that blocks of one length would give: SMs with a block, in the last wave too. */
static double even_activity(const struct trace_judged *c, const struct trace_kernel *k) {
    int per_sm = occupancy_blocks_per_sm(c->gpu, trace_kernel_threads(k), k->registers_per_thread,
                                         k->static_smem_bytes + k->dynamic_smem_bytes, NULL);
    double blocks = (double)trace_kernel_blocks(k), sms = (double)c->gpu->sms;
    if (per_sm == 0)
        return NAN;
    double wave = per_sm * sms, full = floor(blocks / wave), rest = blocks - full * wave;
    double last = rest > 0 ? fmin(1, rest / sms) : 0;
    return (full + last) / (full + (rest > 0));
}

/* Metrics by name are means over all shapes of it: only a name with one shape says something of its
 * blocks. */
static bool has_one_shape(const struct trace_app *app, size_t index) {
    for (size_t i = 0; i < app->kernels.count; i++)
        if (i != index && strcmp(app->kernels.items[i].name, app->kernels.items[index].name) == 0)
            return false;
    return true;
}

static bool is_uneven(const struct trace_judged *c, size_t index) {
    const struct trace_kernel *k = &c->app->kernels.items[index];
    return k->geometry_provenance != CT_ASSUMED && !isnan(k->metrics.sm_activity) &&
           c->times[index].total_ps >= (ct_time_ps)c->times[index].launches * BALANCE_FROM_PS &&
           k->metrics.sm_activity < UNEQUAL_BLOCKS * even_activity(c, k) &&
           has_one_shape(c->app, index);
}

static void check_balance(const struct trace_judged *c) {
    size_t count = 0, worst = 0;
    for (size_t i = 0; i < c->app->kernels.count; i++) {
        if (!is_uneven(c, i))
            continue;
        if (count++ == 0 || c->times[i].total_ps > c->times[worst].total_ps)
            worst = i;
    }
    if (count)
        trace_row(c, "balance", "uneven",
                  "%zu kernels kept fewer SMs busy than blocks of one length would (the longest: "
                  "'%.60s', %.0f %% instead of %.0f %%): their time per block and wave is too long",
                  count, c->app->kernels.items[worst].name,
                  100 * c->app->kernels.items[worst].metrics.sm_activity,
                  100 * even_activity(c, &c->app->kernels.items[worst]));
}

static void check_fit(const struct trace_judged *c) {
    for (size_t i = 0; i < c->app->kernels.count; i++) {
        const struct trace_kernel *k = &c->app->kernels.items[i];
        enum occupancy_limit limit;
        if (k->geometry_provenance != CT_ASSUMED &&
            occupancy_blocks_per_sm(c->gpu, trace_kernel_threads(k), k->registers_per_thread,
                                    k->static_smem_bytes + k->dynamic_smem_bytes, &limit) == 0)
            trace_row(c, "fit", "wrong", "a block of '%.60s' fits on no SM of the %s: %s", k->name,
                      c->app->gpu, occupancy_limit_name(limit));
    }
}

/* Jobs at the beginning that took much longer than usual, which a run repeats for ever. */
static void check_warm_up(const struct trace_judged *c) {
    size_t count = c->app->jobs.count, slow = 0;
    double longest = 0;
    const struct trace_job *jobs = c->app->jobs.items;
    double *lengths = count ? calloc(count, sizeof *lengths) : NULL;
    if (!lengths)
        return; /* a finding less */
    for (size_t i = 0; i < count; i++)
        lengths[i] = (double)jobs[i].recorded_ps;
    double median = ct_sort_median(lengths, count);
    free(lengths);
    for (; slow < count && (double)jobs[slow].recorded_ps > WARM_UP_SLOW * median; slow++)
        longest = fmax(longest, (double)jobs[slow].recorded_ps);
    if (slow > 0 && slow <= WARM_UP_JOBS)
        trace_row(c, "warm-up", "doubtful",
                  "%zu of %zu jobs, at the beginning, took up to %.1f times the median, and come "
                  "again and again in a run: 'import --skip-jobs %zu' leaves them out",
                  slow, count, longest / median, slow);
}

static void check_jobs(const struct trace_judged *c) {
    if (c->app->jobs.count == 1)
        trace_row(c, "jobs", "one",
                  "every run of it is the same: its latency varies only by sharing");
    else
        check_warm_up(c);
}

void trace_check_app(const struct trace_judged *j) {
    check_host(j);
    check_lead(j);
    check_kept(j);
    check_lags(j);
    check_overlap(j);
    check_copies(j);
    check_memory(j);
    check_times(j);
    check_classes(j);
    check_operators(j);
    check_blocks(j);
    check_balance(j);
    check_fit(j);
    check_jobs(j);
}
