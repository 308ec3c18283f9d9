/* The bank of models: keys, shares, answers kept, learning from completions, copies. */
#include "cmocka_complete.h"
#include "models/predict/predict_bank.h"

#include <stdlib.h>

FREER(predict_bank_free, struct predict_bank)

static const struct predict_key kernel_key = {PREDICT_KERNEL, 3};

static struct predict_features one(double x) {
    return (struct predict_features){1, {x}};
}

static void add(struct predict_bank *bank, struct predict_key key, ct_share share, double x,
                double duration) {
    struct predict_features features = one(x);
    struct predict_value value = {duration, NAN, NAN};
    assert_true(predict_bank_add(bank, key, "function", share, &features, value));
}

static double ask(struct predict_bank *bank, struct predict_key key, ct_share share, double x) {
    struct predict_features features = one(x);
    struct predict_value value;
    bool known = predict_bank_task(bank, key, &features, share, &value);
    assert_int_equal(known, !isnan(value.duration_ps));
    return value.duration_ps;
}

static bool tell(struct predict_bank *bank, ct_share share, double x, double duration) {
    struct predict_features features = one(x);
    struct predict_value value = {duration, NAN, NAN};
    return predict_bank_update(bank, kernel_key, &features, share, value);
}

/* duration = 100 + 10 x at the whole GPU, twice that at half of it. */
static struct predict_bank *trained(void) {
    struct predict_bank *bank = predict_bank_new(7, NULL);
    assert_non_null(bank);
    for (int x = 0; x < 50; x++) {
        add(bank, kernel_key, 1000, x, 100 + 10 * x);
        add(bank, kernel_key, 500, x, 200 + 20 * x);
    }
    assert_true(predict_bank_fit(bank));
    return bank;
}

static void near(double value, double expected) {
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

TEST(unknown_keys_have_no_prediction) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    assert_true(isnan(ask(bank, (struct predict_key){PREDICT_KERNEL, 4}, 1000, 1)));
    assert_true(isnan(ask(bank, (struct predict_key){PREDICT_CALL, 3}, 1000, 1)));
    assert_true(
        isnan(ask(bank, (struct predict_key){PREDICT_KERNEL, 4}, 1000, 1))); /* kept answers too */
}

TEST(shares_between_profiles_lie_on_the_line) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    near(ask(bank, kernel_key, 1000, 60), 700);
    near(ask(bank, kernel_key, 500, 60), 1400);
    near(ask(bank, kernel_key, 600, 60), 1260); /* 1400 - 700 / 5 */
    near(ask(bank, kernel_key, 100, 60), 1400);
    assert_int_equal(predict_bank_count(bank), 2);
    assert_int_equal(predict_bank_info(bank, 0).share, 500);
    assert_string_equal(predict_bank_info(bank, 1).model, "linear");
}

/* Copies out are twice as slow as copies in, pinned ones four times as fast as pageable ones. */
TEST(copies_have_a_model_per_direction_and_storage) {
    static const double rate[4] = {1, 4, 0.5, 2};
    FREED_BY(predict_bank_free) struct predict_bank *bank = predict_bank_new(1, NULL);
    for (int kind = 0; kind < 4; kind++)
        for (int i = 1; i <= 20; i++)
            add(bank, predict_key_copy(kind / 2, kind % 2), 1000, 1000 * i,
                5 + 1000 * i / rate[kind]);
    assert_true(predict_bank_fit(bank));
    for (int kind = 0; kind < 4; kind++)
        near(ask(bank, predict_key_copy(kind / 2, kind % 2), 1000, 50000), 5 + 50000 / rate[kind]);
}

/* Many more questions than places in the table, asked twice in different orders: answers never mix.
 */
TEST(kept_answers_never_mix) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 40000; i++) {
            int x = round ? 39999 - i : i;
            near(ask(bank, kernel_key, x % 2 ? 500 : 1000, x),
                 (x % 2 ? 2 : 1) * (100.0 + 10.0 * x));
        }
}

/* Completions as predicted change nothing, however many. */
TEST(good_predictions_are_not_touched) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    for (int i = 0; i < 2000; i++)
        assert_true(tell(bank, 1000, i % 50, 1.05 * (100 + 10 * (i % 50))));
    struct predict_info info = predict_bank_info(bank, 1);
    assert_int_equal(info.refits, 0);
    assert_true(fabs(info.running_error - (1 - 1 / 1.05)) < 1e-6); /* Eq. 6: 5 parts of 105 */
    near(ask(bank, kernel_key, 1000, 10), 200);
}

