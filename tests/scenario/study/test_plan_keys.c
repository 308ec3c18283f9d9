/* A workload that is changed in memory has another key, and nobody has to renew anything for it. */
#include "cmocka_complete.h"

#include "experiment/bands.h"
#include "experiment/run_key.h"
#include "experiment/scenario.h"
#include "policies/policies.h"
#include "study/plan_internal.h"

#include <string.h>

static const char MIX[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"v100\", \"duration_s\": 1, \"apps\": ["
    "{\"name\": \"q\", \"role\": \"service\", \"qos_ms\": 5, \"arrivals\": {\"process\": \"mmpp\", "
    "\"rate_per_s\": 50, \"burst_rate_per_s\": 90, \"burst_s\": 1, \"quiet_s\": 1}, \"server\": "
    "{}, "
    "\"synthetic\": {\"blocks\": 80, \"duration_ms\": 1}},"
    "{\"name\": \"g\", \"role\": \"service\", \"qos_ms\": 5, \"arrivals\": {\"process\": "
    "\"gamma\", "
    "\"rate_per_s\": 50, \"cv\": 2}, \"synthetic\": {\"blocks\": 80, \"duration_ms\": 1}},"
    "{\"name\": \"s\", \"arrivals\": {\"process\": \"stage\", \"after\": [\"q\"]}, "
    "\"role\": \"service\", \"server\": {}, \"synthetic\": {\"blocks\": 9, \"duration_ms\": 1}},"
    "{\"name\": \"t\", \"trace\": \"" COTENANT_SOURCE_DIR "/traces/rtx2080ti.db#linear-train\"}]}";

enum { NOBODY = -1, KEYS = 64 };

struct keys {
    struct ct_hash made[KEYS];
    const char *of[KEYS];
    size_t count;
};

/* The key of the shared run, or of that of an application alone. */
static struct ct_hash key_of(const struct workload *workload, int only) {
    struct ct_diags diags = {0};
    struct setup setup;
    struct ct_hash key;
    assert_int_equal(setup_make(workload, &setup, &diags), CT_OK);
    struct sim_params params = {.setup = &setup,
                                .policy = &policy_mps,
                                .seed = 1,
                                .only_app = only == NOBODY ? SIM_ALL_APPS : (uint32_t)only,
                                .duration_ps =
                                    ct_time_round(workload->duration_s * (double)CT_PS_PER_S),
                                .dump_at_ps = CT_TIME_NEVER};
    const struct ct_hash built_in = {0, 0};
    assert_true(run_key_make(&params, "test", built_in, &key));
    setup_free(&setup);
    ct_diags_free(&diags);
    return key;
}

static bool is_same(struct ct_hash a, struct ct_hash b) {
    return a.high == b.high && a.low == b.low;
}

static void is_new(struct keys *keys, const struct workload *workload, const char *of) {
    struct ct_hash key = key_of(workload, NOBODY);
    for (size_t i = 0; i < keys->count; i++)
        if (is_same(key, keys->made[i]))
            fail_msg("'%s' has the key of '%s'", of, keys->of[i]);
    assert_true(keys->count < KEYS);
    keys->made[keys->count] = key;
    keys->of[keys->count++] = of;
}

static void open_mix(struct scenario *scenario) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct scenario_request request = {.workload = "mix.json",
                                       .text = MIX,
                                       .policies = "mps",
                                       .fidelity = SCENARIO_OWN,
                                       .seed = SCENARIO_OWN,
                                       .version = "test"};
    int status = scenario_open(scenario, &request, &diags);
    if (status != CT_OK)
        fail_msg("%s", diags.count ? diags.items[0].text : "no scenario");
}

