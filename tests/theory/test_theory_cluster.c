/*
 * A Poisson stream spread over GPUs of one server each. At random each GPU gets a Poisson stream of
 * its part of the rate: M/M/1. In turn, a GPU gets every n-th arrival, so that gaps are sums of n
 * exponential ones: E_n/M/1, a GI/M/1 queue whose mean time in the system is 1 / (mu (1 - sigma)),
 * sigma the root below 1 of sigma = A*(mu - mu sigma), A* the transform of the gaps (Kleinrock,
 * Queueing Systems I, 1975, sections 4.7 and 6.2).
 */
#include "study/cluster.h"
#include "theory_case.h"

static struct cluster cluster;
static struct ct_diags diags;

static void open_cluster(const char *const *assignments, size_t count) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/theory/workloads/cluster.json", COTENANT_SOURCE_DIR);
    if (cluster_read(path, assignments, count, &cluster, &diags) != CT_OK)
        theory_fail(&diags, path);
}

static void close_cluster(void) {
    cluster_free(&cluster);
    ct_diags_free(&diags);
}

static void run(enum cluster_balancer balancer, uint64_t seed, uint32_t threads,
                struct cluster_result *result) {
    struct experiment_policy policy = {.policy = policies_find(cluster.workload.policy),
                                       .label = cluster.workload.policy};
    struct cluster_params params = {.cluster = &cluster,
                                    .policy = &policy,
                                    .placement = CLUSTER_ROUND_ROBIN,
                                    .balancer = balancer,
                                    .seed = seed,
                                    .reps = 1,
                                    .threads = threads};
    if (cluster_run(&params, result, &diags) != CT_OK)
        theory_fail(&diags, "the cluster's run failed");
    assert_true(result->sums.conserved);
    assert_true(result->sums.littles_law_ok);
    assert_true(result->sums.utilisation_law_ok);
}

static void expect(const char *what, enum cluster_balancer balancer, double exact_ms) {
    double samples[THEORY_REPLICATIONS];
    open_cluster(NULL, 0);
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        struct cluster_result result;
        run(balancer, (uint64_t)r + 1, 1, &result);
        assert_int_equal(1, result.service_count);
        assert_int_equal(4, result.colocations[0].gpus);
        samples[r] = result.services[0].mean_ms;
        cluster_result_free(&result);
    }
    theory_expect(what, samples, exact_ms, 0.02);
    close_cluster();
}

/* 800/s per GPU, service 1 ms: 1 / (1000/s - 800/s). */
static void at_random(void **unused) {
    (void)unused;
    expect("M/M/1 behind a random balancer", CLUSTER_BALANCE_RANDOM, 1e3 / (1000 - 800));
}

/* The transform of an Erlang gap of n stages at mean 1 / rate is (n rate / (s + n rate))^n. */
static double sigma_of(double n, double load) {
    double sigma = 0.5;
    for (int i = 0; i < 10000; i++)
        sigma = pow(n * load / (1 - sigma + n * load), n);
    return sigma;
}

static void in_turn(void **unused) {
    (void)unused;
    expect("E_4/M/1 behind a balancer in turn", CLUSTER_BALANCE_ROUND_ROBIN,
           1 / (1 - sigma_of(4, 0.8)));
}

/* ---- a cluster of one GPU is a run ---- */

static void one_gpu_is_a_run(void **unused) {
    (void)unused;
    static const char *const assignments[] = {"duration_s=5", NULL};
    struct theory_case *theory = theory_open("cluster_gpu", assignments);
    struct cluster_result result;
    struct sim_result one;
    theory_run(theory, 0, NULL, &one);
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/theory/workloads/cluster_one.json", COTENANT_SOURCE_DIR);
    if (cluster_read(path, assignments, 1, &cluster, &diags) != CT_OK)
        theory_fail(&diags, path);
    for (int balancer = 0; cluster_balancers[balancer]; balancer++) {
        run(balancer, (uint64_t)theory->workload.seed, 2, &result);
        assert_int_equal(one.apps[0].jobs, result.services[0].jobs);
        assert_true(one.apps[0].jobs > 1000);
        assert_true(theory_latency_ms(&one, 0, 0) == result.services[0].mean_ms ||
                    fabs(theory_latency_ms(&one, 0, 0) / result.services[0].mean_ms - 1) < 1e-14);
        assert_true(one.batch_busy_fraction == result.gpus[0].busy);
        assert_true(one.sm_utilisation == result.gpus[0].sm);
        assert_true((double)one.apps[1].jobs_ended ==
                    nearbyint(result.gpus[0].batch_jobs_per_s * ct_time_s(one.window_ps)));
        cluster_result_free(&result);
    }
    sim_result_free(&one);
    theory_close(theory);
    close_cluster();
}

/* ---- streams belong to GPU and application ---- */

/* Another GPU with batch work of its own changes no number of the others. */
static void another_gpu_disturbs_nobody(void **unused) {
    (void)unused;
    static const char *const few[] = {"duration_s=3"};
    struct cluster_result small, large;
    open_cluster(few, 1);
    run(CLUSTER_BALANCE_RANDOM, 1, 1, &small);
    cluster.gpu_count++;
    cluster.groups.items[0].count++;
    run(CLUSTER_BALANCE_RANDOM, 1, 1, &large);
    assert_int_equal(5, large.gpu_count);
    assert_int_equal(1, large.sums.idle);
    for (uint32_t g = 0; g < small.gpu_count; g++) {
        assert_int_equal(small.gpus[g].jobs, large.gpus[g].jobs);
        assert_true(small.gpus[g].over == large.gpus[g].over);
        assert_true(small.gpus[g].sm == large.gpus[g].sm);
        for (uint32_t other = 0; other < g; other++)
            assert_true(small.gpus[g].sm != small.gpus[other].sm);
    }
    cluster_result_free(&small);
    cluster_result_free(&large);
    close_cluster();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_random),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(one_gpu_is_a_run),
        cmocka_unit_test(another_gpu_disturbs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
