/*
 * A Poisson stream spread over GPUs of one server each. At random each GPU gets a Poisson stream of
 * its part of the rate: M/M/1. In turn, a GPU gets every n-th arrival, so that gaps are sums of n
 * exponential ones: E_n/M/1, a GI/M/1 queue whose mean time in the system is 1 / (mu (1 - sigma)),
 * sigma the root below 1 of sigma = A*(mu - mu sigma), A* the transform of the gaps (Kleinrock,
 * Queueing Systems I, 1975, sections 4.7 and 6.2). Balancers that look at the load: to the shorter
 * of two queues, against the stationary chain of the two lengths; to the shorter of two that are
 * drawn among many, against the limit for infinitely many (Mitzenmacher, The Power of Two Choices
 * in Randomized Load Balancing, 2001): a part rho^(2^i - 1) of the queues has i jobs or more.
 */
#include "run/fed_run.h"
#include "study/balancer.h"
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

static void expect_mean(const char *what, enum cluster_balancer balancer, double exact_ms,
                        double precision) {
    double samples[THEORY_REPLICATIONS], whole_s = cluster.workload.duration_s;
    theory_shorten(&cluster.workload);
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        struct cluster_result result;
        run(balancer, (uint64_t)r + 1, 1, &result);
        assert_int_equal(1, result.service_count);
        assert_int_equal(cluster.gpu_count, result.colocations[0].gpus);
        samples[r] = result.services[0].mean_ms;
        cluster_result_free(&result);
    }
    cluster.workload.duration_s = whole_s;
    theory_expect(what, samples, exact_ms, precision);
}

static void expect(const char *what, enum cluster_balancer balancer, double exact_ms) {
    open_cluster(NULL, 0);
    expect_mean(what, balancer, exact_ms, 0.02);
    close_cluster();
}

/* 800/s per GPU, service 1 ms: 1 / (1000/s - 800/s). */
TEST(at_random) {
    expect("M/M/1 behind a random balancer", CLUSTER_BALANCE_RANDOM, 1e3 / (1000 - 800));
}

/*
 * Even gaps, each query to one of four at random: geometric numbers of gaps. What one server gets
 * that is told to take one in four of the same stream (`split`) is the same queue. The transform at
 * s is f / (4 - 3 f), f = exp(-s / rate).
 */
static double sigma_of_even(double load) {
    double sigma = 0.5;
    for (int i = 0; i < 10000; i++) {
        double f = exp(-(1 - sigma) / (4 * load));
        sigma = f / (4 - 3 * f);
    }
    return sigma;
}

TEST(even_gaps_at_random) {
    double exact_ms = 1 / (1 - sigma_of_even(0.8));
    open_cluster((const char *[]){"apps.queue.arrivals.process=deterministic"}, 1);
    expect_mean("even gaps behind a random balancer", CLUSTER_BALANCE_RANDOM, exact_ms, 0.02);
    close_cluster();
    open_cluster((const char *[]){"apps.queue.arrivals.process=deterministic",
                                  "apps.queue.arrivals.split=4", "apps.queue.gpus=1",
                                  "gpus=[{\"gpu\":\"rtx2080ti\",\"count\":1}]", "duration_s=161"},
                 5);
    expect_mean("one in four of even gaps", CLUSTER_BALANCE_RANDOM, exact_ms, 0.02);
    close_cluster();
}

/* The transform of an Erlang gap of n stages at mean 1 / rate is (n rate / (s + n rate))^n. */
static double sigma_of(double n, double load) {
    double sigma = 0.5;
    for (int i = 0; i < 10000; i++)
        sigma = pow(n * load / (1 - sigma + n * load), n);
    return sigma;
}

TEST(in_turn) {
    expect("E_4/M/1 behind a balancer in turn", CLUSTER_BALANCE_ROUND_ROBIN,
           1 / (1 - sigma_of(4, 0.8)));
}

/* ---- balancers that look at the load ---- */

/* Every GPU at this load of the file's queue. */
static void resize(uint32_t gpus, double load) {
    cluster.gpu_count = gpus;
    cluster.groups.items[0].count = gpus;
    cluster.gpus[0] = gpus;
    cluster.workload.apps.items[0].arrivals.rate_per_s = 1e3 * load * gpus;
}

/* Where queues are cut: at a load of 0.8, with every query at the shorter one, none is as long. */
enum { LONGEST = 60 };

/* One round of Gauss and Seidel over the balance of flows of (m, n), cut at LONGEST: a query, at
 * rate 2 load, goes to the shorter queue, or to either with 1/2; each serves at rate 1. The largest
 * change. */
static double relax(double p[LONGEST + 1][LONGEST + 1], double load) {
    double most = 0;
    for (int m = 0; m <= LONGEST; m++)
        for (int n = 0; n <= LONGEST; n++) {
            bool full = m == LONGEST && n == LONGEST;
            double out = (full ? 0 : 2 * load) + (m > 0) + (n > 0), in = 0;
            if (m > 0 && m - 1 <= n)
                in += p[m - 1][n] * (m - 1 == n ? load : 2 * load);
            if (n > 0 && n - 1 <= m)
                in += p[m][n - 1] * (n - 1 == m ? load : 2 * load);
            in += (m < LONGEST ? p[m + 1][n] : 0) + (n < LONGEST ? p[m][n + 1] : 0);
            most = fmax(most, fabs(in / out - p[m][n]));
            p[m][n] = in / out;
        }
    return most;
}

