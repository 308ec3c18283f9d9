/* Every policy against a hostile host: nothing lost, nothing issued twice, nothing held for ever.
 */
#include "base/ct_sentence.h"
#include "cmocka_complete.h"
#include "fake_host.h"
#include "policies/policies.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

FREER(fake_close, struct fake_host)

#define MS INT64_C(1000000000)

enum { POLICIES_MOST = 64 };

#ifdef COTENANT_SMALL
enum { SEEDS = 2 };
#else
enum { SEEDS = 12 };
#endif

static const struct ct_policy *policies[POLICIES_MOST];
static size_t policy_count;
static void *shortest_object;

/* ---- the hostile script ---- */

static uint32_t draw(uint64_t *random, uint32_t bound) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % bound);
}

/* Predictions that a policy must survive: sound, unknown, zero, negative, absurd, infinite. */
static double odd_prediction(uint64_t *random) {
    static const double odd[] = {0.0, -1.0, 1e300, INFINITY, 1e15, 0.4};
    uint32_t pick = draw(random, 10);
    if (pick == 0)
        return NAN;
    if (pick == 1)
        return odd[draw(random, sizeof odd / sizeof odd[0])];
    return (double)(1 + draw(random, 40)) * 1e9;
}

struct script {
    struct fake_host *fake;
    uint64_t random;
    struct ct_client *clients[FAKE_CLIENTS];
    uint32_t client_count;
    struct fake_job *open[FAKE_JOBS];
    uint32_t open_count;
};

static void script_join(struct script *script, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t role = draw(&script->random, 2) ? CT_BATCH : CT_SERVICE;
        int64_t qos = draw(&script->random, 3) ? (int64_t)draw(&script->random, 200) * MS : 0;
        struct ct_client *client = fake_join(script->fake, "app", role, qos);
        client->priority = (int32_t)draw(&script->random, 7) - 3;
        script->clients[script->client_count++] = client;
    }
}

static void script_task(struct script *script, struct fake_job *job) {
    double predicted = odd_prediction(&script->random);
    switch (draw(&script->random, 4)) {
    case 0:
        fake_copy(script->fake, job, (int32_t)draw(&script->random, 3),
                  draw(&script->random, 2) == 0, draw(&script->random, 2) ? 1u << 20 : 0,
                  predicted);
        break;
    case 1:
        fake_memset(script->fake, job, predicted);
        break;
    default:
        fake_kernel(script->fake, job, predicted);
    }
}

static struct fake_task *some_task(struct script *script, bool issued) {
    struct fake_host *fake = script->fake;
    uint32_t from = fake->task_count ? draw(&script->random, fake->task_count) : 0;
    for (uint32_t i = 0; i < fake->task_count; i++) {
        struct fake_task *task = &fake->tasks[(from + i) % fake->task_count];
        if (issued ? task->issued && !task->ended : task->pooled)
            return task;
    }
    return NULL;
}

static bool job_is_idle(const struct fake_host *fake, const struct fake_job *job) {
    for (uint32_t i = 0; i < fake->task_count; i++)
        if (fake->tasks[i].task.job == &job->job && fake->tasks[i].issued && !fake->tasks[i].ended)
            return false;
    return true;
}

/* Ends one job without tasks on the device; tasks that the policy holds vanish with it. */
static void script_end(struct script *script) {
    uint32_t at = draw(&script->random, script->open_count);
    if (!job_is_idle(script->fake, script->open[at]))
        return;
    fake_end(script->fake, script->open[at]);
    script->open[at] = script->open[--script->open_count];
}

static void script_step(struct script *script) {
    struct fake_task *task;
    switch (draw(&script->random, 8)) {
    case 0:
        if (script->client_count > 0 && script->fake->job_count < FAKE_JOBS)
            script->open[script->open_count++] = fake_begin(
                script->fake, script->clients[draw(&script->random, script->client_count)],
                odd_prediction(&script->random), draw(&script->random, 2) == 0);
        break;
    case 1:
    case 2:
    case 3:
        if (script->open_count > 0)
            script_task(script, script->open[draw(&script->random, script->open_count)]);
        break;
    case 4:
    case 5:
        task = some_task(script, true);
        if (task && draw(&script->random, 2))
            fake_start(script->fake, task);
        if (task)
            fake_done(script->fake, task);
        break;
    case 6:
        if (script->open_count > 0 && draw(&script->random, 4) == 0)
            script_end(script);
        break;
    default:
        fake_advance(script->fake, script->fake->now_ps + draw(&script->random, 50) * MS);
        fake_decide(script->fake, CT_WHY_TIMER);
    }
}

/*
 * Everything that is left runs to its end: the device completes one task at a time, and jobs end
 * when none of their tasks is left. Returns false when tasks wait while nothing runs and nothing is
 * told any more.
 */
static bool script_drain(struct script *script) {
    struct fake_host *fake = script->fake;
    fake->reject_one_in = 0;
    for (;;) {
        fake_decide(fake, 0);
        struct fake_task *task = some_task(script, true);
        if (task) {
            fake_advance(fake, fake->now_ps + MS);
            fake_done(fake, task);
            continue;
        }
        struct fake_task *held = some_task(script, false);
        bool ended = false;
        for (uint32_t i = script->open_count; i > 0; i--) {
            bool waits = false;
            for (uint32_t t = 0; held && t < fake->task_count; t++)
                waits |=
                    fake->tasks[t].pooled && fake->tasks[t].task.job == &script->open[i - 1]->job;
            if (waits)
                continue;
            fake_end(fake, script->open[i - 1]);
            script->open[i - 1] = script->open[--script->open_count];
            ended = true;
        }
        if (!ended)
            return held == NULL;
    }
}

