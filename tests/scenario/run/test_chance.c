/* What chance decides of an application: its instances, each alone, are then different runs, and
 * else the same one. */
#include "scenario/run/run_case.h"

#include "run/chance.h"

/* An application of two instances, and what else of it is said. */
static void open_app(struct run_case *c, const char *role, const char *keys) {
    char json[2000];
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.2, "
             "\"apps\": [{\"name\": \"a\", \"role\": \"%s\", \"instances\": 2, %s}]}",
             role, keys);
    run_case_open(c, json, NULL);
}

static void add_end(void *context, const struct sim_job_record *job) {
    ct_time_ps *sum = context;
    *sum += job->end_ps;
}

static struct sim_result run_alone(struct run_case *c, uint32_t instance, ct_time_ps *ends_ps) {
    struct sim_observer observer = {.context = ends_ps, .job_ended = add_end};
    struct sim_result result;
    struct sim_params params = {.setup = &c->setup,
                                .policy = &policy_mps,
                                .seed = 1,
                                .only_app = 0,
                                .only_instance = instance,
                                .duration_ps = ct_time_round(0.2 * (double)CT_PS_PER_S),
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, &c->diags) != CT_OK)
        run_case_fail(c, "alone");
    return result;
}

static bool are_alike(struct run_case *c) {
    ct_time_ps ends_ps[2] = {0, 0};
    struct sim_result first = run_alone(c, 0, &ends_ps[0]), second = run_alone(c, 1, &ends_ps[1]);
    const struct sim_app_result *a = first.apps, *b = second.apps;
    bool alike = first.events == second.events && ends_ps[0] == ends_ps[1] &&
                 a->work_ps == b->work_ps && a->latency_ps.count == b->latency_ps.count;
    assert_true(a->jobs > 0 && b->jobs > 0);
    for (size_t i = 0; alike && i < a->latency_ps.count; i++)
        alike = a->latency_ps.items[i] == b->latency_ps.items[i] || isnan(a->latency_ps.items[i]);
    sim_result_free(&first);
    sim_result_free(&second);
    return alike;
}

#define KERNELS(duration)                                                                          \
    "\"synthetic\": {\"kernels\": 1, \"blocks\": 4, \"threads\": 256, \"duration_ms\": " duration  \
    ", \"unit_fraction\": 0, \"dram_fraction\": 0}"
#define DRAWN "{\"dist\": \"exponential\", \"mean\": 2}"
#define EVENLY ", \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 100}"

static const struct {
    const char *role, *keys;
    bool chance;
} apps[] = {
    {"service", KERNELS("2") EVENLY, false},
    {"service", KERNELS(DRAWN) EVENLY, true},
    {"service",
     "\"synthetic\": {\"duration_ms\": 2, \"bytes_in\": 1000000}" EVENLY ", \"size\": " DRAWN,
     true},
    {"service", KERNELS("2") EVENLY ", \"size\": 3", false},
    {"service", KERNELS("2") EVENLY ", \"server\": {\"max_requests\": 1}", false},
    {"service", KERNELS("2") ", \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 200}",
     true},
    {"service", KERNELS("2") ", \"arrivals\": {\"process\": \"uniform\", \"rate_per_s\": 200}",
     true},
    {"service",
     KERNELS("2") ", \"arrivals\": {\"process\": \"closed\", \"start\": \"at-once\", "
                  "\"think_ms\": " DRAWN "}",
     true},
    {"batch", KERNELS("7"), true}, /* a closed loop begins at a random phase */
    {"batch", KERNELS("7") ", \"stop\": \"first-run\"", false},
    {"batch", KERNELS("7") ", \"arrivals\": {\"process\": \"closed\", \"start\": \"at-once\"}",
     false},
    {"batch", KERNELS("7") ", \"arrivals\": {\"process\": \"once\"}", false},
    {"batch", KERNELS("7") ", \"arrivals\": {\"process\": \"once\", \"delay_ms\": " DRAWN "}",
     true},
};

