/* Algorithm 2: the ways to give a kernel more SMs, and those that are worth an entry of dlist. */
#include "policies/cqos_worth.h"

#include <math.h>

/*
 * Ways to take SMs: idle ones, which are the first class, and those of each other app. SMs in the
 * same state are interchangeable.
 *
 * A way is worth what cqos_value says of its partition, without a copy for the link, to the last
 * bit. What an app adds depends on its own SMs and on the time of its kernel, and this on other SMs
 * only where it waits for some: as the taker that has none yet (Eq. 5), as who loses all (Eq. 6),
 * or as who has none (Eq. 3). All else is worked out once for all ways of a scene (struct
 * cqos_worth), and these three again only where what they wait for differs.
 */
struct ways {
    struct cqos_scene *scene;
    const struct cqos_weights *weights;
    uint32_t taker, classes;
    uint32_t app[CQOS_APPS_MOST + 1];   /* whose; CQOS_NOBODY: idle */
    int64_t most[CQOS_APPS_MOST + 1];   /* SMs in this state */
    int64_t behind[CQOS_APPS_MOST + 2]; /* SMs in this state and those that follow */
    int64_t taken[CQOS_APPS_MOST + 1];
    int64_t idle;                            /* SMs before any way */
    uint32_t waits, waiting[CQOS_APPS_MOST]; /* other apps that have a kernel and no SM */
    struct cqos_partition partition;         /* under the way last applied */
    /* What the taker's kernel takes on what it gets: t_r, the wait for the first SM, and both. */
    double running_ps, drain_ps, held_ps;
};

static void add_class(struct ways *ways, uint32_t app, int64_t most) {
    if (most <= 0)
        return;
    ways->app[ways->classes] = app;
    ways->most[ways->classes++] = most;
}

static void ways_init(struct ways *ways, struct cqos_scene *scene,
                      const struct cqos_weights *weights, uint32_t taker, enum cqos_reach reach) {
    ways->scene = scene;
    ways->weights = weights;
    ways->taker = taker;
    ways->partition.taker = taker;
    ways->classes = ways->waits = 0;
    ways->idle = cqos_idle_sms(scene);
    add_class(ways, CQOS_NOBODY, ways->idle);
    for (uint32_t i = 0; i < scene->count; i++) {
        ways->partition.sms[i] = (int16_t)scene->apps[i].sms;
        if (i == taker)
            continue;
        if (reach == CQOS_REACH_ALL)
            add_class(ways, i, scene->apps[i].sms);
        if (scene->apps[i].kernel.there && scene->apps[i].sms == 0)
            ways->waiting[ways->waits++] = i;
    }
    ways->behind[ways->classes] = 0;
    for (uint32_t i = ways->classes; i > 0; i--)
        ways->behind[i - 1] = ways->behind[i] + ways->most[i - 1];
}

/* ---- the ways of a group: those that take the same number ---- */

/* From the class `from` on, takes as many as there are until `wanted` are taken. */
static void fill(struct ways *ways, uint32_t from, int64_t wanted) {
    for (uint32_t i = from; i < ways->classes; i++) {
        ways->taken[i] = wanted < ways->most[i] ? wanted : ways->most[i];
        wanted -= ways->taken[i];
    }
}

/* The next way to take the same number, in lexicographic order from the first of `fill`; false:
 * that was the last. */
static bool next_way(struct ways *ways) {
    int64_t after = 0;
    for (uint32_t i = ways->classes; i > 0; i--) {
        if (ways->taken[i - 1] > 0 && after < ways->behind[i]) {
            ways->taken[i - 1]--;
            fill(ways, i, after + 1);
            return true;
        }
        after += ways->taken[i - 1];
    }
    return false;
}

/* The least and the most of a class that can be taken, so that `wanted` are taken of it and those
 * that follow. */
static int64_t least_of(const struct ways *ways, uint32_t class, int64_t wanted) {
    return wanted > ways->behind[class + 1] ? wanted - ways->behind[class + 1] : 0;
}

