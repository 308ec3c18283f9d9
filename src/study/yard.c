#include "study/yard.h"

#include "base/ct_text.h"
#include "models/device/gpu_slices.h"
#include "workload/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where instances of a profile may stand. */
struct positions {
    uint32_t starts; /* first memory slices, a bit each */
    uint32_t length; /* memory slices */
};

struct yard_kind {
    uint32_t slices; /* memory slices; 0: not cut by MIG */
    uint32_t empty;  /* state of a GPU on which nothing stands */
    struct gpu_slice profiles[GPU_SLICES_MOST];
    size_t profile_count;
    struct positions *positions; /* by demand */
    uint64_t *fragments;         /* by state: copies times per mille that are of no use to them */
};

static const struct yard_kind *kind_of(const struct yard *yard, uint32_t gpu) {
    return &yard->kinds[yard->group[gpu]];
}

static uint32_t bits(uint32_t word) {
    uint32_t count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
}

static uint32_t run_of(uint32_t start, uint32_t length) {
    return ((UINT32_C(1) << length) - 1) << start;
}

static uint32_t room(const struct yard_kind *kind, uint32_t state) {
    return kind->slices ? bits(state) * YARD_WHOLE / kind->slices : state;
}

/* The next position from `start` on at which the demand fits; false: none. */
static bool next_position(const struct yard *yard, const struct yard_kind *kind, uint32_t state,
                          uint32_t demand, uint32_t start, struct yard_place *place) {
    const struct cluster_demand *asked = &yard->cluster->demands.items[demand];
    const struct positions *positions = &kind->positions[demand];
    if (!kind->slices) {
        place->start = 0;
        place->taken = asked->share;
        return start == 0 && asked->share > 0 && asked->share <= state;
    }
    for (; start < kind->slices; start++) {
        uint32_t taken = run_of(start, positions->length);
        if (!(positions->starts >> start & 1) || (state & taken) != taken)
            continue;
        place->start = start;
        place->taken = taken;
        return true;
    }
    return false;
}

static uint32_t without(const struct yard_kind *kind, uint32_t state, uint32_t taken) {
    return kind->slices ? state & ~taken : state - taken;
}

/* ---- Which GPU ---- */

static int64_t growth(const struct yard *yard, uint32_t gpu, uint32_t taken) {
    const struct yard_kind *kind = kind_of(yard, gpu);
    uint32_t before = yard->state[gpu], after = without(kind, before, taken);
    return (int64_t)kind->fragments[after] - (int64_t)kind->fragments[before];
}

/* The position on a GPU: the first one, or that by which fragmentation grows least. */
static bool choose_on(const struct yard *yard, enum cluster_placement how, uint32_t gpu,
                      uint32_t demand, struct yard_place *place) {
    const struct yard_kind *kind = kind_of(yard, gpu);
    struct yard_place next = {.gpu = gpu};
    uint32_t state = yard->state[gpu];
    place->gpu = gpu;
    if (!next_position(yard, kind, state, demand, 0, place))
        return false;
    next.start = place->start;
    while (how == CLUSTER_FGD && next_position(yard, kind, state, demand, next.start + 1, &next))
        if (growth(yard, gpu, next.taken) < growth(yard, gpu, place->taken))
            *place = next;
    return true;
}

/* Whether a place is better than the best so far. */
static bool is_better(struct yard *yard, enum cluster_placement how, const struct yard_place *place,
                      const struct yard_place *best, uint32_t *fitting) {
    switch (how) {
    case CLUSTER_RANDOM: /* each of n that fit stays with 1 / n */
        return des_stream_below(&yard->draws, ++*fitting) == 0;
    case CLUSTER_BEST_FIT:
        return yard_free(yard, place->gpu) < yard_free(yard, best->gpu);
    case CLUSTER_WORST_FIT:
        return yard_free(yard, place->gpu) > yard_free(yard, best->gpu);
    case CLUSTER_FGD:
        return growth(yard, place->gpu, place->taken) < growth(yard, best->gpu, best->taken);
    default:
        return false;
    }
}

static const uint32_t *copies_on(const struct yard *yard, const uint32_t *copies, uint32_t gpu) {
    return copies ? copies + (size_t)gpu * yard->cluster->workload.apps.count : NULL;
}

static bool is_there(const struct yard *yard, const struct cluster_pod *pod,
                     const uint32_t *copies) {
    return copies && copies[pod->app] &&
           yard->cluster->workload.apps.items[pod->app].role == CT_SERVICE;
}

