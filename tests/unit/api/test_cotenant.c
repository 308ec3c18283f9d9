/* The library: scenarios in memory, own policies, messages, an early end, two at once. */
#include "cmocka_complete.h"
#include "cotenant.h"
#include "ct_policy.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FREER(ct_scenario_free, struct ct_scenario)
FREER(ct_results_free, struct ct_results)

/* A query every 40 ms, a kernel of 10 ms alone on the GPU: 10 ms each, p99 and all. */
static const char alone[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"v100\", \"duration_s\": 1, \"apps\": ["
    " {\"name\": \"a\", \"role\": \"service\", \"qos_ms\": 50,"
    "  \"synthetic\": {\"blocks\": 640, \"duration_ms\": 10, \"unit_fraction\": 1},"
    "  \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 25}}]}";

static double value(const struct ct_results *r, size_t policy, const char *app, const char *what) {
    return ct_results_value(r, policy, app, what);
}

TEST(runs_a_text) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    assert_true(ct_scenario_check(s));
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, NULL);
    assert_non_null(r);
    assert_int_equal(ct_results_reps(r), 1);
    assert_true(value(r, 0, "a", "latency_ms_p50") == 10);
    assert_true(value(r, 0, "a", "latency_ms_max") == 10);
    assert_true(value(r, 0, "a", "jobs") == 24); /* at 40 ms, 80 ... 960 */
    assert_true(isnan(value(r, 0, "a", "no_such_measure")));
    assert_true(isnan(value(r, 0, "b", "latency_ms_p50")));
    assert_true(isnan(value(r, 1, "a", "latency_ms_p50")));
    struct ct_row first = ct_results_row(r, 0), beyond = ct_results_row(r, SIZE_MAX);
    assert_string_equal(first.policy, "mps");
    assert_string_equal(first.scope, "app");
    assert_string_equal(first.app, "a");
    assert_string_equal(beyond.measure, "");
}

/* What is recorded is each job, kernel and decision of the same run; nothing is unless asked for.
 */
TEST(records_what_single_jobs_came_to) {
    struct ct_run_options all = {.size = sizeof all,
                                 .seed = -1,
                                 .reps = 2,
                                 .record = CT_RECORD_JOBS | CT_RECORD_TASKS | CT_RECORD_DECISIONS};
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_policies(s, "fifo,baymax");
    ct_scenario_set(s, "decision_cost=none");
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, &all);
    assert_non_null(r);
    assert_string_equal(ct_results_app(r, 0), "a");
    assert_null(ct_results_app(r, 1));
    struct ct_job_record job;
    struct ct_task_record task;
    struct ct_decision_record decision;
    const int64_t ms = 1000000000;
    for (size_t i = 0; i < 24; i++) {
        assert_true(ct_results_job(r, 1, 1, i, &job));
        assert_true(job.app == 0 && job.instance == 0 && job.job == i);
        assert_true(job.arrival_ps == 40 * ms * (int64_t)(i + 1));
        assert_true(job.end_ps - job.arrival_ps == 10 * ms);
        assert_true(ct_results_task(r, 1, 1, i, &task));
        assert_string_equal(task.kind, "kernel");
        assert_true(task.job == i && task.blocks == 640 && task.ended_ps == job.end_ps);
        assert_true(ct_results_job_part(r, 1, 1, i, "solo_work") == 10);
        assert_true(ct_results_job_part(r, 1, 1, i, "own_queue") == 0);
    }
    assert_false(ct_results_job(r, 1, 1, 24, &job));
    assert_false(ct_results_job(r, 1, 2, 0, &job));
    assert_false(ct_results_job(r, 2, 0, 0, &job));
    assert_false(ct_results_task(r, 2, 0, 0, &task));
    assert_true(isnan(ct_results_job_part(r, 0, 0, 24, "solo_work")));
    assert_true(isnan(ct_results_job_part(r, 0, 0, 0, "no_such_part")));
    size_t issues = 0, notes = 0;
    double value;
    for (size_t i = 0; ct_results_decision(r, 1, 0, i, &decision); i++) {
        bool issue = strcmp(decision.decision, "issue") == 0;
        assert_true(!issue || decision.job == (int64_t)issues);
        assert_true(!issue || decision.time_ps == 40 * ms * (int64_t)(issues + 1));
        issues += issue;
        for (size_t n = 0; n < decision.notes; n++)
            notes += ct_results_note(r, 1, 0, i, n, &value) != NULL && isfinite(value);
        assert_null(ct_results_note(r, 1, 0, i, decision.notes, &value));
    }
    assert_int_equal(issues, 25); /* the last one as the time ends */
    assert_true(notes > 0);
    ct_results_free(r);
    all.record = 0;
    r = ct_scenario_run(s, &all);
    assert_false(ct_results_job(r, 0, 0, 0, &job));
    assert_false(ct_results_task(r, 0, 0, 0, &task));
    assert_false(ct_results_decision(r, 0, 0, 0, &decision));
}

