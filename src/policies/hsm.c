/*
 * hsm-fair, hsm-qos, dase-fair, dase-qos, themis-fair, themis-qos: whole SMs per application, moved
 * by predicted normalised progress (HSM, ASPLOS'20, sections 2 and 4). bw-app: the even split, and
 * weights in the memory controller (HSM section 6.4, after Jog et al.).
 *
 * SMs are split evenly among the applications that have a kernel. At the end of each epoch the
 * model of hsm_model.h predicts every application's NP from the counters of the epoch, and one
 * rule moves SMs: hsm-fair from the highest NP to the lowest while fairness is below `threshold`,
 * hsm-qos to and from the applications of high priority. The epoch begins anew, with the even
 * split, at a boundary: an application gets its first kernel or has none left, or a kernel ends
 * (`restart: kernel`, section 4.2). With `restart: name`, which is not the paper's, a kernel that
 * follows one of the same name is no boundary, and an application without a kernel keeps its SMs
 * until the end of the epoch.
 *
 * dase-* differ in the prediction only (hsm_dase_progress), and so do themis-*, whose network the
 * host runs.
 *
 * c1 and c2 are the GPU's, learnt once for each architecture (section 2.3.2) and never from the
 * applications that run. docs/policies/hsm.md has the readings chosen where the paper is open.
 * Every task passes as soon as it is ready. An application has a kernel from when the device could
 * begin one: what waits behind a copy or another kernel of its stream needs no SM.
 */
#include "policies/gate.h"
#include "policies/hsm_model.h"
#include "policies/policies.h"
#include "policies/sm_split.h"

#include <math.h>
#include <string.h>

/* The `revision` of all policies of this file. */
enum { HSM_REVISION = 2 };

#define DECISION_CYCLES 181.0 /* per kernel, section 4.2 */
/*
 * A network of 10 inputs and 16, 8 and 1 neurons on the arithmetic unit of section 4.2 (1 cycle to
 * add, 3 to multiply, 25 to divide): a division, a multiplication and an addition per input, 296 of
 * the last two in the layers, an addition and a division for each of 24 sigmoids.
 */
#define NETWORK_CYCLES (10 * 29.0 + 296 * 4.0 + 24 * 26.0)
#define WARP_THREADS 32.0
#define PS_PER_S 1e12
#define NO_FUNCTION UINT32_MAX

enum { RESTART_KERNEL, RESTART_NAME };

struct hsm_options {
    int32_t restart;
    int64_t epoch_cycles, schedulers;
    double threshold, target, release, weight;
};

struct hsm_client {
    bool joined, owner;       /* owner: it has SMs in the present split */
    uint32_t running;         /* kernels that the device could begin, and that have not ended */
    uint32_t function;        /* of the latest of them */
    double blocks;            /* of all of them; without any, of the last one that ended */
    struct hsm_task *waiting; /* issued kernels that come after these, in the order of issue */
    struct hsm_task **behind; /* where the next one goes; NULL: `waiting` */
    int64_t sms;              /* as last accepted by the host */
    struct ct_counters base;  /* at the begin of the epoch */
    struct ct_counters epoch; /* since then, when last predicted */
};

struct hsm_task {
    const struct ct_task *task;
    struct hsm_task *next; /* of those that wait */
    bool waits, counted;   /* an issued kernel: not yet, or among its application's `running` */
};

struct hsm_state {
    struct hsm_device device;
    struct hsm_line line;
    double clock_hz;
    uint32_t running;  /* kernels of all clients, as theirs */
    uint32_t owners;   /* clients that are */
    uint64_t epoch;    /* number of the present one: timers of earlier ones are void */
    int64_t begin_ps;  /* of the epoch; -1: none runs */
    int64_t busy_ps;   /* until when the last decision takes */
    bool shared;       /* several applications own SMs in this epoch */
    bool moving;       /* a partition was accepted and is not in force yet */
    bool kernel_ended; /* since the last decide, under restart: kernel */
    bool new_name;     /* a kernel of another name has followed, under restart: name */
    bool epoch_ended;  /* since the last decide: those without kernels give up their SMs */
    bool unfinished;   /* the host rejected a partition: try again */
    uint64_t epochs, cut, moves, sms_moved, above_one, unknown;
};

