/*
 * Recordings whose tasks lag behind the one before them in their stream (gaps inside CUDA graphs)
 * or come before it has ended (programmatic launches): a job that is alone takes the recorded time,
 * to the picosecond, in both fidelities. Random recordings, expected times by the rules of
 * docs/decisions/0022-lags.md; they go through a store.
 */
#include "run_case.h"
#include "unit/base/dice.h"

#define US CT_PS_PER_US

enum { CASES = 150, TASKS = 12, STREAMS = 2 };

/* An RTX 2080 Ti has slots for 272 of these. */
static const uint32_t blocks_of[] = {20, 60, 136, 272, 500, 900};
/* The first of these are small: any kernels of them that may be at once fit beside each other. */
enum { SMALL = 2 };

struct expected {
    ct_time_ps came, started, ended;
};

struct recording {
    struct trace_set set;
    struct trace_app *app;
    struct expected expected[TASKS];
    uint32_t last[STREAMS]; /* task last launched; TRACE_NONE */
    ct_time_ps submitted[STREAMS], launch;
};

static void record(struct recording *r) {
    *r = (struct recording){.last = {TRACE_NONE, TRACE_NONE}};
    r->app = run_case_app(&r->set, "app", STREAMS);
    for (size_t i = 0; i < CT_COUNT_OF(blocks_of); i++) {
        struct trace_kernel kernel = {.name = "kernel",
                                      .grid = {blocks_of[i], 1, 1},
                                      .block = {256, 1, 1},
                                      .demand_provenance = CT_ASSUMED,
                                      .metrics = trace_metrics_unknown()};
        assert_true(ct_vec_push(&r->app->kernels, kernel));
    }
    assert_true(ct_vec_push(&r->app->jobs, (struct trace_job){.name = "job", .recorded_ps = 1}));
}

static ct_time_ps later_of(ct_time_ps a, ct_time_ps b) {
    return a > b ? a : b;
}

/* Random: on the device at once, behind a gap, or early; `small`: in two streams, some tasks behind
 * one of the other stream. */
static struct trace_task draw(const struct recording *r, bool small, uint64_t *dice) {
    uint32_t index = (uint32_t)r->app->tasks.count;
    struct trace_task task = {.kind = TRACE_KERNEL,
                              .kernel =
                                  (uint32_t)dice_roll(dice, small ? SMALL : CT_COUNT_OF(blocks_of)),
                              .stream = !small            ? 0
                                        : index < STREAMS ? index
                                                          : (uint32_t)dice_roll(dice, STREAMS),
                              .waited_for = TRACE_NONE,
                              .duration_ps = (ct_time_ps)(1 + dice_roll(dice, 50 * US)),
                              .host_gap_ps = index ? (ct_time_ps)dice_roll(dice, 20 * US) : 0};
    uint32_t before = r->last[task.stream], other = r->last[1 - task.stream];
    switch (dice_roll(dice, 4)) {
    case 0:
        task.lag_ps = (ct_time_ps)dice_roll(dice, 9 * US);
        if (small && other != TRACE_NONE)
            task.dependency_count = 1;
        break;
    case 1:
    case 2:
        if (before != TRACE_NONE)
            task.lag_ps =
                -(ct_time_ps)dice_roll(dice, (uint64_t)r->app->tasks.items[before].duration_ps + 1);
        break;
    default:
        break;
    }
    return task;
}

/* When it comes onto the device, works and ends by the rules, if it is alone. */
static struct expected expect(struct recording *r, const struct trace_task *task) {
    uint32_t before = r->last[task->stream];
    struct expected at, none = {0};
    const struct expected *prior = before == TRACE_NONE ? &none : &r->expected[before];
    r->launch += task->host_gap_ps;
    ct_time_ps *submitted = &r->submitted[task->stream];
    *submitted = later_of(*submitted, r->launch);
    if (task->dependency_count)
        *submitted = later_of(*submitted, r->expected[r->last[1 - task->stream]].ended);
    at.came = later_of(*submitted, prior->ended) + later_of(task->lag_ps, 0);
    at.started = at.came;
    if (task->lag_ps < 0)
        at.came = later_of(*submitted, prior->ended + task->lag_ps);
    at.ended = at.started + task->duration_ps;
    return at;
}