/* All at once, half of what anybody asks for, no more than that. */
static void decide(struct ct_context *context, uint32_t why) {
    for (const struct ct_task *t = context->host->ready_next(context, NULL); t;
         t = context->host->ready_next(context, t))
        context->host->issue(context, t, &(struct ct_grant){.share = 500});
}
static const struct ct_policy halves = {
    .abi = CT_POLICY_ABI, .size = sizeof halves, .name = "halves", .decide = decide};

/* 640 blocks are 8 to each of 80 SMs, one wave; on half of the SMs it takes two. */
TEST(takes_a_policy_of_the_caller) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_policies(s, "mps,fifo");
    ct_scenario_policy(s, &halves);
    struct ct_results *r = ct_scenario_run(s, NULL);
    assert_non_null(r);
    assert_true(value(r, 0, "a", "latency_ms_p50") == 10);
    assert_true(value(r, 1, "a", "latency_ms_p50") == 10);
    assert_true(value(r, 2, "a", "latency_ms_p50") == 20);
    char *report = ct_results_report(r, "csv");
    assert_non_null(report);
    assert_non_null(strstr(report, ",verdict,"));
    ct_text_free(report);
    assert_null(ct_results_report(r, "pdf"));
    ct_results_free(r);
    struct ct_policy wrong = halves;
    wrong.size = 8;
    ct_scenario_policy(s, &wrong);
    assert_null(ct_scenario_run(s, NULL));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "not a sound policy"));
}

TEST(says_what_is_wrong) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_set(s, "apps.a.instancs=2");
    assert_false(ct_scenario_check(s));
    assert_int_equal(ct_scenario_message_count(s), 1);
    struct ct_message message = ct_scenario_message(s, 0);
    assert_int_equal(message.kind, CT_MESSAGE_ERROR);
    assert_string_equal(message.where, "--set apps.a.instancs");
    assert_non_null(strstr(message.text, "instances"));
    assert_null(ct_scenario_run(s, NULL));
    assert_string_equal(ct_scenario_message(s, 7).text, "");
    ct_scenario_free(s);
    s = ct_scenario_text(alone, "alone");
    ct_scenario_policies(s, "mps-caps:caps=b=50");
    assert_false(ct_scenario_check(s));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "no application is called 'b'"));
    ct_scenario_free(s);
    s = ct_scenario_text("{", "broken");
    assert_false(ct_scenario_check(s));
    assert_string_equal(ct_scenario_message(s, 0).where, "broken:1");
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "not valid JSON"));
    ct_scenario_free(s);
    s = ct_scenario_file("/no/such/file.json");
    assert_null(ct_scenario_run(s, NULL));
    assert_non_null(strstr(ct_scenario_message(s, 0).where, "/no/such/file.json"));
}