static void check_sound(const struct ct_policy *policy, const struct fake_host *fake) {
    if (fake->faults > 0)
        fail_msg("%s: %s", policy->name, fake->first_fault);
    if (fake->failed)
        fail_msg("%s: failed the run: %s", policy->name, fake->failure);
}

static void run_script(const struct ct_policy *policy, uint64_t seed, uint32_t clients,
                       uint32_t reject_one_in) {
    struct script script = {.fake = fake_open(policy, NULL), .random = seed};
    assert_non_null(script.fake);
    script.fake->reject_one_in = reject_one_in;
    fake_decide(script.fake, CT_WHY_TIMER);
    script_join(&script, clients);
    for (int step = 0; step < 600; step++)
        script_step(&script);
    if (!script_drain(&script))
        fail_msg("%s, seed %u: held a task while everything was idle", policy->name,
                 (unsigned)seed);
    for (uint32_t i = 0; i < script.client_count; i++)
        fake_leave(script.fake, script.clients[i]);
    fake_decide(script.fake, 0);
    if (policy->report)
        policy->report(&script.fake->context);
    if (policy->dump)
        policy->dump(&script.fake->context);
    check_sound(policy, script.fake);
    fake_close(script.fake);
}

static void every_policy(uint32_t clients, uint32_t reject_one_in) {
    for (size_t i = 0; i < policy_count; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            run_script(policies[i], seed, clients, reject_one_in);
}

/* ---- tests ---- */

TEST(survives_an_empty_run) {
    for (size_t i = 0; i < policy_count; i++) {
        FREED_BY(fake_close) struct fake_host *fake = fake_open(policies[i], NULL);
        assert_non_null(fake);
        for (uint32_t why = 1; why <= CT_WHY_REPARTITION; why *= 2)
            fake_decide(fake, why);
        check_sound(policies[i], fake);
    }
}

TEST(survives_one_client) {
    every_policy(1, 0);
}

TEST(survives_several_clients) {
    every_policy(5, 0);
}

TEST(survives_thirty_two_clients) {
    every_policy(32, 0);
}

TEST(survives_rejected_verbs) {
    every_policy(4, 2);
    every_policy(4, 3);
    every_policy(4, 1);
}

/* A lone batch kernel on an idle device must pass under every policy, however long it is. */
TEST(issues_a_lone_task) {
    static const double durations_ps[] = {NAN, 0.0, 1e9, 1e15};
    for (size_t i = 0; i < policy_count; i++)
        for (size_t d = 0; d < sizeof durations_ps / sizeof durations_ps[0]; d++) {
            FREED_BY(fake_close) struct fake_host *fake = fake_open(policies[i], NULL);
            fake_join(fake, "service", CT_SERVICE, 10 * MS);
            struct ct_client *batch = fake_join(fake, "batch", CT_BATCH, 0);
            struct fake_task *task =
                fake_kernel(fake, fake_begin(fake, batch, NAN, false), durations_ps[d]);
            fake_decide(fake, 0);
            if (!task->issued)
                fail_msg("%s: holds a lone kernel", policies[i]->name);
            check_sound(policies[i], fake);
        }
}

TEST(describes_itself) {
    for (size_t i = 0; i < policy_count; i++) {
        assert_true(policies[i]->name[0] != 0);
        assert_non_null(policies[i]->summary);
        assert_non_null(policies[i]->source);
        for (const struct ct_option *o = policies[i]->options; o && o->name; o++) {
            assert_true(strlen(o->help) > 10);
            assert_true(o->offset < policies[i]->options_size);
        }
        for (const struct ct_reason *r = policies[i]->reasons; r && r->key; r++)
            assert_true(*r->key && *r->sentence && !ct_sentence_fault(r->sentence));
        for (size_t k = i + 1; k < policy_count; k++)
            assert_string_not_equal(policies[i]->name, policies[k]->name);
    }
}

TEST(finds_policies_by_name) {
    size_t count = 0;
    const struct ct_policy *const *all = policies_all(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(policies_find(all[i]->name), all[i]);
    assert_null(policies_find("baymax-"));
    assert_null(policies_find(""));
    assert_null(policies_find("template"));
}

static int collect_policies(void **unused) {
    const struct ct_policy *const *all = policies_all(&policy_count);
    memcpy(policies, all, policy_count * sizeof *policies);
    policies[policy_count++] = ct_policy_entry(); /* the template */
    shortest_object = dlopen(POLICY_SHORTEST, RTLD_NOW | RTLD_LOCAL);
    if (!shortest_object)
        return -1;
    const struct ct_policy *(*entry)(void) = NULL;
    *(void **)&entry = dlsym(shortest_object, CT_POLICY_ENTRY);
    if (!entry)
        return -1;
    policies[policy_count++] = entry();
    return 0;
}

static int release_policies(void **unused) {
    return dlclose(shortest_object);
}

TEST_GROUP(collect_policies, release_policies)
