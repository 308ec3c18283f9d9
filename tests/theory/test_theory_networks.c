/*
 * A closed network of host, copy engine and GPU by exact mean-value analysis (Reiser and Lavenberg,
 * J. ACM 27(2), 1980), and the operational laws that hold between its measured means (Denning and
 * Buzen, ACM Computing Surveys 10(3), 1978).
 *
 * Six instances think for 5 ms (exponential), copy for 1.5 ms through a pinned buffer that holds
 * the link (the job's size, and so the bytes, are exponential: 17,824,500 B at 11,883 MB/s are 1.5
 * ms), and run one kernel of 2 ms (exponential, drawn apart from the size) on an exclusive device.
 * Both stations are first come first served with exponential service: product form.
 */
#include "theory_case.h"

enum { CLIENTS = 6 };
static const double THINK = 5, COPY = 1.5, KERNEL = 2;

struct network {
    double response, rate_per_ms;
};

static struct network exact(void) {
    struct network network = {0};
    double copies = 0, kernels = 0;
    for (int n = 1; n <= CLIENTS; n++) {
        double at_link = COPY * (1 + copies), at_gpu = KERNEL * (1 + kernels);
        network.response = at_link + at_gpu;
        network.rate_per_ms = n / (THINK + network.response);
        copies = network.rate_per_ms * at_link;
        kernels = network.rate_per_ms * at_gpu;
    }
    return network;
}

/* Response time and throughput by mean-value analysis; utilisation = throughput times service (here
 * of the link: 11,883 of 12,160 MB/s while it is busy); clients = throughput (response + think). */
TEST(host_link_and_gpu) {
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short("closed_network", NULL);
    struct theory_samples samples;
    struct network network = exact();
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        double response = theory_latency_ms(&result, 0, 0);
        double rate = theory_rate_per_s(&result, 0, 0) / 1e3;
        samples.of[0][r] = response;
        samples.of[1][r] = rate;
        samples.of[2][r] = result.pcie_utilisation[0];
        samples.of[3][r] = rate * (response + THINK);
    }
    theory_expect("closed network: response, ms", samples.of[0], network.response, 0.01);
    theory_expect("closed network: throughput, 1/ms", samples.of[1], network.rate_per_ms, 0.01);
    theory_expect("  link utilisation", samples.of[2], network.rate_per_ms * COPY * 11883 / 12160,
                  0.01);
    theory_expect("  clients by Little's law", samples.of[3], CLIENTS, 0.01);
}
