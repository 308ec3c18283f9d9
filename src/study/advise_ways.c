/* The candidates of an advice. */
#include "models/device/gpu_slices.h"
#include "study/advise_types.h"

#include "workload/setup_memory.h"

#include <math.h>
#include <string.h>

enum {
    /* Applications that get settings of their own: more have too many combinations. */
    APPS_MOST = 16,
    /* Compute capabilities: MPS has caps and priorities from Volta on, static partitions from
     * Ampere on. */
    VOLTA = 70,
    AMPERE = 80,
    HOPPER = 90,
    /* Applications whose groupings in MIG instances are all tried. */
    SHARING_MOST = 4
};

/* Settings by application, one after the other. */
struct search {
    const struct setup *setup;
    struct advise_offer *offer;
    struct ct_arena *arena;
    int64_t given[APPS_MOST], with[APPS_MOST], caps[APPS_MOST];
    uint32_t number; /* of policies so far */
    struct gpu_slice slices[GPU_SLICES_MOST];
    size_t slice_count;
    bool no_memory;
};

const char *advise_way_name(enum advise_way way) {
    static const char *const names[ADVISE_WAYS] = {
        "time slices", "MPS", "MPS, priorities", "MPS, caps", "MPS, static", "MIG", "MPS in MIG"};
    return names[way];
}

int64_t advise_chunk_sms(const struct gpu *gpu) {
    return gpu->compute_capability >= HOPPER ? 8 : 4;
}

static const int64_t *keep(struct search *s, const int64_t *by_app) {
    size_t size = s->setup->app_count * sizeof *by_app;
    int64_t *copy = ct_arena_alloc(s->arena, size);
    if (copy)
        memcpy(copy, by_app, size);
    s->no_memory = s->no_memory || !copy;
    return copy;
}

static void push(struct search *s, const struct advise_candidate *candidate) {
    if (!candidate->policy || !ct_vec_push(&s->offer->candidates, *candidate))
        s->no_memory = true;
}

/* Adds a candidate, with what the way has to set as it stands in the search. */
static void add(struct search *s, enum advise_way way, const char *policy) {
    bool given = way >= ADVISE_MPS_CAPS, shared = way == ADVISE_MIG_MPS;
    struct advise_candidate candidate = {.way = way,
                                         .policy = policy,
                                         .number = s->number++,
                                         .given = given ? keep(s, s->given) : NULL,
                                         .with = shared ? keep(s, s->with) : NULL,
                                         .caps = shared ? keep(s, s->caps) : NULL,
                                         .parent = ADVISE_FIRST};
    push(s, &candidate);
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
    add(s, way, policy);
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

bool advise_has_company(const struct setup *setup, const int64_t *with, uint32_t app) {
    for (uint32_t a = 0; with && a < setup->app_count; a++)
        if (a != app && with[a] == with[app])
            return true;
    return false;
}

int64_t advise_slices(const struct setup *setup, const int64_t *with, uint32_t app) {
    if (with && with[app] != (int64_t)app)
        return 0;
    return advise_has_company(setup, with, app) ? 1 : setup->apps[app].spec->instances;
}

static int64_t slices_of(const struct search *s, uint32_t app) {
    return advise_slices(s->setup, s->with, app);
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
        compute += s->slices[s->given[a]].compute * slices_of(s, a);
        memory += s->slices[s->given[a]].memory * slices_of(s, a);
    }
    return compute <= whole->compute && memory <= whole->memory;
}

/* GiB of all that share the application's instance, as far as they are known. */
static double footprint(const struct search *s, uint32_t app) {
    double sum = 0;
    for (uint32_t a = 0; a < s->setup->app_count; a++) {
        double gib = setup_memory_of(s->setup->apps[a].spec);
        if (s->with[a] == (int64_t)app && !isnan(gib))
            sum += gib * (double)(slices_of(s, app) == 1 ? instances(s, a) : 1);
    }
    return sum;
}

static bool holds_footprint(const struct search *s, uint32_t app) {
    double has = setup_memory_slice(&s->setup->gpu, s->slices[s->given[app]].memory,
                                    s->slices[s->slice_count - 1].memory);
    return isnan(has) || footprint(s, app) <= has;
}

static bool is_larger(const struct gpu_slice *a, const struct gpu_slice *b) {
    return a->sms >= b->sms && a->memory >= b->memory && (a->sms > b->sms || a->memory > b->memory);
}

/* Whether some application could have a larger profile and the rest their own: then nobody would
 * lose by it. */
