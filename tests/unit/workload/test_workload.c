/* Workload files: what is written is what runs; `--set`, defaults, traces, and the hash that caches
 * rest on. */
#include "cmocka_complete.h"
#include "trace/trace_store.h"
#include "workload/setup.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cotenant_workload_XXXXXX";

static const char *path_of(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Two jobs of one kernel each, 2 ms and 6 ms; the second has a copy if asked, which may lag.
 * `units` is its use of them; NAN: unknown. */
static void write_store(const char *name, ct_time_ps second_ps, bool copy, ct_time_ps lag_ps,
                        double units) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct trace_app *app = trace_set_add(&set, "app");
    app->gpu = "h100";
    app->source = "made by a test";
    app->licence = "MIT";
    app->stream_count = 1;
    assert_true(
        ct_vec_push(&app->kernels, (struct trace_kernel){.name = "k",
                                                         .grid = {80, 1, 1},
                                                         .block = {128, 1, 1},
                                                         .metrics = trace_metrics_unknown()}));
    app->kernels.items[0].metrics.unit_fraction = units;
    const ct_time_ps durations[] = {2 * CT_PS_PER_MS, second_ps};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t first = (uint32_t)app->tasks.count;
        assert_true(ct_vec_push(&app->tasks, (struct trace_task){.waited_for = TRACE_NONE,
                                                                 .duration_ps = durations[i]}));
        if (i == 1 && copy)
            assert_true(ct_vec_push(&app->tasks, (struct trace_task){.kind = TRACE_COPY,
                                                                     .kernel = TRACE_NONE,
                                                                     .waited_for = TRACE_NONE,
                                                                     .bytes = 1000,
                                                                     .start_ps = durations[i],
                                                                     .lag_ps = lag_ps,
                                                                     .duration_ps = CT_PS_PER_US}));
        assert_true(ct_vec_push(&app->jobs,
                                (struct trace_job){.name = i ? "long" : "short",
                                                   .first_task = first,
                                                   .task_count = (uint32_t)app->tasks.count - first,
                                                   .recorded_ps = durations[i]}));
    }
    assert_int_equal(trace_store_write(path_of(name), &set, &diags), CT_OK);
}

static const char *const files[] = {"mix.json",   "app.db",     "other.db",
                                    "lag.db",     "metered.db", "traces/far.db",
                                    "stamps.csv", "gpu.json",   "sub/mix.json"};

static int make_folder(void **state) {
    if (!mkdtemp(folder) || mkdir(path_of("traces"), 0700) || mkdir(path_of("sub"), 0700))
        return -1;
    unsetenv("COTENANT_TRACE_PATH");
    write_store("app.db", 6 * CT_PS_PER_MS, true, 0, NAN);
    write_store("other.db", 7 * CT_PS_PER_MS, false, 0, NAN);
    write_store("lag.db", 6 * CT_PS_PER_MS, true, CT_PS_PER_US, NAN);
    write_store("metered.db", 6 * CT_PS_PER_MS, true, 0, 0.5);
    write_store("traces/far.db", 6 * CT_PS_PER_MS, true, 0, NAN);
    write_file("stamps.csv", "at\n10\n10.5\n12\n");
    return 0;
}

static int remove_folder(void **state) {
    for (size_t i = 0; i < CT_COUNT_OF(files); i++)
        unlink(path_of(files[i]));
    rmdir(path_of("traces"));
    rmdir(path_of("sub"));
    return rmdir(folder);
}

struct fixture {
    struct workload workload;
    struct ct_diags diags;
    int status;
};

static struct fixture read_with(const char *text, const char *const *sets, size_t count) {
    struct fixture f = {0};
    write_file("mix.json", text);
    struct workload_source source = {
        .path = path_of("mix.json"), .assignments = sets, .assignment_count = count};
    f.status = workload_read(&source, &f.workload, &f.diags);
    return f;
}

static struct fixture read_text(const char *text) {
    return read_with(text, NULL, 0);
}

static void end(struct fixture *f) {
    workload_free(&f->workload);
    ct_diags_free(&f->diags);
}

