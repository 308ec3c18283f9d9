#include "run/policy_log.h"

#include <math.h>
#include <string.h>

static bool somebody_listens(const struct run *run) {
    return run->params->observer && run->params->observer->decided;
}

void policy_log_flush(struct run *run) {
    if (!run->log.untold)
        return;
    run->log.decision.notes = run->notes.items;
    run->log.decision.note_count = run->notes.count;
    run->params->observer->decided(run->params->observer->context, &run->log.decision);
    run->log.untold = false;
    run->notes.count = 0;
}

static void log_decision(struct run *run, enum ct_verb verb, enum ct_outcome outcome,
                         const struct ct_client *client, const struct ct_task *task) {
    if (!somebody_listens(run))
        return;
    policy_log_flush(run);
    run->log.untold = true;
    run->log.decided_task = task;
    run->log.decision =
        (struct sim_decision){.number = run->log.decision.number + 1,
                              .time_ps = des_engine_now(run->engine),
                              .hook = run->hook ? run->hook : "",
                              .verb = verb,
                              .outcome = outcome,
                              .app = client ? (int64_t)run->clients[client->index].app_index : -1,
                              .instance = client ? (int64_t)client->instance : -1,
                              .job = task ? (int64_t)task->job->number : -1,
                              .task = task ? (int64_t)task->index : -1};
}

static void add_note(struct run *run, const char *key, double value) {
    run_must(run, ct_vec_push(&run->notes, (struct sim_note){key, value}));
}

void policy_log(struct run *run, enum ct_verb verb, enum ct_outcome outcome,
                const struct ct_client *client, const struct ct_task *task) {
    run->log.number++;
    log_decision(run, verb, outcome, client, task);
}

/* Whether the entry that is not yet told is about this task. */
static bool is_about(const struct run *run, const struct ct_task *task) {
    return run->log.untold && run->log.decided_task == task;
}

void policy_log_issue(struct run *run, const struct ct_task *task) {
    run->log.number++;
    if (is_about(run, task) && run->log.decision.outcome != CT_REJECTED) {
        run->log.decision.verb = CT_VERB_ISSUE; /* what was noted about it in this hook */
        run->log.decision.outcome = CT_DONE;
    } else
        log_decision(run, CT_VERB_ISSUE, CT_DONE, task->client, task);
}

void policy_log_hold(struct run *run, const struct ct_task *task, uint32_t reason) {
    if (!somebody_listens(run))
        return;
    log_decision(run, CT_VERB_HOLD, CT_DONE, task->client, task);
    if (run->params->what_if == run->log.decision.number)
        run->what_if.forced = task;
    add_note(run, run->policy->reasons[reason].key, NAN);
}

/* The reason of a hold is its first note, which waits for its number. */
static bool is_number_of_reason(const struct run *run, const char *key) {
    return run->log.decision.verb == CT_VERB_HOLD && run->notes.count > 0 &&
           isnan(run->notes.items[0].value) && strcmp(run->notes.items[0].key, key) == 0;
}

void policy_log_note(struct run *run, const struct ct_task *task, const char *key, double value) {
    if (!somebody_listens(run))
        return;
    if (!run->log.untold || (task && task != run->log.decided_task))
        log_decision(run, CT_VERB_NOTE, CT_DONE, task ? task->client : NULL, task);
    if (is_number_of_reason(run, key))
        run->notes.items[0].value = value;
    else
        add_note(run, key, value);
}

/* ---- What if: one decision of the log goes the other way ---- */

bool policy_withhold(struct run *run, enum ct_verb verb, const struct ct_client *client) {
    if (!run->params->what_if || run->params->what_if != run->log.decision.number + 1)
        return false;
    log_decision(run, verb, CT_WITHHELD, client, NULL);
    return true;
}

/* A policy that moves SMs whenever its issue is refused would ask for ever, and time stand still.
 */
enum { REFUSALS_PER_INSTANT = 16 };

bool policy_withhold_issue(struct run *run, const struct ct_task *task) {
    if (!run->params->what_if)
        return false;
    if (run->what_if.withheld == task && run->what_if.withheld_ps == des_engine_now(run->engine))
        return ++run->what_if.refusals < REFUSALS_PER_INSTANT;
    bool noted = is_about(run, task) && run->log.decision.outcome != CT_REJECTED;
    if (run->params->what_if != run->log.decision.number + !noted)
        return false;
    if (!noted)
        log_decision(run, CT_VERB_ISSUE, CT_WITHHELD, task->client, task);
    run->log.decision.verb = CT_VERB_ISSUE;
    run->log.decision.outcome = CT_WITHHELD;
    run->what_if.withheld = task;
    run->what_if.withheld_ps = des_engine_now(run->engine);
    run->what_if.forced = NULL;
    return true;
}

void policy_force_issue(struct run *run) {
    const struct ct_task *task = run->what_if.forced;
    policy_log_flush(run); /* the issue has a number of its own */
    run->what_if.forced = NULL;
    if (!((const struct run_task *)task)->pooled || !run->policy->force)
        return;
    run->hook = "what_if";
    run->policy->force(&run->context.view, task);
}

/* Nothing else is going on: what was withheld may be decided about anew. */
bool policy_reconsider(struct run *run) {
    if (!run->what_if.withheld)
        return false;
    run->what_if.withheld = NULL;
    policy_wake(run, CT_WHY_TASK_READY);
    return des_instant_asked(run->engine, DES_RANK_DECIDE);
}
