/* The decisions that a scene allows, and the choice among them: C-QoS Algorithms 1 and 2. */
#include "policies/cqos.h"

/* Ways to take SMs: idle ones, and those of each other app. SMs in the same state are
 * interchangeable. */
struct ways {
    const struct cqos_scene *scene;
    uint32_t taker, classes;
    uint32_t app[CQOS_APPS_MOST + 1];   /* whose; CQOS_NOBODY: idle */
    int64_t most[CQOS_APPS_MOST + 1];   /* SMs in this state */
    int64_t behind[CQOS_APPS_MOST + 2]; /* SMs in this state and those that follow */
    int64_t taken[CQOS_APPS_MOST + 1];
    struct cqos_partition partition; /* under the way last applied */
};

struct cqos_partition cqos_partition_now(const struct cqos_scene *scene) {
    struct cqos_partition now = {.taker = CQOS_NOBODY};
    for (uint32_t i = 0; i < scene->count; i++)
        now.sms[i] = (int16_t)scene->apps[i].sms;
    return now;
}

static void copy_partition(const struct cqos_scene *scene, const struct cqos_partition *from,
                           struct cqos_partition *to) {
    to->taker = from->taker;
    for (uint32_t i = 0; i < scene->count; i++)
        to->sms[i] = from->sms[i];
}

static void add_class(struct ways *ways, uint32_t app, int64_t most) {
    if (most <= 0)
        return;
    ways->app[ways->classes] = app;
    ways->most[ways->classes++] = most;
}

int64_t cqos_idle_sms(const struct cqos_scene *scene) {
    int64_t idle = scene->device.sms;
    for (uint32_t i = 0; i < scene->count; i++)
        idle -= scene->apps[i].sms;
    ct_policy_assert(idle >= 0);
    return idle;
}

bool cqos_kernel_waits(const struct cqos_scene *scene) {
    if (cqos_idle_sms(scene) == 0)
        return false;
    for (uint32_t i = 0; i < scene->count; i++)
        if (scene->apps[i].kernel.there && scene->apps[i].sms == 0)
            return true;
    return false;
}

static void ways_init(struct ways *ways, const struct cqos_scene *scene, uint32_t taker,
                      enum cqos_reach reach) {
    ways->scene = scene;
    ways->taker = taker;
    ways->partition = cqos_partition_now(scene);
    ways->partition.taker = taker;
    ways->classes = 0;
    add_class(ways, CQOS_NOBODY, cqos_idle_sms(scene));
    for (uint32_t i = 0; i < scene->count; i++)
        if (i != taker && reach == CQOS_REACH_ALL)
            add_class(ways, i, scene->apps[i].sms);
    ways->behind[ways->classes] = 0;
    for (uint32_t i = ways->classes; i > 0; i--)
        ways->behind[i - 1] = ways->behind[i] + ways->most[i - 1];
}

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

/* Gives the taker what is taken from the others. */
static void apply_way(struct ways *ways, int64_t changed) {
    const struct cqos_app *apps = ways->scene->apps;
    for (uint32_t i = 0; i < ways->classes; i++)
        if (ways->app[i] != CQOS_NOBODY)
            ways->partition.sms[ways->app[i]] = (int16_t)(apps[ways->app[i]].sms - ways->taken[i]);
    ways->partition.sms[ways->taker] = (int16_t)(apps[ways->taker].sms + changed);
}

/* A possibility of the group: its value without the potential. */
static void profile(const struct ways *ways, struct cqos_search *search, struct cqos_group *group) {
    double value = cqos_profile_value(ways->scene, &search->weights, &ways->partition);
    if (group->count == 0 || value > group->best) {
        group->best = value;
        copy_partition(ways->scene, &ways->partition, &group->best_partition);
    }
    group->sum += value;
    group->count++;
}

static void profile_group(struct ways *ways, struct cqos_search *search, int64_t changed) {
    struct cqos_group *group = &search->groups[changed];
    group->sum = group->best = 0;
    group->count = 0;
    int64_t count = 0;
    bool drawn = too_many(ways, 0, changed, search->profiles, &count);
    fill(ways, 0, changed);
    do {
        if (drawn)
            draw_way(ways, search, changed);
        apply_way(ways, changed);
        profile(ways, search, group);
    } while (drawn ? group->count < search->profiles : next_way(ways));
}

/* The best of each of the groups with the highest mean (line 1 of Algorithm 2); of equal ones, with
 * fewer changed SMs. */
static void take_groups(const struct cqos_scene *scene, struct cqos_search *search, int64_t count) {
    for (int n = 0; n < CQOS_GROUPS; n++) {
        struct cqos_group *best = NULL;
        for (int64_t c = 1; c <= count; c++) {
            struct cqos_group *group = &search->groups[c];
            if (group->count > 0 && (!best || group->sum / group->count > best->sum / best->count))
                best = group;
        }
        if (!best)
            return;
        copy_partition(scene, &best->best_partition,
                       &search->partitions[search->partition_count++]);
        best->count = 0;
    }
}

/* Groups are by the number of changed SMs: at most what the kernel's blocks need and what there is.
 */
