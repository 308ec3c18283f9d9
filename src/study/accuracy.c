#include "study/accuracy.h"

#include "base/ct_sort.h"
#include "models/predict/predict_choose.h"

#include <stdlib.h>
#include <string.h>

/* A function with its samples. */
struct group {
    int32_t kind;
    const char *name, *gpu;
    CT_VEC(struct predict_sample) samples;
};

/* Errors of one model over held-out samples. */
struct errors {
    double sum, long_sum;
    size_t count, long_count;
};

struct judge {
    CT_VEC(struct group) groups;
    struct errors pooled[PREDICT_QUERY + 1][ACCURACY_MODELS];
    uint32_t splits;
    uint64_t seed;
};

/* ---- samples ---- */

/* The place of a function; SIZE_MAX: memory ran out. */
static size_t group_of(struct judge *judge, int32_t kind, const char *name, const char *gpu) {
    for (size_t i = 0; i < judge->groups.count; i++) {
        const struct group *group = &judge->groups.items[i];
        if (group->kind == kind && (group->name == name || strcmp(group->name, name) == 0) &&
            strcmp(group->gpu, gpu) == 0)
            return i;
    }
    struct group group = {.kind = kind, .name = name, .gpu = gpu};
    return ct_vec_push(&judge->groups, group) ? judge->groups.count - 1 : SIZE_MAX;
}

static bool add_sample(struct judge *judge, int32_t kind, const char *name,
                       const struct trace_app *app, struct predict_features features,
                       double duration_ps) {
    struct predict_sample sample = {features, {duration_ps, NAN, NAN}};
    size_t place = group_of(judge, kind, name, app->gpu);
    return place != SIZE_MAX && ct_vec_push(&judge->groups.items[place].samples, sample);
}

static const char *copy_name(const struct trace_task *task) {
    static const char *const names[2][3] = {{"copy in, pageable", "copy in, pinned", "copy in"},
                                            {"copy out, pageable", "copy out, pinned", "copy out"}};
    return task->direction == TRACE_DEVICE_TO_DEVICE ? "copy on the device"
                                                     : names[task->direction][task->memory];
}

/* A library call on the way to its sample. */
struct call {
    struct predict_features features;
    double duration_ps;
    bool unmeasured; /* of one of its kernels */
};

static bool add_task(struct judge *judge, const struct trace_app *app, const struct trace_job *job,
                     const struct trace_task *task, struct call *calls) {
    double duration_ps = (double)task->duration_ps;
    bool unmeasured = task->flags & TRACE_DURATION_ASSUMED;
    if (task->kind == TRACE_MEMSET || (unmeasured && task->kind == TRACE_COPY))
        return true;
    if (task->kind == TRACE_COPY)
        return add_sample(judge, PREDICT_COPY, copy_name(task), app,
                          predict_features_bytes(task->bytes), duration_ps);
    const struct trace_kernel *kernel = &app->kernels.items[task->kernel];
    struct predict_features features =
        predict_features_kernel(job->input_bytes, kernel->grid, kernel->block,
                                kernel->static_smem_bytes + kernel->dynamic_smem_bytes);
    unmeasured |= kernel->communication;
    if (task->library_call > 0) {
        struct call *call = &calls[task->library_call - 1];
        predict_features_add(&call->features, &features);
        call->duration_ps += duration_ps;
        call->unmeasured |= unmeasured;
        return true;
    }
    return unmeasured ||
           add_sample(judge, PREDICT_KERNEL, kernel->name, app, features, duration_ps);
}

static bool add_calls(struct judge *judge, const struct trace_app *app, const struct call *calls) {
    for (size_t i = 0; i < app->library_calls.count; i++)
        if (calls[i].duration_ps > 0 && !calls[i].unmeasured &&
            !add_sample(judge, PREDICT_CALL, app->library_calls.items[i], app, calls[i].features,
                        calls[i].duration_ps))
            return false;
    return true;
}

static bool add_app(struct judge *judge, const struct trace_app *app) {
    struct call *calls = calloc(app->library_calls.count + 1, sizeof *calls);
    bool ok = calls;
    for (size_t j = 0; j < app->jobs.count && ok; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        for (uint32_t i = 0; i < job->task_count && ok; i++)
            ok = add_task(judge, app, job, &app->tasks.items[job->first_task + i], calls);
        ok = ok && add_sample(judge, PREDICT_QUERY, app->name, app,
                              predict_features_bytes(job->input_bytes), (double)job->recorded_ps);
    }
    ok = ok && add_calls(judge, app, calls);
    free(calls);
    return ok;
}

