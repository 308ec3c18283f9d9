#include "study/placement.h"

#include "des/des_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int placement_init(const struct cluster *cluster, struct placement *placement,
                   struct ct_diags *diags) {
    size_t apps = cluster->workload.apps.count, cells = apps * cluster->gpu_count + 1;
    *placement = (struct placement){cluster->gpu_count, (uint32_t)apps,
                                    calloc(cells, sizeof *placement->copies),
                                    calloc(cells, sizeof *placement->replica)};
    return placement->copies && placement->replica ? CT_OK : ct_out_of_memory(diags);
}

void placement_free(struct placement *placement) {
    free(placement->copies);
    free(placement->replica);
    *placement = (struct placement){0};
}

static void put(struct placement *placement, uint32_t gpu, uint32_t app, uint32_t replica) {
    size_t cell = (size_t)gpu * placement->apps + app;
    placement->copies[cell]++;
    placement->replica[cell] = replica;
}

/* 0, 1, 2 ...; shuffled after Fisher and Yates if a stream is given. NULL: no memory. */
static uint32_t *order_of(uint32_t count, struct des_stream *stream) {
    uint32_t *order = calloc((size_t)count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    for (uint32_t i = count; order && stream && i > 1; i--) {
        uint32_t j = (uint32_t)des_stream_below(stream, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    return order;
}

int placement_services(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                       struct placement *placement, struct ct_diags *diags) {
    struct des_stream stream;
    des_stream_init(&stream, seed, 0, "placement", "services");
    uint32_t *order = order_of(placement->gpus, how == CLUSTER_RANDOM ? &stream : NULL);
    if (!order)
        return ct_out_of_memory(diags);
    for (uint32_t a = 0, next = 0; a < placement->apps; a++) {
        bool service = cluster->workload.apps.items[a].role == CT_SERVICE;
        for (uint32_t r = 0; service && r < cluster->gpus[a]; r++, next++)
            put(placement, order[next % placement->gpus], a, r);
    }
    free(order);
    return CT_OK;
}

/* ---- Kinds ---- */

uint32_t placement_group(const struct cluster *cluster, uint32_t gpu) {
    uint32_t group = 0;
    for (int64_t end = cluster->groups.items[0].count; gpu >= end;)
        end += cluster->groups.items[++group].count;
    return group;
}

static bool same_kind(const struct cluster *cluster, const struct placement *placement, uint32_t a,
                      uint32_t b) {
    size_t row = placement->apps;
    return placement_group(cluster, a) == placement_group(cluster, b) &&
           memcmp(placement->copies + a * row, placement->copies + b * row,
                  row * sizeof *placement->copies) == 0;
}

int placement_find_kinds(const struct cluster *cluster, const struct placement *placement,
                         struct placement_kinds *kinds, struct ct_diags *diags) {
    size_t cells = (size_t)placement->gpus + 1;
    *kinds = (struct placement_kinds){calloc(cells, sizeof *kinds->of),
                                      calloc(cells, sizeof *kinds->example),
                                      calloc(cells, sizeof *kinds->count), 0};
    if (!kinds->of || !kinds->example || !kinds->count)
        return ct_out_of_memory(diags);
    for (uint32_t g = 0; g < placement->gpus; g++) {
        uint32_t k = 0;
        while (k < kinds->kinds && !same_kind(cluster, placement, g, kinds->example[k]))
            k++;
        if (k == kinds->kinds)
            kinds->example[kinds->kinds++] = g;
        kinds->of[g] = k;
        kinds->count[k]++;
    }
    return CT_OK;
}

void placement_kinds_free(struct placement_kinds *kinds) {
    free(kinds->of);
    free(kinds->example);
    free(kinds->count);
    *kinds = (struct placement_kinds){0};
}

/* ---- Batch ---- */

/* Applications of the copies to be placed, in turn. NULL: no memory. */
static uint32_t *copies_in_turn(const struct cluster *cluster, uint32_t *count) {
    const struct workload *w = &cluster->workload;
    uint32_t most = 0;
    *count = 0;
    for (size_t a = 0; a < w->apps.count; a++)
        if (w->apps.items[a].role == CT_BATCH) {
            *count += cluster->gpus[a];
            most = cluster->gpus[a] > most ? cluster->gpus[a] : most;
        }
    uint32_t *copies = calloc((size_t)*count + 1, sizeof *copies), next = 0;
    for (uint32_t round = 0; copies && round < most; round++)
        for (size_t a = 0; a < w->apps.count; a++)
            if (w->apps.items[a].role == CT_BATCH && round < cluster->gpus[a])
                copies[next++] = (uint32_t)a;
    return copies;
}

static bool place_evenly(uint64_t seed, bool drawn, const uint32_t *copies, uint32_t count,
                         struct placement *placement) {
    struct des_stream stream;
    des_stream_init(&stream, seed, 0, "placement", "batch");
    uint32_t *gpus = order_of(placement->gpus, drawn ? &stream : NULL);
    uint32_t *order = gpus ? order_of(count, drawn ? &stream : NULL) : NULL;
    for (uint32_t i = 0; order && i < count; i++)
        put(placement, gpus[i % placement->gpus], copies[order[i]], 0);
    free(gpus);
    bool done = order;
    free(order);
    return done;
}

/* The next GPU of a kind in turn, so that none has two copies more than another. */
static uint32_t next_of_kind(const struct placement_kinds *kinds, uint32_t kind, uint32_t *cursor,
                             uint32_t gpus) {
    uint32_t taken = cursor[kind], next = taken + 1;
    while (next < gpus && kinds->of[next] != kind)
        next++;
    cursor[kind] = next < gpus ? next : kinds->example[kind];
    return taken;
}

/*
 * The places of all GPUs of a kind that would be a GPU's first, second ... batch copy. A row's
 * scores are what such a copy adds: busy b as the first one, b (1 - b)^n as the n-th after it, as
 * if the others were like it and busy independently. A target that would be missed counts in full.
 */
struct place_rows {
    uint32_t count, levels; /* row = kind * levels + level */
    uint32_t *room;
    double *scores;   /* [row * applications + application] */
    uint32_t *cursor; /* by kind: the GPU whose turn it is */
};

static double score_at(double score, uint32_t level) {
    return score > 0 ? score * pow(1 - score, level) : score;
}

static bool rows_make(const struct cluster *cluster, const struct placement_kinds *kinds,
                      const double *scores, uint32_t apps, struct place_rows *rows) {
    uint32_t levels = (uint32_t)cluster->batch_per_gpu;
    *rows = (struct place_rows){.count = kinds->kinds * levels, .levels = levels};
    rows->room = calloc((size_t)rows->count + 1, sizeof *rows->room);
    rows->scores = calloc((size_t)rows->count * apps + 1, sizeof *rows->scores);
    rows->cursor = calloc((size_t)kinds->kinds + 1, sizeof *rows->cursor);
    if (!rows->room || !rows->scores || !rows->cursor)
        return false;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t kind = r / levels;
        rows->room[r] = kinds->count[kind];
        rows->cursor[kind] = kinds->example[kind];
        for (uint32_t a = 0; a < apps; a++)
            rows->scores[(size_t)r * apps + a] =
                score_at(scores[(size_t)kind * apps + a], r % levels);
    }
    return true;
}

static void rows_free(struct place_rows *rows) {
    free(rows->room);
    free(rows->scores);
    free(rows->cursor);
}

static void put_in_row(const struct placement_kinds *kinds, const struct place_rows *rows,
                       uint32_t row, uint32_t app, struct placement *placement) {
    uint32_t kind = row / rows->levels;
    put(placement, next_of_kind(kinds, kind, rows->cursor, placement->gpus), app, 0);
}

static uint32_t best_row(const struct place_rows *rows, uint32_t apps, uint32_t app) {
    uint32_t best = rows->count;
    for (uint32_t r = 0; r < rows->count; r++)
        if (rows->room[r] && (best == rows->count || rows->scores[(size_t)r * apps + app] >
                                                         rows->scores[(size_t)best * apps + app]))
            best = r;
    return best;
}

static void place_best(const struct placement_kinds *kinds, struct place_rows *rows,
                       const uint32_t *copies, uint32_t count, struct placement *placement) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = best_row(rows, placement->apps, copies[i]);
        rows->room[row]--;
        put_in_row(kinds, rows, row, copies[i], placement);
    }
}

