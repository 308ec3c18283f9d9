/*
 * What holds for every run: properties over random small workloads, policies and devices. The
 * workloads come from a generator of their own with fixed seeds; the number of a failing one is
 * printed.
 */
#include "run/arrivals.h"
#include "run_case.h"
#include "unit/base/dice.h"

#include <inttypes.h>

#ifdef COTENANT_SMALL
enum { CASES = 24 };
#else
enum { CASES = 120 };
#endif

enum { APPS_MOST = 4 };

/* ---- Random workloads ---- */

struct text {
    char bytes[8192];
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written =
        vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
    assert_true(written >= 0 && text->length + (size_t)written < sizeof text->bytes);
    text->length += (size_t)written;
}

/* Whether two events may fall on the same picosecond by construction, and order by number. */
enum ties { TIES_WELCOME, NO_TIES };

static void add_duration(struct text *text, uint64_t *dice, enum ties ties) {
    double mean = 0.02 + 0.05 * (double)dice_roll(dice, 20);
    switch (dice_roll(dice, ties == NO_TIES ? 3 : 4)) {
    case 0:
        add(text, "{\"dist\": \"exponential\", \"mean\": %g}", mean);
        break;
    case 1:
        add(text, "{\"dist\": \"hyperexponential\", \"mean\": %g, \"cv\": 2}", mean);
        break;
    case 2:
        add(text, "{\"dist\": \"lognormal\", \"mean\": %g, \"cv\": 0.5}", mean);
        break;
    default:
        add(text, "%g", mean);
    }
}

static void add_synthetic(struct text *text, uint64_t *dice, enum ties ties) {
    static const int blocks[] = {1, 10, 60, 272, 300, 900, 5000}, threads[] = {32, 256, 1024};
    static const int bytes[] = {0, 4, 100000, 3000000};
    add(text, "\"synthetic\": {\"kernels\": %d, \"blocks\": %d, \"threads\": %d",
        (int)dice_roll(dice, 6) + 1, blocks[dice_roll(dice, 7)], threads[dice_roll(dice, 3)]);
    add(text, ", \"bytes_in\": %d, \"bytes_out\": %d", bytes[dice_roll(dice, 4)],
        bytes[dice_roll(dice, 4)]);
    if (dice_roll(dice, 2))
        add(text, ", \"dram_fraction\": %g", 0.1 * (double)dice_roll(dice, 10));
    if (dice_roll(dice, 2))
        add(text, ", \"unit_fraction\": %g", 0.1 * (double)dice_roll(dice, 11));
    if (dice_roll(dice, 2))
        add(text, ", \"row_hit_rate\": %g", 0.1 * (double)dice_roll(dice, 11));
    add(text, ", \"duration_ms\": ");
    add_duration(text, dice, ties);
    add(text, "}");
}

static void add_arrivals(struct text *text, uint64_t *dice, enum ties ties) {
    double rate = 20 + 20 * (double)dice_roll(dice, 20);
    switch (dice_roll(dice, ties == NO_TIES ? 2 : 4)) {
    case 0:
        add(text, "\"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": %g}", rate);
        break;
    case 1:
        add(text, "\"arrivals\": {\"process\": \"gamma\", \"rate_per_s\": %g, \"cv\": 2}", rate);
        break;
    case 2:
        add(text, "\"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": %g}", rate);
        break;
    default:
        add(text, "\"arrivals\": {\"process\": \"closed\", \"clients\": %d, \"think_ms\": %d}",
            (int)dice_roll(dice, 3) + 1, (int)dice_roll(dice, 3));
    }
}

static void add_app(struct text *text, uint64_t *dice, char name, enum ties ties) {
    static const char *const copies[] = {"each", "once", "none"};
    bool service = dice_roll(dice, 2);
    add(text, "{\"name\": \"%c\", \"role\": \"%s\", \"instances\": %d, ", name,
        service ? "service" : "batch", (int)dice_roll(dice, 3) + 1);
    add(text, "\"workers\": %d, \"iterations\": %d, \"copies\": \"%s\", \"priority\": %d, ",
        (int)dice_roll(dice, 2) + 1, (int)dice_roll(dice, 3) + 1, copies[dice_roll(dice, 3)],
        (int)dice_roll(dice, 3));
    if (service)
        add(text, "\"qos_ms\": 20, ");
    if (dice_roll(dice, 2))
        add(text, "\"copy_memory\": \"pinned\", ");
    if (dice_roll(dice, 3) == 0)
        add(text, "\"size\": {\"dist\": \"lognormal\", \"mean\": 1.2, \"cv\": 0.6}, ");
    add_synthetic(text, dice, ties);
    add(text, ", ");
    add_arrivals(text, dice, ties);
    add(text, "}");
}

