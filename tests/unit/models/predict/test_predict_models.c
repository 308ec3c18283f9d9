/* Models of task durations against closed forms and a brute-force search. */
#include "cmocka_complete.h"
#include "models/predict/predict.h"
#include "models/predict/predict_choose.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MOST = 600 };

static struct predict_sample samples[SAMPLES_MOST];
static const struct predict_sample *list[SAMPLES_MOST];

static struct predict_sample sample_of(uint32_t count, const double *x, double duration) {
    struct predict_sample sample = {{count, {0}}, {duration, NAN, NAN}};
    memcpy(sample.features.x, x, count * sizeof *x);
    return sample;
}

static void use_samples(size_t count) {
    for (size_t i = 0; i < count; i++)
        list[i] = &samples[i];
}

/* The duration that a fresh model of these samples predicts. */
static double predict_once(const struct predict_model_type *type, size_t count, uint32_t features,
                           const double *x) {
    struct predict_sample question = sample_of(features, x, 0);
    double y[PREDICT_TARGETS];
    use_samples(count);
    void *model = predict_model_new(type, list, count);
    assert_non_null(model);
    type->predict(model, &question.features, y);
    predict_model_free(type, model);
    return y[PREDICT_DURATION];
}

static void near(double value, double expected) {
    assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
}

/* Three points of one feature: slope cov / var = 7 / 2 and intercept 7 - 2 * 3.5, by hand. */
TEST(line_through_three_points) {
    samples[0] = sample_of(1, (double[]){1}, 4);
    samples[1] = sample_of(1, (double[]){2}, 6);
    samples[2] = sample_of(1, (double[]){3}, 11);
    near(predict_once(&predict_linear, 3, 1, (double[]){5}), 17.5);
    near(predict_once(&predict_linear, 3, 1, (double[]){2}), 7);
}

/* A plane of picoseconds is met exactly, also between the samples and beyond them. */
TEST(plane_is_met_exactly) {
    for (int i = 0; i < 12; i++) {
        double x[3] = {i % 4, 1e6 * floor(i / 4.0), i % 3 * 32};
        samples[i] = sample_of(3, x, 5e9 + 2e8 * x[0] + 3e3 * x[1] + 1e7 * x[2]);
    }
    near(predict_once(&predict_linear, 12, 3, (double[]){10, 7e6, 256}),
         5e9 + 2e9 + 2.1e10 + 2.56e9);
}

/* Grid and bytes that rise together, and more features than samples: the minimum-norm line still
 * meets the samples. */
TEST(dependent_features_do_no_harm) {
    for (int i = 0; i < 4; i++) {
        double x[8] = {1024.0 * (i + 1), i + 1, 1, 1, 256, 1, 1, 48.0 * (i + 1)};
        samples[i] = sample_of(8, x, 100.0 * (i + 1));
    }
    near(predict_once(&predict_linear, 4, 8, (double[]){6 * 1024, 6, 1, 1, 256, 1, 1, 6 * 48}),
         600);
    near(predict_once(&predict_linear, 2, 8, (double[]){2048, 2, 1, 1, 256, 1, 1, 96}), 200);
    near(predict_once(&predict_linear, 1, 8, (double[]){4096, 4, 1, 1, 256, 1, 1, 99}), 100);
}

TEST(line_is_never_negative) {
    samples[0] = sample_of(1, (double[]){10}, 10);
    samples[1] = sample_of(1, (double[]){20}, 30);
    assert_true(predict_once(&predict_linear, 2, 1, (double[]){1}) == 0);
}

/* Features without variation leave the mean: nothing divides by zero. */
TEST(one_vector_gives_the_mean) {
    static const struct predict_model_type *const types[] = {&predict_linear, &predict_knn,
                                                             &predict_mean};
    for (int i = 0; i < 4; i++)
        samples[i] = sample_of(2, (double[]){7, 7}, 10 * (i + 1));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        near(predict_once(types[i], 4, 2, (double[]){7, 7}), 25);
}