/* Mean time in the system, in mean services: number in the system over rate (Little). */
static double shorter_of_two(double load) {
    static double p[LONGEST + 1][LONGEST + 1];
    double sum = 0, jobs = 0;
    for (int m = 0; m <= LONGEST; m++)
        for (int n = 0; n <= LONGEST; n++)
            p[m][n] = 1.0 / ((LONGEST + 1) * (LONGEST + 1));
    while (relax(p, load) > 1e-14)
        ;
    for (int m = 0; m <= LONGEST; m++)
        for (int n = 0; n <= LONGEST; n++) {
            sum += p[m][n];
            jobs += (m + n) * p[m][n];
        }
    return jobs / sum / (2 * load);
}

TEST(shortest_queue) {
    /* One queue before both servers, M/M/2, is better: 1 / (1 - load^2). */
    assert_true(shorter_of_two(0.8) > 1 / (1 - 0.8 * 0.8));
    open_cluster(NULL, 0);
    resize(2, 0.8);
    expect_mean("shortest of two queues", CLUSTER_BALANCE_LEAST_OUTSTANDING, shorter_of_two(0.8),
                0.02);
    /* With two GPUs both are drawn. */
    expect_mean("two choices of two queues", CLUSTER_BALANCE_TWO_CHOICES, shorter_of_two(0.8),
                0.02);
    close_cluster();
}

/* Mean time in the system: sum over i >= 1 of load^(2^i - 2). */
TEST(two_choices) {
    static const char *const brief[] = {"duration_s=0.3", "warmup_s=0.05"};
    double exact = 0;
    for (int i = 1; i < 10; i++)
        exact += pow(0.8, pow(2, i) - 2);
    open_cluster(brief, 2);
    resize(200, 0.8);
    expect_mean("two choices of 200 queues", CLUSTER_BALANCE_TWO_CHOICES, exact, 0.02);
    close_cluster();
}

/* ---- a cluster of one GPU is a run ---- */

TEST(one_gpu_is_a_run) {
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
        assert_true(one.batch_busy_fraction == result.gpus[0].use.busy);
        assert_true(one.sm_utilisation == result.gpus[0].use.sm);
        assert_true((double)one.apps[1].jobs_ended ==
                    nearbyint(result.gpus[0].use.batch_jobs_per_s * ct_time_s(one.window_ps)));
        cluster_result_free(&result);
    }
    sim_result_free(&one);
    theory_close(theory);
    close_cluster();
}

/* ---- a run that is sent its arrivals is the run that draws them ---- */

static struct sim_params params_of(const struct theory_case *theory) {
    const struct workload *w = &theory->workload;
    return (struct sim_params){.setup = &theory->setup,
                               .policy = theory->policy,
                               .seed = (uint64_t)w->seed,
                               .only_app = SIM_ALL_APPS,
                               .warmup_ps = ct_time_round(w->warmup_s * (double)CT_PS_PER_S),
                               .duration_ps = ct_time_round(w->duration_s * (double)CT_PS_PER_S),
                               .dump_at_ps = CT_TIME_NEVER};
}

TEST(sent_is_drawn) {
    static const char *const assignments[] = {"duration_s=5", NULL};
    FREED_BY(theory_close) struct theory_case *theory = theory_open("cluster_gpu", assignments);
    const struct workload_app *service = theory->setup.apps[0].spec;
    struct balancer_streams streams;
    struct sim_result drawn, sent;
    theory_run(theory, 0, NULL, &drawn);
    assert_int_equal(CT_OK, balancer_split(service, CLUSTER_BALANCE_RANDOM, 1,
                                           (uint64_t)theory->workload.seed, 0, 10 * CT_PS_PER_S,
                                           &streams, &diags));
    struct workload_app silent = *service;
    silent.arrivals = (struct workload_arrivals){.process = WORKLOAD_TRACE, .replayed = true};
    theory->setup.apps[0].spec = &silent;
    struct sim_params params = params_of(theory);
    struct run *run = fed_run_open(&params, &sent, &diags);
    for (size_t i = 0; i < streams.first[1] && !fed_run_is_done(run); i++) {
        assert_true(fed_run_until(run, streams.stamps[i]));
        fed_run_send(run, 0, i);
    }
    fed_run_until(run, CT_TIME_NEVER);
    assert_int_equal(CT_OK, fed_run_close(run));
    assert_int_equal(drawn.apps[0].latency_ps.count, sent.apps[0].latency_ps.count);
    assert_memory_equal(drawn.apps[0].latency_ps.items, sent.apps[0].latency_ps.items,
                        drawn.apps[0].latency_ps.count * sizeof(double));
    assert_true(drawn.batch_busy_fraction == sent.batch_busy_fraction);
    assert_true(drawn.sm_utilisation == sent.sm_utilisation);
    assert_true(sent.littles_law_ok && sent.utilisation_law_ok && !sent.broken_law);
    sim_result_free(&drawn);
    sim_result_free(&sent);
    balancer_free(&streams);
    theory->setup.apps[0].spec = service;
}

/* ---- streams belong to GPU and application ---- */

/* Another GPU with batch work of its own changes no number of the others. */
TEST(another_gpu_disturbs_nobody) {
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
        assert_true(small.gpus[g].use.sm == large.gpus[g].use.sm);
        for (uint32_t other = 0; other < g; other++)
            assert_true(small.gpus[g].use.sm != small.gpus[other].use.sm);
    }
    cluster_result_free(&small);
    cluster_result_free(&large);
    close_cluster();
}
