#include "run/policy_log.h"

#include <string.h>

static bool somebody_listens(const struct run *run) {
    return run->params->observer && run->params->observer->decided;
}

void policy_log_flush(struct run *run) {
    if (!run->decision.verb)
        return;
    run->decision.notes = run->notes.items;
    run->decision.note_count = run->notes.count;
    run->params->observer->decided(run->params->observer->context, &run->decision);
    run->decision.verb = NULL;
    run->notes.count = 0;
}

static void log_decision(struct run *run, const char *verb, const struct ct_client *client,
                         const struct ct_task *task) {
    if (!somebody_listens(run))
        return;
    policy_log_flush(run);
    run->decided_task = task;
    run->decision =
        (struct sim_decision){.number = run->decision.number + 1,
                              .time_ps = des_engine_now(run->engine),
                              .hook = run->hook ? run->hook : "",
                              .verb = verb,
                              .app = client ? (int64_t)run->clients[client->index].app_index : -1,
                              .instance = client ? (int64_t)client->instance : -1,
                              .job = task ? (int64_t)task->job->number : -1,
                              .task = task ? (int64_t)task->index : -1};
}

void policy_log_verb(struct run *run, const char *verb, const struct ct_client *client,
                     const struct ct_task *task) {
    run->decision_number++;
    log_decision(run, verb, client, task);
}

void policy_log_issue(struct run *run, const struct ct_task *task) {
    if (!run->decision.verb || run->decided_task != task) {
        policy_log_verb(run, "issue", task->client, task);
        return;
    }
    run->decision_number++;
    run->decision.verb = "issue"; /* what was noted about it in this hook */
}

/* A note about a ready task that is not issued is a hold; not in task_ready, where nothing is
 * decided yet. */
static const char *verb_of_note(const struct run *run, const struct ct_task *task) {
    const char *hook = run->hook ? run->hook : "";
    bool decides =
        task && ((const struct run_task *)task)->pooled && strcmp(hook, "task_ready") != 0;
    return decides ? "hold" : "note";
}

void policy_log_note(struct run *run, const struct ct_task *task, const char *key, double value) {
    if (!somebody_listens(run))
        return;
    if (!run->decision.verb || (task && task != run->decided_task)) {
        const char *verb = verb_of_note(run, task);
        log_decision(run, verb, task ? task->client : NULL, task);
        if (run->params->what_if == run->decision.number && strcmp(verb, "hold") == 0)
            run->forced = task;
    }
    if (!ct_vec_push(&run->notes, (struct sim_note){key, value}))
        run_out_of_memory(run);
}

/* ---- What if: one decision of the log goes the other way ---- */

bool policy_withhold(struct run *run, const char *verb, const struct ct_client *client) {
    if (!run->params->what_if || run->params->what_if != run->decision.number + 1)
        return false;
    log_decision(run, verb, client, NULL);
    return true;
}

/* A policy that moves SMs whenever its issue is refused would ask for ever, and time stand still.
 */
enum { REFUSALS_PER_INSTANT = 16 };

bool policy_withhold_issue(struct run *run, const struct ct_task *task) {
    if (!run->params->what_if)
        return false;
    if (run->withheld == task && run->withheld_ps == des_engine_now(run->engine))
        return ++run->refusals < REFUSALS_PER_INSTANT;
    bool noted = run->decision.verb && run->decided_task == task;
    if (run->params->what_if != run->decision.number + !noted)
        return false;
    if (!noted)
        log_decision(run, "", task->client, task);
    run->decision.verb = "issue withheld";
    run->withheld = task;
    run->withheld_ps = des_engine_now(run->engine);
    run->forced = NULL;
    return true;
}

void policy_force_issue(struct run *run) {
    const struct ct_task *task = run->forced;
    policy_log_flush(run); /* the issue has a number of its own */
    run->forced = NULL;
    if (!((const struct run_task *)task)->pooled || !run->policy->force)
        return;
    run->hook = "what_if";
    run->policy->force(&run->context.view, task);
}

/* Nothing else is going on: what was withheld may be decided about anew. */
bool policy_reconsider(struct run *run) {
    if (!run->withheld)
        return false;
    run->withheld = NULL;
    policy_wake(run, CT_WHY_TASK_READY);
    return des_instant_asked(run->engine, DES_RANK_DECIDE);
}
