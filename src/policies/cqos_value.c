/* What a decision is worth: C-QoS Eq. 8 to 12 on a scene. */
#include "policies/cqos_worth.h"

#include <math.h>
#include <string.h>

/* ---- resources (Eq. 1) ---- */

/* Blocks on each of these SMs, spread evenly. */
static double blocks_on_sm(const struct cqos_kernel *kernel, int64_t sms) {
    double spread = sms > 0 ? kernel->blocks / (double)sms : 0;
    return spread < kernel->blocks_per_sm ? spread : kernel->blocks_per_sm;
}

static double largest_use(const struct cqos_kernel *kernel) {
    double most = 0;
    for (int r = 0; r < CQOS_RESOURCES; r++)
        most = kernel->use[r] > most ? kernel->use[r] : most;
    return most;
}

/* The part of an SM that a kernel takes of its dominant resource, on each of `sms`; 0 without an
 * SM. */
static double cqos_dominant(const struct cqos_kernel *kernel, int64_t sms) {
    return sms > 0 ? blocks_on_sm(kernel, sms) * largest_use(kernel) : 0;
}

double cqos_dominant_share(const struct cqos_device *device, const struct cqos_kernel *kernel,
                           int64_t sms) {
    return cqos_dominant(kernel, sms) * (double)sms / (double)device->sms;
}

double cqos_use_sum(const struct cqos_device *device, const struct cqos_kernel *kernel,
                    int64_t sms) {
    double sum = 0, blocks = blocks_on_sm(kernel, sms) * (double)sms;
    for (int r = 0; r < CQOS_RESOURCES; r++)
        sum += blocks * kernel->use[r] / (double)device->sms;
    return sum;
}

/* ---- completion (Eq. 2 to 7) ---- */

/* The last term of Eq. 5: until the first SM that changes hands is free. 0: it has one already. */
static double drain_ps(const struct cqos_scene *scene, const struct cqos_partition *partition) {
    const struct cqos_app *taker = &scene->apps[partition->taker];
    if (taker->sms > 0)
        return 0;
    int64_t lost = 0, gained = partition->sms[partition->taker] - taker->sms;
    double first = INFINITY;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        if (partition->sms[i] >= app->sms)
            continue;
        lost += app->sms - partition->sms[i];
        first = app->kernel.block_ps < first ? app->kernel.block_ps : first;
    }
    return lost < gained || lost == 0 ? 0 : first;
}

/* The time of a kernel with SMs: Eq. 3 without a wait, or Eq. 5. */
static double held_ps(const struct cqos_scene *scene, const struct cqos_partition *partition,
                      uint32_t app) {
    return cqos_running_ps(&scene->apps[app].kernel, partition->sms[app]) +
           (partition->taker == app ? drain_ps(scene, partition) : 0);
}

/* The first end of a kernel with SMs under a partition. */
struct end {
    double ps;   /* INFINITY: there is none */
    int64_t sms; /* that it leaves */
};

static struct end first_end(const struct cqos_scene *scene,
                            const struct cqos_partition *partition) {
    struct end first = {.ps = INFINITY};
    for (uint32_t i = 0; i < scene->count; i++) {
        if (!scene->apps[i].kernel.there || partition->sms[i] == 0)
            continue;
        double end = held_ps(scene, partition, i);
        if (end < first.ps)
            first = (struct end){end, partition->sms[i]};
    }
    return first;
}

int64_t cqos_idle_under(const struct cqos_scene *scene, const struct cqos_partition *partition) {
    int64_t idle = scene->device.sms;
    for (uint32_t i = 0; i < scene->count; i++)
        idle -= partition->sms[i];
    return idle;
}

/* The time of a kernel without an SM: t_w of Eq. 3 lasts until some are there. Idle ones are there
 * now, others when the first kernel ends that has some. */