static int compare_features(const void *a, const void *b) {
    const struct predict_features *left = &(*(const struct predict_sample *const *)a)->features;
    const struct predict_features *right = &(*(const struct predict_sample *const *)b)->features;
    for (uint32_t i = 0; i < left->count; i++)
        if (left->x[i] != right->x[i])
            return left->x[i] < right->x[i] ? -1 : 1;
    return 0;
}

static size_t count_vectors(const struct predict_sample **order, size_t count) {
    size_t vectors = 1;
    qsort(order, count, sizeof *order, compare_features);
    for (size_t i = 1; i < count; i++)
        vectors += compare_features(&order[i - 1], &order[i]) != 0;
    return vectors;
}

/* ---- splits ---- */

/* Mean error on the first `held` samples of a model of the others; NAN: memory ran out. */
static double judge_one(const struct predict_model_type *type, const struct predict_sample **order,
                        size_t count, size_t held, struct errors *pooled) {
    void *model = predict_model_new(type, order + held, count - held);
    double sum = 0;
    if (!model)
        return NAN;
    for (size_t i = 0; i < held; i++) {
        double y[PREDICT_TARGETS], measured = order[i]->y[PREDICT_DURATION];
        type->predict(model, &order[i]->features, y);
        double error = predict_error(y[PREDICT_DURATION], measured);
        sum += error;
        pooled->sum += error;
        pooled->count++;
        if (measured > ACCURACY_LONG_PS) {
            pooled->long_sum += error;
            pooled->long_count++;
        }
    }
    predict_model_free(type, model);
    return sum / (double)held;
}

/* All models on one split. False: memory ran out. */
static bool judge_split(struct judge *judge, const struct group *group,
                        const struct predict_sample **order, uint32_t split,
                        struct accuracy_function *function, double error[ACCURACY_MODELS]) {
    size_t count = group->samples.count, tenth = count / 10, fifth = count / 5;
    struct errors *pooled = judge->pooled[group->kind];
    struct predict_choice choice;
    struct des_stream stream;
    for (size_t i = 0; i < count; i++)
        order[i] = &group->samples.items[i];
    des_stream_init(&stream, judge->seed, split, "split of samples", group->name);
    des_stream_shuffle(&stream, order, count, sizeof *order);
    if (!predict_choose(NULL, order + tenth, count - tenth, &stream, &choice))
        return false;
    function->knn_chosen += choice.type == &predict_knn;
    error[ACCURACY_LINEAR] =
        judge_one(&predict_linear, order, count, tenth, &pooled[ACCURACY_LINEAR]);
    error[ACCURACY_KNN] = judge_one(&predict_knn, order, count, tenth, &pooled[ACCURACY_KNN]);
    error[ACCURACY_BETTER] = judge_one(choice.type, order, count, tenth, &pooled[ACCURACY_BETTER]);
    error[ACCURACY_TREE] = judge_one(&predict_tree, order, count, fifth, &pooled[ACCURACY_TREE]);
    for (int m = 0; m < ACCURACY_MODELS; m++)
        if (isnan(error[m]))
            return false;
    return true;
}

static bool judge_splits(struct judge *judge, const struct group *group,
                         const struct predict_sample **order, double *errors,
                         struct accuracy_function *function) {
    for (uint32_t split = 0; split < judge->splits; split++) {
        double error[ACCURACY_MODELS];
        if (!judge_split(judge, group, order, split, function, error))
            return false;
        for (size_t m = 0; m < ACCURACY_MODELS; m++)
            errors[m * judge->splits + split] = error[m];
    }
    for (size_t m = 0; m < ACCURACY_MODELS; m++)
        function->error[m] = ct_sort_median(errors + m * judge->splits, judge->splits);
    return true;
}

static bool judge_group(struct judge *judge, const struct group *group,
                        struct accuracy_function *function) {
    size_t count = group->samples.count;
    *function =
        (struct accuracy_function){.kind = group->kind, .name = group->name, .samples = count};
    const struct predict_sample **order = malloc(count * sizeof *order);
    double *errors = malloc((size_t)judge->splits * ACCURACY_MODELS * sizeof *errors);
    bool ok = order && errors;
    for (size_t i = 0; ok && i < count; i++)
        order[i] = &group->samples.items[i];
    if (ok)
        function->vectors = count_vectors(order, count);
    function->judged = count >= ACCURACY_SAMPLES_LEAST;
    if (ok && function->judged)
        ok = judge_splits(judge, group, order, errors, function);
    free(order);
    free(errors);
    return ok;
}

