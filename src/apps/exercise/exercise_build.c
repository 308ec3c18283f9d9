#include "apps/exercise/exercise_build.h"

#include "base/ct_assert.h"
#include "experiment/scenario.h"

#include <stdarg.h>
#include <string.h>

/* The text of a function with a format; `format` is its last named parameter. */
#define FORMATTED(text)                                                                            \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    const char *text = ct_arena_vformat(&p->arena, format, arguments);                             \
    va_end(arguments);                                                                             \
    p->failed |= !text;                                                                            \
    text = text ? text : ""

int exercise_draw(struct exercise_problem *p, int least, int most) {
    return least + (int)des_stream_below(&p->draws, (uint64_t)((int64_t)most - least) + 1);
}

const char *exercise_text(struct exercise_problem *p, const char *format, ...) {
    FORMATTED(text);
    return text;
}

void exercise_give_all(struct exercise_problem *p, const double *values, size_t count) {
    ct_assert(count == p->exercise->given_count);
    for (size_t i = 0; i < count; i++) {
        struct exercise_given given = p->exercise->given[i];
        given.value = values[i];
        p->failed |= !ct_vec_push(&p->givens, given);
    }
}

void exercise_give(struct exercise_problem *p, const char *key, double value, const char *unit,
                   const char *format, ...) {
    FORMATTED(text);
    p->failed |= !ct_vec_push(&p->givens, (struct exercise_given){key, text, unit, value});
}

void exercise_step(struct exercise_problem *p, const char *equation, const char *format, ...) {
    FORMATTED(text);
    p->failed |= !ct_vec_push(&p->steps, (struct exercise_step){equation, text});
}

void exercise_mistake(struct exercise_problem *p, double value, const char *format, ...) {
    FORMATTED(text);
    for (size_t i = 0; i < p->mistakes.count; i++) {
        struct exercise_mistake *same = &p->mistakes.items[i];
        if (fabs(same->value - value) <= exercise_rounding(value)) {
            same->text = exercise_text(p, "%s; or: %s", same->text, text);
            return;
        }
    }
    p->failed |= !ct_vec_push(&p->mistakes, (struct exercise_mistake){value, text});
}

static void add_bar(struct exercise_problem *p, const char *axis, bool timeline,
                    struct exercise_bar bar) {
    p->axis = axis;
    p->timeline = timeline;
    p->failed |= !ct_vec_push(&p->bars, bar);
}

void exercise_span(struct exercise_problem *p, const char *axis, const char *lane,
                   const char *label, double from, double to) {
    add_bar(p, axis, true, (struct exercise_bar){lane, label, from, to});
}

void exercise_value(struct exercise_problem *p, const char *axis, const char *lane, double value) {
    add_bar(p, axis, false, (struct exercise_bar){lane, "", 0, value});
}

void exercise_answer(struct exercise_problem *p, double value, double tolerance) {
    p->answer = value;
    p->tolerance = tolerance;
}

/* ---- Runs of the simulator that answer an exercise ---- */

/* Where messages about a drawn workload come from. */
#define WHERE "exercise"

/* How long a run may take. What is written for students ends with the problem. */
#define LONGEST "\"duration_s\": 1.9"

void exercise_head(struct exercise_problem *p, int sms, const char *gpu, const char *policy,
                   const char *fidelity) {
    const char *quote = *policy == '{' ? "" : "\"";
    p->workload =
        exercise_text(p,
                      "{\"schema\": \"cotenant.workload/1\", \"name\": \"exercise-%s\",\n"
                      " \"gpu\": {\"base\": \"hsm-hbm\", \"sms\": %d%s},\n"
                      " \"policy\": %s%s%s, \"fidelity\": \"%s\", \"predictor\": \"oracle\",\n"
                      " \"decision_cost\": \"none\", " LONGEST ", \"apps\": [\n",
                      p->exercise->name, sms, gpu, quote, policy, quote, fidelity);
}

void exercise_apps(struct exercise_problem *p, const char *format, ...) {
    FORMATTED(apps);
    size_t length = strlen(p->workload);
    bool first = length > 0 && p->workload[length - 1] == '\n';
    p->workload = exercise_text(p, "%s%s%s", p->workload, first ? "" : ",\n", apps);
}

void exercise_app(struct exercise_problem *p, const char *name, double at_ms, const char *more,
                  int blocks, double duration_ms, const char *format, ...) {
    FORMATTED(kernel);
    exercise_apps(
        p,
        "  {\"name\": \"%s\",\n"
        "   \"arrivals\": {\"process\": \"once\", \"delay_ms\": %.12g}, \"stop\": "
        "\"first-run\"%s,\n"
        "   \"synthetic\": {\"blocks\": %d, \"duration_ms\": %.12g, \"compute_fraction\": 1%s}}",
        name, at_ms, more, blocks, duration_ms, kernel);
}

