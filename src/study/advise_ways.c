#include "study/advise_ways.h"

#include "workload/setup_memory.h"

#include <math.h>
#include <string.h>

enum {
    APPS_MOST = 16, /* with settings of their own: more of them have too many combinations */
    VOLTA = 70,     /* compute capabilities: MPS with caps and priorities */
    AMPERE = 80,    /* static partitions */
    HOPPER = 90
};

/* Settings by application, one after the other. */
struct search {
    const struct setup *setup;
    struct advise_offer *offer;
    struct ct_arena *arena;
    int64_t given[APPS_MOST];
    struct gpu_slice slices[GPU_SLICES_MOST];
    size_t slice_count;
    bool no_memory;
};

const char *advise_way_name(enum advise_way way) {
    static const char *const names[ADVISE_WAYS] = {"time slices", "MPS",         "MPS, priorities",
                                                   "MPS, caps",   "MPS, static", "MIG"};
    return names[way];
}

int64_t advise_chunk_sms(const struct gpu *gpu) {
    return gpu->compute_capability >= HOPPER ? 8 : 4;
}

static void add(struct search *s, enum advise_way way, const char *policy, bool given) {
    size_t size = s->setup->app_count * sizeof *s->given;
    struct advise_candidate candidate = {.way = way, .policy = policy};
    int64_t *copy = given ? ct_arena_alloc(s->arena, size) : NULL;
    if (copy)
        memcpy(copy, s->given, size);
    candidate.given = copy;
    if (!policy || (given && !copy) || !ct_vec_push(&s->offer->candidates, candidate))
        s->no_memory = true;
}

/* "NAME:OPTION=vit=" and what `value` says of each application. */
static void add_given(struct search *s, enum advise_way way, const char *option,
                      const char *(*value)(struct search *s, uint32_t app)) {
    const char *policy = option;
    for (uint32_t a = 0; a < s->setup->app_count && policy; a++) {
        const char *text = value(s, a);
        policy = text ? ct_arena_format(s->arena, "%s%s%s=%s", policy, a ? "+" : "",
                                        s->setup->apps[a].spec->name, text)
                      : NULL;
    }
    add(s, way, policy, true);
}

static int64_t instances(const struct search *s, uint32_t app) {
    return s->setup->apps[app].spec->instances;
}

/* ---- Caps ---- */

static const char *cap_of(struct search *s, uint32_t app) {
    return ct_arena_format(s->arena, "%lld", (long long)s->given[app]);
}

/* Priorities mean something, and caps by role, where services and batch work meet. */
static bool has_both_roles(const struct setup *setup) {
    bool has[2] = {false, false};
    for (uint32_t a = 0; a < setup->app_count; a++)
        has[setup->apps[a].spec->role == CT_SERVICE] = true;
    return has[0] && has[1];
}

/* Applications that are capped alike: up to four each for itself, more of them by their role. */
static uint32_t count_groups(const struct setup *setup) {
    if (setup->app_count <= 4)
        return setup->app_count;
    return has_both_roles(setup) ? 2 : 1;
}

static uint32_t group_of(const struct setup *setup, uint32_t app) {
    if (setup->app_count <= 4)
        return app;
    return has_both_roles(setup) && setup->apps[app].spec->role == CT_SERVICE;
}

