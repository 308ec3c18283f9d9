#include "cli_settings.h"

#include "influence.h"
#include "workload_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inquiry {
    const struct cli_experiment *e;
    const char **assignments;
    size_t assignment_count;
    const char *const *some; /* the only assignments that are asked about; NULL: everything */
    size_t some_count;
    struct influence *policies; /* what each does with everything that is given */
    uint32_t asked, idle;
    char names[1500]; /* of the idle ones */
    double looked_s;  /* the least of them */
};

static bool make_inquiry(const struct cli_experiment *e, struct inquiry *q) {
    uint32_t count = e->experiment.policy_count;
    *q = (struct inquiry){.e = e, .looked_s = INFINITY};
    q->assignments = cli_values(e->args, "set", &q->assignment_count);
    q->policies = calloc(count + 1u, sizeof *q->policies);
    if (!q->assignments || !q->policies)
        return false;
    for (uint32_t p = 0; p < count; p++)
        q->policies[p] = influence_of(&e->experiment, p);
    return true;
}

static void free_inquiry(struct inquiry *q) {
    for (uint32_t p = 0; q->policies && p < q->e->experiment.policy_count; p++)
        influence_free(&q->policies[p]);
    free(q->policies);
    free(q->assignments);
}

/* `policy` NULL: the setting is not one in a policy's name. */
static void count_answer(struct inquiry *q, bool found, double looked_s, const char *policy,
                         const char *setting) {
    size_t used = strlen(q->names);
    q->asked++;
    if (found)
        return;
    q->looked_s = fmin(q->looked_s, looked_s);
    snprintf(q->names + used, sizeof q->names - used, "%s%s%s%s", q->idle ? ", " : "",
             policy ? policy : "", policy ? ":" : "", setting);
    q->idle++;
}

/* ---- One question ---- */

/* The same inputs: what is given is what holds without it. Labels play no part. */
static int same_inputs(const struct experiment *a, uint32_t policy, const struct experiment *b,
                       bool *same, struct ct_diags *diags) {
    struct experiment_policy policies[] = {a->policies[policy], b->policies[0]};
    struct experiment one = *a, other = *b;
    struct ct_hash keys[2];
    policies[0].label = policies[1].label = "";
    one.policies = &policies[0];
    other.policies = &policies[1];
    one.policy_count = one.replications = other.replications = 1;
    int status = experiment_key(&one, &keys[0], diags);
    if (status == CT_OK)
        status = experiment_key(&other, &keys[1], diags);
    *same = status == CT_OK && keys[0].high == keys[1].high && keys[0].low == keys[1].low;
    return status;
}

/* Of one policy; `asked` stays false where the inputs are the same. */
static int ask_policy(struct inquiry *q, uint32_t policy, const struct setup *setup,
                      const struct experiment_policy *other, bool *asked, bool *found,
                      double *looked_s, struct ct_diags *diags) {
    struct experiment without = q->e->experiment;
    bool same = false;
    without.setup = setup;
    without.policies = other;
    without.policy_count = 1;
    int status = same_inputs(&q->e->experiment, policy, &without, &same, diags);
    if (status != CT_OK || same)
        return status;
    *asked = true;
    return influence_ask(&q->policies[policy], &without, found, looked_s, diags);
}

static int ask_policies(struct inquiry *q, const struct cli_experiment *without, const char *path,
                        struct ct_diags *diags) {
    bool asked = false, found = false;
    double least_s = INFINITY;
    int status = CT_OK;
    for (uint32_t p = 0; p < q->e->experiment.policy_count && status == CT_OK && !found; p++) {
        double looked_s = INFINITY;
        status = ask_policy(q, p, &without->setup, &without->policies.items.items[p], &asked,
                            &found, &looked_s, diags);
        least_s = fmin(least_s, looked_s);
    }
    if (status == CT_OK && asked)
        count_answer(q, found, least_s, NULL, path);
    return status;
}

int cli_settings_outcome(int status, const struct ct_diags *unheard, struct ct_diags *diags) {
    if (status == CT_OK || status == CT_INTERRUPTED)
        return status;
    return unheard->lost || unheard->no_memory ? ct_out_of_memory(diags) : CT_OK;
}

/* Where the workload is none without the key, it is needed, and nothing is asked. */
static int ask_key(struct inquiry *q, const struct workload_given_key *key,
                   struct ct_diags *diags) {
    struct ct_diags unheard = {0};
    struct cli_experiment without = {.args = q->e->args, .policies.watch = q->e->policies.watch};
    int status = workload_given_without(q->e->workload.path, q->e->text, q->assignments,
                                        q->assignment_count, key, &without.workload, &unheard);
    if (status == CT_OK && cli_has(q->e->args, "fidelity"))
        without.workload.fidelity = q->e->workload.fidelity;
    if (status == CT_OK)
        status = cli_experiment_policies(&without, q->e->policies.list, &unheard);
    if (status == CT_OK)
        status = setup_make(&without.workload, &without.setup, &unheard);
    if (status == CT_OK && without.policies.items.count == q->e->experiment.policy_count)
        status = ask_policies(q, &without, key->path, &unheard);
    status = cli_settings_outcome(status, &unheard, diags);
    cli_experiment_close(&without);
    ct_diags_free(&unheard);
    return status;
}

/* "baymax:margin=0.2:order=x" without its n-th option; `list` NULL: it has fewer. False: memory ran
 * out. */