/* What distinguishes the policies at the end of an epoch. */
struct hsm_variant {
    /* Predicts NP; NAN: unknown. */
    double (*progress)(struct ct_context *context, const struct ct_client *client,
                       const struct hsm_measure *measure);
    /* Changes the applications' SMs; returns how many moved. */
    int64_t (*rule)(struct ct_context *context, struct hsm_app *apps, uint32_t count);
    double cycles;    /* of a prediction */
    const char *note; /* name of what `progress` returns, in the decision log */
};

/* ---- clients ---- */

static struct hsm_client *own_of(const struct ct_client *client) {
    return client->scratch;
}

static bool is_member(const struct ct_client *client) {
    return own_of(client)->joined;
}

static bool is_owner(const struct ct_client *client) {
    return own_of(client)->joined && own_of(client)->owner;
}

/* ---- epochs ---- */

/* Starts an epoch now; none while SMs are moving, so that S_k is one number, or nothing runs. */
static void epoch_begin(struct ct_context *context) {
    const struct hsm_options *options = context->options;
    const struct ct_host *host = context->host;
    struct hsm_state *state = context->state;
    const struct ct_client *client = NULL;
    state->epoch++;
    state->begin_ps = -1;
    if (state->moving || state->running == 0)
        return;
    double period_ps = (double)options->epoch_cycles / state->clock_hz * PS_PER_S;
    int64_t now = host->now(context);
    if (!host->timer(context, now + (int64_t)(period_ps + 0.5), state->epoch))
        return;
    state->begin_ps = now;
    state->shared = state->owners > 1;
    host->begin_epoch(context);
    while ((client = sm_split_next(context, is_member, client)))
        host->counters(context, client, &own_of(client)->base);
}

/* ---- partitions ---- */

/* What is asked for while a decision still takes its time comes after it, or it would be undone. */
static void wait_for_decision(struct ct_context *context) {
    const struct hsm_state *state = context->state;
    int64_t left_ps = state->busy_ps - context->host->now(context);
    if (left_ps > 0)
        context->host->charge(context, left_ps);
}

/* Asks for these SMs by client. False: rejected, or there is nothing to change. */
static bool set_partition(struct ct_context *context, const int64_t *sms) {
    struct hsm_state *state = context->state;
    const struct ct_client *client = NULL;
    bool differs = false;
    while ((client = sm_split_next(context, is_member, client)))
        differs |= own_of(client)->sms != sms[client->index];
    if (!differs)
        return false;
    wait_for_decision(context);
    if (!sm_split_apply(context, sms)) {
        state->unfinished = true;
        return false;
    }
    state->moving = true;
    while ((client = sm_split_next(context, is_member, client)))
        own_of(client)->sms = sms[client->index];
    return true;
}

/* All SMs, split evenly among the owners; the first get what is left over (section 4.2). */
static void split_evenly(struct ct_context *context) {
    struct hsm_state *state = context->state;
    int64_t sms[SM_SPLIT_CLIENTS];
    uint32_t clients = context->host->client_count(context);
    if (state->owners == 0)
        return;
    if (state->owners > state->device.sms || clients > SM_SPLIT_CLIENTS) {
        context->host->fail(context,
                            "more applications with a kernel than SMs to give one to each");
        return;
    }
    memset(sms, 0, clients * sizeof *sms);
    sm_split_evenly(context, is_owner, state->device.sms, sms);
    set_partition(context, sms);
}

/* ---- the end of an epoch ---- */

/* Adds the counters (sign 1) or takes them off (-1). */
static void add_counters(struct ct_counters *sum, const struct ct_counters *one, double sign) {
    sum->instructions += sign * one->instructions;
    sum->memory_accesses += sign * one->memory_accesses;
    sum->row_hits += sign * one->row_hits;
    sum->busy_ps += sign * one->busy_ps;
    sum->sm_ps += sign * one->sm_ps;
}