bool yard_choose(struct yard *yard, enum cluster_placement how, const struct cluster_pod *pod,
                 const uint32_t *copies, struct yard_place *place) {
    uint32_t fitting = 0, from = how == CLUSTER_ROUND_ROBIN ? yard->next : 0;
    place->gpu = YARD_NOWHERE;
    for (uint32_t i = 0; i < yard->gpus; i++) {
        uint32_t gpu = (from + i) % yard->gpus;
        const uint32_t *here = copies_on(yard, copies, gpu);
        struct yard_place there;
        if (is_there(yard, pod, here) || !choose_on(yard, how, gpu, pod->demand, &there) ||
            !cluster_memory_holds(&yard->memory, yard->group[gpu], here, pod->app))
            continue;
        bool first = place->gpu == YARD_NOWHERE;
        if (is_better(yard, how, &there, first ? &there : place, &fitting) || first)
            *place = there;
        if (how == CLUSTER_FIRST_FIT || how == CLUSTER_ROUND_ROBIN)
            break;
    }
    return place->gpu != YARD_NOWHERE;
}

/* ---- What is free ---- */

/* Adds a GPU to the sums, or takes it out. */
static void count(struct yard *yard, uint32_t gpu, bool in) {
    const struct yard_kind *kind = kind_of(yard, gpu);
    uint64_t sign = in ? 1 : UINT64_MAX;
    yard->free += sign * room(kind, yard->state[gpu]);
    yard->fragmented += sign * kind->fragments[yard->state[gpu]];
    yard->in_use += (uint32_t)sign * (yard->state[gpu] != kind->empty);
}

void yard_take(struct yard *yard, const struct yard_place *place) {
    count(yard, place->gpu, false);
    yard->state[place->gpu] =
        without(kind_of(yard, place->gpu), yard->state[place->gpu], place->taken);
    count(yard, place->gpu, true);
    yard->next = place->gpu + 1;
}

void yard_give_back(struct yard *yard, const struct yard_place *place) {
    bool cut = kind_of(yard, place->gpu)->slices;
    count(yard, place->gpu, false);
    yard->state[place->gpu] =
        cut ? yard->state[place->gpu] | place->taken : yard->state[place->gpu] + place->taken;
    count(yard, place->gpu, true);
}

uint32_t yard_free(const struct yard *yard, uint32_t gpu) {
    return room(kind_of(yard, gpu), yard->state[gpu]);
}

/* Positions of one profile are equally long and begin at multiples of their length: taking the
 * first ones first leaves out none. */
uint32_t yard_further(const struct yard *yard, uint32_t gpu, uint32_t demand) {
    const struct yard_kind *kind = kind_of(yard, gpu);
    struct yard_place place;
    uint32_t state = yard->state[gpu], further = 0;
    for (; next_position(yard, kind, state, demand, 0, &place); further++)
        state = without(kind, state, place.taken);
    return further;
}

bool yard_is_possible(const struct yard *yard, const struct cluster_pod *pod) {
    struct yard_place place;
    for (uint32_t g = 0; g < yard->cluster->groups.count; g++)
        if (next_position(yard, &yard->kinds[g], yard->kinds[g].empty, pod->demand, 0, &place) &&
            cluster_memory_holds(&yard->memory, g, NULL, pod->app))
            return true;
    return false;
}

/* ---- Kinds ---- */

/* Instances at the positions that the geometry "3g+2g+2g" has, the larger ones first. CT_OK. */
static int cut(struct yard_kind *kind, const struct cluster_group *group, uint32_t *starts,
               struct ct_diags *diags) {
    const struct gpu_slice *whole = &kind->profiles[kind->profile_count - 1];
    uint32_t wanted[GPU_SLICES_MOST] = {0}, left = kind->empty, sum = 0;
    for (const char *next = group->mig; *next;) {
        size_t length = strcspn(next, "+");
        size_t p = gpu_slice_find(kind->profiles, kind->profile_count, next, length);
        if (p == kind->profile_count)
            return ct_usage_error(diags, group->where, "'mig': '%s' has no profile '%.*s'",
                                  group->gpu, (int)length, next);
        wanted[p]++;
        sum += (uint32_t)kind->profiles[p].memory;
        next += length + (next[length] != '\0');
    }
    for (size_t p = kind->profile_count; p-- > 0;)
        for (uint32_t may = gpu_slice_starts(&kind->profiles[p], whole); wanted[p] > 0;) {
            uint32_t at = 0, length = (uint32_t)kind->profiles[p].memory;
            while (at < kind->slices &&
                   (!(may >> at & 1) || (left & run_of(at, length)) != run_of(at, length)))
                at++;
            if (at == kind->slices)
                return ct_usage_error(
                    diags, group->where,
                    "'mig': %s has no place for all of '%s', which take %u memory slices of "
                    "%u: '%s' may not begin where there is room",
                    group->gpu, group->mig, sum, kind->slices, kind->profiles[p].name);
            left &= ~run_of(at, length);
            starts[p] |= UINT32_C(1) << at;
            wanted[p]--;
        }
    return CT_OK;
}

