#include "experiment/run_key.h"

#include "des/des_stream.h"
#include "experiment/results_version.h"
#include "models/device/contention.h"
#include "models/device/dram.h"
#include "run/progress.h"
#include "run/sim.h"
#include "workload/workload_write.h"

#include <stddef.h>
#include <stdlib.h>

/* The workload as it is run: with this seed, and the hardware queues that the device has. Shallow.
 */
static struct workload used_workload(const struct setup *setup, uint64_t seed) {
    struct workload used = *setup->workload;
    used.seed = (int64_t)seed;
    used.hw_queues = setup->hw_queues;
    return used;
}

/* What came from files that a GPU names: the hash of a workload knows their names only. */
static void add_gpu_files(struct ct_hash *hash, const struct gpu *gpu) {
    ct_hash_double(hash, gpu->contention_k0);
    ct_hash_double(hash, gpu->contention_k);
    ct_hash_double(hash, gpu->launch_delay_us);
    ct_hash_u64(hash, gpu->own_sensitivity);
    for (size_t i = 0; i < gpu->contention_app_count; i++) {
        ct_hash_string(hash, gpu->contention_apps[i].name);
        ct_hash_double(hash, gpu->contention_apps[i].sensitivity);
        ct_hash_double(hash, gpu->contention_apps[i].pressure);
    }
    ct_hash_double(hash, gpu->dram_line_slope);
    ct_hash_double(hash, gpu->dram_line_base);
    for (size_t i = 0; i < gpu->dram_point_count; i++) {
        ct_hash_double(hash, gpu->dram_points[i].row_hit_rate);
        ct_hash_double(hash, gpu->dram_points[i].utilisation);
    }
}

/* What a GPU may be sold with: a run is refused for it, or warned of, and no run changes. */
static bool is_only_said(const struct ct_option *option) {
    return option->offset == offsetof(struct gpu, memory_gib_least) ||
           option->offset == offsetof(struct gpu, memory_gib_most);
}

/* Every member that a table describes. */
static void add_options(struct ct_hash *hash, const struct ct_option *table, const void *object) {
    for (bool gpu = table == gpu_options; table && table->name; table++) {
        const void *member = (const char *)object + table->offset;
        if (gpu && is_only_said(table))
            continue;
        ct_hash_string(hash, table->name);
        switch (table->kind) {
        case CT_OPTION_BOOL:
            ct_hash_u64(hash, *(const bool *)member);
            break;
        case CT_OPTION_INT:
            ct_hash_u64(hash, (uint64_t) * (const int64_t *)member);
            break;
        case CT_OPTION_DOUBLE:
            ct_hash_double(hash, *(const double *)member);
            break;
        case CT_OPTION_CHOICE:
            ct_hash_u64(hash, (uint64_t) * (const int32_t *)member);
            break;
        case CT_OPTION_STRING:
        case CT_OPTION_FILE:
        case CT_OPTION_BY_APP:
            ct_hash_string(hash, *(const char *const *)member);
            break;
        }
    }
}

/* What was made of the kernels: the GPU that they were recorded on, what is known of their class
 * and what was drawn stand in other files. */
static void add_profiles(struct ct_hash *hash, const struct setup_app *app) {
    for (size_t k = 0; k < app->trace->kernels.count; k++) {
        const struct kernel_profile *p = &app->profiles[k];
        const double numbers[] = {p->blocks,        p->blocks_per_sm,    p->compute_fraction,
                                  p->unit_fraction, p->dram_bytes_per_s, p->latency_fraction,
                                  p->l2_fraction,   p->row_hit_rate,     p->instructions,
                                  p->duration_scale};
        for (size_t i = 0; i < CT_COUNT_OF(numbers); i++)
            ct_hash_double(hash, numbers[i]);
        ct_hash_u64(hash, (uint64_t)p->need.threads);
        ct_hash_u64(hash, (uint64_t)p->need.registers);
        ct_hash_u64(hash, (uint64_t)p->need.smem_bytes);
        ct_hash_u64(hash, (uint64_t)p->smem_division);
        ct_hash_u64(hash, (uint64_t)p->off_memory | (uint64_t)p->dependent << 1);
    }
}

/* The whole load with the keys of its file, or the one application that runs alone: the others play
 * no part then, but the stages before it. As it is in memory: whoever changes a workload has
 * nothing to renew. False: memory ran out. */