/*
 * From now on everything takes twice as long. The error of a completion is 1/2, and the running
 * error, 0.5 (1 - (15/16)^n), passes 10 % at the fourth; at the sixteenth the model is fitted anew,
 * and moves towards what is measured.
 */
TEST(bad_predictions_are_learnt_from) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    for (int i = 0; i < 15; i++)
        tell(bank, 1000, i, 2 * (100 + 10 * i));
    near(ask(bank, kernel_key, 1000, 7), 170);
    tell(bank, 1000, 15, 2 * 250);
    assert_int_equal(predict_bank_info(bank, 1).refits, 1);
    double once = ask(bank, kernel_key, 1000, 7);
    assert_true(once > 180 && once < 340);
    for (int i = 0; i < 4000; i++)
        tell(bank, 1000, i % 50, 2 * (100 + 10 * (i % 50)));
    double often = ask(bank, kernel_key, 1000, 7);
    assert_true(often > once && often <= 340 + 1e-6);
    assert_true(predict_bank_info(bank, 1).refits < 10); /* the wait doubles */
    near(ask(bank, kernel_key, 500, 7), 340);            /* the other share has heard nothing */
}

/* Neighbours learn too: of the very features by their mean, 10 once and 30 sixteen times, elsewhere
 * by the newest. */
TEST(neighbours_learn_from_completions) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = predict_bank_new(7, NULL);
    for (int x = 0; x < 60; x++)
        add(bank, kernel_key, 1000, x, x < 30 ? 10 : 1000);
    assert_true(predict_bank_fit(bank));
    assert_string_equal(predict_bank_info(bank, 0).model, "knn");
    for (int i = 0; i < 16; i++)
        tell(bank, 1000, 5, 30);
    assert_int_equal(predict_bank_info(bank, 0).refits, 1);
    near(ask(bank, kernel_key, 1000, 5), 490.0 / 17);
    near(ask(bank, kernel_key, 1000, 5.25), 30);
    near(ask(bank, kernel_key, 1000, 45), 1000);
}

TEST(completions_of_unknown_keys_are_refused) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    assert_false(tell(bank, 700, 1, 100));
    assert_true(tell(bank, 500, 1, 220));
}

/* A copy predicts the same and learns alone. */
TEST(copies_learn_for_themselves) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = trained();
    FREED_BY(predict_bank_free) struct predict_bank *copy = predict_bank_copy(bank);
    assert_non_null(copy);
    for (int x = 0; x < 80; x++)
        assert_true(ask(copy, kernel_key, 1000, x) == ask(bank, kernel_key, 1000, x));
    for (int i = 0; i < 100; i++)
        tell(copy, 1000, i % 50, 5 * (100 + 10 * (i % 50)));
    assert_true(predict_bank_info(copy, 1).refits > 0);
    assert_true(ask(copy, kernel_key, 1000, 7) > 200);
    near(ask(bank, kernel_key, 1000, 7), 170);
}

/* The order in which measurements of different functions arrive does not matter, and neither do the
 * ids of others. */
TEST(other_functions_do_not_matter) {
    double answers[2];
    for (int round = 0; round < 2; round++) {
        FREED_BY(predict_bank_free) struct predict_bank *bank = predict_bank_new(3, NULL);
        uint32_t id = round ? 9 : 2;
        for (int x = 0; x < 40; x++) {
            if (round)
                add(bank, (struct predict_key){PREDICT_KERNEL, 1}, 1000, x, 5 * x + 1);
            add(bank, (struct predict_key){PREDICT_KERNEL, id}, 1000, x, 100 + (x * 37) % 41);
        }
        assert_true(predict_bank_fit(bank));
        answers[round] = ask(bank, (struct predict_key){PREDICT_KERNEL, id}, 1000, 12.5) +
                         predict_bank_info(bank, round ? 1 : 0).error;
    }
    assert_true(answers[0] == answers[1]);
}

TEST(queries_are_predicted_from_input_size) {
    FREED_BY(predict_bank_free) struct predict_bank *bank = predict_bank_new(1, NULL);
    for (int i = 1; i <= 30; i++)
        add(bank, (struct predict_key){PREDICT_QUERY, 5}, 1000, 1024 * i, 1e9 * i);
    assert_true(predict_bank_fit(bank));
    struct predict_features features = predict_features_bytes(50 * 1024);
    struct predict_value value;
    assert_true(
        predict_bank_task(bank, (struct predict_key){PREDICT_QUERY, 5}, &features, 1000, &value));
    near(value.duration_ps, 50e9);
}
