/*
 * cqos and what it is compared with: os-sched, spart-qos, combined, coop (Long et al., "Toward
 * OS-Level and Device-Level Cooperative Scheduling for Multitasking GPUs", IEEE Access 2020).
 *
 * A scheduling period begins when an application arrives or ends, or a copy or kernel completes
 * (section VI-B); what happens at one instant is one trigger, and so is what happens while a
 * decision is worked out. Tasks are ready when the one before them in their stream has ended.
 * Copies wait in the ready pool, and each copy engine is given one at a time. Kernels wait until
 * their application holds an SM. Memsets and copies inside the device pass, and end, without one.
 *
 *   os-sched   a task passes if it fits the headroom of every more urgent application; kernels
 *              share the SMs as they come
 *   spart-qos  idle SMs by dominant-resource fairness, and each period one SM by slack; copies
 *              pass
 *   combined   both, neither knows of the other
 *   coop       the first where copies outweigh kernels (trans_cnt >= comp_cnt), else the second
 *   cqos       decisions for the next copy and the SMs, by Eq. 8 to 12 and Algorithms 1 and 2
 *
 * docs/policies/cqos.md has the readings chosen where the paper is open.
 */
#include "policies/cqos.h"
#include "policies/gate.h"
#include "policies/policies.h"

/* 1: the next period gives preempted and waiting kernels their SMs; `combined` and `coop` hold as
 * os-sched does. */
enum { CQOS_REVISION = 1 };

#define FULL_SHARE 1000
#define PROFILE_STEP_PCT 10 /* shares at which whole jobs are profiled: assumed, as in Laius */
#define PS_PER_MS 1e9

enum { LEFTOVER, ONE };
enum { COPIES_HEADROOM, COPIES_DIRECT };
enum { VALUE_ALONE, VALUE_PER_COST };
enum { LOOK_ALL, LOOK_READY, LOOK_NONE };
enum { VICTIMS_WITHOUT_SMS, VICTIMS_ALL };
enum { SMS_SLACK, SMS_FAIR };

/* Which rules a ready task must pass. */
struct rules {
    bool gate;   /* headroom, and one copy per engine */
    bool let;    /* the level of the operating system has decided already */
    bool owns;   /* kernels: their application holds an SM */
    bool copies; /* copies pass here, not by a decision */
    bool one;    /* a kernel waits until no other is on the device */
};

/* ---- tasks ---- */

static void trigger(struct cqos_state *state, enum cqos_trigger kind) {
    state->triggered = true;
    state->counted[kind]++;
}

/* What the periods are about; memsets and copies inside the device are not. */
static bool is_scheduled(const struct ct_task *task) {
    return gate_is_kernel(task) || gate_is_host_copy(task);
}

static void list_append(struct cqos_state *state, struct cqos_client *client,
                        struct cqos_task *task) {
    struct cqos_task **end = &client->kernels;
    state->queued_ps += task->solo_ps;
    while (*end)
        end = &(*end)->next;
    task->next = NULL;
    *end = task;
}

static void list_remove(struct cqos_state *state, struct cqos_client *client,
                        struct cqos_task *task) {
    state->queued_ps -= task->solo_ps;
    for (struct cqos_task **at = &client->kernels; *at; at = &(*at)->next)
        if (*at == task) {
            *at = task->next;
            return;
        }
}

/* A task is ready when the one before it in its stream is finished (section VII-C); those behind it
 * are not, launched or not. The first of a job is an arrival: t_i0 of Eq. 8. Another one becomes
 * ready at an event, or brings one with it: the host launches it later, or a memset was before it.
 */
static void make_ready(struct ct_context *context, const struct ct_task *task) {
    struct cqos_state *state = context->state;
    struct cqos_task *own = task->scratch;
    struct cqos_job *job = task->job->scratch;
    own->ready = true;
    own->ready_ps = context->host->now(context);
    job->ready_ps += own->solo_ps;
    if (job->terms <= 0)
        job->terms = cqos_terms(context, task);
    if (!job->submitted)
        trigger(state, CQOS_ARRIVAL);
    job->submitted = true;
    state->triggered |= is_scheduled(task);
}

