/*
 * A look at a run of the batch applications alone tells what a run that ends there tells, to the
 * last bit, and changes nothing of the run: two closed applications that share SMs and memory, one
 * of them with drawn durations and a copy.
 */
#include "run_case.h"

static const char workload[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.5, "
    "\"warmup_s\": 0.05, \"fidelity\": \"%s\", \"defaults\": {\"role\": \"batch\"}, \"apps\": ["
    "{\"name\": \"s\", \"role\": \"service\", \"qos_ms\": 90, \"arrivals\": {\"process\": "
    "\"once\"}, \"synthetic\": {\"kernels\": 1, \"blocks\": 34, \"threads\": 256, \"duration_ms\": "
    "2}}, "
    "{\"name\": \"a\", \"instances\": 3, \"synthetic\": {\"kernels\": 4, \"blocks\": 400, "
    "\"threads\": 256, \"dram_fraction\": 0.7, \"bytes_in\": 1000000, \"duration_ms\": {\"dist\": "
    "\"lognormal\", \"mean\": 0.7, \"cv\": 0.5}}}, "
    "{\"name\": \"b\", \"instances\": 2, \"synthetic\": {\"kernels\": 3, \"blocks\": 90, "
    "\"threads\": 128, \"dram_fraction\": 0.5, \"duration_ms\": 0.31}}]}";

static double run_to(struct run_case *c, ct_time_ps end_ps, struct sim_look *looks, size_t count,
                     uint64_t *events) {
    struct sim_result result;
    struct sim_params params = {.setup = &c->setup,
                                .policy = &policy_mps,
                                .seed = 3,
                                .only_app = SIM_ALL_APPS,
                                .batch_only = true,
                                .warmup_ps = CT_PS_PER_S / 20,
                                .duration_ps = end_ps,
                                .dump_at_ps = CT_TIME_NEVER,
                                .looks = looks,
                                .look_count = count};
    char options[1024] = {0};
    assert_true(policy_mps.options_size <= sizeof options);
    params.policy_options = options;
    if (sim_run(&params, &result, &c->diags) != CT_OK)
        run_case_fail(c, "mps");
    double work_ps = result.apps[1].work_ps + result.apps[2].work_ps;
    *events = result.events;
    sim_result_free(&result);
    return work_ps;
}

static void open_case(struct run_case *c, const char *fidelity) {
    char json[2000];
    snprintf(json, sizeof json, workload, fidelity);
    run_case_open(c, json, NULL);
}

TEST(a_look_is_a_shorter_run) {
    CLOSED_BY(run_case_close) struct run_case c;
    struct sim_look looks[] = {{CT_PS_PER_S / 3, 0}, {CT_PS_PER_S / 7, 0}, {CT_PS_PER_S / 2, 0}};
    uint64_t events, looked, shorter;
    open_case(&c, "fluid");
    double alone = run_to(&c, CT_PS_PER_S / 2, NULL, 0, &events);
    assert_true(run_to(&c, CT_PS_PER_S / 2, looks, CT_COUNT_OF(looks), &looked) == alone);
    assert_int_equal(looked, events);
    for (size_t i = 0; i < CT_COUNT_OF(looks); i++) {
        assert_true(looks[i].batch_work_ps > 0);
        assert_true(run_to(&c, looks[i].at_ps, NULL, 0, &shorter) == looks[i].batch_work_ps);
    }
}

/* Blocks have no work so far. */
TEST(blocks_tell_nothing) {
    CLOSED_BY(run_case_close) struct run_case c;
    struct sim_look look = {CT_PS_PER_S / 7, 0};
    uint64_t events;
    open_case(&c, "block");
    run_to(&c, CT_PS_PER_S / 5, &look, 1, &events);
    assert_true(isnan(look.batch_work_ps));
}