static void expect_clean(const struct fixture *f) {
    for (size_t i = 0; i < f->diags.count; i++)
        if (f->diags.items[i].severity != CT_NOTICE)
            fail_msg("%s: %s", f->diags.items[i].where, f->diags.items[i].text);
    assert_int_equal(f->status, CT_OK);
}

/* Whether a diagnostic has this text and a place that ends so. */
static bool has(const struct fixture *f, const char *where, const char *text) {
    for (size_t i = 0; i < f->diags.count; i++) {
        const struct ct_diag *d = &f->diags.items[i];
        size_t all = strlen(d->where), tail = strlen(where);
        if (all >= tail && strcmp(d->where + all - tail, where) == 0 && strcmp(d->text, text) == 0)
            return true;
    }
    return false;
}

#define PAIR                                                                                       \
    "{\"gpu\": \"h100\", \"duration_s\": 30, \"warmup_s\": 2, \"seed\": 9,"                        \
    " \"policy\": {\"name\": \"laius\", \"quota_step_pct\": 10},"                                  \
    " \"defaults\": {\"priority\": 3, \"iterations\": 2},"                                         \
    " \"apps\": [{\"name\": \"q\", \"role\": \"service\", \"trace\": \"app.db\", \"qos_ms\": "     \
    "50,"                                                                                          \
    "             \"jobs\": [\"long\", {\"job\": \"short\", \"weight\": 3}],"                      \
    "             \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 40}},"                  \
    "            {\"name\": \"b\", \"trace\": \"app.db#app\", \"instances\": 4, \"priority\": "    \
    "-1}]}"

TEST(every_value_arrives) {
    CLOSED_BY(end) struct fixture f = read_text(PAIR);
    const struct workload *w = &f.workload;
    expect_clean(&f);
    assert_string_equal(w->name, "mix"); /* of the file */
    assert_string_equal(w->gpu, "h100");
    assert_string_equal(w->policy, "laius");
    assert_int_equal(w->policy_settings.count, 1);
    assert_string_equal(w->policy_settings.items[0].key, "quota_step_pct");
    assert_string_equal(w->policy_settings.items[0].value, "10");
    assert_false(w->policy_settings.items[0].assigned);
    assert_true(w->duration_s == 30 && w->warmup_s == 2 && w->seed == 9);
    assert_int_equal(w->apps.count, 2);
    const struct workload_app *q = &w->apps.items[0], *b = &w->apps.items[1];
    assert_int_equal(q->role, CT_SERVICE);
    assert_true(q->qos_ms == 50 && q->arrivals.rate_per_s == 40);
    assert_int_equal(q->arrivals.process, WORKLOAD_POISSON);
    assert_int_equal(q->job_count, 2);
    assert_int_equal(q->jobs[0].index, 1);
    assert_int_equal(q->jobs[1].index, 0);
    assert_true(q->jobs[0].weight == 1 && q->jobs[1].weight == 3);
    assert_int_equal(b->role, CT_BATCH);
    assert_int_equal(b->instances, 4);
    assert_ptr_equal(q->trace, b->trace); /* read once */
}

TEST(defaults_hold_where_an_application_is_silent) {
    CLOSED_BY(end) struct fixture f = read_text(PAIR);
    expect_clean(&f);
    assert_int_equal(f.workload.apps.items[0].priority, 3);
    assert_int_equal(f.workload.apps.items[1].priority, -1);
    assert_int_equal(f.workload.apps.items[1].iterations, 2);
}

TEST(a_batch_application_runs_in_a_closed_loop) {
    CLOSED_BY(end) struct fixture f = read_text(PAIR);
    const struct workload_arrivals *a = &f.workload.apps.items[1].arrivals;
    assert_int_equal(a->process, WORKLOAD_CLOSED);
    assert_int_equal(a->clients, 1);
    assert_true(a->think_ms.mean == 0);
}