struct workload_text {
    struct text head, apps[APPS_MOST];
    uint32_t count;
};

/* Added to a seed: the same workload, with thread blocks placed on SMs. */
static const uint64_t IN_BLOCKS = UINT64_C(1) << 32;

static void make_text(struct workload_text *w, uint64_t seed, enum ties ties) {
    static const char *const gpus[] = {
        "\"rtx2080ti\"", "\"v100\"", "\"cqos\"",
        "{\"base\": \"rtx2080ti\", \"time_slice_us\": 150, \"copy_latency_us\": 0}"};
    static const int queues[] = {1, 32, 32, 2}; /* 2: who shares one depends on the order */
    uint64_t dice = seed % IN_BLOCKS;
    *w = (struct workload_text){.count = (uint32_t)dice_roll(&dice, APPS_MOST) + 1};
    add(&w->head, "{\"schema\": \"cotenant.workload/1\", \"gpu\": %s, \"hw_queues\": %d, ",
        gpus[dice_roll(&dice, 4)], queues[dice_roll(&dice, ties == NO_TIES ? 3 : 4)]);
    add(&w->head, "\"duration_s\": 0.1, \"warmup_s\": 0.01, \"policy\": \"mps\"");
    if (seed >= IN_BLOCKS)
        add(&w->head, ", \"fidelity\": \"block\"");
    for (uint32_t a = 0; a < w->count; a++)
        add_app(&w->apps[a], &dice, (char)('a' + a), ties);
}

/* The applications in the file's order, or the other way round; `extra` (or NULL) comes last. */
static void join(const struct workload_text *w, bool reversed, const char *extra,
                 struct text *whole) {
    *whole = (struct text){0};
    add(whole, "%s, \"apps\": [", w->head.bytes);
    for (uint32_t i = 0; i < w->count; i++)
        add(whole, "%s%s", i ? ",\n" : "\n", w->apps[reversed ? w->count - 1 - i : i].bytes);
    add(whole, "%s%s]}\n", extra ? ",\n" : "", extra ? extra : "");
}

static const struct ct_policy *policy_of(uint64_t number) {
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    /* Not every GPU has what these need (sim_check_needs). */
    while (all[number % count]->needs & (CT_NEED_SLICES | CT_NEED_PREEMPTION))
        number++;
    return all[number % count];
}

enum { OPTIONS_MOST = 16 };

/* C-QoS tries 100 possibilities for each number of SMs: with ten applications one run would take
 * half a minute, and all the other cases a few seconds. */
static const char *const few_profiles = "4";

struct quick_policy {
    struct ct_policy policy;
    struct ct_option options[OPTIONS_MOST];
};

static const struct ct_policy *make_quick(const struct ct_policy *policy,
                                          struct quick_policy *quick) {
    size_t count = 0;
    quick->policy = *policy;
    for (; policy->options && policy->options[count].name; count++) {
        assert_true(count + 1 < OPTIONS_MOST);
        quick->options[count] = policy->options[count];
        if (strcmp(policy->options[count].name, "profiles") == 0)
            quick->options[count].standard = few_profiles;
    }
    quick->options[count] = (struct ct_option){0};
    if (policy->options)
        quick->policy.options = quick->options;
    return &quick->policy;
}

/* ---- Properties of one run ---- */

static ct_time_ps sum_of(const ct_time_ps *parts) {
    ct_time_ps sum = 0;
    for (int i = 0; i < CT_BLAME_COUNT; i++) {
        assert_true(parts[i] >= 0);
        sum += parts[i];
    }
    return sum;
}

/* Tasks of one job, and what they did. */
struct job_sum {
    uint32_t tasks;
    double work_ps;
    ct_time_ps first_launch_ps, last_end_ps;
};

