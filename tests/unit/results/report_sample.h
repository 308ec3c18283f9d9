/* A run with everything in it, for the tests of reports, store, time line and plots. All numbers
 * are made up. */
#ifndef REPORT_SAMPLE_H
#define REPORT_SAMPLE_H

#include "results/result_store.h"
#include "trace/trace.h"

static const struct report_delay sample_delays[] = {{"train", 20.5}, {"vit", 1.25}};
static const struct report_setting sample_device[] = {{"hw_queues", "32"}, {"dram", "line"}};
static const struct report_counter sample_counters[] = {{"calls", 17}, {"mean_headroom_ms", 4.5}};
static const char *const sample_notices[] = {
    "'vit' has no copies: effects of PCIe are absent",
    "the host gaps of 'train' were guessed from nvprof's 20 us rule, so its asynchronous launches "
    "are assumed"};

static const ct_time_ps sample_blame[CT_BLAME_COUNT] = {
    [CT_BLAME_SOLO_WORK] = INT64_C(9000000001), [CT_BLAME_SM_SHARE] = INT64_C(999999999)};

static const struct result_job sample_jobs[] = {
    {.app = 0,
     .number = 0,
     .arrival_ps = 0,
     .first_issue_ps = 1000,
     .end_ps = INT64_C(10000000000),
     .blame_ps = sample_blame},
    {.app = 0,
     .number = 1,
     .arrival_ps = INT64_C(2000000000),
     .first_issue_ps = INT64_C(10000000000),
     .end_ps = INT64_C(22000000001)},
    {.app = 1,
     .instance = 1,
     .number = 0,
     .arrival_ps = 0,
     .first_issue_ps = RESULT_NEVER,
     .end_ps = INT64_C(5000000000)},
};

static const struct result_task sample_tasks[] = {
    {.app = 0,
     .job = 0,
     .index = 0,
     .kind = TRACE_COPY,
     .direction = TRACE_HOST_TO_DEVICE,
     .bytes = 4096,
     .ready_ps = 1000,
     .issued_ps = 2000,
     .queued_ps = 2000,
     .started_ps = 3000,
     .ended_ps = 5000500},
    {.app = 0,
     .job = 0,
     .index = 1,
     .kind = TRACE_KERNEL,
     .share = 500,
     .name = "gemm<float>",
     .blocks = 640,
     .ready_ps = 5000500,
     .issued_ps = 6000000,
     .queued_ps = 6000000,
     .started_ps = 7000000,
     .ended_ps = INT64_C(10000000000)},
    {.app = 0,
     .job = 1,
     .index = 0,
     .kind = TRACE_KERNEL,
     .name = "gemm<float>",
     .blocks = 640,
     .ready_ps = INT64_C(10000000000),
     .issued_ps = INT64_C(10000000000),
     .queued_ps = INT64_C(10000000000),
     .started_ps = INT64_C(10000000000),
     .ended_ps = INT64_C(22000000001)},
    {.app = 1,
     .instance = 1,
     .job = 0,
     .index = 0,
     .kind = TRACE_KERNEL,
     .name = "conv",
     .blocks = 80,
     .ready_ps = 0,
     .issued_ps = 0,
     .queued_ps = 0,
     .started_ps = 0,
     .ended_ps = INT64_C(5000000000)},
};

static const struct result_note sample_notes[] = {{"headroom_ms", 4.25}, {"predicted_ms", 9}};
static const struct result_decision sample_decisions[] = {
    {.number = 1,
     .time_ps = 2000,
     .hook = "decide",
     .verb = CT_VERB_ISSUE,
     .app = 0,
     .instance = 0,
     .job = 0,
     .task = 0,
     .notes = sample_notes,
     .note_count = 2},
    {.number = 2,
     .time_ps = 6000000,
     .hook = "timer",
     .verb = CT_VERB_SET_SHARE,
     .app = -1,
     .instance = -1,
     .job = -1,
     .task = -1},
};
static const struct result_sample sample_samples[] = {
    {0, "sm_share", "%", 1, 100},
    {7000000, "sm_share", "%", 0, 50},
    {7000000, "dram_bandwidth", "GB/s", -1, 812.5}};

