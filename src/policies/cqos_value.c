/* What a decision is worth: C-QoS Eq. 8 to 12 on a scene. */
#include "policies/cqos_worth.h"

#include <math.h>

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

/* The wait of a kernel without an SM: t_w of Eq. 3 lasts until the first kernel that has some ends.
 */
static double waiting_ps(const struct cqos_scene *scene, const struct cqos_partition *partition,
                         const struct cqos_kernel *kernel) {
    struct end first = first_end(scene, partition);
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

/* Until the link is free for a copy that is not chosen: t_w of Eq. 7. A link that rests does so
 * until the next period. */
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

/* A moment that has not come: one app has moved on, the others are predicted as before. */
struct later {
    struct cqos_partition partition;
    struct cqos_app app;         /* as it was */
    int64_t sms[CQOS_APPS_MOST]; /* as they were */
    uint32_t index;
};

/* Puts the app's next phase in its place, with the decision in force. */
static struct cqos_app *later_begin(struct cqos_scene *scene, const struct cqos_decision *decision,
                                    uint32_t index, struct later *later) {
    later->app = scene->apps[index];
    later->index = index;
    later->partition.taker = CQOS_NOBODY;
    for (uint32_t i = 0; i < scene->count; i++) {
        later->sms[i] = scene->apps[i].sms;
        later->partition.sms[i] = decision->partition->sms[i];
        scene->apps[i].sms = decision->partition->sms[i];
    }
    return &scene->apps[index];
}

static void later_end(struct cqos_scene *scene, const struct later *later) {
    scene->apps[later->index] = later->app;
    for (uint32_t i = 0; i < scene->count; i++)
        scene->apps[i].sms = later->sms[i];
}

/* A task that took this long has ended, and one of this predicted time is ready. */
static void pass(struct cqos_app *app, double waited_ps, double passed_ps, double next_ps) {
    app->elapsed_ps += passed_ps;
    app->spent_ps += waited_ps + passed_ps;
    app->rest_ps = cqos_at_least_zero(app->rest_ps - next_ps);
    app->before_copy_ps = cqos_at_least_zero(app->before_copy_ps - next_ps);
}

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

/* Algorithm 1, lines 7 to 10: the copy has ended, and its kernel takes what SMs are idle. */
static double after_copy(struct cqos_scene *scene, const struct cqos_weights *weights,
                         const struct cqos_decision *decision, const struct event *event) {
    struct later later;
    uint32_t e = event->engine;
    double busy = scene->busy_ps[e], next_ps = 0;
    struct cqos_app *app = later_begin(scene, decision, event->app, &later);
    if (app->next_kernel.there && app->next_engine == e && !app->kernel.there) {
        int64_t idle = cqos_idle_sms(scene);
        app->kernel = app->next_kernel;
        next_ps = app->kernel.time_ps[scene->device.sms];
        int64_t gets = app->kernel.need < idle ? app->kernel.need : idle;
        later.partition.sms[event->app] = (int16_t)gets;
        later.partition.taker = gets > 0 ? event->app : CQOS_NOBODY;
    }
    app->copies[e].there = false;
    pass(app, app->copies[e].waited_ps, event->ps, next_ps);
    scene->busy_ps[e] = event->ps; /* as the others see it, from now */
    struct cqos_decision then = {.partition = &later.partition, .copier = CQOS_NOBODY};
    if (decision->engine != e) {
        then.copier = decision->copier;
        then.engine = decision->engine;
    }
    double value = cqos_value(scene, weights, &then);
    scene->busy_ps[e] = busy;
    later_end(scene, &later);
    return value;
}

/* The kernel has ended: its copy takes the link when that is free (Algorithm 2, lines 9 to 12), or
 * the next kernel its SMs. */
static void move_on(struct cqos_scene *scene, const struct cqos_decision *decision,
                    const struct event *event, struct later *later) {
    struct cqos_app *app = &scene->apps[event->app];
    uint32_t e = app->next_copy_engine;
    double waited = app->kernel.waited_ps, next_ps = 0;
    bool next = app->next_kernel.there && app->next_engine == CQOS_NOBODY;
    app->kernel.there = false;
    if (next) {
        app->kernel = app->next_kernel;
        next_ps = app->kernel.time_ps[scene->device.sms];
    } else
        later->partition.sms[event->app] = 0;
    if (decision->rests)
        scene->busy_ps[decision->engine] = event->ps;
    if (app->next_copy.there && !app->copies[e].there) {
        double link = link_ps(scene, decision, e);
        struct cqos_copy *copy = &app->copies[e];
        *copy = app->next_copy;
        next_ps = copy->left_ps;
        copy->running = link <= event->ps;
        if (copy->running) /* as the others see it, from now */
            scene->busy_ps[e] = event->ps + copy->left_ps;
        else
            copy->left_ps -= event->ps; /* the link's time counts from now */
    }
    pass(app, waited, event->ps, next_ps);
}

static double after_kernel(struct cqos_scene *scene, const struct cqos_weights *weights,
                           const struct cqos_decision *decision, const struct event *event) {
    struct later later;
    double busy[CQOS_ENGINES] = {scene->busy_ps[0], scene->busy_ps[1]};
    later_begin(scene, decision, event->app, &later);
    move_on(scene, decision, event, &later);
    double value = cqos_value(
        scene, weights,
        &(struct cqos_decision){&later.partition, decision->copier, decision->engine, false});
    scene->busy_ps[0] = busy[0];
    scene->busy_ps[1] = busy[1];
    later_end(scene, &later);
    return value;
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
    return event.engine == CQOS_NOBODY ? after_kernel(scene, weights, decision, &event)
                                       : after_copy(scene, weights, decision, &event);
}
