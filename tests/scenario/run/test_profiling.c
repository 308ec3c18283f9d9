/*
 * What profiling runs show of applications with several jobs: each as often as it is drawn, and
 * what was not drawn by itself where it holds kernels that no other has.
 */
#include "run_case.h"

#include "models/predict/predict_bank.h"
#include "run/profiling.h"
#include "workload/setup_questions.h"

#define US CT_PS_PER_US

enum { COMMON_US = 300, RARE_US = 70, DRAWN = 200, OF_A_KIND = 5 };

static void add_job(struct trace_app *app, const char *name, uint32_t kernel, int64_t us) {
    struct trace_task task = {
        .kind = TRACE_KERNEL, .kernel = kernel, .waited_for = TRACE_NONE, .duration_ps = us * US};
    struct trace_job job = {
        .name = name, .first_task = (uint32_t)app->tasks.count, .task_count = 1};
    assert_true(ct_vec_push(&app->tasks, task));
    assert_true(ct_vec_push(&app->jobs, job));
}

/* Two jobs of one kernel, and one of another. */
static void make_trace(struct trace_set *set) {
    static const char *const names[] = {"common", "rare"};
    struct trace_app *app = run_case_app(set, "app", 1);
    for (size_t k = 0; k < CT_COUNT_OF(names); k++) {
        struct trace_kernel kernel = {.name = names[k],
                                      .grid = {68, 1, 1},
                                      .block = {1024, 1, 1},
                                      .demand_provenance = CT_ASSUMED,
                                      .metrics = trace_metrics_unknown()};
        assert_true(ct_vec_push(&app->kernels, kernel));
    }
    add_job(app, "often", 0, COMMON_US);
    add_job(app, "seldom", 0, COMMON_US);
    add_job(app, "never", 1, RARE_US);
}

/* The models of a policy for jobs that are drawn with these weights. */
static struct predict_bank *train(struct run_case *c, const struct ct_policy *policy,
                                  const char *weight) {
    char json[1024];
    struct predict_bank *bank;
    struct trace_set set = {0};
    make_trace(&set);
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.01, "
             "\"apps\": [{\"name\": \"app\", \"trace\": \"t.db#app\", \"role\": \"batch\", "
             "\"jobs\": [\"often\", {\"job\": \"seldom\", \"weight\": %s}, {\"job\": \"never\", "
             "\"weight\": %s}]}]}",
             weight, weight);
    run_case_open(c, json, &set);
    trace_set_free(&set);
    if (profiling_train(&c->setup, policy, 1, NULL, NULL, &bank, &c->diags) != CT_OK)
        run_case_fail(c, "profiling failed");
    return bank;
}

/* What the bank has learnt of a kernel at a share. */
static struct predict_info info_of(const struct predict_bank *bank, const char *name,
                                   ct_share share) {
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if (info.key.kind == PREDICT_KERNEL && info.share == share && strcmp(info.name, name) == 0)
            return info;
    }
    return (struct predict_info){0};
}

static void expect_duration(struct predict_bank *bank, const struct run_case *c, uint32_t job,
                            ct_share share, ct_time_ps expected) {
    const struct setup_plan *plan = &c->setup.apps[0].plans[job];
    struct predict_features features = setup_step_features(plan, plan->steps);
    struct predict_value value;
    assert_true(predict_bank_task(bank, setup_step_key(plan->steps), &features, share, &value));
    assert_int_equal((ct_time_ps)value.duration_ps, expected);
}

/* "seldom" is not drawn either, but holds nothing that is not known. */
TEST(what_was_not_drawn_is_shown_by_itself) {
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank = train(&c, &policy_baymax, "1e-9");
    assert_int_equal(info_of(bank, "common", CT_SHARE_FULL).samples, DRAWN);
    assert_int_equal(info_of(bank, "rare", CT_SHARE_FULL).samples, OF_A_KIND);
    expect_duration(bank, &c, 2, CT_SHARE_FULL, RARE_US * US);
}

/* Half of the SMs hold half of the 68 blocks at once: two waves. */
TEST(at_every_share) {
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank = train(&c, &policy_laius, "1e-9");
    for (ct_share share = 100; share <= CT_SHARE_FULL; share += 100)
        assert_int_equal(info_of(bank, "rare", share).samples, OF_A_KIND);
    expect_duration(bank, &c, 2, 500, 2 * RARE_US * US);
}

/* Three jobs drawn alike: fifteen draws, and nothing else. */
TEST(what_was_drawn_is_shown_as_it_was) {
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank = train(&c, &policy_baymax, "1");
    size_t common = info_of(bank, "common", CT_SHARE_FULL).samples,
           rare = info_of(bank, "rare", CT_SHARE_FULL).samples;
    assert_int_equal(common + rare, 3 * OF_A_KIND);
    assert_true(rare > 0);
}