static int place_assigned(const struct placement_kinds *kinds, const struct place_rows *rows,
                          const uint32_t *copies, uint32_t count, struct placement *placement,
                          struct ct_diags *diags) {
    uint32_t apps = placement->apps;
    uint32_t *flow = calloc((size_t)rows->count * apps + 1, sizeof *flow);
    uint32_t *wanted = calloc((size_t)apps + 1, sizeof *wanted);
    int status = flow && wanted ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t i = 0; i < count && status == CT_OK; i++)
        wanted[copies[i]]++;
    if (status == CT_OK)
        status = placement_assign(rows->scores, rows->count, rows->room, apps, wanted, flow, diags);
    for (uint32_t r = 0; r < rows->count && status == CT_OK; r++)
        for (uint32_t a = 0; a < apps; a++)
            for (uint32_t n = flow[(size_t)r * apps + a]; n > 0; n--)
                put_in_row(kinds, rows, r, a, placement);
    free(flow);
    free(wanted);
    return status;
}

static int place_by_score(const struct cluster *cluster, enum cluster_placement how,
                          const struct placement_kinds *kinds, const double *scores,
                          const uint32_t *copies, uint32_t count, struct placement *placement,
                          struct ct_diags *diags) {
    struct place_rows rows;
    int status = CT_OK;
    if (!rows_make(cluster, kinds, scores, placement->apps, &rows))
        status = ct_out_of_memory(diags);
    else if (how == CLUSTER_BEST_PROFILE)
        place_best(kinds, &rows, copies, count, placement);
    else
        status = place_assigned(kinds, &rows, copies, count, placement, diags);
    rows_free(&rows);
    return status;
}

int placement_batch(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                    const struct placement_kinds *kinds, const double *scores,
                    struct placement *placement, struct ct_diags *diags) {
    uint32_t count;
    uint32_t *copies = copies_in_turn(cluster, &count);
    int status = CT_OK;
    if (!copies)
        return ct_out_of_memory(diags);
    if (how == CLUSTER_BEST_PROFILE || how == CLUSTER_HUNGARIAN)
        status = place_by_score(cluster, how, kinds, scores, copies, count, placement, diags);
    else if (!place_evenly(seed, how == CLUSTER_RANDOM, copies, count, placement))
        status = ct_out_of_memory(diags);
    free(copies);
    return status;
}