static bool issue(struct ct_context *context, const struct ct_task *task) {
    struct cqos_state *state = context->state;
    struct cqos_client *client = task->client->scratch;
    struct cqos_task *own = task->scratch;
    if (!context->host->issue(context, task, NULL)) {
        state->triggered |= is_scheduled(task);
        return false;
    }
    if (!own->ready) /* what if: before its time */
        make_ready(context, task);
    own->issued = true;
    own->task = task;
    own->left = 1;
    own->updated_ps = context->host->now(context);
    ((struct cqos_job *)task->job->scratch)->issued_ps += own->solo_ps;
    if (gate_is_kernel(task)) {
        list_append(state, client, own);
        if (client->sms > 0) {
            context->host->note(context, task, "completion_sms", (double)client->sms);
            context->host->note(context, task, "completion_ps",
                                cqos_kernel_completion(context, task));
        }
    } else if (gate_is_host_copy(task)) {
        uint32_t engine = cqos_engine(&state->scene.device, task->direction);
        state->engine_copies[engine]++;
        if (!client->copies[engine])
            client->copies[engine] = task;
    }
    return true;
}

static void look_for_ready(struct ct_context *context) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));) {
        const struct cqos_task *own = task->scratch;
        if (!own->ready && host->tasks_ahead(context, task) == 0)
            make_ready(context, task);
        if (own->ready && !is_scheduled(task))
            issue(context, task);
    }
}

static bool kernel_is_issued(struct ct_context *context) {
    const struct ct_client *client = NULL;
    while ((client = gate_next_client(context, client)) &&
           !((const struct cqos_client *)client->scratch)->kernels)
        continue;
    return client;
}

enum { HELD_HEADROOM, HELD_COPIES, HELD_SMS, HELD_KERNEL };

static const struct ct_reason reasons[] = {
    [HELD_HEADROOM] = {"held_headroom_ps", "headroom {held_headroom_ps}", CT_VERB_HOLD},
    [HELD_COPIES] = {"held_copies_ahead",
                     "{held_copies_ahead copy|copies} ahead of it on its copy engine",
                     CT_VERB_HOLD},
    [HELD_SMS] = {"held_with_sms", "its application had {held_with_sms SM|SMs}", CT_VERB_HOLD},
    [HELD_KERNEL] = {"held_kernels", "{held_kernels kernel|kernels} on the device", CT_VERB_HOLD},
    {"value", "the best of {candidates allocation|allocations}, its value {value}", CT_VERB_NOTE},
    {0},
};

/* False: the task is not let pass. */
static bool hold(struct ct_context *context, const struct ct_task *task, uint32_t reason,
                 double number) {
    struct cqos_task *own = task->scratch;
    gate_hold(context, task, &own->held, reasons, reason, number);
    return false;
}

static bool passes_gate(struct ct_context *context, const struct ct_task *task) {
    int64_t headroom_ps;
    return cqos_gate_passes(context, task, &headroom_ps) ||
           hold(context, task, HELD_HEADROOM, (double)headroom_ps);
}

static bool copy_may_pass(struct ct_context *context, const struct ct_task *task,
                          const struct rules *rules) {
    const struct cqos_options *options = context->options;
    const struct cqos_state *state = context->state;
    uint32_t ahead = state->engine_copies[cqos_engine(&state->scene.device, task->direction)];
    if (!rules->copies || (rules->gate && ahead > 0))
        return hold(context, task, HELD_COPIES, ahead);
    return !rules->gate || options->copies == COPIES_DIRECT || passes_gate(context, task);
}

static bool kernel_may_pass(struct ct_context *context, const struct ct_task *task,
                            const struct rules *rules) {
    const struct cqos_client *client = task->client->scratch;
    if (rules->gate && !passes_gate(context, task))
        return false;
    if (rules->owns && client->sms == 0)
        return hold(context, task, HELD_SMS, 0);
    if (rules->one && kernel_is_issued(context))
        return hold(context, task, HELD_KERNEL, 1);
    return true;
}

static bool may_pass(struct ct_context *context, const struct ct_task *task,
                     const struct rules *rules) {
    if (rules->let && !((const struct cqos_task *)task->scratch)->let)
        return false;
    if (gate_is_host_copy(task))
        return copy_may_pass(context, task, rules);
    return !gate_is_kernel(task) || kernel_may_pass(context, task, rules);
}

/* What if: a copy queues behind those of its engine, a kernel waits on the device for SMs. */
static void cqos_force(struct ct_context *context, const struct ct_task *task) {
    issue(context, task);
}

static void pass_tasks(struct ct_context *context, const struct rules *rules) {
    const struct ct_host *host = context->host;
    for (const struct ct_task *task = NULL; (task = host->ready_next(context, task));)
        if (((struct cqos_task *)task->scratch)->ready && may_pass(context, task, rules))
            issue(context, task);
}

/* ---- partitions ---- */

