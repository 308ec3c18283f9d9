#include "study/shares.h"

#include <stdlib.h>

static const double WHOLE = 1000; /* a GPU, per mille */

static bool is_service(const struct cluster *cluster, uint32_t app) {
    return cluster->workload.apps.items[app].role == CT_SERVICE;
}

bool shares_suit(const struct cluster *cluster, enum cluster_placement how,
                 struct ct_diags *diags) {
    bool by_shares = how >= CLUSTER_BEST_FIT;
    bool by_places = how == CLUSTER_BEST_PROFILE || how == CLUSTER_HUNGARIAN;
    bool shares = cluster->demands.count > 0;
    if (shares ? !by_places : !by_shares)
        return true;
    ct_error(diags, "placement", "'%s' goes by %s, and the applications %s 'share_pct'%s",
             cluster_placements[how], by_shares ? "shares of a GPU" : "places",
             shares ? "have" : "have no", shares ? " or 'slice'" : "");
    return false;
}

int shares_place(struct yard *yard, enum cluster_placement how, struct placement *placement,
                 struct ct_diags *diags) {
    const struct cluster *cluster = yard->cluster;
    uint32_t *placed = calloc((size_t)placement->apps + 1, sizeof *placed);
    int status = placed ? CT_OK : ct_out_of_memory(diags);
    for (size_t p = 0; p < cluster->pods.count && status == CT_OK; p++) {
        const struct cluster_pod *pod = &cluster->pods.items[p];
        bool service = is_service(cluster, pod->app);
        struct yard_place place;
        if (!yard_choose(yard, how, pod, placement->copies, &place)) {
            char why[300];
            yard_explain(yard, pod, placement->copies, why, sizeof why);
            status = placement_refuse(cluster, how, pod->app, placed[pod->app], why, diags);
            break;
        }
        size_t cell = (size_t)place.gpu * placement->apps + pod->app;
        placement->copies[cell]++;
        placement->replica[cell] = service ? placed[pod->app] : 0;
        placed[pod->app]++;
        yard_take(yard, &place);
    }
    free(placed);
    return status;
}

/* ---- What is left ---- */

int shares_measure(const struct yard *yard, const struct placement *placement,
                   struct cluster_result *result, struct ct_diags *diags) {
    result->shares = ct_arena_array(&result->arena, placement->apps, sizeof *result->shares);
    if (!result->shares)
        return ct_out_of_memory(diags);
    for (uint32_t a = 0; a < placement->apps; a++) {
        bool service = is_service(yard->cluster, a);
        uint64_t unusable = 0;
        for (uint32_t g = 0; g < placement->gpus; g++) {
            const uint32_t *here = placement->copies + (size_t)g * placement->apps;
            uint32_t further = yard_further(yard, g, a);
            unusable += further ? 0 : yard_free(yard, g);
            further = cluster_memory_further(&yard->memory, yard->group[g], here, a, further);
            if (service)
                further = further && !here[a];
            result->shares[a].further += further;
        }
        result->shares[a].unusable = (double)unusable / WHOLE;
    }
    result->sums.free_gpus = (double)yard->free / WHOLE;
    result->sums.fragmented_gpus = (double)yard->fragmented / (double)yard->copies / WHOLE;
    return CT_OK;
}
