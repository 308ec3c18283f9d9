#include "fuzz.h"
#include "study/plan.h"
#include "workload/setup.h"

static void judge_plan(const struct plan *plan) {
    struct ct_diags diags = {0};
    fuzz_judge(plan_check(plan, "--find", &diags), &diags);
    ct_diags_free(&diags);
}

/* What `plan` would say of every application and every goal. */
static void plan_all(const struct workload *workload) {
    struct plan plan = {.workload = workload,
                        .most = 4,
                        .confidence = 0.95,
                        .tolerance = 0.02,
                        .replications = 2,
                        .most_replications = 4,
                        .threads = 1};
    for (uint32_t app = 0; app < workload->apps.count; app++)
        for (int goal = PLAN_RATE; goal <= PLAN_INSTANCES; goal++) {
            plan.app = app;
            plan.goal = (enum plan_goal)goal;
            judge_plan(&plan);
        }
}

static void judge_workload(const struct workload *w) {
    FUZZ_OWES(w->apps.count > 0 && w->gpu);
    FUZZ_OWES(isfinite(w->duration_s) && w->duration_s > 0 && w->duration_s < 9.2e6);
    FUZZ_OWES(w->warmup_s >= 0 && w->warmup_s < w->duration_s);
    for (size_t i = 0; i < w->apps.count; i++) {
        const struct workload_app *a = &w->apps.items[i];
        FUZZ_OWES(a->name && a->instances > 0 && isfinite(a->qos_ms) && a->qos_ms >= 0);
        FUZZ_OWES(isfinite(a->arrivals.rate_per_s) && a->arrivals.rate_per_s >= 0);
        FUZZ_OWES(isfinite(a->duration_scale) && a->duration_scale > 0);
        FUZZ_OWES(a->host_scale >= 0 && a->host_scale <= 1e6);
    }
}

/* Beside it lie "traces.db" and "stamps.csv". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool ready;
    if (!ready) {
        fuzz_traces_make();
        fuzz_file("stamps.csv", "seconds\n0\n0.5\n1\n", 16);
        ready = true;
    }
    struct ct_diags diags = {0};
    struct workload workload;
    struct setup setup;
    struct workload_source source = {.path = fuzz_file("w.json", data, size)};
    int status = workload_read(&source, &workload, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        judge_workload(&workload);
        status = setup_make(&workload, &setup, &diags);
        fuzz_judge(status, &diags);
        if (status == CT_OK) {
            plan_all(&workload);
            setup_free(&setup);
        }
    }
    workload_free(&workload);
    ct_diags_free(&diags);
    return 0;
}