/* `all`: the counters of all applications in this epoch. */
static struct hsm_app predict(struct ct_context *context, const struct ct_client *client,
                              struct ct_counters all, const struct hsm_variant *variant) {
    struct hsm_state *state = context->state;
    const struct hsm_client *own = client->scratch;
    struct hsm_measure measure = {
        .counters = own->epoch, .sms = own->sms, .blocks = own->blocks, .others = all};
    add_counters(&measure.others, &own->epoch, -1);
    struct hsm_app app = {.client = client->index, .sms = own->sms, .most = state->device.sms};
    app.progress = variant->progress(context, client, &measure);
    /* Section 2.3.1: no more SMs than blocks, from here on; the even split asks for none. */
    if (own->blocks >= 1 && own->blocks < (double)app.most)
        app.most = (int64_t)own->blocks;
    state->unknown += isnan(app.progress);
    state->above_one += hsm_below(1, app.progress);
    if (!isnan(app.progress)) {
        context->host->note(context, NULL, CT_NOTE_CLIENT, client->index);
        context->host->note(context, NULL, variant->note, app.progress);
    }
    return app;
}

static uint32_t predict_all(struct ct_context *context, struct hsm_app *apps,
                            const struct hsm_variant *variant) {
    uint32_t count = 0;
    struct ct_counters all = {0};
    const struct ct_client *client = NULL;
    while ((client = sm_split_next(context, is_member, client))) {
        struct hsm_client *own = client->scratch;
        own->epoch = (struct ct_counters){0};
        context->host->counters(context, client, &own->epoch);
        add_counters(&own->epoch, &own->base, -1);
        add_counters(&all, &own->epoch, 1);
    }
    while (count < SM_SPLIT_CLIENTS && (client = sm_split_next(context, is_owner, client)))
        apps[count++] = predict(context, client, all, variant);
    return count;
}

/* Charges these cycles; returns until when they last. */
static int64_t charge(struct ct_context *context, double cycles) {
    const struct hsm_state *state = context->state;
    int64_t time_ps = (int64_t)(cycles / state->clock_hz * PS_PER_S + 0.5);
    context->host->charge(context, time_ps);
    return context->host->now(context) + time_ps;
}

static void reallocate(struct ct_context *context, const struct hsm_variant *variant) {
    struct hsm_state *state = context->state;
    struct hsm_app apps[SM_SPLIT_CLIENTS];
    int64_t sms[SM_SPLIT_CLIENTS];
    if (state->unfinished || state->owners < 2)
        return;
    uint32_t count = predict_all(context, apps, variant);
    state->epochs++;
    int64_t busy_ps = charge(context, variant->cycles * count);
    int64_t moved = variant->rule(context, apps, count);
    memset(sms, 0, context->host->client_count(context) * sizeof *sms);
    for (uint32_t i = 0; i < count; i++)
        sms[apps[i].client] = apps[i].sms;
    if (moved > 0 && set_partition(context, sms)) {
        state->moves++;
        state->sms_moved += (uint64_t)moved;
        state->busy_ps = busy_ps;
    }
}

static void epoch_end(struct ct_context *context, uint64_t epoch,
                      const struct hsm_variant *variant) {
    struct hsm_state *state = context->state;
    if (epoch != state->epoch || state->begin_ps < 0 || state->kernel_ended)
        return; /* a kernel that ended in this very instant closes the epoch without a decision */
    state->begin_ps = -1;
    state->epoch_ended = true;
    reallocate(context, variant);
    epoch_begin(context);
}

/* ---- boundaries ---- */

/* Who has SMs: those with a kernel, and others that may still keep theirs. True: a change. */
static bool update_owners(struct ct_context *context) {
    const struct hsm_options *options = context->options;
    struct hsm_state *state = context->state;
    bool changed = false, release = options->restart == RESTART_KERNEL || state->epoch_ended;
    const struct ct_client *client = NULL;
    while ((client = sm_split_next(context, is_member, client))) {
        struct hsm_client *own = client->scratch;
        if (own->owner == (own->running > 0) || (own->owner && !release))
            continue;
        own->owner = !own->owner;
        state->owners += own->owner ? 1 : -1u;
        changed = true;
    }
    return changed;
}

/* Closes the epoch without a decision and returns to the even split. */
static void boundary(struct ct_context *context) {
    struct hsm_state *state = context->state;
    state->cut +=
        state->shared && state->begin_ps >= 0 && state->begin_ps < context->host->now(context);
    split_evenly(context);
    epoch_begin(context);
}

static double blocks_of(const struct ct_task *task) {
    return (double)task->grid[0] * (double)task->grid[1] * (double)task->grid[2];
}