/* Targets that a sample lacks are left out of theirs only; a target that none has is NAN. */
TEST(missing_targets) {
    static const struct predict_model_type *const types[] = {&predict_linear, &predict_knn,
                                                             &predict_mean};
    for (int i = 0; i < 4; i++) {
        samples[i] = sample_of(1, (double[]){i}, 8);
        samples[i].y[PREDICT_IPC] = i < 2 ? 1.5 : NAN;
    }
    use_samples(4);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        double y[PREDICT_TARGETS];
        void *model = predict_model_new(types[i], list, 4);
        types[i]->predict(model, &(struct predict_features){1, {1.4}}, y);
        near(y[PREDICT_DURATION], 8);
        near(y[PREDICT_IPC], 1.5);
        assert_true(isnan(y[PREDICT_BANDWIDTH]));
        predict_model_free(types[i], model);
    }
}

/* Five of six on a line, found by hand: 0 1 2 3 4 are nearest to 1.9, 100 is not. Exact features
 * stand alone. */
TEST(five_nearest_by_hand) {
    static const double places[6] = {0, 1, 2, 3, 4, 100}, durations[6] = {5, 10, 15, 30, 40, 1000};
    for (int i = 0; i < 6; i++)
        samples[i] = sample_of(1, &places[i], durations[i]);
    near(predict_once(&predict_knn, 6, 1, (double[]){1.9}), 20);
    near(predict_once(&predict_knn, 6, 1, (double[]){90}), 219); /* 100 4 3 2 1 */
    near(predict_once(&predict_knn, 6, 1, (double[]){3}), 30);
}

/* Three places with six samples each, told one after the other: 3 is asked for in between, and the
 * five newest of the nearest place count; at a place itself all six do. */
TEST(newest_of_equally_near_samples) {
    for (int i = 0; i < 18; i++)
        samples[i] = sample_of(1, (double[]){i % 3 * 10}, i);
    near(predict_once(&predict_knn, 18, 1, (double[]){3}), 9);    /* 3 6 9 12 15 */
    near(predict_once(&predict_knn, 18, 1, (double[]){20}), 9.5); /* 2 5 8 11 14 17 */
}

/* Features count alike whatever their unit: bytes of 10^6 do not outweigh a grid of tens. */
TEST(features_are_standardised) {
    for (int i = 0; i < 20; i++)
        samples[i] = sample_of(2, (double[]){i % 2, 1e6 + 1e3 * floor(i / 2.0)}, i % 2 ? 200 : 100);
    near(predict_once(&predict_knn, 20, 2, (double[]){1, 1e6 + 4.4e3}), 200);
}

/* ---- brute force ---- */

struct found {
    double distance;
    size_t order;
};

static int found_compare(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->order > y->order ? -1 : x->order < y->order; /* the newest first */
}

/* Standardises by the two-pass formulas, sorts all samples by distance and averages the first five.
 */
static double brute_force(size_t count, uint32_t features, const double *x) {
    static struct found found[SAMPLES_MOST];
    for (size_t i = 0; i < count; i++)
        found[i] = (struct found){0, i};
    for (uint32_t k = 0; k < features; k++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < count; i++)
            mean += samples[i].features.x[k];
        mean /= (double)count;
        for (size_t i = 0; i < count; i++)
            variance += (samples[i].features.x[k] - mean) * (samples[i].features.x[k] - mean);
        double inverse = 1 / sqrt(variance / (double)count);
        if (variance == 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            double a = (x[k] - mean) * inverse, b = (samples[i].features.x[k] - mean) * inverse;
            found[i].distance += (a - b) * (a - b);
        }
    }
    qsort(found, count, sizeof *found, found_compare);
    size_t used = found[0].distance == 0 ? 0 : 5;
    while (used < count && found[used].distance == 0)
        used++;
    double sum = 0;
    for (size_t i = 0; i < used; i++)
        sum += samples[found[i].order].y[PREDICT_DURATION];
    return sum / (double)used;
}

/* Coarse grids make many equal distances, fine ones none; the tree finds what brute force finds, to
 * the last bit. */