static int cut_kind(struct yard *yard, const struct cluster_group *group, struct yard_kind *kind,
                    struct ct_diags *diags) {
    struct gpu gpu;
    uint32_t starts[GPU_SLICES_MOST] = {0};
    int status = setup_gpu(group->gpu, group->where, &group->settings, &yard->arena, &gpu, diags);
    if (status != CT_OK)
        return status;
    kind->profile_count = gpu_slices(gpu.mig, gpu.sms, group->where, kind->profiles, diags);
    const struct gpu_slice *whole =
        &kind->profiles[kind->profile_count ? kind->profile_count - 1 : 0];
    if (!kind->profile_count || whole->memory > GPU_SLICES_MOST)
        return ct_usage_error(diags, group->where, "'mig': '%s' cannot be cut by MIG", group->gpu);
    kind->slices = (uint32_t)whole->memory;
    kind->empty = run_of(0, kind->slices);
    bool any = strcmp(group->mig, "any") == 0;
    for (size_t p = 0; any && p < kind->profile_count; p++)
        starts[p] = gpu_slice_starts(&kind->profiles[p], whole);
    if (!any)
        status = cut(kind, group, starts, diags);
    for (size_t d = 0; d < yard->cluster->demands.count; d++) {
        const char *name = yard->cluster->demands.items[d].slice;
        size_t p = name ? gpu_slice_find(kind->profiles, kind->profile_count, name, strlen(name))
                        : kind->profile_count;
        if (p < kind->profile_count)
            kind->positions[d] = (struct positions){starts[p], (uint32_t)kind->profiles[p].memory};
    }
    return status;
}

/* What of each state is of no use to whom. */
static void count_fragments(const struct yard *yard, struct yard_kind *kind) {
    const struct cluster *cluster = yard->cluster;
    struct yard_place place;
    for (uint32_t state = 0; state <= kind->empty; state++)
        for (uint32_t d = 0; d < cluster->demands.count; d++)
            if (!next_position(yard, kind, state, d, 0, &place))
                kind->fragments[state] += cluster->demands.items[d].copies * room(kind, state);
}

static int make_kind(struct yard *yard, const struct cluster_group *group, struct yard_kind *kind,
                     struct ct_diags *diags) {
    int status = CT_OK;
    kind->empty = YARD_WHOLE;
    kind->positions =
        ct_arena_array(&yard->arena, yard->cluster->demands.count + 1, sizeof *kind->positions);
    if (!kind->positions)
        return ct_out_of_memory(diags);
    if (*group->mig)
        status = cut_kind(yard, group, kind, diags);
    if (status != CT_OK)
        return status;
    kind->fragments =
        ct_arena_array(&yard->arena, kind->empty + (size_t)1, sizeof *kind->fragments);
    if (!kind->fragments)
        return ct_out_of_memory(diags);
    count_fragments(yard, kind);
    return CT_OK;
}

/* ---- Opening ---- */

static void lay_out(struct yard *yard) {
    uint32_t gpu = 0;
    for (uint32_t g = 0; g < yard->cluster->groups.count; g++)
        for (int64_t i = 0; i < yard->cluster->groups.items[g].count; i++, gpu++) {
            yard->group[gpu] = g;
            yard->state[gpu] = yard->kinds[g].empty;
            count(yard, gpu, true);
        }
}

int yard_open(const struct cluster *cluster, uint64_t seed, struct yard *yard,
              struct ct_diags *diags) {
    size_t cells = (size_t)cluster->gpu_count + 1;
    *yard = (struct yard){.cluster = cluster, .gpus = cluster->gpu_count};
    yard->kinds = ct_arena_array(&yard->arena, cluster->groups.count, sizeof *yard->kinds);
    yard->group = ct_arena_array(&yard->arena, cells, sizeof *yard->group);
    yard->state = ct_arena_array(&yard->arena, cells, sizeof *yard->state);
    if (!yard->kinds || !yard->group || !yard->state)
        return ct_out_of_memory(diags);
    des_stream_init(&yard->draws, seed, 0, "placement", "shares");
    for (size_t d = 0; d < cluster->demands.count; d++)
        yard->copies += cluster->demands.items[d].copies;
    int status = cluster_memory_open(cluster, &yard->memory, diags);
    for (size_t g = 0; g < cluster->groups.count && status == CT_OK; g++)
        status = make_kind(yard, &cluster->groups.items[g], &yard->kinds[g], diags);
    if (status == CT_OK)
        lay_out(yard);
    return status;
}

void yard_close(struct yard *yard) {
    cluster_memory_close(&yard->memory);
    ct_arena_free(&yard->arena);
    *yard = (struct yard){0};
}