TEST(assignments_reach_every_place) {
    static const char *const sets[] = {
        "apps.b.instances=8",
        "apps.q.arrivals.rate_per_s=12.5",
        "gpu.sms=40",
        "duration_s=7",
        "margin=0.2",
        "policy.quota_step_pct=5",
        "defaults.iterations=6",
        "apps.q.size={\"dist\": \"lognormal\", \"mean\": 2, \"cv\": 0.5}",
        "apps.b.size=3"};
    CLOSED_BY(end) struct fixture f = read_with(PAIR, sets, CT_COUNT_OF(sets));
    const struct workload *w = &f.workload;
    expect_clean(&f);
    assert_int_equal(w->apps.items[1].instances, 8);
    assert_true(w->apps.items[0].arrivals.rate_per_s == 12.5);
    assert_string_equal(w->gpu, "h100"); /* the name became the base */
    assert_string_equal(w->gpu_settings.items[0].key, "sms");
    assert_string_equal(w->gpu_settings.items[0].value, "40");
    assert_string_equal(w->gpu_settings.items[0].where, "--set gpu.sms");
    assert_true(w->duration_s == 7);
    assert_int_equal(w->policy_settings.count, 2);
    assert_string_equal(w->policy_settings.items[0].value, "5");
    assert_string_equal(w->policy_settings.items[1].key, "margin");
    assert_true(w->policy_settings.items[1].assigned);
    assert_int_equal(w->apps.items[0].iterations, 6);
    assert_int_equal(w->apps.items[0].size.kind, WORKLOAD_LOGNORMAL);
    assert_true(w->apps.items[0].size.mean == 2 && w->apps.items[0].size.cv == 0.5);
    assert_true(w->apps.items[1].size.mean == 3);
}

/* 5 million cycles at 1.98 GHz (the preset) and at 1 GHz (overridden). */
TEST(durations_may_be_cycles) {
    static const char *const sets[] = {"duration_cycles=5e6", "warmup_s=0", "gpu.clock_mhz=1000"};
    static const char text[] =
        "{\"gpu\": \"h100\", \"apps\": [{\"name\": \"a\", \"trace\": \"app.db\"}]}";
    CLOSED_BY(end) struct fixture f = read_with(text, sets, 2);
    expect_clean(&f);
    assert_true(fabs(f.workload.duration_s - 5e6 / 1.98e9) < 1e-12);
    end(&f);
    f = read_with(text, sets, 3);
    expect_clean(&f);
    assert_true(fabs(f.workload.duration_s - 0.005) < 1e-12);
}

TEST(recorded_stamps_count_from_the_first) {
    static const char *const sets[] = {
        "apps.q.arrivals={\"process\": \"trace\", \"file\": \"stamps.csv\", \"column\": \"at\"}"};
    CLOSED_BY(end) struct fixture f = read_with(PAIR, sets, 1);
    const struct workload_arrivals *a = &f.workload.apps.items[0].arrivals;
    expect_clean(&f);
    assert_int_equal(a->stamp_count, 3);
    assert_true(a->stamps[1] == CT_PS_PER_S / 2 && a->stamps[2] == 2 * CT_PS_PER_S);
    assert_true(a->span_ps == 2 * CT_PS_PER_S);
    assert_true(a->rate_per_s == 0); /* as recorded */
}

static struct ct_hash hash_with(const char *assignment) {
    struct fixture f = read_with(PAIR, &assignment, assignment ? 1 : 0);
    struct ct_hash hash = ct_hash_start();
    expect_clean(&f);
    assert_true(workload_hash(&hash, &f.workload));
    end(&f);
    return hash;
}

static bool same(struct ct_hash a, struct ct_hash b) {
    return a.high == b.high && a.low == b.low;
}