static int64_t most_of(const struct ways *ways, uint32_t class, int64_t wanted) {
    return wanted < ways->most[class] ? wanted : ways->most[class];
}

/* Draws a way, class by class, uniformly among the numbers that leave the rest a way. */
static void draw_way(struct ways *ways, const struct cqos_search *search, int64_t wanted) {
    for (uint32_t i = 0; i < ways->classes; i++) {
        int64_t least = least_of(ways, i, wanted), most = most_of(ways, i, wanted);
        ways->taken[i] = least;
        if (most > least)
            ways->taken[i] +=
                (int64_t)(search->uniform(search->context) * (double)(most - least + 1));
        wanted -= ways->taken[i];
    }
}

/* Whether there are more than `limit` ways to take as many from the class `from` on; counts them in
 * `count`. */
static bool too_many(const struct ways *ways, uint32_t from, int64_t wanted, int64_t limit,
                     int64_t *count) {
    int64_t least = least_of(ways, from, wanted), most = most_of(ways, from, wanted);
    if (from + 2 >= ways->classes) { /* the last class takes the rest */
        *count += most - least + 1;
        return *count > limit;
    }
    for (int64_t taken = least; taken <= most; taken++)
        if (too_many(ways, from + 1, wanted - taken, limit, count))
            return true;
    return false;
}

/* ---- what a way is worth ---- */

/* Works out what an app is worth on so many SMs if its kernel takes so long. */
static void set_worth(const struct cqos_scene *scene, const struct cqos_weights *weights,
                      uint32_t app, int64_t sms, double kernel) {
    const struct cqos_app *own = &scene->apps[app];
    struct cqos_worth *worth = own->worth;
    worth->quality[sms] = cqos_quality(scene, own, &worth->prospect, sms, kernel);
    worth->used[sms] = cqos_use_of(own, sms);
    worth->value[sms] =
        cqos_value_of(weights, &worth->prospect, worth->quality[sms], worth->used[sms], 0);
}

/* The most that it can be worth if its kernel takes that long or longer: its next copy waits for
 * nobody. All that a value is made of, and how it is rounded, rises or falls with these times. */
static double most_worth(const struct cqos_scene *scene, const struct cqos_weights *weights,
                         uint32_t app, int64_t sms, double kernel) {
    const struct cqos_app *own = &scene->apps[app];
    const struct cqos_prospect *prospect = &own->worth->free;
    return cqos_value_of(weights, prospect, cqos_quality(scene, own, prospect, sms, kernel),
                         cqos_use_of(own, sms), 0);
}

/* Learns what an app is worth with fewer SMs than are known, down to `least`. Without an SM it is
 * worth no more than if it had lost none before the kernel ends that took them (Eq. 6). */
static void learn_less(const struct cqos_scene *scene, const struct cqos_weights *weights,
                       uint32_t app, int64_t least) {
    const struct cqos_app *own = &scene->apps[app];
    struct cqos_worth *worth = own->worth;
    while (worth->least > least) {
        int64_t sms = --worth->least;
        bool waits = own->kernel.there && sms == 0;
        if (!waits)
            set_worth(scene, weights, app, sms,
                      own->kernel.there ? cqos_running_ps(&own->kernel, sms) : 0);
        worth->sums[sms] =
            worth->sums[sms + 1] +
            (waits ? most_worth(scene, weights, app, 0, cqos_running_ps(&own->kernel, own->sms))
                   : worth->value[sms]);
    }
}

void cqos_ways_begin(struct cqos_scene *scene, const struct cqos_weights *weights) {
    static const struct cqos_decision none = {NULL, CQOS_NOBODY, 0, false};
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        struct cqos_worth *worth = app->worth;
        worth->prospect = worth->free = cqos_prospect_of(scene, &none, i);
        worth->free.link_ps = 0;
        worth->least = app->sms + 1;
        worth->sums[worth->least] = 0;
        if (!app->kernel.there || app->sms > 0)
            learn_less(scene, weights, i, app->sms);
        else
            for (int64_t sms = 0; sms <= scene->device.sms; sms++)
                worth->waiting_ps[sms] = -1;
    }
}

