/* One decision forced the other way: effects computed by hand, and what holds for every policy. */
#include "experiment/recorder.h"
#include "scenario/run/policy_mix.h"
#include "scenario/run/policy_spy.h"

#include "run/profiling.h"

#define MS CT_PS_PER_MS

#ifdef COTENANT_SMALL
enum { CASES = 2, TRIED = 3 };
#else
enum { CASES = 4, TRIED = 4 };
#endif

/* ---- A run with its log ---- */

static void run_with(struct run_case *c, const struct ct_policy *policy, uint64_t seed,
                     struct predict_bank *bank, uint64_t what_if, struct recorder *recorder) {
    double duration_s = bank ? 0.02 : c->workload.duration_s; /* of a mix, of one by hand */
    struct sim_result result;
    union {
        double align;
        char bytes[1024];
    } options = {0};
    *recorder = (struct recorder){.parts = RESULT_JOBS | RESULT_DECISIONS};
    struct sim_observer observer = recorder_observer(recorder);
    if (policy->options)
        ct_options_default(policy->options, options.bytes);
    FREED_BY(predict_bank_free) struct predict_bank *copy = bank ? predict_bank_copy(bank) : NULL;
    struct sim_params params = {.setup = &c->setup,
                                .policy = policy,
                                .policy_options = options.bytes,
                                .seed = seed,
                                .only_app = SIM_ALL_APPS,
                                .duration_ps = ct_time_round(duration_s * (double)CT_PS_PER_S),
                                .decision_cost = c->workload.decision_cost,
                                .blame = true,
                                .predictor = copy,
                                .oracle = bank == NULL,
                                .observer = &observer,
                                .what_if = what_if,
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, &result, &c->diags) != CT_OK)
        run_case_fail(c, policy->name);
    assert_null(result.broken_law);
    assert_int_equal(result.rejected_verbs, 0);
    assert_false(recorder->failed);
    sim_result_free(&result);
}

static const struct result_job *job_of(const struct recorder *r, uint32_t app, uint64_t number) {
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.items[i].app == app && r->jobs.items[i].number == number)
            return &r->jobs.items[i];
    fail_msg("job %u of application %u did not end", (unsigned)number, app);
    return NULL;
}

static ct_time_ps latency_of(const struct recorder *r, uint32_t app, uint64_t number) {
    const struct result_job *job = job_of(r, app, number);
    return job->end_ps - job->arrival_ps;
}

/* The entry about a job's first task. */
static const struct result_decision *entry_of(const struct recorder *r, enum ct_verb verb,
                                              int64_t app, int64_t job) {
    for (size_t i = 0; i < r->decisions.count; i++) {
        const struct result_decision *d = &r->decisions.items[i];
        if (d->verb == verb && d->outcome == CT_DONE && d->app == app && d->job == job &&
            d->task == 0)
            return d;
    }
    fail_msg("no %s about job %d", ct_verb_text(verb, CT_DONE), (int)job);
    return NULL;
}

/* ---- By hand ---- */

/*
 * Kernels that fill the device, so that one runs after the other. b needs 7 ms again and again; the
 * one query q arrives at 50 ms, needs 4 + 4 ms and has a target of 14 ms. b's kernel that runs at
 * 50 ms ends at E (52.04 ms or so, by the phase of b's loop). Baymax: T_q = 7, the headroom of q
 * 14 - 7 - 8 = -1 ms (Eq. 3), so b's next kernel is held at E and goes after q.
 */
static const char by_hand[] =
    "{\"gpu\": \"v100\", \"duration_s\": 0.09, \"warmup_s\": 0, \"predictor\": \"oracle\","
    " \"decision_cost\": \"none\", \"apps\": ["
    "{\"name\": \"q\", \"role\": \"service\", \"qos_ms\": 14, \"synthetic\": {\"kernels\": 2,"
    " \"blocks\": 640, \"threads\": 256, \"duration_ms\": 4},"
    " \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 20}},"
    "{\"name\": \"b\", \"synthetic\": {\"kernels\": 1, \"blocks\": 640, \"threads\": 256,"
    " \"duration_ms\": 7}}]}";

/* The job of b whose kernel runs when q arrives. */
static uint64_t running_job(const struct recorder *r) {
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct result_job *job = &r->jobs.items[i];
        if (job->app == 1 && job->arrival_ps < 50 * MS && job->end_ps > 50 * MS)
            return job->number;
    }
    fail_msg("b does not run");
    return 0;
}

/*
 * Overridden at E, the hold lets b's kernel into the device's queue while q's first kernel runs. It
 * becomes the head of its queue before q's second one does, and so runs first: q ends at E + 4 + 7
 * + 4, 7 ms later than at E + 8, b at E + 11 instead of E + 15.
 */