static void note_partition(struct ct_context *context, const struct cqos_partition *partition) {
    const struct cqos_state *state = context->state;
    for (uint32_t i = 0; i < state->scene.count; i++) {
        if (!state->scene.apps[i].kernel.there)
            continue;
        context->host->note(context, NULL, CT_NOTE_CLIENT, state->scene.apps[i].client);
        context->host->note(context, NULL, CT_NOTE_SMS, partition->sms[i]);
    }
}

/* The scene has this partition from now on. */
static void take_partition(struct cqos_scene *scene, const struct cqos_partition *partition) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        ct_policy_assert(partition->sms[i] >= 0);
        sum += scene->apps[i].sms = partition->sms[i];
    }
    ct_policy_assert(sum <= scene->device.sms); /* Eq. 1 */
}

/* SMs belong to applications, and are idle when a kernel has ended and no other of its application
 * is on the device. A partition lasts beyond it: ready kernels occupy SMs as those that run do
 * (section VII-C), as many as they fill. */
static void give_up_sms(struct ct_context *context, bool lasts) {
    struct cqos_scene *scene = &((struct cqos_state *)context->state)->scene;
    for (uint32_t i = 0; i < scene->count; i++) {
        struct cqos_app *app = &scene->apps[i];
        struct cqos_client *client = context->host->client(context, app->client)->scratch;
        if (client->kernels)
            continue;
        if (!lasts || !app->kernel.there)
            client->sms = app->sms = 0;
        else if (app->sms > app->kernel.need)
            app->sms = app->kernel.need;
    }
}

/* Asks for the partition of the scene. SMs drain; those that change hands work for their new owner
 * afterwards. */
static void ask_partition(struct ct_context *context) {
    const struct ct_host *host = context->host;
    struct cqos_state *state = context->state;
    struct cqos_scene *scene = &state->scene;
    bool changed = false;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        const struct cqos_client *client = host->client(context, app->client)->scratch;
        changed |= app->sms != client->sms;
    }
    if (!changed)
        return;
    int64_t sms[CQOS_APPS_MOST] = {0};
    if (host->client_count(context) > CQOS_APPS_MOST)
        return; /* the run fails */
    for (uint32_t i = 0; i < scene->count; i++)
        sms[scene->apps[i].client] = scene->apps[i].sms;
    if (!host->repartition(context, sms, host->client_count(context), CT_MOVE_DRAIN)) {
        state->triggered = true;
        return;
    }
    struct cqos_partition partition = cqos_partition_now(scene);
    note_partition(context, &partition);
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        ((struct cqos_client *)host->client(context, app->client)->scratch)->sms = app->sms;
    }
}

/* ---- scheduling periods ---- */

/* False: nothing has happened, or the last decision is still being worked out. */
static bool period_begins(struct ct_context *context) {
    const struct cqos_options *options = context->options;
    const struct ct_host *host = context->host;
    struct cqos_state *state = context->state;
    int64_t now = host->now(context), cost = (int64_t)(options->cost_ms * PS_PER_MS + 0.5);
    look_for_ready(context);
    if (!state->triggered || now < state->free_ps)
        return false;
    state->triggered = false;
    state->decisions++;
    if (cost > 0 && host->timer(context, now + cost, 0)) {
        host->charge(context, cost);
        state->free_ps = now + cost;
    }
    return true;
}

/* Counts a task as issued, or with -1 no longer. */
static void count_issued(struct cqos_state *state, const struct ct_task *task, int sign) {
    double solo_ps = sign * ((const struct cqos_task *)task->scratch)->solo_ps;
    ((struct cqos_job *)task->job->scratch)->issued_ps += solo_ps;
    if (gate_is_kernel(task))
        state->queued_ps += solo_ps;
    else
        state->engine_copies[cqos_engine(&state->scene.device, task->direction)] += (uint32_t)sign;
}

/* What the level of the operating system lets pass in this period, each task after the one before
 * it, as os-sched issues them: whether they have SMs it does not know. */
static void let_tasks(struct ct_context *context) {
    const struct ct_host *host = context->host;
    const struct rules rules = {.gate = true, .copies = true};
    const struct ct_task *task = NULL;
    while ((task = host->ready_next(context, task))) {
        struct cqos_task *own = task->scratch;
        own->let = own->ready && is_scheduled(task) && may_pass(context, task, &rules);
        if (own->let)
            count_issued(context->state, task, 1);
    }
    while ((task = host->ready_next(context, task)))
        if (((const struct cqos_task *)task->scratch)->let)
            count_issued(context->state, task, -1);
}