/* From now on the device could begin this kernel. */
static void arrive(struct ct_context *context, const struct ct_task *task) {
    const struct hsm_options *options = context->options;
    struct hsm_state *state = context->state;
    struct hsm_client *own = task->client->scratch;
    ((struct hsm_task *)task->scratch)->counted = true;
    double blocks = blocks_of(task);
    own->blocks = own->running > 0 ? own->blocks + blocks : blocks;
    own->running++;
    state->running++;
    state->new_name |= options->restart == RESTART_NAME && own->function != NO_FUNCTION &&
                       own->function != task->function_id;
    own->function = task->function_id;
}

static void wait_behind(const struct ct_task *task) {
    struct hsm_client *own = task->client->scratch;
    struct hsm_task *kernel = task->scratch;
    struct hsm_task **behind = own->behind ? own->behind : &own->waiting;
    *kernel = (struct hsm_task){.task = task, .waits = true};
    *behind = kernel;
    own->behind = &kernel->next;
}

/* The kernel that waits at this place comes to the device. */
static void come(struct ct_context *context, struct hsm_client *own, struct hsm_task **place) {
    struct hsm_task *kernel = *place;
    *place = kernel->next;
    if (own->behind == &kernel->next)
        own->behind = place;
    kernel->waits = false;
    arrive(context, kernel->task);
}

/* A task of this stream has ended: the kernel that was next comes. */
static void come_next(struct ct_context *context, struct hsm_client *own, uint32_t stream) {
    struct hsm_task **place = &own->waiting;
    while (*place && (*place)->task->stream != stream)
        place = &(*place)->next;
    if (*place && context->host->tasks_ahead(context, (*place)->task) == 0)
        come(context, own, place);
}

static void issue_all(struct ct_context *context) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        if (!host->issue(context, task, NULL) || !gate_is_kernel(task))
            continue;
        if (host->tasks_ahead(context, task) == 0)
            arrive(context, task);
        else
            wait_behind(task);
    }
}

static void hsm_decide(struct ct_context *context, uint32_t why) {
    struct hsm_state *state = context->state;
    (void)why;
    issue_all(context);
    if (state->running == 0)
        return;
    bool changed = update_owners(context) || state->kernel_ended || state->new_name;
    bool again = state->unfinished;
    state->kernel_ended = state->new_name = state->epoch_ended = state->unfinished = false;
    if (changed || again)
        boundary(context);
    else if (state->begin_ps < 0)
        epoch_begin(context);
}

/* ---- hooks ---- */

static bool hsm_init(struct ct_context *context) {
    const struct hsm_options *options = context->options;
    struct hsm_state *state = context->state;
    struct ct_device_info device = {0};
    context->host->device(context, &device);
    state->clock_hz = device.clock_hz;
    state->device.sms = device.sms;
    state->device.peak_bytes_per_s = device.dram_bytes_per_s;
    int64_t schedulers = options->schedulers > 0 ? options->schedulers : device.warp_schedulers;
    state->device.peak_instructions_per_s =
        (double)(device.sms * schedulers) * WARP_THREADS * device.clock_hz;
    state->line = (struct hsm_line){device.row_hit_slope, device.row_hit_base};
    state->begin_ps = -1;
    return true;
}

static void hsm_client_join(struct ct_context *context, const struct ct_client *client) {
    (void)context;
    own_of(client)->joined = true;
    own_of(client)->function = NO_FUNCTION;
}

static void hsm_client_leave(struct ct_context *context, const struct ct_client *client) {
    struct hsm_state *state = context->state;
    state->owners -= own_of(client)->owner;
    own_of(client)->joined = own_of(client)->owner = false;
}

/* A kernel that was recorded to begin before the one before it ended. */
static void hsm_task_start(struct ct_context *context, const struct ct_task *task) {
    struct hsm_client *own = task->client->scratch;
    struct hsm_task **place = &own->waiting;
    if (!((struct hsm_task *)task->scratch)->waits)
        return;
    while ((*place)->task != task)
        place = &(*place)->next;
    come(context, own, place);
}