static void record_random(struct recording *r, bool small, uint64_t *dice) {
    struct trace_job *job = &r->app->jobs.items[0];
    for (uint32_t count = 2 + (uint32_t)dice_roll(dice, TASKS - 1); job->task_count < count;) {
        struct trace_task task = draw(r, small, dice);
        r->expected[job->task_count] = expect(r, &task);
        task.start_ps = r->expected[job->task_count].started;
        task.launch_begin_ps = task.launch_end_ps = r->launch;
        if (task.dependency_count) {
            task.first_dependency = (uint32_t)r->app->dependencies.count;
            assert_true(ct_vec_push(&r->app->dependencies, r->last[1 - task.stream]));
        }
        r->last[task.stream] = job->task_count++;
        assert_true(ct_vec_push(&r->app->tasks, task));
    }
}

static void compare(const struct recording *r, const struct run_case_result *result, int number) {
    const struct run_case_job *job = run_case_job_of(result, 0, 0);
    ct_time_ps last = 0, parts = 0;
    for (uint32_t i = 0; i < r->app->tasks.count; i++) {
        const struct run_case_task *t = run_case_task_of(result, 0, 0, i);
        const struct expected *e = &r->expected[i];
        if (t->started_ps != e->came || t->ended_ps != e->ended)
            fail_msg("recording %d, task %u: %.6f to %.6f us, recorded %.6f to %.6f", number, i,
                     (double)t->started_ps / 1e6, (double)t->ended_ps / 1e6, (double)e->came / 1e6,
                     (double)e->ended / 1e6);
        last = later_of(last, e->ended);
    }
    assert_int_equal(job->end_ps - job->arrival_ps, last);
    for (int part = 0; part < CT_BLAME_COUNT; part++)
        parts += job->blame_ps[part];
    assert_int_equal(parts, last);
    assert_int_equal(job->blame_ps[CT_BLAME_SOLO_WORK] + job->blame_ps[CT_BLAME_HOST], last);
}

static void replay(const struct recording *r, const char *fidelity, int number) {
    CLOSED_BY(run_case_close) struct run_case c;
    CLOSED_BY(run_case_result_free) struct run_case_result result;
    struct run_case_params params = {.policy = &policy_mps, .seed = 1, .blame = true};
    char json[400];
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"fidelity\": \"%s\", "
             "\"duration_s\": 0.01, \"apps\": [{\"name\": \"app\", \"trace\": \"t.db#app\", "
             "\"role\": \"service\", \"arrivals\": {\"process\": \"once\"}}]}",
             fidelity);
    run_case_open(&c, json, &r->set);
    run_case_run(&c, &params, &result);
    assert_null(result.result.broken_law);
    compare(r, &result, number);
}

/* How many tasks of the recording came early; lagged behind. */
static void count_lags(const struct recording *r, uint32_t counts[2]) {
    for (size_t i = 0; i < r->app->tasks.count; i++) {
        counts[0] += r->expected[i].came < r->expected[i].started;
        counts[1] += r->app->tasks.items[i].lag_ps > 0;
    }
}

TEST(alone_it_takes_the_recorded_time) {
    uint64_t dice = 22;
    uint32_t counts[2] = {0};
    for (int number = 0; number < CASES; number++) {
        struct recording r;
        record(&r);
        record_random(&r, number % 2 == 0, &dice);
        replay(&r, "fluid", number);
        replay(&r, "block", number);
        count_lags(&r, counts);
        trace_set_free(&r.set);
    }
    assert_true(counts[0] > CASES && counts[1] > CASES);
}