/* Kernels that the level of the operating system holds take no SMs. */
static void leave_out_held(struct ct_context *context) {
    struct cqos_state *state = context->state;
    let_tasks(context);
    for (uint32_t i = 0; i < state->scene.count; i++) {
        struct cqos_app *app = &state->scene.apps[i];
        const struct cqos_client *client = context->host->client(context, app->client)->scratch;
        const struct ct_task *ready = client->kernels ? NULL : client->ready_kernel;
        if (ready && !((const struct cqos_task *)ready->scratch)->let)
            app->kernel.there = false;
    }
}

static void os_sched_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    const struct cqos_options *options = context->options;
    if (period_begins(context))
        pass_tasks(context,
                   &(struct rules){.gate = true, .copies = true, .one = options->kernels == ONE});
}

/* One period at the level of the device; gated: beside the one at the level of the operating
 * system. */
static void spart_period(struct ct_context *context, bool gated) {
    struct cqos_state *state = context->state;
    if (gated)
        leave_out_held(context);
    give_up_sms(context, true);
    struct cqos_partition partition = cqos_partition_now(&state->scene);
    if (((const struct cqos_options *)context->options)->sms == SMS_FAIR)
        cqos_fair_period(&state->scene, &partition);
    else
        cqos_spart_period(&state->scene, &partition);
    take_partition(&state->scene, &partition);
    ask_partition(context);
    pass_tasks(context, &(struct rules){.let = gated, .owns = true, .copies = true});
}

static void spart_qos_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    if (!period_begins(context))
        return;
    cqos_scene_make(context);
    spart_period(context, false);
}

static void combined_decide(struct ct_context *context, uint32_t why) {
    (void)why;
    if (!period_begins(context))
        return;
    cqos_scene_make(context);
    spart_period(context, true);
}

/* Section VII-C. */
static void coop_decide(struct ct_context *context, uint32_t why) {
    struct cqos_state *state = context->state;
    (void)why;
    if (!period_begins(context))
        return;
    cqos_scene_make(context);
    if (!cqos_transfers_dominate(&state->scene)) {
        spart_period(context, false);
        return;
    }
    state->os_periods++;
    leave_out_held(context);
    give_up_sms(context, false);
    struct cqos_partition partition = cqos_partition_now(&state->scene);
    cqos_launch(&state->scene, &partition, true);
    take_partition(&state->scene, &partition);
    ask_partition(context);
    pass_tasks(context, &(struct rules){.let = true, .owns = true, .copies = true});
}

/* ---- cqos ---- */

static void note_decision(struct ct_context *context, const struct ct_task *task) {
    struct cqos_state *state = context->state;
    context->host->note(context, task, "value", state->search.value);
    context->host->note(context, task, "candidates", (double)state->search.candidates);
    context->host->note(context, task, "random", state->search.random);
    state->candidates += state->search.candidates;
    state->random += state->search.random;
}

/* The kernel of the taker owes these SMs to the kernels that it preempts. */
static void lend(struct ct_context *context, const struct cqos_partition *partition) {
    const struct cqos_scene *scene = &((struct cqos_state *)context->state)->scene;
    if (partition->taker == CQOS_NOBODY)
        return;
    uint32_t taker = scene->apps[partition->taker].client;
    struct cqos_loan *loans =
        ((struct cqos_client *)context->host->client(context, taker)->scratch)->loans;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct cqos_app *app = &scene->apps[i];
        const struct cqos_client *victim = context->host->client(context, app->client)->scratch;
        struct cqos_loan *loan = &loans[app->client];
        int64_t lost = app->sms - partition->sms[i];
        if (lost <= 0 || !victim->kernels)
            continue;
        const struct ct_task *kernel = victim->kernels->task;
        *loan = (struct cqos_loan){kernel, (loan->kernel == kernel ? loan->sms : 0) + lost};
    }
}

/* "Restored as soon as the preempting kernel is finished" (section VI-A, Eq. 6): before anything
 * new is decided. */
static void restore_victims(struct ct_context *context) {
    const struct ct_host *host = context->host;
    struct cqos_scene *scene = &((struct cqos_state *)context->state)->scene;
    int64_t idle = cqos_idle_sms(scene);
    for (const struct ct_client *client = NULL; (client = gate_next_client(context, client));) {
        struct cqos_client *taker = client->scratch;
        if (taker->kernels)
            continue;
        for (uint32_t i = 0; i < scene->count; i++) {
            struct cqos_app *app = &scene->apps[i];
            const struct cqos_client *victim = host->client(context, app->client)->scratch;
            struct cqos_loan *loan = &taker->loans[app->client];
            bool still = loan->kernel && victim->kernels && victim->kernels->task == loan->kernel;
            int64_t gets = still ? app->kernel.need - app->sms : 0;
            gets = gets < loan->sms ? gets : loan->sms;
            gets = gets < idle ? gets : idle;
            idle -= gets;
            app->sms += gets;
            *loan = (struct cqos_loan){0};
        }
    }
}

