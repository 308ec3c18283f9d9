/* The commands that switch a way of sharing on. */
#include "models/device/gpu_slices.h"
#include "study/advise_types.h"

#include <stdarg.h>

void advise_line(struct advise_lines *lines, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(lines->arena, format, arguments);
    va_end(arguments);
    if (!text || !ct_vec_push(lines, text))
        lines->no_memory = true;
}

struct writer {
    const struct advise_candidate *candidate;
    const struct setup *setup;
    struct advise_lines *lines;
};

#define line(w, ...) advise_line((w)->lines, __VA_ARGS__)

static const char *app_name(const struct writer *w, uint32_t app) {
    return w->setup->apps[app].spec->name;
}

static long long count_instances(const struct writer *w) {
    long long count = 0;
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        count += w->setup->apps[a].spec->instances;
    return count;
}

/* Source: NVIDIA GPU Operator documentation, time-slicing GPUs in Kubernetes. */
static void write_time_slices(struct writer *w) {
    line(w, "# Without an MPS daemon programs take turns by themselves: nothing to do.");
    line(w, "nvidia-smi -i 0 -c DEFAULT");
    line(w, "# Kubernetes, in the configuration of the device plugin:");
    line(w, "#   version: v1");
    line(w, "#   sharing:");
    line(w, "#     timeSlicing:");
    line(w, "#       resources:");
    line(w, "#       - name: nvidia.com/gpu");
    line(w, "#         replicas: %lld", count_instances(w));
}

/* Source: CUDA MPS documentation, starting MPS on Linux. */
static void write_daemon(struct writer *w, const char *options) {
    line(w, "export CUDA_VISIBLE_DEVICES=0");
    line(w, "nvidia-smi -i 0 -c EXCLUSIVE_PROCESS");
    line(w, "nvidia-cuda-mps-control -d%s", options);
}

static void note_kubernetes(struct writer *w) {
    line(w, "# Kubernetes' device plugin gives all MPS replicas the same part of the GPU,");
    line(w, "# which is not this: run the daemon on the node, set variables in the pods.");
}

static void write_mps(struct writer *w) {
    write_daemon(w, "");
    note_kubernetes(w);
}

/* CUDA_MPS_CLIENT_PRIORITY: 0 is normal, 1 below normal. */
static void write_priorities(struct writer *w) {
    write_daemon(w, "");
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        line(w, "CUDA_MPS_CLIENT_PRIORITY=%d <command of %s>",
             w->setup->apps[a].spec->role == CT_SERVICE ? 0 : 1, app_name(w, a));
    note_kubernetes(w);
}

static void write_caps(struct writer *w) {
    write_daemon(w, "");
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        line(w, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=%lld <command of %s>",
             (long long)w->candidate->given[a], app_name(w, a));
    note_kubernetes(w);
}

static void write_static(struct writer *w) {
    long long sms = advise_chunk_sms(&w->setup->gpu);
    write_daemon(w, " -S");
    for (uint32_t a = 0; a < w->setup->app_count; a++) {
        long long chunks = w->candidate->given[a];
        for (int64_t i = 0; i < w->setup->apps[a].spec->instances; i++)
            line(w, "echo 'sm_partition add <UUID of the GPU> %lld' | nvidia-cuda-mps-control",
                 chunks);
        line(w, "# prints a partition of %lld SMs", chunks * sms);
        line(w, "CUDA_MPS_SM_PARTITION=<partition> <command of %s>", app_name(w, a));
    }
    note_kubernetes(w);
}

/* Larger profiles first: then each finds a place. */
static const char *list_profiles(struct writer *w, const struct gpu_slice *slices, size_t count) {
    const char *list = "";
    for (size_t p = count; p-- > 0 && list;)
        for (uint32_t a = 0; a < w->setup->app_count && list; a++)
            for (int64_t i = advise_slices(w->setup, w->candidate->with, a); i > 0 && list; i--)
                if (w->candidate->given[a] == (int64_t)p)
                    list = ct_arena_format(w->lines->arena, "%s%s%s", list, *list ? "," : "",
                                           slices[p].name);
    return list ? list : "";
}

/* Source: MIG User Guide, creating GPU instances. */
static void write_instances(struct writer *w, struct gpu_slice *slices) {
    struct ct_diags unheard = {0};
    size_t count = gpu_slices(w->setup->gpu.mig, w->setup->gpu.sms, "gpu", slices, &unheard);
    ct_diags_free(&unheard);
    line(w, "nvidia-smi -i 0 -mig 1");
    line(w, "nvidia-smi mig -i 0 -cgi %s -C", list_profiles(w, slices, count));
    line(w, "nvidia-smi -L # names the instances");
}

/* Source: device plugin, strategy "mixed". */
static void write_mig(struct writer *w) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    write_instances(w, slices);
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        line(w, "CUDA_VISIBLE_DEVICES=<UUID of a %s> <command of %s>",
             slices[w->candidate->given[a]].name, app_name(w, a));
    line(w, "# Kubernetes (device plugin, migStrategy: mixed), in the pods' limits:");
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        line(w, "#   nvidia.com/mig-%s: 1 # %s", slices[w->candidate->given[a]].name,
             app_name(w, a));
}

/* A daemon for the instance that several applications share, and a program of one of them. Source:
 * CUDA MPS documentation, MPS on Multi-Instance GPUs. */
static void write_shared_instance(struct writer *w, const struct gpu_slice *slices,
                                  uint32_t owner) {
    const char *profile = slices[w->candidate->given[owner]].name, *name = app_name(w, owner);
    line(w, "CUDA_VISIBLE_DEVICES=<UUID of the %s> CUDA_MPS_PIPE_DIRECTORY=/tmp/mps-%s \\", profile,
         name);
    line(w, "  CUDA_MPS_LOG_DIRECTORY=/tmp/mps-%s-log nvidia-cuda-mps-control -d", name);
    for (uint32_t a = 0; a < w->setup->app_count; a++)
        if (w->candidate->with[a] == (int64_t)owner)
            line(w,
                 "CUDA_MPS_PIPE_DIRECTORY=/tmp/mps-%s CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=%lld "
                 "<command of %s>",
                 name, (long long)w->candidate->caps[a], app_name(w, a));
}

static void write_mig_mps(struct writer *w) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    write_instances(w, slices);
    for (uint32_t a = 0; a < w->setup->app_count; a++) {
        if (w->candidate->with[a] != (int64_t)a)
            continue;
        if (advise_has_company(w->setup, w->candidate->with, a))
            write_shared_instance(w, slices, a);
        else
            line(w, "CUDA_VISIBLE_DEVICES=<UUID of a %s> <command of %s>",
                 slices[w->candidate->given[a]].name, app_name(w, a));
    }
    line(
        w,
        "# Kubernetes' device plugin has no MPS on instances of MIG: run the daemons on the node.");
}

void advise_switch(const struct advise_candidate *candidate, const struct setup *setup,
                   struct advise_lines *lines) {
    static void (*const writers[ADVISE_WAYS])(struct writer *) = {
        [ADVISE_TIME_SLICES] = write_time_slices, [ADVISE_MPS] = write_mps,
        [ADVISE_MPS_PRIORITY] = write_priorities, [ADVISE_MPS_CAPS] = write_caps,
        [ADVISE_MPS_STATIC] = write_static,       [ADVISE_MIG] = write_mig,
        [ADVISE_MIG_MPS] = write_mig_mps};
    struct writer w = {candidate, setup, lines};
    writers[candidate->way](&w);
    for (size_t i = 0; candidate->change && candidate->change->commands[i]; i++)
        line(&w, "%s", candidate->change->commands[i]);
}