static double waiting_ps(const struct cqos_scene *scene, const struct cqos_partition *partition,
                         const struct cqos_kernel *kernel) {
    int64_t idle = cqos_idle_under(scene, partition);
    struct end first = idle > 0 ? (struct end){0, idle} : first_end(scene, partition);
    return first.sms > 0 ? first.ps + cqos_running_ps(kernel, first.sms) : INFINITY;
}

/* 0: without a kernel. */
static double kernel_ps(const struct cqos_scene *scene, const struct cqos_weights *weights,
                        const struct cqos_partition *partition, uint32_t app) {
    const struct cqos_app *own = &scene->apps[app];
    if (!own->kernel.there)
        return 0;
    int64_t sms = partition->sms[app];
    bool victim = sms < own->sms && partition->taker != CQOS_NOBODY;
    if (sms > 0 && !(victim && weights->every_victim))
        return held_ps(scene, partition, app);
    if (victim) /* Eq. 6 */
        return cqos_running_ps(&own->kernel, sms > 0 ? sms : own->sms) +
               held_ps(scene, partition, partition->taker);
    return waiting_ps(scene, partition, &own->kernel);
}

static bool is_chosen(const struct cqos_decision *decision, uint32_t app, uint32_t engine) {
    return decision->copier == app && decision->engine == engine;
}

/* Time until the link is free for a copy that is not chosen: t_w of Eq. 7. A link that rests does
 * so until the next period. */
static double link_ps(const struct cqos_scene *scene, const struct cqos_decision *decision,
                      uint32_t engine) {
    if (decision->rests && decision->engine == engine)
        return first_end(scene, decision->partition).ps;
    if (decision->copier == CQOS_NOBODY || decision->engine != engine)
        return scene->busy_ps[engine];
    return scene->apps[decision->copier].copies[engine].left_ps;
}

/* Eq. 7 of what is left of a copy. */
static double copy_ps(const struct cqos_scene *scene, const struct cqos_decision *decision,
                      uint32_t app, uint32_t engine) {
    const struct cqos_copy *copy = &scene->apps[app].copies[engine];
    if (copy->running || is_chosen(decision, app, engine))
        return copy->left_ps;
    return link_ps(scene, decision, engine) + copy->left_ps;
}

/* What an app's job will have taken, but for its kernel: the same for every partition, unless the
 * link rests until the first end under it. */
struct cqos_prospect cqos_prospect_of(const struct cqos_scene *scene,
                                      const struct cqos_decision *decision, uint32_t app) {
    const struct cqos_app *own = &scene->apps[app];
    uint32_t next = own->next_copy_engine;
    struct cqos_prospect prospect = {.kernel_waited_ps =
                                         own->kernel.there ? own->kernel.waited_ps : 0};
    for (uint32_t e = 0; e < scene->device.engines; e++) {
        const struct cqos_copy *copy = &own->copies[e];
        if (!copy->there)
            continue;
        prospect.copy_ps[e] = copy_ps(scene, decision, app, e);
        prospect.copy_term_ps[e] = copy->waited_ps + prospect.copy_ps[e];
        if (copy->running || is_chosen(decision, app, e))
            prospect.bandwidth += copy->bandwidth / own->tasks;
    }
    if (own->kernel.there && own->copy_follows && !own->copies[next].there && !decision->rests)
        prospect.link_ps = link_ps(scene, decision, next);
    return prospect;
}

double cqos_latency(const struct cqos_scene *scene, const struct cqos_weights *weights,
                    const struct cqos_decision *decision, uint32_t app) {
    const struct cqos_app *own = &scene->apps[app];
    struct cqos_prospect prospect = cqos_prospect_of(scene, decision, app);
    double kernel = kernel_ps(scene, weights, decision->partition, app);
    return own->elapsed_ps + cqos_remaining_ps(&prospect, kernel) +
           cqos_later_ps(own, &prospect, decision->partition->sms[app], kernel);
}

/* ---- value ---- */

/* Sum over the SMs of how much their dominant share grows. */
static double growth(const struct cqos_scene *scene, const struct cqos_partition *partition) {
    double sum = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        int64_t before = app->sms, after = partition->sms[i];
        sum += (double)after * cqos_dominant(&app->kernel, after) -
               (double)before * cqos_dominant(&app->kernel, before);
    }
    return sum;
}