/* The chosen copy takes the link. Those that it was kept from meanwhile are not passed over again.
 */
static void launch_copy(struct ct_context *context, uint32_t copier, uint32_t engine) {
    struct cqos_state *state = context->state;
    struct cqos_copy *copy = &state->scene.apps[copier].copies[engine];
    if (!issue(context, copy->task))
        return;
    copy->running = true;
    state->scene.busy_ps[engine] = copy->left_ps > 1 ? copy->left_ps : 1;
    for (uint32_t i = 0; state->rested[engine] && i < state->scene.count; i++) {
        const struct cqos_copy *other = &state->scene.apps[i].copies[engine];
        if (other->there && !other->running)
            ((struct cqos_task *)other->task->scratch)->passed_over = true;
    }
    state->rested[engine] = false;
}

static void carry_out(struct ct_context *context) {
    struct cqos_state *state = context->state;
    const struct cqos_decision *decision = &state->search.decision;
    const struct ct_task *task = NULL;
    if (decision->copier != CQOS_NOBODY) {
        task = state->scene.apps[decision->copier].copies[decision->engine].task;
        launch_copy(context, decision->copier, decision->engine);
    }
    if (decision->rests)
        state->rested[decision->engine] = true;
    note_decision(context, task);
    lend(context, decision->partition);
    take_partition(&state->scene, decision->partition);
}

/* Where SMs and ready tasks are there, a task is launched (section VI-A): decisions follow each
 * other until no ready kernel is left beside idle SMs. */
static void cqos_decide(struct ct_context *context, uint32_t why) {
    struct cqos_state *state = context->state;
    struct cqos_scene *scene = &state->scene;
    (void)why;
    if (!period_begins(context))
        return;
    cqos_scene_make(context);
    give_up_sms(context, false);
    restore_victims(context);
    state->search.context = context;
    state->search.drawn = false;
    for (uint32_t e = 0; e < scene->device.engines; e++)
        if (cqos_search(scene, &state->search, e, e == 0 ? CQOS_REACH_ALL : CQOS_REACH_NONE))
            carry_out(context);
    while (cqos_kernel_waits(scene) && cqos_search(scene, &state->search, 0, CQOS_REACH_IDLE))
        carry_out(context);
    ask_partition(context);
    pass_tasks(context, &(struct rules){.owns = true});
}

/* ---- hooks ---- */

static bool cqos_init(struct ct_context *context) {
    const struct cqos_options *options = context->options;
    struct cqos_state *state = context->state;
    cqos_device_read(context, &state->scene.device);
    if (state->scene.device.sms > CQOS_SMS_MOST) {
        context->host->fail(context, "the device has more than 1024 SMs");
        return false;
    }
    state->search.weights = (struct cqos_weights){.qos = options->qos_weight,
                                                  .use = options->use_weight,
                                                  .per_cost = options->value == VALUE_PER_COST,
                                                  .only_ready = options->look_ahead == LOOK_READY,
                                                  .change = (enum cqos_change)options->change,
                                                  .every_victim = options->victims == VICTIMS_ALL};
    state->search.epsilon = options->epsilon;
    state->search.look_ahead = options->look_ahead != LOOK_NONE;
    state->search.profiles = options->profiles;
    state->search.idle_link = (enum cqos_idle_link)options->idle_link;
    state->search.uniform = context->host->uniform;
    return true;
}

static void cqos_client_join(struct ct_context *context, const struct ct_client *client) {
    if (client->index >= CQOS_APPS_MOST) {
        context->host->fail(context, "more than 256 application instances");
        return;
    }
    ((struct cqos_client *)client->scratch)->joined = true;
}

static void cqos_client_leave(struct ct_context *context, const struct ct_client *client) {
    (void)context;
    ((struct cqos_client *)client->scratch)->joined = false;
}

/* The target of a job: the latency that it has to keep, or solo / level, its application's own or
 * the default one. Not every job of an application with a latency to keep has one: a step that
 * gives no token of those that `ttft_ms` or `tpot_ms` bounds. */