TEST(the_hash_follows_what_changes_a_result) {
    static const char *const changes[] = {
        "seed=10",           "apps.b.instances=5", "apps.b.copies=none",
        "gpu.sms=40",        "margin=0.2",         "apps.q.arrivals.rate_per_s=41",
        "policy.name=mps",   "apps.b.size=2",      "apps.b.name=c",
        "decision_cost=none"};
    struct ct_hash plain = hash_with(NULL);
    assert_true(same(plain, hash_with(NULL)));
    assert_true(same(plain, hash_with("name=else"))); /* a title changes nothing */
    assert_true(same(plain, hash_with("seed=9")));    /* the same value, given twice */
    assert_true(
        same(plain, hash_with("apps.b.trace=traces/far.db")));     /* the same content elsewhere */
    assert_false(same(plain, hash_with("apps.b.trace=other.db"))); /* other content */
    assert_false(same(plain, hash_with("apps.b.trace=lag.db")));
    for (size_t i = 0; i < CT_COUNT_OF(changes); i++)
        if (same(plain, hash_with(changes[i])))
            fail_msg("%s does not change the hash", changes[i]);
}

/* What was read before is taken from there, and nothing else is: with the same hash. */
TEST(recordings_are_read_once) {
    static const char *const other[] = {"apps.b.trace=other.db"};
    CLOSED_BY(end) struct fixture f = read_text(PAIR);
    CLOSED_BY(workload_free) struct workload again;
    struct workload_source source = {.path = path_of("mix.json"),
                                     .assignments = other,
                                     .assignment_count = 1,
                                     .known = &f.workload};
    struct ct_hash hash = ct_hash_start();
    expect_clean(&f);
    assert_int_equal(workload_read(&source, &again, &f.diags), CT_OK);
    assert_ptr_equal(again.apps.items[0].trace, f.workload.apps.items[0].trace);
    assert_ptr_not_equal(again.apps.items[1].trace, f.workload.apps.items[1].trace);
    assert_int_equal(again.traces.apps.count, 1);
    assert_true(workload_hash(&hash, &again));
    assert_true(same(hash, hash_with(other[0])));
}

TEST(traces_are_looked_up_in_order) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    char path[200], far[200];
    struct stat a, b;
    write_file("sub/mix.json", "{}");
    snprintf(path, sizeof path, "%s/sub/mix.json", folder);
    snprintf(far, sizeof far, "%s/traces/far.db", folder);
    assert_null(share_find(&arena, NULL, "traces", "no such file", path));
    const char *found = share_find(&arena, NULL, "traces", "far.db", path); /* ../traces */
    assert_non_null(found);
    assert_true(stat(found, &a) == 0 && stat(far, &b) == 0 && a.st_ino == b.st_ino);
    assert_null(share_find(&arena, NULL, "traces", "app.db", path));
    char list[250];
    snprintf(list, sizeof list, "/nowhere:%s", folder);
    setenv("COTENANT_TRACE_PATH", list, 1);
    assert_string_equal(share_find(&arena, NULL, "traces", "app.db", path), path_of("app.db"));
    unsetenv("COTENANT_TRACE_PATH");
    assert_string_equal(share_find(&arena, NULL, "traces", path_of("app.db"), path),
                        path_of("app.db"));
}

TEST(the_share_folder_comes_from_the_environment) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    setenv("COTENANT_SHARE", folder, 1);
    assert_string_equal(share_find(&arena, NULL, "traces", "far.db", NULL),
                        path_of("traces/far.db"));
    assert_int_equal(share_list(&arena, "traces", ".db", &names, &count), CT_OK);
    bool listed = false;
    for (size_t i = 0; i < count; i++)
        listed = listed || strcmp(names[i], "far") == 0;
    assert_true(listed);
    unsetenv("COTENANT_SHARE");
    assert_null(share_find(&arena, NULL, "traces", "far.db", NULL));
}

TEST(a_preset_is_read_with_what_it_assumes) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct workload_settings settings = {0}, sources = {0};
    struct ct_diags diags = {0};
    write_file("gpu.json",
               "{\"sms\": 40, \"clock_mhz\": 1400.5, \"name\": \"x\", \"assumed\": [\"sms\"],"
               " \"sources\": {\"sms\": \"a table\"}}");
    assert_int_equal(settings_read(path_of("gpu.json"), &arena, &settings, &diags), CT_OK);
    assert_int_equal(settings_read_sources(path_of("gpu.json"), &arena, &sources, &diags), CT_OK);
    static const char *const expected[][2] = {
        {"sms", "40"}, {"clock_mhz", "1400.5"}, {"name", "x"}, {"assumed", "sms"}};
    assert_int_equal(settings.count, CT_COUNT_OF(expected));
    for (size_t i = 0; i < settings.count; i++) {
        assert_string_equal(settings.items[i].key, expected[i][0]);
        assert_string_equal(settings.items[i].value, expected[i][1]);
    }
    assert_int_equal(sources.count, 1);
    assert_string_equal(sources.items[0].value, "a table");
    ct_vec_free(&settings);
    ct_vec_free(&sources);
}

