#include "workload/setup_questions.h"

#include "base/ct_intern.h"

#include <stdlib.h>
#include <string.h>

struct predict_key setup_step_key(const struct setup_step *step) {
    if (step->kind == TRACE_COPY)
        return predict_key_copy(step->direction, step->pinned);
    return (struct predict_key){step->kind == TRACE_MEMSET ? PREDICT_MEMSET : PREDICT_KERNEL,
                                step->function};
}

const char *setup_step_name(const struct setup_step *step) {
    static const char *const copies[3][2] = {{"copy in, pageable", "copy in, pinned"},
                                             {"copy out, pageable", "copy out, pinned"},
                                             {"copy on the device", "copy on the device"}};
    if (step->kind == TRACE_COPY)
        return copies[step->direction][step->pinned];
    return step->kind == TRACE_MEMSET ? "memset" : step->kernel->name;
}

struct predict_key setup_call_key(const struct setup_call *call) {
    return (struct predict_key){PREDICT_CALL, call->function};
}

struct predict_features setup_step_features(const struct setup_plan *plan,
                                            const struct setup_step *step) {
    const struct trace_kernel *kernel = step->kernel;
    if (!kernel)
        return predict_features_bytes(step->bytes);
    return predict_features_kernel(plan->input_bytes, kernel->grid, kernel->block,
                                   kernel->static_smem_bytes + kernel->dynamic_smem_bytes);
}

struct predict_features setup_call_features(const struct setup_plan *plan,
                                            const struct setup_call *call) {
    struct predict_features sum = {0};
    uint32_t number = (uint32_t)(call - plan->calls) + 1;
    for (uint32_t i = call->first; i <= call->last; i++) {
        if (plan->steps[i].library_call != number)
            continue;
        struct predict_features kernel = setup_step_features(plan, &plan->steps[i]);
        predict_features_add(&sum, &kernel);
    }
    return sum;
}

/* ---- Numbers ---- */

struct numbering {
    struct ct_intern questions;
    bool lost; /* memory ran out */
};

static uint32_t number_of(struct numbering *n, struct predict_key key,
                          struct predict_features features) {
    enum { KEY = 2 };
    double question[KEY + PREDICT_FEATURES_MOST] = {key.kind, key.id};
    memcpy(question + KEY, features.x, features.count * sizeof *question);
    uint32_t number =
        ct_intern_add(&n->questions, question, (KEY + features.count) * sizeof *question);
    n->lost |= number == UINT32_MAX;
    return number;
}

/* The latest number of a kernel of the trace: jobs launch the same ones again and again. */
struct numbered {
    const struct setup_step *step; /* which has it; NULL: none */
    uint64_t input_bytes;          /* of that step's plan */
};

static void number_plan(struct numbering *n, const struct trace_app *trace,
                        struct numbered *kernels, struct setup_plan *plan) {
    for (uint32_t i = 0; i < plan->count; i++) {
        struct setup_step *step = &plan->steps[i];
        struct numbered *latest =
            step->kernel ? &kernels[step->kernel - trace->kernels.items] : NULL;
        bool again = latest && latest->step && latest->input_bytes == plan->input_bytes;
        step->question = again
                             ? latest->step->question
                             : number_of(n, setup_step_key(step), setup_step_features(plan, step));
        if (latest)
            *latest = (struct numbered){step, plan->input_bytes};
    }
    for (uint32_t i = 0; i < plan->call_count; i++)
        plan->calls[i].question = number_of(n, setup_call_key(&plan->calls[i]),
                                            setup_call_features(plan, &plan->calls[i]));
}

static void number_app(struct numbering *n, const struct setup_app *app) {
    struct numbered *kernels = calloc(app->trace->kernels.count + 1, sizeof *kernels);
    n->lost |= !kernels;
    for (uint32_t p = 0; kernels && p < app->plan_count; p++) {
        number_plan(n, app->trace, kernels, &app->plans[p]);
        if (app->first_plans != app->plans)
            number_plan(n, app->trace, kernels, &app->first_plans[p]);
    }
    free(kernels);
}

bool setup_number_questions(struct setup *setup) {
    struct numbering n = {.lost = false};
    for (uint32_t a = 0; a < setup->app_count; a++)
        number_app(&n, &setup->apps[a]);
    setup->question_count = (uint32_t)n.questions.items.count;
    ct_intern_free(&n.questions);
    return !n.lost;
}