static double target_ps(struct ct_context *context, const struct ct_job *job, double self_ps) {
    struct cqos_state *state = context->state;
    struct cqos_client *client = job->client->scratch;
    if (job->client->qos_ps > 0 && job->target_ps > 0)
        return (double)job->target_ps;
    if (job->client->np_target > 0)
        return self_ps / job->client->np_target;
    state->default_targets += !client->default_target;
    client->default_target = true;
    return self_ps / ((const struct cqos_options *)context->options)->level;
}

static double known_ps(struct cqos_state *state, bool known, const struct ct_prediction *solo) {
    if (known && gate_is_duration(solo->duration_ps))
        return (double)(int64_t)(solo->duration_ps + 0.5); /* whole: sums in any order are equal */
    state->unknown++;
    return 0;
}

static void cqos_job_begin(struct ct_context *context, const struct ct_job *job) {
    struct cqos_state *state = context->state;
    struct cqos_job *own = job->scratch;
    struct ct_prediction solo = {0};
    own->self_ps =
        known_ps(state, context->host->predict_job(context, job, FULL_SHARE, &solo), &solo);
    own->target_ps = target_ps(context, job, own->self_ps);
}

static void cqos_job_end(struct ct_context *context, const struct ct_job *job) {
    const struct cqos_job *own = job->scratch;
    struct cqos_past *past = &((struct cqos_client *)job->client->scratch)->past;
    if (((const struct cqos_options *)context->options)->goal == CQOS_GOAL_APPLICATION)
        *past = (struct cqos_past){.target_ps = past->target_ps + own->target_ps,
                                   .elapsed_ps = cqos_elapsed_ps(context, job),
                                   .spent_ps = past->spent_ps + own->spent_ps,
                                   .terms = past->terms + own->terms};
    trigger(context->state, CQOS_TERMINATION);
}

static void cqos_task_ready(struct ct_context *context, const struct ct_task *task) {
    struct cqos_state *state = context->state;
    struct cqos_task *own = task->scratch;
    struct ct_prediction solo = {0};
    own->solo_ps =
        known_ps(state, context->host->predict_task(context, task, FULL_SHARE, &solo), &solo);
}

static void cqos_task_done(struct ct_context *context, const struct ct_task *task) {
    struct cqos_state *state = context->state;
    struct cqos_client *client = task->client->scratch;
    struct cqos_task *own = task->scratch;
    if (!own->issued)
        return;
    ((struct cqos_job *)task->job->scratch)->spent_ps += (double)(task->ended_ps - own->ready_ps);
    if (gate_is_kernel(task)) {
        list_remove(state, client, own);
        trigger(state, CQOS_KERNEL);
    } else if (gate_is_host_copy(task)) {
        uint32_t engine = cqos_engine(&state->scene.device, task->direction);
        state->engine_copies[engine]--;
        if (client->copies[engine] == task)
            client->copies[engine] = NULL;
        trigger(state, task->direction == CT_COPY_IN ? CQOS_COPY_IN : CQOS_COPY_OUT);
    }
}

static void level_report(struct ct_context *context) {
    static const char *const names[CQOS_TRIGGERS] = {"triggers_arrival", "triggers_copy_in",
                                                     "triggers_kernel", "triggers_copy_out",
                                                     "triggers_termination"};
    const struct cqos_state *state = context->state;
    const struct ct_host *host = context->host;
    host->print(context, "periods", (double)state->decisions);
    for (int i = 0; i < CQOS_TRIGGERS; i++)
        host->print(context, names[i], (double)state->counted[i]);
    host->print(context, "unknown_predictions", (double)state->unknown);
    host->print(context, "targets_by_default", (double)state->default_targets);
}

static void coop_report(struct ct_context *context) {
    const struct cqos_state *state = context->state;
    level_report(context);
    context->host->print(context, "os_level_periods", (double)state->os_periods);
}

static void cqos_report(struct ct_context *context) {
    const struct cqos_state *state = context->state;
    level_report(context);
    context->host->print(context, "candidates", (double)state->candidates);
    context->host->print(context, "random_decisions", (double)state->random);
}

static void cqos_dump(struct ct_context *context) {
    const struct cqos_state *state = context->state;
    const struct ct_host *host = context->host;
    const struct ct_client *client = NULL;
    for (uint32_t e = 0; e < state->scene.device.engines; e++)
        host->print(context, "copies_in_flight", state->engine_copies[e]);
    while ((client = gate_next_client(context, client)))
        host->print(context, "sms", (double)((struct cqos_client *)client->scratch)->sms);
}

