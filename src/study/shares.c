#include "study/shares.h"

#include "des/des_stream.h"

#include <stdlib.h>

enum { WHOLE = 100 }; /* a GPU, in per cent */

struct yard {
    const struct cluster *cluster;
    struct placement *placement;
    uint32_t *room; /* per cent of each GPU that are free */
    /* By per cent that are free: fragmentation of such a GPU, in copies times per cent. */
    uint64_t fragments[WHOLE + 1];
    uint32_t next; /* GPU whose turn it is */
    struct des_stream draws;
};

static bool is_service(const struct cluster *cluster, uint32_t app) {
    return cluster->workload.apps.items[app].role == CT_SERVICE;
}

static bool fits(const struct yard *yard, uint32_t gpu, uint32_t app) {
    return yard->room[gpu] >= yard->cluster->shares[app] &&
           !(is_service(yard->cluster, app) &&
             yard->placement->copies[(size_t)gpu * yard->placement->apps + app]);
}

/* ---- Which GPU ---- */

static int64_t growth(const struct yard *yard, uint32_t gpu, uint32_t app) {
    uint32_t before = yard->room[gpu], after = before - yard->cluster->shares[app];
    return (int64_t)yard->fragments[after] - (int64_t)yard->fragments[before];
}

/* Whether `gpu` is better than `best` so far. */
static bool is_better(struct yard *yard, enum cluster_placement how, uint32_t app, uint32_t gpu,
                      uint32_t best, uint32_t *fitting) {
    switch (how) {
    case CLUSTER_RANDOM: /* each of n that fit stays with 1 / n */
        return des_stream_below(&yard->draws, ++*fitting) == 0;
    case CLUSTER_BEST_FIT:
        return yard->room[gpu] < yard->room[best];
    case CLUSTER_FGD:
        return growth(yard, gpu, app) < growth(yard, best, app);
    default:
        return false;
    }
}

/* CLUSTER_IDLE: it fits on none. */
static uint32_t choose(struct yard *yard, enum cluster_placement how, uint32_t app) {
    uint32_t gpus = yard->placement->gpus, best = CLUSTER_IDLE, fitting = 0;
    uint32_t from = how == CLUSTER_ROUND_ROBIN ? yard->next : 0;
    for (uint32_t i = 0; i < gpus; i++) {
        uint32_t gpu = (from + i) % gpus;
        if (!fits(yard, gpu, app))
            continue;
        bool first = best == CLUSTER_IDLE;
        if (is_better(yard, how, app, gpu, first ? gpu : best, &fitting) || first)
            best = gpu;
    }
    return best;
}

/* ---- One after the other ---- */

static int refuse(const struct yard *yard, uint32_t app, uint32_t copy, enum cluster_placement how,
                  struct ct_diags *diags) {
    uint32_t most = 0;
    uint64_t sum = 0;
    for (uint32_t g = 0; g < yard->placement->gpus; g++) {
        sum += yard->room[g];
        most = yard->room[g] > most ? yard->room[g] : most;
    }
    ct_error(diags, cluster_placements[how],
             "copy %u of %u of '%s' fits on no GPU: it asks for %u %%, and of %u GPUs %llu %% are "
             "free in all, at most %u %% on one",
             copy + 1, yard->cluster->gpus[app], yard->cluster->workload.apps.items[app].name,
             yard->cluster->shares[app], yard->placement->gpus, (unsigned long long)sum, most);
    return CT_USAGE;
}

static int place_copy(struct yard *yard, enum cluster_placement how, uint32_t app, uint32_t copy,
                      struct ct_diags *diags) {
    uint32_t gpu = choose(yard, how, app);
    if (gpu == CLUSTER_IDLE)
        return refuse(yard, app, copy, how, diags);
    size_t cell = (size_t)gpu * yard->placement->apps + app;
    yard->placement->copies[cell]++;
    yard->placement->replica[cell] = is_service(yard->cluster, app) ? copy : 0;
    yard->room[gpu] -= yard->cluster->shares[app];
    yard->next = gpu + 1;
    return CT_OK;
}