/* A text that is none is an error, or as one that nobody knows; never the end of the program. */
TEST(takes_no_null_for_a_text) {
    struct ct_scenario *none[] = {ct_scenario_file(NULL), ct_scenario_text(NULL, "x"),
                                  ct_scenario_text("{}", NULL)};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_non_null(none[i]);
        assert_false(ct_scenario_check(none[i]));
        assert_int_equal(ct_scenario_message(none[i], 0).kind, CT_MESSAGE_ERROR);
        assert_null(ct_scenario_cluster(none[i], NULL, NULL));
        ct_scenario_free(none[i]);
    }
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    assert_false(ct_scenario_set(s, NULL));
    assert_string_equal(ct_scenario_message(s, 0).text, "an assignment is NULL");
    assert_false(ct_scenario_policies(s, NULL));
    assert_string_equal(ct_scenario_message(s, 1).text, "the list of policies is NULL");
    assert_null(ct_scenario_plan(s, NULL, NULL));
    struct ct_run_options jobs = {.size = sizeof jobs, .seed = -1, .record = CT_RECORD_JOBS};
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, &jobs);
    assert_non_null(r);
    assert_null(ct_results_report(r, NULL));
    assert_true(isnan(value(r, 0, "a", NULL)));
    assert_true(isnan(ct_results_job_part(r, 0, 0, 0, NULL)));
}

/* The first policy is what the others are compared with, by targets and throughput: a row for each
 * of the two others and measure, and for all three pairs three instead of two. */
TEST(compares_as_it_is_told) {
    static const struct {
        const char *baseline, *measures, *first, *said;
        int pairs;
    } told[] = {{NULL, NULL, ",mps,fifo,", NULL, 2},
                {"priority", "targets", ",priority,mps,", NULL, 2},
                {"all", NULL, ",fifo,priority,", NULL, 3},
                {"prority", NULL, NULL, "'priority'", 0},
                {NULL, "some", NULL, "targets, all", 0}};
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_policies(s, "mps,fifo,priority");
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        struct ct_run_options options = {.size = sizeof options,
                                         .seed = -1,
                                         .reps = 2,
                                         .baseline = told[i].baseline,
                                         .measures = told[i].measures};
        FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, &options);
        assert_true((r == NULL) == (told[i].said != NULL));
        if (told[i].said) {
            assert_non_null(strstr(ct_scenario_message(s, 0).text, told[i].said));
            continue;
        }
        char *csv = ct_results_report(r, "csv");
        int pairs = 0;
        for (const char *at = csv; (at = strstr(at, "\nstp,")) != NULL; at++)
            pairs++;
        assert_int_equal(pairs, told[i].pairs);
        assert_non_null(strstr(csv, told[i].first));
        assert_null(strstr(csv, "\nlatency_ms_p50,"));
        ct_text_free(csv);
    }
}

/* 125 queries of 10 ms arrive in a second: 24 of 124 more than it serves. */
TEST(warns_of_lower_bounds) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_set(s, "apps.a.arrivals.rate_per_s=125");
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, NULL);
    assert_non_null(r);
    assert_int_equal(ct_scenario_message_count(s), 1);
    assert_int_equal(ct_scenario_message(s, 0).kind, CT_MESSAGE_WARNING);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "'a' is overloaded under mps"));
    ct_results_free(r);
    /* What else `run` asks: alone a job takes 10 ms. */
    ct_scenario_set(s, "apps.a.arrivals.rate_per_s=25");
    ct_scenario_set(s, "apps.a.qos_ms=5");
    struct ct_run_options options = {.size = sizeof options, .seed = -1, .self_check = true};
    r = ct_scenario_run(s, &options);
    assert_non_null(r);
    assert_int_equal(ct_scenario_message_count(s), 1);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "misses its target of 5 ms even alone"));
}

static bool ends_at_half(void *context, double done) {
    *(double *)context = done;
    return done < 0.5;
}