TEST(every_load_of_a_plan_has_its_key) {
    static const char *presets[] = {"a100", "h100"};
    CLOSED_BY(scenario_close) struct scenario scenario;
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct keys keys = {0};
    open_mix(&scenario);
    is_new(&keys, &scenario.workload, "as it is read");
    static const struct {
        const char *of;
        enum plan_goal goal;
        uint32_t app;
        double load, scale, growth;
    } points[] = {{"a rate", PLAN_RATE, 0, 77, 1, 1},
                  {"a near one", PLAN_RATE, 0, 77.00000000000001, 1, 1},
                  {"another one's", PLAN_RATE, 1, 77, 1, 1},
                  {"a rate beyond a file's", PLAN_RATE, 1, 2e8, 1, 1},
                  {"a higher one", PLAN_RATE, 1, 3e8, 1, 1},
                  {"longer kernels", PLAN_RATE, 0, 77, 1.05, 1},
                  {"growth", PLAN_RATE, 0, 77, 1, 2},
                  {"two GPUs", PLAN_GPUS, 0, -2, 1, 1},
                  {"three", PLAN_GPUS, 0, -3, 1, 1},
                  {"two at growth", PLAN_GPUS, 0, -2, 1, 1.5},
                  {"instances", PLAN_INSTANCES, 3, 2, 1, 1},
                  {"none", PLAN_INSTANCES, 3, 0, 1, 1},
                  {"a preset", PLAN_PRESET, 0, 0, 1, 1},
                  {"another one", PLAN_PRESET, 0, 1, 1, 1}};
    for (size_t i = 0; i < CT_COUNT_OF(points); i++) {
        struct plan plan = plan_standard();
        struct workload workload;
        plan_take(&plan, &scenario);
        plan.goal = points[i].goal;
        plan.app = points[i].app;
        plan.growth = points[i].growth;
        plan.presets = presets;
        plan.preset_count = 2;
        assert_true(plan_workload(&plan, points[i].load, points[i].scale, &workload, &arena));
        is_new(&keys, &workload, points[i].of);
        workload.duration_s *= 2; /* as a look lengthens it */
        is_new(&keys, &workload, points[i].of);
    }
}

TEST(every_draw_of_demand_has_its_key) {
    CLOSED_BY(scenario_close) struct scenario scenario;
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct demand_file file;
    struct keys keys = {0};
    open_mix(&scenario);
    assert_int_equal(demand_file_shipped(&file, &arena, &diags), CT_OK);
    is_new(&keys, &scenario.workload, "none");
    for (uint32_t draw = 0; draw < 3; draw++) {
        struct demand_look look = {.draws = 3, .draw = draw};
        struct workload workload;
        assert_true(demand_look_workload(&look, &scenario.workload, &file, 1, &arena, &workload));
        is_new(&keys, &workload, "a draw");
    }
}

/* Alone, what others do is no part of it, but the stages before. */
TEST(alone_only_its_own_changes_count) {
    CLOSED_BY(scenario_close) struct scenario scenario;
    open_mix(&scenario);
    struct workload *w = &scenario.workload;
    struct ct_hash before[4];
    for (int a = 0; a < 4; a++)
        before[a] = key_of(w, a);
    w->apps.items[0].arrivals.rate_per_s = 51;
    assert_false(is_same(before[0], key_of(w, 0)));
    assert_true(is_same(before[1], key_of(w, 1)));
    assert_false(is_same(before[2], key_of(w, 2)));
    assert_true(is_same(before[3], key_of(w, 3)));
}

/* A trace whose content nobody hashed is hashed for the key. */
TEST(a_trace_is_known_by_its_content) {
    CLOSED_BY(scenario_close) struct scenario scenario;
    open_mix(&scenario);
    struct workload_app *app = &scenario.workload.apps.items[3];
    struct ct_hash read = key_of(&scenario.workload, NOBODY);
    struct trace_app copy = *app->trace;
    copy.content = (struct ct_hash){0, 0};
    app->trace = &copy;
    assert_true(is_same(read, key_of(&scenario.workload, NOBODY)));
    copy.resolution_ps++;
    assert_false(is_same(read, key_of(&scenario.workload, NOBODY)));
    copy.resolution_ps--;
    struct trace_kernel first = copy.kernels.items[0];
    copy.kernels.items[0].flops_per_s += 1;
    assert_false(is_same(read, key_of(&scenario.workload, NOBODY)));
    copy.kernels.items[0] = first;
    const char *call = copy.library_calls.items[0];
    copy.library_calls.items[0] = "another call";
    assert_false(is_same(read, key_of(&scenario.workload, NOBODY)));
    copy.library_calls.items[0] = call;
}

/* The GPU that it was recorded on, and what is known of its class, stand in other files. */
TEST(a_kernel_is_known_by_what_is_run_of_it) {
    CLOSED_BY(scenario_close) struct scenario scenario;
    open_mix(&scenario);
    struct sim_params params = {.setup = &scenario.setup,
                                .policy = &policy_mps,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = CT_PS_PER_S,
                                .dump_at_ps = CT_TIME_NEVER};
    const struct ct_hash built_in = {0, 0};
    struct ct_hash before, after;
    assert_true(run_key_make(&params, "test", built_in, &before));
    scenario.setup.apps[3].profiles[0].duration_scale *= 1.01;
    assert_true(run_key_make(&params, "test", built_in, &after));
    assert_false(is_same(before, after));
}