/* Sum over the SMs of how much their dominant share changes. */
static double change_of(const struct cqos_scene *scene, const struct cqos_partition *partition) {
    uint32_t taker = partition->taker;
    double change = 0, taken = taker == CQOS_NOBODY ? 0
                                                    : cqos_dominant(&scene->apps[taker].kernel,
                                                                    partition->sms[taker]);
    int64_t idle = taker == CQOS_NOBODY ? 0 : partition->sms[taker] - scene->apps[taker].sms;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        int64_t before = app->sms, after = partition->sms[i],
                kept = before < after ? before : after;
        if (before == 0)
            continue;
        double share = cqos_dominant(&app->kernel, before);
        if (after != before)
            change += (double)kept * fabs(cqos_dominant(&app->kernel, after) - share);
        if (after < before) {
            change += (double)(before - after) * fabs(taken - share);
            idle -= before - after;
        }
    }
    return change + cqos_at_least_zero((double)idle) * taken;
}

/* The second term of U, Eq. 9. */
double cqos_steadiness(const struct cqos_scene *scene, const struct cqos_weights *weights,
                       const struct cqos_partition *partition) {
    if (weights->change == CQOS_CHANGE_NONE)
        return 0;
    double change = weights->change == CQOS_CHANGE_PRINTED ? growth(scene, partition)
                                                           : change_of(scene, partition);
    return 1 - change / (double)scene->device.sms;
}

double cqos_value(const struct cqos_scene *scene, const struct cqos_weights *weights,
                  const struct cqos_decision *decision) {
    double sum = 0, steady = cqos_steadiness(scene, weights, decision->partition);
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        int64_t sms = decision->partition->sms[i];
        struct cqos_prospect prospect = cqos_prospect_of(scene, decision, i);
        double kernel = kernel_ps(scene, weights, decision->partition, i);
        sum += cqos_value_of(weights, &prospect, cqos_quality(scene, app, &prospect, sms, kernel),
                             cqos_use_of(app, sms), steady);
    }
    return sum;
}

/* ---- the period after the next ---- */

/* A moment that has not come: an event, and the partition that the period after it begins with. */
struct later {
    struct cqos_partition partition;
    uint32_t index; /* of the app whose task has ended */
    /* As they were, of the scene. */
    struct cqos_app apps[CQOS_APPS_MOST];
    double busy_ps[CQOS_ENGINES];
};

/* What ends first under a decision, and begins the period after it. */
struct event {
    double ps;            /* from now; INFINITY: nothing runs */
    uint32_t app, engine; /* its copy on this engine; CQOS_NOBODY: its kernel */
};

static struct event first_event(const struct cqos_scene *scene,
                                const struct cqos_decision *decision) {
    struct event first = {.ps = INFINITY};
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        for (uint32_t e = 0; e < scene->device.engines; e++)
            if (app->copies[e].there && app->copies[e].left_ps < first.ps &&
                (app->copies[e].running || is_chosen(decision, i, e)))
                first = (struct event){app->copies[e].left_ps, i, e};
        if (!app->kernel.there || decision->partition->sms[i] == 0)
            continue;
        double ps = held_ps(scene, decision->partition, i);
        if (ps < first.ps)
            first = (struct event){ps, i, CQOS_NOBODY};
    }
    return first;
}

/* The part of a kernel that is left after so long: with SMs it runs, once the first has drained. */
static double left_after(const struct cqos_scene *scene, const struct cqos_partition *partition,
                         uint32_t app, double ps) {
    const struct cqos_kernel *kernel = &scene->apps[app].kernel;
    int64_t sms = partition->sms[app];
    double whole = sms > 0 ? kernel->time_ps[sms] : 0;
    double drain = partition->taker == app ? drain_ps(scene, partition) : 0;
    return whole > 0 ? cqos_at_least_zero(kernel->left - (ps - drain) / whole) : kernel->left;
}