/* The taker's kernel begins so late. */
static void set_taker(struct ways *ways, double drain) {
    ways->drain_ps = drain;
    ways->held_ps = ways->running_ps + drain;
    set_worth(ways->scene, ways->weights, ways->taker, ways->partition.sms[ways->taker],
              ways->held_ps);
}

/* The last term of Eq. 5, as in cqos_value. */
static double drain_of(const struct ways *ways) {
    const struct cqos_app *apps = ways->scene->apps;
    double first = INFINITY;
    if (apps[ways->taker].sms > 0 || (ways->app[0] == CQOS_NOBODY && ways->taken[0] > 0))
        return 0;
    for (uint32_t i = 0; i < ways->classes; i++)
        if (ways->taken[i] > 0 && apps[ways->app[i]].kernel.block_ps < first)
            first = apps[ways->app[i]].kernel.block_ps;
    return first;
}

/* Whoever loses SMs; Eq. 6 where it waits for the taker. */
static void set_victim(const struct ways *ways, uint32_t app) {
    const struct cqos_app *own = &ways->scene->apps[app];
    int64_t sms = ways->partition.sms[app];
    bool victim = own->kernel.there && sms < own->sms;
    if (victim && (sms == 0 || ways->weights->every_victim))
        set_worth(ways->scene, ways->weights, app, sms,
                  cqos_running_ps(&own->kernel, sms > 0 ? sms : own->sms) + ways->held_ps);
    else if (sms < own->worth->least)
        learn_less(ways->scene, ways->weights, app, sms);
}

/* Under a way: SMs for who has none, and when they are there. */
struct room {
    double ps;
    int64_t sms;
};

/* Idle ones now, else those of the first end of all that have some. */
static struct room room_of(const struct ways *ways) {
    const struct cqos_scene *scene = ways->scene;
    int64_t idle = ways->idle - (ways->app[0] == CQOS_NOBODY ? ways->taken[0] : 0);
    struct room first = {.ps = INFINITY};
    if (idle > 0)
        return (struct room){0, idle};
    for (uint32_t i = 0; i < scene->count; i++) {
        int64_t sms = ways->partition.sms[i];
        if (!scene->apps[i].kernel.there || sms == 0)
            continue;
        double end =
            i == ways->taker ? ways->held_ps : cqos_running_ps(&scene->apps[i].kernel, sms);
        if (end < first.ps)
            first = (struct room){end, sms};
    }
    return first;
}

/* Who has no SM waits for some (Eq. 3). */
static void set_waiting(const struct ways *ways) {
    const struct cqos_scene *scene = ways->scene;
    struct room room = room_of(ways);
    int64_t leaves = room.sms;
    for (uint32_t w = 0; w < ways->waits; w++) {
        const struct cqos_app *own = &scene->apps[ways->waiting[w]];
        struct cqos_worth *worth = own->worth;
        double kernel = room.ps + cqos_running_ps(&own->kernel, leaves);
        if (worth->waiting_ps[leaves] != kernel) {
            worth->waiting_ps[leaves] = kernel;
            worth->waiting_quality[leaves] = cqos_quality(scene, own, &worth->prospect, 0, kernel);
        }
        worth->quality[0] = worth->waiting_quality[leaves];
        worth->used[0] = 0;
        worth->value[0] = cqos_value_of(ways->weights, &worth->prospect, worth->quality[0], 0, 0);
    }
}

static double value_of(struct ways *ways) {
    const struct cqos_scene *scene = ways->scene;
    bool steady = ways->weights->change == CQOS_CHANGE_NONE;
    double sum = 0, drain = drain_of(ways),
           change = steady ? 0 : cqos_steadiness(scene, ways->weights, &ways->partition);
    if (drain != ways->drain_ps)
        set_taker(ways, drain);
    for (uint32_t i = 0; i < ways->classes; i++)
        if (ways->app[i] != CQOS_NOBODY)
            set_victim(ways, ways->app[i]);
    if (ways->waits > 0)
        set_waiting(ways);
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_worth *worth = scene->apps[i].worth;
        int64_t sms = ways->partition.sms[i];
        sum += steady ? worth->value[sms]
                      : cqos_value_of(ways->weights, &worth->prospect, worth->quality[sms],
                                      worth->used[sms], change);
    }
    return sum;
}

