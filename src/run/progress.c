#include "run/progress.h"

#include "abi/ct_policy.h"
#include "workload/themis_file.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)THEMIS_FILE_WEIGHTS == (int)THEMIS_WEIGHTS, "the file holds this network");

/* The GPU whose network is asked for: its own, but where the workload wants another's. */
static const char *trained_gpu(const struct gpu *gpu) {
    return *gpu->themis_gpu ? gpu->themis_gpu : gpu->name;
}

static const char *find_network(const struct setup *setup, struct ct_arena *arena,
                                struct ct_diags *diags) {
    const struct gpu *gpu = &setup->gpu;
    const char *fidelity = workload_fidelities[setup->workload->fidelity];
    char shipped[128];
    snprintf(shipped, sizeof shipped, "%s-%s.json", trained_gpu(gpu), fidelity);
    const char *name = *gpu->themis ? gpu->themis : shipped;
    const char *path = share_find(arena, diags->files, "themis", name,
                                  *gpu->themis ? setup->workload->path : NULL);
    if (path)
        return path;
    if (*gpu->themis)
        ct_error(diags, gpu->themis, "cannot be found beside the workload");
    else
        ct_error(diags, trained_gpu(gpu),
                 "no trained network for this GPU at fidelity '%s': 'cotenant train --gpu %s "
                 "--fidelity %s -o T.json' makes one, and 'gpu.themis' names it",
                 fidelity, trained_gpu(gpu), fidelity);
    return NULL;
}

static bool is_same(const char *path, const char *what, double trained, double now,
                    struct ct_diags *diags) {
    if (trained == now)
        return true;
    ct_error(diags, path,
             "trained for a GPU whose '%s' is %.10g, and does not hold for %.10g: "
             "'cotenant train' makes another",
             what, trained, now);
    return false;
}

/* Whether a network was trained for this GPU, or for the one that is asked for by name, simulated
 * in this way. */
static bool fits(const char *path, const struct themis_file *file, const struct setup *setup,
                 struct ct_diags *diags) {
    const struct gpu *gpu = &setup->gpu;
    const char *fidelity = workload_fidelities[setup->workload->fidelity];
    if (strcmp(file->gpu, trained_gpu(gpu)) != 0) {
        ct_error(diags, path, "trained for '%s', and does not hold for '%s'", file->gpu,
                 trained_gpu(gpu));
        return false;
    }
    if (strcmp(file->fidelity, fidelity) != 0) {
        ct_error(diags, path, "trained at fidelity '%s', and does not hold for '%s'",
                 file->fidelity, fidelity);
        return false;
    }
    if (*gpu->themis_gpu)
        return true;
    return is_same(path, "sms", (double)file->sms, (double)gpu->sms, diags) &&
           is_same(path, "clock_mhz", file->clock_mhz, gpu->clock_mhz, diags) &&
           is_same(path, "dram_gb_s", file->dram_gb_s, gpu->dram_gb_s, diags);
}

int progress_open(const struct setup *setup, struct themis_network *network,
                  struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct themis_file file;
    const char *path = find_network(setup, &arena, diags);
    int status = path ? themis_file_read(path, &file, &arena, diags) : CT_USAGE;
    if (status == CT_OK && !fits(path, &file, setup, diags))
        status = CT_USAGE;
    if (status == CT_OK)
        memcpy(network->weights, file.weights, sizeof network->weights);
    ct_arena_free(&arena);
    return status;
}

static struct themis_counts counts_of(const struct ct_counters *counters) {
    return (struct themis_counts){.busy_ps = counters->busy_ps,
                                  .sm_ps = counters->sm_ps,
                                  .instructions = counters->instructions,
                                  .accesses = counters->memory_accesses,
                                  .row_hits = counters->row_hits};
}

struct themis_events progress_events(const struct gpu *gpu, const struct ct_counters *own,
                                     const struct ct_counters *others, int64_t sms) {
    return (struct themis_events){.own = counts_of(own),
                                  .others = counts_of(others),
                                  .sms = (double)sms,
                                  .device_sms = (double)gpu->sms,
                                  .clock_hz = gpu->clock_mhz * 1e6,
                                  .peak_bytes_per_s = gpu->dram_gb_s * 1e9};
}