TEST(overridden_hold) {
    CLOSED_BY(run_case_close) struct run_case c;
    struct recorder was, is;
    run_case_open(&c, by_hand, NULL);
    run_with(&c, &policy_baymax, 1, NULL, 0, &was);
    uint64_t next = running_job(&was) + 1;
    ct_time_ps e = job_of(&was, 1, next)->arrival_ps;
    assert_true(job_of(&was, 0, 0)->end_ps == e + 8 * MS);
    assert_true(job_of(&was, 1, next)->end_ps == e + 15 * MS);
    const struct result_decision *hold = entry_of(&was, CT_VERB_HOLD, 1, (int64_t)next);
    assert_true(hold->time_ps == e);
    run_with(&c, &policy_baymax, 1, NULL, hold->number, &is);
    assert_true(job_of(&is, 0, 0)->end_ps == e + 15 * MS);
    assert_true(job_of(&is, 1, next)->end_ps == e + 11 * MS);
    assert_string_equal(entry_of(&is, CT_VERB_ISSUE, 1, (int64_t)next)->hook, "what_if");
    recorder_free(&was);
    recorder_free(&is);
}

/*
 * Withheld, the issue of b's kernel before q waits until Baymax is asked next, when q arrives: q
 * finds an idle device and takes 8 ms, and its headroom of 14 - 0 - 8 = 6 ms holds the 7 ms of b
 * until it ends: b's job then ends at 50 + 8 + 7 ms.
 */
TEST(withheld_issue) {
    CLOSED_BY(run_case_close) struct run_case c;
    struct recorder was, is;
    run_case_open(&c, by_hand, NULL);
    run_with(&c, &policy_baymax, 1, NULL, 0, &was);
    uint64_t job = running_job(&was);
    const struct result_decision *issue = entry_of(&was, CT_VERB_ISSUE, 1, (int64_t)job);
    assert_true(issue->time_ps == job_of(&was, 1, job)->arrival_ps);
    run_with(&c, &policy_baymax, 1, NULL, issue->number, &is);
    assert_true(latency_of(&is, 0, 0) == 8 * MS);
    assert_true(job_of(&is, 1, job)->end_ps == 65 * MS);
    assert_int_equal(is.decisions.items[issue->number - 1].outcome, CT_WITHHELD);
    recorder_free(&was);
    recorder_free(&is);
}

/* Nothing else is to come: a lone job's issue that is withheld is made at once after all. */
TEST(lone_issue) {
    static const char lone[] =
        "{\"gpu\": \"v100\", \"duration_s\": 0.09, \"warmup_s\": 0, \"predictor\": \"oracle\","
        " \"apps\": [{\"name\": \"b\", \"arrivals\": {\"process\": \"once\"}, \"synthetic\":"
        " {\"kernels\": 1, \"blocks\": 640, \"threads\": 256, \"duration_ms\": 7}}]}";
    CLOSED_BY(run_case_close) struct run_case c;
    struct recorder was, is;
    run_case_open(&c, lone, NULL);
    run_with(&c, &policy_baymax, 1, NULL, 0, &was);
    const struct result_decision *issue = entry_of(&was, CT_VERB_ISSUE, 0, 0);
    run_with(&c, &policy_baymax, 1, NULL, issue->number, &is);
    assert_true(latency_of(&is, 0, 0) == latency_of(&was, 0, 0));
    assert_int_equal(is.decisions.count, was.decisions.count + 1);
    recorder_free(&was);
    recorder_free(&is);
}

/* ---- Every policy ---- */