TEST(ends_when_told) {
    double done = 0;
    struct ct_run_options options = {
        .size = sizeof options, .seed = -1, .reps = 8, .progress = ends_at_half, .context = &done};
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, &options);
    assert_non_null(r);
    assert_in_range(ct_results_reps(r), 1, 7);
    assert_true(done >= 0.5 && done < 1);
}

static void *run_report(void *seed) {
    struct ct_run_options options = {
        .size = sizeof options, .seed = *(int64_t *)seed, .reps = 3, .threads = 2};
    struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_set(s, "apps.a.arrivals={\"process\": \"poisson\", \"rate_per_s\": 30}");
    struct ct_results *r = ct_scenario_run(s, &options);
    char *report = r ? ct_results_report(r, "json") : NULL;
    ct_results_free(r);
    ct_scenario_free(s);
    return report;
}

/* Two threads, each with a scenario of two threads: the bytes of one after the other. */
TEST(two_at_once) {
    int64_t seeds[2] = {7, 8};
    pthread_t threads[2];
    void *together[2], *apart[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_report, &seeds[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &together[i]);
    for (int i = 0; i < 2; i++) {
        apart[i] = run_report(&seeds[i]);
        assert_non_null(apart[i]);
        assert_non_null(together[i]);
        assert_string_equal(apart[i], together[i]);
    }
    assert_string_not_equal(apart[0], apart[1]);
    for (int i = 0; i < 2; i++) {
        ct_text_free(apart[i]);
        ct_text_free(together[i]);
    }
}

/* ---- Files from memory ---- */

struct shelf {
    char *store;
    size_t size, asked;
};

static const void *content(void *context, const char *path, size_t *size) {
    static const char stamps[] = "when\n0\n20\n35\n60\n";
    struct shelf *shelf = context;
    shelf->asked++;
    if (strcmp(path, "in/memory/mine.db") == 0) {
        *size = shelf->size;
        return shelf->store;
    }
    *size = sizeof stamps - 1;
    return strcmp(path, "in/memory/when.csv") == 0 ? stamps : NULL;
}

static void read_store(struct shelf *shelf) {
    FILE *file = fopen(COTENANT_SOURCE_DIR "/traces/h100-inference.db", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    shelf->size = (size_t)ftell(file);
    shelf->store = malloc(shelf->size);
    rewind(file);
    assert_non_null(shelf->store);
    assert_int_equal(fread(shelf->store, 1, shelf->size, file), shelf->size);
    fclose(file);
}

static const char served[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"h100\", \"duration_s\": 1, \"apps\": ["
    " {\"name\": \"vit\", \"role\": \"service\", \"qos_ms\": 50, \"trace\": \"%s#vit\","
    "  \"arrivals\": {%s}}]}";

/* A workload gives the same result with its trace from memory and from the file. */
TEST(serves_files) {
    struct shelf shelf = {0};
    char text[2][600];
    double p50[2];
    read_store(&shelf);
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], served,
                 i ? COTENANT_SOURCE_DIR "/traces/h100-inference.db" : "mine.db",
                 "\"process\": \"poisson\", \"rate_per_s\": 20");
        FREED_BY(ct_scenario_free)
        struct ct_scenario *s = ct_scenario_text(text[i], "in/memory/served");
        if (i == 0)
            ct_scenario_serve(s, content, &shelf);
        FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, NULL);
        assert_non_null(r);
        p50[i] = value(r, 0, "vit", "latency_ms_p50");
    }
    assert_true(p50[0] > 0 && p50[0] == p50[1]);
    assert_true(shelf.asked >= 2);
    free(shelf.store);
}

TEST(serves_arrivals) {
    struct shelf shelf = {0};
    char text[600];
    read_store(&shelf);
    snprintf(text, sizeof text, served, "mine.db",
             "\"process\": \"trace\", \"file\": \"when.csv\", \"column\": \"when\"");
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(text, "in/memory/served");
    ct_scenario_serve(s, content, &shelf);
    assert_true(ct_scenario_check(s));
    shelf.size /= 2; /* now the store is cut off */
    assert_false(ct_scenario_check(s));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "truncated"));
    assert_string_equal(ct_scenario_message(s, 0).where, "in/memory/mine.db");
    free(shelf.store);
}

