/*
 * Library calls of recordings on whole runs: what a policy sees of them, what profiling measures,
 * what a prediction of them costs. Kernels of 20 blocks on an RTX 2080 Ti, which all fit together.
 */
#include "run_case.h"

#include "models/predict/predict_bank.h"
#include "run/profiling.h"

#define US CT_PS_PER_US

static const uint32_t FULL = 1000;

/* A job of a copy in and six kernels, each launched as soon as it may: a call of two kernels with a
 * native one between them, which is of the same function as the second; a call of one. */
static void make_trace(struct trace_set *set) {
    static const struct {
        uint32_t kernel, call, us;
    } launches[] = {{0, 1, 100}, {1, 0, 40}, {1, 1, 60}, {2, 2, 30}, {2, 0, 30}, {3, 0, 10}};
    static const char *const names[] = {"first", "second", "third", "third"};
    struct trace_app *app = run_case_app(set, "app", 1);
    for (uint32_t k = 0; k < 4; k++) {
        struct trace_kernel kernel = {.name = names[k],
                                      .grid = {20 + k, 1, 1},
                                      .block = {256, 1, 1},
                                      .demand_provenance = CT_ASSUMED,
                                      .metrics = trace_metrics_unknown()};
        assert_true(ct_vec_push(&app->kernels, kernel));
    }
    struct trace_task in = {.kind = TRACE_COPY,
                            .kernel = TRACE_NONE,
                            .waited_for = TRACE_NONE,
                            .bytes = 1 << 20,
                            .duration_ps = 100 * US};
    assert_true(ct_vec_push(&app->tasks, in));
    for (size_t i = 0; i < CT_COUNT_OF(launches); i++) {
        struct trace_task task = {.kind = TRACE_KERNEL,
                                  .kernel = launches[i].kernel,
                                  .library_call = launches[i].call,
                                  .waited_for = TRACE_NONE,
                                  .duration_ps = launches[i].us * US};
        assert_true(ct_vec_push(&app->tasks, task));
    }
    assert_true(ct_vec_push(&app->library_calls, "lib::two"));
    assert_true(ct_vec_push(&app->library_calls, "lib::one"));
    struct trace_job job = {.name = "job",
                            .task_count = (uint32_t)app->tasks.count,
                            .input_bytes = 1 << 20,
                            .recorded_ps = 400 * US};
    assert_true(ct_vec_push(&app->jobs, job));
}

static void open_case(struct run_case *c, const char *keys) {
    char json[1024];
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    make_trace(&set);
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.01, "
             "\"apps\": [{\"name\": \"app\", \"trace\": \"t.db#app\", \"role\": \"batch\"%s}]}",
             keys);
    run_case_open(c, json, &set);
}

/* Each of two rounds makes the calls anew. */
TEST(calls_of_a_plan) {
    CLOSED_BY(run_case_close) struct run_case c;
    open_case(&c, ", \"iterations\": 2");
    const struct setup_plan *plan = &c.setup.apps[0].plans[0];
    static const uint32_t numbers[] = {0, 1, 0, 1, 2, 0, 0, 3, 0, 3, 4, 0, 0};
    assert_int_equal(plan->count, CT_COUNT_OF(numbers));
    assert_int_equal(plan->call_count, 4);
    for (uint32_t i = 0; i < plan->count; i++)
        assert_int_equal(plan->steps[i].library_call, numbers[i]);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(plan->calls[i].name, i % 2 ? "lib::one" : "lib::two");
        assert_int_equal(plan->calls[i].kernels, i % 2 ? 1 : 2);
    }
    assert_int_equal(plan->calls[2].first, 7);
    assert_int_equal(plan->calls[2].last, 9);
    /* Equal features are one question: both rounds, but not the two grids of "third". */
    assert_int_equal(plan->calls[0].question, plan->calls[2].question);
    assert_int_equal(plan->steps[2].question, plan->steps[3].question);
    assert_int_equal(plan->steps[4].question, plan->steps[5].question);
    assert_int_not_equal(plan->steps[5].question, plan->steps[6].question);
    assert_int_not_equal(plan->calls[0].question, plan->calls[1].question);
}

static const struct setup_call *first_call(const struct run_case *c) {
    return &c->setup.apps[0].plans[0].calls[0];
}

/* A call takes the sum of its kernels, by a line; its kernels have models of their own as well. */
TEST(profiling_measures_calls) {
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank = NULL;
    open_case(&c, "");
    assert_int_equal(profiling_train(&c.setup, &policy_baymax, 1, NULL, NULL, &bank, &c.diags),
                     CT_OK);
    struct predict_key key = {PREDICT_CALL, first_call(&c)->function};
    const uint32_t a[] = {20, 1, 1}, b[] = {21, 1, 1}, block[] = {256, 1, 1};
    struct predict_features features = predict_features_kernel(1 << 20, a, block, 0);
    struct predict_features second = predict_features_kernel(1 << 20, b, block, 0);
    struct predict_value value;
    predict_features_add(&features, &second);
    assert_true(predict_bank_task(bank, key, &features, FULL, &value));
    assert_true(fabs(value.duration_ps - 160e6) < 1);
    size_t calls = 0, lines = 0, kernels = 0;
    for (size_t i = 0; i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        calls += info.key.kind == PREDICT_CALL;
        kernels += info.key.kind == PREDICT_KERNEL;
        bool line = info.key.kind == PREDICT_CALL || info.key.kind == PREDICT_COPY;
        lines += line;
        assert_true(!line || strcmp(info.model, "linear") == 0);
        if (info.key.kind == PREDICT_CALL)
            assert_int_equal(info.samples, 10); /* ten jobs */
    }
    assert_int_equal(calls, 2);
    assert_int_equal(lines, 3);
    assert_int_equal(kernels, 3);
}

