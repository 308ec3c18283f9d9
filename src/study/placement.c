#include "study/placement.h"

#include "des/des_stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int placement_init(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                   struct placement *placement, struct ct_diags *diags) {
    size_t apps = cluster->workload.apps.count, cells = apps * cluster->gpu_count + 1;
    *placement = (struct placement){.cluster = cluster,
                                    .how = how,
                                    .seed = seed,
                                    .gpus = cluster->gpu_count,
                                    .apps = (uint32_t)apps};
    placement->copies = ct_arena_array(&placement->arena, cells, sizeof *placement->copies);
    placement->replica = ct_arena_array(&placement->arena, cells, sizeof *placement->replica);
    if (!placement->copies || !placement->replica)
        return ct_out_of_memory(diags);
    return cluster_memory_open(cluster, &placement->memory, diags);
}

void placement_free(struct placement *placement) {
    ct_arena_free(&placement->arena);
    cluster_memory_close(&placement->memory);
    *placement = (struct placement){0};
}

static void put(struct placement *placement, uint32_t gpu, uint32_t app, uint32_t replica) {
    size_t cell = (size_t)gpu * placement->apps + app;
    placement->copies[cell]++;
    placement->replica[cell] = replica;
}

/* 0, 1, 2 ...; shuffled if a stream is given. NULL: no memory. */
static uint32_t *order_of(struct placement *placement, uint32_t count, struct des_stream *stream) {
    uint32_t *order = ct_arena_array(&placement->arena, (size_t)count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    if (order && stream)
        des_stream_shuffle(stream, order, count, sizeof *order);
    return order;
}

/* ---- Room ---- */

uint32_t placement_group(const struct cluster *cluster, uint32_t gpu) {
    uint32_t group = 0;
    for (int64_t end = cluster->groups.items[0].count; gpu >= end;)
        end += cluster->groups.items[++group].count;
    return group;
}

static const uint32_t *copies_on(const struct placement *placement, uint32_t gpu) {
    return placement->copies + (size_t)gpu * placement->apps;
}

bool placement_holds(const struct placement *placement, uint32_t gpu, uint32_t app) {
    return cluster_memory_holds(&placement->memory, placement_group(placement->cluster, gpu),
                                copies_on(placement, gpu), app);
}

/* Copies of services, or of batch work, on a GPU. */
static uint32_t taken(const struct placement *placement, uint32_t gpu, int32_t role) {
    const struct workload *w = &placement->cluster->workload;
    uint32_t count = 0;
    for (uint32_t a = 0; a < placement->apps; a++)
        count += w->apps.items[a].role == role ? copies_on(placement, gpu)[a] : 0;
    return count;
}

/* A service runs on a GPU once. */
static bool has_place(const struct placement *placement, uint32_t gpu, uint32_t app) {
    const struct cluster *cluster = placement->cluster;
    if (cluster->workload.apps.items[app].role == CT_BATCH)
        return taken(placement, gpu, CT_BATCH) < cluster->batch_per_gpu;
    return !copies_on(placement, gpu)[app] &&
           taken(placement, gpu, CT_SERVICE) < cluster->services_per_gpu;
}

/* A copy, of which so many were placed before, fits on no GPU. CT_USAGE. */
static int refuse_because(const struct placement *placement, uint32_t app, uint32_t placed,
                          const char *why, struct ct_diags *diags) {
    const struct cluster *cluster = placement->cluster;
    return ct_usage_error(diags, cluster_placements[placement->how],
                          "copy %u of %u of '%s' fits on no GPU: %s", placed + 1,
                          cluster->gpus[app], cluster->workload.apps.items[app].name, why);
}

/* For want of memory on those GPUs that have a place, or of a place: services that need much memory
 * may have taken those of the GPUs on which this one does not run yet. */
static int refuse(const struct placement *placement, uint32_t app, struct ct_diags *diags) {
    const struct cluster *cluster = placement->cluster;
    uint32_t placed = 0, found = placement->gpus;
    double most = -INFINITY;
    char why[300];
    for (uint32_t g = 0; g < placement->gpus; g++) {
        double left = cluster_memory_left(&placement->memory, placement_group(cluster, g),
                                          copies_on(placement, g), app);
        placed += copies_on(placement, g)[app];
        if (left > most && has_place(placement, g, app)) {
            most = left;
            found = g;
        }
    }
    if (found < placement->gpus)
        cluster_memory_explain(&placement->memory, app, found, placement_group(cluster, found),
                               copies_on(placement, found), why, sizeof why);
    else
        snprintf(why, sizeof why,
                 "it runs once on a GPU, and where it does not run yet other services have all "
                 "places ('services_per_gpu' is %lld)",
                 (long long)cluster->services_per_gpu);
    return refuse_because(placement, app, placed, why, diags);
}

/* Puts a copy on the next GPU of an order, from `next` on and around, that has a place and memory.
 * False: none has. */
static bool put_next(struct placement *placement, const uint32_t *order, uint32_t *next,
                     uint32_t app, uint32_t replica) {
    for (uint32_t i = 0; i < placement->gpus; i++) {
        uint32_t gpu = order[*next];
        *next = (*next + 1) % placement->gpus;
        if (!has_place(placement, gpu, app) || !placement_holds(placement, gpu, app))
            continue;
        put(placement, gpu, app, replica);
        return true;
    }
    return false;
}

/* ---- Services ---- */

int placement_services(struct placement *placement, struct ct_diags *diags) {
    const struct cluster *cluster = placement->cluster;
    struct des_stream stream;
    des_stream_init(&stream, placement->seed, 0, "placement", "services");
    uint32_t *order =
        order_of(placement, placement->gpus, placement->how == CLUSTER_RANDOM ? &stream : NULL);
    if (!order)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (uint32_t a = 0, next = 0; a < placement->apps; a++) {
        bool service = cluster->workload.apps.items[a].role == CT_SERVICE;
        for (uint32_t r = 0; service && r < cluster->gpus[a] && status == CT_OK; r++)
            if (!put_next(placement, order, &next, a, r))
                status = refuse(placement, a, diags);
    }
    return status;
}

/* ---- Shares ---- */

int placement_shares(struct yard *yard, struct placement *placement, struct ct_diags *diags) {
    const struct cluster *cluster = yard->cluster;
    uint32_t *placed =
        ct_arena_array(&placement->arena, (size_t)placement->apps + 1, sizeof *placed);
    int status = placed ? CT_OK : ct_out_of_memory(diags);
    for (size_t p = 0; p < cluster->pods.count && status == CT_OK; p++) {
        const struct cluster_pod *pod = &cluster->pods.items[p];
        struct yard_place place;
        if (!yard_choose(yard, placement->how, pod, placement->copies, &place)) {
            char why[300];
            yard_explain(yard, pod, placement->copies, why, sizeof why);
            status = refuse_because(placement, pod->app, placed[pod->app], why, diags);
            break;
        }
        bool service = cluster->workload.apps.items[pod->app].role == CT_SERVICE;
        put(placement, place.gpu, pod->app, service ? placed[pod->app] : 0);
        placed[pod->app]++;
        yard_take(yard, &place);
    }
    return status;
}

/* ---- Kinds ---- */

static bool same_kind(const struct placement *placement, uint32_t a, uint32_t b) {
    size_t row = placement->apps;
    return placement_group(placement->cluster, a) == placement_group(placement->cluster, b) &&
           memcmp(placement->copies + a * row, placement->copies + b * row,
                  row * sizeof *placement->copies) == 0;
}

int placement_find_kinds(struct placement *placement, struct ct_diags *diags) {
    struct placement_kinds *kinds = &placement->kinds;
    struct ct_arena *arena = &placement->arena;
    size_t cells = (size_t)placement->gpus + 1;
    *kinds = (struct placement_kinds){ct_arena_array(arena, cells, sizeof *kinds->of),
                                      ct_arena_array(arena, cells, sizeof *kinds->example),
                                      ct_arena_array(arena, cells, sizeof *kinds->count), 0};
    if (!kinds->of || !kinds->example || !kinds->count)
        return ct_out_of_memory(diags);
    for (uint32_t g = 0; g < placement->gpus; g++) {
        uint32_t k = 0;
        while (k < kinds->kinds && !same_kind(placement, g, kinds->example[k]))
            k++;
        if (k == kinds->kinds)
            kinds->example[kinds->kinds++] = g;
        kinds->of[g] = k;
        kinds->count[k]++;
    }
    return CT_OK;
}

/* ---- Batch ---- */

/* Applications of the copies to be placed, in turn. NULL: no memory. */
static uint32_t *copies_in_turn(struct placement *placement, uint32_t *count) {
    const struct cluster *cluster = placement->cluster;
    const struct workload *w = &cluster->workload;
    uint32_t most = 0;
    *count = 0;
    for (size_t a = 0; a < w->apps.count; a++)
        if (w->apps.items[a].role == CT_BATCH) {
            *count += cluster->gpus[a];
            most = cluster->gpus[a] > most ? cluster->gpus[a] : most;
        }
    uint32_t *copies = ct_arena_array(&placement->arena, (size_t)*count + 1, sizeof *copies),
             next = 0;
    for (uint32_t round = 0; copies && round < most; round++)
        for (size_t a = 0; a < w->apps.count; a++)
            if (w->apps.items[a].role == CT_BATCH && round < cluster->gpus[a])
                copies[next++] = (uint32_t)a;
    return copies;
}

static int place_evenly(struct placement *placement, const uint32_t *copies, uint32_t count,
                        struct ct_diags *diags) {
    struct des_stream stream;
    des_stream_init(&stream, placement->seed, 0, "placement", "batch");
    struct des_stream *draws = placement->how == CLUSTER_RANDOM ? &stream : NULL;
    uint32_t *gpus = order_of(placement, placement->gpus, draws);
    uint32_t *order = gpus ? order_of(placement, count, draws) : NULL, next = 0;
    int status = order ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t i = 0; i < count && status == CT_OK; i++)
        if (!put_next(placement, gpus, &next, copies[order[i]], 0))
            status = refuse(placement, copies[order[i]], diags);
    return status;
}