/* ---- Studies ---- */

/* One query at a time, 10 ms each, all within 50 ms: the GPU takes what nearly fills it. */
/* Regular arrivals leave nothing to chance, so that few and short runs decide each point. */
static const char offered[] =
    "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"v100\", \"duration_s\": 2, \"apps\": ["
    " {\"name\": \"a\", \"role\": \"service\", \"qos_ms\": 50,"
    "  \"synthetic\": {\"blocks\": 640, \"duration_ms\": 10, \"unit_fraction\": 1},"
    "  \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 25}}]}";

TEST(plans) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(offered, "offered");
    struct ct_run_options options = {.size = sizeof options, .seed = 3, .reps = 2, .threads = 2};
    assert_null(ct_scenario_plan(s, "max-rate:b", &options));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "unknown application"));
    assert_null(ct_scenario_plan(s, "everything", &options));
    struct ct_study *study = ct_scenario_plan(s, "max-rate:a", &options);
    assert_non_null(study);
    assert_int_equal(ct_scenario_message_count(s), 0);
    char *csv = ct_study_report(study, "csv"), *json = ct_study_report(study, "json");
    assert_non_null(strstr(csv, "verdict"));
    assert_non_null(strstr(csv, "holds"));
    assert_non_null(strstr(json, "\"cotenant.plan/1\""));
    assert_null(ct_study_report(study, "tea leaves"));
    ct_text_free(csv);
    ct_text_free(json);
    ct_study_free(study);
    ct_scenario_set(s, "apps.a.qos_ms=5"); /* a job takes 10 */
    study = ct_scenario_plan(s, "max-rate:a", &options);
    assert_non_null(study);
    assert_int_equal(ct_scenario_message(s, 0).kind, CT_MESSAGE_WARNING);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "is missed even alone"));
    ct_study_free(study);
}

static const char two_gpus[] =
    "{\"schema\": \"cotenant.cluster/1\", \"gpus\": [{\"gpu\": \"v100\", \"count\": 2}],"
    " \"duration_s\": 1, \"apps\": ["
    " {\"name\": \"q\", \"role\": \"service\", \"gpus\": 2, \"qos_ms\": 50,"
    "  \"synthetic\": {\"duration_ms\": 5},"
    "  \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 10}},"
    " {\"name\": \"b\", \"gpus\": 2, \"synthetic\": {\"duration_ms\": 5}}]}";

/* One file in memory. */
struct page {
    const char *path, *text;
};

static const void *page_content(void *context, const char *path, size_t *size) {
    const struct page *page = context;
    *size = strlen(page->text);
    return strcmp(path, page->path) == 0 ? page->text : NULL;
}

TEST(simulates_a_cluster) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_file("two.json");
    ct_scenario_serve(s, page_content, &(struct page){"two.json", two_gpus});
    assert_true(ct_scenario_policies(s, "mps,priority"));
    struct ct_study *study = ct_scenario_cluster(s, "random,round-robin", NULL);
    assert_non_null(study);
    char *csv = ct_study_report(study, "csv");
    size_t lines = 0;
    for (const char *c = csv; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 2 * 2); /* placements and policies */
    ct_text_free(csv);
    ct_study_free(study);
    assert_true(ct_scenario_policy(s, &halves));
    assert_null(ct_scenario_cluster(s, NULL, NULL));
}

static void expect_too_many(struct ct_scenario *s, const void *outcome) {
    assert_null(outcome);
    assert_int_equal(ct_scenario_message_count(s), 1);
    assert_string_equal(ct_scenario_message(s, 0).text,
                        "100001 replications are asked for, of 100000 at most");
    ct_scenario_free(s);
}