/* ---- a policy that only looks ---- */

struct probe {
    uint32_t asked, ended;
    double told_ps[4]; /* of the first kernels of calls */
};

static struct probe *probe_of(struct ct_context *context) {
    return context->state;
}

static void probe_ready(struct ct_context *context, const struct ct_task *task) {
    struct probe *probe = probe_of(context);
    struct ct_prediction prediction = {0};
    bool known = context->host->predict_call(context, task, FULL, &prediction);
    assert_int_equal(known, task->call != NULL);
    if (!task->call)
        return;
    uint32_t *seen = task->call->scratch;
    if (++*seen == 1)
        probe->told_ps[probe->asked++ % 4] = prediction.duration_ps;
    assert_true(*seen <= task->call->kernels);
    assert_true(task->call->kernels_done < *seen);
}

static void probe_done(struct ct_context *context, const struct ct_task *task) {
    struct probe *probe = probe_of(context);
    if (task->call && task->call->kernels_done == task->call->kernels) {
        probe->ended++;
        assert_int_equal(*(uint32_t *)task->call->scratch, task->call->kernels);
    }
}

static void probe_report(struct ct_context *context) {
    const struct probe *probe = probe_of(context);
    context->host->print(context, "asked", probe->asked);
    context->host->print(context, "ended", probe->ended);
    context->host->print(context, "two", probe->told_ps[0]);
    context->host->print(context, "one", probe->told_ps[1]);
}

static const struct ct_policy probe_policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "probe",
    .features = CT_PREDICTS,
    .state_size = sizeof(struct probe),
    .call_size = sizeof(uint32_t),
    .task_ready = probe_ready,
    .task_done = probe_done,
    .report = probe_report,
};

static double counter(const struct run_case_result *r, const char *key) {
    for (size_t i = 0; i < r->result.counters.count; i++)
        if (strcmp(r->result.counters.items[i].key, key) == 0)
            return r->result.counters.items[i].value;
    return NAN;
}

/* The truth of a call is there before its later kernels are launched; scratch is zeroed for each
 * call of each job. Jobs of twice the size have twice the blocks, still one wave. */
TEST(a_policy_sees_whole_calls) {
    for (int large = 0; large < 2; large++) {
        CLOSED_BY(run_case_close) struct run_case c;
        CLOSED_BY(run_case_result_free) struct run_case_result r;
        struct run_case_params params = {.policy = &probe_policy, .seed = 1};
        open_case(&c, large ? ", \"size\": 2" : "");
        run_case_run(&c, &params, &r);
        assert_true(counter(&r, "ended") >= 10);
        assert_true(counter(&r, "asked") - counter(&r, "ended") <= 2);
        assert_true(counter(&r, "two") == 160e6);
        assert_true(counter(&r, "one") == 30e6);
    }
}

/* ---- cost ---- */

struct waits {
    ct_time_ps us[7]; /* of the first job: from what let a task be ready to its readiness */
    ct_time_ps before_ps;
    uint32_t later; /* tasks of later jobs that waited for a prediction */
};

static void note_wait(void *context, const struct sim_task_record *task) {
    struct waits *waits = context;
    ct_time_ps since = task->launched_ps > waits->before_ps ? task->launched_ps : waits->before_ps;
    waits->before_ps = task->issued_ps;
    if (task->job == 0)
        waits->us[task->index] = (task->ready_ps - since) / US;
    else
        waits->later += task->ready_ps > since;
}

/*
 * Under Baymax each prediction costs 0.05 ms, one after the other from the launch of all seven on:
 * the copy, the first call once for both of its kernels, "second" on its own, the second call,
 * "third" twice since it has two grids. The jobs after it ask nothing new.
 */
TEST(a_call_pays_once) {
    static const ct_time_ps by_hand[7] = {50, 50, 50, 0, 50, 50, 50};
    CLOSED_BY(run_case_close) struct run_case c;
    FREED_BY(predict_bank_free) struct predict_bank *bank = NULL;
    struct waits waits = {{0}, 0, 0};
    struct sim_observer observer = {.context = &waits, .task_ended = note_wait};
    struct sim_result result;
    union {
        double align;
        char bytes[256];
    } options = {0};
    open_case(&c, "");
    assert_int_equal(profiling_train(&c.setup, &policy_baymax, 1, NULL, NULL, &bank, &c.diags),
                     CT_OK);
    assert_true(policy_baymax.options_size <= sizeof options.bytes);
    ct_options_default(policy_baymax.options, options.bytes);
    struct sim_params params = {.setup = &c.setup,
                                .policy = &policy_baymax,
                                .policy_options = options.bytes,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = 10 * CT_PS_PER_MS,
                                .decision_cost = WORKLOAD_COST_SERIAL,
                                .predictor = bank,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    assert_int_equal(sim_run(&params, &result, &c.diags), CT_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(waits.us[i], by_hand[i]);
    assert_int_equal(waits.later, 0);
    sim_result_free(&result);
}