/*
 * The places of all GPUs of a kind that would be a GPU's first, second ... batch copy. A row's
 * scores are what such a copy adds: busy b as the first one, b (1 - b)^n as the n-th after it, as
 * if the others were like it and busy independently. A target that would be missed counts in full.
 */
struct place_rows {
    uint32_t count, levels; /* row = kind * levels + level */
    uint32_t *room;         /* by row: GPUs of the kind */
    uint32_t *there;        /* by row: GPUs of the kind on which so many batch copies stand */
    uint32_t *standing;     /* by GPU: its batch copies */
    double *scores;         /* [row * applications + application] */
    uint32_t *cursor;       /* by kind: the GPU whose turn it is */
};

static double score_at(double score, uint32_t level) {
    return score > 0 ? score * pow(1 - score, level) : score;
}

static bool rows_make(struct placement *placement, const double *scores, struct place_rows *rows) {
    const struct placement_kinds *kinds = &placement->kinds;
    struct ct_arena *arena = &placement->arena;
    uint32_t levels = (uint32_t)placement->cluster->batch_per_gpu, apps = placement->apps;
    *rows = (struct place_rows){.count = kinds->kinds * levels, .levels = levels};
    rows->room = ct_arena_array(arena, (size_t)rows->count + 1, sizeof *rows->room);
    rows->there = ct_arena_array(arena, (size_t)rows->count + 1, sizeof *rows->there);
    rows->standing = ct_arena_array(arena, (size_t)placement->gpus + 1, sizeof *rows->standing);
    rows->scores = ct_arena_array(arena, (size_t)rows->count * apps + 1, sizeof *rows->scores);
    rows->cursor = ct_arena_array(arena, (size_t)kinds->kinds + 1, sizeof *rows->cursor);
    if (!rows->room || !rows->there || !rows->standing || !rows->scores || !rows->cursor)
        return false;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t kind = r / levels, level = r % levels;
        rows->room[r] = kinds->count[kind];
        rows->there[r] = level ? 0 : kinds->count[kind];
        rows->cursor[kind] = kinds->example[kind];
        for (uint32_t a = 0; a < apps; a++)
            rows->scores[(size_t)r * apps + a] = score_at(scores[(size_t)kind * apps + a], level);
    }
    return true;
}

