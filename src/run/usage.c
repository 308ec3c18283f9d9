/* What a run uses of the device: over all of it, and in the window. */
#include "run/run.h"

struct device_usage usage_so_far(const struct run *run) {
    struct run_sums sums = {.usage = device_usage(run->device)};
    repeats_add(&sums, &run->measured.sums, 1);
    return sums.usage;
}

/* usage_so_far with what copies under way have moved: half a copy at the edge of the window counts
 * half. */
struct device_usage usage_now(const struct run *run) {
    struct device_usage usage = usage_so_far(run);
    device_watch_copied_bytes(run->device, usage.pcie_bytes);
    usage.pcie_bytes[0] += run->measured.sums.usage.pcie_bytes[0];
    usage.pcie_bytes[1] += run->measured.sums.usage.pcie_bytes[1];
    return usage;
}

void usage_finish(struct run *run) {
    struct device_usage usage = usage_now(run), *before = &run->measured.usage_at_begin;
    const struct gpu *gpu = &run->setup->gpu;
    double window = (double)(run->measured.end_ps - run->measured.begin_ps),
           seconds = window / (double)CT_PS_PER_S;
    struct sim_result *result = run->result;
    result->window_ps = run->measured.end_ps - run->measured.begin_ps;
    result->sm_utilisation = (usage.sm_ps - before->sm_ps) / window / (double)gpu->sms;
    result->dram_utilisation =
        (usage.dram_bytes - before->dram_bytes) / seconds / (gpu->dram_gb_s * 1e9);
    for (int i = 0; i < 2; i++)
        result->pcie_utilisation[i] =
            (usage.pcie_bytes[i] - before->pcie_bytes[i]) / seconds / (gpu->pcie_mb_s * 1e6);
    result->host_utilisation = host_utilisation(run);
}