/* Every combination of a few levels, about a hundred. All at 100 % is plain MPS. */
static void add_caps(struct search *s) {
    static const struct {
        int64_t level[10];
        uint32_t count;
    } grids[] = {{{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, 10},
                 {{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, 10},
                 {{20, 40, 60, 80, 100}, 5},
                 {{25, 50, 100}, 3}};
    uint32_t groups = count_groups(s->setup), all = 1, levels = grids[groups - 1].count;
    for (uint32_t g = 0; g < groups; g++)
        all *= levels;
    for (uint32_t n = 0; n + 1 < all; n++) {
        for (uint32_t a = 0; a < s->setup->app_count; a++) {
            uint32_t digits = n;
            for (uint32_t g = 0; g < group_of(s->setup, a); g++)
                digits /= levels;
            s->given[a] = grids[groups - 1].level[digits % levels];
        }
        add_given(s, ADVISE_MPS_CAPS, "mps-caps:caps=", cap_of);
    }
}

/* ---- Static partitions ---- */

static const char *sms_of(struct search *s, uint32_t app) {
    long long sms = s->given[app] * advise_chunk_sms(&s->setup->gpu);
    return ct_arena_format(s->arena, "%lld", sms);
}

/* All ways to give what is left, in whole units, to the applications from `app` on. The last one
 * gets all of it: less would help nobody. */
static void split_chunks(struct search *s, uint32_t app, int64_t left, int64_t unit) {
    uint32_t last = s->setup->app_count - 1;
    if (app == last) {
        s->given[app] = left / instances(s, app);
        if (s->given[app] > 0)
            add_given(s, ADVISE_MPS_STATIC, "mps-static:sms=", sms_of);
        return;
    }
    for (int64_t given = unit; given * instances(s, app) < left; given += unit) {
        s->given[app] = given;
        split_chunks(s, app + 1, left - given * instances(s, app), unit);
    }
}

static void add_static(struct search *s) {
    /* Few applications leave room for finer steps, at about a hundred combinations. */
    int64_t chunks = s->setup->gpu.sms / advise_chunk_sms(&s->setup->gpu);
    int64_t parts = s->setup->app_count == 2 ? 64 : s->setup->app_count == 3 ? 16 : 12;
    split_chunks(s, 0, chunks, (chunks + parts - 1) / parts);
}

/* ---- MIG ---- */

static const char *profile_of(struct search *s, uint32_t app) {
    return s->slices[s->given[app]].name;
}

/*
 * Compute and memory slices that are taken by the applications before `end`. What adds up to no
 * more than the GPU has can be placed: profiles begin at multiples of their memory slices, which
 * are powers of two, so that the larger ones first leave no holes (MIG User Guide, placements).
 */
static bool slices_fit(const struct search *s, uint32_t end) {
    const struct gpu_slice *whole = &s->slices[s->slice_count - 1];
    int64_t compute = 0, memory = 0;
    for (uint32_t a = 0; a < end; a++) {
        compute += s->slices[s->given[a]].compute * instances(s, a);
        memory += s->slices[s->given[a]].memory * instances(s, a);
    }
    return compute <= whole->compute && memory <= whole->memory;
}

static bool holds_footprint(const struct search *s, uint32_t app) {
    double gib = setup_memory_of(s->setup->apps[app].spec);
    double has = setup_memory_slice(&s->setup->gpu, s->slices[s->given[app]].memory,
                                    s->slices[s->slice_count - 1].memory);
    return isnan(gib) || isnan(has) || gib <= has;
}

static bool is_larger(const struct gpu_slice *a, const struct gpu_slice *b) {
    return a->sms >= b->sms && a->memory >= b->memory && (a->sms > b->sms || a->memory > b->memory);
}

/* Whether some application could have a larger profile and the rest their own: then nobody would
 * lose by it. */
static bool wastes_slices(struct search *s) {
    for (uint32_t a = 0; a < s->setup->app_count; a++) {
        int64_t own = s->given[a];
        for (size_t i = 0; i < s->slice_count; i++) {
            s->given[a] = (int64_t)i;
            bool better =
                is_larger(&s->slices[i], &s->slices[own]) && slices_fit(s, s->setup->app_count);
            s->given[a] = own;
            if (better)
                return true;
        }
    }
    return false;
}

static void choose_profiles(struct search *s, uint32_t app) {
    if (app == s->setup->app_count) {
        if (!wastes_slices(s))
            add_given(s, ADVISE_MIG, "mig:profiles=", profile_of);
        return;
    }
    for (size_t i = 0; i < s->slice_count; i++) {
        s->given[app] = (int64_t)i;
        if (slices_fit(s, app + 1) && holds_footprint(s, app))
            choose_profiles(s, app + 1);
    }
}

/* ---- All ways ---- */

int advise_ways_make(const struct setup *setup, struct advise_offer *offer, struct ct_arena *arena,
                     struct ct_diags *diags) {
    struct search s = {.setup = setup, .offer = offer, .arena = arena};
    int64_t capability = setup->gpu.compute_capability;
    bool several = setup->app_count > 1 && setup->app_count <= APPS_MOST;
    add(&s, ADVISE_TIME_SLICES, "timeslice", false);
    if (capability > 0)
        add(&s, ADVISE_MPS, "mps", false);
    if (capability >= VOLTA && has_both_roles(setup))
        add(&s, ADVISE_MPS_PRIORITY, "stream-priority", false);
    if (capability >= VOLTA && several)
        add_caps(&s);
    if (capability >= AMPERE && several)
        add_static(&s);
    s.slice_count = gpu_slices(setup->gpu.mig, setup->gpu.sms, "gpu", s.slices, diags);
    if (s.slice_count && setup->app_count <= APPS_MOST)
        choose_profiles(&s, 0);
    return s.no_memory ? ct_out_of_memory(diags) : CT_OK;
}
