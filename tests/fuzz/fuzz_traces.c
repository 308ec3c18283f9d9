#include "fuzz.h"

#include "trace/trace_store.h"

#include <math.h>
#include <stdio.h>

static void judge_number(double number, double most) {
    FUZZ_OWES(isnan(number) || (number >= 0 && number <= most));
}

static void judge_metrics(const struct trace_metrics *m) {
    judge_number(m->dram_bytes_per_s, 1e18);
    judge_number(m->dram_fraction, 1);
    judge_number(m->dram_read_share, 1);
    judge_number(m->row_hit_rate, 1);
    judge_number(m->l2_fraction, 1);
    judge_number(m->issue_slot_fraction, 1);
    judge_number(m->unit_fraction, 1);
    judge_number(m->sm_activity, 1);
    judge_number(m->achieved_occupancy, 1);
    judge_number(m->instructions, 1e18);
}

static void judge_kernel(const struct trace_kernel *k) {
    FUZZ_OWES(k->name);
    FUZZ_OWES(k->demand_provenance < CT_PROVENANCE_COUNT);
    FUZZ_OWES(k->geometry_provenance < CT_PROVENANCE_COUNT);
    FUZZ_OWES(trace_kernel_threads(k) > 0 && trace_kernel_threads(k) <= 1024);
    FUZZ_OWES(k->grid[0] > 0 && k->grid[1] > 0 && k->grid[2] > 0);
    FUZZ_OWES(k->registers_per_thread <= 255);
    judge_metrics(&k->metrics);
    for (uint32_t i = 0; i < k->curve_count; i++) {
        FUZZ_OWES(k->curve[i].share > (i ? k->curve[i - 1].share : 0));
        FUZZ_OWES(isfinite(k->curve[i].factor) && k->curve[i].factor > 0);
    }
    FUZZ_OWES(!k->curve_count || k->curve[k->curve_count - 1].share == CT_SHARE_FULL);
}

static void judge_task(const struct trace_app *app, const struct trace_task *t, uint32_t index) {
    bool kernel = t->kind == TRACE_KERNEL;
    FUZZ_OWES(t->kind <= TRACE_MEMSET);
    FUZZ_OWES(t->direction <= TRACE_DEVICE_TO_DEVICE);
    FUZZ_OWES(t->memory <= TRACE_MEMORY_UNKNOWN);
    FUZZ_OWES(kernel ? t->kernel < app->kernels.count : t->kernel == TRACE_NONE);
    FUZZ_OWES(t->stream < app->stream_count);
    FUZZ_OWES(t->library_call <= app->library_calls.count);
    FUZZ_OWES(t->duration_ps > 0 && t->start_ps >= 0 && t->host_gap_ps >= 0);
    FUZZ_OWES(t->launch_end_ps >= t->launch_begin_ps);
    FUZZ_OWES(t->waited_for == TRACE_NONE || t->waited_for < index);
    FUZZ_OWES((size_t)t->first_dependency + t->dependency_count <= app->dependencies.count);
    for (uint32_t i = 0; i < t->dependency_count; i++)
        FUZZ_OWES(app->dependencies.items[t->first_dependency + i] < index);
}

static void judge_app(const struct trace_app *app) {
    size_t next = 0;
    FUZZ_OWES(app->name && app->gpu && app->source && app->licence);
    FUZZ_OWES(app->stream_count <= app->tasks.count);
    for (size_t i = 0; i < app->kernels.count; i++)
        judge_kernel(&app->kernels.items[i]);
    for (size_t j = 0; j < app->jobs.count; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        FUZZ_OWES(job->name && job->first_task == next && job->task_count > 0);
        FUZZ_OWES(job->recorded_ps >= 0);
        FUZZ_OWES(job->task_count <= app->tasks.count - next);
        for (uint32_t i = 0; i < job->task_count; i++, next++) {
            const struct trace_task *t = &app->tasks.items[next];
            judge_task(app, t, i);
            FUZZ_OWES(t->duration_ps < CT_TIME_NEVER - t->start_ps);
        }
    }
    FUZZ_OWES(next == app->tasks.count);
}

void fuzz_judge_traces(const struct trace_set *set) {
    for (size_t i = 0; i < set->apps.count; i++) {
        const struct trace_app *app = set->apps.items[i];
        judge_app(app);
        struct trace_totals totals = trace_app_totals(app);
        FUZZ_OWES(totals.kernels + totals.copies + totals.memsets == app->tasks.count);
        FUZZ_OWES(totals.kernel_ps >= 0 && totals.copy_ps >= 0);
    }
}

/* What import accepts, the reader reads. */
static void judge_store(const char *path, size_t apps) {
    struct ct_diags diags = {0};
    struct trace_set again = {0};
    FUZZ_OWES(trace_store_read(path, NULL, &again, &diags) == CT_OK);
    FUZZ_OWES(diags.errors == 0 && again.apps.count == apps);
    fuzz_judge_traces(&again);
    trace_set_free(&again);
    ct_diags_free(&diags);
}

void fuzz_import_file(const struct import_format *format, const char *path, unsigned cut) {
    static const enum import_cut cuts[] = {IMPORT_CUT_WHOLE, IMPORT_CUT_AUTO, IMPORT_CUT_GAP,
                                           IMPORT_CUT_FROM};
    static const char *const jobs[] = {"whole", "auto", "gap:1", "from:mark"};
    struct ct_diags diags = {0};
    struct trace_set set = {0};
    struct import_summary summary = {0};
    const struct import_options options = {.app_name = "app",
                                           .gpu = "v100",
                                           .cut = cuts[cut % CT_COUNT_OF(cuts)],
                                           .mark_name = "mark",
                                           .gap_ps = CT_PS_PER_MS,
                                           .device = -1};
    struct import_builder *builder = import_begin(&options, &diags);
    FUZZ_OWES(builder);
    int status = format->read(builder, path, &diags);
    if (status == CT_OK)
        status = import_finish(builder, &set, &summary);
    else
        import_abandon(builder);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        FUZZ_OWES(set.apps.count > 0);
        FUZZ_OWES(summary.read == summary.kept + summary.left_out);
        fuzz_judge_traces(&set);
        judge_store(fuzz_import_accepted(format->name, path, jobs[cut % CT_COUNT_OF(jobs)]),
                    set.apps.count);
    }
    import_summary_free(&summary);
    trace_set_free(&set);
    ct_diags_free(&diags);
}

void fuzz_import(const struct import_format *format, const uint8_t *data, size_t size) {
    fuzz_import_file(format, fuzz_file("recording", data, size), size ? data[size - 1] : 0);
}