/* ---- options and policies ---- */

static const char *const goal_choices[] = {"execution", "application", NULL};
static const char *const terms_choices[] = {"tasks", "kernels", NULL};
static const char *const held_by_choices[] = {"urgent", "running", NULL};
static const char *const copies_choices[] = {"headroom", "direct", NULL};
static const char *const sms_choices[] = {"slack", "fair", NULL};
static const char *const kernel_choices[] = {"leftover", "one", NULL};
static const char *const value_choices[] = {"alone", "per-cost", NULL};
static const char *const look_choices[] = {"all", "ready", "none", NULL};
static const char *const idle_link_choices[] = {"any", "changed", "never", NULL};
static const char *const change_choices[] = {"none", "absolute", "printed", NULL};
static const char *const victim_choices[] = {"without-sms", "all", NULL};

#define MEMBER(name) offsetof(struct cqos_options, name)
/* clang-format off */
#define LEVEL_OPTIONS                                                                              \
    {"level", CT_OPTION_DOUBLE, MEMBER(level), "", 0.01, 1, "0.7", NULL,                           \
     "target of applications that have none: solo time / level (section IV)"},                     \
    {"cost_ms", CT_OPTION_DOUBLE, MEMBER(cost_ms), "ms", 0, 1000, "0", NULL,                       \
     "what a decision takes, the last one staying in force (section VII-F: below 8)"},             \
    {"goal", CT_OPTION_CHOICE, MEMBER(goal), "", 0, 0, "execution", goal_choices,                  \
     "what a goal is of: each execution, or all of an application so far (t_i0 of Eq. 8)"}

#define GATE_OPTIONS                                                                                    \
    {"held_by", CT_OPTION_CHOICE, MEMBER(held_by), "", 0, 0, "urgent", held_by_choices,            \
     "whose headroom holds a task: of applications with less of it, or of all that run (section "  \
     "VII-C)"},                                                                                    \
    {"copies", CT_OPTION_CHOICE, MEMBER(copies), "", 0, 0, "headroom", copies_choices,             \
     "on a free engine a copy passes by the headroom of the others (Baymax section 6.2, pinned "   \
     "memory), or the most urgent is issued directly (the same, of user-facing queries)"}
#define SMS                                                                                        \
    {"sms", CT_OPTION_CHOICE, MEMBER(sms), "", 0, 0, "slack", sms_choices,                         \
     "each period: idle SMs by dominant share and one SM by slack (Spart), or all SMs anew by "    \
     "dominant share (sections IV and VII-C)"}

static const struct ct_option os_options[] = {
    LEVEL_OPTIONS,
    GATE_OPTIONS,
    {"kernels", CT_OPTION_CHOICE, MEMBER(kernels), "", 0, 0, "leftover", kernel_choices,
     "share the SMs as they come (section VII-C), or have the GPU one at a time (section I)"},
    {0},
};

static const struct ct_option device_options[] = {LEVEL_OPTIONS, SMS, {0}};
static const struct ct_option both_options[] = {LEVEL_OPTIONS, GATE_OPTIONS, SMS, {0}};

static const struct ct_option cqos_options[] = {
    LEVEL_OPTIONS,
    {"epsilon", CT_OPTION_DOUBLE, MEMBER(epsilon), "", 0, 1, "0.1", NULL,
     "part of the decisions that are drawn at random (section VI-B)"},
    {"qos_weight", CT_OPTION_DOUBLE, MEMBER(qos_weight), "", 0, 1000, "10", NULL,
     "a of Eq. 11: weight of the targets"},
    {"use_weight", CT_OPTION_DOUBLE, MEMBER(use_weight), "", 0, 1000, "1", NULL,
     "b of Eq. 11: weight of the use of the SMs"},
    {"look_ahead", CT_OPTION_CHOICE, MEMBER(look_ahead), "", 0, 0, "all", look_choices,
     "which decisions get the value of the period after the next added: all (Eq. 12), those after "
     "which a task is ready for the other resource (Algorithms 1 and 2), or none"},
    {"idle_link", CT_OPTION_CHOICE, MEMBER(idle_link), "", 0, 0, "changed", idle_link_choices,
     "which decisions leave the link idle beside a ready copy: any, those that change SMs "
     "(Algorithm 2), or none (section VI-A)"},
    {"profiles", CT_OPTION_INT, MEMBER(profiles), "", 1, 10000, "100", NULL,
     "possibilities of a group that are profiled at most (section VI-B)"},
    {"value", CT_OPTION_CHOICE, MEMBER(value), "", 0, 0, "alone", value_choices,
     "of an item: the numerator of Eq. 11 (section VI-B), or over the denominator, as printed"},
    {"change", CT_OPTION_CHOICE, MEMBER(change), "", 0, 0, "none", change_choices,
     "Eq. 9's second term, the change of each SM's dominant share: left out, its size, or signed, "
     "as printed"},
    {"terms", CT_OPTION_CHOICE, MEMBER(terms), "", 0, 0, "tasks", terms_choices,
     "what j counts in Eq. 8 to 10: kernels and copies, or kernels, each with its copies"},
    {"victims", CT_OPTION_CHOICE, MEMBER(victims), "", 0, 0, "without-sms", victim_choices,
     "which preempted kernels Eq. 6 lets wait: those left without an SM, or all that lose one"},
    {0},
};
/* clang-format on */

