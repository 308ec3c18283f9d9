/*
 * The rules of the systems that C-QoS is compared with. At the level of the operating system,
 * Baymax' headroom with every application a service (section VII-C); at the level of the device,
 * Spart-QoS: one SM a period by slack, blocks by dominant-resource fairness.
 */
#include "policies/cqos.h"
#include "policies/gate.h"

#include <math.h>

#define UNLIMITED (INT64_MAX / 4)

/* ---- headroom ---- */

static int64_t rounded(double ps) {
    return (int64_t)(ps < 0 ? ps - 0.5 : ps + 0.5);
}

/*
 * Baymax Eq. 4 of the oldest job of a client: (T_tgt - T_used) - T_q - (T_self - sum T_j). The
 * remaining times of other queries are left out: with every application a service all wait for
 * each other, and no order among them is given. UNLIMITED without a job or a target.
 */
static int64_t headroom(struct ct_context *context, const struct ct_client *client) {
    const struct ct_job *job = context->host->job_next(context, client, NULL);
    const struct cqos_job *own = job ? job->scratch : NULL;
    if (!own || own->target_ps <= 0)
        return UNLIMITED;
    double used = cqos_elapsed_ps(context, job);
    double queued = ((const struct cqos_state *)context->state)->queued_ps;
    double remaining = own->self_ps - own->issued_ps;
    return rounded(cqos_target_ps(job) - used - queued - (remaining > 0 ? remaining : 0));
}

/* An application that has lost its target already cannot be made to miss it: the least urgent. */
static int64_t urgency(int64_t headroom_ps) {
    return headroom_ps < 0 ? UNLIMITED : headroom_ps;
}

int64_t cqos_gate_rank(struct ct_context *context, const struct ct_task *task) {
    return urgency(headroom(context, task->client));
}

static bool runs(const struct cqos_client *client) {
    bool copies = false;
    for (int e = 0; e < CQOS_ENGINES; e++)
        copies |= client->copies[e] != NULL;
    return client->kernels || copies;
}

/* Whether a task may be issued, by Baymax section 5.2.2 for every application that is more urgent,
 * or that runs; the most urgent is never held, or what runs will end, so that none waits for each
 * other. */
bool cqos_gate_passes(struct ct_context *context, const struct ct_task *task,
                      int64_t *headroom_ps) {
    const struct cqos_task *own = task->scratch;
    bool running = ((const struct cqos_options *)context->options)->held_by == CQOS_HELD_BY_RUNNING;
    int64_t mine = urgency(headroom(context, task->client));
    for (const struct ct_client *client = NULL; (client = gate_next_client(context, client));) {
        if (client == task->client || !((struct cqos_client *)client->scratch)->joined)
            continue;
        int64_t theirs = urgency(headroom(context, client));
        bool counts = running ? runs(client->scratch) : theirs < mine;
        if (!counts || own->solo_ps <= (double)theirs)
            continue;
        *headroom_ps = theirs;
        return false;
    }
    return true;
}

/* ---- Spart-QoS ---- */

static bool may_take(const struct cqos_app *app, const struct cqos_partition *partition,
                     uint32_t index) {
    return app->kernel.there && partition->sms[index] < app->kernel.need;
}

/* INFINITY: its kernel takes no more SMs. */
static double share_of(const struct cqos_scene *scene, const struct cqos_partition *partition,
                       uint32_t index) {
    const struct cqos_app *app = &scene->apps[index];
    return may_take(app, partition, index)
               ? cqos_dominant_share(&scene->device, &app->kernel, partition->sms[index])
               : INFINITY;
}

/* Dominant-resource fairness: each idle SM to the kernel with the smallest dominant share that can
 * fill it. */
static void fill_fairly(const struct cqos_scene *scene, struct cqos_partition *partition) {
    int64_t idle = cqos_idle_under(scene, partition);
    double shares[CQOS_APPS_MOST];
    for (uint32_t i = 0; idle > 0 && i < scene->count; i++)
        shares[i] = share_of(scene, partition, i);
    for (; idle > 0; idle--) {
        uint32_t best = CQOS_NOBODY;
        double least = INFINITY;
        for (uint32_t i = 0; i < scene->count; i++) {
            best = shares[i] < least ? i : best;
            least = shares[i] < least ? shares[i] : least;
        }
        if (best == CQOS_NOBODY)
            return;
        partition->sms[best]++;
        shares[best] = share_of(scene, partition, best);
    }
}

/* Predicted latency over target: above 1 the app is below its target; 0 without a target. */
static double lateness(const struct cqos_scene *scene, const struct cqos_partition *partition,
                       uint32_t app) {
    static const struct cqos_weights none = {0};
    struct cqos_decision decision = {partition, CQOS_NOBODY, 0, false};
    if (scene->apps[app].target_ps <= 0)
        return 0;
    return cqos_latency(scene, &none, &decision, app) / scene->apps[app].target_ps;
}

/* The kernel that is furthest below its target; one without an SM is further than any. */
static uint32_t furthest_below(const struct cqos_scene *scene,
                               const struct cqos_partition *partition) {
    uint32_t worst = CQOS_NOBODY;
    double most = 1;
    for (uint32_t i = 0; i < scene->count; i++) {
        if (!may_take(&scene->apps[i], partition, i))
            continue;
        double late = partition->sms[i] == 0 ? INFINITY : lateness(scene, partition, i);
        worst = late > most ? i : worst;
        most = fmax(most, late);
    }
    return worst;
}

/* Who gives: the app with most slack, that keeps an SM; to a kernel without an SM, any that has
 * two. */
static uint32_t most_slack(const struct cqos_scene *scene, const struct cqos_partition *partition,
                           uint32_t taker) {
    uint32_t best = CQOS_NOBODY;
    double least = partition->sms[taker] == 0 ? INFINITY : 1;
    for (uint32_t i = 0; i < scene->count; i++) {
        double late =
            i != taker && partition->sms[i] > 1 ? lateness(scene, partition, i) : INFINITY;
        best = late < least ? i : best;
        least = fmin(least, late);
    }
    return best;
}

void cqos_fair_period(const struct cqos_scene *scene, struct cqos_partition *partition) {
    for (uint32_t i = 0; i < scene->count; i++)
        partition->sms[i] = 0;
    fill_fairly(scene, partition);
}

void cqos_spart_period(const struct cqos_scene *scene, struct cqos_partition *partition) {
    fill_fairly(scene, partition);
    uint32_t taker = furthest_below(scene, partition);
    uint32_t giver = taker == CQOS_NOBODY ? taker : most_slack(scene, partition, taker);
    if (giver == CQOS_NOBODY)
        return;
    partition->sms[giver]--;
    partition->sms[taker]++;
}

/* ---- coop ---- */

/* trans_cnt and comp_cnt: every task counts as much as it would take of its engine, a copy all of
 * the link, a kernel its dominant share of the SMs. The weights are not published. */
bool cqos_transfers_dominate(const struct cqos_scene *scene) {
    double copies = 0, kernels = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        for (uint32_t e = 0; e < scene->device.engines; e++)
            copies += app->copies[e].there ? app->copies[e].bandwidth : 0;
        if (app->kernel.there)
            kernels += cqos_dominant_share(&scene->device, &app->kernel, app->kernel.need);
    }
    return copies >= kernels;
}
