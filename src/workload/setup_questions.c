#include "workload/setup_questions.h"

#include "base/ct_hash.h"

#include <stdlib.h>

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
        return predict_features_copy(step->bytes);
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

/* ---- numbers: a table with open addressing ---- */

struct question {
    struct predict_key key;
    struct predict_features features;
};

struct numbering {
    struct question *questions; /* by number */
    uint32_t *slots;            /* number + 1; 0: empty */
    uint32_t count;
    size_t slot_count; /* a power of two, at least twice the questions */
};

static size_t first_slot(const struct numbering *n, const struct question *question) {
    struct ct_hash hash = ct_hash_start();
    ct_hash_u64(&hash, (uint64_t)question->key.kind << 32 | question->key.id);
    for (uint32_t i = 0; i < question->features.count; i++)
        ct_hash_double(&hash, question->features.x[i]);
    return (size_t)hash.low & (n->slot_count - 1);
}

static uint32_t number_of(struct numbering *n, struct predict_key key,
                          struct predict_features features) {
    struct question question = {key, features};
    size_t slot = first_slot(n, &question);
    for (; n->slots[slot]; slot = (slot + 1) & (n->slot_count - 1)) {
        const struct question *known = &n->questions[n->slots[slot] - 1];
        if (known->key.kind == key.kind && known->key.id == key.id &&
            predict_features_equal(&known->features, &features))
            return n->slots[slot] - 1;
    }
    n->questions[n->count] = question;
    n->slots[slot] = n->count + 1;
    return n->count++;
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

/* False: memory ran out. */
static bool number_app(struct numbering *n, const struct setup_app *app) {
    struct numbered *kernels = calloc(app->trace->kernels.count + 1, sizeof *kernels);
    for (uint32_t p = 0; kernels && p < app->plan_count; p++) {
        number_plan(n, app->trace, kernels, &app->plans[p]);
        if (app->first_plans != app->plans)
            number_plan(n, app->trace, kernels, &app->first_plans[p]);
    }
    bool ok = kernels != NULL;
    free(kernels);
    return ok;
}

/* The most questions that there can be: one for each step and call of each plan. */
static size_t most_questions(const struct setup *setup) {
    size_t count = 0;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (uint32_t p = 0; p < setup->apps[a].plan_count; p++) {
            const struct setup_plan *plan = &setup->apps[a].plans[p];
            const struct setup_plan *first = &setup->apps[a].first_plans[p];
            count += (size_t)plan->count + plan->call_count + first->count + first->call_count;
        }
    return count;
}

bool setup_number_questions(struct setup *setup) {
    size_t most = most_questions(setup);
    struct numbering n = {.slot_count = 1};
    while (n.slot_count < 2 * most)
        n.slot_count *= 2;
    n.questions = malloc((most + 1) * sizeof *n.questions);
    n.slots = calloc(n.slot_count, sizeof *n.slots);
    bool ok = n.questions && n.slots;
    for (uint32_t a = 0; ok && a < setup->app_count; a++)
        ok = number_app(&n, &setup->apps[a]);
    setup->question_count = n.count;
    free(n.questions);
    free(n.slots);
    return ok;
}