static bool add_load(struct ct_hash *hash, const struct sim_params *params) {
    struct workload used = used_workload(params->setup, params->seed);
    const struct setup *setup = params->setup;
    bool alone = params->only_app != SIM_ALL_APPS;
    ct_hash_u64(hash, alone ? (uint64_t)params->only_instance << 32 | (params->only_app + 1u) : 0);
    ct_hash_u64(hash, setup->app_count);
    ct_hash_u64(hash, (uint64_t)used.fidelity);
    bool whole = !alone || setup->apps[params->only_app].spec->arrivals.before;
    bool made = true;
    for (uint32_t a = 0; a < setup->app_count && made; a++)
        if (whole || a == params->only_app) {
            made = workload_hash_app(hash, setup->apps[a].spec);
            add_profiles(hash, &setup->apps[a]);
        }
    return made && (alone || workload_hash_run(hash, &used));
}

static bool has_server(const struct setup *setup) {
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (setup->apps[a].spec->server)
            return true;
    return false;
}

bool run_key_make(const struct sim_params *params, const char *version, struct ct_hash code,
                  struct ct_hash *key) {
    const struct setup *setup = params->setup;
    struct ct_hash hash = ct_hash_start();
    ct_hash_string(&hash, version);
    ct_hash_u64(&hash, RESULTS_VERSION);
    ct_hash_string(&hash, des_stream_gsl());
    ct_hash_u64(&hash, SIM_RESULT_LAYOUT);
    ct_hash_string(&hash, setup->workload->gpu);
    add_options(&hash, gpu_options, &setup->gpu);
    add_gpu_files(&hash, &setup->gpu);
    ct_hash_u64(&hash, setup->hw_queues);
    ct_hash_u64(&hash, (uint64_t)setup->workload->host.cores << 1 | setup->workload->host.pinned);
    bool made = add_load(&hash, params);
    ct_hash_string(&hash, params->policy->name);
    if (params->policy->revision)
        ct_hash_u64(&hash, (uint64_t)params->policy->revision);
    if (setup->gpu.sm_sharing == GPU_SM_HOPPER || setup->gpu.dram_latency_growth > 0)
        ct_hash_u64(&hash, HOPPER_RESULTS_VERSION);
    if (setup->workload->fidelity == DEVICE_BLOCK)
        ct_hash_u64(&hash, BLOCK_RESULTS_VERSION);
    if (setup->gpu.own_sensitivity)
        ct_hash_u64(&hash, OWN_DEMAND_RESULTS_VERSION);
    if (has_server(setup))
        ct_hash_u64(&hash, SERVER_RESULTS_VERSION);
    if (params->blame)
        ct_hash_u64(&hash, BLAME_RESULTS_VERSION);
    ct_hash_add(&hash, code);
    if (params->policy_options)
        add_options(&hash, params->policy->options, params->policy_options);
    ct_hash_u64(&hash, params->seed);
    ct_hash_u64(&hash, params->replication);
    ct_hash_u64(&hash, (uint64_t)params->warmup_ps);
    ct_hash_u64(&hash, (uint64_t)setup->workload->warmup_by); /* of a run alone, too */
    ct_hash_u64(&hash, (uint64_t)params->duration_ps);
    ct_hash_u64(&hash, (uint64_t)params->decision_cost);
    ct_hash_u64(&hash, (uint64_t)params->blame_services << 3 | (uint64_t)params->batch_only << 2 |
                           (uint64_t)params->blame << 1 | (uint64_t)params->oracle);
    for (size_t i = 0; params->progress && i < THEMIS_WEIGHTS; i++)
        ct_hash_double(&hash, params->progress->weights[i]);
    *key = hash;
    return made;
}

/* ---- The configuration ---- */

static void write_config(struct json_writer *json, const struct experiment *e,
                         const struct experiment_policy *policy) {
    struct workload used = used_workload(e->setup, e->seed);
    json_writer_begin_object(json, NULL);
    workload_write_run(json, &used, WORKLOAD_CONFIGURATION);
    json_writer_begin_object(json, "policy");
    json_writer_string(json, "name", policy->policy->name);
    workload_write_options(json, policy->policy->options, policy->options);
    json_writer_end_object(json);
    json_writer_begin_object(json, "gpu");
    json_writer_string(json, "base", used.gpu);
    workload_write_options(json, gpu_options, &e->setup->gpu);
    json_writer_end_object(json);
    json_writer_begin_array(json, "apps");
    for (size_t i = 0; i < used.apps.count; i++) {
        json_writer_begin_object(json, NULL);
        workload_write_app(json, &used.apps.items[i], WORKLOAD_CONFIGURATION);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
    json_writer_json(json, "given", policy->given);
    json_writer_end_object(json);
}

const char *run_config(const struct experiment *experiment, const struct experiment_policy *policy,
                       struct ct_arena *arena) {
    struct json_text text;
    if (!json_text_open(&text))
        return NULL;
    write_config(&text.writer, experiment, policy);
    char *written = json_text_close(&text);
    const char *config = written ? ct_arena_strdup(arena, written) : NULL;
    free(written);
    return config;
}
