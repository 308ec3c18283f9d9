#include "workload/cluster_demands.h"

#include "base/ct_sort.h"

#include <stdlib.h>
#include <string.h>

enum { MILLE_PER_CENT = 10 };

static const struct workload_app *app_of(const struct cluster *cluster, size_t app) {
    return &cluster->workload.apps.items[app];
}

/* ---- What is asked for ---- */

size_t cluster_demand_find(struct cluster *cluster, uint32_t share) {
    size_t d = 0;
    while (d < cluster->demands.count && cluster->demands.items[d].share != share)
        d++;
    struct cluster_demand demand = {.share = share};
    return d < cluster->demands.count || ct_vec_push(&cluster->demands, demand) ? d : SIZE_MAX;
}

static void check_app(struct workload_reader *reader, const struct cluster *cluster, size_t index,
                      const struct cluster_app_draft *draft, bool in_fleet) {
    const struct workload_app *app = app_of(cluster, index);
    size_t outer = json_place_enter_index(&reader->place, index);
    if (draft->share_pct && draft->slice)
        workload_mistake(reader, "slice", "'%s' asks for a share of a GPU and for a slice",
                         app->name);
    if (draft->slice && app->instances != 1)
        workload_mistake(reader, "slice",
                         "'instances' is %lld: an instance of MIG is one program's; 'gpus' says "
                         "how many copies there are",
                         (long long)app->instances);
    if (draft->slice && strpbrk(app->name, "+=:"))
        workload_mistake(reader, "name", "what has a slice is not called by '+', '=' or ':'");
    if (draft->depart_s <= draft->arrive_s)
        workload_mistake(reader, "depart_s", "'%s' leaves at %g s and arrives at %g s", app->name,
                         draft->depart_s, draft->arrive_s);
    if (draft->gpus == 0 && !in_fleet)
        workload_mistake(reader, "gpus", "'%s' runs on no GPU, and there is no 'fleet'", app->name);
    json_place_leave(&reader->place, outer);
}

void cluster_demands_check(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                           size_t apps, bool places, const struct cluster *cluster) {
    size_t asking = 0, moving = cluster->fleet.file != NULL;
    for (size_t a = 0; a < apps; a++) {
        asking += drafts[a].asks;
        moving += drafts[a].moves;
    }
    if (asking > 0 && asking < apps)
        workload_mistake(reader, "apps",
                         "%zu of %zu applications have 'share_pct' or 'slice': all ask for a part "
                         "of a GPU, or none does",
                         asking, apps);
    if (asking && places)
        workload_mistake(reader, NULL,
                         "where applications have 'share_pct' or 'slice', GPUs have no places "
                         "('services_per_gpu', 'batch_per_gpu')");
    if (!asking && moving)
        workload_mistake(reader, NULL,
                         "applications that come and go ask for 'share_pct' or 'slice'; a whole "
                         "GPU is a share of 100");
    for (size_t g = 0; !asking && g < cluster->groups.count; g++)
        if (cluster->groups.items[g].mig && *cluster->groups.items[g].mig)
            workload_mistake(reader, "gpus",
                             "GPUs that are cut by MIG run applications with 'slice'");
}

/* ---- Copies ---- */

static bool add_pod(struct cluster *cluster, const struct cluster_app_draft *drafts, uint32_t app) {
    const struct cluster_app_draft *draft = &drafts[app];
    struct cluster_pod pod = {app, app, draft->arrive_s, draft->depart_s - draft->arrive_s};
    cluster->comes_and_goes |= draft->moves;
    return ct_vec_push(&cluster->pods, pod);
}

/* Copies of the services one after the other, then those of batch applications in turn. */
static bool list_pods(struct cluster *cluster, const struct cluster_app_draft *drafts) {
    uint32_t apps = (uint32_t)cluster->workload.apps.count, most = 0;
    bool ok = true;
    for (uint32_t a = 0; a < apps; a++) {
        bool service = app_of(cluster, a)->role == CT_SERVICE;
        most = !service && cluster->gpus[a] > most ? cluster->gpus[a] : most;
        for (uint32_t i = 0; ok && service && i < cluster->gpus[a]; i++)
            ok = add_pod(cluster, drafts, a);
    }
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t a = 0; ok && a < apps; a++)
            if (app_of(cluster, a)->role != CT_SERVICE && i < cluster->gpus[a])
                ok = add_pod(cluster, drafts, a);
    return ok;
}

/* Sorts the copies by arrival; those that come at once stay in their order. */
static bool sort_pods(struct cluster *cluster) {
    size_t count = cluster->pods.count;
    struct cluster_pod *sorted = calloc(count + 1, sizeof *sorted);
    struct ct_ranked *ranked = calloc(count + 1, sizeof *ranked);
    for (size_t p = 0; ranked && p < count; p++)
        ranked[p] = (struct ct_ranked){cluster->pods.items[p].arrive_s, p};
    bool ok = sorted && ranked;
    if (ok)
        ct_sort_ranked(ranked, count);
    for (size_t p = 0; ok && p < count; p++)
        sorted[p] = cluster->pods.items[ranked[p].index];
    free(ranked);
    if (!ok || count == 0) {
        free(sorted);
        return ok;
    }
    free(cluster->pods.items);
    cluster->pods.items = sorted;
    cluster->pods.capacity = count + 1;
    return true;
}

void cluster_demands_read(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                          struct cluster *cluster) {
    size_t apps = cluster->workload.apps.count, length = json_place_enter(&reader->place, "apps");
    bool ok = true;
    for (size_t a = 0; a < apps; a++)
        check_app(reader, cluster, a, &drafts[a], cluster->fleet.file);
    json_place_leave(&reader->place, length);
    if (reader->place.status != CT_OK || !drafts[0].asks)
        return;
    for (size_t a = 0; ok && a < apps; a++) {
        struct cluster_demand demand = {.share = (uint32_t)drafts[a].share_pct * MILLE_PER_CENT,
                                        .slice = drafts[a].slice};
        ok = ct_vec_push(&cluster->demands, demand);
    }
    ok = ok && list_pods(cluster, drafts);
    if (ok && cluster->fleet.file)
        json_place_fail(&reader->place, cluster_fleet_read(cluster, reader->place.diags));
    if (!ok || !sort_pods(cluster))
        json_place_no_memory(&reader->place);
    for (size_t p = 0; p < cluster->pods.count; p++)
        cluster->demands.items[cluster->pods.items[p].demand].copies++;
}
