/*
 * Copies of whole GPUs that come and go are customers of M/M/c: who waits, and how long, against
 * Erlang's delay formula; who is refused where nobody waits, against his loss formula (Kleinrock,
 * Queueing Systems I, 1975, sections 3.4 and 3.5). Half GPUs are as many servers again.
 */
#include "study/fleet.h"
#include "theory_case.h"

enum { COPIES = 100000, FIRST_COUNTED = 2000 };

static struct cluster cluster;
static struct ct_diags diags;

static void open_cluster(const char *share) {
    FILE *file = fopen("theory_fleet.json", "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"gpus\": [{\"gpu\": \"v100\", \"count\": 4}], \"apps\": [{\"name\": \"a\", \"role\": "
        "\"batch\", \"gpus\": %d, \"share_pct\": %s, \"arrive_s\": 0, \"synthetic\": "
        "{\"duration_ms\": 1}}]}",
        COPIES, share);
    assert_int_equal(0, fclose(file));
    if (cluster_read("theory_fleet.json", NULL, 0, &cluster, &diags) != CT_OK)
        theory_fail(&diags, "the cluster's file");
    remove("theory_fleet.json");
}

/* Poisson arrivals at this rate, stays of mean 1 s. */
static struct fleet run(double rate, int seed) {
    struct des_stream stream;
    struct fleet fleet;
    double at = 0;
    des_stream_init(&stream, (uint64_t)seed, 0, "test", "fleet");
    for (size_t p = 0; p < COPIES; p++) {
        at -= log1p(-des_stream_uniform(&stream)) / rate;
        cluster.pods.items[p].arrive_s = at;
        cluster.pods.items[p].stay_s = -log1p(-des_stream_uniform(&stream));
    }
    if (fleet_place(&cluster, CLUSTER_BEST_FIT, 1, 0, at + 1, &fleet, &diags) != CT_OK)
        theory_fail(&diags, "the fleet");
    assert_true(fleet.sums.conserved);
    assert_int_equal(COPIES, fleet.sums.arrived);
    return fleet;
}

/* Erlang's loss formula by its recursion, and the delay formula from it. */
static double loss(int servers, double load) {
    double b = 1;
    for (int n = 1; n <= servers; n++)
        b = load * b / (n + load * b);
    return b;
}

static double delay(int servers, double load) {
    double b = loss(servers, load);
    return b / (1 - load / servers * (1 - b));
}

static void waits(const char *what, int servers, double load) {
    double waited[THEORY_REPLICATIONS], wait[THEORY_REPLICATIONS];
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(fleet_free) struct fleet fleet = run(load, r + 1);
        waited[r] = wait[r] = 0;
        for (size_t p = FIRST_COUNTED; p < COPIES; p++) {
            /* Who still waits at the end has waited. */
            bool placed = fleet.pods[p].outcome == FLEET_PLACED;
            double s = placed ? fleet.pods[p].placed_s - cluster.pods.items[p].arrive_s : 0;
            waited[r] += (!placed || s > 0) / (double)(COPIES - FIRST_COUNTED);
            wait[r] += s / (COPIES - FIRST_COUNTED);
        }
    }
    theory_expect(what, waited, delay(servers, load), 0.02);
    theory_expect(what, wait, delay(servers, load) / (servers - load), 0.05);
}

TEST(whole_gpus) {
    open_cluster("100");
    waits("M/M/4: who waits for a GPU", 4, 3.2);
    cluster_free(&cluster);
}

TEST(half_gpus) {
    open_cluster("50");
    waits("M/M/8: who waits for half a GPU", 8, 6);
    cluster_free(&cluster);
}

TEST(nobody_waits) {
    double refused[THEORY_REPLICATIONS];
    open_cluster("100");
    cluster.waiting = CLUSTER_WAITING_NONE;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(fleet_free) struct fleet fleet = run(3.2, r + 1);
        refused[r] = 0;
        for (size_t p = FIRST_COUNTED; p < COPIES; p++)
            refused[r] +=
                (fleet.pods[p].outcome == FLEET_REFUSED) / (double)(COPIES - FIRST_COUNTED);
    }
    theory_expect("M/M/4/4: who is refused", refused, loss(4, 3.2), 0.02);
    cluster_free(&cluster);
}