static void hsm_task_done(struct ct_context *context, const struct ct_task *task) {
    const struct hsm_options *options = context->options;
    struct hsm_state *state = context->state;
    struct hsm_client *own = task->client->scratch;
    if (((struct hsm_task *)task->scratch)->counted) {
        ct_policy_assert(own->running > 0);
        own->running--;
        state->running--;
        own->blocks -= own->running > 0 ? blocks_of(task) : 0;
        state->kernel_ended |= options->restart == RESTART_KERNEL;
    }
    come_next(context, own, task->stream);
}

static void hsm_repartition_done(struct ct_context *context) {
    struct hsm_state *state = context->state;
    state->moving = false;
    epoch_begin(context);
}

/* ---- rules ---- */

static int64_t rule_fair(struct ct_context *context, struct hsm_app *apps, uint32_t count) {
    const struct hsm_options *options = context->options;
    double fairness = hsm_fairness(apps, count);
    if (isnan(fairness))
        return 0;
    context->host->note(context, NULL, "fairness", fairness);
    return hsm_below(fairness, options->threshold) ? hsm_fair_move(apps, count) : 0;
}

/* Where no application has a target of its own, the first service is of high priority, else the
 * first of all: one of its instances. NULL: some have. */
static const struct ct_client *high_without_target(struct ct_context *context) {
    const struct ct_client *high = sm_split_target(context, is_member);
    return high && sm_split_claim(high) == SM_SPLIT_NP_TARGET ? NULL : high;
}

static int64_t rule_qos(struct ct_context *context, struct hsm_app *apps, uint32_t count) {
    const struct hsm_options *options = context->options;
    const struct ct_client *high = high_without_target(context);
    for (uint32_t i = 0; i < count; i++) {
        const struct ct_client *client = context->host->client(context, apps[i].client);
        bool is_high = high && sm_split_same_app(client, high);
        apps[i].target = is_high ? options->target : client->np_target;
        apps[i].release = fmax(options->release, apps[i].target);
    }
    return hsm_qos_move(apps, count);
}

/* The lowest bandwidth goes before the others in the memory controller; several may be lowest. */
static int64_t rule_weigh(struct ct_context *context, struct hsm_app *apps, uint32_t count) {
    const struct hsm_options *options = context->options;
    const struct ct_host *host = context->host;
    double lowest = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        lowest = fmin(lowest, apps[i].progress);
    for (uint32_t i = 0; i < count; i++) {
        double weight = hsm_same(apps[i].progress, lowest) ? options->weight : 1;
        if (host->set_mem_weight(context, host->client(context, apps[i].client), weight)) {
            host->note(context, NULL, CT_NOTE_CLIENT, apps[i].client);
            host->note(context, NULL, "weight", weight);
        }
    }
    return 0;
}

/* ---- predictions ---- */

static double predict_hsm(struct ct_context *context, const struct ct_client *client,
                          const struct hsm_measure *measure) {
    const struct hsm_state *state = context->state;
    (void)client;
    return hsm_progress(&state->device, &state->line, measure);
}

static double predict_dase(struct ct_context *context, const struct ct_client *client,
                           const struct hsm_measure *measure) {
    const struct hsm_state *state = context->state;
    (void)client;
    return hsm_dase_progress(&state->device, measure);
}

static double predict_themis(struct ct_context *context, const struct ct_client *client,
                             const struct hsm_measure *measure) {
    double progress;
    bool known = context->host->predict_progress(context, client, &measure->counters,
                                                 &measure->others, measure->sms, &progress);
    return known ? progress : NAN;
}

/* bw-app predicts no progress: what is compared is the bandwidth in use, 0 without a kernel. */
static double bandwidth_in_use(struct ct_context *context, const struct ct_client *client,
                               const struct hsm_measure *measure) {
    const struct hsm_state *state = context->state;
    (void)client;
    return measure->counters.busy_ps > 0 ? hsm_bandwidth(&state->device, &measure->counters) : 0;
}

#define TIMER(name_, progress_, rule_, cycles_, note_)                                             \
    static void name_(struct ct_context *context, uint64_t id) {                                   \
        static const struct hsm_variant variant = {progress_, rule_, cycles_, note_};              \
        epoch_end(context, id, &variant);                                                          \
    }