/* Makes an app so much older, with the decision in force. */
static void age(const struct cqos_scene *scene, const struct cqos_decision *decision,
                struct cqos_app *app, double ps) {
    uint32_t index = (uint32_t)(app - scene->apps);
    app->elapsed_ps += ps;
    app->kernel.waited_ps += ps;
    for (uint32_t e = 0; e < scene->device.engines; e++) {
        struct cqos_copy *copy = &app->copies[e];
        copy->waited_ps += ps;
        if (copy->running || is_chosen(decision, index, e))
            copy->left_ps = cqos_at_least_zero(copy->left_ps - ps);
    }
}

/* The scene is that of the event. */
static void later_begin(struct cqos_scene *scene, const struct cqos_decision *decision,
                        const struct event *event, struct later *later) {
    double left[CQOS_APPS_MOST];
    later->index = event->app;
    later->partition.taker = CQOS_NOBODY;
    memcpy(later->apps, scene->apps, scene->count * sizeof *scene->apps);
    memcpy(later->busy_ps, scene->busy_ps, sizeof later->busy_ps);
    for (uint32_t i = 0; i < scene->count; i++) {
        later->partition.sms[i] = decision->partition->sms[i];
        left[i] =
            scene->apps[i].kernel.there ? left_after(scene, decision->partition, i, event->ps) : 0;
    }
    for (uint32_t i = 0; i < scene->count; i++) {
        age(scene, decision, &scene->apps[i], event->ps);
        scene->apps[i].kernel.left = left[i];
        scene->apps[i].sms = decision->partition->sms[i];
    }
    for (uint32_t e = 0; e < scene->device.engines; e++)
        scene->busy_ps[e] = cqos_at_least_zero(scene->busy_ps[e] - event->ps);
}

static void later_end(struct cqos_scene *scene, const struct later *later) {
    memcpy(scene->apps, later->apps, scene->count * sizeof *scene->apps);
    memcpy(scene->busy_ps, later->busy_ps, sizeof scene->busy_ps);
}

/* A task has ended that took so long from when it was ready, and one of this predicted time is
 * ready. */
static void pass(struct cqos_app *app, double took_ps, double next_ps) {
    app->spent_ps += took_ps;
    app->rest_ps = cqos_at_least_zero(app->rest_ps - next_ps);
    app->before_copy_ps = cqos_at_least_zero(app->before_copy_ps - next_ps);
}

/* Idle SMs for a kernel, as many as it fills. */
static void give(const struct cqos_scene *scene, struct cqos_partition *partition, uint32_t app,
                 int64_t most) {
    int64_t idle = cqos_idle_under(scene, partition);
    int64_t gets = scene->apps[app].kernel.need - partition->sms[app];
    gets = gets < most ? gets : most;
    gets = gets < idle ? gets : idle;
    partition->sms[app] = (int16_t)(partition->sms[app] + (gets > 0 ? gets : 0));
}

/* SMs that the kernel which has ended took of another one, under the decision and before. */
static int64_t owed(const struct cqos_scene *scene, const struct cqos_decision *decision,
                    const struct later *later, uint32_t victim) {
    const struct cqos_app *own = &scene->apps[victim];
    const struct cqos_loan *loans = later->apps[later->index].loans;
    int64_t sms = loans && own->issued && loans[own->client].kernel == own->issued
                      ? loans[own->client].sms
                      : 0;
    int64_t lost = later->apps[victim].sms - decision->partition->sms[victim];
    return sms + (decision->partition->taker == later->index && lost > 0 ? lost : 0);
}

/* "Restored as soon as the preempting kernel is finished" (section VI-A). */
static void restore(const struct cqos_scene *scene, const struct cqos_decision *decision,
                    struct later *later) {
    for (uint32_t i = 0; i < scene->count; i++)
        if (i != later->index && scene->apps[i].kernel.there)
            give(scene, &later->partition, i, owed(scene, decision, later, i));
}