static bool same_value(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

static bool same_entry(const struct result_decision *a, const struct result_decision *b) {
    bool same = a->number == b->number && a->time_ps == b->time_ps &&
                strcmp(a->hook, b->hook) == 0 && a->verb == b->verb && a->outcome == b->outcome &&
                a->app == b->app && a->instance == b->instance && a->job == b->job &&
                a->task == b->task && a->note_count == b->note_count;
    for (size_t i = 0; same && i < a->note_count; i++)
        same = strcmp(a->notes[i].key, b->notes[i].key) == 0 &&
               same_value(a->notes[i].value, b->notes[i].value);
    return same;
}

static bool same_job(const struct result_job *a, const struct result_job *b) {
    return a->app == b->app && a->instance == b->instance && a->number == b->number &&
           a->arrival_ps == b->arrival_ps && a->first_issue_ps == b->first_issue_ps &&
           a->end_ps == b->end_ps &&
           memcmp(a->blame_ps, b->blame_ps, CT_BLAME_COUNT * sizeof *a->blame_ps) == 0;
}

static bool ended_before(const struct result_job *job, ct_time_ps time) {
    return job->end_ps >= 0 && job->end_ps < time;
}

/* The log up to this entry, and the jobs that ended before its time. */
static void same_before(const struct recorder *a, const struct recorder *b, uint64_t number,
                        ct_time_ps time) {
    for (uint64_t i = 0; i + 1 < number; i++)
        assert_true(same_entry(&a->decisions.items[i], &b->decisions.items[i]));
    for (size_t i = 0; i < a->jobs.count && ended_before(&a->jobs.items[i], time); i++)
        assert_true(i < b->jobs.count && same_job(&a->jobs.items[i], &b->jobs.items[i]));
}

static bool is_issued_by_force(const struct recorder *r, const struct result_decision *d) {
    for (size_t i = (size_t)d->number; i < r->decisions.count; i++) {
        const struct result_decision *later = &r->decisions.items[i];
        if (later->verb == CT_VERB_ISSUE && later->outcome == CT_DONE && later->app == d->app &&
            later->instance == d->instance && later->job == d->job && later->task == d->task)
            return later->time_ps == d->time_ps;
    }
    return false;
}

static uint64_t tried[3]; /* issues, holds, other verbs */

static void try_decision(struct run_case *c, const struct ct_policy *policy, uint64_t seed,
                         struct predict_bank *bank, const struct recorder *was,
                         const struct result_decision *d) {
    struct recorder is, again;
    bool hold = d->verb == CT_VERB_HOLD;
    run_with(c, policy, seed, bank, d->number, &is);
    same_before(was, &is, d->number, d->time_ps);
    if (hold)
        assert_true(is_issued_by_force(&is, d));
    else
        assert_int_equal(is.decisions.items[d->number - 1].outcome, CT_WITHHELD);
    run_with(c, policy, seed, bank, d->number, &again);
    assert_int_equal(is.decisions.count, again.decisions.count);
    same_before(&is, &again, is.decisions.count + 1, CT_TIME_NEVER);
    tried[hold ? 1 : d->verb == CT_VERB_ISSUE ? 0 : 2]++;
    recorder_free(&again);
    recorder_free(&is);
}

/* Holds that can be forced, or whatever else is no note. */
static bool is_of_kind(const struct result_decision *d, const struct ct_policy *policy,
                       bool holds) {
    bool hold = d->verb == CT_VERB_HOLD;
    return d->verb != CT_VERB_NOTE && hold == holds && (!hold || policy->force);
}

static size_t count_kind(const struct recorder *was, const struct ct_policy *policy, bool holds) {
    size_t count = 0;
    for (size_t i = 0; i < was->decisions.count; i++)
        count += is_of_kind(&was->decisions.items[i], policy, holds);
    return count;
}

static const struct result_decision *
nth_of_kind(const struct recorder *was, const struct ct_policy *policy, bool holds, size_t n) {
    size_t i = 0;
    for (size_t left = n + 1; left > 0; i++)
        left -= is_of_kind(&was->decisions.items[i], policy, holds);
    return &was->decisions.items[i - 1];
}

static void try_policy(uint64_t n, const struct ct_policy *policy) {
    struct mix_kind kind = {.block = n % 2};
    struct ct_policy spied = spy_on(policy, &(const struct spy_watch){0});
    FREED_BY(predict_bank_free) struct predict_bank *bank;
    struct recorder was, beyond;
    CLOSED_BY(run_case_close) struct run_case c;
    struct mix mix;
    mix_make(&mix, 5100 + n, &kind);
    run_case_open(&c, mix.json, NULL);
    if (profiling_train(&c.setup, policy, 1, NULL, NULL, &bank, &c.diags) != CT_OK)
        run_case_fail(&c, "profiling failed");
    run_with(&c, &spied, n, bank, 0, &was);
    run_with(&c, &spied, n, bank, was.decisions.count + 1, &beyond);
    assert_int_equal(was.jobs.count, beyond.jobs.count);
    same_before(&was, &beyond, was.decisions.count + 1, CT_TIME_NEVER);
    recorder_free(&beyond);
    for (int holds = 0; holds < 2; holds++)
        for (size_t i = 0, count = count_kind(&was, &spied, holds); i < TRIED && i < count; i++)
            try_decision(&c, &spied, n, bank, &was,
                         nth_of_kind(&was, &spied, holds, (i * 2 + 1) * count / (TRIED * 2)));
    recorder_free(&was);
}

/* Whatever is forced, whoever decides, all before it stays as it was, and the same again gives the
 * same. */
TEST(nothing_before_it_changes) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    for (size_t p = 0; p < count; p++)
        for (uint64_t n = 0; n < CASES && spy_runs_on_any(all[p]); n++)
            try_policy(n, all[p]);
    assert_true(tried[0] > 40 && tried[1] > 10 && tried[2] > 10);
}
