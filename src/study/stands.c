#include "study/stands.h"

#include "base/ct_sort.h"
#include "run/arrivals.h"

#include <stdlib.h>

static bool is_service(const struct cluster *cluster, uint32_t app) {
    return cluster->workload.apps.items[app].role == CT_SERVICE;
}

/* ---- For the whole run ---- */

static bool is_idle(const uint32_t *copies, uint32_t apps) {
    for (uint32_t a = 0; a < apps; a++)
        if (copies[a])
            return false;
    return true;
}

int stands_of_placement(const struct cluster *cluster, const struct placement *placement,
                        struct stands *stands, struct ct_diags *diags) {
    ct_time_ps end = ct_time_of_s(cluster->workload.duration_s);
    *stands = (struct stands){0};
    for (uint32_t g = 0; g < placement->gpus; g++) {
        size_t row = (size_t)g * placement->apps;
        struct stand stand = {.gpu = g,
                              .group = placement_group(cluster, g),
                              .to_ps = end,
                              .copies = placement->copies + row,
                              .replica = placement->replica + row};
        if (!is_idle(stand.copies, placement->apps) && !ct_vec_push(&stands->list, stand))
            return ct_out_of_memory(diags);
    }
    return CT_OK;
}

/* ---- From change to change ---- */

/* A copy on its GPU. */
struct stay {
    uint32_t gpu, pod;
    ct_time_ps from_ps, to_ps;
};

static int by_gpu(const void *a, const void *b) {
    const struct stay *x = a, *y = b;
    return ct_then(ct_order(x->gpu, y->gpu), ct_order(x->pod, y->pod));
}

static int by_time(const void *a, const void *b) {
    return ct_order(*(const ct_time_ps *)a, *(const ct_time_ps *)b);
}

/* The copies that are there from one change to the next. False: no memory. */
static bool add_stand(const struct cluster *cluster, const struct stay *stays, size_t count,
                      struct stand stand, struct stands *stands) {
    uint32_t apps = (uint32_t)cluster->workload.apps.count;
    uint32_t *copies = ct_arena_array(&stands->arena, apps, sizeof *copies);
    stand.replica = ct_arena_array(&stands->arena, apps, sizeof *stand.replica);
    stand.copies = copies;
    if (!copies || !stand.replica)
        return false;
    for (size_t i = 0; i < count; i++)
        if (stays[i].from_ps <= stand.from_ps && stays[i].to_ps >= stand.to_ps)
            copies[cluster->pods.items[stays[i].pod].app]++;
    return is_idle(copies, apps) || ct_vec_push(&stands->list, stand);
}

/* All stands of one GPU. */
static bool add_gpu(const struct cluster *cluster, const struct stay *stays, size_t count,
                    struct stands *stands) {
    ct_time_ps *changes = calloc(2 * count + 1, sizeof *changes);
    ct_time_ps begin = ct_time_of_s(cluster->workload.warmup_s);
    size_t before = stands->list.count;
    bool ok = changes;
    for (size_t i = 0; ok && i < count; i++) {
        changes[2 * i] = stays[i].from_ps;
        changes[2 * i + 1] = stays[i].to_ps;
    }
    if (ok)
        ct_sort(changes, 2 * count, sizeof *changes, by_time);
    for (size_t i = 0; ok && i + 1 < 2 * count; i++) {
        struct stand stand = {.gpu = stays->gpu,
                              .group = placement_group(cluster, stays->gpu),
                              .number = (uint32_t)(stands->list.count - before),
                              .from_ps = changes[i],
                              .to_ps = changes[i + 1]};
        if (stand.from_ps < stand.to_ps && stand.to_ps > begin)
            ok = add_stand(cluster, stays, count, stand, stands);
    }
    free(changes);
    return ok;
}

/* ---- Whose queries come where ---- */

static int by_app(const void *a, const void *b) {
    const struct stay *x = *(const struct stay *const *)a, *y = *(const struct stay *const *)b;
    return ct_order(x->pod, y->pod);
}

/* The parts of one copy: in every stand of its GPU while it is there. */
static bool add_parts(const struct stay *stay, uint32_t app, uint32_t *next,
                      const uint32_t *first_of, struct stands *stands) {
    for (size_t s = first_of[stay->gpu]; s < stands->list.count; s++) {
        struct stand *stand = &stands->list.items[s];
        if (stand->gpu != stay->gpu)
            break;
        if (stand->from_ps < stay->from_ps || stand->to_ps > stay->to_ps)
            continue;
        stand->replica[app] = (*next)++;
        if (!ct_vec_push(&stands->parts, (struct stand_part){app, stand->from_ps, stand->to_ps}))
            return false;
    }
    return true;
}