TEST(repeats_no_more_than_it_says) {
    const struct ct_run_options more = {.size = sizeof more, .seed = -1, .reps = CT_REPS_MOST + 1};
    struct ct_scenario *s = ct_scenario_text(alone, "alone");
    expect_too_many(s, ct_scenario_run(s, &more));
    s = ct_scenario_text(offered, "offered");
    expect_too_many(s, ct_scenario_plan(s, "max-rate:a", &more));
    s = ct_scenario_text(two_gpus, "two.json");
    expect_too_many(s, ct_scenario_cluster(s, NULL, &more));
}

/* The text it is, also where a file has the same name. */
TEST(simulates_the_text_of_a_cluster) {
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(two_gpus, "two.json");
    ct_scenario_serve(s, page_content, &(struct page){"two.json", "{}"});
    struct ct_study *study = ct_scenario_cluster(s, NULL, NULL);
    assert_non_null(study);
    ct_study_free(study);
}

static const char rates[] =
    "{\"schema\": \"cotenant.sweep/1\", \"name\": \"rates\", \"policies\": [\"mps\"], \"reps\": 1,"
    " \"workload\": {\"gpu\": \"v100\", \"duration_s\": 1, \"apps\": ["
    "  {\"name\": \"a\", \"role\": \"service\", \"qos_ms\": 50,"
    "   \"synthetic\": {\"duration_ms\": 10},"
    "   \"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 25}}]},"
    " \"designs\": [{\"grid\": {\"apps.a.arrivals.rate_per_s\": [10, 20, 40]}}]}";

/* Ends once so much is done. */
static bool ends_from(void *context, double done) {
    assert_true(done >= 0 && done <= 1);
    return done < *(const double *)context;
}

TEST(sweeps) {
    static const char *const path = "test_cotenant_sweep.db";
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_file("rates.json");
    struct ct_run_options options = {.size = sizeof options, .store = path};
    remove(path);
    ct_scenario_serve(s, page_content, &(struct page){"rates.json", rates});
    assert_null(ct_scenario_sweep(s, NULL)); /* where to? */
    struct ct_study *study = ct_scenario_sweep(s, &options);
    assert_non_null(study);
    char *csv = ct_study_report(study, "csv");
    assert_non_null(strstr(csv, "apps.a.arrivals.rate_per_s"));
    ct_text_free(csv);
    ct_study_free(study);
    assert_true(ct_scenario_set(s, "duration_s=2"));
    assert_null(ct_scenario_sweep(s, &options));
    remove(path);
}

/* A sweep over two seeds of load.json under one policy. */
#define SEEDS_OF_LOAD(policy)                                                                      \
    "{\"schema\": \"cotenant.sweep/1\", \"policies\": [\"" policy "\"], \"reps\": 1,"              \
    " \"workload\": \"load.json\", \"designs\": [{\"grid\": {\"seed\": [1, 2]}}]}"

/* Code that a file names is loaded where the caller says so; here there is no such file. */
TEST(loads_what_a_sweep_names_when_told) {
    static const char *const path = "test_cotenant_code.db";
    FREED_BY(ct_scenario_free)
    struct ct_scenario *s = ct_scenario_text(SEEDS_OF_LOAD("/no/such/policy.so"), "code");
    struct ct_run_options options = {.size = sizeof options, .store = path};
    ct_scenario_serve(s, page_content, &(struct page){"load.json", alone});
    remove(path);
    assert_null(ct_scenario_sweep(s, &options));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "which no file may choose to run"));
    ct_scenario_allow_policy_files(s);
    assert_null(ct_scenario_sweep(s, &options));
    assert_null(strstr(ct_scenario_message(s, 0).text, "which no file may choose to run"));
    remove(path);
}