TEST(tree_equals_brute_force) {
    static const uint32_t grains[] = {2, 5, 1000000};
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "k-d tree");
    for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++)
        for (int round = 0; round < 60; round++) {
            size_t count = 6 + des_stream_below(&stream, SAMPLES_MOST - 6);
            uint32_t features = 1 + (uint32_t)des_stream_below(&stream, 4);
            for (size_t i = 0; i < count; i++) {
                double x[4];
                for (int k = 0; k < 4; k++)
                    x[k] = (double)des_stream_below(&stream, grains[g]);
                samples[i] = sample_of(features, x, (double)des_stream_below(&stream, 1000));
            }
            double x[4];
            for (int k = 0; k < 4; k++)
                x[k] = (double)des_stream_below(&stream, grains[g]);
            double expected = brute_force(count, features, x);
            assert_true(predict_once(&predict_knn, count, features, x) == expected);
        }
}

/* ---- choosing ---- */

static struct predict_choice choose(size_t count, uint64_t seed) {
    struct predict_choice choice;
    struct des_stream stream;
    use_samples(count);
    des_stream_init(&stream, seed, 0, "test", "choice");
    assert_true(predict_choose(NULL, list, count, &stream, &choice));
    des_stream_init(&stream, seed, 0, "test", "choice");
    assert_true(predict_choose_judge(list, count, &stream, &choice));
    return choice;
}

TEST(linear_wins_on_a_line) {
    for (int i = 0; i < 100; i++)
        samples[i] = sample_of(1, (double[]){i * i}, 50 + 3.0 * i * i);
    struct predict_choice choice = choose(100, 1);
    assert_ptr_equal(choice.type, &predict_linear);
    assert_int_equal(choice.held_out, 10);
    assert_true(choice.error < 1e-9 && choice.error_knn > 1e-3);
}

TEST(neighbours_win_on_a_step) {
    for (int i = 0; i < 100; i++)
        samples[i] = sample_of(1, (double[]){i}, i < 50 ? 10 : 1000);
    struct predict_choice choice = choose(100, 1);
    assert_ptr_equal(choice.type, &predict_knn);
    assert_true(choice.error == choice.error_knn && choice.error_knn < choice.error_linear);
}

/* The mean of four by leave-one-out: 10, 10, 10 and 20 err by 1/3, 1/3, 1/3 and 1/2, in the mean
 * 3/8 (Eq. 6). */
TEST(mean_of_one_vector_has_an_error) {
    for (int i = 0; i < 4; i++)
        samples[i] = sample_of(1, (double[]){1}, i < 3 ? 10 : 20);
    struct predict_choice choice = choose(4, 1);
    assert_ptr_equal(choice.type, &predict_mean);
    near(choice.error, 0.375);
    assert_true(isnan(choice.error_linear) && isnan(choice.error_knn));
}

TEST(one_sample_has_no_error) {
    samples[0] = sample_of(1, (double[]){1}, 10);
    struct predict_choice choice = choose(1, 1);
    assert_ptr_equal(choice.type, &predict_mean);
    assert_true(isnan(choice.error));
    assert_int_equal(choice.held_out, 0);
}

/* The draw of held-out samples is the seed's: the same again, and another with another seed. */
TEST(split_follows_the_seed) {
    for (int i = 0; i < 200; i++)
        samples[i] = sample_of(1, (double[]){i}, 100 + (i * 37) % 101);
    assert_true(choose(200, 1).error == choose(200, 1).error);
    assert_true(choose(200, 1).error != choose(200, 2).error);
}

TEST(error_is_relative_to_the_measurement) {
    near(predict_error(110, 100), 0.1);
    near(predict_error(50, 100), 0.5);
    assert_true(isnan(predict_error(1, 0)) && isnan(predict_error(1, NAN)));
}

TEST(features_follow_table_1) {
    struct predict_features kernel =
        predict_features_kernel(4096, (uint32_t[]){2, 3, 4}, (uint32_t[]){32, 8, 1}, 1024);
    static const double expected[8] = {4096, 2, 3, 4, 32, 8, 1, 1024};
    assert_int_equal(kernel.count, 8);
    assert_memory_equal(kernel.x, expected, sizeof expected);
    struct predict_features call = {0};
    predict_features_add(&call, &kernel);
    predict_features_add(&call, &kernel);
    for (int i = 0; i < 8; i++)
        assert_true(call.x[i] == 2 * expected[i]);
    assert_false(predict_features_equal(&call, &kernel));
}