TIMER(hsm_fair_timer, predict_hsm, rule_fair, DECISION_CYCLES, "np")
TIMER(hsm_qos_timer, predict_hsm, rule_qos, DECISION_CYCLES, "np")
TIMER(dase_fair_timer, predict_dase, rule_fair, DECISION_CYCLES, "np")
TIMER(dase_qos_timer, predict_dase, rule_qos, DECISION_CYCLES, "np")
TIMER(themis_fair_timer, predict_themis, rule_fair, NETWORK_CYCLES, "np")
TIMER(themis_qos_timer, predict_themis, rule_qos, NETWORK_CYCLES, "np")
TIMER(bw_app_timer, bandwidth_in_use, rule_weigh, 0, "bandwidth")

static void report_epochs(struct ct_context *context) {
    const struct hsm_state *state = context->state;
    context->host->print(context, "epochs", (double)state->epochs);
    context->host->print(context, "epochs_cut_short", (double)state->cut);
}

static void hsm_report(struct ct_context *context) {
    const struct hsm_state *state = context->state;
    const struct ct_host *host = context->host;
    report_epochs(context);
    host->print(context, "reallocations", (double)state->moves);
    host->print(context, "sms_moved", (double)state->sms_moved);
    host->print(context, "np_above_one", (double)state->above_one);
    host->print(context, "np_unknown", (double)state->unknown);
}

static void hsm_dump(struct ct_context *context) {
    const struct hsm_state *state = context->state;
    const struct ct_host *host = context->host;
    const struct ct_client *client = NULL;
    host->print(context, "c1", state->line.slope);
    host->print(context, "c2", state->line.base);
    host->print(context, "epoch", (double)state->epoch);
    while ((client = sm_split_next(context, is_member, client)))
        host->print(context, "sms", (double)own_of(client)->sms);
}

/* ---- policies ---- */

static const char *const restart_choices[] = {"kernel", "name", NULL};

#define MEMBER(name) offsetof(struct hsm_options, name)
/* clang-format off */
#define EPOCH_OPTIONS                                                                              \
    {"restart", CT_OPTION_CHOICE, MEMBER(restart), "", 0, 0, "name", restart_choices,              \
     "every kernel's end closes the epoch (section 4.2), or only one before another name (ours)"}, \
    {"epoch_cycles", CT_OPTION_INT, MEMBER(epoch_cycles), "cycles", 1000, 1e12, "500000", NULL,    \
     "length of an epoch (section 4.2)"}
#define SCHEDULERS_OPTION                                                                          \
    {"schedulers", CT_OPTION_INT, MEMBER(schedulers), "", 0, 64, "0", NULL,                        \
     "warp schedulers of an SM, for Eq. 2; 0: those of the GPU"}
#define FAIR_OPTION                                                                                \
    {"threshold", CT_OPTION_DOUBLE, MEMBER(threshold), "", 0, 1, "0.9", NULL,                      \
     "predicted fairness below which SMs move (sections 4.3 and 6.5)"}
#define QOS_OPTIONS                                                                                \
    {"target", CT_OPTION_DOUBLE, MEMBER(target), "", 0.01, 1, "0.8", NULL,                         \
     "NP of the high-priority application where the workload gives none (section 6.3)"},           \
    {"release", CT_OPTION_DOUBLE, MEMBER(release), "", 0.01, 10, "0.9", NULL,                      \
     "predicted NP above which SMs are given back (section 4.3)"}
/*
 * Where two applications have half of the SMs each, and all their 128 miss registers per SM in use,
 * 160 requests of each wait per channel: 40 x 128 / 32. Priority reorders the 64 in the controller's
 * queue alone; if these are all the other's, the rest waits its turn alike, and the two are served
 * 160 : 160 - 64 (HSM Table 1, section 6.4).
 */
#define WEIGHT_OPTION                                                                              \
    {"weight", CT_OPTION_DOUBLE, MEMBER(weight), "", 1, 1000, "1.667", NULL,                       \
     "part of a memory that runs short for a request of the lowest bandwidth, against one of the " \
     "others: 160 waiting against 160 - 64 that cannot be passed (Table 1)"}
/* clang-format on */