static void add_partitions(const struct cqos_scene *scene, struct cqos_search *search,
                           uint32_t taker, enum cqos_reach reach) {
    const struct cqos_app *app = &scene->apps[taker];
    struct ways ways;
    ways_init(&ways, scene, taker, reach);
    int64_t most = app->kernel.need - app->sms;
    most = ways.behind[0] < most ? ways.behind[0] : most;
    for (int64_t changed = 1; changed <= most; changed++)
        profile_group(&ways, search, changed);
    take_groups(scene, search, most);
}

/* Nothing would run, although a kernel could: holding all SMs is then no decision. */
static bool must_change(const struct cqos_scene *scene) {
    bool kernels = false;
    for (uint32_t i = 0; i < scene->count; i++) {
        kernels |= scene->apps[i].kernel.there;
        if (scene->apps[i].kernel.there && scene->apps[i].sms > 0)
            return false;
    }
    return kernels;
}

static void list_partitions(struct cqos_scene *scene, struct cqos_search *search,
                            enum cqos_reach reach) {
    struct cqos_partition now = cqos_partition_now(scene);
    search->partition_count = 0;
    if (reach == CQOS_REACH_NONE || (reach == CQOS_REACH_ALL && !must_change(scene)))
        copy_partition(scene, &now, &search->partitions[search->partition_count++]);
    if (reach == CQOS_REACH_NONE)
        return;
    cqos_profile_begin(scene);
    for (uint32_t i = 0; i < scene->count; i++)
        if (scene->apps[i].kernel.there)
            add_partitions(scene, search, i, reach);
}

/* Apps whose copy the idle engine could be given, the candidates of Algorithm 1, and last, unless
 * the link is never to be left idle, nobody: the entries of Algorithm 2 launch none. Only a kernel
 * that will have ended brings the period in which the link is not left idle any more, and no copy
 * is passed over twice. */
static uint32_t list_copies(const struct cqos_scene *scene, const struct cqos_search *search,
                            uint32_t engine, uint32_t *copiers) {
    uint32_t count = 0;
    bool rest = false, over = search->idle_link == CQOS_IDLE_LINK_NEVER;
    if (scene->busy_ps[engine] > 0)
        return 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_copy *copy = &scene->apps[i].copies[engine];
        rest |= scene->apps[i].kernel.there;
        if (!copy->there || copy->running)
            continue;
        over |= copy->passed_over;
        copiers[count++] = i;
    }
    if (count > 0 && rest && !over)
        copiers[count++] = CQOS_NOBODY;
    return count;
}

static double evaluate(struct cqos_scene *scene, const struct cqos_search *search,
                       const struct cqos_decision *decision) {
    double value = cqos_value(scene, &search->weights, decision);
    return search->look_ahead ? value + cqos_potential(scene, &search->weights, decision) : value;
}

/* Holding all SMs and launching no copy, which neither algorithm lists: where it would stand in
 * dlist. UINT64_MAX: it does not, or may. */
static uint64_t left_out(const struct cqos_search *search, const uint32_t *copiers,
                         uint32_t copies) {
    bool rests = copies > 0 && copiers[copies - 1] == CQOS_NOBODY;
    bool holds = search->partition_count > 0 && search->partitions[0].taker == CQOS_NOBODY;
    return search->idle_link == CQOS_IDLE_LINK_CHANGED && rests && holds
               ? (uint64_t)search->partition_count * (copies - 1)
               : UINT64_MAX;
}

/* Entry `index` of dlist. */
static struct cqos_decision entry(const struct cqos_search *search, const uint32_t *copiers,
                                  uint32_t copies, uint32_t engine, uint64_t index) {
    uint32_t copier = copies > 0 ? copiers[index / search->partition_count] : CQOS_NOBODY;
    return (struct cqos_decision){.partition = &search->partitions[index % search->partition_count],
                                  .copier = copier,
                                  .engine = engine,
                                  .rests = copies > 0 && copier == CQOS_NOBODY};
}

bool cqos_search(struct cqos_scene *scene, struct cqos_search *search, uint32_t engine,
                 enum cqos_reach reach) {
    uint32_t copiers[CQOS_APPS_MOST + 1];
    uint32_t copies = reach == CQOS_REACH_IDLE ? 0 : list_copies(scene, search, engine, copiers);
    list_partitions(scene, search, reach);
    uint64_t without = left_out(search, copiers, copies);
    search->candidates =
        (uint64_t)search->partition_count * (copies > 0 ? copies : 1) - (without != UINT64_MAX);
    if (search->candidates == 0 ||
        (search->candidates == 1 && copies == 0 && search->partitions[0].taker == CQOS_NOBODY))
        return false;
    uint64_t chosen = 0;
    search->random = !search->drawn && search->uniform(search->context) < search->epsilon;
    search->drawn = true;
    if (search->random)
        chosen = (uint64_t)(search->uniform(search->context) * (double)search->candidates);
    for (uint64_t i = 0; i < search->candidates; i++) {
        if (search->random && i != chosen)
            continue;
        struct cqos_decision decision =
            entry(search, copiers, copies, engine, i < without ? i : i + 1);
        double value = evaluate(scene, search, &decision);
        if (i == 0 || search->random || value > search->value) {
            search->value = value;
            search->decision = decision;
        }
    }
    return true;
}