void exercise_until(struct exercise_problem *p, double end_ms) {
    const char *longest = strstr(p->workload, LONGEST);
    if (longest)
        p->workload = exercise_text(p, "%.*s\"duration_s\": %.12g%s", (int)(longest - p->workload),
                                    p->workload, end_ms / 1e3, longest + strlen(LONGEST));
}

static void end_workload(struct exercise_problem *p) {
    p->workload = exercise_text(p, "%s]}\n", p->workload);
}

/* What the library says of a workload that it does not run. */
static int tell_errors(const struct ct_scenario *scenario, struct ct_diags *diags) {
    for (size_t i = 0; i < ct_scenario_message_count(scenario); i++) {
        struct ct_message message = ct_scenario_message(scenario, i);
        if (message.kind == CT_MESSAGE_ERROR)
            ct_error(diags, message.where, "%s", message.text);
    }
    return diags->errors ? CT_DATA : ct_out_of_memory(diags);
}

static void run(struct exercise_problem *p, unsigned record) {
    struct ct_run_options options = {
        .size = sizeof options, .seed = (int64_t)p->seed, .no_blame = !record, .record = record};
    end_workload(p);
    if (!p->failed)
        p->scenario = ct_scenario_text(p->workload, WHERE);
    p->failed |= !p->scenario;
    if (p->failed)
        return;
    p->results = ct_scenario_run(p->scenario, &options);
    if (!p->results)
        p->status = tell_errors(p->scenario, p->diags);
}

void exercise_simulate(struct exercise_problem *p) {
    struct ct_task_record task;
    double end = 0;
    run(p, CT_RECORD_JOBS | CT_RECORD_TASKS | CT_RECORD_DECISIONS);
    for (size_t i = 0; exercise_task(p, i, &task); i++)
        end = fmax(end, ct_time_ms(task.ended_ps));
    if (end > 0)
        exercise_until(p, end);
}

void exercise_measure(struct exercise_problem *p) {
    run(p, 0);
}

void exercise_open(struct exercise_problem *p, struct scenario *scenario) {
    end_workload(p);
    const struct scenario_request request = {.workload = WHERE,
                                             .text = p->workload,
                                             .fidelity = SCENARIO_OWN,
                                             .seed = (int64_t)p->seed,
                                             .version = ""};
    *scenario = (struct scenario){0};
    p->status =
        p->failed ? ct_out_of_memory(p->diags) : scenario_open(scenario, &request, p->diags);
}

double exercise_measured(const struct exercise_problem *p, const char *app, const char *measure) {
    return p->results ? ct_results_value(p->results, 0, app, measure) : NAN;
}

bool exercise_task(const struct exercise_problem *p, size_t index, struct ct_task_record *task) {
    return p->results && ct_results_task(p->results, 0, 0, index, task);
}

bool exercise_find_task(const struct exercise_problem *p, uint32_t app, uint32_t number,
                        struct ct_task_record *task) {
    for (size_t i = 0; exercise_task(p, i, task); i++)
        if (task->app == app && task->instance == 0 && task->job == 0 && task->task == number)
            return true;
    return false;
}

double exercise_end_ms(const struct exercise_problem *p, uint32_t app) {
    struct ct_task_record task;
    return exercise_find_task(p, app, 0, &task) ? ct_time_ms(task.ended_ps) : NAN;
}

double exercise_part_ms(const struct exercise_problem *p, uint32_t app, uint64_t number,
                        const char *part) {
    struct ct_job_record job;
    for (size_t i = 0; p->results && ct_results_job(p->results, 0, 0, i, &job); i++)
        if (job.app == app && job.instance == 0 && job.job == number && job.end_ps >= 0)
            return ct_results_job_part(p->results, 0, 0, i, part);
    return NAN;
}

double exercise_noted(const struct exercise_problem *p, uint32_t app, const char *key, size_t n) {
    struct ct_decision_record decision;
    for (size_t i = 0; p->results && ct_results_decision(p->results, 0, 0, i, &decision); i++)
        for (size_t k = 0; k < decision.notes && decision.app == (int64_t)app; k++) {
            double value;
            if (strcmp(ct_results_note(p->results, 0, 0, i, k, &value), key) == 0 && n-- == 0)
                return value;
        }
    return NAN;
}

static void add_spans(struct exercise_problem *p, const char *lane,
                      const struct ct_task_record *t) {
    double queued = ct_time_ms(t->queued_ps), started = ct_time_ms(t->started_ps);
    bool kernel = strcmp(t->kind, "kernel") == 0;
    if (queued < started && kernel)
        exercise_span(p, "ms", lane, "waits", queued, started);
    exercise_span(p, "ms", lane, kernel ? "kernel" : "copy", started, ct_time_ms(t->ended_ps));
}

void exercise_spans_of_run(struct exercise_problem *p) {
    struct ct_task_record task;
    const char *name;
    for (uint32_t app = 0; p->results && (name = ct_results_app(p->results, app)); app++)
        for (size_t i = 0; exercise_task(p, i, &task); i++)
            if (task.app == app)
                add_spans(p, name, &task);
}
