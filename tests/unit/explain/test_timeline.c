/* The time line against the documented fields of the Chrome trace event format. */
#include "cmocka_complete.h"
#include "explain/timeline.h"
#include "unit/results/report_sample.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct written {
    char *text;
    size_t size;
    json_t *root, *events;
    struct timeline_summary summary;
};

static struct written write_timeline(const struct result_run *run, uint64_t budget) {
    struct written w = {0};
    struct ct_diags diags = {0};
    FILE *out = open_memstream(&w.text, &w.size);
    assert_int_equal(timeline_write(run, budget, out, &w.summary, &diags), CT_OK);
    fclose(out);
    json_error_t error;
    w.root = json_loads(w.text, JSON_REJECT_DUPLICATES, &error);
    if (!w.root)
        fail_msg("line %d: %s", error.line, error.text);
    w.events = json_object_get(w.root, "traceEvents");
    assert_true(json_is_array(w.events));
    ct_diags_free(&diags);
    return w;
}

static void written_free(struct written *w) {
    json_decref(w->root);
    free(w->text);
}

static const char *text_of(const json_t *event, const char *key) {
    return json_string_value(json_object_get(event, key));
}

static double number_of(const json_t *event, const char *key) {
    const json_t *value = json_object_get(event, key);
    if (!json_is_number(value))
        fail_msg("'%s' is no number in %s", key, json_dumps(event, 0));
    return json_number_value(value);
}

static json_t *find_event(const struct written *w, const char *phase, const char *name,
                          size_t skip) {
    size_t i;
    json_t *event;
    json_array_foreach(w->events, i, event) {
        if (strcmp(text_of(event, "ph"), phase) == 0 && strcmp(text_of(event, "name"), name) == 0 &&
            skip-- == 0)
            return event;
    }
    return NULL;
}

static size_t count_phase(const struct written *w, const char *phase) {
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(w->events, i, event) count += strcmp(text_of(event, "ph"), phase) == 0;
    return count;
}

static void check_fields(const json_t *event) {
    const char *phase = text_of(event, "ph");
    assert_non_null(phase);
    assert_int_equal(strlen(phase), 1);
    assert_non_null(strchr("MXbesftiC", *phase));
    assert_non_null(text_of(event, "name"));
    assert_true(json_is_integer(json_object_get(event, "pid")));
    assert_true(json_is_integer(json_object_get(event, "tid")));
    assert_true(number_of(event, "ts") >= 0);
    assert_int_equal(json_object_get(event, "dur") != NULL, *phase == 'X');
    assert_int_equal(json_object_get(event, "id") != NULL, strchr("besft", *phase) != NULL);
    assert_int_equal(json_object_get(event, "args") != NULL, strchr("MXiC", *phase) != NULL);
    assert_int_equal(text_of(event, "cat") != NULL, strchr("MC", *phase) == NULL);
    if (*phase == 'X')
        assert_true(number_of(event, "dur") >= 0);
    if (*phase == 'i')
        assert_string_equal(text_of(event, "s"), "t");
    if (*phase == 'f')
        assert_string_equal(text_of(event, "bp"), "e");
}

TEST(every_event_has_the_documented_fields) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    size_t i;
    json_t *event;
    json_array_foreach(w.events, i, event) check_fields(event);
    assert_int_equal(count_phase(&w, "X"), 3 + 4 + 2); /* jobs, tasks, waits in the ready pool */
    assert_int_equal(count_phase(&w, "i"), 2);
    assert_int_equal(count_phase(&w, "C"), 3);
    assert_int_equal(count_phase(&w, "s"), 3);
    assert_int_equal(count_phase(&w, "t"), 1);
    assert_int_equal(count_phase(&w, "f"), 3);
    assert_int_equal(w.summary.bytes, w.size);
}

TEST(times_are_exact_microseconds) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    const json_t *copy = find_event(&w, "X", "copy h2d", 0);
    const json_t *job = find_event(&w, "X", "job 1", 0);
    assert_non_null(copy);
    assert_non_null(strstr(w.text, "\"ts\":0.003,\"dur\":4.9975,")); /* 3000 ps to 5000500 ps */
    assert_int_equal(number_of(json_object_get(copy, "args"), "bytes"), 4096);
    assert_non_null(strstr(w.text, "\"ts\":10000,\"dur\":12000.000001,"));
    assert_int_equal(number_of(json_object_get(job, "args"), "job"), 1);
    assert_string_equal(text_of(job, "cat"), "vit");
}

/* Job 1 arrives at 2 ms and gets its first task at 10 ms. */
TEST(a_wait_is_an_asynchronous_slice) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    const json_t *begin = find_event(&w, "b", "waiting", 1),
                 *end = find_event(&w, "e", "waiting", 1);
    assert_true(number_of(begin, "ts") == 2000);
    assert_true(number_of(end, "ts") == 10000);
    assert_int_equal(number_of(begin, "id"), number_of(end, "id"));
}

TEST(decisions_carry_their_reasons) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    const json_t *args = json_object_get(find_event(&w, "i", "issue", 0), "args");
    assert_true(number_of(args, "headroom_ms") == 4.25);
    assert_int_equal(number_of(args, "decision"), 1);
    assert_string_equal(text_of(args, "hook"), "decide");
    assert_string_equal(text_of(args, "app"), "vit");
}

/* Many jobs of the same instance that overlap in all ways. */
enum { MANY = 200 };