TEST(instances_differ_by_chance_alone) {
    for (size_t i = 0; i < CT_COUNT_OF(apps); i++) {
        CLOSED_BY(run_case_close) struct run_case c;
        open_app(&c, apps[i].role, apps[i].keys);
        if (chance_in_instances(&c.setup, 0) != apps[i].chance || are_alike(&c) == apps[i].chance)
            fail_msg("%s", apps[i].keys);
    }
}

/* What comes to a stage is drawn where it came in. */
TEST(a_stage_has_the_chance_of_its_feeders) {
    static const char *const arrivals[] = {"deterministic", "poisson"};
    for (int i = 0; i < 2; i++) {
        char json[2000];
        CLOSED_BY(run_case_close) struct run_case c;
        snprintf(json, sizeof json,
                 "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": "
                 "0.2, \"defaults\": {\"role\": \"service\", \"instances\": 2, \"server\": {}}, "
                 "\"apps\": [{\"name\": \"a\", %s, \"arrivals\": {\"process\": \"%s\", "
                 "\"rate_per_s\": 100}}, {\"name\": \"b\", %s, \"arrivals\": {\"process\": "
                 "\"stage\", \"after\": [\"a\"]}}]}",
                 KERNELS("2"), arrivals[i], KERNELS("3"));
        run_case_open(&c, json, NULL);
        assert_int_equal(chance_in_instances(&c.setup, 1), i == 1);
    }
}

/* ---- When first jobs come ---- */

static void keep_arrival(void *context, const struct sim_job_record *job) {
    *(ct_time_ps *)context = job->arrival_ps;
}

static const ct_time_ps second_ps = CT_PS_PER_S;

/* When the one job of a run of 0.2 s arrives, which takes so many ms. */
static ct_time_ps first_arrival(const char *duration_ms, bool found, ct_time_ps warmup_ps) {
    CLOSED_BY(run_case_close) struct run_case c;
    char json[600];
    ct_time_ps arrival_ps = -1;
    struct sim_observer observer = {.context = &arrival_ps, .job_unfinished = keep_arrival};
    struct sim_result result;
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 0.2, "
             "\"warmup_by\": \"%s\", \"apps\": [{\"name\": \"a\", \"synthetic\": "
             "{\"duration_ms\": %s, \"blocks\": 4}}]}",
             found ? "mser5" : "time", duration_ms);
    run_case_open(&c, json, NULL);
    struct sim_params params = {.setup = &c.setup,
                                .policy = &policy_mps,
                                .seed = 1,
                                .only_app = SIM_ALL_APPS,
                                .warmup_ps = warmup_ps,
                                .duration_ps = second_ps / 5,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, &c.diags) != CT_OK)
        run_case_fail(&c, "first arrival");
    sim_result_free(&result);
    return arrival_ps;
}

static void assert_near(ct_time_ps a, ct_time_ps b) { /* times are whole nanoseconds */
    assert_in_range(a - b + 2000, 0, 4000);
}

/* Drawn over a tenth of the run, 20 ms, or the warm-up where that is longer. */
TEST(a_long_job_begins_before_the_measured_time) {
    ct_time_ps tenth_ps = first_arrival("10000", false, 0);
    assert_in_range(tenth_ps, 1, second_ps / 50);
    assert_near(first_arrival("100000", false, second_ps / 100), tenth_ps);
    assert_near(first_arrival("100000", false, second_ps / 20), tenth_ps * 5 / 2);
}

/* Neither a pilot, which has no warm-up, nor what it finds moves them. */
TEST(a_pilot_has_the_arrivals_of_its_run) {
    ct_time_ps pilot_ps = first_arrival("100000", true, 0);
    assert_in_range(pilot_ps, 1, second_ps / 50);
    assert_int_equal(first_arrival("100000", true, second_ps / 10), pilot_ps);
}