static inline void sample_fill_blame(struct report_app *app) {
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        app->blame_ms_p99[cause] = 0;
    app->blame_ms_p99[CT_BLAME_SOLO_WORK] = 40;
    app->blame_ms_p99[CT_BLAME_SM_SHARE] = 20.5;
    app->blame_ms_p99[CT_BLAME_DRAM] = 5.25;
}

static inline struct report_app sample_service(void) {
    struct report_app app = report_app_unknown();
    app.name = "vit";
    app.role = REPORT_SERVICE;
    app.instances = 1;
    app.jobs = 2400;
    app.latency_ms = (struct report_latency){.mean = 30.5,
                                             .p50 = 28,
                                             .p90 = 45,
                                             .p95 = 52.125,
                                             .p99 = 66,
                                             .max = 80,
                                             .mean_low = 29.5,
                                             .mean_high = 31.5,
                                             .p99_low = 64,
                                             .p99_high = 68.5};
    app.service_p99_ms = 61;
    app.alone_p99_ms = 40;
    app.overloaded = REPORT_NO;
    app.backlog_jobs = 0;
    app.qos_ms = 50;
    app.p99_over_qos = 1.32;
    app.p99_over_qos_low = 1.28;
    app.p99_over_qos_high = 1.37;
    app.qos_met = REPORT_NO;
    app.late_fraction = 0.0625;
    app.throughput_per_s = 40;
    app.normalised_progress = 0.75;
    app.solo_ms = 22.875;
    sample_fill_blame(&app);
    app.delayed_by = sample_delays;
    app.delayed_by_count = 2;
    return app;
}

static inline struct report_app sample_batch(void) {
    struct report_app app = report_app_unknown();
    app.name = "train";
    app.role = REPORT_BATCH;
    app.instances = 4;
    app.jobs = 120;
    app.latency_ms.mean = 500;
    app.throughput_per_s = 2;
    app.normalised_progress = 0.5;
    app.solo_ms = 250;
    return app;
}

/* `apps` has room for two and must live as long as the report. */
static inline struct report sample_report(struct report_app apps[2]) {
    struct report r = report_unknown();
    apps[0] = sample_service();
    apps[1] = sample_batch();
    r.version = "0.1.0";
    r.workload = "vit-with-train";
    r.gpu = "h100";
    r.policy = "baymax:margin=0.2";
    r.seed = 7;
    r.reps = 1;
    r.fidelity = "fluid";
    r.duration_s = 60;
    r.warmup_s = 5;
    r.oracle = REPORT_NO;
    r.apps = apps;
    r.app_count = 2;
    r.system.stp = 1.25;
    r.system.antt = 1.6666666666666667;
    r.system.fairness = 2.0 / 3;
    r.system.batch_throughput_normalised = 0.5;
    r.system.decisions = 12345;
    r.system.rejected_verbs = 0;
    r.inputs = (struct ct_coverage){
        {[CT_INPUT_DURATION] = {[CT_MEASURED] = 0.875, [CT_DERIVED] = 0.125},
         [CT_INPUT_GEOMETRY] = {[CT_MEASURED] = 1},
         [CT_INPUT_DEMAND] = {[CT_DERIVED] = 0.125, [CT_GIVEN] = 0.004, [CT_UNKNOWN] = 0.871},
         [CT_INPUT_HOST] = {[CT_ASSUMED] = 1}}};
    r.engine.events = 1000000;
    r.engine.kernels = 250000;
    r.checks = (struct report_checks){"ok", "ok", "ok", 3};
    r.device = sample_device;
    r.device_count = 2;
    r.policy_counters = sample_counters;
    r.policy_counter_count = 2;
    r.notices = sample_notices;
    r.notice_count = 2;
    return r;
}

static inline struct result_run sample_run(struct report_app apps[2]) {
    struct result_run run = {.key = {0x0123456789abcdef, 0xfedcba9876543210}};
    run.report = sample_report(apps);
    run.report.config = "{\"seed\": 7}";
    run.jobs = sample_jobs;
    run.job_count = CT_COUNT_OF(sample_jobs);
    run.tasks = sample_tasks;
    run.task_count = CT_COUNT_OF(sample_tasks);
    run.decisions = sample_decisions;
    run.decision_count = CT_COUNT_OF(sample_decisions);
    run.samples = sample_samples;
    run.sample_count = CT_COUNT_OF(sample_samples);
    return run;
}

#endif