static bool label_without(const char *label, size_t n, const char **list, const char **option,
                          struct ct_arena *arena) {
    const char *begin = strchr(label, ':');
    *list = NULL;
    for (; begin && n > 0; n--)
        begin = strchr(begin + 1, ':');
    if (!begin)
        return true;
    size_t length = 1 + strcspn(begin + 1, ":");
    char *rest = ct_arena_alloc(arena, strlen(label) + 1);
    *option = ct_arena_strndup(arena, begin + 1, length - 1);
    if (!rest || !*option)
        return false;
    snprintf(rest, strlen(label) + 1, "%.*s%s", (int)(begin - label), label, begin + length);
    *list = rest;
    return true;
}

static int ask_label(struct inquiry *q, uint32_t policy, const char *list, const char *option,
                     struct ct_diags *diags) {
    struct ct_diags unheard = {0};
    struct cli_experiment without = {
        .args = q->e->args, .workload = q->e->workload, .policies.watch = q->e->policies.watch};
    const char *name = q->e->experiment.policies[policy].policy->name;
    bool asked = false, found = false;
    double looked_s = INFINITY;
    int status = cli_experiment_policies(&without, list, &unheard);
    if (status == CT_OK)
        status = ask_policy(q, policy, &q->e->setup, without.policies.items.items, &asked, &found,
                            &looked_s, &unheard);
    if (status == CT_OK && asked)
        count_answer(q, found, looked_s, name, option);
    status = cli_settings_outcome(status, &unheard, diags);
    without.workload = (struct workload){0}; /* the other's */
    cli_experiment_close(&without);
    ct_diags_free(&unheard);
    return status;
}

/* ---- All of them ---- */

static int ask_labels(struct inquiry *q, struct ct_arena *arena, struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t p = 0; p < q->e->experiment.policy_count && status == CT_OK; p++) {
        const char *list = "", *option;
        for (size_t n = 0; list && status == CT_OK; n++)
            if (!label_without(q->e->experiment.policies[p].label, n, &list, &option, arena))
                status = ct_out_of_memory(diags);
            else if (list)
                status = ask_label(q, p, list, option, diags);
    }
    return status;
}

static bool is_meant(const struct inquiry *q, const struct workload_given_key *key) {
    for (size_t i = 0; q->some && key->assignment != WORKLOAD_OF_FILE && i < q->some_count; i++)
        if (strcmp(q->some[i], q->assignments[key->assignment]) == 0)
            return true;
    return !q->some;
}

static int ask_keys(struct inquiry *q, struct ct_arena *arena, struct ct_diags *diags) {
    struct workload_given given;
    int status = workload_given_read(q->e->workload.path, q->e->text, q->assignments,
                                     q->assignment_count, arena, &given, diags);
    for (size_t i = 0; i < given.count && status == CT_OK; i++)
        if (is_meant(q, &given.items[i]))
            status = ask_key(q, &given.items[i], diags);
    ct_vec_free(&given);
    return status;
}

static const char *sentence_of(const struct inquiry *q, struct ct_arena *arena) {
    char text[2000], looked[80] = "";
    if (q->idle && q->looked_s < q->e->workload.duration_s)
        snprintf(looked, sizeof looked, " in the first %.3g s", q->looked_s);
    if (!q->idle)
        snprintf(text, sizeof text,
                 "settings: what could be left out, %u key%s, changes the result", q->asked,
                 q->asked == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "settings: the result%s would be the same without %s%s", looked,
                 q->idle > 1 ? "any one of " : "", q->names);
    return ct_arena_strdup(arena, text);
}

static int ask_all(struct inquiry *q, struct ct_arena *arena, const char **sentence,
                   struct ct_diags *diags) {
    int status = ask_keys(q, arena, diags);
    if (status == CT_OK)
        status = ask_labels(q, arena, diags);
    if (status == CT_OK && q->asked) {
        *sentence = sentence_of(q, arena);
        status = *sentence ? CT_OK : ct_out_of_memory(diags);
    }
    return status == CT_INTERRUPTED ? CT_OK : status;
}

int cli_settings_ask_some(const struct cli_experiment *e, const char *const *assignments,
                          size_t count, struct ct_arena *arena, const char **sentence,
                          struct ct_diags *diags) {
    struct inquiry q;
    *sentence = NULL;
    int status = make_inquiry(e, &q) ? CT_OK : ct_out_of_memory(diags);
    q.some = assignments;
    q.some_count = count;
    if (status == CT_OK)
        status = ask_all(&q, arena, sentence, diags);
    free_inquiry(&q);
    return status;
}

int cli_settings_ask(const struct cli_experiment *e, struct ct_arena *arena, const char **sentence,
                     struct ct_diags *diags) {
    return cli_settings_ask_some(e, NULL, 0, arena, sentence, diags);
}

static bool add_notice(struct report *report, const char *text, struct ct_arena *arena) {
    const char **notices = ct_arena_array(arena, report->notice_count + 1, sizeof *notices);
    if (!notices)
        return false;
    notices[0] = text;
    for (size_t i = 0; i < report->notice_count; i++)
        notices[i + 1] = report->notices[i];
    report->notices = notices;
    report->notice_count++;
    return true;
}

int cli_settings_note(struct cli_experiment *e, struct ct_diags *diags) {
    const char *sentence;
    struct ct_arena *arena = &e->result.arena;
    int status = cli_settings_ask(e, arena, &sentence, diags);
    bool done = true;
    for (uint32_t p = 0; status == CT_OK && sentence && p < e->experiment.policy_count; p++) {
        done = done && add_notice(&e->result.pooled[p], sentence, arena);
        if (e->result.finished == 1) /* its own pool, in a store */
            done = done && add_notice(&e->result.runs[p].report, sentence, arena);
    }
    return done ? status : ct_out_of_memory(diags);
}
