#include "study/fleet.h"

#include "base/ct_sort.h"
#include "des/des_statistics.h"

#include <math.h>
#include <stdlib.h>

const char *const fleet_outcomes[] = {"placed", "waiting", "refused", NULL};

/* Who leaves when: a heap, the earliest first; of several the one that came first. */
struct leaver {
    double at_s;
    uint32_t pod;
};

struct placing {
    const struct cluster *cluster;
    enum cluster_placement how;
    struct yard yard;
    struct fleet *fleet;
    double warmup_s, end_s;
    CT_VEC(struct leaver) leavers;
    uint32_t *queue; /* copies that wait, in the order of arrival */
    size_t queue_first, queue_end;
    uint32_t *here; /* copies of each application on each GPU */
    bool no_memory;
};

/* ---- The heap ---- */

static bool leaves_before(const struct leaver *a, const struct leaver *b) {
    return a->at_s != b->at_s ? a->at_s < b->at_s : a->pod < b->pod;
}

static void push_leaver(struct placing *p, struct leaver leaver) {
    if (!ct_vec_push(&p->leavers, leaver)) {
        p->no_memory = true;
        return;
    }
    struct leaver *heap = p->leavers.items;
    size_t i = p->leavers.count - 1;
    for (; i > 0 && leaves_before(&leaver, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = leaver;
}

static struct leaver pop_leaver(struct placing *p) {
    struct leaver *heap = p->leavers.items, first = heap[0], last = heap[--p->leavers.count];
    size_t count = p->leavers.count, i = 0;
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && leaves_before(&heap[child + 1], &heap[child]);
        if (!leaves_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}

/* ---- Coming and going ---- */

static uint32_t *here_of(const struct placing *p, uint32_t gpu, uint32_t app) {
    return &p->here[(size_t)gpu * p->cluster->workload.apps.count + app];
}

static bool place(struct placing *p, uint32_t index, double now_s) {
    const struct cluster_pod *pod = &p->cluster->pods.items[index];
    struct fleet_pod *outcome = &p->fleet->pods[index];
    struct yard_place where;
    if (!yard_choose(&p->yard, p->how, pod, p->here, &where))
        return false;
    yard_take(&p->yard, &where);
    ++*here_of(p, where.gpu, pod->app);
    *outcome = (struct fleet_pod){FLEET_PLACED, where, now_s, fmin(now_s + pod->stay_s, p->end_s)};
    if (now_s + pod->stay_s < p->end_s)
        push_leaver(p, (struct leaver){now_s + pod->stay_s, index});
    return true;
}

static void arrive(struct placing *p, uint32_t index) {
    const struct cluster_pod *pod = &p->cluster->pods.items[index];
    bool waits = p->queue_first < p->queue_end;
    p->fleet->pods[index] =
        (struct fleet_pod){.outcome = FLEET_REFUSED, .placed_s = NAN, .left_s = NAN};
    if ((!waits && place(p, index, pod->arrive_s)) || p->cluster->waiting == CLUSTER_WAITING_NONE)
        return;
    p->fleet->pods[index].outcome = FLEET_WAITING;
    p->queue[p->queue_end++] = index;
}

static void leave(struct placing *p, struct leaver leaver) {
    const struct yard_place *where = &p->fleet->pods[leaver.pod].place;
    yard_give_back(&p->yard, where);
    --*here_of(p, where->gpu, p->cluster->pods.items[leaver.pod].app);
}

static void note(struct placing *p, double now_s) {
    struct fleet_change change = {.at_s = now_s,
                                  .in_use = p->yard.in_use,
                                  .waiting = (uint32_t)(p->queue_end - p->queue_first),
                                  .allocated = p->yard.gpus - (double)p->yard.free / YARD_WHOLE,
                                  .fragmented = (double)p->yard.fragmented /
                                                (double)p->yard.copies / YARD_WHOLE};
    size_t count = p->fleet->changes.count;
    if (count && p->fleet->changes.items[count - 1].at_s == now_s)
        p->fleet->changes.items[count - 1] = change;
    else
        p->no_memory |= !ct_vec_push(&p->fleet->changes, change);
}

static void go_through(struct placing *p) {
    const struct cluster *cluster = p->cluster;
    uint32_t next = 0, count = (uint32_t)cluster->pods.count;
    note(p, 0);
    while (!p->no_memory) {
        double arrival = next < count ? cluster->pods.items[next].arrive_s : INFINITY;
        double departure = p->leavers.count ? p->leavers.items[0].at_s : INFINITY;
        double now_s = fmin(arrival, departure);
        if (now_s >= p->end_s)
            break;
        while (p->leavers.count && p->leavers.items[0].at_s <= now_s)
            leave(p, pop_leaver(p));
        while (p->queue_first < p->queue_end && place(p, p->queue[p->queue_first], now_s))
            p->queue_first++;
        for (; next < count && cluster->pods.items[next].arrive_s <= now_s; next++)
            arrive(p, next);
        note(p, now_s);
    }
    p->fleet->sums.arrived = next;
}

/* ---- Sums ---- */

static void sum_time(const struct placing *p, struct fleet_sums *sums) {
    double whole = p->end_s - p->warmup_s;
    for (size_t i = 0; i < p->fleet->changes.count; i++) {
        const struct fleet_change *change = &p->fleet->changes.items[i];
        double until = i + 1 < p->fleet->changes.count ? change[1].at_s : p->end_s;
        double part = fmax(0, until - fmax(change->at_s, p->warmup_s)) / whole;
        sums->in_use += part * change->in_use;
        sums->allocated += part * change->allocated;
        sums->fragmented += part * change->fragmented;
        if (part > 0 && change->in_use > sums->in_use_most)
            sums->in_use_most = change->in_use;
    }
}

static void sum_pods(struct placing *p, struct fleet_sums *sums) {
    double *waits = calloc(sums->arrived + 1, sizeof *waits), sum = 0;
    size_t count = 0;
    p->no_memory |= !waits;
    for (uint64_t i = 0; waits && i < sums->arrived; i++) {
        const struct fleet_pod *pod = &p->fleet->pods[i];
        double arrive_s = p->cluster->pods.items[i].arrive_s, wait = pod->placed_s - arrive_s;
        sums->placed += pod->outcome == FLEET_PLACED;
        sums->waiting += pod->outcome == FLEET_WAITING;
        sums->refused += pod->outcome == FLEET_REFUSED;
        sums->waited += wait > 0;
        if (pod->outcome == FLEET_PLACED && arrive_s >= p->warmup_s)
            sum += waits[count++] = wait;
    }
    sums->wait_mean_s = count ? sum / (double)count : NAN;
    sums->wait_p99_s = count ? des_quantile_select(waits, count, 0.99) : NAN;
    sums->wait_most_s = NAN;
    for (size_t i = 0; i < count; i++)
        sums->wait_most_s = fmax(sums->wait_most_s, waits[i]);
    free(waits);
}

/* ---- Whether it can be true ---- */

/* What a copy begins or ends to take, and from when: per mille, or a memory slice. */
struct claim {
    uint32_t gpu, slice; /* NO_SLICE: a share */
    double at_s;
    int64_t amount;
};
#define NO_SLICE UINT32_MAX

static int by_claim(const void *a, const void *b) {
    const struct claim *x = a, *y = b;
    int order = ct_order(x->gpu, y->gpu);
    order = order ? order : ct_order(x->slice, y->slice);
    order = order ? order : ct_order(x->at_s, y->at_s);
    return order ? order : ct_order(x->amount, y->amount); /* who leaves goes first */
}

/* Whether at every instant what was given is there, counted from the outcomes alone. */
static bool never_given_twice(struct placing *p) {
    enum { SLICES = 32 };
    CT_VEC(struct claim) claims = {0};
    bool kept = true;
    for (uint64_t i = 0; i < p->fleet->sums.arrived; i++) {
        const struct fleet_pod *pod = &p->fleet->pods[i];
        const struct cluster_demand *d =
            &p->cluster->demands.items[p->cluster->pods.items[i].demand];
        for (uint32_t s = 0; pod->outcome == FLEET_PLACED && s < (d->slice ? SLICES : 1); s++) {
            struct claim claim = {pod->place.gpu, d->slice ? s : NO_SLICE, pod->placed_s,
                                  d->slice ? YARD_WHOLE : d->share};
            if (d->slice && !(pod->place.taken >> s & 1))
                continue;
            p->no_memory |= !ct_vec_push(&claims, claim);
            claim.at_s = pod->left_s;
            claim.amount = -claim.amount;
            p->no_memory |= !ct_vec_push(&claims, claim);
        }
    }
    ct_vec_sort(&claims, by_claim);
    int64_t sum = 0;
    for (size_t i = 0; i < claims.count; i++) {
        const struct claim *c = &claims.items[i];
        bool same = i && c[-1].gpu == c->gpu && c[-1].slice == c->slice;
        sum = (same ? sum : 0) + c->amount;
        kept &= sum >= 0 && sum <= YARD_WHOLE;
    }
    ct_vec_free(&claims);
    return kept;
}

/* ---- The whole ---- */

static bool make(struct placing *p) {
    size_t pods = p->cluster->pods.count + 1, apps = p->cluster->workload.apps.count;
    p->fleet->pods = calloc(pods, sizeof *p->fleet->pods);
    p->queue = calloc(pods, sizeof *p->queue);
    p->here = calloc((size_t)p->yard.gpus * apps + 1, sizeof *p->here);
    return p->fleet->pods && p->queue && p->here;
}

int fleet_place(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                double warmup_s, double end_s, struct fleet *fleet, struct ct_diags *diags) {
    struct placing p = {
        .cluster = cluster, .how = how, .fleet = fleet, .warmup_s = warmup_s, .end_s = end_s};
    *fleet = (struct fleet){0};
    int status = yard_open(cluster, seed, &p.yard, diags);
    if (status == CT_OK && !make(&p))
        p.no_memory = true;
    if (status == CT_OK && !p.no_memory) {
        struct fleet_sums *sums = &fleet->sums;
        go_through(&p);
        sum_time(&p, sums);
        sum_pods(&p, sums);
        sums->conserved = never_given_twice(&p) &&
                          sums->placed + sums->waiting + sums->refused == sums->arrived &&
                          sums->waiting == p.queue_end - p.queue_first;
    }
    ct_vec_free(&p.leavers);
    free(p.queue);
    free(p.here);
    yard_close(&p.yard);
    return p.no_memory ? ct_out_of_memory(diags) : status;
}

void fleet_free(struct fleet *fleet) {
    free(fleet->pods);
    ct_vec_free(&fleet->changes);
    *fleet = (struct fleet){0};
}