/* A sweep's text that is called as its workload's file is no such file. */
TEST(a_sweep_is_called_as_its_workload) {
    static const char *const path = "test_cotenant_called.db";
    FREED_BY(ct_scenario_free)
    struct ct_scenario *s = ct_scenario_text(SEEDS_OF_LOAD("mps"), "load.json");
    struct ct_run_options options = {.size = sizeof options, .store = path};
    ct_scenario_serve(s, page_content, &(struct page){"load.json", alone});
    remove(path);
    struct ct_study *study = ct_scenario_sweep(s, &options);
    assert_non_null(study);
    ct_study_free(study);
    remove(path);
}

/* An ended sweep reports the points that it has; without any it says why there is nothing. */
TEST(reports_what_an_ended_sweep_has) {
    static const char *const path = "test_cotenant_ended.db";
    double end = 0.6; /* two of three points */
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(rates, "ended");
    struct ct_run_options options = {
        .size = sizeof options, .store = path, .progress = ends_from, .context = &end};
    remove(path);
    struct ct_study *study = ct_scenario_sweep(s, &options);
    assert_non_null(study);
    char *csv = ct_study_report(study, "csv"), *text = ct_study_report(study, "text");
    char *json = ct_study_report(study, "json");
    assert_non_null(strstr(csv, "\n2,"));
    assert_null(strstr(csv, "\n3,"));
    assert_non_null(strstr(text, "rates: stopped after 2 of 3 points"));
    assert_non_null(strstr(json, "\"points\": 3,\n  \"points_finished\": 2,"));
    assert_int_equal(ct_scenario_message_count(s), 1);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "stopped after 2 of 3 points"));
    ct_text_free(csv);
    ct_text_free(text);
    ct_text_free(json);
    ct_study_free(study);
    end = 0;
    remove(path);
    assert_null(ct_scenario_sweep(s, &options));
    assert_int_equal(ct_scenario_message_count(s), 1);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "stopped"));
    remove(path);
}

static size_t count_errors(const struct ct_scenario *s) {
    size_t errors = 0;
    for (size_t i = 0; i < ct_scenario_message_count(s); i++)
        errors += ct_scenario_message(s, i).kind == CT_MESSAGE_ERROR;
    return errors;
}

/* A sweep over load.json, of which one combination has a warm-up longer than its duration, which no
 * value has by itself. */
#define DURATIONS(design)                                                                          \
    "{\"schema\": \"cotenant.sweep/1\", \"name\": \"durations\", \"policies\": [\"mps\"],"         \
    " \"reps\": 1, \"workload\": \"load.json\", \"designs\": [" design "]}"
static const char durations[] =
    DURATIONS("{\"grid\": {\"duration_s\": [1, 0.5], \"warmup_s\": [0.2, 0.8]}}");
/* That combination alone. */
static const char only_fails[] = DURATIONS(
    "{\"random\": {\"duration_s\": {\"choice\": [1, 0.5]}, \"warmup_s\": {\"choice\": [0.2, 0.8]}},"
    " \"points\": 1, \"seed\": 3}");

/* Points that cannot be run are errors beside the rows of the others. */
TEST(reports_the_points_of_a_sweep_that_ran) {
    static const char *const path = "test_cotenant_failed.db";
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(durations, "durations");
    struct ct_run_options options = {.size = sizeof options, .store = path};
    ct_scenario_serve(s, page_content, &(struct page){"load.json", alone});
    remove(path);
    for (int time = 0; time < 2; time++) { /* the second time nothing is run that is stored */
        struct ct_study *study = ct_scenario_sweep(s, &options);
        assert_non_null(study);
        char *csv = ct_study_report(study, "csv"), *json = ct_study_report(study, "json");
        assert_non_null(strstr(csv, "\n3,"));
        assert_null(strstr(csv, "\n4,"));
        assert_non_null(strstr(json, "\"points_finished\": 3,\n  \"points_failed\": 1,"));
        assert_int_equal(count_errors(s), 1);
        assert_non_null(strstr(ct_scenario_message(s, 0).text, "point 4 of the sweep"));
        ct_text_free(csv);
        ct_text_free(json);
        ct_study_free(study);
    }
    remove(path);
}