static struct job_sum sum_tasks(const struct run_case_result *r, const struct run_case_job *job) {
    struct job_sum sum = {.first_launch_ps = CT_TIME_NEVER};
    for (size_t i = 0; i < r->tasks.count; i++) {
        const struct run_case_task *t = &r->tasks.items[i];
        if (t->app != job->app || t->instance != job->instance || t->job != job->number)
            continue;
        sum.tasks++;
        sum.work_ps += t->work_ps;
        sum.first_launch_ps =
            t->launched_ps < sum.first_launch_ps ? t->launched_ps : sum.first_launch_ps;
        sum.last_end_ps = t->ended_ps > sum.last_end_ps ? t->ended_ps : sum.last_end_ps;
    }
    return sum;
}

static uint32_t tasks_asked(const struct workload_app *spec, uint64_t number) {
    const struct workload_synthetic *s = &spec->synthetic;
    bool copies = spec->copies == WORKLOAD_COPIES_EACH ||
                  (spec->copies == WORKLOAD_COPIES_ONCE && number == 0);
    int64_t count = s->kernels * spec->iterations;
    if (copies)
        count += (int64_t)(s->bytes_in.count + s->bytes_out.count);
    return (uint32_t)count;
}

/* Each job runs all its tasks once, takes no less than its solo work (one stream: no overlap), and
 * its blame adds up to its latency to the picosecond; what waits for its own service is what
 * precedes its first launch. */
static void check_jobs(const struct run_case *c, const struct run_case_result *r) {
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct run_case_job *job = &r->jobs.items[i];
        struct job_sum sum = sum_tasks(r, job);
        double others = 0, latency = (double)(job->end_ps - job->arrival_ps);
        assert_int_equal(sum.tasks, tasks_asked(c->setup.apps[job->app].spec, job->number));
        assert_true(sum.last_end_ps == job->end_ps);
        assert_true(latency >= sum.work_ps - 2.0 * sum.tasks);
        assert_true(sum_of(job->blame_ps) == job->end_ps - job->arrival_ps);
        assert_true(job->blame_ps[CT_BLAME_OWN_QUEUE] == sum.first_launch_ps - job->arrival_ps);
        assert_true(job->blame_ps[CT_BLAME_HOST] == 0);
        for (uint32_t a = 0; a < r->apps; a++)
            others += job->delayed_by_ps[a];
        assert_true(others <= latency * (1 + 1e-9) + 10);
    }
}

/* What sharing cost a job is its latency minus what it would have taken alone, by cause and by whom
 * alike, to the picosecond. */
static void check_costs(const struct run_case_result *r) {
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct run_case_job *job = &r->jobs.items[i];
        ct_time_ps causes = 0, culprits = 0, cost = job->end_ps - job->arrival_ps - job->alone_ps;
        assert_true(job->alone_ps > 0);
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
            causes += job->costs_ps[cause];
        for (uint32_t by = 0; by <= r->apps; by++)
            culprits += job->costs_ps[CT_BLAME_COUNT + by];
        assert_true(causes == cost);
        assert_true(culprits == cost);
        assert_true(job->costs_ps[CT_BLAME_SOLO_WORK] == 0);
    }
}

static void check_tasks(const struct run_case_result *r) {
    for (size_t i = 0; i < r->tasks.count; i++) {
        const struct run_case_task *t = &r->tasks.items[i];
        assert_true(t->launched_ps <= t->ready_ps && t->ready_ps <= t->issued_ps);
        assert_true(t->issued_ps <= t->queued_ps && t->queued_ps <= t->head_ps);
        assert_true(t->head_ps <= t->started_ps && t->started_ps <= t->ended_ps);
        assert_true((double)(t->ended_ps - t->started_ps) >= t->work_ps - 4);
    }
    /* Tasks end in the order of their stream, and none begins before the one before it ended. */
    for (size_t i = 0; i < r->tasks.count; i++)
        for (size_t k = i + 1; k < r->tasks.count; k++) {
            const struct run_case_task *a = &r->tasks.items[i], *b = &r->tasks.items[k];
            if (a->app == b->app && a->instance == b->instance && a->stream == b->stream) {
                assert_true(b->started_ps >= a->ended_ps && b->launched_ps >= a->launched_ps);
                break;
            }
        }
}

