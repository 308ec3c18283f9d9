/* The decisions that a scene allows, and the choice among them: C-QoS Algorithms 1 and 2. */
#include "policies/cqos.h"

struct cqos_partition cqos_partition_now(const struct cqos_scene *scene) {
    struct cqos_partition now = {.taker = CQOS_NOBODY};
    for (uint32_t i = 0; i < scene->count; i++)
        now.sms[i] = (int16_t)scene->apps[i].sms;
    return now;
}

void cqos_partition_copy(const struct cqos_scene *scene, const struct cqos_partition *from,
                         struct cqos_partition *to) {
    to->taker = from->taker;
    for (uint32_t i = 0; i < scene->count; i++)
        to->sms[i] = from->sms[i];
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
        cqos_partition_copy(scene, &now, &search->partitions[search->partition_count++]);
    if (reach == CQOS_REACH_NONE)
        return;
    cqos_ways_begin(scene, &search->weights);
    for (uint32_t i = 0; i < scene->count; i++)
        if (scene->apps[i].kernel.there)
            cqos_ways_add(scene, search, i, reach);
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
        if (i == 0 || search->random || cqos_rounded(value) > cqos_rounded(search->value)) {
            search->value = value;
            search->decision = decision;
        }
    }
    return true;
}