static const struct ct_option fair_options[] = {EPOCH_OPTIONS, SCHEDULERS_OPTION, FAIR_OPTION, {0}};
static const struct ct_option qos_options[] = {EPOCH_OPTIONS, SCHEDULERS_OPTION, QOS_OPTIONS, {0}};
static const struct ct_option themis_fair_options[] = {EPOCH_OPTIONS, FAIR_OPTION, {0}};
static const struct ct_option themis_qos_options[] = {EPOCH_OPTIONS, QOS_OPTIONS, {0}};
static const struct ct_option bw_app_options[] = {EPOCH_OPTIONS, WEIGHT_OPTION, {0}};

/* What all of them have. */
#define HSM_FAMILY                                                                                 \
    .abi = CT_POLICY_ABI, .size = sizeof(struct ct_policy), .sharing = CT_SHARING_PARTITION,       \
    .revision = HSM_REVISION, .options_size = sizeof(struct hsm_options),                          \
    .state_size = sizeof(struct hsm_state), .client_size = sizeof(struct hsm_client),              \
    .task_size = sizeof(struct hsm_task), .init = hsm_init, .client_join = hsm_client_join,        \
    .client_leave = hsm_client_leave, .task_start = hsm_task_start, .task_done = hsm_task_done,    \
    .decide = hsm_decide, .repartition_done = hsm_repartition_done
#define HSM_POLICY(name_, summary_, source_, features_, options_, timer_, model_)                  \
    {                                                                                              \
        .name = name_, .summary = summary_, .source = source_, .needs = CT_NEED_PARTITION,         \
        .features = CT_PARTITIONS | CT_PREDICTS | CT_NEEDS_NEW_HARDWARE | (features_),             \
        .options = options_, .timer = timer_, .report = hsm_report, .dump = hsm_dump,              \
        .predictor = model_, HSM_FAMILY,                                                           \
    }
#define HSM_SOURCE "HSM (ASPLOS'20) sections 4.2 and 4.3"
#define DASE_SOURCE "HSM (ASPLOS'20) section 6, after DASE (ICPP'16)"
#define THEMIS_SOURCE "HSM (ASPLOS'20) section 6, after Themis (IPDPS'19)"

const struct ct_policy policy_hsm_fair =
    HSM_POLICY("hsm-fair", "SMs moved from the highest to the lowest predicted progress",
               HSM_SOURCE, 0, fair_options, hsm_fair_timer, CT_PREDICTOR_BEST);

const struct ct_policy policy_hsm_qos =
    HSM_POLICY("hsm-qos", "just enough SMs for the high-priority application, the rest to others",
               HSM_SOURCE, CT_KNOWS_TARGETS, qos_options, hsm_qos_timer, CT_PREDICTOR_BEST);

const struct ct_policy policy_dase_fair =
    HSM_POLICY("dase-fair", "hsm-fair with progress predicted from interference, after DASE",
               DASE_SOURCE, 0, fair_options, dase_fair_timer, CT_PREDICTOR_BEST);

const struct ct_policy policy_dase_qos =
    HSM_POLICY("dase-qos", "hsm-qos with progress predicted from interference, after DASE",
               DASE_SOURCE, CT_KNOWS_TARGETS, qos_options, dase_qos_timer, CT_PREDICTOR_BEST);

const struct ct_policy policy_themis_fair =
    HSM_POLICY("themis-fair", "hsm-fair with progress predicted by a network, after Themis",
               THEMIS_SOURCE, 0, themis_fair_options, themis_fair_timer, CT_PREDICTOR_PROGRESS);

const struct ct_policy policy_themis_qos = HSM_POLICY(
    "themis-qos", "hsm-qos with progress predicted by a network, after Themis", THEMIS_SOURCE,
    CT_KNOWS_TARGETS, themis_qos_options, themis_qos_timer, CT_PREDICTOR_PROGRESS);

const struct ct_policy policy_bw_app = {
    HSM_FAMILY,
    .name = "bw-app",
    .summary = "SMs split evenly, memory requests of the lowest bandwidth preferred",
    .source = "HSM (ASPLOS'20) section 6.4, after Jog et al. (MEMSYS'15)",
    .needs = CT_NEED_PARTITION | CT_NEED_MEMORY_WEIGHT,
    .features = CT_PARTITIONS | CT_STEERS_BANDWIDTH | CT_NEEDS_NEW_HARDWARE,
    .options = bw_app_options,
    .timer = bw_app_timer,
    .report = report_epochs,
};
