#include "study/cluster_memory.h"

#include "models/device/gpu_slices.h"
#include "study/cut_policy.h"
#include "workload/setup.h"
#include "workload/setup_memory.h"

#include <math.h>
#include <stdio.h>
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

static double or_infinity(double gib) {
    return isnan(gib) ? INFINITY : gib;
}

/* What a copy of an application can have of a GPU's memory at most, GiB: 0 where it cannot run,
 * INFINITY where nobody knows. */
static double room_of(const struct cluster *cluster, uint32_t group, const struct gpu *gpu,
                      size_t app, struct ct_diags *diags) {
    struct gpu_slice all[GPU_SLICES_MOST];
    const char *slice = cluster->demands.count ? cluster->demands.items[app].slice : NULL;
    if (cut_policy_rules(cluster, group) != (slice != NULL))
        return 0;
    if (!slice)
        return or_infinity(setup_memory_most(gpu));
    size_t count = gpu_slices(gpu->mig, gpu->sms, cluster->groups.items[group].where, all, diags);
    size_t found = gpu_slice_find(all, count, slice, strlen(slice));
    if (found == count)
        return 0;
    return or_infinity(setup_memory_slice(gpu, all[found].memory, all[count - 1].memory));
}

int cluster_memory_open(const struct cluster *cluster, struct cluster_memory *memory,
                        struct ct_diags *diags) {
    size_t apps = cluster->workload.apps.count, groups = cluster->groups.count;
    struct gpu *gpus;
    *memory = (struct cluster_memory){.cluster = cluster};
    int status = open_gpus(cluster, &memory->arena, &gpus, diags);
    memory->gpus = gpus;
    memory->instance_gib = ct_arena_array(&memory->arena, apps, sizeof *memory->instance_gib);
    memory->room_gib = ct_arena_array(&memory->arena, groups * apps, sizeof *memory->room_gib);
    if (status != CT_OK)
        return status;
    if (!memory->instance_gib || !memory->room_gib)
        return ct_out_of_memory(diags);
    for (size_t a = 0; a < apps; a++) {
        double gib = setup_memory_of(&cluster->workload.apps.items[a]);
        memory->instance_gib[a] = isnan(gib) ? 0 : gib;
        for (uint32_t g = 0; g < groups; g++)
            memory->room_gib[g * apps + a] = room_of(cluster, g, &gpus[g], a, diags);
    }
    return CT_OK;
}

void cluster_memory_close(struct cluster_memory *memory) {
    ct_arena_free(&memory->arena);
    *memory = (struct cluster_memory){0};
}

/* ---- What is left ---- */

/* What copies of an application take. */
static double taken_by(const struct cluster_memory *memory, uint32_t app, uint32_t copies) {
    int64_t instances = memory->cluster->workload.apps.items[app].instances;
    return (double)(instances * copies) * memory->instance_gib[app];
}

/* What these copies take, and so many more of one application, of what that one has room in: a GPU,
 * or the slice that is one copy's. */
static double taken(const struct cluster_memory *memory, uint32_t group, const uint32_t *copies,
                    uint32_t app, uint32_t more) {
    bool beside = copies && !cut_policy_rules(memory->cluster, group);
    double sum = beside ? 0 : taken_by(memory, app, more > 0);
    for (uint32_t a = 0; beside && a < memory->cluster->workload.apps.count; a++)
        sum += taken_by(memory, a, copies[a] + (a == app ? more : 0));
    return sum;
}

static double room(const struct cluster_memory *memory, uint32_t group, uint32_t app) {
    return memory->room_gib[(size_t)group * memory->cluster->workload.apps.count + app];
}

double cluster_memory_left(const struct cluster_memory *memory, uint32_t group,
                           const uint32_t *copies, uint32_t app) {
    return room(memory, group, app) - taken(memory, group, copies, app, 0);
}

uint32_t cluster_memory_further(const struct cluster_memory *memory, uint32_t group,
                                const uint32_t *copies, uint32_t app, uint32_t most) {
    uint32_t further = 0;
    if (memory->instance_gib[app] == 0)
        return most;
    while (further < most &&
           taken(memory, group, copies, app, further + 1) <= room(memory, group, app))
        further++;
    return further;
}

/* ---- What does not fit ---- */