/* ---- groups ---- */

struct group {
    int64_t changed;   /* SMs that the taker gets */
    double mean, best; /* of the values of its ways, without the potential */
    struct cqos_partition best_partition;
};

/* The profiled groups with the highest means; among equal ones those with fewer changed SMs. */
struct best_groups {
    uint32_t count;
    struct group groups[CQOS_GROUPS];
};

/* The taker gets so many SMs. */
static void begin_group(struct ways *ways, int64_t changed) {
    const struct cqos_app *app = &ways->scene->apps[ways->taker];
    int64_t sms = app->sms + changed;
    ways->partition.sms[ways->taker] = (int16_t)sms;
    ways->running_ps = cqos_running_ps(&app->kernel, sms);
    set_taker(ways, 0);
    fill(ways, 0, changed);
}

/* Takes from the others what is taken. */
static void apply_way(struct ways *ways) {
    const struct cqos_app *apps = ways->scene->apps;
    for (uint32_t i = 0; i < ways->classes; i++)
        if (ways->app[i] != CQOS_NOBODY)
            ways->partition.sms[ways->app[i]] = (int16_t)(apps[ways->app[i]].sms - ways->taken[i]);
}

/* More ways than are profiled at most: as many are drawn. */
static bool is_drawn(const struct ways *ways, const struct cqos_search *search, int64_t changed) {
    int64_t count = 0;
    return too_many(ways, 0, changed, search->profiles, &count);
}

static void profile_group(struct ways *ways, const struct cqos_search *search, bool drawn,
                          struct group *group) {
    double sum = 0;
    int64_t profiled = 0;
    group->best = -INFINITY;
    begin_group(ways, group->changed);
    do {
        if (drawn)
            draw_way(ways, search, group->changed);
        apply_way(ways);
        double value = value_of(ways);
        if (profiled == 0 || cqos_rounded(value) > cqos_rounded(group->best)) {
            group->best = value;
            cqos_partition_copy(ways->scene, &ways->partition, &group->best_partition);
        }
        sum += value;
        profiled++;
    } while (drawn ? profiled < search->profiles : next_way(ways));
    group->mean = sum / (double)profiled;
}

static void copy_group(const struct cqos_scene *scene, const struct group *from, struct group *to) {
    to->changed = from->changed;
    to->mean = from->mean;
    cqos_partition_copy(scene, &from->best_partition, &to->best_partition);
}

static bool is_before(const struct group *a, const struct group *b) {
    double first = cqos_rounded(a->mean), second = cqos_rounded(b->mean);
    return first > second || (first == second && a->changed < b->changed);
}

static void add_group(struct ways *ways, const struct cqos_search *search, int64_t changed,
                      bool drawn, struct best_groups *best) {
    struct group group;
    group.changed = changed;
    profile_group(ways, search, drawn, &group);
    uint32_t at = best->count;
    if (at < CQOS_GROUPS)
        best->count++;
    else if (is_before(&group, &best->groups[at - 1]))
        at--;
    else
        return;
    for (; at > 0 && is_before(&group, &best->groups[at - 1]); at--)
        copy_group(ways->scene, &best->groups[at - 1], &best->groups[at]);
    copy_group(ways->scene, &group, &best->groups[at]);
}

/*
 * The mean of a group is at most this, where each of up to two classes is taken from in turn: what
 * the taker is worth if it begins at once, the mean of those that lose SMs, who each have so many
 * in one way and one more in the next, the others as they are, and those that wait as if they did
 * not. Sums are rounded otherwise than those of the ways, by far less than what is added here.
 */