/* The GPU of the same kind after this one, around. */
static uint32_t next_of_kind(const struct placement *placement, uint32_t gpu) {
    const struct placement_kinds *kinds = &placement->kinds;
    uint32_t kind = kinds->of[gpu], next = gpu + 1;
    while (next < placement->gpus && kinds->of[next] != kind)
        next++;
    return next < placement->gpus ? next : kinds->example[kind];
}

/* The next GPU of a row in turn that has memory for a copy, so that none has two copies more than
 * another unless for want of memory; the number of GPUs: none has. */
static uint32_t gpu_of_row(const struct place_rows *rows, uint32_t row, uint32_t app,
                           const struct placement *placement) {
    uint32_t kind = row / rows->levels, gpu = rows->cursor[kind];
    uint32_t count = rows->there[row] ? placement->kinds.count[kind] : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows->standing[gpu] == row % rows->levels && placement_holds(placement, gpu, app))
            return gpu;
        gpu = next_of_kind(placement, gpu);
    }
    return placement->gpus;
}

static void put_by_kind(struct place_rows *rows, uint32_t gpu, uint32_t app,
                        struct placement *placement) {
    uint32_t kind = placement->kinds.of[gpu], level = rows->standing[gpu]++;
    rows->there[kind * rows->levels + level]--;
    if (level + 1 < rows->levels)
        rows->there[kind * rows->levels + level + 1]++;
    rows->cursor[kind] = next_of_kind(placement, gpu);
    put(placement, gpu, app, 0);
}