static void check_totals(const struct sim_result *result) {
    assert_null(result->broken_law);
    assert_true(result->littles_law_ok);
    assert_true(result->utilisation_law_ok);
    assert_int_equal(result->stale_events, 0);
    assert_int_equal(result->rejected_verbs, 0);
    assert_in_range((uint64_t)(result->sm_utilisation * 1e12), 0, UINT64_C(1000000000001));
    assert_true(result->dram_utilisation >= 0 && result->dram_utilisation <= 1 + 1e-9);
    assert_true(result->batch_busy_fraction >= 0 && result->batch_busy_fraction <= 1 + 1e-9);
}

/* Or a batch job that the window's end cut off, while a later one of another worker was done. */
static bool same_latency(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void same_bits(const struct sim_app_result *a, const struct sim_app_result *b) {
    assert_int_equal(a->jobs, b->jobs);
    assert_int_equal(a->latency_ps.count, b->latency_ps.count);
    for (size_t i = 0; i < a->latency_ps.count; i++)
        assert_true(same_latency(a->latency_ps.items[i], b->latency_ps.items[i]));
}

static void announce(uint64_t number, const struct ct_policy *policy, const struct text *text) {
    print_message("workload %" PRIu64 " under %s\n", number, policy->name);
}

/* Runs quietly; the number of the workload is printed when a check fails. */
static void run_all(void (*check)(struct run_case *, const struct run_case_params *),
                    enum ties ties, uint64_t first_seed) {
    for (uint64_t i = 0; i < run_case_some(2 * CASES); i++) {
        uint64_t n = i / 2, seed = first_seed + n + i % 2 * IN_BLOCKS;
        struct workload_text w;
        struct text whole;
        CLOSED_BY(run_case_close) struct run_case c;
        struct quick_policy quick;
        struct run_case_params params = {
            .policy = make_quick(policy_of(n), &quick), .seed = n, .blame = true};
        make_text(&w, seed, ties);
        join(&w, false, NULL, &whole);
        run_case_open(&c, whole.bytes, NULL);
        if (getenv("COTENANT_TEST_VERBOSE"))
            announce(n, params.policy, &whole);
        check(&c, &params);
    }
}

/* ---- The tests ---- */

static void check_run(struct run_case *c, const struct run_case_params *params) {
    CLOSED_BY(run_case_result_free) struct run_case_result r;
    run_case_run(c, params, &r);
    check_jobs(c, &r);
    check_costs(&r);
    check_tasks(&r);
    check_totals(&r.result);
}

TEST(parts_order_and_sums) {
    run_all(check_run, TIES_WELCOME, 1000);
}

static void forget_blame(struct run_case_job *job) {
    memset(job->blame_ps, 0, sizeof job->blame_ps);
    memset(job->delayed_by_ps, 0, sizeof job->delayed_by_ps);
    memset(job->costs_ps, 0, sizeof job->costs_ps);
    job->alone_ps = -1;
}

/* With and without blame, and again, every second time of the services' jobs alone: then the others
 * have none. */
static void check_same(struct run_case *c, const struct run_case_params *params) {
    struct run_case_params plain = *params, second = *params;
    CLOSED_BY(run_case_result_free) struct run_case_result with, without, again;
    plain.blame = false;
    second.blame_services = params->seed % 2;
    run_case_run(c, params, &with);
    run_case_run(c, &plain, &without);
    run_case_run(c, &second, &again);
    for (size_t i = 0; second.blame_services && i < with.jobs.count; i++)
        if (c->setup.apps[with.jobs.items[i].app].spec->role != CT_SERVICE)
            forget_blame(&with.jobs.items[i]);
    for (uint32_t a = 0; a < c->setup.app_count; a++) {
        same_bits(&with.result.apps[a], &without.result.apps[a]);
        same_bits(&with.result.apps[a], &again.result.apps[a]);
    }
    assert_int_equal(with.result.events, again.result.events);
    assert_int_equal(with.result.events, without.result.events);
    assert_int_equal(with.jobs.count, again.jobs.count);
    assert_memory_equal(with.jobs.items, again.jobs.items,
                        with.jobs.count * sizeof *with.jobs.items);
}

TEST(same_with_blame_and_twice) {
    run_all(check_same, TIES_WELCOME, 2000);
}

/* Instants are whole picoseconds: a task may be off by two roundings. */
static double roundings(const struct workload_app *spec) {
    return 2.0 * (tasks_asked(spec, 0) + 1);
}

static const struct run_case_job *same_job(const struct run_case_result *r,
                                           const struct run_case_job *job) {
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.items[i].app == job->app && r->jobs.items[i].number == job->number)
            return &r->jobs.items[i];
    return NULL; /* its run ended before: nobody waits for batch jobs */
}