TEST(mistakes_are_collected_with_their_places) {
    CLOSED_BY(end)
    struct fixture f = read_text(
        "{\"gpu\": \"h100\", \"sede\": 1, \"warmup_s\": 99,\n"
        " \"defaults\": {\"iterations\": 0},\n"
        " \"apps\": [{\"name\": \"a\", \"role\": \"service\", \"trace\": \"app.db#app\"},\n"
        "  {\"name\": \"a\", \"trace\": \"app.db#app\", \"jobs\": [\"shrot\"]}]}");
    assert_int_equal(f.status, CT_USAGE);
    assert_true(has(&f, "mix.json: sede", "unknown key 'sede', did you mean 'seed'?"));
    assert_true(
        has(&f, "mix.json: warmup_s", "'warmup_s' of 99 s leaves nothing of the run, 60 s"));
    assert_true(has(&f, "mix.json: defaults.iterations",
                    "'0' of 'iterations' is not a whole number from 1 to 1000000"));
    assert_true(has(&f, "mix.json: apps[0]", "key 'arrivals' is missing: a service needs it"));
    assert_true(has(&f, "mix.json: apps[1].name", "'a' is already the name of apps[0]"));
    assert_true(
        has(&f, "mix.json: apps[1].jobs[0]", "'app' has no job 'shrot', did you mean 'short'?"));
}

/* A default that changes nothing anywhere is reported once; one that does so somewhere is not. */
TEST(idle_defaults_are_reported) {
    CLOSED_BY(end)
    struct fixture f = read_text(
        "{\"gpu\": \"h100\", \"defaults\": {\"copies\": \"once\", \"jobs\": [\"long\"]},\n"
        " \"apps\": [{\"name\": \"a\", \"trace\": \"other.db\"},\n"
        "  {\"name\": \"b\", \"synthetic\": {\"duration_ms\": 1}}]}");
    assert_int_equal(f.status, CT_OK);
    assert_true(
        has(&f, "mix.json: defaults.copies", "'copies' changes nothing in any application"));
    assert_int_equal(f.diags.count, 1); /* 'jobs' does change one of them */
}

/* What is said of kernels takes the place of what was recorded and counts as given; of two that
 * match the later holds, key by key. */
TEST(kernels_are_as_the_user_says) {
    static const char *const sets[] = {"apps.a.kernels.K.dram_fraction=0.5",
                                       "apps.a.kernels.*.compute_fraction=0.25"};
    CLOSED_BY(end)
    struct fixture f = read_with(
        "{\"gpu\": \"h100\", \"apps\": [{\"name\": \"a\", \"trace\": \"app.db#app\", \"kernels\":\n"
        " [{\"match\": \"*\", \"dram_fraction\": 0.1, \"l2_fraction\": 0.2, \"unit_fraction\": "
        "0.9}]},\n"
        " {\"name\": \"b\", \"trace\": \"app.db#app\"}]}",
        sets, 2);
    expect_clean(&f);
    assert_int_equal(f.workload.apps.items[0].kernels_count, 2);
    CLOSED_BY(setup_free) struct setup setup;
    assert_int_equal(setup_make(&f.workload, &setup, &f.diags), CT_OK);
    const struct kernel_profile *said = setup.apps[0].profiles, *silent = setup.apps[1].profiles;
    assert_true(said->dram_bytes_per_s == 0.5 * setup.gpu.dram_gb_s * 1e9);
    assert_true(said->l2_fraction == 0.2 && said->unit_fraction == 0.9);
    assert_true(said->compute_fraction == 0.25);
    assert_int_equal(said->demand_provenance, CT_GIVEN);
    assert_true(silent->dram_bytes_per_s == 0 && silent->l2_fraction == 0);
    assert_int_equal(silent->demand_provenance, CT_UNKNOWN);
    const double *demand = setup.inputs.share[CT_INPUT_DEMAND];
    assert_true(demand[CT_GIVEN] > 0.499 &&
                demand[CT_GIVEN] == demand[CT_UNKNOWN]); /* and a copy */
}