static int place_all(struct yard *yard, enum cluster_placement how, struct ct_diags *diags) {
    const struct cluster *cluster = yard->cluster;
    uint32_t apps = yard->placement->apps, most = 0;
    int status = CT_OK;
    for (uint32_t a = 0; a < apps; a++) {
        most = !is_service(cluster, a) && cluster->gpus[a] > most ? cluster->gpus[a] : most;
        for (uint32_t i = 0; is_service(cluster, a) && i < cluster->gpus[a] && status == CT_OK; i++)
            status = place_copy(yard, how, a, i, diags);
    }
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t a = 0; a < apps && status == CT_OK; a++)
            if (!is_service(cluster, a) && i < cluster->gpus[a])
                status = place_copy(yard, how, a, i, diags);
    return status;
}

static void count_fragments(struct yard *yard) {
    const struct cluster *cluster = yard->cluster;
    for (uint32_t room = 0; room <= WHOLE; room++)
        for (size_t a = 0; a < cluster->workload.apps.count; a++)
            yard->fragments[room] +=
                room < cluster->shares[a] ? (uint64_t)cluster->gpus[a] * room : 0;
}

bool shares_suit(const struct cluster *cluster, enum cluster_placement how,
                 struct ct_diags *diags) {
    bool by_shares = how == CLUSTER_BEST_FIT || how == CLUSTER_FGD;
    bool by_places = how == CLUSTER_BEST_PROFILE || how == CLUSTER_HUNGARIAN;
    if (cluster->shares ? !by_places : !by_shares)
        return true;
    ct_error(diags, "placement", "'%s' goes by %s, and the applications %s 'share_pct'",
             cluster_placements[how], by_shares ? "shares of a GPU" : "places",
             cluster->shares ? "have" : "have no");
    return false;
}

int shares_place(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                 struct placement *placement, struct ct_diags *diags) {
    struct yard yard = {.cluster = cluster, .placement = placement};
    yard.room = calloc((size_t)placement->gpus + 1, sizeof *yard.room);
    if (!yard.room)
        return ct_out_of_memory(diags);
    for (uint32_t g = 0; g < placement->gpus; g++)
        yard.room[g] = WHOLE;
    des_stream_init(&yard.draws, seed, 0, "placement", "shares");
    count_fragments(&yard);
    int status = place_all(&yard, how, diags);
    free(yard.room);
    return status;
}

/* ---- What is left ---- */

static uint32_t room_of(const struct cluster *cluster, const struct placement *placement,
                        uint32_t gpu) {
    uint32_t room = WHOLE;
    for (uint32_t a = 0; a < placement->apps; a++)
        room -= placement->copies[(size_t)gpu * placement->apps + a] * cluster->shares[a];
    return room;
}

/* How many more copies of an application would fit on a GPU. */
static uint32_t further_on(const struct cluster *cluster, const struct placement *placement,
                           uint32_t gpu, uint32_t app) {
    uint32_t further = room_of(cluster, placement, gpu) / cluster->shares[app];
    if (!is_service(cluster, app))
        return further;
    return further && !placement->copies[(size_t)gpu * placement->apps + app];
}

int shares_measure(const struct cluster *cluster, const struct placement *placement,
                   struct cluster_result *result, struct ct_diags *diags) {
    uint64_t copies = 0, free_pct = 0, weighted = 0;
    result->shares = ct_arena_array(&result->arena, placement->apps, sizeof *result->shares);
    if (!result->shares)
        return ct_out_of_memory(diags);
    for (uint32_t g = 0; g < placement->gpus; g++)
        free_pct += room_of(cluster, placement, g);
    for (uint32_t a = 0; a < placement->apps; a++) {
        uint64_t unusable = 0;
        for (uint32_t g = 0; g < placement->gpus; g++) {
            uint32_t room = room_of(cluster, placement, g);
            unusable += room < cluster->shares[a] ? room : 0;
            result->shares[a].further += further_on(cluster, placement, g, a);
        }
        result->shares[a].unusable = (double)unusable / WHOLE;
        copies += cluster->gpus[a];
        weighted += unusable * cluster->gpus[a];
    }
    result->sums.free_gpus = (double)free_pct / WHOLE;
    result->sums.fragmented_gpus = (double)weighted / (double)copies / WHOLE;
    return CT_OK;
}