/* What a job would have taken alone is what it takes in a run of its application alone, where it
 * arrives as in the shared one. */
static void check_private(struct run_case *c, const struct run_case_params *params) {
    struct run_case_result shared;
    run_case_run(c, params, &shared);
    for (uint32_t a = 0; a < c->setup.app_count; a++) {
        const struct workload_app *spec = c->setup.apps[a].spec;
        struct run_case_params alone = {
            .policy = &policy_mps, .seed = params->seed, .alone = true, .only_app = a};
        struct run_case_result r;
        if (spec->workers > 1 || !arrivals_are_open(&spec->arrivals))
            continue;
        run_case_run(c, &alone, &r);
        for (size_t i = 0; i < shared.jobs.count; i++) {
            const struct run_case_job *job = &shared.jobs.items[i], *same;
            if (job->app != a || job->instance != 0 || !(same = same_job(&r, job)))
                continue;
            double latency = (double)(same->end_ps - same->arrival_ps);
            assert_true(same->arrival_ps == job->arrival_ps);
            assert_float_equal((double)job->alone_ps, latency,
                               roundings(spec) * (double)(job->number + 1));
        }
        run_case_result_free(&r);
    }
    run_case_result_free(&shared);
}

TEST(alone_is_the_private_run) {
    run_all(check_private, TIES_WELCOME, 6000);
}

/* Alone with one worker, a job waits for nothing but its own service's earlier jobs. */
static void check_alone(struct run_case *c, const struct run_case_params *params) {
    for (uint32_t a = 0; a < c->setup.app_count; a++) {
        struct run_case_params alone = {.policy = &policy_mps,
                                        .seed = params->seed,
                                        .blame = true,
                                        .alone = true,
                                        .only_app = a};
        struct run_case_result r;
        if (c->setup.apps[a].spec->workers > 1)
            continue;
        run_case_run(c, &alone, &r);
        for (size_t i = 0; i < r.jobs.count; i++) {
            const ct_time_ps *blame = r.jobs.items[i].blame_ps;
            assert_true(blame[CT_BLAME_SOLO_WORK] + blame[CT_BLAME_OWN_QUEUE] == sum_of(blame));
            assert_float_equal((double)r.jobs.items[i].alone_ps, (double)sum_of(blame),
                               roundings(c->setup.apps[a].spec) * (double)(i + 1));
            for (uint32_t other = 0; other < r.apps; other++)
                assert_true(r.jobs.items[i].delayed_by_ps[other] == 0);
        }
        run_case_result_free(&r);
    }
}

TEST(nothing_is_lost_alone) {
    run_all(check_alone, TIES_WELCOME, 3000);
}

static void same_tasks(const struct run_case_result *a, const struct run_case_result *b) {
    assert_int_equal(a->tasks.count, b->tasks.count);
    for (size_t i = 0; i < a->tasks.count; i++) {
        assert_true(a->tasks.items[i].started_ps == b->tasks.items[i].started_ps);
        assert_true(a->tasks.items[i].ended_ps == b->tasks.items[i].ended_ps);
        assert_int_equal(a->tasks.items[i].app, b->tasks.items[i].app);
    }
}

static int64_t rank_all_alike(struct ct_context *context, const struct ct_task *task) {
    return 0;
}

static void issue_all(struct ct_context *context, uint32_t why) {
    for (const struct ct_task *task = NULL; (task = context->host->ready_next(context, task));)
        context->host->issue(context, task, NULL);
}

/* A policy that looks at tasks and lets them all through changes nothing. */
static void check_transparent(struct run_case *c, const struct run_case_params *params) {
    struct ct_policy ranked = policy_mps, deciding = policy_mps;
    struct run_case_params plain = {.policy = &policy_mps, .seed = params->seed, .blame = true};
    struct run_case_params with_rank = {.policy = &ranked, .seed = params->seed, .blame = true};
    struct run_case_params with_decide = {.policy = &deciding, .seed = params->seed, .blame = true};
    CLOSED_BY(run_case_result_free) struct run_case_result a, b, d;
    ranked.rank = rank_all_alike;
    deciding.decide = issue_all;
    run_case_run(c, &plain, &a);
    run_case_run(c, &with_rank, &b);
    run_case_run(c, &with_decide, &d);
    same_tasks(&a, &b);
    same_tasks(&a, &d);
    for (size_t i = 0; i < a.jobs.count; i++)
        assert_memory_equal(a.jobs.items[i].blame_ps, b.jobs.items[i].blame_ps,
                            sizeof a.jobs.items[i].blame_ps);
}