TEST(reports_no_sweep_whose_points_all_fail) {
    static const char *const path = "test_cotenant_fails.db";
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(only_fails, "fails");
    struct ct_run_options options = {.size = sizeof options, .store = path};
    ct_scenario_serve(s, page_content, &(struct page){"load.json", alone});
    remove(path);
    assert_null(ct_scenario_sweep(s, &options));
    assert_int_equal(count_errors(s), 1);
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "point 1 of the sweep"));
    remove(path);
}

/* Nothing crashes where an object, or where a result goes, is NULL; a scenario that is says so. */
TEST(has_nothing_where_an_object_is_null) {
    ct_scenario_free(NULL);
    ct_results_free(NULL);
    ct_study_free(NULL);
    ct_text_free(NULL);
    ct_scenario_serve(NULL, page_content, NULL);
    ct_scenario_allow_policy_files(NULL);
    assert_false(ct_scenario_set(NULL, "duration_s=1"));
    assert_false(ct_scenario_policies(NULL, "mps"));
    assert_false(ct_scenario_policies(NULL, NULL));
    assert_false(ct_scenario_policy(NULL, NULL));
    assert_false(ct_scenario_check(NULL));
    assert_null(ct_scenario_run(NULL, NULL));
    assert_null(ct_scenario_plan(NULL, "gpus", NULL));
    assert_null(ct_scenario_cluster(NULL, NULL, NULL));
    assert_null(ct_scenario_sweep(NULL, NULL));
    assert_int_equal(ct_scenario_message_count(NULL), 1);
    assert_int_equal(ct_scenario_message(NULL, 0).kind, CT_MESSAGE_ERROR);
    assert_non_null(strstr(ct_scenario_message(NULL, 0).text, "NULL"));
    assert_string_equal(ct_scenario_message(NULL, 1).text, "");
    assert_int_equal(ct_results_reps(NULL), 0);
    assert_int_equal(ct_results_row_count(NULL), 0);
    assert_string_equal(ct_results_row(NULL, 0).measure, "");
    assert_true(isnan(value(NULL, 0, "a", "jobs")));
    assert_null(ct_results_app(NULL, 0));
    assert_false(ct_results_job(NULL, 0, 0, 0, NULL));
    assert_false(ct_results_task(NULL, 0, 0, 0, NULL));
    assert_false(ct_results_decision(NULL, 0, 0, 0, NULL));
    assert_null(ct_results_note(NULL, 0, 0, 0, 0, NULL));
    assert_true(isnan(ct_results_job_part(NULL, 0, 0, 0, "own_queue")));
    assert_null(ct_results_report(NULL, "text"));
    assert_null(ct_study_report(NULL, "text"));
}

TEST(leaves_out_what_goes_to_null) {
    struct ct_run_options all = {.size = sizeof all,
                                 .seed = -1,
                                 .record = CT_RECORD_JOBS | CT_RECORD_TASKS | CT_RECORD_DECISIONS};
    FREED_BY(ct_scenario_free) struct ct_scenario *s = ct_scenario_text(alone, "alone");
    ct_scenario_policies(s, "baymax"); /* which decides something */
    ct_scenario_set(s, "decision_cost=none");
    assert_false(ct_scenario_policy(s, NULL));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "a policy is NULL"));
    assert_null(ct_scenario_plan(s, NULL, NULL));
    assert_non_null(strstr(ct_scenario_message(s, 0).text, "what a plan finds is NULL"));
    FREED_BY(ct_results_free) struct ct_results *r = ct_scenario_run(s, &all);
    assert_non_null(r);
    assert_true(ct_results_job(r, 0, 0, 0, NULL));
    assert_true(ct_results_task(r, 0, 0, 0, NULL));
    assert_true(ct_results_decision(r, 0, 0, 0, NULL));
    ct_results_note(r, 0, 0, 0, 0, NULL);
    assert_true(isnan(value(r, 0, "a", NULL)));
    assert_null(ct_results_report(r, NULL));
}
