#include "study/cluster_memory.h"

#include "models/device/gpu_slices.h"
#include "study/cut_policy.h"
#include "workload/setup.h"
#include "workload/setup_memory.h"

#include <math.h>
#include <string.h>

/* The GPU of each group. */
static int open_gpus(const struct cluster *cluster, struct ct_arena *arena, struct gpu **gpus,
                     struct ct_diags *diags) {
    int status = CT_OK;
    *gpus = ct_arena_array(arena, cluster->groups.count, sizeof **gpus);
    if (!*gpus)
        return ct_out_of_memory(diags);
    for (size_t g = 0; g < cluster->groups.count && status == CT_OK; g++) {
        const struct cluster_group *group = &cluster->groups.items[g];
        status = setup_gpu(group->gpu, group->where, &group->settings, arena, &(*gpus)[g], diags);
    }
    return status;
}

/* What a copy of an application can have of a GPU's memory, GiB: 0 where it cannot run, INFINITY
 * where nobody knows. */
static double room_of(const struct cluster *cluster, uint32_t group, const struct gpu *gpu,
                      size_t app, struct ct_diags *diags) {
    struct gpu_slice all[GPU_SLICES_MOST];
    const char *slice = cluster->demands.count ? cluster->demands.items[app].slice : NULL;
    if (cut_policy_rules(cluster, group) != (slice != NULL))
        return 0;
    if (!slice)
        return gpu->memory_gib > 0 ? gpu->memory_gib : INFINITY;
    size_t count = gpu_slices(gpu->mig, gpu->sms, cluster->groups.items[group].where, all, diags);
    size_t found = gpu_slice_find(all, count, slice, strlen(slice));
    if (found == count)
        return 0;
    double gib = setup_memory_slice(gpu, all[found].memory, all[count - 1].memory);
    return isnan(gib) ? INFINITY : gib;
}

static int check_app(const struct cluster *cluster, const struct gpu *gpus, size_t app,
                     struct ct_diags *diags) {
    const struct workload_app *spec = &cluster->workload.apps.items[app];
    double needed = (double)spec->instances * setup_memory_of(spec), most = 0;
    const char *largest = "";
    for (uint32_t g = 0; g < cluster->groups.count; g++) {
        double room = room_of(cluster, g, &gpus[g], app, diags);
        if (room > most) {
            most = room;
            largest = gpus[g].name;
        }
    }
    if (most == 0 || !(needed > most))
        return CT_OK;
    const char *slice = cluster->demands.count ? cluster->demands.items[app].slice : NULL;
    ct_error(diags, cluster->workload.path,
             "'%s' needs %.4g GiB of memory%s, and fits on no GPU: %s%s%s'%s' has %.4g", spec->name,
             needed, spec->instances > 1 ? " with all its instances" : "", slice ? "'" : "",
             slice ? slice : "", slice ? "' of " : "", largest, most);
    return CT_USAGE;
}

int cluster_memory_check_apps(const struct cluster *cluster, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct gpu *gpus;
    int status = open_gpus(cluster, &arena, &gpus, diags);
    if (status == CT_OK)
        for (size_t a = 0; a < cluster->workload.apps.count; a++) {
            int checked = check_app(cluster, gpus, a, diags);
            status = status == CT_OK ? checked : status;
        }
    ct_arena_free(&arena);
    return status;
}

int cluster_memory_check_stands(const struct cluster *cluster, const struct stands *stands,
                                struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct gpu *gpus;
    int status = open_gpus(cluster, &arena, &gpus, diags);
    for (size_t s = 0; s < stands->list.count && status == CT_OK; s++) {
        const struct stand *stand = &stands->list.items[s];
        if (!cut_policy_rules(cluster, stand->group))
            status =
                setup_memory_check(&cluster->workload, stand->copies, &gpus[stand->group], diags);
    }
    ct_arena_free(&arena);
    return status;
}