TEST(letting_all_through_changes_nothing) {
    run_all(check_transparent, NO_TIES, 4000);
}

/* ---- The same workload written differently ---- */

/* Policies that do not look at the number of an application or the number of applications. */
static const struct ct_policy *const indifferent[] = {&policy_fifo, &policy_mps, &policy_priority};

static void run_text(const struct text *text, const struct ct_policy *policy, uint64_t seed,
                     struct run_case *c, struct run_case_result *r) {
    struct run_case_params params = {.policy = policy, .seed = seed};
    run_case_open(c, text->bytes, NULL);
    run_case_run(c, &params, r);
}

TEST(order_of_applications_is_no_matter) {
    for (uint64_t i = 0; i < run_case_some(2 * CASES); i++) {
        uint64_t n = i / 2;
        struct workload_text w;
        struct text forward, backward;
        CLOSED_BY(run_case_close) struct run_case first, second;
        CLOSED_BY(run_case_result_free) struct run_case_result a, b;
        make_text(&w, 5000 + n + i % 2 * IN_BLOCKS, NO_TIES);
        join(&w, false, NULL, &forward);
        join(&w, true, NULL, &backward);
        run_text(&forward, indifferent[n % 3], n, &first, &a);
        run_text(&backward, indifferent[n % 3], n, &second, &b);
        for (uint32_t app = 0; app < w.count; app++)
            for (uint64_t job = 0; job < a.result.apps[app].latency_ps.count; job++)
                if (!same_latency(a.result.apps[app].latency_ps.items[job],
                                  b.result.apps[w.count - 1 - app].latency_ps.items[job]))
                    fail_msg("workload %d, %s: application %u, job %d differs", (int)i,
                             indifferent[n % 3]->name, app, (int)job);
    }
}

static const char *const idle_app =
    "{\"name\": \"idle\", \"role\": \"service\", \"synthetic\": {\"duration_ms\": 1},"
    " \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 1e-6}}";

/* With an idle neighbour nothing changes; with any policy the arrivals do not. */
TEST(idle_neighbours_disturb_nobody) {
    for (uint64_t i = 0; i < run_case_some(2 * CASES); i++) {
        uint64_t n = i / 2;
        struct workload_text w;
        struct text alone, beside;
        struct run_case first, second;
        struct run_case_result a, b;
        const struct ct_policy *policy = indifferent[n % 3];
        make_text(&w, 6000 + n + i % 2 * IN_BLOCKS, TIES_WELCOME);
        join(&w, false, NULL, &alone);
        join(&w, false, idle_app, &beside);
        /* One more stream may change which hardware queue a stream shares. */
        if (strstr(w.head.bytes, "\"hw_queues\": 2,"))
            continue;
        run_text(&alone, policy, n, &first, &a);
        run_text(&beside, policy, n, &second, &b);
        for (uint32_t app = 0; app < w.count; app++)
            same_bits(&a.result.apps[app], &b.result.apps[app]);
        assert_int_equal(b.result.apps[w.count].jobs, 0);
        run_case_result_free(&a);
        run_case_result_free(&b);
        run_case_close(&first);
        run_case_close(&second);
    }
}

/* Common random numbers: whatever the policy, open arrivals are the same. */
static void check_arrivals(struct run_case *c, const struct run_case_params *params) {
    struct run_case_params other = {.policy = &policy_fifo, .seed = params->seed};
    CLOSED_BY(run_case_result_free) struct run_case_result a, b;
    run_case_run(c, params, &a);
    run_case_run(c, &other, &b);
    for (size_t i = 0; i < a.jobs.count; i++)
        for (size_t k = 0; k < b.jobs.count; k++) {
            const struct run_case_job *x = &a.jobs.items[i], *y = &b.jobs.items[k];
            bool same = x->app == y->app && x->instance == y->instance && x->number == y->number;
            if (same)
                assert_true(x->arrival_ps == y->arrival_ps);
        }
}

TEST(policies_see_the_same_arrivals) {
    run_all(check_arrivals, NO_TIES, 7000);
}