static double bound_of(const struct ways *ways, int64_t changed, double others) {
    const struct cqos_scene *scene = ways->scene;
    const struct cqos_app *taker = &scene->apps[ways->taker];
    int64_t sms = taker->sms + changed, least = least_of(ways, 0, changed),
            most = most_of(ways, 0, changed);
    double bound = others + most_worth(scene, ways->weights, ways->taker, sms,
                                       cqos_running_ps(&taker->kernel, sms));
    for (uint32_t i = 0; i < ways->classes; i++) {
        if (ways->app[i] == CQOS_NOBODY)
            continue;
        int64_t from = ways->most[i] - (i == 0 ? most : changed - least),
                to = ways->most[i] - (i == 0 ? least : changed - most);
        learn_less(scene, ways->weights, ways->app[i], from);
        const double *sums = scene->apps[ways->app[i]].worth->sums;
        bound += (sums[from] - sums[to + 1]) / (double)(most - least + 1);
    }
    return bound + 1e-9 * (1 + fabs(bound));
}

/* What those add whose SMs do not change, at most. */
static double others_of(const struct ways *ways) {
    const struct cqos_scene *scene = ways->scene;
    double sum = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        bool changes = i == ways->taker;
        for (uint32_t c = 0; c < ways->classes; c++)
            changes |= ways->app[c] == i;
        if (changes)
            continue;
        const struct cqos_app *app = &scene->apps[i];
        sum += app->kernel.there && app->sms == 0 ? most_worth(scene, ways->weights, i, 0, 0)
                                                  : app->worth->value[app->sms];
    }
    return sum;
}

static bool has_bounds(const struct ways *ways) {
    return ways->classes <= 2 && ways->weights->change == CQOS_CHANGE_NONE &&
           !ways->weights->every_victim;
}

/* Profiles a group, unless it has been or cannot be among the best. */
static void try_group(struct ways *ways, const struct cqos_search *search, int64_t changed,
                      double bound, struct best_groups *best) {
    bool may_be = best->count < CQOS_GROUPS ||
                  cqos_rounded(bound) >= cqos_rounded(best->groups[CQOS_GROUPS - 1].mean);
    if (bound > -INFINITY && may_be)
        add_group(ways, search, changed, false, best);
}

/* Draws come one after the other. Of the other groups, which are alike where as many SMs change,
 * those about the highest bound come first. */
static void find_best(struct ways *ways, const struct cqos_search *search, int64_t most,
                      struct best_groups *best) {
    bool bounded = has_bounds(ways);
    double bounds[CQOS_SMS_MOST + 1], others = bounded ? others_of(ways) : 0;
    int64_t highest = 1;
    for (int64_t changed = 1; changed <= most; changed++) {
        bool drawn = is_drawn(ways, search, changed);
        bounds[changed] = -INFINITY;
        if (drawn || !bounded)
            add_group(ways, search, changed, drawn, best);
        else
            bounds[changed] = bound_of(ways, changed, others);
        highest = bounds[changed] > bounds[highest] ? changed : highest;
    }
    for (int64_t changed = highest; changed > 0; changed--)
        try_group(ways, search, changed, bounds[changed], best);
    for (int64_t changed = highest + 1; changed <= most; changed++)
        try_group(ways, search, changed, bounds[changed], best);
}

/* Groups are by the number of changed SMs: at most what the kernel's blocks need and what there is.
 * Takes the best of each of the groups with the highest mean (line 1 of Algorithm 2). */
void cqos_ways_add(struct cqos_scene *scene, struct cqos_search *search, uint32_t taker,
                   enum cqos_reach reach) {
    struct ways ways;
    struct best_groups best;
    best.count = 0;
    ways_init(&ways, scene, &search->weights, taker, reach);
    int64_t most = scene->apps[taker].kernel.need - scene->apps[taker].sms;
    most = ways.behind[0] < most ? ways.behind[0] : most;
    if (most <= 0)
        return;
    find_best(&ways, search, most, &best);
    for (uint32_t i = 0; i < best.count; i++)
        cqos_partition_copy(scene, &best.groups[i].best_partition,
                            &search->partitions[search->partition_count++]);
}
