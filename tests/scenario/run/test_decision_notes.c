/* What the decision log must hold of a run, for every policy: each verb once, in order, with the
 * numbers that were its reason. */
#include "policy_gossip.h"
#include "policy_mix.h"
#include "policy_spy.h"

#include "run/profiling.h"

#ifdef COTENANT_SMALL
/* Too few for every reason to come up. */
enum { CASES = 2, FAMILIES = 0 };
#else
enum { CASES = 8, FAMILIES = 1 };
#endif
enum { KEYS = 32 };

/* ---- One run's log ---- */

struct entry {
    int64_t app, instance, job, task, time_ps;
    bool held;
};

static struct {
    uint64_t number, issues, holds, shares, partitions, notes, verbs;
    int64_t sms;
    const struct ct_policy *policy;
    bool spares;                  /* the policy may leave SMs idle */
    CT_VEC(struct entry) entries; /* holds and issues, in order */
    const char *keys[KEYS];
    size_t key_count;
} seen;

static void remember_key(const char *key) {
    for (size_t i = 0; i < seen.key_count; i++)
        if (strcmp(seen.keys[i], key) == 0)
            return;
    assert_true(seen.key_count < KEYS);
    seen.keys[seen.key_count++] = key;
}

static bool has_key(const char *key) {
    for (size_t i = 0; i < seen.key_count; i++)
        if (strcmp(seen.keys[i], key) == 0)
            return true;
    return false;
}

static void check_partition(const struct sim_decision *d) {
    double sum = 0;
    assert_true(d->note_count > 0 && d->note_count % 2 == 0);
    for (size_t i = 0; i < d->note_count; i += 2) {
        assert_string_equal(d->notes[i].key, "client");
        assert_string_equal(d->notes[i + 1].key, "sms");
        sum += d->notes[i + 1].value;
    }
    assert_true(sum == (double)seen.sms || (seen.spares && sum < (double)seen.sms));
    seen.partitions++;
}

static void see_entry(const struct sim_decision *d, bool held) {
    struct entry entry = {d->app, d->instance, d->job, d->task, d->time_ps, held};
    assert_true(d->app >= 0 && d->instance >= 0 && d->job >= 0 && d->task >= 0);
    assert_true(ct_vec_push(&seen.entries, entry));
}

/* The first note of a hold is its reason, with its number. */
static void check_reason(const struct sim_decision *d) {
    const struct ct_reason *reason = seen.policy->reasons;
    assert_true(d->note_count > 0 && !isnan(d->notes[0].value));
    while (reason->key && strcmp(reason->key, d->notes[0].key) != 0)
        reason++;
    assert_true(reason->key && *reason->sentence && reason->verb == CT_VERB_HOLD);
}

static void see_decision(void *context, const struct sim_decision *d) {
    assert_true(d->number == ++seen.number);
    assert_true(*d->hook);
    for (size_t i = 0; i < d->note_count; i++)
        remember_key(d->notes[i].key);
    assert_int_equal(d->outcome, CT_DONE);
    seen.verbs += d->verb != CT_VERB_NOTE && d->verb != CT_VERB_HOLD;
    switch (d->verb) {
    case CT_VERB_ISSUE:
        seen.issues++;
        see_entry(d, false);
        break;
    case CT_VERB_HOLD:
        seen.holds++;
        check_reason(d);
        see_entry(d, true);
        break;
    case CT_VERB_SET_SHARE:
        seen.shares++;
        assert_true(d->app >= 0 && d->note_count > 0);
        break;
    case CT_VERB_REPARTITION:
        check_partition(d);
        break;
    case CT_VERB_NOTE:
        seen.notes++;
        assert_true(d->note_count > 0);
        break;
    default:
        assert_int_equal(d->verb, CT_VERB_SET_MEM_WEIGHT);
    }
}

static bool same_task(const struct entry *a, const struct entry *b) {
    return a->app == b->app && a->instance == b->instance && a->job == b->job && a->task == b->task;
}

