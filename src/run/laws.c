/* What holds of every run, whatever is simulated: conservation, Little's law, the utilisation law.
 */
#include "run/run.h"

#include <math.h>

const char *laws_broken(const struct run *run, uint64_t running) {
    const double two_roundings_ps = 4; /* per phase of a task */
    const double above_full = 1 + 1e-9;
    const struct sim_result *result = run->result;
    struct device_usage usage = measure_usage(run);
    if (run->measured.conservation_error_ps > two_roundings_ps)
        return "a task took less or more time than its work and its losses";
    if (run->measured.sums.tasks_started != run->measured.sums.tasks_ended + running)
        return "tasks that started are not those that ended or run";
    if (usage.pcie_bytes[0] != run->measured.sums.copied_bytes[0] ||
        usage.pcie_bytes[1] != run->measured.sums.copied_bytes[1])
        return "the link moved other bytes than its copies have";
    if (result->sm_utilisation > above_full || result->dram_utilisation > above_full ||
        result->pcie_utilisation[0] > above_full || result->pcie_utilisation[1] > above_full)
        return "more SMs or bandwidth were used than there are";
    return NULL;
}

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

bool laws_littles_holds(const struct run *run) {
    return is_close(run->measured.sojourn_ps, run->measured.system_area_ps);
}

/*
 * Utilisation law: a resource is busy for as long as what was served asks of it (Denning and Buzen
 * 1978, U = X S). The device integrates the memory's and the SMs' use over time; the work that was
 * done says what the first must be, the applications' parts add up to the second. On single blocks
 * an SM that two applications hold counts once.
 */
bool laws_utilisation_holds(const struct run *run) {
    struct device_usage usage = measure_usage(run);
    double sm_ps = run->measured.sums.usage.sm_ps;
    for (uint32_t i = 0; i < run->client_count; i++)
        sm_ps += device_client_counters(run->device, i).told.sm_ps;
    bool shared_sms = run->setup->workload->fidelity == DEVICE_BLOCK;
    return is_close(usage.dram_bytes, run->measured.sums.demanded_bytes) &&
           (shared_sms || is_close(usage.sm_ps, sm_ps));
}