void cluster_memory_explain(const struct cluster_memory *memory, uint32_t app, uint32_t gpu,
                            uint32_t group, const uint32_t *copies, char *text, size_t size) {
    snprintf(
        text, size,
        "it needs %.4g GiB of memory, and at most %.4g are left where there is room, on GPU %u "
        "('%s')",
        taken_by(memory, app, 1), cluster_memory_left(memory, group, copies, app), gpu,
        memory->cluster->groups.items[group].gpu);
}

static int check_app(const struct cluster_memory *memory, uint32_t app, struct ct_diags *diags) {
    const struct cluster *cluster = memory->cluster;
    const struct workload_app *spec = &cluster->workload.apps.items[app];
    double needed = taken_by(memory, app, 1), most = 0;
    const char *largest = "", *at_most = "";
    for (uint32_t g = 0; g < cluster->groups.count; g++) {
        double room = cluster_memory_left(memory, g, NULL, app);
        if (room > most) {
            most = room;
            largest = cluster->groups.items[g].gpu;
            at_most = setup_memory_at_most(&memory->gpus[g]);
        }
    }
    if (most == 0 || needed <= most)
        return CT_OK;
    const char *slice = cluster->demands.count ? cluster->demands.items[app].slice : NULL;
    return ct_usage_error(
        diags, cluster->workload.path,
        "'%s' needs %.4g GiB of memory%s, and fits on no GPU: %s%s%s'%s' has %s%.4g", spec->name,
        needed, spec->instances > 1 ? " with all its instances" : "", slice ? "'" : "",
        slice ? slice : "", slice ? "' of " : "", largest, at_most, most);
}

/* Most that copies of services, or of batch work, need together on a GPU of a group: where they go
 * by places no more of them than there are, and of a service one. */
static double most_taken(const struct cluster_memory *memory, uint32_t group, int32_t role) {
    const struct cluster *cluster = memory->cluster;
    bool service = role == CT_SERVICE, places = cluster->demands.count == 0;
    int64_t most = service ? cluster->services_per_gpu : cluster->batch_per_gpu;
    double sum = 0, largest = 0;
    for (uint32_t a = 0; a < cluster->workload.apps.count; a++) {
        if (cluster->workload.apps.items[a].role != role || !(room(memory, group, a) > 0))
            continue;
        uint32_t copies = cluster->comes_and_goes ? 1 : cluster->gpus[a];
        sum += taken_by(memory, a, service ? copies > 0 : copies);
        largest = fmax(largest, taken_by(memory, a, copies > 0));
    }
    return places ? fmin(sum, (double)most * largest) : sum;
}

/* Whether copies that may stand on a GPU of a group together need more than it surely has; of
 * those that come and go nobody has counted them. */
static bool is_in_doubt(const struct cluster_memory *memory, uint32_t group) {
    const struct gpu *gpu = &memory->gpus[group];
    double taken = most_taken(memory, group, CT_SERVICE) + most_taken(memory, group, CT_BATCH);
    return gpu->memory_gib == 0 &&
           taken > (memory->cluster->comes_and_goes ? 0 : gpu->memory_gib_least);
}

/* A notice for each group where copies may be placed whose memory may not be there. */
static void say_doubts(const struct cluster_memory *memory, struct ct_diags *diags) {
    char range[80];
    for (uint32_t g = 0; g < memory->cluster->groups.count; g++)
        if (is_in_doubt(memory, g))
            ct_notice(diags, memory->cluster->groups.items[g].where,
                      "how much memory '%s' has is not known: %s; copies are placed as if it had "
                      "%s ('memory_gib' of the group's 'gpu' says it)",
                      memory->gpus[g].name,
                      setup_memory_range(&memory->gpus[g], range, sizeof range),
                      memory->gpus[g].memory_gib_most > 0 ? "the most" : "enough");
}

int cluster_memory_check_apps(const struct cluster *cluster, struct ct_diags *diags) {
    struct cluster_memory memory;
    int status = cluster_memory_open(cluster, &memory, diags);
    bool open = status == CT_OK;
    for (uint32_t a = 0; open && a < cluster->workload.apps.count; a++) {
        int checked = check_app(&memory, a, diags);
        status = status == CT_OK ? checked : status;
    }
    if (status == CT_OK)
        say_doubts(&memory, diags);
    cluster_memory_close(&memory);
    return status;
}
