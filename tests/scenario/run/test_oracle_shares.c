/*
 * What the oracle tells of a kernel on a share of the SMs is what the device then takes, at
 * both fidelities, also where the share is no whole number of SMs; and so of a whole job.
 */
#include "run_case.h"

enum { SHARES = 1000 };

static const double ROUNDING = 1e-6; /* each block ends at a whole picosecond */

struct told {
    double predicted_ps;
};

/* The job's number says the share, so that each job tries another one. */
static int64_t share_of(const struct ct_task *task) {
    return (int64_t)(task->job->number % SHARES) + 1;
}

static void issue_at_share(struct ct_context *context, uint32_t why) {
    const struct ct_task *task = context->host->ready_next(context, NULL);
    for (; task; task = context->host->ready_next(context, task)) {
        struct ct_grant grant = {.share = share_of(task)};
        struct ct_prediction prediction;
        assert_true(context->host->predict_task(context, task, grant.share, &prediction));
        ((struct told *)task->scratch)->predicted_ps = prediction.duration_ps;
        assert_true(context->host->issue(context, task, &grant));
    }
}

static struct {
    const char *what;
    uint64_t jobs;
} seen;

static void compare(struct ct_context *context, const struct ct_task *task) {
    double told = ((const struct told *)task->scratch)->predicted_ps;
    seen.jobs++;
    if (fabs((double)task->measured_ps - told) > told * ROUNDING)
        fail_msg("%s at %d per mille: told %.6f ms, took %.6f", seen.what, (int)share_of(task),
                 told / (double)CT_PS_PER_MS, (double)task->measured_ps / (double)CT_PS_PER_MS);
}

static const struct ct_policy policy = {.abi = CT_POLICY_ABI,
                                        .size = sizeof(struct ct_policy),
                                        .name = "each-share",
                                        .features = CT_PREDICTS,
                                        .sharing = CT_SHARING_MPS,
                                        .task_size = sizeof(struct told),
                                        .decide = issue_at_share,
                                        .task_done = compare};

/* One kernel after the other, alone. */
static void try_shares(int sms, const char *fidelity, const char *kernel) {
    char json[1024];
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": {\"base\": \"rtx2080ti\", \"sms\": "
             "%d}, \"fidelity\": \"%s\", \"duration_s\": 1, \"apps\": [{\"name\": \"a\", "
             "\"arrivals\": {\"process\": \"closed\", \"start\": \"at-once\"}, \"synthetic\": "
             "{\"threads\": 256, \"duration_ms\": 0.1, %s}}]}",
             sms, fidelity, kernel);
    seen.what = json;
    seen.jobs = 0;
    run_case_open(&c, json, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = &policy, .seed = 1}, &result);
    assert_true(seen.jobs >= SHARES);
}

static void try_gpus(const char *fidelity, const char *kernel) {
    static const int gpus[] = {15, 68, 80, 108, 132};
    for (size_t g = 0; g < CT_COUNT_OF(gpus); g++)
        try_shares(gpus[g], fidelity, kernel);
}

TEST(waves) {
    static const char *const kernels[] = {"\"blocks\": 7, \"compute_fraction\": 1",
                                          "\"blocks\": 1000, \"compute_fraction\": 1",
                                          "\"blocks\": 5000, \"compute_fraction\": 1"};
    for (size_t k = 0; k < CT_COUNT_OF(kernels); k++) {
        try_gpus("fluid", kernels[k]);
        try_gpus("block", kernels[k]);
    }
}

/* What the oracle says of kernels that are bound by units or by memory is what fluid does: thread
 * blocks count both wave by wave, and what the last one leaves. */
TEST(units_and_memory) {
    try_gpus("fluid", "\"blocks\": 100, \"compute_fraction\": 1, \"unit_fraction\": 0.4");
    try_gpus("fluid", "\"blocks\": 7, \"compute_fraction\": 1, \"unit_fraction\": 0.9");
    try_gpus("fluid", "\"blocks\": 5000, \"compute_fraction\": 0.5");
}

/* ---- Whole jobs ---- */

struct told_job {
    double at_begin_ps, later_ps;
};

static double predict_job(struct ct_context *context, const struct ct_job *job) {
    struct ct_prediction prediction;
    int64_t share = (int64_t)(job->number % 4 + 1) * 250;
    assert_true(context->host->predict_job(context, job, share, &prediction));
    return prediction.duration_ps;
}

static void ask_at_begin(struct ct_context *context, const struct ct_job *job) {
    ((struct told_job *)job->scratch)->at_begin_ps = predict_job(context, job);
}

/* Its first kernels have ended: what they took was drawn. */
static void issue_all_at_share(struct ct_context *context, uint32_t why) {
    const struct ct_task *task = context->host->ready_next(context, NULL);
    for (; task; task = context->host->ready_next(context, task)) {
        struct ct_grant grant = {.share = (int64_t)(task->job->number % 4 + 1) * 250};
        ((struct told_job *)task->job->scratch)->later_ps = predict_job(context, task->job);
        assert_true(context->host->issue(context, task, &grant));
    }
}

static void compare_job(struct ct_context *context, const struct ct_job *job) {
    const struct told_job *told = job->scratch;
    double took = (double)(context->host->now(context) - job->first_ready_ps);
    seen.jobs++;
    assert_true(told->later_ps == told->at_begin_ps);
    if (fabs(took - told->at_begin_ps) > took * ROUNDING)
        fail_msg("job %d: told %.6f ms, took %.6f", (int)job->number,
                 told->at_begin_ps / (double)CT_PS_PER_MS, took / (double)CT_PS_PER_MS);
}

static const struct ct_policy of_jobs = {.abi = CT_POLICY_ABI,
                                         .size = sizeof(struct ct_policy),
                                         .name = "of-jobs",
                                         .features = CT_PREDICTS,
                                         .sharing = CT_SHARING_MPS,
                                         .job_size = sizeof(struct told_job),
                                         .job_begin = ask_at_begin,
                                         .decide = issue_all_at_share,
                                         .job_end = compare_job};

static void try_jobs(const char *duration_ms, const char *size) {
    char json[1024];
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    snprintf(
        json, sizeof json,
        "{\"schema\": \"cotenant.workload/1\", \"gpu\": {\"base\": \"v100\", "
        "\"launch_delay_us\": 0}, \"duration_s\": 0.3, \"apps\": [{\"name\": \"a\", "
        "\"size\": %s, \"arrivals\": {\"process\": \"closed\", \"start\": "
        "\"at-once\"}, \"synthetic\": {\"kernels\": 3, \"blocks\": 640, \"duration_ms\": %s}}]}",
        size, duration_ms);
    seen.jobs = 0;
    run_case_open(&c, json, NULL);
    run_case_run(&c, &(struct run_case_params){.policy = &of_jobs, .seed = 1}, &result);
    assert_true(seen.jobs >= 10);
}

TEST(jobs) {
    static const char drawn[] = "{\"dist\": \"exponential\", \"mean\": 1}";
    static const char host[] = "1, \"launches\": \"one-by-one\", \"stall_ms\": 0.2";
    try_jobs("1", "1");
    try_jobs("1", host);
    try_jobs("1", drawn);
    try_jobs(drawn, "1");
}