/* ---- Why not ---- */

/* ": 'h100' has 1g.10gb, 1g.20gb", of the first group that is cut; else nothing. */
static const char *offers_text(const struct yard *yard, char *text, size_t size) {
    size_t g = 0;
    while (g < yard->cluster->groups.count && !yard->kinds[g].slices)
        g++;
    *text = '\0';
    if (g == yard->cluster->groups.count)
        return text;
    const struct cluster_group *group = &yard->cluster->groups.items[g];
    const struct yard_kind *kind = &yard->kinds[g];
    bool any = strcmp(group->mig, "any") == 0;
    snprintf(text, size, ": '%s' has %s", group->gpu, any ? "" : group->mig);
    for (size_t p = 0; any && p < kind->profile_count; p++)
        ct_text_add(text, size, p ? ", " : "", "%s", kind->profiles[p].name);
    return text;
}

/* GPUs on which a copy can stand beside those that do: a service's where it has none. */
struct ground {
    uint32_t gpus, most; /* most: free on one; per mille, or memory slices */
    uint64_t whole, free;
    const char *without; /* " without it", where some are left out */
};

static struct ground survey(const struct yard *yard, const struct cluster_pod *pod,
                            const uint32_t *copies, bool cut) {
    struct ground ground = {.without = ""};
    for (uint32_t g = 0; g < yard->gpus; g++) {
        const struct yard_kind *kind = kind_of(yard, g);
        uint32_t here = cut ? bits(yard->state[g]) : yard->state[g];
        if ((kind->slices > 0) != cut)
            continue;
        if (is_there(yard, pod, copies_on(yard, copies, g))) {
            ground.without = " without it";
            continue;
        }
        ground.gpus++;
        ground.whole += kind->slices;
        ground.free += here;
        ground.most = here > ground.most ? here : ground.most;
    }
    return ground;
}

static void explain_slice(const struct yard *yard, const struct cluster_pod *pod,
                          const uint32_t *copies, char *text, size_t size) {
    struct ground ground = survey(yard, pod, copies, true);
    const char *name = yard->cluster->demands.items[pod->demand].slice;
    bool offered = false;
    char offers[200];
    for (uint32_t g = 0; g < yard->cluster->groups.count; g++)
        offered |= yard->kinds[g].positions[pod->demand].starts != 0;
    if (!offered)
        snprintf(text, size,
                 "it asks for a '%s', which none of %u GPUs that are cut by MIG offers%s", name,
                 ground.gpus, offers_text(yard, offers, sizeof offers));
    else
        snprintf(
            text, size,
            "it asks for a '%s', and of the %llu memory slices of %u GPUs%s that are cut by MIG "
            "%llu are free in all, at most %u on one, and it may begin at none where it has room",
            name, (unsigned long long)ground.whole, ground.gpus, ground.without,
            (unsigned long long)ground.free, ground.most);
}

static void explain_share(const struct yard *yard, const struct cluster_pod *pod,
                          const uint32_t *copies, char *text, size_t size) {
    struct ground ground = survey(yard, pod, copies, false);
    snprintf(text, size,
             "it asks for %g %%, and of %u GPUs%s %g %% are free in all, at most %g %% on one",
             yard->cluster->demands.items[pod->demand].share / 10.0, ground.gpus, ground.without,
             (double)ground.free / 10, ground.most / 10.0);
}

/* The GPU with the most memory left among those that have what the copy asks for otherwise;
 * YARD_NOWHERE: there is none. */
static uint32_t roomiest(const struct yard *yard, const struct cluster_pod *pod,
                         const uint32_t *copies) {
    uint32_t found = YARD_NOWHERE;
    double most = 0;
    for (uint32_t g = 0; g < yard->gpus; g++) {
        const uint32_t *here = copies_on(yard, copies, g);
        double left = cluster_memory_left(&yard->memory, yard->group[g], here, pod->app);
        struct yard_place place;
        if (is_there(yard, pod, here) ||
            !choose_on(yard, CLUSTER_FIRST_FIT, g, pod->demand, &place) ||
            (found != YARD_NOWHERE && left <= most))
            continue;
        found = g;
        most = left;
    }
    return found;
}

void yard_explain(const struct yard *yard, const struct cluster_pod *pod, const uint32_t *copies,
                  char *text, size_t size) {
    uint32_t gpu = roomiest(yard, pod, copies);
    if (gpu != YARD_NOWHERE)
        cluster_memory_explain(&yard->memory, pod->app, gpu, yard->group[gpu],
                               copies_on(yard, copies, gpu), text, size);
    else if (yard->cluster->demands.items[pod->demand].slice)
        explain_slice(yard, pod, copies, text, size);
    else
        explain_share(yard, pod, copies, text, size);
}
