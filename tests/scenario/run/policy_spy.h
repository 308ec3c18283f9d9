/*
 * A policy watched from outside: every hook and verb of a real run passes through here, so that a
 * test can work out for itself what the policy had to do. One at a time; the watcher is told before
 * the policy is, and of verbs after they were accepted.
 */
#ifndef POLICY_SPY_H
#define POLICY_SPY_H

#include "run_case.h"

/* Any may be NULL. */
struct spy_watch {
    void (*client_join)(struct ct_context *context, const struct ct_client *client);
    void (*job_begin)(struct ct_context *context, const struct ct_job *job);
    void (*job_end)(struct ct_context *context, const struct ct_job *job);
    void (*task_launch)(struct ct_context *context, const struct ct_task *task);
    void (*task_ready)(struct ct_context *context, const struct ct_task *task);
    void (*task_done)(struct ct_context *context, const struct ct_task *task);
    void (*decided)(struct ct_context *context); /* after `decide` */
    void (*issued)(struct ct_context *context, const struct ct_task *task,
                   const struct ct_grant *grant);
    void (*repartitioned)(struct ct_context *context, const int64_t *sms, uint32_t clients);
    void (*noted)(struct ct_context *context, const struct ct_task *task, const char *key,
                  double value);
    /* Answers instead of the run's own. */
    bool (*predict_job)(struct ct_context *context, const struct ct_job *job, int64_t share,
                        struct ct_prediction *prediction);
    void (*counters)(struct ct_context *context, const struct ct_client *client,
                     struct ct_counters *counters);
};

static struct {
    const struct ct_policy *inner;
    const struct spy_watch *watch;
    const struct ct_host *real;
    struct ct_host host;
    int depth; /* task_ready is called within a hook that walks over the pool */
} spy;

static bool spy_issue(struct ct_context *context, const struct ct_task *task,
                      const struct ct_grant *grant) {
    if (!spy.real->issue(context, task, grant))
        return false;
    if (spy.watch->issued)
        spy.watch->issued(context, task, grant);
    return true;
}

static bool spy_repartition(struct ct_context *context, const int64_t *sms, uint32_t clients,
                            int32_t move) {
    if (!spy.real->repartition(context, sms, clients, move))
        return false;
    if (spy.watch->repartitioned)
        spy.watch->repartitioned(context, sms, clients);
    return true;
}

static void spy_note(struct ct_context *context, const struct ct_task *task, const char *key,
                     double value) {
    spy.real->note(context, task, key, value);
    if (spy.watch->noted)
        spy.watch->noted(context, task, key, value);
}

static void spy_enter(struct ct_context *context) {
    if (spy.depth++ > 0)
        return;
    spy.real = context->host;
    spy.host = *context->host;
    spy.host.issue = spy_issue;
    spy.host.repartition = spy_repartition;
    spy.host.note = spy_note;
    if (spy.watch->predict_job)
        spy.host.predict_job = spy.watch->predict_job;
    if (spy.watch->counters)
        spy.host.counters = spy.watch->counters;
    context->host = &spy.host;
}

static void spy_leave(struct ct_context *context) {
    if (--spy.depth > 0)
        return;
    context->host = spy.real;
}

static bool spy_init(struct ct_context *context) {
    spy_enter(context);
    bool ok = spy.inner->init(context);
    spy_leave(context);
    return ok;
}

static void spy_client_join(struct ct_context *context, const struct ct_client *client) {
    if (spy.watch->client_join)
        spy.watch->client_join(context, client);
    spy_enter(context);
    if (spy.inner->client_join)
        spy.inner->client_join(context, client);
    spy_leave(context);
}

/* A hook about one thing: the watcher, then the policy. */
#define SPY_HOOK(name, type)                                                                       \
    static void spy_##name(struct ct_context *context, const struct type *about) {                 \
        if (spy.watch->name)                                                                       \
            spy.watch->name(context, about);                                                       \
        spy_enter(context);                                                                        \
        if (spy.inner->name)                                                                       \
            spy.inner->name(context, about);                                                       \
        spy_leave(context);                                                                        \
    }

SPY_HOOK(job_begin, ct_job)
SPY_HOOK(job_end, ct_job)
SPY_HOOK(task_launch, ct_task)
SPY_HOOK(task_ready, ct_task)
SPY_HOOK(task_done, ct_task)

static void spy_decide(struct ct_context *context, uint32_t why) {
    spy_enter(context);
    spy.inner->decide(context, why);
    spy_leave(context);
    if (spy.watch->decided)
        spy.watch->decided(context);
}

static void spy_timer(struct ct_context *context, uint64_t id) {
    spy_enter(context);
    spy.inner->timer(context, id);
    spy_leave(context);
}

/* The policy with all its hooks, and those that the watcher wants. */
static struct ct_policy spy_on(const struct ct_policy *policy, const struct spy_watch *watch) {
    struct ct_policy outer = *policy;
    spy.inner = policy;
    spy.depth = 0;
    spy.watch = watch;
    if (policy->init)
        outer.init = spy_init;
    if (policy->client_join || watch->client_join)
        outer.client_join = spy_client_join;
    if (policy->job_begin || watch->job_begin)
        outer.job_begin = spy_job_begin;
    if (policy->job_end || watch->job_end)
        outer.job_end = spy_job_end;
    if (policy->task_launch || watch->task_launch)
        outer.task_launch = spy_task_launch;
    if (policy->task_ready || watch->task_ready)
        outer.task_ready = spy_task_ready;
    if (policy->task_done || watch->task_done)
        outer.task_done = spy_task_done;
    if (policy->decide)
        outer.decide = spy_decide;
    if (policy->timer)
        outer.timer = spy_timer;
    return outer;
}

/* Not every GPU has what these need (sim_check_needs). */
static inline bool spy_runs_on_any(const struct ct_policy *policy) {
    return !(policy->needs & (CT_NEED_SLICES | CT_NEED_PREEMPTION));
}

#endif