static bool list_parts(const struct cluster *cluster, const struct stay *stays, size_t count,
                       struct stands *stands) {
    const struct stay **order = calloc(count + 1, sizeof *order);
    uint32_t *first_of = calloc((size_t)cluster->gpu_count + 1, sizeof *first_of);
    bool ok = order && first_of;
    for (size_t i = 0; ok && i < count; i++)
        order[i] = &stays[i];
    if (ok)
        ct_sort(order, count, sizeof *order, by_app);
    for (size_t s = stands->list.count; ok && s-- > 0;)
        first_of[stands->list.items[s].gpu] = (uint32_t)s;
    for (uint32_t a = 0; ok && a < cluster->workload.apps.count; a++) {
        uint32_t next = 0;
        for (size_t i = 0; ok && is_service(cluster, a) && i < count; i++)
            if (cluster->pods.items[order[i]->pod].app == a)
                ok = add_parts(order[i], a, &next, first_of, stands);
    }
    free(order);
    free(first_of);
    return ok;
}

int stands_of_fleet(const struct cluster *cluster, const struct fleet *fleet, struct stands *stands,
                    struct ct_diags *diags) {
    struct stay *stays = calloc(fleet->sums.arrived + 1, sizeof *stays);
    size_t count = 0;
    bool ok = stays;
    *stands = (struct stands){.moving = true};
    for (uint32_t p = 0; ok && p < fleet->sums.arrived; p++) {
        const struct fleet_pod *pod = &fleet->pods[p];
        if (pod->outcome == FLEET_PLACED)
            stays[count++] = (struct stay){pod->place.gpu, p, ct_time_of_s(pod->placed_s),
                                           ct_time_of_s(pod->left_s)};
    }
    if (ok)
        ct_sort(stays, count, sizeof *stays, by_gpu);
    for (size_t first = 0, end; ok && first < count; first = end) {
        for (end = first; end < count && stays[end].gpu == stays[first].gpu;)
            end++;
        ok = add_gpu(cluster, stays + first, end - first, stands);
    }
    ok = ok && list_parts(cluster, stays, count, stands);
    free(stays);
    return ok ? CT_OK : ct_out_of_memory(diags);
}

void stands_free(struct stands *stands) {
    ct_vec_free(&stands->list);
    ct_vec_free(&stands->parts);
    ct_arena_free(&stands->arena);
    *stands = (struct stands){0};
}

/* ---- Arrivals ---- */

/* The parts of a service, and which of them get queries at an instant. */
struct split {
    const struct stand_part *parts;
    uint32_t count, *there, there_count;
    ct_time_ps end_ps, until_ps; /* of the run; until when the ones in `there` stay */
};

/* Finds who is there at `at`, and until when nothing changes. After the end nothing does. */
static void look(struct split *split, ct_time_ps at) {
    at = at < split->end_ps ? at : split->end_ps - 1;
    split->there_count = 0;
    split->until_ps = split->end_ps;
    for (uint32_t i = 0; i < split->count; i++) {
        const struct stand_part *part = &split->parts[i];
        ct_time_ps change = part->from_ps > at ? part->from_ps : part->to_ps;
        if (part->from_ps <= at && at < part->to_ps)
            split->there[split->there_count++] = i;
        if (change > at && change < split->until_ps)
            split->until_ps = change;
    }
    if (split->until_ps == split->end_ps)
        split->until_ps = CT_TIME_NEVER;
}

// NOLINTNEXTLINE(readability-function-size): what it splits, how, and what it draws
int stands_split(const struct stands *stands, const struct cluster *cluster, uint32_t app,
                 enum cluster_balancer balancer, uint64_t seed, uint64_t replication,
                 ct_time_ps until_ps, struct balancer_streams *streams, struct ct_diags *diags) {
    struct balancer_sent sent = {0};
    struct split split = {.end_ps = ct_time_of_s(cluster->workload.duration_s)};
    ct_time_ps begin = ct_time_of_s(cluster->workload.warmup_s), at;
    const struct workload_app *spec = &cluster->workload.apps.items[app];
    struct balancer_draws draws;
    size_t first = 0;
    while (first < stands->parts.count && stands->parts.items[first].app < app)
        first++;
    split.parts = stands->parts.items + first;
    while (first + split.count < stands->parts.count && split.parts[split.count].app == app)
        split.count++;
    split.there = calloc(split.count + 1u, sizeof *split.there);
    bool ok = split.there;
    uint64_t drawn = 0, lost = 0;
    balancer_draws_begin(&draws, spec, balancer, seed, replication);
    look(&split, 0);
    while (ok && arrivals_are_open(&spec->arrivals) &&
           (at = arrivals_next(&draws.arrivals)) < until_ps) {
        bool counts = at >= begin && at < split.end_ps;
        if (at >= split.until_ps)
            look(&split, at);
        drawn += counts;
        lost += counts && !split.there_count;
        if (!split.there_count)
            continue;
        uint32_t part = split.there[balancer_draw(&draws, split.there_count)];
        ok = ct_vec_push(&sent, (struct balancer_query){at - split.parts[part].from_ps,
                                                        draws.arrivals.stamp, part});
    }
    if (ok)
        ok = balancer_sort(&sent, &spec->arrivals, split.count, streams);
    streams->drawn = drawn;
    streams->lost = lost;
    ct_vec_free(&sent);
    free(split.there);
    return ok ? CT_OK : ct_out_of_memory(diags);
}