/* A task is issued once, and held only before. */
static void check_entries(void) {
    for (size_t i = 0; i < seen.entries.count; i++) {
        const struct entry *a = &seen.entries.items[i];
        for (size_t k = i + 1; !a->held && k < seen.entries.count; k++)
            assert_false(same_task(a, &seen.entries.items[k]));
    }
}

static const struct spy_watch talking = {.counters = gossip_counters};

static uint64_t run_once(uint64_t n, const struct ct_policy *policy, bool listen) {
    struct mix_kind kind = {.block = n % 2};
    struct run_case c;
    struct predict_bank *bank;
    struct sim_result result;
    struct mix mix;
    struct ct_policy spied = spy_on(policy, &talking);
    union {
        double align;
        char bytes[1024];
    } options = {0};
    mix_make(&mix, 2103 + n / 2, &kind);
    run_case_open(&c, mix.json, NULL);
    seen.sms = c.setup.gpu.sms;
    seen.policy = policy;
    seen.spares = strncmp(policy->source, "C-QoS", 5) == 0;
    gossip = (struct gossip){0};
    if (policy->options)
        ct_options_default(policy->options, options.bytes);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    struct sim_observer observer = {.decided = see_decision};
    struct sim_params params = {.setup = &c.setup,
                                .policy = &spied,
                                .policy_options = options.bytes,
                                .seed = n,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = CT_PS_PER_S / 20,
                                .predictor = bank,
                                .observer = listen ? &observer : NULL,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, &c.diags) != CT_OK)
        run_case_fail(&c, policy->name);
    uint64_t decisions = result.decisions;
    assert_int_equal(result.rejected_verbs, 0);
    sim_result_free(&result);
    predict_bank_free(bank);
    run_case_close(&c);
    return decisions;
}

static void run_logged(uint64_t n, const struct ct_policy *policy) {
    seen.number = seen.verbs = 0;
    seen.entries.count = 0;
    uint64_t decisions = run_once(n, policy, true);
    assert_int_equal(decisions, seen.verbs);
    check_entries();
    assert_int_equal(run_once(n, policy, false), decisions);
}

/* ---- The tests ---- */

static bool is_one_of(const struct ct_policy *policy, const char *family) {
    return strncmp(policy->name, family, strlen(family)) == 0;
}

/* What each family has reasons for, in these mixes. */
static void check_family(const struct ct_policy *policy) {
    if (is_one_of(policy, "baymax")) {
        assert_true(has_key("issue_t_ps") && has_key("issue_tq_ps") && has_key("held_t_ps"));
        assert_true(has_key("held_headroom_ps") && has_key("held_client"));
        assert_true(has_key("headroom_first_ps"));
    }
    if (is_one_of(policy, "laius"))
        assert_true(has_key("issue_per_mille") && has_key("quota_per_mille") &&
                    has_key("held_free_per_mille"));
    if (strcmp(policy->name, "laius") == 0)
        assert_true(has_key("lag_ps") && has_key("rejected_bytes_per_s"));
    if (is_one_of(policy, "hsm") || is_one_of(policy, "dase"))
        assert_true(has_key("np") && has_key("client"));
    if (policy->sharing == CT_SHARING_PARTITION)
        assert_true(seen.partitions > 0);
    if (is_one_of(policy, "mps-even") || is_one_of(policy, "mps-priority"))
        assert_true(seen.shares > 0);
    if (policy->features & CT_REORDERS && strcmp(policy->name, "rule") != 0) /* without a file */
        assert_true(seen.holds > 0);
}

TEST(each_decision_has_its_numbers) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t p = 0; p < count; p++) {
        bool ran = false;
        seen.issues = seen.holds = seen.shares = seen.partitions = seen.notes = 0;
        seen.key_count = 0;
        for (uint64_t n = 0; n < CASES; n++)
            if (spy_runs_on_any(all[p])) {
                run_logged(n, all[p]);
                ran = true;
            }
        if (ran && FAMILIES)
            check_family(all[p]);
    }
    ct_vec_free(&seen.entries);
}
