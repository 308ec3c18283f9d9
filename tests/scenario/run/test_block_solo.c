/* Every shipped application alone: thread blocks on SMs end when the recording and the rates say.
 */
#include "run_case.h"

static const char *const stores[] = {"gtx1080ti",    "h100-inference",  "rtx2080ti",
                                     "tonic-k40",    "tonic-rtx2080ti", "v100-orion",
                                     "v100-training"};

/* The last end of each of the application's jobs, the same ones at each fidelity. */
static void run_alone(const char *store, const struct trace_app *app, const char *fidelity,
                      struct run_case_result *result) {
    char json[1024];
    CLOSED_BY(run_case_close) struct run_case c;
    struct run_case_params params = {.policy = &policy_mps, .seed = 3, .blame = true};
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"%s\", \"fidelity\": \"%s\", "
             "\"duration_s\": 60, \"apps\": [{\"name\": \"a\", \"stop\": \"first-run\", \"trace\": "
             "\"%s/traces/%s.db#%s\"}]}",
             app->gpu, fidelity, COTENANT_SOURCE_DIR, store, app->name);
    run_case_open(&c, json, NULL);
    run_case_run(&c, &params, result);
}

static void compare(const char *store, const struct trace_app *app) {
    CLOSED_BY(run_case_result_free) struct run_case_result fluid, block;
    double worst = 0;
    run_alone(store, app, "fluid", &fluid);
    run_alone(store, app, "block", &block);
    assert_true(fluid.jobs.count > 0);
    assert_int_equal(fluid.jobs.count, block.jobs.count);
    for (size_t i = 0; i < fluid.jobs.count; i++) {
        const struct run_case_job *a = &fluid.jobs.items[i], *b = &block.jobs.items[i];
        double expected = (double)(a->end_ps - a->arrival_ps),
               got = (double)(b->end_ps - b->arrival_ps);
        worst = fmax(worst, fabs(got / expected - 1));
    }
    if (worst > 0.01)
        fail_msg("%s#%s alone: %.3f %% between the fidelities", store, app->name, 100 * worst);
}

TEST(shipped_traces_alone) {
    size_t apps = 0;
    for (size_t s = 0; s < CT_COUNT_OF(stores); s++) {
        char path[512];
        CLOSED_BY(trace_set_free) struct trace_set set = {0};
        CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
        snprintf(path, sizeof path, "%s/traces/%s.db", COTENANT_SOURCE_DIR, stores[s]);
        assert_int_equal(trace_store_read(path, NULL, &set, &diags), CT_OK);
        for (size_t i = 0; i < set.apps.count; i++, apps++)
            compare(stores[s], set.apps.items[i]);
    }
    assert_true(apps >= 20);
}