/* A profiler counts the units of the SMs that a kernel is on, here 80 of 132, whatever the user
 * says of its demand; the user all of them. */
TEST(units_given_are_of_all_sms) {
    CLOSED_BY(end)
    struct fixture f =
        read_text("{\"gpu\": \"h100\", \"defaults\": {\"trace\": \"metered.db#app\"}, \"apps\": "
                  "[{\"name\": \"a\"},\n"
                  " {\"name\": \"b\", \"kernels\": [{\"match\": \"k\", \"dram_fraction\": 0}]},\n"
                  " {\"name\": \"c\", \"kernels\": [{\"match\": \"k\", \"unit_fraction\": 0.5}]},\n"
                  " {\"name\": \"d\", \"kernels\": [{\"match\": \"k\", \"dram_fraction\": 0, "
                  "\"unit_fraction\": "
                  "0.5}]}]}");
    static const double units[] = {0.5 * (80 / 132.0), 0.5 * (80 / 132.0), 0.5, 0.5};
    expect_clean(&f);
    CLOSED_BY(setup_free) struct setup setup;
    assert_int_equal(setup_make(&f.workload, &setup, &f.diags), CT_OK);
    for (size_t a = 0; a < CT_COUNT_OF(units); a++)
        assert_true(setup.apps[a].profiles->unit_fraction == units[a]);
}

/* A pattern that matches nothing is a mistake, one of `defaults` only where it does so anywhere. */
TEST(patterns_that_match_nothing_are_reported) {
    static const char *const sets[] = {"apps.b.kernels.x*.l2_fraction=1"};
    CLOSED_BY(end)
    struct fixture f = read_with(
        "{\"gpu\": \"h100\", \"defaults\": {\"kernels\": [{\"match\": \"k?\", \"l2_fraction\": "
        "1}]},\n"
        " \"apps\": [{\"name\": \"a\", \"trace\": \"app.db#app\",\n"
        "   \"kernels\": [{\"match\": \"kk\", \"l2_fraction\": 1}, {\"match\": \"k\"}, 3, {}]},\n"
        "  {\"name\": \"b\", \"trace\": \"app.db#app\"},\n"
        "  {\"name\": \"c\", \"trace\": \"app.db#app\", \"kernels\": []},\n"
        "  {\"name\": \"d\", \"synthetic\": {\"duration_ms\": 1}}]}",
        sets, 1);
    assert_int_equal(f.status, CT_USAGE);
    assert_true(
        has(&f, "mix.json: apps[0].kernels[0].match",
            "'kk' matches no kernel of 'app': 'cotenant trace show --format csv' lists them"));
    assert_true(
        has(&f, "mix.json: apps[0].kernels[1]", "nothing is said of the kernels that 'k' matches"));
    assert_true(
        has(&f, "mix.json: apps[0].kernels[2]", "what is said of kernels is not an object"));
    assert_true(has(&f, "mix.json: apps[0].kernels[3]", "key 'match' is missing"));
    assert_true(
        has(&f, "--set apps.b.kernels.x*.l2_fraction",
            "'x*' matches no kernel of 'app': 'cotenant trace show --format csv' lists them"));
    assert_true(has(&f, "mix.json: apps[2].kernels", "'kernels' is not an array of objects"));
    assert_true(
        has(&f, "mix.json: defaults.kernels", "'kernels' changes nothing in any application"));
    assert_int_equal(f.diags.count, 7);
}

TEST_GROUP(make_folder, remove_folder)
