/* Runs of the simulator that answer an exercise. */
#include "apps/exercise/exercise_build.h"

#include "experiment/scenario.h"

#include <inttypes.h>
#include <string.h>

/* Where messages about a drawn workload come from. */
#define WHERE "exercise"

/* How long a run may take. What is written for students ends with the problem. */
#define LONGEST "\"duration_s\": 1.9"

const char *exercise_head(struct exercise_problem *p, int64_t sms, const char *gpu,
                          const char *policy, const char *fidelity) {
    const char *quote = *policy == '{' ? "" : "\"";
    return exercise_text(p,
                         "{\"schema\": \"cotenant.workload/1\", \"name\": \"exercise-%s\",\n"
                         " \"gpu\": {\"base\": \"hsm-hbm\", \"sms\": %" PRId64 "%s},\n"
                         " \"policy\": %s%s%s, \"fidelity\": \"%s\", \"predictor\": \"oracle\",\n"
                         " \"decision_cost\": \"none\", " LONGEST ", \"apps\": [\n",
                         p->exercise->name, sms, gpu, quote, policy, quote, fidelity);
}

const char *exercise_app(struct exercise_problem *p, const char *name, double at_ms,
                         const char *more, int64_t blocks, double duration_ms, const char *kernel) {
    return exercise_text(p,
                         "  {\"name\": \"%s\",\n"
                         "   \"arrivals\": {\"process\": \"once\", \"delay_ms\": %.12g}%s,\n"
                         "   \"synthetic\": {\"blocks\": %" PRId64
                         ", \"duration_ms\": %.12g, \"compute_fraction\": 1%s}}",
                         name, at_ms, more, blocks, duration_ms, kernel);
}

double exercise_ms(int64_t time) {
    return ct_time_ms(time);
}

const char *exercise_until(struct exercise_problem *p, const char *json, double end_ms) {
    const char *longest = strstr(json, LONGEST);
    return !longest ? json
                    : exercise_text(p, "%.*s\"duration_s\": %.12g%s", (int)(longest - json), json,
                                    end_ms / 1e3, longest + strlen(LONGEST));
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

static int simulate(struct exercise_run *run, struct exercise_problem *p, const char *json,
                    unsigned record, struct ct_diags *diags) {
    struct ct_run_options options = {
        .size = sizeof options, .seed = (int64_t)p->seed, .no_blame = !record, .record = record};
    p->workload = json;
    *run = (struct exercise_run){.problem = p};
    if (!p->failed)
        run->scenario = ct_scenario_text(json, WHERE);
    if (!run->scenario)
        return ct_out_of_memory(diags);
    run->results = ct_scenario_run(run->scenario, &options);
    return run->results ? CT_OK : tell_errors(run->scenario, diags);
}

int exercise_simulate(struct exercise_run *run, struct exercise_problem *p, const char *json,
                      struct ct_diags *diags) {
    int status =
        simulate(run, p, json, CT_RECORD_JOBS | CT_RECORD_TASKS | CT_RECORD_DECISIONS, diags);
    struct ct_task_record task;
    double end = 0;
    for (size_t i = 0; status == CT_OK && exercise_task(run, i, &task); i++)
        end = fmax(end, exercise_ms(task.ended_ps));
    if (end > 0)
        p->workload = exercise_until(p, json, end);
    return status;
}

int exercise_measure(struct exercise_run *run, struct exercise_problem *p, const char *json,
                     struct ct_diags *diags) {
    return simulate(run, p, json, 0, diags);
}

void exercise_run_close(struct exercise_run *run) {
    ct_results_free(run->results);
    ct_scenario_free(run->scenario);
}

int exercise_open(struct scenario *scenario, const struct exercise_problem *p, const char *json,
                  struct ct_diags *diags) {
    const struct scenario_request request = {.workload = WHERE,
                                             .text = json,
                                             .fidelity = SCENARIO_OWN,
                                             .seed = (int64_t)p->seed,
                                             .version = ""};
    *scenario = (struct scenario){0};
    return p->failed ? ct_out_of_memory(diags) : scenario_open(scenario, &request, diags);
}

double exercise_measured(const struct exercise_run *run, const char *app, const char *measure) {
    return ct_results_value(run->results, 0, app, measure);
}

bool exercise_task(const struct exercise_run *run, size_t index, struct ct_task_record *task) {
    return ct_results_task(run->results, 0, 0, index, task);
}

bool exercise_find_task(const struct exercise_run *run, uint32_t app, uint64_t job, uint32_t number,
                        struct ct_task_record *task) {
    for (size_t i = 0; exercise_task(run, i, task); i++)
        if (task->app == app && task->instance == 0 && task->job == job && task->task == number)
            return true;
    return false;
}

double exercise_end_ms(const struct exercise_run *run, uint32_t app) {
    struct ct_task_record task;
    return exercise_find_task(run, app, 0, 0, &task) ? exercise_ms(task.ended_ps) : NAN;
}

double exercise_part_ms(const struct exercise_run *run, uint32_t app, uint64_t number,
                        const char *part) {
    struct ct_job_record job;
    for (size_t i = 0; ct_results_job(run->results, 0, 0, i, &job); i++)
        if (job.app == app && job.instance == 0 && job.job == number)
            return ct_results_job_part(run->results, 0, 0, i, part);
    return NAN;
}

double exercise_noted(const struct exercise_run *run, uint32_t app, const char *key, size_t n) {
    struct ct_decision_record decision;
    for (size_t i = 0; ct_results_decision(run->results, 0, 0, i, &decision); i++)
        for (size_t k = 0; k < decision.notes && decision.app == (int64_t)app; k++) {
            double value;
            if (strcmp(ct_results_note(run->results, 0, 0, i, k, &value), key) == 0 && n-- == 0)
                return value;
        }
    return NAN;
}

static void add_spans(struct exercise_problem *p, const char *lane,
                      const struct ct_task_record *t) {
    double queued = exercise_ms(t->queued_ps), started = exercise_ms(t->started_ps);
    bool kernel = strcmp(t->kind, "kernel") == 0;
    if (queued < started && kernel)
        exercise_span(p, "ms", lane, "waits", queued, started);
    exercise_span(p, "ms", lane, kernel ? "kernel" : "copy", started, exercise_ms(t->ended_ps));
}

void exercise_spans_of_run(struct exercise_run *run) {
    struct ct_task_record task;
    const char *name;
    for (uint32_t app = 0; (name = ct_results_app(run->results, app)) != NULL; app++) {
        name = exercise_text(run->problem, "%s", name);
        for (size_t i = 0; exercise_task(run, i, &task); i++)
            if (task.app == app)
                add_spans(run->problem, name, &task);
    }
}