void cqos_launch(const struct cqos_scene *scene, struct cqos_partition *partition, bool more) {
    while (cqos_idle_under(scene, partition) > 0) {
        uint32_t first = CQOS_NOBODY;
        double waited = -1;
        for (uint32_t i = 0; i < scene->count; i++) {
            const struct cqos_kernel *kernel = &scene->apps[i].kernel;
            bool wants = kernel->there && partition->sms[i] < (more ? kernel->need : 1);
            if (!wants || kernel->waited_ps <= waited)
                continue;
            first = i;
            waited = kernel->waited_ps;
        }
        if (first == CQOS_NOBODY)
            return;
        give(scene, partition, first, scene->device.sms);
    }
}

/* Algorithm 1, lines 7 to 10: the copy has ended, and its kernel takes what SMs are idle. */
static void after_copy(struct cqos_scene *scene, uint32_t engine, struct later *later) {
    struct cqos_app *app = &scene->apps[later->index];
    double next_ps = 0;
    if (app->next_kernel.there && app->next_engine == engine && !app->kernel.there) {
        app->kernel = app->next_kernel;
        next_ps = app->kernel.time_ps[scene->device.sms];
        give(scene, &later->partition, later->index, scene->device.sms);
        if (later->partition.sms[later->index] > app->sms)
            later->partition.taker = later->index;
    }
    app->copies[engine].there = false;
    pass(app, app->copies[engine].waited_ps, next_ps);
    scene->busy_ps[engine] = 0;
}

/* The kernel has ended: those that it preempted have their SMs back, its copy takes the link if
 * that is free (Algorithm 2, lines 9 to 12), or the next kernel what SMs are idle. */
static void after_kernel(struct cqos_scene *scene, const struct cqos_decision *decision,
                         const struct cqos_decision *then, struct later *later) {
    struct cqos_app *app = &scene->apps[later->index];
    uint32_t e = app->next_copy_engine;
    double waited = app->kernel.waited_ps, next_ps = 0;
    app->kernel.there = false;
    later->partition.sms[later->index] = 0;
    restore(scene, decision, later);
    if (app->next_kernel.there && app->next_engine == CQOS_NOBODY) {
        app->kernel = app->next_kernel;
        next_ps = app->kernel.time_ps[scene->device.sms];
        give(scene, &later->partition, later->index, scene->device.sms);
    }
    if (app->next_copy.there && !app->copies[e].there) {
        struct cqos_copy *copy = &app->copies[e];
        bool free = link_ps(scene, then, e) <= 0;
        *copy = app->next_copy;
        next_ps = copy->left_ps;
        copy->running = free;
        if (free)
            scene->busy_ps[e] = copy->left_ps;
    }
    pass(app, waited, next_ps);
}

/* Whether what ended makes a candidate "ready" for the other resource, as the algorithms ask. */
static bool leads_on(const struct cqos_scene *scene, const struct event *event) {
    const struct cqos_app *app = &scene->apps[event->app];
    if (event->engine == CQOS_NOBODY)
        return app->next_copy.there && !app->copies[app->next_copy_engine].there;
    return app->next_kernel.there && app->next_engine == event->engine && !app->kernel.there;
}

double cqos_potential(struct cqos_scene *scene, const struct cqos_weights *weights,
                      const struct cqos_decision *decision) {
    struct event event = first_event(scene, decision);
    if (isinf(event.ps) || (weights->only_ready && !leads_on(scene, &event)))
        return 0;
    struct later later;
    struct cqos_decision then = {&later.partition, decision->copier, decision->engine, false};
    later_begin(scene, decision, &event, &later);
    if (event.engine == CQOS_NOBODY)
        after_kernel(scene, decision, &then, &later);
    else {
        if (decision->engine == event.engine)
            then.copier = CQOS_NOBODY;
        after_copy(scene, event.engine, &later);
    }
    cqos_launch(scene, &later.partition, false);
    double value = cqos_value(scene, weights, &then);
    later_end(scene, &later);
    return value;
}