/* Where a copy scores most; false: it fits nowhere. */
static bool put_best(struct place_rows *rows, uint32_t app, struct placement *placement) {
    uint32_t best = placement->gpus;
    double most = -INFINITY;
    for (uint32_t r = 0; r < rows->count; r++) {
        double score = rows->scores[(size_t)r * placement->apps + app];
        uint32_t gpu = score > most ? gpu_of_row(rows, r, app, placement) : placement->gpus;
        if (gpu == placement->gpus)
            continue;
        best = gpu;
        most = score;
    }
    if (best < placement->gpus)
        put_by_kind(rows, best, app, placement);
    return best < placement->gpus;
}

/* Puts a copy on a GPU of a kind, where the fewest copies stand; false: it fits on none of them. */
static bool put_on_kind(struct place_rows *rows, uint32_t kind, uint32_t app,
                        struct placement *placement) {
    for (uint32_t level = 0; level < rows->levels; level++) {
        uint32_t gpu = gpu_of_row(rows, kind * rows->levels + level, app, placement);
        if (gpu == placement->gpus)
            continue;
        put_by_kind(rows, gpu, app, placement);
        return true;
    }
    return false;
}

/* The assignment; takes off `wanted` what it places. */
static int place_assigned(struct place_rows *rows, uint32_t *wanted, struct placement *placement,
                          struct ct_diags *diags) {
    uint32_t apps = placement->apps;
    uint32_t *flow =
        ct_arena_array(&placement->arena, (size_t)rows->count * apps + 1, sizeof *flow);
    int status =
        flow ? placement_assign(rows->scores, rows->count, rows->room, apps, wanted, flow, diags)
             : ct_out_of_memory(diags);
    for (uint32_t r = 0; r < rows->count && status == CT_OK; r++)
        for (uint32_t a = 0; a < apps; a++)
            for (uint32_t n = flow[(size_t)r * apps + a]; n > 0; n--)
                wanted[a] -= put_on_kind(rows, r / rows->levels, a, placement);
    return status;
}

static int place_by_score(struct placement *placement, const double *scores, const uint32_t *copies,
                          uint32_t count, struct ct_diags *diags) {
    struct place_rows rows;
    uint32_t *wanted =
        ct_arena_array(&placement->arena, (size_t)placement->apps + 1, sizeof *wanted);
    bool whole = rows_make(placement, scores, &rows) && wanted;
    int status = whole ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t i = 0; i < count && whole; i++)
        wanted[copies[i]]++;
    if (status == CT_OK && placement->how == CLUSTER_HUNGARIAN)
        status = place_assigned(&rows, wanted, placement, diags);
    for (uint32_t i = 0; i < count && status == CT_OK; i++) {
        if (wanted[copies[i]] == 0)
            continue;
        wanted[copies[i]]--;
        if (!put_best(&rows, copies[i], placement))
            status = refuse(placement, copies[i], diags);
    }
    return status;
}

int placement_batch(struct placement *placement, const double *scores, struct ct_diags *diags) {
    uint32_t count;
    uint32_t *copies = copies_in_turn(placement, &count);
    if (!copies)
        return ct_out_of_memory(diags);
    bool by_score = placement->how == CLUSTER_BEST_PROFILE || placement->how == CLUSTER_HUNGARIAN;
    return by_score ? place_by_score(placement, scores, copies, count, diags)
                    : place_evenly(placement, copies, count, diags);
}