static bool wastes_slices(struct search *s) {
    for (uint32_t a = 0; a < s->setup->app_count; a++) {
        int64_t own = s->given[a];
        for (size_t i = 0; i < s->slice_count && slices_of(s, a) > 0; i++) {
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

/* Profiles for the applications from `app` on that have an instance; each full choice is handed to
 * `found`. */
static void choose_profiles(struct search *s, uint32_t app, void (*found)(struct search *s)) {
    if (app == s->setup->app_count) {
        if (!wastes_slices(s))
            found(s);
        return;
    }
    if (slices_of(s, app) == 0) {
        s->given[app] = 0;
        choose_profiles(s, app + 1, found);
        return;
    }
    for (size_t i = 0; i < s->slice_count; i++) {
        s->given[app] = (int64_t)i;
        if (slices_fit(s, app + 1) && holds_footprint(s, app))
            choose_profiles(s, app + 1, found);
    }
}

static void add_mig(struct search *s) {
    add_given(s, ADVISE_MIG, "mig:profiles=", profile_of);
}

/* ---- MPS in MIG ---- */

/* "mig:profiles=a=3g+b=4g:shared=c=b" and, below 100 %, ":caps=b=50". */
static const char *shared_policy(struct search *s) {
    const char *profiles = "", *shared = "", *caps = "";
    for (uint32_t a = 0; a < s->setup->app_count && profiles && shared && caps; a++) {
        const char *name = s->setup->apps[a].spec->name,
                   *owner = s->setup->apps[s->with[a]].spec->name;
        bool owns = s->with[a] == (int64_t)a, together = advise_has_company(s->setup, s->with, a);
        if (owns)
            profiles = ct_arena_format(s->arena, "%s%s%s=%s", profiles, *profiles ? "+" : "", name,
                                       profile_of(s, a));
        if (!owns || (together && instances(s, a) > 1))
            shared =
                ct_arena_format(s->arena, "%s%s%s=%s", shared, *shared ? "+" : "", name, owner);
        if (s->caps[a] < 100)
            caps = ct_arena_format(s->arena, "%s%s%s=%lld", caps, *caps ? "+" : "", name,
                                   (long long)s->caps[a]);
    }
    if (!profiles || !shared || !caps)
        return NULL;
    return ct_arena_format(s->arena, "mig:profiles=%s:shared=%s%s%s", profiles, shared,
                           *caps ? ":caps=" : "", caps);
}

/* Each of those that have company at half of its instance, or at all of it. */
static void add_grouping(struct search *s) {
    for (uint32_t n = 0; n < 1u << s->setup->app_count; n++) {
        bool sound = true;
        for (uint32_t a = 0; a < s->setup->app_count; a++) {
            bool capped = n & 1u << a;
            s->caps[a] = capped ? 50 : 100;
            sound = sound && (!capped || advise_has_company(s->setup, s->with, a));
        }
        if (sound)
            add(s, ADVISE_MIG_MPS, shared_policy(s));
    }
}

/* Every way to put the applications from `app` on into groups of which at least one is shared and
 * that are two at least: one alone is MPS on the whole GPU. */
static void group_apps(struct search *s, uint32_t app, uint32_t groups) {
    if (app == s->setup->app_count) {
        if (groups > 1 && groups < s->setup->app_count)
            choose_profiles(s, 0, add_grouping);
        return;
    }
    for (uint32_t owner = 0; owner <= app; owner++) {
        if (owner < app && s->with[owner] != (int64_t)owner)
            continue;
        s->with[app] = owner;
        group_apps(s, app + 1, groups + (owner == app));
    }
}

/* ---- Besides the way ---- */

/* Each change of the workload, for each setting of a way. */
static void add_changed(struct search *s, const struct advise_changes *changes) {
    size_t count = s->offer->candidates.count;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < changes->count; c++) {
            struct advise_candidate candidate = s->offer->candidates.items[i];
            const struct advise_change *change = changes->items[c];
            if (change->slices && candidate.way != ADVISE_TIME_SLICES)
                continue;
            candidate.change = change;
            candidate.parent = (uint32_t)i;
            push(s, &candidate);
        }
}

/* ---- All ways ---- */

int advise_ways_make(const struct setup *setup, const struct advise_changes *changes,
                     struct advise_offer *offer, struct ct_arena *arena, struct ct_diags *diags) {
    struct search s = {.setup = setup, .offer = offer, .arena = arena};
    int64_t capability = setup->gpu.compute_capability;
    bool several = setup->app_count > 1 && setup->app_count <= APPS_MOST;
    add(&s, ADVISE_TIME_SLICES, "timeslice");
    if (capability > 0)
        add(&s, ADVISE_MPS, "mps");
    if (capability >= VOLTA && has_both_roles(setup))
        add(&s, ADVISE_MPS_PRIORITY, "stream-priority");
    if (capability >= VOLTA && several)
        add_caps(&s);
    if (capability >= AMPERE && several)
        add_static(&s);
    s.slice_count = gpu_slices(setup->gpu.mig, setup->gpu.sms, "gpu", s.slices, diags);
    for (uint32_t a = 0; a < APPS_MOST; a++)
        s.with[a] = a;
    if (s.slice_count && setup->app_count <= APPS_MOST)
        choose_profiles(&s, 0, add_mig);
    if (s.slice_count && setup->app_count <= SHARING_MOST &&
        setup->workload->fidelity != DEVICE_BLOCK)
        group_apps(&s, 0, 0);
    add_changed(&s, changes);
    return s.no_memory ? ct_out_of_memory(diags) : CT_OK;
}
