/* Regression trees: splits worked out by hand, means by a brute-force search, and the bank that
 * uses them only. */
#include "models/predict/predict.h"

#include "cmocka_complete.h"
#include "models/predict/predict_bank.h"
#include "models/predict/predict_choose.h"

#include <stdlib.h>

FREER(predict_bank_free, struct predict_bank)

enum { SAMPLES_MOST = 400 };

static struct predict_sample samples[SAMPLES_MOST];
static const struct predict_sample *list[SAMPLES_MOST];

static void set(size_t i, double a, double b, double duration) {
    samples[i] = (struct predict_sample){{2, {a, b}}, {duration, NAN, NAN}};
    list[i] = &samples[i];
}

static void *fitted(size_t count) {
    void *model = predict_model_new(&predict_tree, list, count);
    assert_non_null(model);
    return model;
}

static double ask(const void *model, double a, double b, int target) {
    double y[PREDICT_TARGETS];
    predict_tree.predict(model, &(struct predict_features){2, {a, b}}, y);
    return y[target];
}

#define expect(model, a, b, value)                                                                 \
    assert_true(fabs(ask(model, a, b, PREDICT_DURATION) - (value)) < 1e-9)

/*
 * x = 1 2 3 4 with durations 1 1 9 10. Squares left by splitting at 1.5: 48.67, at 2.5: 0.5,
 * at 3.5: 42.67. So the root is 2.5, the left half is pure, and the right one splits at 3.5.
 */
TEST(first_split_by_hand) {
    static const double durations[4] = {1, 1, 9, 10};
    for (size_t i = 0; i < 4; i++)
        set(i, (double)i + 1, 7, durations[i]);
    void *model = fitted(4);
    expect(model, 2.49, 7, 1);
    expect(model, 2.51, 7, 9);
    expect(model, 3.49, 0, 9);
    expect(model, 3.51, 0, 10);
    expect(model, -1e9, 0, 1);
    expect(model, 1e9, 0, 10);
    predict_model_free(&predict_tree, model);
}

/* Equal features cannot be told apart: their mean. At equally good splits the first feature counts.
 */
TEST(ties_by_hand) {
    set(0, 1, 1, 10);
    set(1, 1, 1, 20);
    set(2, 2, 2, 40);
    void *model = fitted(3);
    expect(model, 1, 1, 15);
    expect(model, 1, 2, 15);
    expect(model, 2, 1, 40);
    predict_model_free(&predict_tree, model);
    model = fitted(1);
    expect(model, 5, 5, 10);
    predict_model_free(&predict_tree, model);
}

/* What no line can follow: 1 where exactly one of two features is large. No first split helps alone
 * in the mean, but unequal counts break the tie, and all samples are met. */
TEST(steps_are_met_exactly) {
    size_t count = 0;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 7; b++)
            set(count++, a, b, (a > 3) != (b > 4) ? 100 + a : 5);
    void *model = fitted(count);
    for (size_t i = 0; i < count; i++)
        expect(model, samples[i].features.x[0], samples[i].features.x[1],
               samples[i].y[PREDICT_DURATION]);
    predict_model_free(&predict_tree, model);
}

/* Each target has a tree of its own over the samples that have it. */
TEST(missing_targets) {
    for (size_t i = 0; i < 6; i++) {
        set(i, (double)i, 0, 8);
        samples[i].y[PREDICT_IPC] = i < 3 ? 1.5 + (double)i : NAN;
    }
    void *model = fitted(6);
    assert_true(ask(model, 5, 0, PREDICT_DURATION) == 8);
    assert_true(ask(model, 1, 0, PREDICT_IPC) == 2.5);
    assert_true(ask(model, 5, 0, PREDICT_IPC) == 3.5);
    assert_true(isnan(ask(model, 5, 0, PREDICT_BANDWIDTH)));
    predict_model_free(&predict_tree, model);
}

/* ---- brute force: the first split of random samples, by trying every subset that a threshold
 * makes ---- */

static double squares(size_t count, uint32_t feature, double threshold, bool below) {
    double sum = 0, square = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        if ((samples[i].features.x[feature] <= threshold) != below)
            continue;
        double y = samples[i].y[PREDICT_DURATION];
        sum += y;
        square += y * y;
        n++;
    }
    return n > 0 ? square - sum * sum / n : 0;
}

/* A tree of depth one predicts the two means; a deeper one still agrees with them on average. */
TEST(first_split_by_brute_force) {
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        enum { COUNT = 24 };
        for (size_t i = 0; i < COUNT; i++) {
            double draw[3];
            for (int k = 0; k < 3; k++) {
                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                draw[k] = (double)(random >> 40);
            }
            set(i, fmod(draw[0], 9), fmod(draw[1], 9), fmod(draw[2], 2));
        }
        double least = INFINITY, place = 0;
        uint32_t feature = 0;
        for (uint32_t f = 0; f < 2; f++)
            for (int cut = 0; cut < 8; cut++) {
                double t = cut + 0.5;
                double left = squares(COUNT, f, t, true) + squares(COUNT, f, t, false);
                if (left < least - 1e-9) {
                    least = left;
                    place = t;
                    feature = f;
                }
            }
        /* Samples on one side only: the tree of all must be the tree of that side there. */
        void *whole = fitted(COUNT);
        size_t kept = 0;
        for (size_t i = 0; i < COUNT; i++)
            if (samples[i].features.x[feature] <= place)
                list[kept++] = &samples[i];
        void *part = fitted(kept);
        for (size_t i = 0; i < kept; i++)
            expect(whole, list[i]->features.x[0], list[i]->features.x[1],
                   ask(part, list[i]->features.x[0], list[i]->features.x[1], PREDICT_DURATION));
        predict_model_free(&predict_tree, whole);
        predict_model_free(&predict_tree, part);
    }
}

/* A bank that is told to use trees fits nothing else, also where a line would win, and so do its
 * copies. */
TEST(bank_uses_trees_only) {
    struct predict_key key = {PREDICT_KERNEL, 1};
    struct predict_value value;
    FREED_BY(predict_bank_free) struct predict_bank *bank = predict_bank_new(1, &predict_tree);
    for (int x = 0; x < 40; x++) {
        struct predict_features features = {1, {x}};
        value = (struct predict_value){100 + 10 * x, 5e9, 2};
        assert_true(predict_bank_add(bank, key, "function", 1000, &features, value));
        value.duration_ps *= 3;
        assert_true(predict_bank_add(bank, key, "function", 200, &features, value));
    }
    assert_true(predict_bank_fit(bank));
    assert_true(isnan(predict_bank_info(bank, 0).error)); /* nobody has asked */
    assert_true(predict_bank_judge(bank));
    FREED_BY(predict_bank_free) struct predict_bank *copy = predict_bank_copy(bank);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(predict_bank_info(copy, i).model, "tree");
    assert_true(predict_bank_info(copy, 0).error > 0); /* a step is no line */
    struct predict_features features = {1, {12.4}};
    assert_true(predict_bank_task(copy, key, &features, 1000, &value));
    assert_true(value.duration_ps == 220 && value.bandwidth_bytes_per_s == 5e9 && value.ipc == 2);
    assert_true(predict_bank_task(copy, key, &features, 600, &value));
    assert_true(value.duration_ps == 440); /* midway between 660 and 220 */
}