#define CQOS_POLICY(name_, summary_, source_, needs_, features_, sharing_, options_, decide_,      \
                    rank_, report_, revision_)                                                     \
    {                                                                                              \
        .abi = CT_POLICY_ABI, .size = sizeof(struct ct_policy), .name = name_,                     \
        .summary = summary_, .source = source_, .needs = needs_,                                   \
        .features = CT_KNOWS_TARGETS | CT_PREDICTS | (features_), .sharing = sharing_,             \
        .revision = revision_, .options = options_, .options_size = sizeof(struct cqos_options),   \
        .state_size = sizeof(struct cqos_state), .client_size = sizeof(struct cqos_client),        \
        .job_size = sizeof(struct cqos_job), .task_size = sizeof(struct cqos_task),                \
        .init = cqos_init, .client_join = cqos_client_join, .client_leave = cqos_client_leave,     \
        .job_begin = cqos_job_begin, .job_end = cqos_job_end, .task_ready = cqos_task_ready,       \
        .task_done = cqos_task_done, .rank = rank_, .decide = decide_, .force = cqos_force,        \
        .report = report_, .dump = cqos_dump, .profile_step_pct = PROFILE_STEP_PCT,                \
        .reasons = reasons,                                                                        \
    }

const struct ct_policy policy_os_sched =
    CQOS_POLICY("os-sched", "tasks only where every more urgent application has headroom for them",
                "C-QoS (IEEE Access 2020) sections IV and VII-C, after Baymax", 0,
                CT_REORDERS | CT_MANAGES_PCIE, CT_SHARING_MPS, os_options, os_sched_decide,
                cqos_gate_rank, level_report, 0);

const struct ct_policy policy_spart_qos =
    CQOS_POLICY("spart-qos", "idle SMs by dominant-resource fairness, one SM a period by slack",
                "C-QoS (IEEE Access 2020) sections IV and VII-C, after Spart (ASP-DAC'14)",
                CT_NEED_PARTITION, CT_PARTITIONS | CT_NEEDS_NEW_HARDWARE, CT_SHARING_PARTITION,
                device_options, spart_qos_decide, NULL, level_report, 0);

const struct ct_policy policy_combined = CQOS_POLICY(
    "combined", "os-sched and spart-qos at once, neither knowing of the other",
    "C-QoS (IEEE Access 2020) section VII-C", CT_NEED_PARTITION,
    CT_REORDERS | CT_MANAGES_PCIE | CT_PARTITIONS | CT_NEEDS_NEW_HARDWARE, CT_SHARING_PARTITION,
    both_options, combined_decide, cqos_gate_rank, level_report, CQOS_REVISION);

const struct ct_policy policy_coop = CQOS_POLICY(
    "coop", "os-sched while copies outweigh kernels, else spart-qos",
    "C-QoS (IEEE Access 2020) section VII-C", CT_NEED_PARTITION,
    CT_REORDERS | CT_MANAGES_PCIE | CT_PARTITIONS | CT_NEEDS_NEW_HARDWARE, CT_SHARING_PARTITION,
    both_options, coop_decide, cqos_gate_rank, coop_report, CQOS_REVISION);

const struct ct_policy policy_cqos =
    CQOS_POLICY("cqos", "copy order and SMs chosen together by predicted targets and use",
                "C-QoS (IEEE Access 2020) sections V and VI", CT_NEED_PARTITION,
                CT_REORDERS | CT_MANAGES_PCIE | CT_PARTITIONS | CT_NEEDS_NEW_HARDWARE,
                CT_SHARING_PARTITION, cqos_options, cqos_decide, NULL, cqos_report, CQOS_REVISION);