/* ---- sums ---- */

static void add_to(struct accuracy_sum *sum, const struct accuracy_function *function) {
    sum->functions++;
    sum->samples += function->samples;
    for (int m = 0; m < ACCURACY_MODELS; m++)
        sum->error[m] += function->error[m];
}

static void sum_kind(const struct judge *judge, int kind, struct accuracy *accuracy) {
    struct accuracy_sum *sums = accuracy->sums[kind];
    for (size_t i = 0; i < accuracy->count; i++) {
        const struct accuracy_function *function = &accuracy->functions[i];
        if (function->kind != kind || !function->judged)
            continue;
        add_to(&sums[ACCURACY_ALL], function);
        if (function->vectors > 1)
            add_to(&sums[ACCURACY_VARYING], function);
    }
    for (int m = 0; m < ACCURACY_MODELS; m++) {
        const struct errors *pooled = &judge->pooled[kind][m];
        for (int part = ACCURACY_ALL; part <= ACCURACY_VARYING; part++)
            sums[part].error[m] /= (double)sums[part].functions; /* none: 0 / 0 is NAN */
        sums[ACCURACY_LONG].error[m] = pooled->long_sum / (double)pooled->long_count;
    }
    for (size_t i = 0; i < judge->groups.count; i++) {
        const struct group *group = &judge->groups.items[i];
        size_t before = sums[ACCURACY_LONG].samples;
        if (group->kind != kind || group->samples.count < ACCURACY_SAMPLES_LEAST)
            continue;
        for (size_t s = 0; s < group->samples.count; s++)
            sums[ACCURACY_LONG].samples +=
                group->samples.items[s].y[PREDICT_DURATION] > ACCURACY_LONG_PS;
        sums[ACCURACY_LONG].functions += sums[ACCURACY_LONG].samples > before;
    }
}

static bool judge_all(struct judge *judge, struct accuracy *accuracy) {
    accuracy->functions =
        ct_arena_array(&accuracy->arena, judge->groups.count, sizeof *accuracy->functions);
    if (!accuracy->functions)
        return false;
    for (int kind = 0; kind <= PREDICT_QUERY; kind++) {
        for (size_t i = 0; i < judge->groups.count; i++) {
            const struct group *group = &judge->groups.items[i];
            if (group->kind != kind)
                continue;
            struct accuracy_function *function = &accuracy->functions[accuracy->count++];
            if (!judge_group(judge, group, function))
                return false;
            accuracy->left_out += !function->judged;
        }
        sum_kind(judge, kind, accuracy);
    }
    return true;
}

int accuracy_measure(const struct trace_set *set, const char *prefix, uint64_t seed,
                     uint32_t splits, const char *where, struct accuracy *accuracy,
                     struct ct_diags *diags) {
    struct judge judge = {.splits = splits, .seed = seed};
    bool ok = true;
    size_t apps = 0;
    *accuracy = (struct accuracy){0};
    predict_survive_gsl();
    for (size_t i = 0; i < set->apps.count && ok; i++) {
        if (strncmp(set->apps.items[i]->name, prefix, strlen(prefix)) != 0)
            continue;
        apps++;
        ok = add_app(&judge, set->apps.items[i]);
    }
    ok = ok && judge_all(&judge, accuracy);
    for (size_t i = 0; i < judge.groups.count; i++)
        ct_vec_free(&judge.groups.items[i].samples);
    ct_vec_free(&judge.groups);
    if (!ok)
        return ct_out_of_memory(diags);
    if (apps == 0)
        ct_error(diags, where, "no application's name begins with '%s'", prefix);
    else if (accuracy->left_out == accuracy->count)
        ct_error(diags, where,
                 "nothing to judge a model by: none of %zu functions, copies, calls and "
                 "applications has %d samples with a measured duration",
                 accuracy->count, ACCURACY_SAMPLES_LEAST);
    return diags->errors ? CT_DATA : CT_OK;
}

void accuracy_free(struct accuracy *accuracy) {
    ct_arena_free(&accuracy->arena);
    *accuracy = (struct accuracy){0};
}