static struct result_run many_jobs(struct report_app apps[2], struct result_job jobs[MANY],
                                   struct result_task tasks[MANY],
                                   struct result_decision decisions[MANY],
                                   struct result_presence presences[MANY]) {
    struct result_run run = sample_run(apps);
    for (int i = 0; i < MANY; i++) {
        ct_time_ps start = i * INT64_C(1000000), length = (i * 37 % MANY + 1) * INT64_C(100000);
        jobs[i] = (struct result_job){.number = (uint64_t)i,
                                      .arrival_ps = start,
                                      .first_issue_ps = start,
                                      .end_ps = start + length};
        tasks[i] = (struct result_task){.job = (uint64_t)i,
                                        .name = "k",
                                        .blocks = 1,
                                        .ready_ps = start,
                                        .issued_ps = start,
                                        .queued_ps = start,
                                        .started_ps = start,
                                        .ended_ps = start + length};
        presences[i] = (struct result_presence){.job = (uint64_t)i,
                                                .first_sm = 10 * (uint32_t)(i % 3),
                                                .last_sm = 10 * (uint32_t)(i % 3) + 9,
                                                .began_ps = start,
                                                .ended_ps = start + length / 2};
        decisions[i] = (struct result_decision){.number = (uint64_t)i + 1,
                                                .time_ps = start,
                                                .hook = "decide",
                                                .verb = CT_VERB_ISSUE,
                                                .job = i};
    }
    run.jobs = jobs;
    run.tasks = tasks;
    run.decisions = decisions;
    run.presences = presences;
    run.job_count = run.task_count = run.decision_count = run.presence_count = MANY;
    return run;
}

/* Slices of one track follow each other: viewers show nothing sensible for a partial overlap. */
TEST(slices_of_a_track_never_overlap) {
    struct report_app apps[2];
    static struct result_job jobs[MANY];
    static struct result_task tasks[MANY];
    static struct result_decision decisions[MANY];
    static struct result_presence presences[MANY];
    struct result_run run = many_jobs(apps, jobs, tasks, decisions, presences);
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    double ends[1000] = {0};
    size_t i, slices = 0;
    json_t *event;
    json_array_foreach(w.events, i, event) {
        if (strcmp(text_of(event, "ph"), "X") != 0)
            continue;
        size_t tid = (size_t)number_of(event, "tid");
        assert_true(tid < 1000);
        assert_true(number_of(event, "ts") >= ends[tid] - 1e-9);
        ends[tid] = number_of(event, "ts") + number_of(event, "dur");
        slices++;
    }
    assert_int_equal(slices, 3 * MANY);
    assert_non_null(strstr(w.text, "\"SMs 20 to 29\""));
    assert_non_null(strstr(w.text, "\"residents of the SMs\""));
}

TEST(the_budget_keeps_the_slowest_jobs_whole) {
    struct report_app apps[2];
    static struct result_job jobs[MANY];
    static struct result_task tasks[MANY];
    static struct result_decision decisions[MANY];
    static struct result_presence presences[MANY];
    struct result_run run = many_jobs(apps, jobs, tasks, decisions, presences);
    const uint64_t budget = 65536;
    CLOSED_BY(written_free) struct written w = write_timeline(&run, budget);
    assert_true(w.size <= budget);
    assert_true(w.summary.jobs > 20 && w.summary.jobs_left_out > 20);
    assert_int_equal(w.summary.jobs + w.summary.jobs_left_out, MANY);
    size_t kept = w.summary.jobs, shown_jobs = 0;
    assert_int_equal(count_phase(&w, "f"), kept); /* each with its task and its decision */
    assert_int_equal(count_phase(&w, "i"), kept);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        size_t faster = (size_t)(i * 37 % MANY); /* jobs */
        snprintf(name, sizeof name, "job %d", i);
        bool shown = find_event(&w, "X", name, 0);
        /* At the edge of the budget a shorter text may fit where a longer one did not. */
        assert_true(shown || faster < MANY - kept + 3);
        shown_jobs += shown;
    }
    assert_int_equal(shown_jobs, kept);
}

/* Job 0 has run a task, job 1 still waits for its first; the run is of 60 s. */
TEST(jobs_that_had_not_ended_are_there_until_the_end_of_the_run) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_job jobs[] = {sample_jobs[0], sample_jobs[1]};
    jobs[0].end_ps = jobs[0].until_ps = jobs[1].end_ps = jobs[1].until_ps = RESULT_NEVER;
    jobs[1].first_issue_ps = RESULT_NEVER;
    run.jobs = jobs;
    run.job_count = 2;
    run.task_count = 2; /* those of job 0 */
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    const json_t *begun = find_event(&w, "X", "job 0, had not ended", 0),
                 *waiting = find_event(&w, "X", "job 1, had not ended", 0),
                 *wait = find_event(&w, "e", "waiting", 1);
    assert_true(number_of(begun, "ts") + number_of(begun, "dur") == 60e6);
    assert_true(number_of(json_object_get(begun, "args"), "age_us") == 60e6);
    assert_null(json_object_get(json_object_get(begun, "args"), "latency_us"));
    assert_true(number_of(waiting, "ts") == 60e6 && number_of(waiting, "dur") == 0);
    assert_true(number_of(wait, "ts") == 60e6);
    assert_non_null(find_event(&w, "X", "gemm<float>", 0));
    assert_int_equal(w.summary.jobs, 2);
    assert_int_equal(w.summary.jobs_unfinished, 2);
    assert_int_equal(w.summary.jobs_left_out + w.summary.tasks_without_job, 0);
}

TEST(tasks_of_jobs_that_are_not_stored_are_counted) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    run.job_count = 1;
    CLOSED_BY(written_free) struct written w = write_timeline(&run, 0);
    assert_int_equal(w.summary.jobs, 1);
    assert_int_equal(w.summary.tasks_without_job, 2);
}
